"""Opens pages of the back office as a finance approver and prints measurements as JSON.

Run as a program under the benchmark's settings; the argument is the number of rounds.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402 - Django must be set up before its models are
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from config.back_office.roles import FINANCE_APPROVER, create_staff  # noqa: E402
from exchange.staff.models import StaffUser  # noqa: E402
from tests.factories.logins import sign_in  # noqa: E402
from wallets.ledger.models import Account  # noqa: E402
from wallets.withdrawals.models import Withdrawal  # noqa: E402

_NAME = "bench.finance"


def _addresses() -> dict[str, str]:
    pending = Withdrawal.objects.filter(status="Pending").first()
    clearing = Account.objects.filter(kind="clearing").first()
    assert pending is not None
    assert clearing is not None
    return {
        "dashboard": "",
        "withdrawals, pending": "wallets/withdrawal/?status=Pending",
        "withdrawals, completed": "wallets/withdrawal/?status=Completed",
        "withdrawals, awaiting my approval": "wallets/withdrawal/?view=awaiting_my_approval",
        "withdrawals, stuck": "wallets/withdrawal/?view=stuck",
        "withdrawals, by reference": f"wallets/withdrawal/?q={pending.reference}",
        "withdrawals, by payee": "wallets/withdrawal/?q=member+500",
        "withdrawals, by a common word": "wallets/withdrawal/?q=member",
        "withdrawals, by a word without matches": "wallets/withdrawal/?q=nobody",
        "withdrawals, by account": "wallets/withdrawal/?q=0690000500",
        "review of a withdrawal": f"wallets/withdrawal/{pending.pk}/change/",
        "payouts": "wallets/payout/",
        "payouts, by a word without matches": "wallets/payout/?q=nobody",
        "entries": "wallets/entry/",
        "entries of clearing": f"wallets/entry/?account__id__exact={clearing.pk}",
        "transfers": "wallets/transfer/",
        "page of the clearing account": f"wallets/account/{clearing.pk}/change/",
    }


def _open(client: Client, address: str, rounds: int) -> dict[str, Any]:
    times = []
    client.get(address)
    for _ in range(rounds):
        started = perf_counter()
        response = client.get(address)
        times.append(1000 * (perf_counter() - started))
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address)
    if response.status_code != 200:
        raise RuntimeError(f"{address} responded with {response.status_code}")
    return {"milliseconds": times, "queries": len(queries), "bytes": len(response.content)}


def main(rounds: int) -> None:
    user = StaffUser.objects.filter(username=_NAME).first() or create_staff(
        _NAME, "correct horse battery", FINANCE_APPROVER
    )
    client = Client(SERVER_NAME="127.0.0.1")
    sign_in(client, user)
    print(
        json.dumps(
            {
                name: _open(client, f"/admin/{address}", rounds)
                for name, address in _addresses().items()
            }
        )
    )


main(int(sys.argv[1]))
