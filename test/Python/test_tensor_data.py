"""Tensors from Python data and back: every NumPy layout, DLPack, buffers, bfloat16."""

import copy
import gc
import sys

import numpy as np
import pytest

import clika_runtime as crt

NUMPY_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
               "float64"]


def layouts() -> dict[str, np.ndarray]:
    plain = np.arange(6).reshape(2, 3)
    read_only = plain.copy()
    read_only.flags.writeable = False
    packed = np.zeros(3, [("flag", "u1"), ("number", "<i8")])
    packed["number"] = [1, 2, 3]
    return {
        "transposed": plain.T,
        "reversed": plain[::-1, ::-1],
        "stepped": np.arange(24).reshape(4, 6)[::2, 1::3],
        "fortran": np.asfortranarray(plain),
        "byte-swapped": plain.astype(">i8"),
        "byte-swapped float": plain.astype(">f4"),
        "byte-swapped half": plain.astype(">f2"),
        "rank 0": np.array(7),
        "read-only": read_only,
        "broadcast": np.broadcast_to(np.arange(3), (2, 3)),
        "unaligned": packed["number"],
        "zero-size": np.zeros((2, 0, 3)),
        "int32 transposed": plain.astype(np.int32).T,
        "subclass": plain.view(type("Named", (np.ndarray,), {})),
    }


@pytest.mark.parametrize("name", layouts())
def test_every_layout_is_copied_right(name):
    array = layouts()[name]
    tensor = crt.tensor(array)
    assert tensor.shape == array.shape
    assert str(tensor.dtype) == array.dtype.name
    assert np.array_equal(tensor.numpy(), array)
    assert tensor.numpy().flags.c_contiguous


@pytest.mark.parametrize("name", NUMPY_TYPES)
def test_every_type_round_trips(name):
    array = np.array([[0, 1, 2], [3, 1, 0]]).astype(name)
    tensor = crt.tensor(array)
    assert tensor.dtype == getattr(crt, name + "_" if name == "bool" else name)
    assert tensor.dtype.itemsize == array.itemsize
    assert tensor.dtype.numpy() == array.dtype
    for back in (tensor.numpy(), np.asarray(tensor), np.asarray(memoryview(tensor)), np.from_dlpack(tensor),
                 crt.from_dlpack(array).numpy(), np.array(tensor.tolist(), name)):
        assert back.dtype == array.dtype and np.array_equal(back, array)


def test_tensor_copies_its_source():
    array = np.zeros(3, np.float32)
    tensor = crt.tensor(array)
    array[0] = 9
    assert tensor.numpy()[0] == 0


def test_numpy_shares_memory_and_keeps_it_alive():
    tensor = crt.tensor(np.arange(1000))
    first, second = tensor.numpy(), tensor.numpy()
    assert np.shares_memory(first, second)
    assert not first.flags.writeable
    with pytest.raises(ValueError):
        first[0] = 1
    del tensor, second
    gc.collect()
    assert first.sum() == 499500


def test_python_numbers_have_default_types():
    assert crt.tensor(1).dtype == crt.int64
    assert crt.tensor(1.5).dtype == crt.float32
    assert crt.tensor(True).dtype == crt.bool_
    assert crt.tensor([[1.0, 2.0]]).dtype == crt.float32
    assert crt.tensor([True, False]).dtype == crt.bool_
    assert crt.tensor(np.float64(1.5)).dtype == crt.float64
    assert crt.tensor([np.float64(1.5)]).dtype == crt.float64
    assert crt.tensor([2**63]).dtype == crt.uint64


def test_dtype_is_taken_in_several_spellings():
    for spelled in (crt.float16, "float16", np.float16, np.dtype("float16")):
        assert crt.tensor([1, 2], dtype=spelled).dtype == crt.float16
    for wrong in ("float", 3, None.__class__, "f99", object, complex):
        with pytest.raises(crt.InvalidArgumentError, match="^tensor: .* names no element type"):
            crt.tensor([1], dtype=wrong)


@pytest.mark.parametrize("data, dtype", [([300], "uint8"), ([-1], "uint64"), ([1.5], "int32"), ([np.nan], "int8"),
                                         ([2.0**63], "int64"), ([np.inf], "uint8"), ([2**40], "int32")])
