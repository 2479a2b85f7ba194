"""from_mlir and sizes at the door: what no graph can be is refused with a message, not met later."""

import numpy as np
import pytest

import clika_runtime as crt
from clika_runtime.graph import ModelGraph


def main(arguments, result, body, extra=""):
    return f"module @g {{ func.func @main({arguments}) -> ({result}) {{ {body} }} }}{extra}"


def refused(text, *parts):
    with pytest.raises(crt.InvalidArgumentError, match="^from_mlir: ") as error:
        ModelGraph.from_mlir(text)
    for part in parts:
        assert part in str(error.value)


def test_the_name_of_a_file_is_no_text():
    refused("models/net.mlir", "'models/net.mlir', which looks like the name of a file; give what the file holds")


def test_sizes_beyond_memory():
    for shape in ([2**62, 2**62], [2**31, 2**31, 4], [2**48], [0, 2**62], ["n", 2**48]):
        with pytest.raises(crt.InvalidArgumentError, match="^add_input: .*'x'.* more elements than memory can hold"):
            ModelGraph("g").add_input(crt.TensorSpec("x", crt.float32, shape))
        with pytest.raises(crt.InvalidArgumentError, match="more elements than memory can hold"):
            crt.trace(lambda x: crt.relu(x[0]), [crt.TensorSpec("x", crt.float32, shape)])
    graph = ModelGraph("g")
    x = graph.add_input(crt.TensorSpec("x", crt.float32, [2**46]))
    functions = [
        lambda t: crt.concat([t[0]] * 3, 0),
        lambda t: crt.tile(t[0], [2**62]),
        lambda t: crt.reshape(t[0], [2**46, 1]) + t[0],
    ]
    for fn in functions:
        with pytest.raises(crt.InvalidArgumentError, match="more elements than memory can hold"):
            graph.insert(fn, [x])
    assert len(graph.nodes()) == 1
    huge = "tensor<4611686018427387904xf32>"
    refused(main(f"%x: {huge}", huge, f"return %x : {huge}"), "more elements than memory can hold")
    refused(main("", huge, f"%c = clika.constant dense<1.0> : {huge} return %c : {huge}"), "more elements than memory")
    sum_ = "tensor<9223372036854775807xf32>"
    body = f"%0 = clika.concat %x, %x {{axis = 0 : i64}} : ({huge}, {huge}) -> {sum_} return %0 : {sum_}"
    refused(main(f"%x: {huge}", sum_, body))


def test_deep_nesting():
    for text in ("module {" * 20000, "#a = " + "[" * 50000, "#clika.dims<" + "(" * 20000, "tuple<" * 30000):
        refused(text, "nested more than 256 deep")
    # Brackets of comments and strings are none.
    text = '\n"builtin.module"() ({ func.func @main() { return } }) {test.note = "' + "[" * 1000 + '"} : () -> ()'
    assert ModelGraph.from_mlir("// " + "(" * 1000 + text).nodes() == []


def aliases(kind, count, wrapped):
    """`count` aliases, each the one before it in brackets, and a module that has the last."""
    lines = [f"{kind}a{i + 1} = " + wrapped.replace("ALIAS", f"{kind}a{i}") for i in range(count)]
    return "\n".join(lines) + f"\nmodule attributes {{test.a = {kind}a{count}}} {{ func.func @main() {{ return }} }}"


ALIASES = {
    "attributes": "#a0 = 1\n" + aliases("#", 20000, "[ALIAS]"),
    "attributes on one line": "#a0 = 1 " + aliases("#", 20000, "[ALIAS]").replace("\n", " "),
    "attributes over lines": "#a0 = 1\n" + aliases("#", 20000, "// text\n  [\n\"s\",\nALIAS]"),
    "types": "!a0 = i32\n" + aliases("!", 20000, "tuple\n<ALIAS>"),
    "function types": "!a0 = i32\n" + aliases("!", 20000, "() ->\n ALIAS"),
    "types of attributes": "!a0 = i32\n#a0 = 1\n" + "\n".join(
        f"!a{i + 1} = tensor<1xi32, #a{i}>\n#a{i + 1} = dense<1> : // text\n !a{i + 1}" for i in range(20000)),
    "locations": '#a0 = loc("s")\n' + aliases("#", 20000, 'loc("t"(ALIAS))'),
}


@pytest.mark.parametrize("text", ALIASES.values(), ids=ALIASES)
def test_deep_aliases(text):
    refused(text, "brackets and aliases are nested more than 256 deep")


def test_aliases_that_fill_the_memory():
    refused("#a0 = 1\n" + aliases("#", 60, "[ALIAS, ALIAS]"), "line 24: the alias #a23 has more than 16777216 parts")


