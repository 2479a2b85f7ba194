"""Every public op of the table, on every dtype of its record, against NumPy or ONNX's reference; and that none is left out."""

import functools
import re
from collections.abc import Iterator

import attention_cases
import numpy as np
import op_cases
import pointwise_cases
import pytest
import recurrent_cases
import shape_cases
import sum_cases
from op_cases import Case

import clika_runtime as crt

CASES = pointwise_cases.CASES | sum_cases.CASES | attention_cases.CASES | recurrent_cases.CASES | shape_cases.CASES
GROUPS = {**op_cases.DTYPES, **op_cases.OTHER_DTYPES}
PUBLIC = [op for op in op_cases.table().values() if op["public"] and not op["hand_written"]]


def groups_of(op: dict) -> list[str]:
    """Of the operand that holds the data: the one of most groups."""
    return max((operand["dtypes"] for operand in op["operands"]), key=len)


def cases_of(op: str, group: str) -> list[Case]:
    return [case for dtype in GROUPS[group] for case in CASES[op](op, dtype)]


@pytest.mark.parametrize(("op", "group"), [(op["mnemonic"], group) for op in PUBLIC for group in groups_of(op)])
def test_numbers(op: str, group: str) -> None:
    op_cases.check_together(cases_of(op, group))


#
# What is left out
#


@functools.cache
def lit_tests() -> str:
    return "\n".join(path.read_text() for path in sorted((op_cases.ROOT / "test" / "Ops").glob("*.mlir")))


def lacking_dtypes(op: dict, cases: list[Case]) -> list[str]:
    """Every dtype of the operand that holds the data; of what stands beside it, one of each group."""
    lacking = []
    for i, operand in enumerate(op["operands"]):
        held = {array.dtype for case in cases for k, array in case.present if k == i}
        for group in operand["dtypes"]:
            missing = [str(dtype) for dtype in GROUPS[group] if dtype not in held]
            if operand["dtypes"] == groups_of(op) and missing or len(missing) == len(GROUPS[group]):
                lacking.append(f"{operand['name']} of {group} ({', '.join(missing)})")
    return lacking


# Kinds of data that an op refuses, whatever stands beside them.
REFUSED = {
    "rank 0": "concat split depth_to_space space_to_depth trilu gather gather_elements gather_nd scatter_elements scatter_nd topk "
              "group_norm instance_norm batch_norm lrn matmul linear conv conv_transpose max_pool max_pool_with_indices avg_pool lp_pool "
              "global_max_pool global_avg_pool global_lp_pool rotary_embedding rnn gru lstm",
    "zero-size": "range",
    "odd": "range",
    "NaN": "range",
}  # fmt: skip


def of_kind(kind: str, array: np.ndarray) -> list[np.ndarray]:
    """Arrays of a kind in the place of `array`."""
    if kind == "rank 0":
        return [np.ones((), array.dtype)]
    if kind == "zero-size":
        return [np.ones((0, *array.shape[1:]), array.dtype), np.ones(0, array.dtype)]
    if kind == "odd":
        return [np.ones((3,) * max(array.ndim, 1), array.dtype)]
    return [np.full(array.shape, np.nan, array.dtype)]


def attempts(case: Case, place: int, kind: str) -> Iterator[Case]:
    """The case with data of the kind at `place`; what stands beside it stays, is of rank 0, is empty or is left out."""
    data = case.operands[place]
    several = isinstance(data, list)
    for made in of_kind(kind, data[0] if several else data):
        for beside in [lambda x: x, lambda x: np.ones((), x.dtype), lambda x: np.ones(0, x.dtype), lambda x: None]:
            operands = [x if x is None or isinstance(x, list) else beside(x) for x in case.operands]
            operands[place] = [made] * len(data) if several else made
            for settings in [case.settings, {}, {name: [] if isinstance(value, list) else value for name, value in case.settings.items()}]:
                yield Case(case.op, operands, settings)