def test_values_must_fit_the_type(data, dtype):
    with pytest.raises(crt.InvalidArgumentError, match=f"^tensor: the data holds values that {dtype} does not"):
        crt.tensor(data, dtype=dtype)


def test_values_that_fit_are_taken():
    assert crt.tensor([255.0], "uint8").item() == 255
    assert crt.tensor([-2.0**63], "int64").item() == -2**63
    assert crt.tensor([0, 2, -1], "bool").tolist() == [False, True, True]
    assert crt.tensor([1e300], "float32").item() == np.inf


@pytest.mark.parametrize("data", ["text", [1j], None, [object()], [[1], [2, 3]], 2**70, {"a": 1}, np.array(["x"]),
                                  np.zeros(2, "M8[s]"), np.zeros(2, [("a", "i4")]), np.longdouble(1)])
def test_what_is_no_number_is_refused(data):
    with pytest.raises(crt.Error, match="^tensor: "):
        crt.tensor(data)


def test_a_masked_array_is_refused():
    with pytest.raises(crt.InvalidArgumentError, match="masked"):
        crt.tensor(np.ma.array([1, 2], mask=[0, 1]))


def test_a_tensor_is_itself():
    tensor = crt.tensor([1, 2])
    assert crt.tensor(tensor) is tensor
    assert crt.from_dlpack(tensor).tolist() == [1, 2]
    with pytest.raises(crt.InvalidArgumentError, match="cast"):
        crt.tensor(tensor, crt.float32)


def test_item_and_conversions():
    assert crt.tensor([[2.5]]).item() == 2.5
    assert float(crt.tensor(3)) == 3.0 and int(crt.tensor(2.9)) == 2
    assert type(crt.tensor(True).item()) is bool and type(crt.tensor(1).item()) is int
    assert crt.tensor([2**63]).item() == 2**63
    assert bool(crt.tensor(0.0)) is False and bool(crt.tensor(np.nan)) is True
    assert "abc"[crt.tensor(1)] == "b"
    assert len(crt.tensor([1, 2, 3])) == 3
    with pytest.raises(TypeError):
        "abc"[crt.tensor(1.0)]
    with pytest.raises(TypeError):
        len(crt.tensor(1))
    for call, name in ((bool, "bool"), (float, "float"), (int, "int"), (crt.Tensor.item, "item")):
        with pytest.raises(crt.InvalidArgumentError, match=f"^{name}: the tensor \\[2\\] has 2 elements"):
            call(crt.tensor([1, 2]))


def test_reshape_shares():
    tensor = crt.tensor(np.arange(6))
    for shaped in (tensor.reshape(2, 3), tensor.reshape([2, -1]), tensor.reshape((-1, 3))):
        assert shaped.shape == (2, 3)
        assert np.shares_memory(shaped.numpy(), tensor.numpy())
    assert tensor.reshape(-1).shape == (6,)
    for wrong in ((4,), ("a",), (-1, -1), ([2.0, 3.0],), (2**70,), ()):
        with pytest.raises(crt.InvalidArgumentError, match="^reshape: "):
            tensor.reshape(*wrong)


def test_from_dlpack_shares_and_keeps_alive():
    array = np.arange(6, dtype=np.float32)
    before = sys.getrefcount(array)
    tensor = crt.from_dlpack(array)
    array[0] = 42
    assert tensor.numpy()[0] == 42
    assert sys.getrefcount(array) > before
    view = tensor.numpy()
    del tensor
    gc.collect()
    assert view[0] == 42
    del view
    gc.collect()
    assert sys.getrefcount(array) == before


def test_from_dlpack_copies_what_is_strided():
    array = np.arange(6).reshape(2, 3)
    assert np.array_equal(crt.from_dlpack(array.T).numpy(), array.T)
    assert np.array_equal(crt.from_dlpack(array[::-1, ::2]).numpy(), array[::-1, ::2])
    assert crt.from_dlpack(np.zeros((0, 3))).shape == (0, 3)
    assert crt.from_dlpack(np.array(5.0)).item() == 5.0


