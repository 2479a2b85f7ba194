"""The tables of bench_models.py, from its rows."""

from __future__ import annotations

from typing import Any

from cells import about_line, bold, geometric_mean, three_digits, times_faster, unique

OURS, RELAXED = "ClikaRT", "ClikaRT, relaxed"

Row = dict[str, Any]


def peers_of(rows: list[Row]) -> list[str]:
    return unique([row["contender"] for row in rows if row["contender"] not in (OURS, RELAXED)])


def case_of(row: Row) -> tuple[str, int, int]:
    return row["model"], row["batch"], row["threads"]


def cases(rows: list[Row], clock: str = "real_time") -> dict[tuple[str, int, int], dict[str, float]]:
    """By model, batch and threads: the milliseconds of each contender that was measured, of the clock or of the CPU."""
    found: dict[tuple[str, int, int], dict[str, float]] = {}
    for row in rows:
        if clock in row and row["kind"] == "run":
            found.setdefault(case_of(row), {})[row["contender"]] = row[clock]
    return found


def ratio(times: dict[str, float], mine: str = OURS) -> float | None:
    """How many times faster than the fastest peer."""
    others = [time for name, time in times.items() if name not in (OURS, RELAXED)]
    return min(others) / times[mine] if others and mine in times else None


def run_table(rows: list[Row]) -> str:
    peers, measured = peers_of([row for row in rows if row["kind"] == "run"]), cases(rows)
    relaxed = any(RELAXED in times for times in measured.values())
    by_cpu = cases(rows, "cpu_time")
    heads = ["model", "batch", "threads", OURS, *peers, "best peer / ClikaRT", "by CPU time", *(["relaxed"] if relaxed else [])]
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    for case, times in measured.items():
        best = min((time for name, time in times.items() if name in peers), default=None)
        cells = [*map(str, case), three_digits(times.get(OURS))]
        cells += [bold(three_digits(times.get(peer)), times.get(peer) == best) for peer in peers]
        cells += [times_faster(ratio(times)), times_faster(ratio(by_cpu[case])), *([times_faster(ratio(times, RELAXED))] if relaxed else [])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary_table(rows: list[Row]) -> str:
    """A line a model: the geometric mean of best peer / ClikaRT over its cases, and the worst of them."""
    lines = ["| model | best peer / ClikaRT, geometric mean | worst | where |", "|---|---:|---:|---|"]
    ratios = {case: value for case, times in cases(rows).items() if (value := ratio(times)) is not None}
    for model in unique([case[0] for case in ratios]):
        own = {case: value for case, value in ratios.items() if case[0] == model}
        worst = min(own, key=lambda case: own[case])
        lines.append(f"| {model} | {geometric_mean(list(own.values())):.2f} | {own[worst]:.2f} | batch {worst[1]}, threads {worst[2]} |")
    if ratios:
        lines.append(f"| all | {geometric_mean(list(ratios.values())):.2f} | {min(ratios.values()):.2f} | |")
    return "\n".join(lines)


def start_table(rows: list[Row]) -> str:
    """A line a model: how long until it can run, and how much memory loading and a run take."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["kind"] == "start" and "real_time" in row:
            found.setdefault(row["model"], {})[row["contender"]] = row
    lines = ["| model | MB | finalize, ms | from .onnx, ms | saved graph, ms | ONNX Runtime, ms | saved / ONNX Runtime | memory, MB "
             "| from .onnx, MB | ONNX Runtime, MB | memory / ONNX Runtime |", f"|---|{'---:|' * 10}"]  # fmt: skip
    for model, own in found.items():
        cold, saved, ort = (own.get(name, {}) for name in (OURS, "ClikaRT, saved", "ONNX Runtime"))
        size = next(iter(own.values()))["file_bytes"]
        cells = [megabytes(size), three_digits(1e3 * cold["finalize_s"] if cold else None)]
        cells += [three_digits(each.get("real_time")) for each in (cold, saved, ort)]
        cells.append(quotient(saved.get("real_time"), ort.get("real_time")))
        cells += [megabytes(each.get("peak_bytes")) for each in (saved, cold, ort)]
        cells.append(quotient(saved.get("peak_bytes"), ort.get("peak_bytes")))
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return "\n".join(lines)


def refusals(rows: list[Row]) -> str:
    """What could not be measured, and why: a line for each contender, model and reason."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if row.get("error_occurred"):
            where = "start" if row["kind"] == "start" else f"batch {row['batch']}, threads {row['threads']}"
            found.setdefault((row["contender"], row["model"], row["error_message"]), []).append(where)
    return "\n".join(f"- {name}, {model} ({'; '.join(places)}): {reason}" for (name, model, reason), places in found.items())


def megabytes(value: float | None) -> str:
    return "–" if value is None else f"{value / 1e6:.0f}"


def quotient(above: float | None, below: float | None) -> str:
    return f"{above / below:.2f}" if above is not None and below else "–"


def report(rows: list[Row], context: dict[str, str]) -> str:
    """All tables; those without a line are left out."""
    parts = [about_line(context)]
    if cases(rows):
        parts += ["Milliseconds of a run; the fastest peer is bold.", run_table(rows)]
    if any(ratio(times) is not None for times in cases(rows).values()):
        parts.append(summary_table(rows))
    if any(row["kind"] == "start" and "real_time" in row for row in rows):
        parts.append(start_table(rows))
    if refused := refusals(rows):
        parts += ["Not measured:", refused]
    return "\n\n".join(parts) + "\n"
