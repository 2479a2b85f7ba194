# The lit suite: one .mlir (dialect, ops, conversion, transforms), .td (generator) or .test file a test.
# Run it over a build folder: lit build/test. With --param round_trip=1 each clika-opt also prints what it parsed,
# parses that again and compares.
import os

import lit.formats

config.name = "ClikaRT"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".td", ".pdll", ".test"]
config.excludes = ["Inputs", "Unit", "Python", "Project", "Regression", "lib"]
config.test_source_root = os.path.join(config.clika_source_dir, "test")
config.test_exec_root = os.path.join(config.clika_build_dir, "test")

tools = [os.path.join(config.clika_build_dir, "bin"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join([*tools, os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=error"
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%clika_src_root", config.clika_source_dir))
config.substitutions.append(("%clika_build_root", config.clika_build_dir))
config.substitutions.append(("%mlir_include", os.path.join(config.llvm_tools_dir, os.pardir, "include")))
if lit_config.params.get("round_trip"):
    config.substitutions.append((r"(?<![\w./-])clika-opt(?![\w.-])", "clika-opt --verify-roundtrip"))
