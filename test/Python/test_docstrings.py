"""Everything public has a docstring of its own, which names the arguments that there are and no others."""

import ast
import dataclasses
import enum
import functools
import inspect
import pathlib
import re
import types
from collections.abc import Iterator
from typing import Any

import pytest

import clika_runtime as crt

MODULES = [crt, crt.graph, crt.graph.transforms, crt.ops, crt._core]


def public_names(module: types.ModuleType) -> list[str]:
    return list(getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]))


def documented_by_its_class(member: Any) -> bool:
    """A value, such as an enumerator or Device.any, or what every class has."""
    return not (callable(member) or isinstance(member, (property, staticmethod, classmethod, types.MemberDescriptorType)))


def members(name: str, cls: type) -> Iterator[tuple[str, Any]]:
    for key, member in vars(cls).items():
        constructor = key == "__init__" and not dataclasses.is_dataclass(cls)
        if (constructor or not key.startswith("_")) and not documented_by_its_class(member):
            yield f"{name}.{key}", getattr(cls, key)


def walk(modules: list[types.ModuleType]) -> Iterator[tuple[str, Any]]:
    for module in modules:
        yield module.__name__, module
        for key in public_names(module):
            thing, name = getattr(module, key), f"{module.__name__}.{key}"
            if isinstance(thing, type):
                yield name, thing
                yield from members(name, thing)
            elif callable(thing):
                yield name, thing


def own_docstring(thing: Any) -> str:
    """What was written for it."""
    text = thing.__doc__ or ""
    if isinstance(thing, types.MemberDescriptorType):  # __slots__ as a dict of docstrings
        return str(dict(thing.__objclass__.__slots__)[thing.__name__])
    if isinstance(thing, type):
        inherited = any(text == (base.__doc__ or "") for base in thing.__mro__[1:])
        generated = text.startswith(f"{thing.__name__}(")  # a dataclass's
        return "" if inherited or generated else text
    return text


def undocumented(modules: list[types.ModuleType]) -> list[str]:
    return [name for name, thing in walk(modules) if not own_docstring(thing)]


def test_everything_public_has_a_docstring():
    assert undocumented(MODULES) == []


def test_a_missing_docstring_is_found():
    def documented() -> None:
        """It does nothing."""

    class Plain:
        """A class."""

        @property
        def size(self) -> int:
            return 0

        def grow(self) -> None: ...

    class Child(Plain):
        pass

    module = types.ModuleType("planted", "A module.")
    module.__dict__.update(documented=documented, Plain=Plain, Child=Child, bare=lambda: None)
    assert undocumented([module]) == ["planted.Plain.size", "planted.Plain.grow", "planted.Child", "planted.bare"]


def arguments_section(text: str) -> list[str]:
    section = re.search(r"^( *)Args:\n((?:\1    .*\n?|\n)+)", inspect.cleandoc(text) + "\n", re.M)
    return re.findall(r"^    (\w+): ", section[2], re.M) if section else []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_docstrings_name_the_arguments_there_are(module):
    wrong = []
    for name, thing in walk([module]):
        if isinstance(thing, type) or not callable(thing) or "makes these" in (thing.__doc__ or ""):
            continue
        named = arguments_section(thing.__doc__ or "")
        taken = [parameter for parameter in inspect.signature(thing).parameters if parameter != "self"]
        if named and named != taken:
            wrong.append(f"{name}: {named} are described, and it takes {taken}")
    assert wrong == []


def stub_docstrings(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, str | None]]:
    for entry in scope.body:
        if isinstance(entry, (ast.ClassDef, ast.FunctionDef)) and (entry.name == "__init__" or not entry.name.startswith("_")):
            yield prefix + entry.name, ast.get_docstring(entry)
        if isinstance(entry, ast.ClassDef):
            yield from stub_docstrings(entry, f"{entry.name}.")


@pytest.mark.parametrize("module", [crt._core, crt.graph.transforms], ids=lambda module: module.__name__)
def test_stubs_carry_the_docstrings(module):
    path = pathlib.Path(crt.__file__).parent.joinpath(*module.__name__.split(".")[1:]).with_suffix(".pyi")
    for name, text in stub_docstrings(ast.parse(path.read_text())):
        assert text, name
        if module is crt._core or name in {made.name for made in crt.graph.transforms.runtime_transforms()}:
            assert text == inspect.getdoc(functools.reduce(getattr, name.split("."), module)), name


def annotated(cls: type) -> list[str]:
    return [name for name in vars(cls).get("__annotations__", {}) if not name.startswith("_")]


def test_class_docstrings_name_the_attributes():
    for name, thing in walk(MODULES):
        if isinstance(thing, type) and not issubclass(thing, enum.Enum):
            missing = [key for key in annotated(thing) if key not in vars(thing) and f"`{key}`" not in thing.__doc__]
            assert missing == [], name


def test_help_shows_signatures_and_texts():
    """Of each kind of thing one, as pydoc shows it."""
    import pydoc

    def shown(thing: Any) -> str:
        return pydoc.render_doc(thing, renderer=pydoc.plaintext)

    graph = shown(crt.graph.ModelGraph)
    assert "optimize(self, transforms=None, *, max_iterations=None," in graph
    assert "A budget of passes over the list, 0 or more" in graph
    assert "The device that transforms are chosen for" in graph
    assert "object at 0x" not in graph
    assert "Bytes of one element." in shown(crt.DataType.itemsize)
    assert "A second graph of equal nodes" in shown(crt.graph.ModelGraph.clone)
    package = shown(crt)
    assert "Query, edit" not in package and "query, edit, rewrite and compile tensor graphs" in package
