"""If, Loop and Scan against ONNX Runtime: captured values, nested graphs, sizes that change, what is refused."""

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx_models import assert_same, read, run_here, run_ort

import clika_runtime as crt

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)


def model(text: str, opset: int = 21) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}]> agraph {text}')


def check(text: str, inputs: dict, tmp_path, opset: int = 21) -> None:
    made = model(text, opset)
    expected = run_ort(made, inputs)
    actual = run_here(made, inputs, tmp_path)
    assert len(actual) == len(expected)
    for mine, theirs in zip(actual, expected, strict=True):
        assert_same(mine, theirs, rtol=0, atol=0)


@pytest.mark.parametrize("shape", ["2, 3", "N, M"])
@pytest.mark.parametrize("holds", [True, False])
def test_if_reads_what_is_around_it(holds, shape, tmp_path):
    check(
        f"""(bool c, float[{shape}] x) => (float[A, B] y) <float[1] two = {{2}}> {{
        z = Add(x, two)
        y = If(c) <
            then_branch = t () => (float[A, B] a) {{ a = Mul(z, two) }},
            else_branch = e () => (float[A, B] b) <float[1] three = {{3}}> {{ w = Mul(x, three) b = Concat<axis = 0>(w, z) }}
        >
    }}""",
        {"c": np.array(holds), "x": X},
        tmp_path,
    )


def test_ifs_may_be_nested_as_deep_as_protobuf_reads_them(tmp_path):
    """31 levels, with the sizes in the types of the innermost values, are all that protobuf reads: 100 messages, one in another."""
    body = "q = Neg(x)"
    for depth in range(30, -1, -1):
        body = f"""q = If(c) <then_branch = t{depth} () => (float[2, 3] q) {{ {body} }},
                               else_branch = e{depth} () => (float[2, 3] p) {{ p = Abs(x) }}>"""
    for holds in (True, False):
        check(f"(bool c, float[2, 3] x) => (float[2, 3] q) {{ {body} }}", {"c": np.array(holds), "x": X}, tmp_path)


@pytest.mark.parametrize("n", [-1, 1, 5])
def test_nested_ifs(n, tmp_path):
    check(
        """(int64 n, float[2, 3] x) => (float[2, 3] y) <int64 zero = {0}, int64 three = {3}> {
        c = Greater(n, zero)
        y = If(c) <
            then_branch = t () => (float[2, 3] a) {
                d = Greater(n, three)
                f = Abs(x)
                a = If(d) <
                    then_branch = tt () => (float[2, 3] p) { p = Add(f, x) },
                    else_branch = te () => (float[2, 3] q) { q = Neg(f) }
                >
            },
            else_branch = e () => (float[2, 3] b) { b = Identity(x) }
        >
    }""",
        {"n": np.array(n), "x": X},
        tmp_path,
    )


def test_an_if_of_a_constant_is_the_branch_it_takes(tmp_path):
    text = """(float[1, 3] x) => (float[3] y) <bool c = {1}> {
        y = If(c) <
            then_branch = t () => (float[3] a) { a = Squeeze(x) },
            else_branch = e () => (float[1, 3] b) { b = Identity(x) }
        >
    }"""
    check(text, {"x": X[:1]}, tmp_path)
    assert not read(model(text), tmp_path).find_nodes(crt.graph.OpCode.If)


def test_outputs_of_other_ranks_are_refused(tmp_path):
    with pytest.raises(crt.UnsupportedError, match="node 'y' .*If.*rank or dtype depends on the condition|If.*rank or dtype"):
        read(model("""(bool c, float[1, 3] x) => (float[N] y) {
            y = If(c) <
                then_branch = t () => (float[3] a) { a = Squeeze(x) },
                else_branch = e () => (float[1, 3] b) { b = Identity(x) }
            >
        }"""), tmp_path)  # fmt: skip


BODY = """body = b (int64 i, bool c, float[2, 3] a) => (bool d, float[2, 3] p, float[2, 3] s, int64 k) {
    p = Add(a, x)
    s = Mul(a, x)
    k = Identity(i)
    %s
}"""
ASKS = "total = ReduceSum<keepdims = 0>(p) d = Less(total, limit)"


