"""Convolutions and pools by their definitions, one window position at a time."""

import numpy as np


def spread(pads, rank):
    pads = list(pads or [0] * rank)
    return (pads, pads) if len(pads) == rank else (pads[:rank], pads[rank:])


def same_pads(size, count, reach, stride, mode):
    total = max((count - 1) * stride + reach - size, 0)
    begin = total // 2 if mode == "SameUpper" else total - total // 2
    return begin, total - begin


def taps(kernel):
    return np.ndindex(*kernel)


def conv(x, weight, bias=None, strides=None, pads=None, dilations=None, groups=1, auto_pad="Explicit"):
    rank, kernel = x.ndim - 2, weight.shape[2:]
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    low, high = spread(pads, rank)
    if auto_pad.startswith("Same"):
        sides = [same_pads(x.shape[2 + i], -(-x.shape[2 + i] // strides[i]), reach[i], strides[i], auto_pad) for i in range(rank)]
        low, high = zip(*sides)
    x = np.pad(x, [(0, 0), (0, 0), *zip(low, high)])
    counts = [(x.shape[2 + i] - reach[i]) // strides[i] + 1 for i in range(rank)]
    per_group, outputs = weight.shape[1], weight.shape[0] // groups
    result = np.zeros((x.shape[0], weight.shape[0], *counts), x.dtype)
    for group in range(groups):
        out = slice(group * outputs, (group + 1) * outputs)
        for tap in taps(kernel):
            at = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilations, counts, strides))
            part = x[(slice(None), slice(group * per_group, (group + 1) * per_group), *at)]
            result[:, out] += np.einsum("nc...,fc->nf...", part, weight[(out, slice(None), *tap)]).astype(x.dtype)
    return result if bias is None else result + bias.reshape(1, -1, *[1] * rank)


def conv_transpose(x, weight, bias=None, strides=None, pads=None, output_padding=None, dilations=None, groups=1,
                   output_shape=None, auto_pad="Explicit", ordered=False):  # fmt: skip
    """`ordered`: each sum is rounded to float32 after every product added."""
    rank, kernel = x.ndim - 2, weight.shape[2:]
    strides, dilations, more = strides or [1] * rank, dilations or [1] * rank, output_padding or [0] * rank
    full = [(x.shape[2 + i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + more[i] for i in range(rank)]
    low, high = map(list, spread(pads, rank))
    if output_shape or auto_pad.startswith("Same"):
        wanted = output_shape or [size * stride for size, stride in zip(x.shape[2:], strides)]
        for i in range(rank):
            total = max(full[i] - wanted[i], 0)
            low[i] = total // 2 if auto_pad == "SameUpper" else total - total // 2
            high[i] = full[i] - wanted[i] - low[i]
    outputs, per_group = weight.shape[1], x.shape[1] // groups
    result = np.zeros((x.shape[0], outputs * groups, *[max(f, f - h) for f, h in zip(full, high)]), x.dtype)
    for group in range(groups):
        own = slice(group * per_group, (group + 1) * per_group)
        for tap in taps(kernel):
            at = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilations, x.shape[2:], strides))
            where = (slice(None), slice(group * outputs, (group + 1) * outputs), *at)
            if ordered:
                for channel in range(own.start, own.stop):
                    part = np.einsum("n...,f->nf...", x[:, channel], weight[(channel, slice(None), *tap)])
                    result[where] = (result[where] + part).astype(np.float32)
                continue
            part = np.einsum("nc...,cf->nf...", x[:, own], weight[(own, slice(None), *tap)])
            result[where] += part.astype(x.dtype)
    result = result[(slice(None), slice(None), *[slice(b, f - e) for b, f, e in zip(low, full, high)])]
    return result if bias is None else result + bias.reshape(1, -1, *[1] * rank)


def windows(x, kernel, strides=None, pads=None, dilations=None, ceil_mode=False, auto_pad="Explicit"):
    """The number of windows along each dimension, and of each the elements it holds, their places, and how many of its
    elements lie in x or in the padding asked for."""
    rank = len(kernel)
    strides, dilations = strides or kernel, dilations or [1] * rank
    low, high = map(list, spread(pads, rank))
    counts = []
    for i, size in enumerate(x.shape[2:]):
        reach = (kernel[i] - 1) * dilations[i] + 1
        if auto_pad.startswith("Same"):
            counts.append(-(-size // strides[i]))
            low[i], high[i] = same_pads(size, counts[i], reach, strides[i], auto_pad)
            continue
        room = size + low[i] + high[i] - reach
        counts.append((-(-room // strides[i]) if ceil_mode else room // strides[i]) + 1)
        if ceil_mode and (counts[i] - 1) * strides[i] >= size + low[i]:
            counts[i] -= 1

    def held(window):
        places, padded = [], 0
        for tap in taps(kernel):
            at = [w * s + t * d - b for w, s, t, d, b in zip(window[2:], strides, tap, dilations, low)]
            inside = all(0 <= a < size for a, size in zip(at, x.shape[2:]))
            padded += all(a < size + h for a, size, h in zip(at, x.shape[2:], high))
            if inside:
                places.append(np.ravel_multi_index((*window[:2], *at), x.shape))
        return x.ravel()[places], places, padded

    return counts, held


def pool(x, of, **settings):
    """`of` gives, of a window's elements, places and padded count, one number or several."""
    counts, held = windows(x, **settings)
    shape = (*x.shape[:2], *counts)
    results = [of(*held(window)) for window in np.ndindex(*shape)]
    if not results:
        return np.zeros(shape, x.dtype)
    if isinstance(results[0], tuple):
        return [np.array(column).reshape(shape) for column in zip(*results)]
    return np.array(results).reshape(shape)


def of_spatial(x, reduction):
    return reduction(x, axis=tuple(range(2, x.ndim)), keepdims=True)


def largest(values, places, _):
    return values[np.argmax(values)], places[np.argmax(values)]  # argmax takes the first NaN as largest


def max_pool_with_indices(x, **settings):
    results = pool(x, largest, **settings)
    return results if isinstance(results, list) else [results, results.astype(np.int64)]


def max_pool(x, **settings):
    return max_pool_with_indices(x, **settings)[0]


def avg_pool(x, count_include_pad, **settings):
    return pool(x, lambda values, _, padded: values.sum() / (padded if count_include_pad else len(values)), **settings)


def lp_pool(x, p, **settings):
    return pool(x, lambda values, *_: (np.abs(values) ** p).sum() ** (1 / x.dtype.type(p)), **settings)


def global_max_pool(x):
    lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
    return of_spatial(x, lambda x, **how: np.max(x, **how, initial=np.asarray(lowest, x.dtype)))


def global_avg_pool(x):
    return of_spatial(x, np.sum) / x.dtype.type(np.prod(x.shape[2:]))


def global_lp_pool(x, p):
    return of_spatial(np.abs(x) ** p, np.sum) ** (1 / x.dtype.type(p))
