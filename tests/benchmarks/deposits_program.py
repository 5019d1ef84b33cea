"""Verify payments as the sweep does, and print deposits a second of each round as JSON.

`python -m tests.benchmarks.deposits_program URL PAYMENTS ROUNDS`, under the benchmark's settings;
URL is that of the sandbox's control endpoints.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import django

django.setup()

import requests  # noqa: E402 - Django must be set up before its models are imported
from django.db import connection  # noqa: E402

from tests.factories.api_clients import make_member, make_organisation  # noqa: E402
from wallets.deposits.models import Deposit, Payment, VirtualAccount  # noqa: E402
from wallets.deposits.services.opening import open_virtual_account  # noqa: E402
from wallets.deposits.services.payments import report_payment  # noqa: E402
from wallets.deposits.tasks import sweep_deposits  # noqa: E402
from wallets.providers.collection import ChargeHint  # noqa: E402

MEMBERS = 200
# Sweeps at the same time: one, and as many as a worker has threads.
SWEEPS = {"one sweep": 1, "eight sweeps": 8}
_AMOUNT = 1000


def open_accounts() -> list[VirtualAccount]:
    """Open a virtual account of each member at the sandbox."""
    organisation = make_organisation("Benchmark")
    members = [make_member(organisation) for _ in range(MEMBERS)]
    opened = [
        open_virtual_account(
            organisation_id=organisation.pk, member_id=member.pk, currency="NGN", bvn="12345678901"
        )
        for member in members
    ]
    return list(VirtualAccount.objects.filter(pk__in=opened))


def pay(session: requests.Session, url: str, accounts: list[VirtualAccount], count: int) -> None:
    """Make payments at the sandbox and report them, as its webhooks do."""
    for number in range(count):
        account = accounts[number % len(accounts)]
        body = {"account_number": account.account_number, "amount": _AMOUNT}
        paid = session.post(f"{url}/sandbox/pay", json=body, timeout=30).json()
        report_payment(ChargeHint(str(paid["id"]), paid["tx_ref"]))


def sweep(_: int) -> None:
    """Sweep until no payment is due."""
    try:
        while Payment.objects.filter(status="Reported").exists():
            sweep_deposits()
    finally:
        connection.close()


def main(url: str, payments: int, rounds: int) -> None:
    accounts = open_accounts()
    figures: dict[str, list[float]] = {name: [] for name in SWEEPS}
    with requests.Session() as session:
        for number in range(rounds + 1):
            for name, threads in SWEEPS.items():
                before = Deposit.objects.filter(status="Completed").count()
                pay(session, url, accounts, payments)
                started = perf_counter()
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(sweep, range(threads)))
                taken = perf_counter() - started
                credited = Deposit.objects.filter(status="Completed").count() - before
                if credited != payments:
                    raise RuntimeError(f"{credited} of {payments} payments were credited")
                if number:  # the first round warms up
                    figures[name].append(payments / taken)
    print(json.dumps(figures))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
