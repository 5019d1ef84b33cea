"""Opens pages of members and organisations, and searches; prints milliseconds and queries as JSON.

Run as a program under the benchmark's settings. `token` lists a token and prints its id; a number
is the number of rounds.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from time import perf_counter
from typing import Any
from urllib.parse import quote

import django

django.setup()

from django.db import connection  # noqa: E402 - Django must be set up before its models are
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from config.back_office.roles import FINANCE_APPROVER, create_staff  # noqa: E402
from exchange.participants.models import Member, Organisation  # noqa: E402
from exchange.staff.models import StaffUser  # noqa: E402
from tests.factories.logins import sign_in  # noqa: E402
from tests.factories.tokens import make_token  # noqa: E402
from wallets.deposits.models import Deposit  # noqa: E402
from wallets.withdrawals.models import Withdrawal  # noqa: E402

_NAME = "bench.customers"


def _addresses() -> dict[str, str]:
    member = Member.objects.get(email="m500@example.com")
    organisation = Organisation.objects.get(pk=member.organisation_id)
    person = f"exchange/member/{member.pk}"
    firm = f"exchange/organisation/{organisation.pk}"
    withdrawal = Withdrawal.objects.filter(owner_id=member.pk).latest("pk")
    deposit = Deposit.objects.filter(owner_id=member.pk).latest("pk")
    # In the middle of the history, where many older and many newer records are.
    middle = f"{(datetime.now(UTC) - timedelta(days=350)).isoformat()}~{member.pk}"
    searches = {
        "name": "Member 500",
        "a word of every name": "member",
        "email": member.email,
        "id of a member": str(member.pk),
        "id of a withdrawal": str(withdrawal.pk),
        "reference of a withdrawal": withdrawal.reference,
        "reference of a deposit": deposit.reference,
        "client reference": "transfer-500",
        "client order ID": "order-500-1",
        "account number": "0690000500",
        "frequent amount": "2,000.00 KES",
        "amount without currency": "10,123",
        "amount of orders": "500",
        "bank of every payee": "equity ban",
        "nothing": "no such record",
    }
    return {
        "page of a member": f"{person}/change/",
        "timeline of a member": f"{person}/timeline/",
        "page of the organisation": f"{firm}/change/",
        "timeline of the organisation": f"{firm}/timeline/",
        "the same, from the middle": f"{firm}/timeline/?before={quote(middle)}",
        **{f"search: {name}": f"search/?q={quote(text)}" for name, text in searches.items()},
        **_main_pages(withdrawal, deposit),
    }


def _main_pages(withdrawal: Withdrawal, deposit: Deposit) -> dict[str, str]:
    """Return the addresses of the pages where staff work, and of some records."""
    lists = ("withdrawal", "payout", "deposit", "bankaccount", "transfer", "entry", "statementline")
    pending = Withdrawal.objects.filter(status="Pending").latest("pk")
    return {
        "dashboard": "",
        "awaiting my approval": "inbox/",
        "approvals by day": "approvals/",
        "treasury": "wallets/reconciliation/treasury/",
        "pending withdrawals": "wallets/withdrawal/?status=Pending",
        "review of a withdrawal": f"wallets/withdrawal/{pending.pk}/change/",
        "its confirmation": f"wallets/withdrawal/{pending.pk}/approve/",
        "a completed withdrawal": f"wallets/withdrawal/{withdrawal.pk}/change/",
        "a deposit": f"wallets/deposit/{deposit.pk}/change/",
        "a bank record": f"wallets/bankaccount/{withdrawal.pk}/change/",
        "trial balance": "wallets/account/trial-balance/",
        "general ledger": "wallets/entry/general-ledger/",
        "list of orders": "orders/order/",
        "list of members": "exchange/member/",
        "list of events": "exchange/event/",
        **{f"list of {name}": f"wallets/{name}/" for name in lists},
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
    if b"Not all records were searched" in response.content:
        raise RuntimeError(f"{address} was cut short")
    return {"milliseconds": times, "queries": len(queries)}


def main(argument: str) -> None:
    if argument == "token":
        token = make_token(total_supply=Decimal(10**9), currency="KES")
        print(json.dumps({"token": str(token.pk)}))
        return
    user = StaffUser.objects.filter(username=_NAME).first() or create_staff(
        _NAME, "correct horse battery", FINANCE_APPROVER
    )
    client = Client(SERVER_NAME="127.0.0.1")
    sign_in(client, user)
    pages = {
        name: _open(client, f"/admin/{address}", int(argument))
        for name, address in _addresses().items()
    }
    print(json.dumps(pages))


main(sys.argv[1])
