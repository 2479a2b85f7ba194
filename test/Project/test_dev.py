"""The contract of ./dev that other programs read."""

import subprocess

from conftest import ROOT, run


def test_where_prints_two_lines_from_any_folder(prefix, python, tmp_path):
    done = run([ROOT / "dev", "where"], cwd=tmp_path)
    assert done.stdout.splitlines() == [f"prefix={prefix}", f"python={python}"]
    assert (prefix / "lib" / "cmake" / "ClikaRT" / "ClikaRTConfig.cmake").exists()


def test_unknown_suite_is_refused_with_the_list():
    done = run([ROOT / "dev", "check", "no-such-suite"])
    assert done.returncode == 2
    assert "no-such-suite" in done.stderr and "lit" in done.stderr


def test_no_path_of_one_machine_in_the_sources():
    listed = subprocess.run(["git", "grep", "-nIE", r"(^|[^A-Za-z0-9_.$])/(home|root|tmp)/[a-z]", "--", "*.md", "*.py",
                             "*.cpp", "*.h", "*.td", "*.txt", "*.cmake", "*.toml", "*.json"],
                            cwd=ROOT, capture_output=True, text=True)  # fmt: skip
    found = [line for line in listed.stdout.splitlines() if "test/Project/test_dev.py" not in line]
    assert not found
