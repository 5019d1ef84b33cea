"""Run the property tests in turns with new examples until the time is used.

`python -m tests.fuzz --seconds 60 [--seed N] [--test ID] [FILE ...]`

Exits with 1 at the first failure and prints the command that repeats it.
"""

import argparse
import os
import secrets
import sys
from pathlib import Path

import pytest

_TESTS = Path(__file__).parent.parent


def main(arguments: list[str]) -> int:
    """Return 1 when a test failed, 0 when none did."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--test", default="", help="one turn of this test only")
    parser.add_argument("files", nargs="*", help="all that use hypothesis by default")
    given = parser.parse_args(arguments)
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    files = given.files or [
        str(path) for path in sorted(_TESTS.rglob("test_*.py")) if "hypothesis" in path.read_text()
    ]
    print(f"Seed {seed}", flush=True)
    os.environ["FUZZ"] = "1"
    # Schemathesis removes the values from hypothesis's failure report.
    without = ("cacheprovider", "xdist", "schemathesis")
    plugins = ["-p", "tests.fuzz.steps", *(f"-pno:{name}" for name in without)]
    options = [
        f"--fuzz-seed={seed}",
        f"--fuzz-seconds={given.seconds}",
        f"--fuzz-test={given.test}",
    ]
    return int(pytest.main(["-q", *plugins, *options, *files]) != pytest.ExitCode.OK)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
