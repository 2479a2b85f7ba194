"""Every op of the table computes the value that its record's example states."""

import numpy as np
import op_cases
import pytest

import clika_runtime as crt

PUBLIC = [op for op in op_cases.table().values() if op["public"]]


def values_of(result) -> list:
    if isinstance(result, (tuple, list)):
        return [value for part in result for value in values_of(part)]
    return [result.numpy() if isinstance(result, crt.Tensor) else result]


def shaped_like(wanted, got: list) -> list:
    return list(wanted) if len(got) > 1 else [wanted]


@pytest.mark.parametrize("op", PUBLIC, ids=lambda op: op["mnemonic"])
def test_example(op: dict) -> None:
    *lines, last = op["example"].strip().split("\n")
    expression, _, stated = last.partition("# -> ")
    scope = {"np": np, "crt": crt}
    exec("\n".join(line.strip() for line in lines), scope)
    got = values_of(eval(expression.strip(), scope))
    wanted = shaped_like(eval(stated, {"np": np, "nan": np.nan, "inf": np.inf}), got)
    for result, value in zip(got, wanted, strict=True):
        assert np.array_equal(result, np.asarray(value, np.asarray(result).dtype), equal_nan=True), result
    assert f"crt.{op['public_name']}(" in op["example"]
