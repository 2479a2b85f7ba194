"""Numbers, NumPy scalars and lists where a tensor is taken: operands, inputs of a run, constants."""

import numpy as np
import pytest
from graphs import traced

import clika_runtime as crt
from clika_runtime.graph import ModelGraph

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def finalized(fn, *specs):
    graph = crt.trace(fn, [crt.TensorSpec(f"x{i}", dtype, shape) for i, (dtype, shape) in enumerate(specs)]).graph
    graph.finalize()
    return graph


def both(fn, *arrays):
    """The same eagerly and in a graph."""
    eager = fn(*map(crt.tensor, arrays))
    graph = finalized(lambda x: fn(*x), *((array.dtype, array.shape) for array in arrays))
    (compiled,) = graph.run(list(arrays))
    assert compiled.dtype == eager.dtype and np.array_equal(compiled.numpy(), eager.numpy(), equal_nan=True)
    return eager.numpy()


def test_an_input_of_rank_0_takes_scalars():
    graph = finalized(lambda x: x[0] * 2 + x[1], (crt.float32, []), (crt.float32, ["n"]))
    for three in (np.float32(3), 3, 3.0, np.array(3, np.float32), crt.tensor(3.0), True + 2):
        for inputs in ([three, X[0]], (three, X[0]), {"x1": X[0], "x0": three}):
            assert np.array_equal(graph.run(inputs)[0].numpy(), 6 + X[0])
        out = crt.empty([3], crt.float32)
        graph.run_into([three, X[0]], [out])
        assert np.array_equal(out.numpy(), 6 + X[0])
    # A NumPy scalar has a dtype, as an array has; a Python number has none.
    for wrong, message in [(np.float64(3), "float64"), (np.float16(3), "float16"), (np.int64(3), "int64"), (np.bool_(1), "bool"),
                           (1e39, "range of float32"), (-1e39, "range of float32"), ("3", "Tensor"), (None, "Tensor"),
                           (3j, "Tensor"), (np.complex64(3), "complex64"), (np.str_("3"), "no number"), ([3.0], r"\[1\]")]:
        for call in (lambda: graph.run([wrong, X[0]]), lambda: graph.run({"x0": wrong, "x1": X[0]})):
            with pytest.raises(crt.Error, match=f"^run: .*({message})"):
                call()
        with pytest.raises(crt.Error, match=f"^run_into: .*({message})"):
            graph.run_into([wrong, X[0]], [out])
    with pytest.raises(crt.InvalidArgumentError, match="^run: .* 'x1'"):
        graph.run([np.float32(3), np.float32(3)])


@pytest.mark.parametrize("dtype, takes, refuses", [
    (crt.int8, [3, 3.0, -128, np.int8(3)], [3.5, 128, -129, 2**70, float("nan"), np.int64(3)]),
    (crt.uint64, [2**64 - 1, np.uint64(7)], [-1, 2**64, 0.5]),
    (crt.bool_, [True, False, 1, 0.0, np.bool_(True)], [2, 0.5, np.int8(1)]),
    (crt.float16, [3, 65519.0, float("inf"), np.float16(2)], [65520.0, 10**6, np.float32(3)]),
    (crt.float64, [3, 0.1, 2**70, np.float64(0.1)], [np.float32(3)]),
])
def test_numbers_take_the_dtype_of_the_input_and_must_fit_it(dtype, takes, refuses):
    graph = finalized(lambda x: x[0].reshape([1]), (dtype, []))
    for number in takes:
        (result,) = graph.run([number])
        assert result.dtype == dtype and result.numpy()[0] == np.array(number).astype(str(dtype))
    for number in refuses:
        with pytest.raises(crt.InvalidArgumentError, match="^run: .*'x0'"):
            graph.run([number])


def test_bfloat16_takes_numbers():
    pytest.importorskip("ml_dtypes")
    graph = finalized(lambda x: crt.cast(x[0], crt.float32), (crt.bfloat16, ["n"]))
    assert np.array_equal(graph.run([[1, 2.5, float("inf"), 3.3e38]])[0].numpy(),
                          np.array([1, 2.5, np.inf, float.fromhex("0x1.f0p127")], np.float32))
    with pytest.raises(crt.InvalidArgumentError, match="^run: the input 'x0': .* range of bfloat16"):
        graph.run([[1, 3.4e38]])


def test_inputs_take_lists():
    graph = finalized(lambda x: crt.gather(x[0], x[1], 1), (crt.float32, [2, "n"]), (crt.int64, ["k"]))
    for table, picked in [([[0, 1, 2], [3, 4, 5]], [2, 0]), (((0.0, 1, 2), (3, 4, 5)), (2, 0)), (list(X), np.array([2, 0])), (X.tolist(), [2.0, -3])]:
        assert np.array_equal(graph.run([table, picked])[0].numpy(), X[:, [2, 0]])
        assert np.array_equal(graph.run({"x0": table, "x1": picked})[0].numpy(), X[:, [2, 0]])
    assert graph.run([X, []])[0].shape == (2, 0)
    for wrong, message in [([[0, 1], [2]], "rectangular"), ([["a"], ["b"]], "no number"), ([[X[0].astype("f8")]] * 2, "float64"),
                           ([[None], [None]], "no number")]:
        with pytest.raises(crt.InvalidArgumentError, match=f"^run: the input 'x0'.*{message}"):
            graph.run([wrong, [0]])
    with pytest.raises(crt.InvalidArgumentError, match="^run: the input 'x1': .* whole numbers"):
        graph.run([X, [0.5]])


