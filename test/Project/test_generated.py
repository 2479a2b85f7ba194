"""Generated files that are committed equal what the build generates."""

import difflib

from conftest import ROOT


def test_committed_files_are_fresh(build_folder):
    stale = []
    for line in (build_folder / "committed.txt").read_text().split("\n"):
        if not line:
            continue
        committed, _, generated = line.partition("=")
        with open(generated) as fresh, open(ROOT / committed) as old:
            stale += difflib.unified_diff(old.readlines(), fresh.readlines(), committed, "generated", n=1)
    assert not stale, "run './dev build --accept' and commit\n" + "".join(stale[:60])
