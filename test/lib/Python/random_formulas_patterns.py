"""Steps of random graphs for the transforms of formulas written out that one operator stands for."""

import numpy as np
from random_pattern_registry import FLOATS, any_of, float_of, moderate, pattern
from random_recipes import as_heads

import clika_runtime as crt


@pattern
def decomposed_softmax(g):
    x = float_of(g, lambda e: len(e.shape) >= 1 and moderate(e))
    if x is None:
        return None
    axis = g.rng.randrange(-len(x.shape), len(x.shape))
    other = g.rng.choice([axis, axis, axis, 0])

    def call(t):
        e = crt.exp(crt.sub(t, crt.reduce_max(t, axes=[axis], keepdims=True)))
        return over(e, crt.unsqueeze(crt.reduce_sum(e, axes=[other]), [other]))

    over = g.rng.choice([crt.div, lambda e, s: crt.mul(e, crt.reciprocal(s)), lambda e, s: crt.mul(crt.div(1.0, s), e)])
    return call, [x]


@pattern
def decomposed_layer_norm(g):
    x = float_of(g, lambda e: len(e.shape) >= 1 and moderate(e))
    if x is None:
        return None
    axis = -1 if g.rng.random() < 0.8 else 0
    square = g.rng.choice([lambda t: crt.mul(t, t), lambda t: crt.pow(t, 2)])
    over = g.rng.choice(
        [
            lambda t, v: crt.div(t, crt.sqrt(v)),
            lambda t, v: crt.mul(t, crt.rsqrt(v)),
            lambda t, v: crt.mul(crt.reciprocal(crt.sqrt(v)), t),
            lambda t, v: crt.mul(crt.pow(v, -0.5), t),
        ]
    )
    scaled, shifted = g.rng.random() < 0.5, g.rng.random() < 0.2

    def call(t, scale, bias):
        if shifted:
            mean = crt.reduce_mean(t, axes=[axis], keepdims=True)
            v = crt.reduce_mean(square(crt.sub(t, mean)), axes=[axis], keepdims=True)
            factor = crt.mul(crt.rsqrt(crt.add(v, 0.01)), scale)
            return crt.add(crt.mul(t, factor), crt.sub(bias, crt.mul(mean, factor)))
        d = crt.sub(t, crt.reduce_mean(t, axes=[axis], keepdims=True))
        y = over(d, crt.add(crt.reduce_mean(square(d), axes=[axis], keepdims=True), 0.01))
        return crt.add(crt.mul(y, scale), bias) if scaled else y

    last = tuple(x.traced.shape)[-1]
    shape = [1 if last == -1 else x.shape[-1]]
    return call, [x, g.constant(np.full(shape, 0.5, x.dtype)), g.constant(np.full(shape, -2, x.dtype))]


@pattern
def decomposed_rms_norm(g):
    x = float_of(g, lambda e: e.dtype in ("float32", "float64") and len(e.shape) >= 1 and moderate(e))
    if x is None:
        return None
    axis = -1 if g.rng.random() < 0.8 else 0
    over = g.rng.choice([lambda t, v: crt.div(t, crt.sqrt(v)), lambda t, v: crt.mul(t, crt.rsqrt(v))])
    last = tuple(x.traced.shape)[-1]
    scale = g.constant(np.full([1 if last == -1 else x.shape[-1]], 0.5, x.dtype))

    first = g.rng.random() < 0.3

    def call(t, s):
        mean = crt.reduce_mean(crt.mul(t, t), axes=[axis], keepdims=True)
        if first:
            return crt.mul(crt.mul(crt.rsqrt(crt.add(mean, 0.01)), s), t)
        return crt.mul(over(t, crt.add(mean, 0.01)), s)

    return call, [x, scale]


