"""The results page shows the numbers of the result files."""

import json
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.results_page import render

RUN = {
    "at": "2026-11-25T02:00:00+00:00",
    "python": "3.11.7",
    "cores": 2,
    "rounds": 5,
    "seconds": 4.0,
    "connections": 32,
    "beside": None,
}
ORDERS = {
    "benchmark": "orders",
    **RUN,
    "figures": {
        "one connection": {
            "per_second": {"ours": 923.4, "orm": 100.2},
            "ours_times": {"orm": 9.22},
        }
    },
}
PAGES = {
    "benchmark": "back_office",
    **RUN,
    "figures": {"dashboard": {"milliseconds": 97.1, "queries": 23, "rounds": [97.0, 97.2]}},
}

REPLICA = {
    "benchmark": "replica",
    **RUN,
    "figures": {
        "statements": {
            "per_second": {"primary only": 253.1, "with replica": 247.0},
            "primary_saved": 0.88,
            "rounds": {"primary only": [2.1], "with replica": [0.2]},
        }
    },
}


def test_rates_stand_with_their_ratio_and_other_results_with_every_number():
    page = render([ORDERS, PAGES, REPLICA])
    assert "## Orders\n" in page
    assert "2026-11-25, Python 3.11.7, 2 cores, 5 rounds of 4 s, 32 connections." in page
    assert "| one connection | ours | 923 |  |" in page
    assert "| one connection | orm | 100 | 9.22x |" in page
    assert "## Back office\n" in page
    assert "| Scenario | milliseconds | queries |" in page
    assert "| dashboard | 97.1 | 23 |" in page
    assert (
        "| Scenario | per second, primary only | per second, with replica | primary saved |" in page
    )
    assert "| statements | 253.1 | 247 | 0.88 |" in page


def test_the_program_writes_the_page_without_comparisons_of_versions(tmp_path: Path):
    (tmp_path / "orders.json").write_text(json.dumps(ORDERS))
    (tmp_path / "orders-beside.json").write_text(json.dumps({**ORDERS, "beside": "424a605"}))
    page = tmp_path / "page.md"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.benchmarks.results_page",
            "--results",
            tmp_path,
            "--page",
            page,
        ],
        check=True,
    )
    assert page.read_text() == render([ORDERS])
