"""Requests a second with the request log, and without it: reads and refusals.

Both servers use one database. A refusal is the shortest request that the log writes a row for, so
it shows the most that the log can cost; reads are only counted.
"""

import json
from functools import partial
from typing import Any

from tests.benchmarks import load
from tests.benchmarks.comparison import MIN_RATIO, OURS
from tests.benchmarks.installation import Installation
from tests.benchmarks.rounds import take_rounds
from tests.benchmarks.withdrawals import BANK, WALLETS

_WITHOUT = "without the log"
_MEMBERS = "/v1/api/members"


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return medians, ratios, CPU time and the raw rounds of one interleaved run."""
    made = json.loads(installation.python("tests.benchmarks.dataset", str(WALLETS), BANK))
    bearer = f"Bearer {made['token']}"
    servers = {
        OURS: installation.serve_ours(REQUEST_LOG_ENABLED="true"),
        _WITHOUT: installation.serve_ours(REQUEST_LOG_ENABLED="false"),
    }
    figures = {}
    for scenario, status in (("reads", 200), ("refusals", 400)):

        def work(base: str, status: int, length: float) -> tuple[int, float]:
            request = (
                load.get(f"{base}{_MEMBERS}/{made['members'][0]}", bearer)
                if status == 200
                else load.post(f"{base}{_MEMBERS}", b"{}", bearer)
            )
            found = load.run(base, lambda: request, connections=connections, seconds=length)
            if set(found.statuses) != {status}:
                raise RuntimeError(f"requests were answered {dict(found.statuses)}")
            return found.statuses[status], found.seconds

        contenders = {name: partial(work, base, status) for name, base in servers.items()}
        figures[scenario] = {
            **take_rounds(installation, contenders, seconds, rounds).figures(),
            "bars": {_WITHOUT: MIN_RATIO},
        }
    return figures
