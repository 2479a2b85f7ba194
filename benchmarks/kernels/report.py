"""The tables of bench_kernels.py, from its rows."""

from __future__ import annotations

from typing import Any

from cells import about_line, bold, geometric_mean, three_digits, times_faster, unique

OURS = "ClikaRT"
#: The fewest times faster than the best peer that a shape may be.
LEAST = 0.95

Row = dict[str, Any]


def shapes(rows: list[Row]) -> dict[str, dict[str, Row]]:
    """By shape: the row of each contender that was measured."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if "real_time" in row:
            found.setdefault(row["shape"], {})[row["contender"]] = row
    return found


def peers_of(rows: list[Row]) -> list[str]:
    return unique([row["contender"] for row in rows if row["contender"] != OURS and "real_time" in row])


def ratio(own: dict[str, Row], clock: str = "real_time") -> float | None:
    """How many times faster than the best peer."""
    others = [row[clock] for name, row in own.items() if name != OURS]
    return min(others) / own[OURS][clock] if others and OURS in own else None


def share(row: Row | None) -> str:
    return f"{row['percent']:.0f}" if row is not None and "percent" in row else "–"


def whole(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def table(rows: list[Row]) -> str:
    peers, measured = peers_of(rows), shapes(rows)
    columns = [OURS, *peers]
    heads = ["shape", *(f"{name}, µs" for name in columns), *(f"{name}, GF/s" for name in columns), *(f"{name}, % of peak" for name in columns),
             "design, % of peak", "best peer / ClikaRT", "by CPU time"]  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    for shape, own in measured.items():
        best = min((own[name]["real_time"] for name in peers if name in own), default=None)
        any_row = next(iter(own.values()))
        cells = [shape, *(time_cell(own.get(name), best) for name in columns)]
        cells += [whole(own[name].get("GFlop/s") if name in own else None) for name in columns]
        cells += [share(own.get(name)) for name in columns]
        cells += [whole(any_row["reached"]), times_faster(ratio(own)), times_faster(ratio(own, "cpu_time"))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def time_cell(row: Row | None, best: float | None) -> str:
    if row is None:
        return "–"
    time = bold(three_digits(row["real_time"]), row["contender"] != OURS and row["real_time"] == best)
    return f"{time} ({row['form']})" if row["form"] else time


def summary(rows: list[Row]) -> str:
    """On how many shapes ClikaRT is at least the best peer, the lowest ratio, and the geometric mean."""
    lines = ["| best peer / ClikaRT | shapes | at least 1 | under 0.95 | lowest | where | geometric mean |", "|---|---:|---:|---:|---:|---|---:|"]
    for what, clock in (("by the clock", "real_time"), ("by CPU time", "cpu_time")):
        ratios = {shape: value for shape, own in shapes(rows).items() if (value := ratio(own, clock)) is not None}
        if not ratios:
            continue
        values, worst = list(ratios.values()), min(ratios, key=lambda shape: ratios[shape])
        ahead, behind = (sum(map(test, values)) for test in (lambda value: value >= 1, lambda value: value < LEAST))
        lines.append(f"| {what} | {len(values)} | {ahead} ({100 * ahead / len(values):.0f} %) | {behind} | {ratios[worst]:.2f} | {worst} "
                     f"| {geometric_mean(values):.2f} |")  # fmt: skip
    return "\n".join(lines)


def refusals(rows: list[Row]) -> str:
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.get("error_occurred"):
            found.setdefault((row["contender"], row["error_message"]), []).append(row["shape"])
    return "\n".join(f"- {name} ({'; '.join(shapes)}): {reason}" for (name, reason), shapes in found.items())


def report(rows: list[Row], context: dict[str, str]) -> str:
    """All tables; those without a line are left out."""
    parts = [about_line(context)]
    if shapes(rows):
        parts.append("Microseconds of a run, with the form that was fastest where there are several; the fastest peer is bold.")
    for threads in unique([row["threads"] for row in rows]):
        own = [row for row in rows if row["threads"] == threads]
        parts += tables(own, f"{threads} thread{'s' if threads > 1 else ''}:")
    return "\n\n".join(parts) + "\n"


def tables(rows: list[Row], title: str) -> list[str]:
    parts = [title]
    if shapes(rows):
        parts.append(table(rows))
    if any(ratio(own) is not None for own in shapes(rows).values()):
        parts.append(summary(rows))
    if refused := refusals(rows):
        parts += ["Not measured:", refused]
    return parts