@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize(("first", "next_one"), [("", "d = Identity(c)"), ("begin", "d = Identity(c)"), ("begin", ASKS), ("", ASKS)])
def test_loops(trips, first, next_one, tmp_path):
    check(
        f"""(int64 n, bool begin, float limit, float[2, 3] x) => (float[2, 3] y, float[N, 2, 3] z, int64[N] k) {{
        y, z, k = Loop(n, {first or '""'}, x) <{BODY % next_one}>
    }}""".replace('""', ""),
        {"n": np.array(trips), "begin": np.array(True), "limit": np.array(-7.5, np.float32), "x": X},
        tmp_path,
    )


@pytest.mark.parametrize("begin", [True, False])
def test_a_while_loop(begin, tmp_path):
    check(
        """(bool begin, float limit, float[2, 3] x) => (float[2, 3] y, float[N] z) {
        y, z = Loop(, begin, x) <body = b (int64 i, bool c, float[2, 3] a) => (bool d, float[2, 3] p, float s) {
            p = Add(a, a)
            s = ReduceMax<keepdims = 0>(p)
            d = Less(s, limit)
        }>
    }""",
        {"begin": np.array(begin), "limit": np.array(100, np.float32), "x": X},
        tmp_path,
    )


@pytest.mark.parametrize("trips", [0, 3])
def test_carried_values_that_grow(trips, tmp_path):
    check(
        """(int64 n, float[N, 3] x) => (float[M, 3] y) <int64[1] one = {1}> {
        y = Loop(n, , x) <body = b (int64 i, bool c, float[K, 3] a) => (bool d, float[L, 3] p) {
            d = Identity(c)
            p = Concat<axis = 0>(a, x)
        }>
    }""",
        {"n": np.array(trips), "x": X},
        tmp_path,
    )


def test_a_loop_in_a_loop_in_an_if(tmp_path):
    check(
        """(bool go, int64 n, float[2, 3] x) => (float[2, 3] y) <int64 one = {1}> {
        y = If(go) <
            then_branch = t () => (float[2, 3] r) {
                r = Loop(n, , x) <body = outer (int64 i, bool c, float[2, 3] a) => (bool d, float[2, 3] p) {
                    d = Identity(c)
                    m = Add(i, one)
                    p = Loop(m, , a) <body = inner (int64 j, bool e, float[2, 3] q) => (bool f, float[2, 3] s) {
                        f = Identity(e)
                        h = Cast<to = 1>(j)
                        g = Add(q, h)
                        s = Add(g, x)
                    }>
                }>
            },
            else_branch = e () => (float[2, 3] z) { z = Neg(x) }
        >
    }""",
        {"go": np.array(True), "n": np.array(3), "x": X},
        tmp_path,
    )


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scans(axis, direction, tmp_path):
    size = 3 if axis == 0 else 2
    check(
        f"""(float[2, 3] x, float[{size}] s) => (float[{size}] y, float[A, B] z) {{
        y, z = Scan <num_scan_inputs = 1, scan_input_axes = [{axis}], scan_input_directions = [{direction}],
                     scan_output_axes = [{axis}], scan_output_directions = [{1 - direction}],
            body = b (float[{size}] a, float[{size}] row) => (float[{size}] p, float[{size}] q) {{
                p = Add(a, row)
                q = Mul(p, row)
            }}
        > (s, x)
    }}""",
        {"x": X, "s": np.arange(size, dtype=np.float32)},
        tmp_path,
    )


def test_what_is_not_covered_inside_is_named(tmp_path):
    text = """(bool c, float[2] x) => (float[2] y) {
        y = If(c) <
            then_branch = t () => (float[2] a) { a = Bernoulli(x) },
            else_branch = e () => (float[2] b) { b = Identity(x) }
        >
    }"""
    with pytest.raises(crt.UnsupportedError, match="not covered: .*Bernoulli"):
        read(model(text), tmp_path)
    graph = read(model(text), tmp_path, allow_unknown=True)
    assert graph.find_nodes(crt.graph.OpCode.Opaque)