@pattern
def decomposed_gelu(g):
    x = float_of(g, moderate)
    if x is None:
        return None
    root = g.rng.choice([2**-0.5, 2**-0.5, 0.6])
    cubic = g.rng.choice([0.044715, 0.044715, 0.05])

    def erf(t):
        return crt.mul(crt.mul(t, 0.5), crt.add(crt.erf(crt.mul(t, root)), 1.0))

    def apart(t):
        half = crt.mul(t, 0.5)
        return crt.add(half, crt.mul(half if g.rng.random() < 0.1 else crt.mul(t, 0.5), crt.erf(crt.mul(t, root))))

    def halved(t):
        return crt.div(crt.mul(t, crt.sub(1.0, crt.erf(crt.mul(t, -root)))), 2.0)

    def factored(t):
        inner = crt.mul(t, crt.add(crt.mul(crt.mul(t, t), cubic * (2 / np.pi) ** 0.5), (2 / np.pi) ** 0.5))
        return crt.mul(t, crt.add(crt.mul(crt.tanh(inner), 0.5), 0.5))

    def tanh(t):
        inner = crt.mul(crt.add(t, crt.mul(crt.mul(crt.mul(t, t), t), cubic)), (2 / np.pi) ** 0.5)
        return crt.mul(0.5, crt.mul(t, crt.add(1.0, crt.tanh(inner))))

    return g.rng.choice([erf, tanh, apart, halved, factored]), [x]


@pattern
def decomposed_silu(g):
    x = float_of(g, moderate)
    ways = [
        lambda t: crt.mul(t, crt.sigmoid(t)),
        lambda t: crt.mul(crt.sigmoid(t), t),
        lambda t: crt.div(t, crt.add(crt.exp(crt.neg(t)), 1.0)),
        lambda t: crt.mul(t, crt.reciprocal(crt.add(1.0, crt.exp(crt.mul(t, -1.0))))),
        lambda t: crt.mul(t, crt.sigmoid(crt.neg(t))),
    ]
    return x and (g.rng.choice(ways), [x])


@pattern
def decomposed_relu(g):
    x = any_of(g)
    if x is None:
        return None
    slope = g.rng.choice([0.5, 0.1, 3.0, -1.0]) if x.dtype in FLOATS else 1
    compare = g.rng.choice([crt.greater, crt.greater_equal])
    zero = g.rng.choice([0, 0, 0.0, -0.0]) if x.dtype in FLOATS else 0
    ways = [
        lambda t: crt.maximum(t, zero),
        lambda t: crt.maximum(zero, t),
        lambda t: crt.where(compare(t, zero), t, crt.mul(t, slope)),
        lambda t: crt.where(crt.less(t, zero), crt.mul(slope, t), t),
    ]
    return g.rng.choice(ways), [x]


@pattern
def decomposed_rotary(g):
    dtypes = FLOATS if g.rng.random() < 0.2 else FLOATS[:2]
    x = g.pick(lambda e: e.is_static and e.dtype in dtypes and len(e.shape) in (2, 3, 4) and e.shape[-1] % 2 == 0 and 0 not in e.shape)
    if x is None:
        return None
    batch, heads, places, size = (1,) * (4 - len(x.shape)) + x.shape
    whole = size % 4 != 0 or g.rng.random() < 0.7
    half = size // (2 if whole else 4)
    last = g.rng.random() < 0.3
    shape = [g.rng.choice([1, batch]), *((heads, 1) if last else (1, places)), half]
    angles = g.constant(g.numbers.uniform(-3, 3, shape).astype(x.dtype))
    sign = g.rng.choice([1] * 7 + [-1])

    def part(t, start, step=1):
        return crt.slice(t, [start], [start + half if step == 1 else 2 * half], [3], [step])

    def turned(t, a):
        both = crt.concat([a, a], 3)
        turn = crt.concat([crt.neg(part(t, half)), part(t, 0)], -1)
        return crt.add(crt.mul(t, crt.cos(both)), crt.mul(crt.sin(both), crt.mul(turn, sign) if sign < 0 else turn))

    def halves(first, second, a):
        cos, sin = crt.cos(a), crt.sin(a)
        return crt.sub(crt.mul(first, cos), crt.mul(second, sin)), crt.add(crt.mul(first, sin), crt.mul(cos, second))

    def apart(t, a):
        return crt.concat(list(halves(part(t, 0), part(t, half), a)), 3)

    def neighbours(t, a):
        both = halves(part(t, 0, 2), part(t, 1, 2), a)
        return crt.reshape(crt.concat([crt.unsqueeze(b, [-1]) for b in both], -1), [batch, heads, places, size])

    def partial(t, a):
        first, rest = crt.split(t, [2 * half, 2 * half], axis=3)
        return crt.concat([inner(first, a), rest], 3)

    inner = g.rng.choice([turned, apart])
    way = g.rng.choice([turned, apart, neighbours]) if whole else partial
    return lambda t, a: way(as_heads(t), a), [x, angles]


