"""Every code block of README.md, CONTRIBUTING.md and docs/ works, and every link leads somewhere."""

import re
import shlex
import textwrap

import pytest
from conftest import ROOT, run
from programs import Programs
from snippets import PRELUDE, RUN, Block, blocks, checked, pages, whole_program, with_output

ALL = [block for page in pages() for block in blocks(page)]
CPP = [pair for page in pages() for pair in with_output(page, "cpp")]
PYTHON_PAGES = [page for page in pages() if with_output(page, "python")]


def identifier(block: Block) -> str:
    return re.sub(r"\W", "_", block.name)


def test_every_block_is_of_a_kind_that_is_run():
    assert [block.name for block in ALL if block.language not in RUN] == []


@pytest.fixture(scope="module")
def cpp_programs(prefix, tmp_path_factory) -> Programs:
    programs = Programs(tmp_path_factory.mktemp("snippets"), prefix)
    for block, _ in CPP:
        programs.add(identifier(block), whole_program(block.text))
    programs.build()
    return programs


@pytest.mark.parametrize("block, expected", CPP, ids=[block.name for block, _ in CPP])
def test_cpp(block, expected, cpp_programs, tmp_path):
    done = run([cpp_programs.path(identifier(block))], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if expected is not None:
        assert done.stdout == expected


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=[page.name for page in PYTHON_PAGES])
def test_python(page, python, tmp_path):
    """One program of all the page's blocks; a marker after each tells their outputs apart."""
    program, expected = PRELUDE, []
    for block, output in with_output(page, "python"):
        program += f"{checked(block)}\nprint('\\x1e', end='', flush=True)  # end of {block.name}\n"
        expected.append(output)
    (tmp_path / "page.py").write_text(program)
    done = run([python, "page.py"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.split("\x1e")[:-1]
    assert len(printed) == len(expected)
    for got, wanted in zip(printed, expected):
        assert wanted is None or got == wanted


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
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve()
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor and linked.suffix == ".md":
            headings = [re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
                        for heading in re.findall(r"^#+\s+(.*)$", linked.read_text(), re.M)]  # fmt: skip
            assert anchor in headings, f"{page.name} links to {target}"