def test_from_dlpack_refuses():
    with pytest.raises(crt.InvalidArgumentError, match="^from_dlpack: .*no __dlpack__"):
        crt.from_dlpack([1, 2])
    with pytest.raises(crt.InvalidArgumentError, match="^from_dlpack: the element type"):
        crt.from_dlpack(np.zeros(2, np.complex64))

    class Elsewhere:
        def __dlpack__(self, **_):
            raise AssertionError("not to be asked")

        def __dlpack_device__(self):
            return 2, 0

    with pytest.raises(crt.UnsupportedError, match="device"):
        crt.from_dlpack(Elsewhere())

    class Broken:
        def __dlpack__(self, **_):
            return 7

    with pytest.raises(crt.InvalidArgumentError, match="no DLPack capsule"):
        crt.from_dlpack(Broken())


def test_a_capsule_is_taken_once():
    capsule = crt.tensor([1, 2]).__dlpack__(max_version=(1, 0))

    class Holder:
        def __dlpack__(self, **_):
            return capsule

    assert crt.from_dlpack(Holder()).tolist() == [1, 2]
    with pytest.raises(crt.InvalidArgumentError, match="unused"):
        crt.from_dlpack(Holder())


def test_dlpack_export():
    tensor = crt.tensor([1, 2])
    assert tensor.__dlpack_device__() == (1, 0)
    assert not np.from_dlpack(tensor).flags.writeable
    assert not np.shares_memory(np.from_dlpack(tensor, copy=True), tensor.numpy())
    tensor.__dlpack__()  # a capsule nobody takes is freed
    with pytest.raises(BufferError):
        tensor.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        tensor.__dlpack__(dl_device=(2, 0))


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.array([1.0, -2.5, 3.3, 1e30, np.inf], np.float32)
    expected = values.astype(ml_dtypes.bfloat16)
    tensor = crt.tensor(values, dtype=crt.bfloat16)
    assert tensor.numpy().dtype == ml_dtypes.bfloat16
    assert np.array_equal(tensor.numpy(), expected)
    assert crt.tensor(expected).dtype == crt.bfloat16
    assert np.array_equal(crt.tensor(expected[::-1]).numpy(), expected[::-1])
    assert tensor.tolist() == expected.astype(np.float32).tolist()
    assert "3.29" in repr(tensor)
    assert crt.from_dlpack(tensor).dtype == crt.bfloat16
    assert np.asarray(tensor).dtype == ml_dtypes.bfloat16
    with pytest.raises(BufferError):
        memoryview(tensor)


def test_bfloat16_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    tensor = crt.tensor([1.5], dtype=crt.bfloat16)
    assert tensor.item() == 1.5 and tensor.tolist() == [1.5] and "1.5" in repr(tensor)
    with pytest.raises(crt.UnsupportedError, match="^numpy: .*ml_dtypes"):
        tensor.numpy()


def test_float16_conversions_match_numpy():
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.standard_normal(1000), rng.standard_normal(1000) * 1e-6, [65519.99, 65520.0, 1e9]])
    with np.errstate(over="ignore"):
        assert np.array_equal(crt.tensor(values, "float16").numpy(), values.astype(np.float16))


def test_prints_and_copies():
    assert repr(crt.tensor([[1.0, 2.0]])) == "tensor([[1., 2.]], dtype=float32)"
    assert repr(crt.tensor(3)) == "tensor(3, dtype=int64)"
    assert repr(crt.float32) == "<DataType.Float32: 11>" and str(crt.float32) == "float32"
    tensor = crt.tensor([1])
    assert copy.copy(tensor).tolist() == copy.deepcopy(tensor).tolist() == [1]


def test_device():
    device = crt.tensor([1]).device
    assert device == crt.Device("cpu") == "cpu" and str(device) == "cpu" and device.kind == "cpu"
    assert device != crt.Device("cpu", 1) and len({device, crt.Device()}) == 1


def test_spec():
    spec = crt.TensorSpec("x", crt.float32, [2, "batch", None, -1])
    assert (spec.name, spec.dtype, spec.shape) == ("x", crt.float32, (2, "batch", None, None))
    assert repr(spec) == "TensorSpec(x: float32[2, batch, ?, ?])"
    assert spec == crt.TensorSpec("x", np.float32, (2, "batch", -1, -1))
    for shape in ([1.5], "ab", 3, [-2], [""], [2**70], [[1]]):
        with pytest.raises(crt.InvalidArgumentError, match="^(TensorSpec|Dim): "):
            crt.TensorSpec("x", crt.float32, shape)
