"""attention and rotary_embedding: what the tables of numbers do not say, and what is refused."""

import numpy as np
import pytest
from agreement import random

import clika_runtime as crt
from clika_runtime.graph import OpCode, transforms

INFINITE = np.float32(np.inf)


def tensors(*shapes):
    return [crt.tensor(random(shape)) for shape in shapes]


def test_a_query_without_keys_weighs_no_value():
    """Whether a mask of floats, of bools or causality leaves it none; without a mask it is softmax's NaN."""
    q, k, v = tensors((1, 2, 3, 4), (1, 2, 2, 4), (1, 2, 2, 5))
    kept = np.array([[True, False], [False, False], [True, True]])
    for mask in (kept, np.where(kept, np.float32(0), -INFINITE)):
        result = crt.attention(q, k, v, crt.tensor(mask)).numpy()
        assert not result[:, :, 1].any() and result[:, :, [0, 2]].all()
    result = crt.attention(q, k, v, causal="LowerRight").numpy()
    assert not result[:, :, 0].any() and result[:, :, 1:].all()
    low = crt.tensor(np.full((1, 2, 3, 4), -INFINITE))
    assert np.isnan(crt.attention(low, crt.tensor(np.ones((1, 2, 2, 4), np.float32)), v).numpy()).all()


def test_the_sequence_may_be_longer_than_any_mask_that_is_stored():
    """Causality takes no memory of its own, and the last query sees each key."""
    q, k, v = tensors((1, 1, 1, 8), (1, 1, 1000, 8), (1, 1, 1000, 8))
    np.testing.assert_array_equal(crt.attention(q, k, v, causal="LowerRight").numpy(), crt.attention(q, k, v).numpy())


def in_parts(q, k, v, mask, rows):
    """The same of a few queries at a time, whose scores are computed whole."""
    starts = range(0, q.shape[2], rows)
    parts = [crt.attention(*map(crt.tensor, (q[:, :, at : at + rows], k, v, mask[..., at : at + rows, :]))) for at in starts]
    return np.concatenate([part.numpy() for part in parts], axis=2)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(1024, 1000), (523, 1100)])
@pytest.mark.parametrize("causal", ["Off", "UpperLeft", "LowerRight"])
def test_scores_that_are_never_whole_give_the_same_bits(dtype, dynamic, queries, keys, causal):
    """However many queries are taken at a time, with blocks of one size and with a last one that is smaller."""
    q, k, v = (random(shape).astype(dtype) for shape in ((2, 4, queries, 8), (2, 2, keys, 8), (2, 2, keys, 4)))
    kept = random((queries, keys)) > -0.5
    ahead = {"Off": keys, "UpperLeft": 0, "LowerRight": keys - queries}[causal]
    seen = kept & (np.arange(keys) <= np.arange(queries)[:, None] + ahead)
    shapes = [("b", "h", "s", "d"), ("b", "g", "t", "d"), ("b", "g", "t", "e"), ("s", "t")] if dynamic else [q.shape, k.shape, v.shape, kept.shape]
    specs = [crt.TensorSpec(name, crt.bool_ if name == "m" else crt.tensor(q[:0]).dtype, list(shape)) for name, shape in zip("qkvm", shapes)]
    graph = crt.trace(lambda inputs: [crt.attention(*inputs, causal=causal)], specs).graph
    graph.finalize()
    np.testing.assert_array_equal(graph.run([q, k, v, kept])[0].numpy(), in_parts(q, k, v, seen, 16))


def test_sizes_that_a_run_tells_are_checked():
    specs = [crt.TensorSpec(name, crt.float32, list(shape)) for name, shape in
             (("q", ("b", "h", "s", "d")), ("k", ("c", "g", "t", "e")), ("v", ("u", "i", "w", "f")), ("m", ("x", "y")))]  # fmt: skip
    graph = crt.trace(lambda inputs: [crt.attention(*inputs)], specs).graph
    graph.finalize()
    q, k, v, m = random((2, 4, 3, 8)), random((2, 2, 5, 8)), random((2, 2, 5, 6)), random((3, 5))
    expected = crt.attention(*map(crt.tensor, (q, k, v, m))).numpy()
    np.testing.assert_array_equal(graph.run([q, k, v, m])[0].numpy(), expected)
    assert graph.run([q, k, v, m[:1]])[0].shape == (2, 4, 3, 6)
    for wrong, message in (
        ([q, k[:1], v, m], "q and k differ in batches"),
        ([q, k, v[:, :1], m], "k and v differ in heads"),
        ([q, k[..., :4], v, m], "q and k differ in the size of a head"),
        ([q, k, v[:, :, :4], m], "k and v differ in the number of keys"),
        ([q[:, :3], k, v, m], "q's heads do not divide among those of k"),
        ([q, k, v, m[:, :4]], r"mask does not broadcast to \[batch, heads, queries, keys\]"),
    ):
        with pytest.raises(crt.Error, match=f"attention.*: {message}"):
            graph.run(wrong)


