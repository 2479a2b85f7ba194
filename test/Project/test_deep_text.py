"""The tools refuse text that nests deeper than their stacks hold, by file and line."""

import json
import subprocess

import pytest
from conftest import run

MODULE = "module attributes {test.a = 1 : i32} {\n func.func @main() {\n return } }\n"
TEXTS = {
    "brackets": (MODULE + "module {" * 100000, "brackets and aliases are nested more than 256 deep"),
    "attributes": (MODULE + "#a = " + "[" * 100000, "brackets and aliases are nested more than 256 deep"),
    "aliases": (MODULE + "#a0 = 1 " + " ".join(f"#a{i + 1} = [#a{i}]" for i in range(100000)),
                "brackets and aliases are nested more than 256 deep"),
    "expressions": (MODULE + "#a = affine_map<(d0) -> (d0" + " + d0" * 100000 + ")>",
                    "an expression has more than 1000 operators"),
}


@pytest.mark.parametrize("text, message", TEXTS.values(), ids=TEXTS)
def test_tools_refuse_deep_text(prefix, tmp_path, text, message):
    path = tmp_path / "deep.mlir"
    path.write_text(text)
    done = run([prefix / "bin" / "clika-opt", path])
    assert done.returncode == 1 and done.stderr == f"{path}:4: error: {message}\n"
    done = run([prefix / "bin" / "clika-run", path])
    assert done.returncode == 1
    assert done.stderr == f"clika-run: from_mlir: line 4: {message}, as no graph's text has\n"


def test_clika_opt_reads_and_writes_files(prefix, tmp_path):
    read, written = tmp_path / "read.mlir", tmp_path / "written.mlir"
    read.write_text(MODULE)
    clika_opt = prefix / "bin" / "clika-opt"
    done = run([clika_opt, read, "-o", written])
    assert done.returncode == 0 and "func.func @main()" in written.read_text()
    for arguments, message in [([tmp_path / "none.mlir"], "none.mlir"), ([read, "-o", tmp_path / "no" / "file"], "file")]:
        done = run([clika_opt, *arguments])
        assert done.returncode == 1 and message in done.stderr and done.stdout == ""
    assert "clika" in run([clika_opt, "--show-dialects"]).stdout
    assert "remove-redundant-relu" in run([clika_opt, "--list-passes"]).stdout


@pytest.mark.parametrize("text", [text for text, _ in TEXTS.values()], ids=TEXTS)
def test_the_language_server_outlives_deep_text(prefix, text):
    document = {"uri": "file:///deep.mlir", "languageId": "mlir", "version": 1, "text": text}
    messages = [{"id": 0, "method": "initialize", "params": {"processId": 1, "rootUri": None, "capabilities": {}}},
                {"method": "textDocument/didOpen", "params": {"textDocument": document}},
                {"id": 1, "method": "shutdown"}, {"method": "exit"}]  # fmt: skip
    bodies = [json.dumps({"jsonrpc": "2.0"} | message) for message in messages]
    done = subprocess.run([prefix / "bin" / "clika-lsp-server"], capture_output=True, text=True, timeout=300,
                          input="".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies))  # fmt: skip
    assert done.returncode == 0 and "publishDiagnostics" in done.stdout