def takes(case: Case) -> bool:
    try:
        op_cases.computed_eagerly(case)
    except (crt.InvalidArgumentError, TypeError):  # the latter where a parameter is left out
        return False
    return True


def data_place(op: dict) -> int:
    return next(i for i, operand in enumerate(op["operands"]) if operand["dtypes"] == groups_of(op))


def takes_kind(op: dict, kind: str) -> bool:
    place, cases = data_place(op), cases_of(op["mnemonic"], groups_of(op)[0])
    shown = [case for case in cases if len(case.operands) > place and case.operands[place] is not None]
    return any(takes(attempt) for case in shown[:6] for attempt in attempts(case, place, kind))


@pytest.mark.parametrize(("kind", "op"), [(kind, op) for kind, ops in REFUSED.items() for op in ops.split()])
def test_what_is_listed_is_refused(kind: str, op: str) -> None:
    assert not takes_kind(op_cases.table()[op], kind)


def test_what_is_not_refused_is_found() -> None:
    kinds = {"rank 0": ["slice", "squeeze", "cumsum", "layer_norm", "rms_norm", "non_zero", "resize"], "zero-size": ["softmax", "resize"]}
    for kind, ops in kinds.items():
        for op in ops:
            assert takes_kind(op_cases.table()[op], kind), f"{op} of {kind}"


def lacking_kinds(op: dict, cases: list[Case]) -> list[str]:
    arrays = [array for case in cases for array in case.arrays]
    floats = [array.astype(np.float64).ravel() for array in arrays if op_cases.is_float(array.dtype)]
    held = {
        "odd": any(size % 2 for array in arrays for size in array.shape if size > 1),
        "rank 0": any(array.ndim == 0 for array in arrays),
        "zero-size": any(array.size == 0 for array in arrays),
    }
    if floats and "float" in groups_of(op):
        every = np.concatenate(floats)
        held |= {"NaN": np.isnan(every).any(), "inf": (every == np.inf).any(), "-inf": (every == -np.inf).any(),
                 "-0.0": (np.signbit(every) & (every == 0)).any()}  # fmt: skip
    return [kind for kind, has in held.items() if not has and op["mnemonic"] not in REFUSED.get(kind, "").split()]


def lacking(op: dict, cases: list[Case], lit: str) -> list[str]:
    """What a public op must have, and this one has not."""
    name = op["mnemonic"]
    found = lacking_dtypes(op, cases) + lacking_kinds(op, cases)
    if not op["reference"] and not op_cases.reference_of(name):
        found.append("a reference")
    if f"crt.{name}(" not in op["example"]:
        found.append("an example")
    if not re.search(rf"\bclika\.{name}\b", lit):
        found.append("a test in test/Ops")
    return found


@pytest.mark.parametrize("op", PUBLIC, ids=lambda op: op["mnemonic"])
def test_nothing_is_left_out(op: dict) -> None:
    """Together with test_numbers, which runs in compiled graphs, and so needs a lowering, what this finds."""
    assert op["mnemonic"] in CASES, "no numeric cases"
    cases = [case for group in groups_of(op) for case in cases_of(op["mnemonic"], group)]
    assert lacking(op, cases, lit_tests()) == []


def test_what_is_left_out_is_found() -> None:
    op = dict(op_cases.table()["softmax"], example="", mnemonic="sneeze")
    cases = [Case("softmax", [np.ones((2, 4), np.float32)])]
    assert lacking(op, cases, "clika.sneezed") == [
        "x of float (float64, float16, bfloat16)", "odd", "rank 0", "zero-size", "NaN", "inf", "-inf", "-0.0", "a reference", "an example",
        "a test in test/Ops"]  # fmt: skip
    assert lacking_dtypes(op_cases.table()["gather"], cases_of("gather", "float"))[0].startswith("x of int (int8")


def test_every_case_belongs_to_an_op() -> None:
    assert set(CASES) == {op["mnemonic"] for op in PUBLIC}
