"""A separate C++ project finds the installed package, compiles as C++17 with g++ and runs without LD_LIBRARY_PATH."""

import os

import pytest
from conftest import ROOT, run
from programs import Programs

PROGRAM = """#include <ClikaRT/clika_rt.h>
#include <cstdio>
int main() {
    const ClikaRT::spec::TensorSpec x{"x", ClikaRT::DataType::Float32, {2}};
    ClikaRT::graph::ModelGraph graph = ClikaRT::graph::trace(
        [](const std::vector<ClikaRT::Tensor>& in) { return std::vector<ClikaRT::Tensor>{ClikaRT::ops::neg(in[0])}; },
        {x}, "separate", {"y"});
    graph.finalize();
    const float data[] = {1.0F, -2.5F};
    const auto y = graph.run({ClikaRT::Tensor::from_data(data, {2}, ClikaRT::DataType::Float32)});
    const std::vector<float> out = y[0].item_as_vec<float>();
    std::printf("%g %g\\n", out[0], out[1]);
    try {
        graph.finalize();
    } catch (const ClikaRT::Error& error) {
        std::printf("%s\\n", error.code_name().c_str());
    }
}
"""


@pytest.fixture(scope="module")
def separate(prefix, tmp_path_factory) -> Programs:
    programs = Programs(tmp_path_factory.mktemp("separate project"), prefix)
    programs.add("separate", PROGRAM)
    programs.build()
    return programs


def test_separate_project_runs(separate):
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = run([separate.path("separate")], env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "-1 2.5\nFAILED_PRECONDITION\n", "")


def test_consumer_never_looks_for_mlir(separate):
    cache = (separate.folder / "build" / "CMakeCache.txt").read_text()
    assert "MLIR_DIR" not in cache and "LLVM_DIR" not in cache


def test_installed_headers_are_the_sources(prefix):
    for source in (ROOT / "include" / "ClikaRT").rglob("*.h"):
        installed = prefix / "include" / source.relative_to(ROOT / "include")
        assert installed.read_text() == source.read_text()


def test_version_is_checked(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES CXX)\nfind_package(ClikaRT 99 REQUIRED CONFIG)\n"
    )
    done = run(["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}"])
    assert done.returncode != 0 and "ClikaRT" in done.stderr


@pytest.mark.parametrize("tool", ["clika-opt", "clika-run", "clika-lsp-server"])
def test_installed_tool_starts(prefix, tool):
    done = run([prefix / "bin" / tool, "--help"])
    assert done.returncode == 0, done.stderr
