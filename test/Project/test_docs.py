"""Every code block of README.md, CONTRIBUTING.md and docs/ works, and every link leads somewhere."""

import pathlib
import re
import shlex
import textwrap

import pytest
from conftest import ROOT, run
from programs import Programs
from snippets import END, PRELUDE, RUN, Block, blocks, checked, cpp_programs, pages, with_output, without_tab

ALL = [block for page in pages() for block in blocks(page)]
CPP = [(page, number) for page in pages() for number in range(len(cpp_programs(page)))]
PYTHON_PAGES = [page for page in pages() if with_output(page, "python")]


#: Guides, whose every block stands in both languages.
IN_BOTH_LANGUAGES = ["check_record_replay", "edit_a_graph", "optimize_and_finalize", "patterns", "query_a_graph", "run_transforms",
                     "write_a_transform"]  # fmt: skip


def identifier(page: pathlib.Path, number: int) -> str:
    return re.sub(r"\W", "_", f"{page.stem}_{number}")


def test_every_block_is_of_a_kind_that_is_run():
    assert [block.name for block in ALL if block.language not in RUN] == []


@pytest.mark.parametrize("page", IN_BOTH_LANGUAGES)
def test_guides_are_in_both_languages(page):
    path = ROOT / "docs" / f"{page}.md"
    assert with_output(path, "cpp")
    assert [block.name for block in without_tab(path)] == []


def test_a_block_without_its_tab_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("snippets.ROOT", tmp_path)
    page = tmp_path / "page.md"
    both = "```python\n1\n```\n\n```cpp\n1;\n```\n"
    page.write_text(both + both)
    assert without_tab(page) == []
    for text, lines in ((both + "```python\n2\n```\n", [8]), ("```cpp\n2;\n```\n" + both, [1, 8]), ("```cpp\n2;\n```\n", [1])):
        page.write_text(text)
        assert [block.line for block in without_tab(page)] == lines


@pytest.fixture(scope="module")
def built_programs(prefix, tmp_path_factory) -> Programs:
    programs = Programs(tmp_path_factory.mktemp("snippets"), prefix)
    for page, number in CPP:
        programs.add(identifier(page, number), cpp_programs(page)[number][0])
    programs.build()
    return programs


@pytest.mark.parametrize("page, number", CPP, ids=[identifier(page, number) for page, number in CPP])
def test_cpp(page, number, built_programs, tmp_path):
    """A program of the page's; a marker after each block tells their outputs apart."""
    done = run([built_programs.path(identifier(page, number))], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = cpp_programs(page)[number][1]
    whole = "int main(" in parts[0][0].text
    for got, (block, wanted) in zip([done.stdout] if whole else done.stdout.split(END), parts):
        assert wanted is None or got == wanted, block.name
    assert whole or done.stdout.count(END) == len(parts)


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=[page.name for page in PYTHON_PAGES])
def test_python(page, python, tmp_path):
    """One program of all the page's blocks; a marker after each tells their outputs apart."""
    program, expected = PRELUDE, []
    for block, output in with_output(page, "python"):
        program += f"{checked(block)}\nprint({END!r}, end='', flush=True)  # end of {block.name}\n"
        expected.append((block, output))
    (tmp_path / "page.py").write_text(program)
    done = run([python, "page.py"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.split(END)[:-1]
    assert len(printed) == len(expected)
    for got, (block, wanted) in zip(printed, expected):
        assert wanted is None or got == wanted, block.name


@pytest.mark.parametrize("block", [b for b in ALL if b.language == "mlir"], ids=lambda block: block.name)
def test_mlir(block, prefix, tmp_path):
    (tmp_path / "block.mlir").write_text(block.text)
    done = run([prefix / "bin" / "clika-opt", "--split-input-file", "block.mlir"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", [b for b in ALL if b.language == "sh"], ids=lambda block: block.name)
def test_commands_exist(block, prefix):
    """The first word of each command is a file of the project, an installed tool or a known program."""
    for line in textwrap.dedent(block.text).splitlines():
        line = line.split(" #")[0].strip()
        if not line or line.startswith("#"):
            continue
        words = shlex.split(line)
        if words[0] == "./dev":
            done = run([ROOT / "dev", words[1], "--help"])
            assert done.returncode == 0, f"{line}: {done.stderr}"
            for option in (word.split("=")[0] for word in words[2:] if word.startswith("--")):
                assert option in done.stdout, f"{line}: no option {option}"
        elif words[0].startswith("clika-"):
            assert (prefix / "bin" / words[0]).exists(), line
        else:
            assert words[0] in ("git", "cd", "cmake", "pip", "python", "ctest", "sudo", "ninja"), line


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_links(page):
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve()
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor and linked.suffix == ".md":
            headings = [re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
                        for heading in re.findall(r"^#+\s+(.*)$", linked.read_text(), re.M)]  # fmt: skip
            assert anchor in headings, f"{page.name} links to {target}"
