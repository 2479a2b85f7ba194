"""Rotary embeddings and attention in NumPy."""

import numpy as np


def rotary_embedding(x, cos, sin, positions, num_heads, rotary_dim, interleaved):
    if x.ndim == 3:
        heads = x.reshape(*x.shape[:2], num_heads, -1 if x.size else x.shape[2] // num_heads).swapaxes(1, 2)
        rotated = rotary_embedding(heads, cos, sin, positions, 0, rotary_dim, interleaved)
        return rotated.swapaxes(1, 2).reshape(x.shape)
    if positions is not None:
        cos, sin = cos[positions], sin[positions]
    part = rotary_dim or x.shape[3]
    first = np.arange(0, part, 2) if interleaved else np.arange(part // 2)
    second = first + (1 if interleaved else part // 2)
    cos, sin, result = cos[:, None], sin[:, None], x.copy()
    result[..., first] = x[..., first] * cos - x[..., second] * sin
    result[..., second] = x[..., second] * cos + x[..., first] * sin
    return result


def attention(q, k, v, mask, scale, causal, softcap):
    """A query without keys weighs no value."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat(group, 1), v.repeat(group, 1)
    scores = q @ k.swapaxes(2, 3) * np.asarray(scale or q.shape[3] ** -0.5, q.dtype)
    if softcap:
        scores = np.tanh(scores / np.asarray(softcap, q.dtype)) * np.asarray(softcap, q.dtype)
    queries, keys = scores.shape[2:]
    ahead = {"Off": keys, "UpperLeft": 0, "LowerRight": keys - queries}[causal]
    kept = np.broadcast_to(np.arange(keys) <= np.arange(queries)[:, None] + ahead, scores.shape)
    counted = kept
    if mask is not None and mask.dtype == bool:
        counted = kept = kept & mask
    elif mask is not None:
        scores = scores + mask
        counted = kept & (mask != -np.inf)
    scores = np.where(kept, scores, np.asarray(-np.inf, q.dtype))
    weights = np.exp(scores - scores.max(3, keepdims=True, initial=-np.inf))
    weights = weights / weights.sum(3, keepdims=True)
    return np.where(counted.any(3, keepdims=True), weights, np.asarray(0, q.dtype)) @ v
