"""Reductions, running sums, softmax, norms and matrix products in NumPy."""

import numpy as np


def axes_of(axes):
    return tuple(axes) or None


def is_whole(x):
    return x.dtype.kind in "iub"


def edge(x, lowest):
    """The largest, or lowest, value of x's dtype."""
    if x.dtype == bool:
        return not lowest
    if is_whole(x):
        return np.iinfo(x.dtype).min if lowest else np.iinfo(x.dtype).max
    return np.asarray(-np.inf if lowest else np.inf, x.dtype)


def reduce_sum(x, axes, keepdims):
    return x.sum(axes_of(axes), keepdims=keepdims, dtype=x.dtype)


def reduce_l1(x, axes, keepdims):
    return reduce_sum(np.abs(x), axes, keepdims)


def reduce_sumsq(x, axes, keepdims):
    return reduce_sum(x * x, axes, keepdims)


def reduce_l2(x, axes, keepdims):
    return np.sqrt(reduce_sumsq(x, axes, keepdims))


def reduce_prod(x, axes, keepdims):
    return x.prod(axes_of(axes), keepdims=keepdims, dtype=x.dtype)


def reduce_max(x, axes, keepdims):
    return x.max(axes_of(axes), keepdims=keepdims, initial=edge(x, True))


def reduce_min(x, axes, keepdims):
    return x.min(axes_of(axes), keepdims=keepdims, initial=edge(x, False))


def reduce_mean(x, axes, keepdims):
    total = reduce_sum(x, axes, keepdims)
    count = int(np.prod([x.shape[axis] for axis in axes or range(x.ndim)]))
    if not is_whole(x):
        return total / np.asarray(count, x.dtype)
    # Integers wrap, and divide toward zero; by a count that wraps too.
    divisor = int(np.array(count).astype(x.dtype))
    means = [0 if divisor == 0 else abs(int(value)) // abs(divisor) * (-1 if (value < 0) != (divisor < 0) else 1) for value in total.flat]
    return np.array(means, object).reshape(total.shape).astype(x.dtype)


def reduce_logsumexp(x, axes, keepdims):
    axes = axes_of(axes)
    highest = np.max(x, axes, keepdims=True, initial=-np.inf)
    result = highest + np.log(np.exp(x - highest).sum(axes, keepdims=True)) if x.size else highest
    return result if keepdims else result.reshape(np.sum(x, axes).shape)


def search(find, x, axis, keepdims, select_last):
    along = x.reshape(-1) if axis is None else x
    place = find(np.flip(along, axis or 0) if select_last else along, axis or 0)
    place = np.asarray(along.shape[axis or 0] - 1 - place if select_last else place, np.int64)
    if not keepdims:
        return place
    return place.reshape([1] * x.ndim) if axis is None else np.expand_dims(place, axis)


def argmax(x, axis, keepdims, select_last):
    return search(np.argmax, x, axis, keepdims, select_last)


def argmin(x, axis, keepdims, select_last):
    return search(np.argmin, x, axis, keepdims, select_last)


def cumsum(x, axis, exclusive, reverse):
    """An element's own value is left out by moving the sums one place on, not by taking it away again. A number is a row
    of one."""
    if x.ndim == 0:
        return np.zeros_like(x) if exclusive else x
    turned = np.flip(x, axis) if reverse else x
    result = np.cumsum(turned, axis, dtype=x.dtype)
    if exclusive and x.shape[axis]:
        last = result.shape[axis] - 1
        result = np.concatenate([np.zeros_like(result.take([0], axis)), result.take(range(last), axis)], axis)
    return np.flip(result, axis) if reverse else result


def shifted(x, axis):
    if x.size == 0:
        return x
    return x - x.max(axis, keepdims=True) if x.ndim else x - x


def softmax(x, axis):
    powers = np.exp(shifted(x, axis))
    return powers / powers.sum(axis if x.ndim else None, keepdims=True)


def log_softmax(x, axis):
    below = shifted(x, axis)
    return below - np.log(np.exp(below).sum(axis if x.ndim else None, keepdims=True))


#
# Norms
#


def scaled(x, scale, bias):
    x = x if scale is None else x * scale
    return x if bias is None else x + bias


def per_channel(x, *operands):
    return [None if operand is None else operand.reshape(1, -1, *[1] * (x.ndim - 2)) for operand in operands]


def normalized(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + x.dtype.type(epsilon))


def layer_norm(x, scale, bias, axis, epsilon):
    if x.ndim == 0:
        return layer_norm(x.reshape(1), scale, bias, 0, epsilon)[0]
    return scaled(normalized(x, tuple(range(axis % x.ndim, x.ndim)), epsilon), scale, bias)


def rms_norm(x, scale, axis, epsilon):
    if x.ndim == 0:
        return rms_norm(x.reshape(1), scale, 0, epsilon)[0]
    mean = (x * x).mean(tuple(range(axis % x.ndim, x.ndim)), keepdims=True)
    return scaled(x / np.sqrt(mean + x.dtype.type(epsilon)), scale, None)


def group_norm(x, groups, scale, bias, epsilon):
    if x.size == 0:
        return x
    rows = normalized(x.reshape(x.shape[0], groups, -1), 2, epsilon)
    return scaled(rows.reshape(x.shape), *per_channel(x, scale, bias))


def instance_norm(x, scale, bias, epsilon):
    return group_norm(x, x.shape[1], scale, bias, epsilon)


def batch_norm(x, mean, variance, scale, bias, epsilon):
    mean, variance, scale, bias = per_channel(x, mean, variance, scale, bias)
    return scaled((x - mean) / np.sqrt(variance + x.dtype.type(epsilon)), scale, bias)


def lrn(x, size, alpha, beta, bias):
    before = (size - 1) // 2
    squares = [(x[:, max(0, c - before) : c + size - before] ** 2).sum(1) for c in range(x.shape[1])]
    return x / (bias + x.dtype.type(alpha) / size * np.stack(squares, 1)) ** x.dtype.type(beta)


def turned(x, swap):
    return np.swapaxes(x, -1, -2) if swap and x.ndim > 1 else x


def matmul(a, b, transpose_a, transpose_b):
    return np.matmul(turned(a, transpose_a), turned(b, transpose_b))


def linear(x, weight, bias):
    return scaled(np.matmul(x, weight.T), None, bias)
