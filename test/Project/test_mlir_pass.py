"""A library with a pass of MLIR's kind, which lists of optimize() and clika-opt run by its name."""

import pytest
from conftest import ROOT, run

FOLDER = ROOT / "examples" / "cmake" / "mlir_pass"

PROGRAM = """
import ctypes, sys
import clika_runtime as crt
from clika_runtime.graph import Transform, transforms

try:
    Transform.from_pass_pipeline("drop-double-neg")
except crt.InvalidArgumentError as error:
    print("before:", "drop-double-neg" in str(error))
ctypes.CDLL(sys.argv[1])
graph = crt.trace(lambda t: crt.relu(crt.neg(crt.neg(t[0]))), [crt.TensorSpec("x", crt.float32, [2])]).graph
report = graph.optimize([Transform.from_pass_pipeline("drop-double-neg"), transforms.remove_unused()], check=True)
print([row.applications for row in report.transforms], [node.op_code.name for node in graph.nodes()])
print(graph.optimize([Transform.from_pass_pipeline("drop-double-neg")]).iterations)
"""

MODULE = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.neg %x : tensor<2xf32>
  %b = clika.neg %a : tensor<2xf32>
  return %b : tensor<2xf32>
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    build = tmp_path_factory.mktemp("mlir_pass")
    for command in (
        ["cmake", "-G", "Ninja", "-S", FOLDER, "-B", build, "-DCMAKE_CXX_COMPILER=g++",
         "-DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir"],
        ["ninja", "-C", build],
    ):  # fmt: skip
        done = run(command, timeout=900)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return build / "libdrop_double_neg.so"


def test_optimize_runs_it(library, python):
    done = run([python, "-c", PROGRAM, library])
    assert (done.returncode, done.stdout) == (0, "before: True\n[1, 1] ['Input', 'Relu']\n1\n"), done.stderr


def test_clika_opt_runs_it(library, prefix, tmp_path):
    (tmp_path / "negs.mlir").write_text(MODULE)
    passes = "--pass-pipeline=builtin.module(drop-double-neg,remove-unused)"
    done = run([prefix / "bin" / "clika-opt", f"--load-pass-plugin={library}", passes, "negs.mlir"], cwd=tmp_path)
    assert done.returncode == 0 and "clika.neg" not in done.stdout, done.stderr
