"""What pointwise ops share: activations, casts, broadcasting at run time, refusals; and the harness of the numeric tests."""

import numpy as np
import op_cases
import pytest
from op_cases import BFLOAT16, DTYPES, Case, Exact, Sums, Ulps, check, dtype_of
from pointwise_cases import COMPOSITE, random_values, special_values

import clika_runtime as crt

#
# Activations of operators
#

ACTIVATIONS = next(setting["enumerators"] for setting in op_cases.table()["add"]["settings"] if setting["name"] == "activation")


@pytest.mark.parametrize("dtype", DTYPES["float"], ids=str)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activation(activation: str, dtype: np.dtype) -> None:
    """Half precision is rounded before and after."""
    x = special_values(dtype)
    exact = activation in ("Identity", "Relu", "Relu6", "LeakyRelu", "HardSigmoid", "HardSwish")
    case = Case("add", [x, np.zeros((), dtype) - np.asarray(0, dtype)], {"activation": activation},
                Exact() if exact else COMPOSITE)  # fmt: skip
    check(case, graphs=False)


# The activations that are not an op of the same name with its defaults.
SPELLED_OUT = {
    "Relu6": lambda x: crt.clamp(x, 0.0, 6.0),
    "GeluTanh": lambda x: crt.gelu(x, form="Tanh"),
}


@pytest.mark.parametrize("dtype", DTYPES["float"], ids=str)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activation_is_its_operator(activation: str, dtype: np.dtype) -> None:
    """To the bit, so that an operator may take its reader's place; x - 0 leaves x as it is."""
    code = {op["code_name"]: op["mnemonic"] for op in op_cases.table().values()}
    apply = SPELLED_OUT.get(activation) or getattr(crt, code[activation])
    x = crt.tensor(np.concatenate([special_values(dtype), random_values(dtype, (100,))]))
    fused = crt.sub(x, crt.tensor(np.zeros((), dtype)), activation=activation)
    op_cases.assert_exact(fused.numpy(), apply(x).numpy(), activation)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
def test_every_op_with_a_tail_has_the_activation(op: str) -> None:
    a, b = random_values(np.dtype(np.float32), (3, 5)), random_values(np.dtype(np.float32), (5,), 2)
    check(Case(op, [a, b], {"activation": "HardSwish"}))


#
# Casts and half precision
#


@pytest.mark.parametrize(("value", "target", "wanted"), [
    (1 + 2.0**-11 + 2.0**-40, np.float16, 1 + 2.0**-10),
    (1 + 2.0**-8 + 2.0**-40, BFLOAT16, 1 + 2.0**-7),
    (2**62 + 2**54 + 1, BFLOAT16, 2.0**62 + 2.0**55),
    (5e18, np.int64, 4999999990253223936),
])  # fmt: skip
def test_cast_rounds_once(value, target, wanted) -> None:
    """The nearest of the target, not of a type between."""
    source = np.float64 if isinstance(value, float) else np.int64
    source = np.float32 if target == np.int64 else source
    result = crt.cast(crt.tensor(np.array([value], source)), dtype_of(np.dtype(target))).numpy()
    assert result.astype(np.float64 if target != np.int64 else np.int64)[0] == wanted


@pytest.mark.parametrize("cpu", ["x86-64", "haswell"])
def test_half_precision_on_older_cpus(cpu: str) -> None:
    """Without conversions in hardware, and with them."""
    values = special_values(np.dtype(np.float16))
    graph = crt.trace(lambda inputs: crt.mul(inputs[0], inputs[0]), [crt.TensorSpec("x", crt.float16, values.shape)]).graph
    graph.finalize(target_cpu=cpu)
    with np.errstate(all="ignore"):
        wanted = (values.astype(np.float32) ** 2).astype(np.float16)
    op_cases.assert_exact(graph.run([values])[0].numpy(), wanted, cpu)


#
# Sizes known at run time
#


def dynamic_add() :
    specs = [crt.TensorSpec("a", crt.float32, ["n", 3]), crt.TensorSpec("b", crt.float32, ["m", 3])]
    graph = crt.trace(lambda inputs: crt.add(inputs[0], inputs[1]), specs).graph
    graph.finalize()
    return graph


@pytest.mark.parametrize(("n", "m"), [(4, 4), (4, 1), (1, 4), (1, 1), (0, 1), (1, 0), (0, 0)])
def test_broadcast_decided_at_run_time(n: int, m: int) -> None:
    a, b = random_values(np.dtype(np.float32), (n, 3)), random_values(np.dtype(np.float32), (m, 3), 2)
    (result,) = dynamic_add().run([a, b])
    assert np.array_equal(result.numpy(), a + b)


@pytest.mark.parametrize(("n", "m"), [(4, 2), (2, 4), (0, 2), (2, 0)])
def test_sizes_that_do_not_fit_at_run_time(n: int, m: int) -> None:
    with pytest.raises(crt.InvalidArgumentError, match="add.*do not broadcast in dimension 0"):
        dynamic_add().run([np.zeros((n, 3), np.float32), np.zeros((m, 3), np.float32)])


def test_two_dynamic_dimensions_of_one_operand() -> None:
    specs = [crt.TensorSpec("a", crt.float32, ["n", "m"]), crt.TensorSpec("b", crt.float32, [4, 5])]
    graph = crt.trace(lambda inputs: crt.mul(inputs[0], inputs[1]), specs).graph
    graph.finalize()
    b = random_values(np.dtype(np.float32), (4, 5))
    for shape in [(4, 5), (1, 5), (4, 1), (1, 1)]:
        a = random_values(np.dtype(np.float32), shape, 2)
        (result,) = graph.run([a, b])
        assert np.array_equal(result.numpy(), a * b)


