"""Where the steps of random_patterns.py register, and what they pick their operands with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from random_graph import Entry, Grower
    from random_recipes import Made

PATTERNS: dict[str, Callable[[Grower], Made]] = {}
FLOATS = ("float32", "float64", "float16", "bfloat16")
# What these compute changes within a bound. Nothing else may read it, or a rounding that follows would not be bounded.
BOUNDED = {
    "decomposed_softmax", "decomposed_layer_norm", "decomposed_rms_norm", "decomposed_gelu", "decomposed_silu",
    "decomposed_attention", "decomposed_masked_attention", "fuse_half_precision",
    "fold_batch_norm", "fold_scale_and_shift", "drop_zero_bias", "matmul_scale", "merge_scales", "reciprocal_mul_to_div",
}  # fmt: skip


def pattern(fn: Callable[[Grower], Made]) -> Callable[[Grower], Made]:
    PATTERNS[fn.__name__] = fn
    return fn


def any_of(g: Grower, accepts: Callable[[Entry], bool] = lambda e: True) -> Entry | None:
    return g.pick(lambda e: e.dtype != "bool" and accepts(e))


def float_of(g: Grower, accepts: Callable[[Entry], bool] = lambda e: True) -> Entry | None:
    return g.pick(lambda e: e.dtype in FLOATS and accepts(e))


def moderate(entry: Entry, most: float = 30) -> bool:
    """No finite element is so large that a bound, which knows nothing of cancellation, would not hold."""
    with np.errstate(invalid="ignore"):
        sizes = np.abs(entry.array.astype(np.float64))
    return not np.any(np.isfinite(sizes) & (sizes > most))
