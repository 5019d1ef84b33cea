"""A worker's verdicts on a small project: what a test notices, and what none does."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.environment.database import Connection
from tests.mutants import sample
from tests.mutants.runner import JOBS

_ROOT = Path(__file__).parent.parent.parent
_CONFTEST = """
from tests.environment.database import django_db_setup
"""
_TESTS = """
from decimal import Decimal

import pytest
from django.db import connection
from rules import is_enough

def test_the_lowest_amount_is_enough():
    assert is_enough(10)

@pytest.mark.django_db
def test_what_is_left_goes_down():
    with connection.cursor() as cursor:
        cursor.execute("SELECT round_down(1.55, 0.1), 1")
        assert cursor.fetchone()[0] == Decimal("1.5")
"""
_OF_PYTHON = "test_rules.py::test_the_lowest_amount_is_enough"
_OF_SQL = "test_rules.py::test_what_is_left_goes_down"
_SETTINGS = "[pytest]\nDJANGO_SETTINGS_MODULE = config.settings.test\npythonpath = . {root}\n"


@pytest.mark.slow
def test_each_mutant_is_tried_and_reported(owner_connection: Connection, tmp_path: Path) -> None:
    source = Path(sample.__file__).read_text()
    project, jobs = tmp_path / "project", tmp_path / "jobs"
    for folder in (project, jobs):
        folder.mkdir()
    for name, text in (("rules.py", source), ("test_rules.py", _TESTS), ("conftest.py", _CONFTEST),
                       ("pytest.ini", _SETTINGS.format(root=_ROOT))):  # fmt: skip
        (project / name).write_text(text)
    round_down = _definition(owner_connection, "round_down(numeric,numeric)")
    round_up = _definition(owner_connection, "round_up(numeric,numeric)")
    made = [
        _python_job(source, ">= LOWEST", "> LOWEST"),
        _python_job(source, "amount < 0", "amount < 1"),
        _python_job(source, "LOWEST = 10", "LOWEST = 11", imported=True),
        _python_job(source, "LOWEST = 10", "LOWEST = 9"),
        _sql_job(round_down.replace("p_value -", "p_value +")),
        _sql_job(round_up.replace("p_value -", "p_value +")),
        _sql_job(round_up.replace("RETURN", "RETURN unknown_name +")),
    ]
    for index, job in enumerate(made):
        (jobs / f"job-{index:05}.json").write_text(json.dumps({"key": str(index), **job}))

    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.plugin_loader", "-pno:xdist",
         "-pno:cacheprovider", "--import-mode=importlib"],
        cwd=project, timeout=300, check=True, stdout=subprocess.DEVNULL,
        env=os.environ | {JOBS: str(jobs), "PYTHONPATH": str(_ROOT),
                          "PYTEST_XDIST_WORKER": f"tried{os.getpid()}"},
    )  # fmt: skip

    lines = (jobs / f"results-tried{os.getpid()}.jsonl").read_text().splitlines()
    reported = [(line["result"], line.get("test", "")) for line in map(json.loads, lines)]
    assert reported == [
        ("killed", _OF_PYTHON),
        ("survived", ""),
        ("killed", _OF_PYTHON),
        ("survived", ""),
        ("killed", _OF_SQL),
        ("survived", ""),
        ("invalid", ""),
    ]
    assert (project / "rules.py").read_text() == source


def _python_job(source: str, before: str, after: str, imported: bool = False) -> dict[str, Any]:
    assert before in source
    return {"kind": "python", "module": "rules.py", "source": source, "imported": imported,
            "text": source.replace(before, after), "tests": {_OF_PYTHON: 0.1},
            "limit": 9}  # fmt: skip


def _sql_job(definition: str) -> dict[str, Any]:
    return {"kind": "sql", "module": "", "text": definition, "tests": {_OF_SQL: 0.1},
            "limit": 9}  # fmt: skip


def _definition(connection: Connection, signature: str) -> str:
    found = connection.execute(
        "SELECT pg_get_functiondef(%s::regprocedure)", [signature]
    ).fetchone()
    assert found is not None
    assert "p_value -" in found[0]
    return str(found[0])
