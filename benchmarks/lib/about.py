"""What figures hold for: the machine, and the versions of what was measured."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import re
from collections.abc import Mapping


def cpu_name() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    facts = {key: match[1] for key in ("model name", "cpu family", "model") if (match := re.search(rf"^{key}\s*: (.*)$", text, re.M))}
    widest = next((name for name in ("avx512f", "avx2", "avx") if f" {name} " in text), "")
    return f"{facts.get('model name', 'unknown')} (family {facts.get('cpu family', '?')}, model {facts.get('model', '?')}, {widest})"


def context(packages: Mapping[str, str]) -> dict[str, str]:
    """The machine, and the versions of those packages that are there, by the names that tables call them."""
    load = f"{os.getloadavg()[0]:.1f}"
    found = {"CPU": cpu_name(), "CPUs": str(len(os.sched_getaffinity(0))), "load of the machine before": load}
    for name, package in packages.items():
        try:
            found[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
