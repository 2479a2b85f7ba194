"""The subcommands of ./dev."""

import argparse
import subprocess
import sys

import bench
import build
import check
import machine
import sources
from console import PYTHON, ROOT, StepFailed, environment, full_disk, say


def parse(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev", description="Sets up, builds and tests this project.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    commands.add_parser("quickstart", help="set up, build, and run the guided example on a real model")
    checks = commands.add_parser("check", help="set up, build and run every test; the last line is the sum")
    checks.add_argument("suites", nargs="*", help=f"run only these: {' '.join(check.SUITES)}")
    checks.add_argument("--sanitize", nargs="?", const="asan", choices=("asan", "tsan"),
                        help="run the C++ tests under a sanitizer: asan (with ubsan, the default) or tsan")  # fmt: skip
    builds = commands.add_parser("build", help="set up and build into a prefix that find_package(ClikaRT) finds")
    builds.add_argument("--preset", choices=list(build.FOLDERS), default="release")
    builds.add_argument("--accept", action="store_true",
                        help="copy generated files that are committed into the source folders")  # fmt: skip
    builds.add_argument("targets", nargs="*", help="build only these targets, and install nothing")
    commands.add_parser("bench", help="build and run the benchmarks, and print their figures in one table",
                        usage="./dev bench [benchmark ...] [--option ...]",
                        description="Runs all benchmarks, or those named, as in ./dev bench bench_models --models=bert,resnet50. "
                        "Options are passed to each, such as --benchmark_filter=optimize/chain; --quick measures less: it leaves out the "
                        "largest graphs of the comparison with other rewriters, most of the models of that with other engines, "
                        "which takes --models= --peers= --threads= --batch= --rounds= --cache= too, and most of the shapes of that "
                        "of kernels, which takes --filter= --peers= --threads= --rounds= --processes=. A value follows its option's "
                        "equals sign.")  # fmt: skip
    formats = commands.add_parser("format", help="format the C++ sources")
    formats.add_argument("--check", action="store_true", help="change nothing; list what is not formatted")
    tidies = commands.add_parser("tidy", help="set up, build, and run clang-tidy over the C++ sources (half an hour for all)")
    tidies.add_argument("files", nargs="*", help="look at these alone")
    commands.add_parser("where", help="print prefix=… and python=… of the build")
    options, options.arguments = parser.parse_known_args(words)
    if options.arguments and options.command != "bench":
        parser.error(f"unrecognized arguments: {' '.join(options.arguments)}")
    if options.command == "check":
        unknown = [name for name in options.suites if name not in check.SUITES]
        if unknown:
            parser.error(f"no suite {', '.join(unknown)}; there are {', '.join(check.SUITES)}")
    return options


def quickstart() -> int:
    machine.set_up(peers=True)
    build.build()
    program = ROOT / "examples" / "python" / "quickstart" / "quickstart.py"
    say(f"running {program.relative_to(ROOT)}")
    return subprocess.run([PYTHON, program], cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL).returncode


def main() -> int:
    options = parse()
    if options.command == "where":
        print(f"prefix={build.prefix()}\npython={PYTHON}")
        return 0
    if options.command == "quickstart":
        return quickstart()
    if options.command == "bench":
        return bench.bench(options.arguments)
    machine.set_up(peers=options.command == "check")
    if options.command == "build":
        build.build(options.preset, tuple(options.targets), install=not options.targets)
        if options.accept:
            build.accept_generated(options.preset)
    elif options.command == "check":
        return check.check(options.suites, options.sanitize or "release")
    elif options.command == "format":
        return sources.format_all(options.check)
    elif options.command == "tidy":
        return sources.tidy(options.files)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StepFailed as failure:
        say(str(failure))
        sys.exit(1)
    except OSError as failure:
        advice = full_disk() or "Check that the folder is there and may be written, then start this command again."
        say(f"{failure}\n  {advice}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
