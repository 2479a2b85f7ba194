"""Each entry of docs/transforms.md does what its page says: its pass turns the function before into the one after."""

import re

import pytest
from conftest import ROOT, run

ENTRY = re.compile(
    r"^## (?P<name>\w+)\n.*?`clika-opt (?P<option>--[\w-]+)`.*?Before:\n\n```mlir\n(?P<before>.*?)```\n\n"
    r"After:\n\n```mlir\n(?P<after>.*?)```",
    re.S | re.M,
)
LEAST_SERVED = 104
ENTRIES = {m["name"]: m for m in ENTRY.finditer((ROOT / "docs" / "transforms.md").read_text())}


def printed(clika_opt, options, text, folder):
    source = folder / "function.mlir"
    source.write_text(text)
    done = run([clika_opt, *options, source])
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_entry_was_read():
    headings = re.findall(r"^## (\w+)$", (ROOT / "docs" / "transforms.md").read_text(), re.M)
    assert list(ENTRIES) == headings and len(headings) >= 57


@pytest.mark.parametrize("name", ENTRIES)
def test_before_becomes_after(name, build_folder, tmp_path):
    entry = ENTRIES[name]
    clika_opt = build_folder / "bin" / "clika-opt"
    after = printed(clika_opt, [], entry["after"], tmp_path)
    assert printed(clika_opt, [entry["option"]], entry["before"], tmp_path) == after
    assert printed(clika_opt, [], entry["before"], tmp_path) != after


def test_every_standard_pattern_is_served_or_left_out_for_a_reason():
    page = (ROOT / "docs" / "transforms.md").read_text()
    rows = re.findall(r"^\| (\w+) \| (.+) \|$", page.split("\n# ")[-1], re.M)
    patterns = {name: here for name, here in rows if name != "pattern"}
    assert len(patterns) == 126
    served = {name: re.findall(r"\[(\w+)\]\(#\1\)", here) for name, here in patterns.items()}
    for name, here in patterns.items():
        assert set(served[name]) <= set(ENTRIES) and (served[name] or here.startswith("left out: ")), name
    assert sum(map(bool, served.values())) >= LEAST_SERVED
