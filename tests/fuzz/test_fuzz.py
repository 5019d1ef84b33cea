"""`make fuzz` exits with 1 when a property fails, and prints how to repeat it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PROPERTIES = """
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(0, 10**9))
def test_passes(number):
    assert number >= 0


@given(st.integers(0, 10**9))
def test_fails_for_some(number):
    {check}
"""

FEW_EXAMPLES = """
from hypothesis import given
from hypothesis import strategies as st

from tests.environment.property_tests import examples


@examples("FUZZED", 3)
@given(st.integers(0, 10**9))
def test_with_few_examples(number):
    open({seen!r}, "a").write(f"{{number}} ")
"""


@pytest.fixture
def properties(tmp_path: Path):
    """Return a function that writes a passing property and one with `check` to a file."""

    def write(check: str) -> str:
        path = tmp_path / "test_properties_of_hypothesis.py"
        path.write_text(PROPERTIES.format(check=check))
        return str(path)

    return write


def fuzz(*arguments: str) -> tuple[int, str]:
    """Run the command; return its exit code and output."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *arguments],
        cwd=CHECKOUT,
        # Like CI, where hypothesis ignores seeds by default.
        env={**os.environ, "CI": "true"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_failure_exits_with_1_and_prints_a_command_that_repeats_it(properties):
    path = properties("assert number % 997, number")
    code, said = fuzz("--seconds", "60", "--seed", "7", path)
    assert code == 1, said
    found = re.search(r"make fuzz SEED=(\d+) TEST=(\S+)", said)
    assert found, said
    assert found[2].endswith("::test_fails_for_some")
    example = re.findall(r"AssertionError: (\d+)", said)
    assert f"number={example[0]}," in said
    code, again = fuzz("--seed", found[1], "--test", found[2], path)
    assert code == 1, again
    assert re.findall(r"AssertionError: (\d+)", again) == example
    assert "1 failed" in again


def test_each_seed_draws_others_and_a_run_without_failure_exits_with_0(properties, tmp_path):
    seen = tmp_path / "seen"
    path = properties(f"open({str(seen)!r}, 'a').write(f'{{number}} ')")
    drawn = []
    for seed in ("1", "2", "1"):
        seen.unlink(missing_ok=True)
        code, said = fuzz("--seed", seed, "--test", "::test_fails_for_some", path)
        assert code == 0, said
        drawn.append(seen.read_text())
    assert drawn[0] == drawn[2]
    assert len(set(drawn[0].split()) & set(drawn[1].split())) < 20


def test_it_runs_until_the_time_is_used(properties):
    code, said = fuzz("--seconds", "1.5", properties("assert True"))
    assert code == 0, said
    used = re.search(r"Seed \d+: \d+ turns of \d tests in ([0-9.]+) s", said)
    assert used, said
    assert float(used[1]) >= 1.5


def test_each_seed_draws_others_of_a_property_with_few_examples_too(tmp_path):
    seen, path = tmp_path / "seen", tmp_path / "test_few_of_hypothesis.py"
    path.write_text(FEW_EXAMPLES.format(seen=str(seen)))
    drawn = []
    for seed in ("1", "2", "1"):
        seen.unlink(missing_ok=True)
        code, said = fuzz("--seed", seed, "--test", "::test_with_few_examples", str(path))
        assert code == 0, said
        drawn.append(seen.read_text())
    assert drawn[0] == drawn[2] != drawn[1]
