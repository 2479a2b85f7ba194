"""emit_object: objects that C programs link, against run() of the same graph, bit for bit."""

import ctypes
import pathlib
import platform
import shutil
import subprocess
import threading

import numpy as np
import pytest

import clika_runtime as crt

# Beside the package, in a prefix as in a build folder.
LIBRARIES = pathlib.Path(crt.__file__).parents[2] / "lib"
RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "lib/StaticRuntime/clika_static.c"

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the CPUs named here are x86-64's")


def compiled(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


class Emitted:
    """An object, linked as a library of its own."""

    def __init__(self, graph, folder, name="model", **options):
        self.path = folder / f"{name}.o"
        graph.emit_object(self.path, **options)
        self.header = self.path.with_suffix(".h").read_text()
        library = folder / f"{name}.so"
        compiled(["cc", "-shared", "-o", library, self.path, f"-L{LIBRARIES}", "-lclika_static", "-lm", "-Wl,-z,defs"])
        library = ctypes.CDLL(str(library))
        self.call, self.said = getattr(library, name), getattr(library, f"{name}_error")
        self.said.restype = ctypes.c_char_p

    def __call__(self, inputs, outputs):
        arrays = [*inputs, *outputs]
        return self.call(*[ctypes.c_void_p(array.ctypes.data) for array in arrays])

    def error(self):
        return self.said().decode()


def graph_of(function, *inputs, names="abcdefg"):
    dtypes = {array.dtype: getattr(crt, array.dtype.name) for array in inputs}
    specs = [crt.TensorSpec(name, dtypes[array.dtype], list(array.shape)) for name, array in zip(names, inputs)]
    return crt.trace(lambda x: function(*x), specs).graph


def agree(graph, inputs, folder, shift=0, **options):
    """Runs both; the object's outputs start `shift` bytes past a multiple of 64."""
    emitted = Emitted(graph, folder, **options)
    copy = graph.clone()
    copy.finalize(precision=options.get("precision", "full"), target_cpu=options.get("target_cpu"))
    expected = [tensor.numpy() for tensor in copy.run(inputs)]
    for _ in range(2):
        outputs = []
        for array in expected:
            room = np.full(array.nbytes + 128, 0xA5, np.uint8)
            start = -room.ctypes.data % 64 + shift
            outputs.append(room[start : start + array.nbytes].view(array.dtype).reshape(array.shape))
        assert emitted(inputs, outputs) == 0, emitted.error()
        for output, array in zip(outputs, expected):
            assert output.tobytes() == array.tobytes()
    return emitted


def numbers(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def test_weights_lie_in_the_object(tmp_path):
    weight, bias = numbers(16, 3, 3, 3, seed=1), numbers(16, seed=2)
    dense = numbers(16, 10, seed=3)

    def function(x, scale):
        y = crt.relu(crt.conv(x, crt.tensor(weight), crt.tensor(bias), pads=[1, 1, 1, 1]))
        mean = crt.reduce_mean(y, axes=[2, 3], keepdims=False)
        return [crt.softmax(crt.matmul(mean, crt.tensor(dense)) * scale), y]

    inputs = [numbers(2, 3, 18, 22), numbers(10)]
    emitted = agree(graph_of(function, *inputs), inputs, tmp_path)
    assert emitted.path.stat().st_size > dense.nbytes + weight.nbytes
    assert emitted.path.with_suffix(".o").read_bytes().startswith(b"\x7fELF")
    for line in ("float32[2, 3, 18, 22]", "const float *a, const float *b, float *", "-lclika_static -lm"):
        assert line in emitted.header


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v2", "x86-64-v3"])
def test_other_cpus_compute_the_same(cpu, tmp_path):
    x, weight = numbers(37, 53), crt.tensor(numbers(53, 41, seed=1))
    agree(graph_of(lambda a: crt.tanh(crt.matmul(a, weight)), x), [x], tmp_path, target_cpu=cpu)


@pytest.mark.parametrize("shift", [0, 8, 61])
def test_outputs_lie_anywhere(shift, tmp_path):
    x = numbers(129)
    flags = np.arange(67) % 3 == 0
    agree(graph_of(lambda a, b: [crt.exp(a), crt.logical_not(b)], x, flags), [x, flags], tmp_path, shift=shift - shift % 4)


@pytest.mark.parametrize("dtype, c_type", [
    ("int8", "int8_t"), ("int16", "int16_t"), ("int32", "int32_t"), ("int64", "int64_t"), ("uint8", "uint8_t"),
    ("uint16", "uint16_t"), ("uint32", "uint32_t"), ("uint64", "uint64_t"), ("float16", "uint16_t"), ("float32", "float"),
    ("float64", "double"), ("bool", "bool"),
])  # fmt: skip
def test_every_dtype(dtype, c_type, tmp_path):
    x = (np.arange(77) % 5).astype(dtype)
    function = crt.logical_not if dtype == "bool" else lambda a: a * a + a
    emitted = agree(graph_of(function, x), [x], tmp_path)
    assert f"const {c_type} *a, {c_type} *" in emitted.header


def test_half_precision_without_the_instructions(tmp_path):
    x = numbers(5, 33, dtype=np.float16)
    agree(graph_of(lambda a: crt.matmul(crt.transpose(a, [1, 0]), a), x), [x], tmp_path, target_cpu="x86-64")


def test_branches_and_loops(tmp_path):
    def function(x, which, count):
        (chosen,) = crt.if_(which, lambda: [crt.concat([x, x], 0)], lambda: [crt.slice(x, [0], [1], axes=[0])])
        size = crt.reduce_sum(chosen, keepdims=False)
        (total,), (kept,) = crt.loop(4, None, [x], lambda i, t: (None, [t * 2 + size], [crt.reduce_max(t)]))
        return [total, kept]

    x = numbers(3, 4)
    for which in (True, False):
        inputs = [x, np.array(which), np.array(3)]
        agree(graph_of(function, *inputs), inputs, tmp_path, name=f"branch_{which}")


def test_a_check_that_fails_says_what(tmp_path):
    table = crt.tensor(numbers(5, 300))
    index = np.array([0, 4, 2])
    graph = graph_of(lambda a: crt.gather(table, a), index)
    emitted = agree(graph, [index], tmp_path)
    output = np.zeros((3, 300), np.float32)
    graph.finalize()
    with pytest.raises(crt.InvalidArgumentError) as raised:
        graph.run([np.array([0, 5, 2])])
    assert emitted([np.array([0, 5, 2])], [output]) != 0
    assert "out of range" in emitted.error() and emitted.error() in str(raised.value)
    assert emitted([index], [output]) == 0 and emitted.error() == ""


def test_a_null_pointer_is_refused_by_name(tmp_path):
    x = numbers(4)
    emitted = Emitted(graph_of(crt.relu, x), tmp_path)
    assert emitted.call(ctypes.c_void_p(0), ctypes.c_void_p(x.ctypes.data)) != 0
    assert emitted.error() == "model: the pointer 'a' is null"


def test_a_cpu_without_the_features_refuses(tmp_path):
    # No CPU of the last ten years has XOP.
    x = numbers(40)
    emitted = Emitted(graph_of(crt.relu, x), tmp_path, target_cpu="bdver4")
    output = np.full(40, 7, np.float32)
    assert emitted([x], [output]) != 0 and (output == 7).all()
    said = emitted.error()
    assert said.startswith("model: the code needs what this CPU lacks: ") and "xop" in said and "fma4" in said
    assert "xop" in emitted.header


def test_many_threads_and_two_objects(tmp_path):
    x = numbers(64, 64)
    first = Emitted(graph_of(lambda a: crt.matmul(a, a), x), tmp_path, "first")
    second = Emitted(graph_of(lambda a: crt.softmax(crt.matmul(a, a)), x), tmp_path, "second")
    expected = {}
    for emitted in (first, second):
        expected[emitted] = np.empty_like(x)
        assert emitted([x], [expected[emitted]]) == 0
    wrong = []

    def work(emitted):
        output = np.empty_like(x)
        for _ in range(200):
            if emitted([x], [output]) != 0 or output.tobytes() != expected[emitted].tobytes():
                wrong.append(emitted)

    threads = [threading.Thread(target=work, args=[emitted]) for emitted in (first, second) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    # Both in one library: nothing but their functions has a name outside.
    compiled(["cc", "-shared", "-o", tmp_path / "both.so", first.path, second.path, f"-L{LIBRARIES}", "-lclika_static",
              "-lm", "-Wl,-z,defs"])  # fmt: skip


PROGRAM = """
#include "net.h"
#include <stdio.h>
int main(void) {
  float x[6] = {1, -2, 3, -4, 5, -6}, relu[6];
  bool positive[6];
  if (net(x, relu, positive) != 0) {
    puts(net_error());
    return 1;
  }
  for (int i = 0; i != 6; ++i) printf("%g %d\\n", relu[i], positive[i]);
  return 0;
}
"""


def test_a_c_program_and_the_header_in_cpp(tmp_path):
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    graph = graph_of(lambda a: [crt.relu(a), a > 0], x, names=["int"])
    graph.emit_object(tmp_path / "net.o")
    assert "in the graph 'int'" in (tmp_path / "net.h").read_text()
    (tmp_path / "program.c").write_text(PROGRAM)
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    source = tmp_path / "program.c"
    compiled(["cc", "-std=c11", *strict, source, tmp_path / "net.o", f"-L{LIBRARIES}", "-lclika_static", "-lm", "-o",
              tmp_path / "program"])  # fmt: skip
    lines = compiled([tmp_path / "program"]).stdout.split("\n")
    assert lines[:-1] == ["1 1", "0 0", "3 1", "0 0", "5 1", "0 0"]
    compiled(["c++", "-std=c++17", *strict, "-x", "c++", "-fsyntax-only", source])
    # From the source of the runtime, as for another machine.
    compiled(["cc", "-std=c11", *strict, "-fsanitize=undefined", "-static", source, RUNTIME, tmp_path / "net.o", "-lm", "-o",
              tmp_path / "whole"])  # fmt: skip
    assert compiled([tmp_path / "whole"]).stdout.split("\n") == lines
    symbols = compiled(["nm", "-g", "--defined-only", tmp_path / "net.o"]).stdout
    assert sorted(line.split()[-1] for line in symbols.splitlines()) == ["net", "net_error"]


@pytest.mark.parametrize("options, said", [
    ({"path": "model.obj"}, "the path is 'model.obj'; give one that ends in '.o', beside which the header is put"),
    ({"name": "a b"}, "name is 'a b', which cannot be a C function's; give one such as 'a_b'"),
    ({"name": "int"}, "name is 'int', which cannot be a C function's; give one such as 'int_'"),
    ({"name": "clika_rt"}, "name is 'clika_rt', which cannot be a C function's; give one such as '_clika_rt'"),
    ({"name": "main"}, "name is 'main', which cannot be"),
    ({"precision": "low"}, "precision is 'low'; it takes 'full' or 'relaxed'"),
    ({"target_cpu": "i386"}, "target_cpu is 'i386', which is no 64-bit CPU that LLVM knows for x86_64"),
    ({"target_cpu": "help"}, "target_cpu is 'help', which is no 64-bit CPU"),
    ({"target_triple": "riscv64-linux-gnu"}, "target_triple is 'riscv64-linux-gnu'; objects are made for"),
    ({"target_triple": "x86_64-windows-msvc"}, "target_triple is 'x86_64-windows-msvc'; objects are made for"),
])  # fmt: skip
def test_options_are_refused(options, said, tmp_path):
    graph = graph_of(crt.relu, numbers(4))
    with pytest.raises(crt.InvalidArgumentError) as raised:
        graph.emit_object(**({"path": tmp_path / "model.o"} | options))
    assert str(raised.value).startswith("emit_object: " + said)
    assert not list(tmp_path.iterdir())


def test_dynamic_shapes_are_refused(tmp_path):
    graph = crt.trace(lambda x: crt.relu(x[0]), [crt.TensorSpec("x", crt.float32, [2, "batch"])]).graph
    with pytest.raises(crt.UnsupportedError, match=r"^emit_object: the input 'x' has the shape \[2, batch\], whose dimension 1 "
                       "is not fixed; an object has fixed shapes"):
        graph.emit_object(tmp_path / "model.o")
    graph = graph_of(lambda a: crt.non_zero(a), numbers(4))
    with pytest.raises(crt.UnsupportedError, match="^emit_object: the output '"):
        graph.emit_object(tmp_path / "model.o")


def test_files_that_cannot_be_written(tmp_path):
    graph = graph_of(crt.relu, numbers(4))
    with pytest.raises(crt.IoError, match="^emit_object: "):
        graph.emit_object(tmp_path / "none" / "model.o")


def test_finalized_graphs_and_empty_tensors(tmp_path):
    x = numbers(0, 4)
    graph = graph_of(lambda a: crt.concat([a, a], 1), x)
    graph.finalize()
    agree(graph, [x], tmp_path)


def test_relaxed_precision(tmp_path):
    x, weight = numbers(1, 16, 16, 16), crt.tensor(numbers(16, 16, 3, 3, seed=1))
    agree(graph_of(lambda a: crt.conv(a, weight, pads=[1, 1, 1, 1]), x), [x], tmp_path, precision="relaxed")


OLD_CPU_PROGRAM = """
#include "net.h"
#include <stdio.h>
int main(void) {
  static float a[48], y[48];
  if (net(a, y) == 0) return 0;
  puts(net_error());
  return 1;
}
"""


@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="Debian's qemu-user is not there")
def test_an_old_cpu_refuses_before_it_runs_anything_new(tmp_path):
    """What an object does ahead of its look at the CPU runs on the plainest of its kind: it stores many pointers there."""
    x = numbers(3, 16)
    weights = [crt.tensor(numbers(16, 16, seed=seed)) for seed in range(40)]

    def function(a):
        for weight in weights:
            a = crt.matmul(a, weight)
        return a

    graph_of(function, x, names=["a"]).emit_object(tmp_path / "net.o", target_cpu="x86-64-v4")
    (tmp_path / "program.c").write_text(OLD_CPU_PROGRAM)
    program = tmp_path / "program"
    compiled(["cc", "-static", tmp_path / "program.c", RUNTIME, tmp_path / "net.o", "-lm", "-o", program])
    done = subprocess.run(["qemu-x86_64", "-cpu", "Nehalem", program], capture_output=True, text=True)
    assert done.returncode == 1, done
    assert done.stdout.startswith("net: the code needs what this CPU lacks: ") and "avx512f" in done.stdout


#
# aarch64, under qemu
#

ARM_COMPILER, QEMU = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
needs_qemu = pytest.mark.skipif(not (ARM_COMPILER and QEMU), reason="Debian's gcc-aarch64-linux-gnu and qemu-user are not there")

ARM_PROGRAM = """
#include "model.h"
#include <stdio.h>
int main(void) {
  static %s;
  %s
  if (model(%s) != 0) {
    puts(model_error());
    return 1;
  }
  %s
  return 0;
}
"""


def on_arm(graph, inputs, outputs, folder, cpu="max", **options):
    """The outputs of the graph's object in a program of aarch64, and what it printed."""
    graph.emit_object(folder / "model.o", target_triple="aarch64-linux-gnu", **options)
    buffers = [(f"a{k}", array) for k, array in enumerate(inputs)] + [(f"r{k}", array) for k, array in enumerate(outputs)]
    rooms = ", ".join(f"_Alignas(64) char {name}[{array.nbytes}]" for name, array in buffers)
    rooms = rooms.replace(", _Alignas(64) char", "; static _Alignas(64) char")
    reads = " ".join(f"if (fread({name}, 1, sizeof {name}, stdin) != sizeof {name}) return 2;" for name, _ in buffers[: len(inputs)])
    writes = " ".join(f"fwrite({name}, 1, sizeof {name}, stdout);" for name, _ in buffers[len(inputs) :])
    call = ", ".join(f"(void *){name}" for name, _ in buffers)
    (folder / "program.c").write_text(ARM_PROGRAM % (rooms, reads, call, writes))
    compiled([ARM_COMPILER, "-static", "-O1", folder / "program.c", RUNTIME, folder / "model.o", "-lm", "-o", folder / "arm"])
    data = b"".join(array.tobytes() for array in inputs)
    done = subprocess.run([QEMU, "-cpu", cpu, folder / "arm"], input=data, capture_output=True)
    if done.returncode == 1:
        return done.stdout.decode()
    assert done.returncode == 0, done
    found, results = done.stdout, []
    for array in outputs:
        results.append(np.frombuffer(found[: array.nbytes], array.dtype).reshape(array.shape))
        found = found[array.nbytes :]
    return results


ARM_CASES = {
    "network": lambda x: [
        crt.softmax(
            crt.matmul(
                crt.reduce_mean(crt.relu(crt.conv(x, crt.tensor(numbers(16, 3, 3, 3, seed=1)), pads=[1, 1, 1, 1])), axes=[2, 3],
                                keepdims=False),
                crt.tensor(numbers(16, 10, seed=3)),
            )
        )
    ],
    "functions": lambda x: [crt.exp(x), crt.tanh(x), crt.erf(x), crt.sin(x), crt.sigmoid(x)],
    "halves": lambda x: [crt.cast(crt.cast(x, crt.float16) * 3.0, crt.float32), crt.cast(crt.cast(x, crt.bfloat16) * 3.0, crt.float32)],
    "loop": lambda x: [crt.loop(3, None, [x], lambda i, t: (None, [t * 2 + 1], []))[0][0], x > 0],
}  # fmt: skip


@needs_qemu
@pytest.mark.parametrize("case", ARM_CASES)
def test_aarch64_computes_the_same(case, tmp_path):
    """Bit for bit: each function is a polynomial of ours, each sum one order of fused multiply-adds."""
    x = numbers(2, 3, 9, 11)
    graph = graph_of(ARM_CASES[case], x)
    copy = graph.clone()
    copy.finalize()
    expected = [tensor.numpy() for tensor in copy.run([x])]
    for output, array in zip(on_arm(graph, [x], expected, tmp_path), expected, strict=True):
        assert output.tobytes() == array.tobytes()


@needs_qemu
@pytest.mark.parametrize("target_cpu", ["cortex-a53", "neoverse-v1"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_aarch64_products_of_bytes(dtype, target_cpu, tmp_path):
    """With an instruction for four of them, and without."""
    limits, rng = np.iinfo(dtype), np.random.default_rng(2)
    x, weight = rng.integers(limits.min, limits.max + 1, (5, 67)).astype(dtype), rng.integers(-128, 128, (67, 37)).astype(np.int8)
    graph = graph_of(lambda a: crt.matmul(crt.cast(a, crt.int32) - 3, crt.cast(crt.tensor(weight), crt.int32)), x)
    expected = ((x.astype(np.int64) - 3) @ weight.astype(np.int64)).astype(np.int32)
    (found,) = on_arm(graph, [x], [expected], tmp_path, cpu="max", target_cpu=target_cpu)
    np.testing.assert_array_equal(found, expected)


@needs_qemu
def test_an_aarch64_cpu_without_the_features_refuses(tmp_path):
    x = numbers(8)
    said = on_arm(graph_of(crt.relu, x), [x], [x], tmp_path, cpu="cortex-a53", target_cpu="neoverse-n1")
    assert said.startswith("model: the code needs what this CPU lacks: ") and "dotprod" in said
