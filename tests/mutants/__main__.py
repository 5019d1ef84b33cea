"""Make mutants, run the tests that cover each of them, and report the survivors.

`python -m tests.mutants --app APP [--sample 100] [--seed TEXT]`

APP is wallets, exchange, orders, credit, config, exchange/api, or sql.

The seed, by default the hash of the commit, draws the sample. Exits with 1 if the score is below
the given threshold.
"""

import argparse
import signal
import sys
import time
from itertools import zip_longest
from pathlib import Path

from tests.mutants import declared_faults, python_faults, runner, sql_faults
from tests.mutants.covering_tests import CoveringTests
from tests.mutants.equivalent import find_stale_keys, read_equivalent
from tests.mutants.faults import NOT_COVERED, Mutant, Outcome, digest
from tests.mutants.report import Report

ROOT = Path(__file__).resolve().parent.parent.parent
_LIKELIEST = 150
# The assumed duration of a test that was not recorded.
_GUESSED_SECONDS = 0.2


def main(arguments: list[str]) -> int:
    """Return 1 when the score is below the threshold."""
    given = _parsed(arguments)
    # A signal to this process also ends its workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended."))
    begins = time.monotonic()
    commit = runner.commit(ROOT)
    seed = given.seed or commit
    home = ROOT / "build" / "mutants"
    recording = Path(given.recording) if given.recording else runner.record(ROOT, home)
    covering = CoveringTests(ROOT, recording)
    definitions = runner.definitions(recording)
    declared = declared_faults.mutants_of(runner.declarations(recording))
    if given.app == "sql":
        every = [
            mutant
            for name, text in definitions.items()
            if covering.is_about(name, given.only)
            for mutant in sql_faults.mutants_of(name, text)
        ]
        every += [
            mutant
            for mutant in declared
            if covering.is_about(mutant.module, given.only) or given.only in mutant.before
        ]
        made, total = python_faults.sample(every, given.sample, seed), len(every)
    else:
        files = [
            path for path in python_faults.rule_modules(ROOT, given.app) if given.only in str(path)
        ]
        places = python_faults.places(ROOT, files)
        made = python_faults.mutants(ROOT, python_faults.sample(places, given.sample, seed))
        total = len(places)
    print(f"Seed {seed}: {len(made)} of {total} mutants of {given.app}", flush=True)

    named = runner.collected(ROOT, given.tests) if given.tests else []
    jobs, outcomes = [], dict.fromkeys(range(len(made)), Outcome(NOT_COVERED))
    for index, mutant in enumerate(made):
        job = _job(covering, definitions, mutant, given, index)
        if named:
            job["tests"] = {name: covering.seconds(name, _GUESSED_SECONDS) for name in named}
        if job["tests"]:
            key = digest(f"{mutant.module}\n{mutant.text}")
            jobs.append({"index": index, "key": key, **job})
    prepared = time.monotonic()
    outcomes |= runner.run(ROOT, home, jobs, given.workers, again=given.again)

    known = read_equivalent()
    facts = {
        "Commit": commit,
        "Seed": seed,
        "Mutants": f"{len(made)} of {total}",
        "Tests recorded": f"{len(covering.tests)} (without {runner.LEFT_OUT})",
        "Tests for one mutant": f"at most {given.limit:.0f} s of them, the likeliest first;"
        f" {sum(1 for each in outcomes.values() if each.left_out)} mutants had more",
        "Wall time": f"{time.monotonic() - prepared:.0f} s with {given.workers} processes,"
        f" and {prepared - begins:.0f} s to prepare",
    }
    report = Report(
        f"Mutants of {given.app}{f' ({given.only})' if given.only else ''}",
        facts, [(mutant, outcomes[index]) for index, mutant in enumerate(made)], known,
    )  # fmt: skip
    path = report.write(Path(given.output or home), f"{given.app.replace('/', '-')}{given.suffix}")
    print(report.markdown())
    for key in find_stale_keys(known.keys() - {each.key for each in declared}, definitions):
        print(f"equivalent.toml names a mutant that no longer exists: {key}")
    print(f"{path}: score {report.score:.1f} %")
    return int(report.score < given.threshold)


def _job(
    covering: CoveringTests,
    definitions: dict[str, str],
    mutant: Mutant,
    given: argparse.Namespace,
    index: int,
) -> dict[str, object]:
    """Return the job that a worker tries a mutant with."""
    if given.app == "sql":
        tests = covering.of_function(mutant.module, definitions)
        kind, source, imported = "sql", "", False
    else:
        tests = covering.of_python(mutant)
        kind, source = "python", (ROOT / mutant.module).read_text()
        imported = covering.is_imported(mutant)
    ordered = covering.ordered(tests, mutant.module)
    # Each mutant of a module gets the likeliest tests in turn with others: a test that kills one
    # mutant is tried first on the rest.
    likeliest, others = ordered[:_LIKELIEST], ordered[_LIKELIEST:]
    first = index * _LIKELIEST % max(len(others), 1)
    mixed = [*others[first:], *others[:first]]
    names = [name for pair in zip_longest(likeliest, mixed) for name in pair if name]
    return {
        "kind": kind, "module": mutant.module, "text": mutant.text, "source": source,
        "imported": imported, "tests": {name: covering.seconds(name) for name in names},
        "limit": given.limit,
    }  # fmt: skip


def _parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--app", choices=[*python_faults.PARTS, "sql"], required=True)
    parser.add_argument("--sample", type=int, default=100, help="number of mutants; 0 for all")
    parser.add_argument("--seed", default="", help="default: the hash of the commit")
    parser.add_argument(
        "--threshold", type=float, default=0.0, help="lowest accepted score, in percent"
    )
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of tests for one mutant")
    parser.add_argument(
        "--again", action="store_true", help="try survivors and timeouts of an earlier run again"
    )
    parser.add_argument(
        "--tests", nargs="+", default=[], help="test files to run instead of the recorded tests"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--only", default="", help="only modules whose name, or SQL file, contains this"
    )
    parser.add_argument("--recording", default="", help="folder of a recording to use")
    parser.add_argument("--output", default="", help="folder for the reports")
    parser.add_argument("--suffix", default="", help="suffix of the reports' names")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
