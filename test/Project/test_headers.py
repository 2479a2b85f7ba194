"""Every public header stands alone: plain g++, C++17, warnings as errors, only std and ClikaRT on the include path.
Everything they declare has a comment."""

import functools
import json
import pathlib
import re
import subprocess
from collections.abc import Callable, Iterator

import pytest
from conftest import ROOT, run

# Those written by hand, and those that the build makes.
INCLUDES = (ROOT / "include", ROOT / "build" / "include")
HEADERS = sorted(path.relative_to(include) for include in INCLUDES for path in (include / "ClikaRT").rglob("*.h"))


def test_generated_headers_are_among_them():
    assert {"ClikaRT/graph.h", "ClikaRT/ops.h", "ClikaRT/op_code.h"} <= {str(header) for header in HEADERS}


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_header_compiles_alone(header, prefix, tmp_path):
    source = tmp_path / "alone.cpp"
    source.write_text(f"#include <{header}>\n#include <{header}>\nint main() {{ return 0; }}\n")
    done = run(["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                "-I", prefix / "include", source])  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_header_names_nothing_of_mlir(header, prefix):
    text = (prefix / "include" / header).read_text()
    assert not re.search(r"\b(mlir|llvm)::|#include\s*[<\"](mlir|llvm)", text)


# What users read: everything that a public header declares has a comment, above it or behind it (`///<`). A class speaks
# for its constructors, operators and destructor.

RECORDS = ("CXXRecordDecl", "ClassTemplateDecl")
DECLARATIONS = (*RECORDS, "EnumDecl", "CXXMethodDecl", "FunctionDecl", "FunctionTemplateDecl", "FieldDecl", "VarDecl",
                "TypeAliasDecl")  # fmt: skip


def declarations(text: str, include: list[pathlib.Path]) -> Iterator[dict]:
    """The top-level namespaces ClikaRT of a program, as clang dumps them; every place has its file and line."""
    command = ["clang++-22", "-std=c++17", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang",
               "-ast-dump-filter=ClikaRT", *(f"-I{folder}" for folder in include), "-x", "c++", "-"]  # fmt: skip
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    last = {"file": "", "line": 0}

    def place(entry: dict) -> dict:  # a place leaves out what the one before it says
        if "offset" in entry:
            last.update({key: entry[key] for key in last if key in entry})
            entry.update(last)
        return entry

    decoder, rest = json.JSONDecoder(object_hook=place), done.stdout.strip()
    while rest:
        entry, end = decoder.raw_decode(rest)
        rest = rest[end:].lstrip()
        if entry["kind"] == "NamespaceDecl":
            yield entry


def has_comment(node: dict, lines: Callable[[str], list[str]]) -> bool:
    inner = node.get("inner", [])
    if any(entry["kind"] == "FullComment" for entry in inner):
        return True
    if node["kind"].endswith("TemplateDecl"):
        return any(has_comment(entry, lines) for entry in inner if entry["kind"] in DECLARATIONS)
    places = [node["loc"], *([] if node["kind"] in RECORDS else [node["range"]["end"]])]
    return any("///<" in lines(place["file"])[place["line"] - 1] for place in places if place.get("file"))


def uncommented(scope: dict, name: str, lines: Callable[[str], list[str]]) -> Iterator[str]:
    access = "private" if scope.get("tagUsed") == "class" else "public"
    for node in scope.get("inner", []):
        kind, own = node["kind"], node.get("name", "")
        access = node["access"] if kind == "AccessSpecDecl" else access
        if kind == "NamespaceDecl" and own != "detail":
            yield from uncommented(node, f"{name}::{own}", lines)
        constructor = any(entry["kind"] == "CXXConstructorDecl" for entry in node.get("inner", [])) and kind not in RECORDS
        forward = kind in ("CXXRecordDecl", "EnumDecl") and "inner" not in node
        unseen = node.get("isImplicit") or access == "private" or "parentDeclContextId" in node or forward or constructor
        if kind not in DECLARATIONS or unseen or own.startswith("operator"):
            continue
        if not has_comment(node, lines):
            yield f"{name}::{own}"
        if kind in RECORDS:
            record = next(entry for entry in [node, *node.get("inner", [])] if entry["kind"] == "CXXRecordDecl")
            yield from uncommented(record, f"{name}::{own}", lines)


def without_comment(text: str, include: list[pathlib.Path]) -> set[str]:
    """A declaration that stands several times needs one comment, overloads one each."""

    @functools.cache
    def lines(file: str) -> list[str]:
        return (text if file == "<stdin>" else pathlib.Path(file).read_text()).split("\n")

    return {name for scope in declarations(text, include) for name in uncommented(scope, scope["name"], lines)}


def test_every_public_declaration_has_a_comment(prefix):
    assert without_comment("#include <ClikaRT/clika_rt.h>\n", [prefix / "include"]) == set()


def test_a_missing_comment_is_found():
    text = """namespace ClikaRT {
/// A class.
class Counter {
public:
    Counter() = default;
    int size() const;
    int count() const;  ///< How many.
    /// A field.
    int step = 1;
    int limit = 2;
private:
    int hidden_ = 0;
};
struct Bare { int x; };
/// A function.
template <class T> T twice(T value);
template <class T> T thrice(T value);
enum class Kind { One };  ///< A kind.
using Number = int;
namespace detail { void own(); }
}
"""
    names = ("Counter::size", "Counter::limit", "Bare", "Bare::x", "thrice", "Number")
    assert without_comment(text, []) == {f"ClikaRT::{name}" for name in names}
