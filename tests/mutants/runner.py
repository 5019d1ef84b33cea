"""Runs the processes of mutation testing: the recording of coverage, and the workers."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from tests.mutants.faults import FINAL, UNDECIDED, Outcome, digest

_OUTCOME = {field.name for field in fields(Outcome)}
# Environment variables that tell the plugins their folders.
RECORDING = "MUTANTS_RECORDING"
JOBS = "MUTANTS_JOBS"

# Marks of tests of other programs, and of tests that start whole services.
LEFT_OUT = "browser, node, services"
_MARKS = " and ".join(f"not {mark}" for mark in LEFT_OUT.split(", "))
# Tests that cover no rule of an app, or take long because they kill processes.
IGNORED = (
    "benchmarks", "contract/test_own_wording.py", "contract/test_schemathesis.py", "fuzz",
    "config/test_database_roles.py", "config/test_shared_rate_limits.py", "config/local/demo",
    "faults/test_*kill*.py", "faults/test_exports.py", "faults/test_unreachable_services.py",
    "cluster", "mutants", "screenshots", "upgrade",
)  # fmt: skip
_IGNORE = [f"--ignore-glob=tests/{name}" for name in IGNORED]
_PYTEST = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", "-m", _MARKS, *_IGNORE]
_SOURCES = ("config", "credit", "exchange", "orders", "templates", "tests", "wallets")


def commit(root: Path) -> str:
    """Return the commit hash of a checkout."""
    return _git(root, "rev-parse", "HEAD").strip()


def record(root: Path, home: Path) -> Path:
    """Record the suite once for each state of the sources; return the recording's folder."""
    folder = home / f"recording-{_state(root)}"
    if not folder.exists():
        draft = folder.with_suffix(".draft")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        print("Recording which tests cover what", flush=True)
        environment = os.environ | {RECORDING: str(draft.resolve())}
        plugins = ["-p", "tests.mutants.plugin_loader", "-n", "logical", "--dist", "worksteal"]
        with (home / "recording.log").open("w") as log:
            # Failing tests are left out and counted.
            subprocess.run([*_PYTEST, *plugins], cwd=root, env=environment, stdout=log, check=False)
        draft.rename(folder)
    return folder


def definitions(folder: Path) -> dict[str, str]:
    """Return the SQL functions by signature."""
    return dict(json.loads(min(folder.glob("functions-*.json")).read_text()))


def declarations(folder: Path) -> dict[str, Any]:
    """Return the triggers and transfer rules."""
    return dict(json.loads(min(folder.glob("declarations-*.json")).read_text()))


def collected(root: Path, paths: list[str]) -> list[str]:
    """Return the ids of the tests in the files."""
    command = [*_PYTEST, "--collect-only", *paths]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if "::" in line]


def run(
    root: Path, home: Path, jobs: list[dict[str, Any]], workers: int, *, again: bool
) -> dict[int, Outcome]:
    """Have workers try the jobs and return the outcomes by job index.

    Outcomes of an earlier run are reused; with `again` survivors are tried once more.
    """
    folder = home / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    for path in (*folder.glob("job-*.taken"), *folder.glob("job-*.json")):
        path.unlink()
    done = {
        key for key, result in _results(folder).items() if not again or result["result"] in FINAL
    }
    waiting = [job for job in jobs if job["key"] not in done]
    for number, job in enumerate(waiting):
        (folder / f"job-{number:05}.json").write_text(json.dumps(job))
    if waiting:
        _work(root, home, folder, workers)
    if len(waiting) > len(list(folder.glob("job-*.taken"))):
        raise SystemExit(f"The workers ended early: {folder / 'worker-0.log'}")
    found = _results(folder)
    outcomes = {}
    for job in jobs:
        result = found.get(job["key"], {"result": UNDECIDED, "why": "its worker ended"})
        known = {key: value for key, value in result.items() if key in _OUTCOME}
        outcomes[job["index"]] = Outcome(**known)
    return outcomes


def _work(root: Path, home: Path, folder: Path, workers: int) -> None:
    processes = []
    jobs = [json.loads(path.read_text()) for path in folder.glob("job-*.json")]
    files = sorted({name.partition("::")[0] for job in jobs for name in job["tests"]})
    for number in range(workers):
        copy = home / "copies" / str(number)
        _copy(root, copy)
        environment = os.environ | {
            JOBS: str(folder.resolve()),
            "PYTEST_XDIST_WORKER": f"mutants{number}",
        }
        log = (folder / f"worker-{number}.log").open("a")
        plugins = ["-p", "tests.mutants.plugin_loader", "-pno:xdist", "--capture=sys"]
        processes.append(
            subprocess.Popen(
                [*_PYTEST, *plugins, *files], cwd=copy, env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )
        )  # fmt: skip
        log.close()
    try:
        for process in processes:
            process.wait()
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
                process.wait()


def _copy(root: Path, copy: Path) -> None:
    """Update a private copy of the checkout, keeping its compiled files."""
    wanted = {
        name
        for name in _git(
            root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"
        ).split("\0")
        if name and (root / name).is_file()
    }
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        relative = path.relative_to(copy)
        kept = {"__pycache__", ".venv", "build"}.intersection(relative.parts)
        if str(relative) not in wanted and not kept:
            path.unlink()
    for name in wanted:
        source, target = root / name, copy / name
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    (copy / ".venv").unlink(missing_ok=True)
    (copy / ".venv").symlink_to((root / ".venv").resolve())


def _results(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the outcome of each mutant; a kill takes precedence."""
    lines = [
        json.loads(line)
        for path in folder.glob("results-*.jsonl")
        for line in path.read_text().splitlines()
    ]
    return {line["key"]: line for line in sorted(lines, key=lambda line: line["result"] in FINAL)}


def _state(root: Path) -> str:
    """Return a short hash of the current sources, committed or not."""
    listed = _git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *_SOURCES
    )
    names = (name for name in sorted(listed.split("\0")) if name)
    paths = [root / name for name in names if not name.startswith("tests/mutants/")]
    return digest("".join(f"{path}{path.read_bytes()!r}" for path in paths if path.is_file()))


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