def attended(g, masked):
    """Queries of the graph, keys and values as constants."""
    x = g.pick(lambda e: e.is_static and e.dtype in FLOATS[:2] and len(e.shape) in (2, 3, 4) and 0 not in e.shape and moderate(e))
    if x is None:
        return None
    batch, heads, queries, size = (1,) * (4 - len(x.shape)) + x.shape
    k, v = (g.constant(g.numbers.uniform(-2, 2, [batch, heads, 3, columns]).astype(x.dtype)) for columns in (size, 2))
    low = g.rng.choice([-1e4, -2.0])
    # Of a mask that holds -inf the approximate one may make something else.
    causal = not masked and g.rng.random() < 0.3
    gone = ~np.tri(queries, 3, dtype=bool) if causal else g.numbers.random([queries, 3]) < 0.4
    mask = g.constant(np.where(gone, -np.inf if causal else low, 0).astype(x.dtype))
    cap = g.rng.choice([None, None, 2.0])
    one, two = g.rng.choice([0.5, 1.0, 0.3]), g.rng.choice([0.25, 1.0])
    swapped, masks = g.rng.random() < 0.5, masked or g.rng.random() < 0.5
    axis = g.rng.choice([3, -1, 3, -1, 3, -1, 2])

    def call(t, u, w, m):
        keys = crt.transpose(u, [0, 1, 3, 2]) if swapped else u
        scores = crt.mul(crt.matmul(crt.mul(as_heads(t), one), keys, transpose_b=not swapped), two)
        if cap:
            scores = crt.mul(crt.tanh(crt.div(scores, cap)), cap)
        return crt.matmul(crt.softmax(crt.add(m, scores) if masks else scores, axis), w)

    return call, [x, k, v, mask]


@pattern
def decomposed_attention(g):
    return attended(g, False)


@pattern
def decomposed_masked_attention(g):
    return attended(g, True)


@pattern
def fuse_half_precision(g):
    x = float_of(g, lambda e: e.is_static and e.dtype in FLOATS[2:] and len(e.shape) >= 1 and 0 not in e.shape and moderate(e, 3))
    if x is None:
        return None
    columns = x.shape[-1]
    w = g.constant(g.numbers.uniform(-0.5, 0.5, [columns, columns]).astype(x.dtype))
    b = g.constant(g.numbers.uniform(-1, 1, [columns]).astype(x.dtype))
    square = g.rng.choice([lambda t: crt.mul(t, t), lambda t: crt.pow(t, 2)])

    def linear(t, u, v):
        return crt.add(crt.matmul(crt.unsqueeze(t, [0]) if len(x.shape) == 1 else t, u), v)

    def rms(t, u, v):
        return crt.mul(t, crt.rsqrt(crt.add(crt.reduce_mean(square(t), axes=[-1], keepdims=True), 0.5)))

    def norm(t, u, v):
        d = crt.sub(t, crt.reduce_mean(t, axes=[-1], keepdims=True))
        return crt.div(d, crt.sqrt(crt.add(crt.reduce_mean(square(d), axes=[-1], keepdims=True), 0.5)))

    def attention(t, u, v):
        q, k = as_heads(t), crt.reshape(u, [1, 1, columns, columns])
        scores = crt.mul(crt.matmul(q, k, transpose_b=True), 0.25)
        return crt.matmul(crt.softmax(crt.add(scores, v)), k)

    def weights(t, u, v):
        y = crt.linear(t, u)
        if len(x.shape) == 2:
            return crt.batch_norm(y, v, crt.tensor(np.full([columns], 1.5, x.dtype)))
        return crt.mul(y, v)

    rows = int(np.prod(x.shape[:-1]))
    ways = [linear, linear, rms, norm, weights] + ([attention] if len(x.shape) <= 2 or rows == x.shape[-2] else [])
    return g.rng.choice(ways), [x, w, b]
