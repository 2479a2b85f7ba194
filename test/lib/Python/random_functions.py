"""Moves random parts of a graph into private functions, in its text: what it computes stays."""

from __future__ import annotations

import random
import re

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, Value

ELEMENTS = {"bool": "i1", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
TOKEN = re.compile(r"%[\w$.-]+(?:#\d+)?")
DEFINED = re.compile(r"^\s*(%[\w$.-]+)(?::\d+)? = |^\s*\^bb0\((.*)\):$", re.M)


def type_text(value: Value) -> str:
    name = value.dtype.name.lower()
    element = ELEMENTS.get(name) or name.replace("uint", "ui").replace("int", "i")
    sizes = ["?" if size is None else str(size) for size in value.shape]
    plain = "".join(size + "x" if size.isdigit() else "?x" for size in sizes)
    dims = f", #clika.dims<{', '.join(sizes)}>" if any(not s.isdigit() and s != "?" for s in sizes) else ""
    return f"tensor<{plain}{element}{dims}>"


def types_of(graph: ModelGraph, function: str) -> dict[str, str]:
    """The types of the function's values by how the text calls them; "main" is the graph's."""
    inputs = graph.inputs() if function == "main" else graph.function_inputs(function)
    nodes = graph.nodes()[len(inputs) :] if function == "main" else graph.function_nodes(function)
    types = {f"%arg{i}": type_text(value) for i, value in enumerate(inputs)}
    for node in nodes:
        for i, value in enumerate(node.outputs):
            types[f"%{node.name}" + (f"#{i}" if len(node.outputs) > 1 else "")] = type_text(value)
        for value in [*node.inputs, *node.captures()]:
            if value.is_constant():
                types[f"%{value.name}"] = type_text(value)
    return types


def statements(lines: list[str]) -> list[list[str]]:
    """The operations of a body, each with the lines of its regions."""
    found: list[list[str]] = []
    for line in lines:
        if found and (line.startswith("     ") or line.startswith("    }") or line.startswith("    ^")):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def defined(text: str) -> set[str]:
    names: set[str] = set()
    for result, arguments in DEFINED.findall(text):
        names |= {result} if result else set(TOKEN.findall(arguments))
    return names


def replaced(text: str, names: dict[str, str]) -> str:
    return TOKEN.sub(lambda token: names.get(token[0], token[0]), text)


def outlined(graph: ModelGraph, rng: random.Random, name: str) -> ModelGraph | None:
    """A graph of which some operations in a row are a function now; None where its types do not tell every size."""
    lines = graph.to_mlir().split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("  func.func ")]
    start = rng.choice(starts)
    end = lines.index("  }", start)
    function = re.search(r"@(\w+)", lines[start])[1]
    *body, last = statements(lines[start + 1 : end])
    if not body:
        return None
    first = rng.randrange(len(body))
    count = rng.randint(1, min(8, len(body) - first))
    window = "\n".join(line for part in body[first : first + count] for line in part)
    after = "\n".join(line for part in [*body[first + count :], last] for line in part)
    types, inside = types_of(graph, function), defined(window)
    base = lambda token: token.partition("#")[0]  # noqa: E731
    reads = list(dict.fromkeys(t for t in TOKEN.findall(window) if base(t) not in inside))
    results = list(dict.fromkeys(t for t in TOKEN.findall(after) if base(t) in inside))
    if not results or any(t not in types for t in [*reads, *results]):
        return None
    taken = ", ".join(f"%p{i}: {types[t]}" for i, t in enumerate(reads))
    given, returned = ", ".join(types[t] for t in reads), ", ".join(types[t] for t in results)
    made = [f"  func.func private @{name}({taken}) -> ({returned}) {{",
            replaced(window, {t: f"%p{i}" for i, t in enumerate(reads)}),
            f"    return {', '.join(results)} : {returned}", "  }"]  # fmt: skip
    many = len(results) > 1
    call = f"    %{name}_called{f':{len(results)}' if many else ''} = clika.call @{name}({', '.join(reads)}) : ({given}) -> ({returned})"
    after = replaced(after, {t: f"%{name}_called" + (f"#{i}" if many else "") for i, t in enumerate(results)})
    before = [line for part in body[:first] for line in part]
    text = "\n".join([*lines[:start], *made, lines[start], *before, call, after, *lines[end:]])
    try:
        return ModelGraph.from_mlir(text)
    except crt.InvalidArgumentError as error:
        if "and the function takes" not in str(error):
            raise AssertionError(f"{error}\n{text}") from error
        return None


def outline(graph: ModelGraph, rng: random.Random, count: int) -> ModelGraph | None:
    """The same some times, functions within functions included; None where none was made."""
    made = None
    for i in range(count):
        made = outlined(made or graph, rng, f"part_{i}") or made
    return made
