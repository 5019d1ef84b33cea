"""The peer as a contender of the distribution benchmark: pays holders one by one with the ORM.

`python -m tests.benchmarks.peers.drf_orm.income HOLDERS`, under its settings. For each line of
standard input it pays all holders once, and prints the seconds.
"""

import json
import sys
from decimal import Decimal
from time import perf_counter

import django

django.setup()

from django.db import transaction  # noqa: E402 - Django must be set up before its models are

from exchange.core.ids import uuid7  # noqa: E402
from tests.benchmarks.peers.drf_orm.models import (  # noqa: E402
    Account,
    Entry,
    Income,
    Transfer,
)

_NET = Decimal(25)


def make_accounts(holders: int) -> tuple[Account, list[Account]]:
    """Make the account that is paid from, and those of the holders."""
    source, *held = Account.objects.bulk_create(
        Account(holder=uuid7(), organisation_id=1, currency="NGN", kind="available", balance=0)
        for _ in range(holders + 1)
    )
    return source, held


def pay(source: Account) -> float:
    """Pay what is due, each holder in a transaction; return the seconds."""
    Income.objects.bulk_create(Income(account=account, net=_NET) for account in accounts)
    started = perf_counter()
    for income in Income.objects.filter(status="Due").iterator():
        with transaction.atomic():
            account = Account.objects.select_for_update().get(pk=income.account_id)
            account.balance += income.net
            account.save(update_fields=["balance"])
            transfer = Transfer.objects.create(reference=f"income:{income.pk}", kind="income")
            Entry.objects.create(transfer=transfer, account=source, amount=-income.net)
            Entry.objects.create(transfer=transfer, account=account, amount=income.net)
            income.status = "Paid"
            income.save(update_fields=["status"])
    return perf_counter() - started


paid_from, accounts = make_accounts(int(sys.argv[1]))
print(json.dumps({}), flush=True)
for _line in sys.stdin:
    print(json.dumps(pay(paid_from)), flush=True)
