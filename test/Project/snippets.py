"""The code blocks of README.md and docs/: what they are and how each is run.

python   all blocks of a page run in order in one interpreter, as a reader would type them, with `crt` and `np` at
         hand; where the last line is an expression with `# -> VALUE` behind it, that is its value
cpp      a whole program (it has `int main`), or statements, put into one with the umbrella header
mlir     parsed by clika-opt
text     directly after a python or cpp block: exactly what that block prints
sh       commands of this project: ./dev subcommands are looked up, tools run in the project's folder
"""

import pathlib
import re
from typing import NamedTuple

from conftest import ROOT

RUN = ("python", "cpp", "mlir", "text", "sh", "cmake")


class Block(NamedTuple):
    page: pathlib.Path
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[pathlib.Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: pathlib.Path) -> list[Block]:
    text = page.read_text()
    found = []
    for match in re.finditer(r"^```([^\n`]*)\n(.*?)^```\s*$", text, re.M | re.S):
        language = match[1].split()[0] if match[1].split() else ""
        found.append(Block(page, text.count("\n", 0, match.start()) + 1, language, match[2]))
    return found


def with_output(page: pathlib.Path, language: str) -> list[tuple[Block, str | None]]:
    """The page's blocks of one language, each with the text block right behind it."""
    all_blocks = blocks(page)
    pairs = []
    for block, after in zip(all_blocks, [*all_blocks[1:], None]):
        if block.language == language:
            pairs.append((block, after.text if after is not None and after.language == "text" else None))
    return pairs


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


def whole_program(text: str) -> str:
    if "int main(" in text:
        return text
    return (
        "#include <ClikaRT/clika_rt.h>\n#include <cstdio>\n#include <iostream>\nusing namespace ClikaRT;\n"
        f"using namespace ClikaRT::graph;\nint main() {{\n{text}\n}}\n"
    )