def test_arrays_that_a_mapping_or_sequence_makes_when_asked_live_as_long_as_the_run():
    graph = finalized(lambda x: x[0] + x[1], (crt.float32, ["n"]), (crt.float32, ["n"]))
    n = 100_000

    class Lazy:
        def keys(self):
            return ["x0", "x1"]

        def items(self):
            return ((name, np.full(n, i + 1, np.float32)) for i, name in enumerate(self.keys()))

    class LazyList(list):
        def __iter__(self):
            return iter([np.full(n, 1, np.float32), np.full(n, 2, np.float32)])

    for inputs in (Lazy(), LazyList()):
        for _ in range(5):
            assert (graph.run(inputs)[0].numpy() == 3).all()


def test_operands_take_lists():
    assert np.array_equal(both(lambda x: crt.resize(x, scales=[1, 2.0], axes=[0, 1]), X), np.repeat(X, 2, 1))
    assert np.array_equal(both(lambda x: crt.gather(x, [2, 0], 1), X), X[:, [2, 0]])
    assert np.array_equal(both(lambda x: crt.gather(x, [[2], [0]], -1), X), X[:, [[2], [0]]])
    assert np.array_equal(both(lambda x: crt.add(x, [1, 2, 3]), X), X + [1, 2, 3])
    assert np.array_equal(both(lambda x: crt.sub([[1], [2]], x), X), np.float32([[1], [2]]) - X)
    assert np.array_equal(both(lambda x: crt.matmul(x, [[1.0], [0.5], [2]]), X), X @ np.float32([[1], [0.5], [2]]))
    assert np.array_equal(both(lambda x: crt.where([True, False, 1], x, (7, 8, 9)), X), np.where([1, 0, 1], X, [7, 8, 9]))
    assert np.array_equal(both(lambda x: crt.clamp(x, min=[1, 2, 3], max=4), X), np.clip(X, [1, 2, 3], 4))
    assert np.array_equal(both(lambda x: crt.concat([x, [[9, 8, 7]], X], 0), X), np.concatenate([X, [[9, 8, 7]], X]))
    assert np.array_equal(both(lambda q: crt.dequantize(q, [0.5, 2], [1, 2], axis=0), np.full((2, 1), 5, np.uint8)), [[2], [6]])
    assert np.array_equal(both(lambda x: crt.add(x, [2**63, 1]), np.zeros(2, np.uint64)), np.array([2**63, 1], np.uint64))


def test_numpy_scalars_are_tensors_where_no_tensor_is_beside_them():
    for call, expected in [(lambda: crt.relu(np.float32(-3)), np.float32(0)), (lambda: crt.neg(np.int8(-128)), np.int8(-128)),
                           (lambda: crt.add(np.float64(0.1), np.float64(0.2)), np.float64(0.1) + np.float64(0.2)),
                           (lambda: crt.add(2, np.float16(0.5)), np.float16(2.5)), (lambda: crt.logical_not(np.bool_(True)), np.bool_(False)),
                           (lambda: crt.add(np.uint64(2**64 - 1), np.uint64(2)), np.uint64(1)),
                           (lambda: crt.add([1, 2], np.float32(0.5)), np.float32([1.5, 2.5]))]:
        result = call().numpy()
        assert result.dtype == expected.dtype and np.array_equal(result, expected)
    # Beside a tensor they are numbers, which take its dtype.
    assert (crt.tensor(np.float16([1])) + np.float64(0.5)).dtype == crt.float16
    with pytest.raises(crt.InvalidArgumentError, match="^add: "):
        crt.add(np.float32(1), np.float64(2))
    with pytest.raises(crt.Error, match="^neg: x is a tensor or a number, not a complex64"):
        crt.neg(np.complex64(1))
    assert traced(lambda x: [x[0], crt.neg(np.float32(3))], [2]).outputs()[1].shape == ()


