"""The package's types: the sources and stubs hold together, and typed programs are checked against them."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

import clika_runtime as crt

PACKAGE = pathlib.Path(crt.__file__).parent

GOOD = """
from collections.abc import Callable

import numpy as np

import clika_runtime as crt
from clika_runtime.graph import NodeKind, OpCode, Pattern, RewriteMatch, Transform, transforms


def model(inputs: list[crt.Tensor]) -> list[crt.Tensor]:
    x = inputs[0]
    return [crt.relu(crt.relu(x)) + crt.neg(x), 1.0 - x, x[0, ..., None], np.float32(3) * x]


@transforms.transform
def count(graph: crt.graph.ModelGraph) -> None:
    for node in graph.find_nodes(OpCode.Relu):
        producer = node.input(0).producer()
        if producer is not None and producer.kind == NodeKind.Input:
            graph.bypass_node(node)


@transforms.rule(Pattern([OpCode.Relu, OpCode.Relu]), condition=lambda match: len(match.outputs) == 1)
def one_relu(match: RewriteMatch, tensors: list[crt.Tensor]) -> crt.Tensor:
    return crt.relu(tensors[0])


graph = crt.trace(model, [crt.TensorSpec("x", crt.float32, [2, "n", None])], output_names=["y"]).graph
made: Transform = count
report = graph.optimize(graph.default_transforms() + [count, one_relu, transforms.remove_redundant_relu()])
names: list[tuple[str, int]] = [(row.transform.name, row.applications) for row in report.transforms]
graph.finalize(threads=1)
(y,) = graph.run({"x": np.zeros((2, 3, 4), np.float32)})
try:
    print(y.numpy().tolist(), y.item())
except crt.InvalidArgumentError as error:
    print(error.code_name, error.status)
"""

BAD = [
    ("crt.trace(1, [])", "arg-type"),
    ("crt.TensorSpec('x', crt.float32, [1.5])", "list-item"),
    ("crt.graph.transforms.no_such_transform()", "attr-defined"),
    ("crt.graph.OpCode.Rellu", "attr-defined"),
    ("crt.graph.ModelGraph().bypass_node('relu')", "arg-type"),
    ("crt.relu('x')", "arg-type"),
]


def mypy(*arguments: object) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy")
    env = {"MYPYPATH": str(PACKAGE.parent), "PATH": ""}
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", *arguments]
    return subprocess.run([str(part) for part in command], env=env, capture_output=True, text=True)


def test_package_is_typed(tmp_path):
    done = mypy(tmp_path / "cache", "--allow-untyped-calls", "-p", "clika_runtime")
    assert done.returncode == 0, done.stdout + done.stderr


def test_programs_are_checked(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text("import clika_runtime as crt\n" + "".join(line + "\n" for line, _ in BAD))
    good = mypy(tmp_path / "cache", tmp_path / "good.py")
    assert good.returncode == 0, good.stdout + good.stderr
    bad = mypy(tmp_path / "cache", tmp_path / "bad.py")
    found = dict(re.findall(r"bad\.py:(\d+): error: .*\[([a-z-]+)\]", bad.stdout))
    assert found == {str(i + 2): code for i, (_, code) in enumerate(BAD)}, bad.stdout


def test_every_runtime_transform_has_a_typed_function():
    stubbed = set(re.findall(r"^def (\w+)\(\) -> Transform", (PACKAGE / "graph" / "transforms.pyi").read_text(), re.M))
    assert stubbed == {made.name for made in crt.graph.transforms.runtime_transforms()}
    for name in stubbed:
        assert getattr(crt.graph.transforms, name)().name == name


def test_core_stub_names_what_is_there():
    """Every class and method of the stub exists, with nothing public left out."""
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    core = crt._core
    for entry in tree.body:
        if isinstance(entry, ast.FunctionDef):
            assert hasattr(core, entry.name), entry.name
        if isinstance(entry, ast.ClassDef):
            cls = getattr(core, entry.name)
            stubbed = {item.name for item in entry.body if isinstance(item, ast.FunctionDef)}
            stubbed |= {item.targets[0].id for item in entry.body if isinstance(item, ast.Assign)}
            stubbed |= {item.target.id for item in entry.body if isinstance(item, ast.AnnAssign)}
            public = {name for name in vars(cls) if not name.startswith("_")}
            assert public <= stubbed, f"{entry.name}: {public - stubbed}"
            missing = {name for name in stubbed - {"__buffer__"} if not hasattr(cls, name)}
            assert not missing, f"{entry.name}: {missing}"
    stubbed_names = {entry.name for entry in tree.body if isinstance(entry, (ast.FunctionDef, ast.ClassDef))}
    public_names = {name for name in vars(core) if not name.startswith("_")} - {"default_code_names"}
    assert public_names == stubbed_names
