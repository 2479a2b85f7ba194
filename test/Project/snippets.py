"""The code blocks of README.md and docs/: what they are and how each is run.

python   all blocks of a page run in order in one interpreter, as a reader would type them
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


def whole_program(text: str) -> str:
    if "int main(" in text:
        return text
    return (
        "#include <ClikaRT/clika_rt.h>\n#include <cstdio>\n#include <iostream>\nusing namespace ClikaRT;\n"
        f"using namespace ClikaRT::graph;\nint main() {{\n{text}\n}}\n"
    )
