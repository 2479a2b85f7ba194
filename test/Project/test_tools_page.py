"""The commands of docs/tools.md, run on the files that it speaks of."""

import shlex

import numpy as np
import onnx
import pytest
from conftest import ROOT, run
from onnx import TensorProto, helper
from snippets import blocks

PAGE = blocks(ROOT / "docs" / "tools.md")
COMMANDS = [line.split(" #")[0] for block in PAGE if block.language == "sh" for line in block.text.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("tools")
    (module,) = [block.text for block in PAGE if block.language == "mlir"]
    (path / "relus.mlir").write_text(module)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path / "model.onnx")
    np.save(path / "x.npy", np.ones((2, 3), np.float32))
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command, folder, prefix):
    tool, *arguments = shlex.split(command)
    done = run([prefix / "bin" / tool, *arguments], cwd=folder)
    assert done.returncode == 0, done.stderr


def test_what_the_page_says_of_them(folder, prefix):
    opt, model_run = prefix / "bin" / "clika-opt", prefix / "bin" / "clika-run"
    both = run([opt, "--remove-redundant-relu", "--remove-double-neg", "relus.mlir"], cwd=folder)
    (printed,) = [block.text for block in PAGE if block.language == "text"]
    assert both.stdout.strip() == printed.strip()
    run([model_run, "--input", "x=x.npy", "--outputs", "results", "model.onnx"], cwd=folder)
    assert (folder / "results" / "y.npy").exists()
    assert "input  x: float32[8, 3]" in run([model_run, "--dim", "batch=8", "model.onnx"], cwd=folder).stdout