def test_lists_that_do_not_fit_are_refused():
    ints, x = crt.tensor([1, 2, 3]), crt.tensor(X)
    for call, message in [
        (lambda: crt.add(ints, [0.5, 1, 1]), "add: b: .* whole numbers"),
        (lambda: crt.add(crt.tensor(np.uint8([1, 2])), [1, 256]), "add: b: .*from 0 to 255"),
        (lambda: crt.add(crt.tensor(np.float16([1, 2])), [1, 1e6]), "add: b: .*range of float16"),
        (lambda: crt.logical_and(crt.tensor([True, False]), [2, 1]), "logical_and: b: .*bool"),
        (lambda: crt.gather(x, [0.5]), "gather: indices: .*whole numbers"),
        (lambda: crt.add(x, [[1], [2, 3]]), "add: b: .*rectangular"),
        (lambda: crt.add(x, ["a"]), "add: b: .*no number"),
        (lambda: crt.add(x, [1, 2]), "add: .*shape|add: .*broadcast"),
        (lambda: crt.add(x, [np.float64(1)]), "add: .*float64"),
        (lambda: crt.clamp(x, min=["a"]), "clamp: min.*: .*no number"),
        (lambda: crt.relu([1.0]), "relu: no operand is a tensor, so the list given as x has no dtype"),
        (lambda: crt.add([1.0], 2), "add: no operand is a tensor"),
        (lambda: crt.concat([[1.0], [2.0]]), "concat: no operand is a tensor"),
    ]:
        with pytest.raises(crt.InvalidArgumentError, match=f"^({message})"):
            call()
    refusals = []

    def model(inputs):
        with pytest.raises(crt.InvalidArgumentError, match="^add: b is a list of tensors of the trace") as caught:
            crt.add(x, [inputs[0], inputs[0]])
        refusals.append(caught)
        return inputs[0]

    traced(model, [])
    assert refusals


def test_constants_and_results_take_scalars():
    graph = ModelGraph()
    for data, dtype, shape in [(3.0, crt.float32, ()), (3, crt.int64, ()), (np.int8(3), crt.int8, ()), ([[1.5, 2]], crt.float32, (1, 2)),
                               ((True, False), crt.bool_, (2,)), (np.float64(1), crt.float64, ())]:
        constant = graph.add_constant(data)
        assert (constant.dtype, constant.shape) == (dtype, shape)
        assert np.array_equal(constant.constant().numpy(), np.asarray(data))
    for wrong in (None, "a", ["a"], [[1], [2, 3]], {}, 3j):
        with pytest.raises(crt.InvalidArgumentError, match="^add_constant: "):
            graph.add_constant(wrong)
    added = traced(lambda x: [x[0], np.float32(2)])
    added.finalize()
    assert added.run([X])[1].numpy() == 2


def test_a_check_takes_what_a_run_takes():
    graph = traced(lambda x: crt.relu(crt.relu(x[0])), [2])
    for check in ([[1, -2.0]], {"x0": [1, -2]}, (np.float32([1, -2]),), np.float32([1, -2])):
        graph.clone().optimize(check=check)
    for wrong, message in [([["a", "b"]], "'x0': .*no number"), ({"x0": [1]}, "x0"), ({}, "no input 'x0'"), (["a"], "check holds")]:
        with pytest.raises(crt.InvalidArgumentError, match=f"^optimize: .*{message}"):
            graph.optimize(check=wrong)


def test_a_numpy_scalar_keeps_its_dtype_where_no_tensor_decides_it():
    x, q = crt.tensor(np.array([-1.0, 3.0], np.float32)), crt.tensor(np.array([1, 2], np.int8))
    for dtype in (np.int8, np.uint8, np.int16, np.int32):
        made = crt.quantize(x, np.float32(1), dtype(2))
        assert made.dtype == crt.tensor(np.zeros(1, dtype)).dtype and made.tolist() == [1, 5]
    assert crt.quantize(x, np.float32(1), np.int8(-3)).tolist() == [-4, 0]
    for dtype in (np.float16, np.float32, np.float64):
        assert crt.dequantize(q, dtype(0.5)).numpy().dtype == dtype
    assert both(lambda t: crt.quantize(t, np.float32(1), np.int8(-3)), np.array([-1.0, 3.0], np.float32)).dtype == np.int8
    for number in (np.uint8(3), np.float16(0.5), np.float64(0.1), np.bool_(True), np.uint64(2**63)):
        full = crt.full([2], number).numpy()
        assert full.dtype == number.dtype and (full == number).all()
    assert crt.range(np.int8(1), np.int8(4)).numpy().dtype == np.int8
    assert crt.range(0, np.float64(1), 0.25).numpy().dtype == np.float64


def test_a_numpy_scalar_is_a_number_beside_a_tensor_that_decides():
    x = crt.tensor(X)
    for number in (np.float64(2), np.int64(2), np.int8(2), np.bool_(True), np.longdouble(2)):
        assert crt.mul(x, number).dtype == crt.float32 and (number * x).dtype == crt.float32
        assert crt.clamp(x, max=number).dtype == crt.float32 and crt.pad(x, [1, 0, 0, 0], value=number).dtype == crt.float32
    # An index is none of a zero point's or scale's kinds, and a dtype that the operand lacks says nothing.
    assert crt.quantize(x, np.float64(1), np.int64(3)).dtype == crt.uint8
    assert crt.gather(x, np.int8(1)).tolist() == X[1].tolist() and crt.gather(x, np.int32(1)).tolist() == X[1].tolist()
    assert crt.full([2], np.int8(3), dtype=crt.float32).dtype == crt.float32
    assert crt.range(np.int8(0), np.int64(3)).dtype == crt.int64
    assert crt.topk(x, np.int32(1))[0].shape == (2, 1)