def test_sizes_of_a_rotation_are_checked():
    specs = [crt.TensorSpec(name, crt.float32, list(shape)) for name, shape in
             (("x", ("b", "h", "s", "d")), ("c", ("n", "t", "p")), ("n", ("m", "u", "q")))]  # fmt: skip
    graph = crt.trace(lambda inputs: [crt.rotary_embedding(*inputs)], specs).graph
    graph.finalize()
    x, c, s = random((2, 3, 5, 8)), random((2, 5, 4)), random((1, 5, 4))
    expected = crt.rotary_embedding(*map(crt.tensor, (x, c, s))).numpy()
    np.testing.assert_array_equal(graph.run([x, c, s])[0].numpy(), expected)
    with pytest.raises(crt.Error, match="rotary_embedding.*: cos and sin do not have an angle for each pair"):
        graph.run([x, c[..., :3], s])
    # Not even where x has one of what cos has two of.
    for wrong in ([x[:1], c, s], [x, c[:, :4], s]):
        with pytest.raises(crt.Error, match="rotary_embedding.*: cos, sin or positions do not broadcast to x's batch and sequence"):
            graph.run(wrong)
    far = crt.tensor(np.array([[0, 9, 0, 0, 0]]))
    with pytest.raises(crt.InvalidArgumentError, match="rotary_embedding: an index is out of range"):
        crt.rotary_embedding(crt.tensor(x), *tensors((9, 4), (9, 4)), far)


def test_a_mask_that_leaves_no_key_is_found_by_the_approximate_transform_alone():
    def body(inputs):
        q, k, m = inputs
        scores = crt.add(crt.matmul(q, k, transpose_b=True), m)
        return [crt.matmul(crt.softmax(scores), k)]

    specs = [crt.TensorSpec(n, crt.float32, shape) for n, shape in (("q", [1, 2, 3, 4]), ("k", [1, 2, 3, 4]), ("m", [3, 3]))]
    graph = crt.trace(body, specs).graph
    q, k = random((1, 2, 3, 4)), random((1, 2, 3, 4))
    mask = np.where(np.eye(3, dtype=bool) | np.tri(3, dtype=bool), np.float32(0), -INFINITE)
    mask[1] = -INFINITE
    assert not any(row.applications for row in graph.clone().optimize().transforms)
    changed = graph.clone()
    assert changed.optimize([transforms.decomposed_masked_attention()]).transforms[0].applications == 1
    results = []
    for each in (graph, changed):
        each.finalize()
        results.append(each.run([q, k, mask])[0].numpy())
    before, after = results
    assert np.isnan(before[:, :, 1]).all() and not after[:, :, 1].any()
    np.testing.assert_array_equal(before[:, :, [0, 2]], after[:, :, [0, 2]])


def test_a_block_as_models_write_it_becomes_two_rotations_and_one_attention():
    heads, size = 2, 4

    def rotated(x, cos, sin):
        first, second = crt.split(x, num=2, axis=-1)
        return crt.add(crt.mul(x, cos), crt.mul(crt.concat([crt.neg(second), first], -1), sin))

    def body(inputs):
        x, places = inputs
        angles = crt.mul(crt.unsqueeze(places, [-1]), crt.tensor(np.array([1.0, 0.1], np.float32)))
        both = crt.unsqueeze(crt.concat([angles, angles], -1), [1])
        q, k, v = (crt.transpose(crt.reshape(crt.mul(x, s), [0, 0, heads, size]), [0, 2, 1, 3]) for s in (0.9, 0.7, 0.5))
        cos, sin = crt.cos(both), crt.sin(both)
        scores = crt.matmul(rotated(q, cos, sin), crt.transpose(rotated(k, cos, sin), [0, 1, 3, 2]))
        kept = crt.tensor(np.tri(3, dtype=bool))
        weights = crt.softmax(crt.where(kept, crt.div(scores, 2.0), -INFINITE))
        return [crt.reshape(crt.transpose(crt.matmul(weights, v), [0, 2, 1, 3]), [0, 0, heads * size])]

    specs = [crt.TensorSpec("x", crt.float32, ["n", 3, 8]), crt.TensorSpec("places", crt.float32, ["n", 3])]
    graph = crt.trace(body, specs).graph
    changed = graph.clone()
    given = [random((2, 3, 8)), np.array([[0, 1, 2], [5, 6, 7]], np.float32)]
    changed.optimize(check=given)
    codes = [node.op_code for node in changed.nodes()]
    assert codes.count(OpCode.RotaryEmbedding) == 2 and codes.count(OpCode.Attention) == 1, codes
    assert [node.attributes["causal"] for node in changed.nodes() if node.op_code == OpCode.Attention] == ["UpperLeft"]
    assert OpCode.Softmax not in codes
