"""Builds C++ programs the way a user's own project does: find_package(ClikaRT), g++, C++17, nothing of MLIR."""

import os
import pathlib

from conftest import run

CMAKE_LISTS = """cmake_minimum_required(VERSION 3.20)
project(programs LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(ClikaRT REQUIRED CONFIG)
foreach(found MLIR_FOUND LLVM_FOUND)
  if(${found})
    message(FATAL_ERROR "find_package(ClikaRT) asked for ${found}")
  endif()
endforeach()
"""


class Programs:
    """One CMake project of many programs; each is looked up after the build, so that one that fails leaves the rest."""

    def __init__(self, folder: pathlib.Path, prefix: pathlib.Path):
        self.folder, self.prefix, self.lists, self.log = folder, prefix, CMAKE_LISTS, ""

    def add(self, name: str, source: pathlib.Path | str) -> None:
        if isinstance(source, str):
            path = self.folder / f"{name}.cpp"
            path.write_text(source)
        else:
            path = source
        self.lists += f'add_executable({name} "{path}")\ntarget_link_libraries({name} PRIVATE ClikaRT::ClikaRT)\n'

    def build(self) -> None:
        (self.folder / "CMakeLists.txt").write_text(self.lists)
        for command in (
            ["cmake", "-G", "Ninja", "-S", self.folder, "-B", self.folder / "build", "-DCMAKE_CXX_COMPILER=g++",
             "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
            ["ninja", "-C", self.folder / "build", "-k0", f"-j{len(os.sched_getaffinity(0))}"],
        ):  # fmt: skip
            done = run(command, timeout=900)
            if done.returncode != 0:
                self.log += done.stdout[-20000:] + done.stderr[-4000:]

    def path(self, name: str) -> pathlib.Path:
        program = self.folder / "build" / name
        assert program.exists(), f"{name} does not build\n{self.log}"
        return program
