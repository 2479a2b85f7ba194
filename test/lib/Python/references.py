"""What the ops compute, in NumPy: the names that the records' references use, and a function for each op without one."""

import math

import numpy as np

# The half-precision dtype of the case at hand, or None: results are rounded to it before an activation.
rounded_to = None

erf = np.vectorize(math.erf, otypes=[np.float64])


def number(value, like):
    """A setting as a tensor's number."""
    return np.asarray(value, like.dtype)


def sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, number(1, x)) / (number(1, x) + small)


def softplus(x, beta, threshold):
    y = number(beta, x) * x
    smooth = np.maximum(y, 0) + np.log1p(np.exp(-np.abs(y)))
    return np.where(y > threshold, x, smooth / number(beta, x))


def gelu(x, form):
    if form == "Tanh":
        inner = number(math.sqrt(2 / math.pi), x) * (x + number(0.044715, x) * x**3)
        return x * sigmoid(2 * inner)
    # The complement keeps its digits where 1 + erf has none left.
    return x / 2 * np.vectorize(math.erfc, otypes=[np.float64])(-np.asarray(x, np.float64) * math.sqrt(0.5))


def relu(x):
    return np.maximum(x, number(0, x)) + number(0, x)


ACTIVATIONS = {
    "Identity": lambda x: x,
    "Relu": relu,
    "Relu6": lambda x: np.minimum(relu(x), number(6, x)),
    "LeakyRelu": lambda x: np.where(x < 0, number(0.01, x) * x, x),
    "Gelu": lambda x: gelu(x, "Erf"),
    "GeluTanh": lambda x: gelu(x, "Tanh"),
    "Silu": lambda x: x * sigmoid(x),
    "Sigmoid": sigmoid,
    "Tanh": np.tanh,
    "HardSigmoid": lambda x: np.clip(number(1 / 6, x) * x + number(0.5, x), number(0, x), number(1, x)) + number(0, x),
    "HardSwish": lambda x: x * ACTIVATIONS["HardSigmoid"](x),
    "Softplus": lambda x: softplus(x, 1.0, 20.0),
    "Mish": lambda x: x * np.tanh(np.logaddexp(x, number(0, x))),
    "Elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "Selu": lambda x: number(1.0507009873554805, x)
    * np.where(x > 0, x, number(1.6732632423543772, x) * np.expm1(np.minimum(x, 0))),
}


def activate(activation, x):
    if activation == "Identity":
        return x
    if rounded_to is not None:
        x = x.astype(rounded_to).astype(x.dtype)
    return ACTIVATIONS[activation](x)


#
# Integers: by zero 0, the smallest by -1 wraps
#


def is_integer(x):
    return np.issubdtype(x.dtype, np.integer)


def rint(x):
    return x if is_integer(x) else np.rint(x)


def divide(a, b):
    if not is_integer(a):
        return a / b
    a, b = np.broadcast_arrays(a, b)
    floored = floor_divide(a, b)
    exact = np.fmod(a, b) == 0
    return np.where(~exact & ((a < 0) != (b < 0)), floored + number(1, a), floored)


def floor_divide(a, b):
    return np.floor_divide(a, b)


def power(a, b):
    if not is_integer(a):
        return np.power(a, b)
    flat = [one_power(int(x), int(y), a.dtype) for x, y in np.broadcast(a, b)]
    return np.array(flat, a.dtype).reshape(np.broadcast_shapes(a.shape, b.shape))


def one_power(x, y, dtype):
    bits = 8 * dtype.itemsize
    if y < 0:
        value = {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)
    else:
        value = pow(x, y, 1 << bits)
    if np.issubdtype(dtype, np.signedinteger) and value >= 1 << (bits - 1):
        value -= 1 << bits
    return value


def left_shift(a, b):
    fits = (b >= 0) & (b < 8 * a.dtype.itemsize)
    return np.where(fits, np.left_shift(a, np.where(fits, b, 0)), number(0, a))


def right_shift(a, b):
    fits = (b >= 0) & (b < 8 * a.dtype.itemsize)
    return np.where(fits, np.right_shift(a, np.where(fits, b, 0)), np.where(a < 0, number(0, a) - number(1, a), number(0, a)))


#
# Maximum and minimum: NaN goes through, +0 is above -0
#


def maximum(a, b):
    both = np.maximum(a, b)
    return both if is_integer(both) else np.where((a == 0) & (b == 0), a + b, both)


def minimum(a, b):
    both = np.minimum(a, b)
    return both if is_integer(both) else np.where((a == 0) & (b == 0), -(-a - b), both)


def clamp(x, min, max):
    if min is not None:
        x = maximum(x, np.asarray(min, x.dtype))
    return x if max is None else minimum(x, np.asarray(max, x.dtype))


#
# Casts
#


def cast(x, dtype):
    if dtype == bool:
        return x != 0
    if is_integer(np.empty(0, dtype)) and not (is_integer(x) or x.dtype == bool):
        return saturated(x, dtype)
    return x.astype(dtype)


def saturated(x, dtype):
    """Truncated, held in the range, NaN is 0, by Python's own integers."""
    info = np.iinfo(dtype)

    def one(value):
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return info.max if value > 0 else info.min
        return max(info.min, min(info.max, int(value)))

    return np.array([one(float(value)) for value in x.ravel()], dtype).reshape(x.shape)


def where(condition, a, b):
    return np.where(condition, a, b)
