"""write_docs.py STUB.pyi DOCS.inc: the docstrings of a stub as entries of a C++ array, by name, ascending."""

import ast
import inspect
import pathlib
import sys
from collections.abc import Iterator


def docstrings(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry, after in zip(scope.body, [*scope.body[1:], None], strict=True):
        if isinstance(entry, (ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(entry)
            if text is not None:
                yield prefix + entry.name, text
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name):
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):  # the attribute's docstring
                yield prefix + entry.target.id, inspect.cleandoc(after.value.value)
        if isinstance(entry, ast.ClassDef):
            yield from docstrings(entry, f"{entry.name}.")


def literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "\n    ".join(f'"{line}"' for line in escaped.replace("\n", "\\n\n").split("\n"))


if __name__ == "__main__":
    stub, target = map(pathlib.Path, sys.argv[1:])
    entries = sorted(docstrings(ast.parse(stub.read_text())))
    target.write_text("".join(f'{{"{name}",\n    {literal(text)}}},\n' for name, text in entries))