#
# The harness itself
#


@pytest.mark.parametrize(("got", "wanted"), [
    (np.float32(0.0), np.float32(-0.0)), (np.float32(1.0), np.nextafter(np.float32(1), np.float32(2))),
    (np.float32(np.nan), np.float32(np.inf)), (np.float32(1.0), np.float64(1.0)), (np.zeros(2), np.zeros(1)),
    (np.int8(1), np.int8(2))])  # fmt: skip
def test_exact_sees_what_differs(got, wanted) -> None:
    with pytest.raises(AssertionError):
        op_cases.assert_exact(np.asarray(got), np.asarray(wanted), "value")


@pytest.mark.parametrize(("got", "exact"), [
    (1.0, 1.0 + 5 * 2.0**-23), (0.0, -0.0), (np.inf, 1e38), (np.nan, 1.0), (1.0, np.nan), (-np.inf, np.inf),
    (1e-45, 1.5e-44)])  # fmt: skip
def test_ulps_see_what_is_too_far(got, exact) -> None:
    with pytest.raises(AssertionError):
        op_cases.assert_close(np.array([got], np.float32), np.array([exact]), Ulps(4.0), np.zeros(1), "value")


@pytest.mark.parametrize(("got", "exact", "absolute"), [
    (1.0, 1.0 + 2.0**-20, 1.0), (0.0, 1e-3, 1e-3), (np.inf, 1.0, np.inf), (np.nan, 1.0, 1.0), (1.0, np.nan, np.nan),
    (np.inf, -np.inf, np.inf), (1.0, np.inf, np.inf)])  # fmt: skip
def test_sums_see_what_is_too_far(got, exact, absolute) -> None:
    with pytest.raises(AssertionError):
        op_cases.assert_sums(np.array([got], np.float32), np.array([exact]), Sums(5), np.array([absolute]), "value")
    op_cases.assert_sums(np.array([exact], np.float32), np.array([exact]), Sums(5), np.array([absolute]), "value")


def test_a_wrong_setting_is_seen() -> None:
    case = Case("add", [np.ones(3, np.float32), np.ones(3, np.float32)], {"alpha": 2.0})
    got = op_cases.computed_eagerly(Case("add", case.operands))
    with pytest.raises(AssertionError, match="add"):
        op_cases.judge(case, got)


#
# Refusals
#


@pytest.mark.parametrize(("compute", "message"), [
    (lambda x, i: crt.add(i, i, alpha=1.5), "alpha"),
    (lambda x, i: crt.mul(i, i, activation="Gelu"), "Gelu"),
    (lambda x, i: crt.clamp(i, 0.5), "min is 0.5, which does not fit a tensor of int32, which holds integers; give a whole number"),
    (lambda x, i: crt.celu(x, alpha=0.0), "alpha"),
    (lambda x, i: crt.softplus(x, beta=0.0), "beta"),
    (lambda x, i: crt.mul(x, i), "float32 and int32"),
    (lambda x, i: crt.exp(i), "exp"),
    (lambda x, i: crt.logical_not(x), "logical_not"),
    (lambda x, i: crt.where(x, x, x), "where"),
    (lambda x, i: crt.add(x, crt.tensor(np.zeros(3, np.float32))), "broadcast"),
])  # fmt: skip
def test_refusals(compute, message: str) -> None:
    x, i = crt.tensor(np.zeros(2, np.float32)), crt.tensor(np.zeros(2, np.int32))
    with pytest.raises(crt.InvalidArgumentError, match=message):
        compute(x, i)


#
# Cases from the field
#


def test_integer_division_is_exact() -> None:
    values = np.array([2**31 - 1, 2**40, 2**62], np.int64)
    assert crt.div(crt.tensor(values), 11).numpy().tolist() == [195225786, 99955602525, 419244183493398900]


def test_uint8_wraps() -> None:
    assert crt.mul(crt.tensor(np.array([22], np.uint8)), 21).numpy().tolist() == [206]


def test_zeros_nan_and_infinity() -> None:
    x = crt.tensor(np.array([np.nan, np.inf, -0.0], np.float32))
    zero = np.float32(0.0)
    for result, wanted in [(crt.mul(x, 0.0), [np.nan, np.nan, -zero]), (crt.add(x, 0.0), [np.nan, np.inf, zero]),
                           (crt.add(x, -0.0), [np.nan, np.inf, -zero]), (crt.sub(x, x), [np.nan, np.nan, zero])]:  # fmt: skip
        op_cases.assert_exact(result.numpy(), np.array(wanted, np.float32), "signs")


def test_sine_and_cosine_of_one_value_in_a_graph() -> None:
    """LLVM makes one call of both, in float64."""
    x = np.random.default_rng(3).normal(0, 1e3, 64)
    for dtype in (np.float64, np.float32):
        given = x.astype(dtype)
        graph = crt.trace(lambda i: [crt.sin(i[0]), crt.cos(i[0])], [crt.TensorSpec("x", crt.tensor(given).dtype, [64])]).graph
        graph.finalize()
        for got, op in zip(graph.run([given]), (crt.sin, crt.cos), strict=True):
            op_cases.assert_exact(got.numpy(), op(crt.tensor(given)).numpy(), "both at once")