def test_aliases_that_are_not_deep():
    assert ModelGraph.from_mlir("#a0 = 1\n" + aliases("#", 100, "[ALIAS]")).nodes() == []
    many = "".join(f"#b{i} = [#a0, #a0]\n" for i in range(30000))
    assert ModelGraph.from_mlir(f"#a0 = [1]\n{many}" + aliases("#", 1, "[#b7, #b9]")).nodes() == []


@pytest.mark.parametrize("expression", ["d0" + " + d0" * 100000, "-" * 50000 + "d0", "(" + "d0 * s0\n + " * 20000 + "d0)",
                                        "d0" + " mod 2" * 20000, "(d0 +\n" * 200 + ("d0 - (" + "d0 -" * 100) * 40,
                                        "(d0) + " * 20000 + "d0"])
def test_long_affine_maps(expression):
    text = f"module attributes {{test.a = affine_map<(d0)[s0] -> ({expression})>}} {{ func.func @main() {{ return }} }}"
    refused(text, "an expression has more than 1000 operators")
    fits = ", ".join(["d0" + " + s0" * 900] * 20)
    text = f"module attributes {{test.a = affine_map<(d0)[s0] -> ({fits})>}} {{ func.func @main() {{ return }} }}"
    assert ModelGraph.from_mlir(text).nodes() == []


def test_lists_of_negative_numbers_are_no_expressions():
    rows = ", ".join(["-1"] * 5000)
    text = main("", "tensor<5000xi64>", f"%c = clika.constant dense<[{rows}]> : tensor<5000xi64> return %c : tensor<5000xi64>")
    assert ModelGraph.from_mlir(text).outputs()[0].shape == (5000,)


def test_bytecode():
    with pytest.raises(crt.InvalidArgumentError, match="^from_mlir: "):
        ModelGraph.from_mlir("ML\u00efR")


def test_expressions_of_sizes():
    def of(dims):
        return main(f"%x: tensor<?xf32, #clika.dims<{dims}>>", f"tensor<?xf32, #clika.dims<{dims}>>",
                    f"return %x : tensor<?xf32, #clika.dims<{dims}>>")
    refused(of("b * 9223372036854775807 * 2"), "too large")
    refused(of("b" + " + c" * 5000), "operators")
    refused(of("b floordiv 0"), "divisor")
    nested = "((b + 3) floordiv 2 + 5) floordiv 2"
    assert ModelGraph.from_mlir(of(nested)).inputs()[0].shape == (nested,)


def test_names_are_given_once_and_are_text():
    two = 'tensor<2xf32> {clika.name = "x"}'
    refused(main(f"%a: {two}, %b: {two}", "tensor<2xf32>", "return %a : tensor<2xf32>"), "two inputs are named 'x'")
    refused(main("%a: tensor<2xf32> {clika.name = 5}", "tensor<2xf32>", "return %a : tensor<2xf32>"), "clika.name")
    refused(main("%a: tensor<2xf32>", f"{two}, {two}", "return %a, %a : tensor<2xf32>, tensor<2xf32>"), "two outputs")
    unnamed = ModelGraph.from_mlir(main("%a: tensor<2xf32>", "tensor<2xf32>", "return %a : tensor<2xf32>"))
    assert (unnamed.input_names(), unnamed.output_names()) == (["input_0"], ["output_0"])


def test_resources():
    body = "%c = clika.constant dense_resource<w> : tensor<2xf32> return %c : tensor<2xf32>"
    refused(main("", "tensor<2xf32>", body), "'w'", "missing")
    data = np.array([1.5, -2.0], np.float32).tobytes().hex()
    given = '{-# dialect_resources: { builtin: { w: "0x04000000%s" } } #-}'
    graph = ModelGraph.from_mlir(main("", "tensor<2xf32>", body, given % data))
    assert graph.outputs()[0].constant().numpy().tolist() == [1.5, -2.0]
    graph.finalize()
    assert graph.run([])[0].numpy().tolist() == [1.5, -2.0]
    refused(main("", "tensor<2xf32>", body, given % data[:8]), "'w'")


def test_names_of_sizes_are_shown_as_given():
    names = ["é", '"q"', "a b", "日本", "n\\m"]
    graph = crt.trace(lambda x: crt.relu(x[0]), [crt.TensorSpec("x", crt.float32, names)]).graph
    assert graph.outputs()[0].shape == tuple(names)
    read = ModelGraph.from_mlir(graph.to_mlir())
    assert read.inputs()[0].shape == tuple(names)
    flat = crt.trace(lambda x: crt.reshape(x[0], [-1]), [crt.TensorSpec("x", crt.float32, ["é", 2])]).graph
    assert "é" in str(flat.outputs()[0].shape[0])
