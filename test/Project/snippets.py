"""The code blocks of README.md and docs/: what they are and how each is run.

python   all blocks of a page run in order in one interpreter, as a reader would type them, with `crt` and `np` at
         hand; where the last line is an expression with `# -> VALUE` behind it, that is its value
cpp      a whole program (it has `int main`), or statements: those of a page make one program, in order
mlir     parsed by clika-opt
text     directly after a python or cpp block: exactly what that block prints; after one of each, what both print
sh       commands of this project: ./dev subcommands are looked up, tools run in the project's folder
"""

import pathlib
import re
from typing import NamedTuple

from conftest import ROOT

PROGRAMS = ("python", "cpp")
RUN = (*PROGRAMS, "mlir", "text", "sh", "cmake")


class Block(NamedTuple):
    page: pathlib.Path
    line: int
    language: str
    text: str
    follows: bool = False  # nothing stands between it and the block before

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[pathlib.Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: pathlib.Path) -> list[Block]:
    text = page.read_text()
    found: list[Block] = []
    end = 0
    for match in re.finditer(r"^```([^\n`]*)\n(.*?)^```$", text, re.M | re.S):
        language = match[1].split()[0] if match[1].split() else ""
        follows = end > 0 and not text[end : match.start()].strip()
        found.append(Block(page, text.count("\n", 0, match.start()) + 1, language, match[2], follows))
        end = match.end()
    return found


def with_output(page: pathlib.Path, language: str) -> list[tuple[Block, str | None]]:
    """The page's blocks of one language, each with the text block right behind it, or behind it and its tab in the other
    language."""
    all_blocks = blocks(page)
    pairs = []
    for at, block in enumerate(all_blocks):
        if block.language != language:
            continue
        after = all_blocks[at + 1 : at + 3]
        if after and after[0].follows and after[0].language in PROGRAMS and after[0].language != language:
            after.pop(0)
        output = after[0].text if after and after[0].follows and after[0].language == "text" else None
        pairs.append((block, output))
    return pairs


def without_tab(page: pathlib.Path) -> list[Block]:
    """The blocks that stand in one language alone, where a page has both."""
    programs = [block for block in blocks(page) if block.language != "text"]
    turns = [block for block in programs if block.language in PROGRAMS]
    pairs = zip(turns[::2], turns[1::2])
    return [first for first, second in pairs if (first.language, second.language) != PROGRAMS] + turns[len(turns) & ~1 :]


PRELUDE = """import numpy as np
import clika_runtime as crt


def _check(where, value, wanted):
    wanted = eval(wanted, {"nan": np.nan, "inf": np.inf, "np": np})
    pairs = zip(value, wanted, strict=True) if isinstance(value, (tuple, list)) else [(value, wanted)]
    for one, expected in pairs:
        one = one.numpy() if isinstance(one, crt.Tensor) else one
        np.testing.assert_allclose(np.asarray(one, np.float64), np.asarray(expected, np.float64), 1e-6, 1e-7, err_msg=where)


"""


def checked(block: Block) -> str:
    """The block, with the value of its last line checked where it says `# -> VALUE`."""
    lines = block.text.rstrip("\n").split("\n")
    code, arrow, wanted = lines[-1].partition("# -> ")
    if not arrow:
        return block.text
    return "\n".join([*lines[:-1], f"_check({block.name!r}, {code.strip()}, {wanted.strip()!r})"]) + "\n"


END = "\x1e"  # behind what a block prints


def cpp_programs(page: pathlib.Path) -> list[tuple[str, list[tuple[Block, str | None]]]]:
    """The page's C++: each whole program, and one of all its statements, with the blocks that each runs in order."""
    pairs = with_output(page, "cpp")
    programs = [(pair[0].text, [pair]) for pair in pairs if "int main(" in pair[0].text]
    statements = [pair for pair in pairs if "int main(" not in pair[0].text]
    if statements:
        programs.append((statements_program([block for block, _ in statements]), statements))
    return programs


def statements_program(parts: list[Block]) -> str:
    head = ["#include <ClikaRT/clika_rt.h>", "#include <iostream>"]
    head += ["using namespace ClikaRT;", "using namespace ClikaRT::graph;"]
    body = []
    for block in parts:
        lines = block.text.rstrip("\n").split("\n")
        head += [line for line in lines if re.match(r"#include |using namespace ", line)]
        body += [line for line in lines if not re.match(r"#include |using namespace ", line)]
        body.append(f"std::cout << '\\x1e' << std::flush;  // end of {block.name}")
    return "\n".join([*dict.fromkeys(head), "int main() {", *body, "}"]) + "\n"
