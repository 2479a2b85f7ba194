"""What tables of figures are made of."""

from __future__ import annotations

import math
from typing import Any


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def unique(values: list[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def three_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def times_faster(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def bold(text: str, strong: bool) -> str:
    return f"**{text}**" if strong else text


def about_line(context: dict[str, str]) -> str:
    return "; ".join(f"{key} {value}" for key, value in context.items())
