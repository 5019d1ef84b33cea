"""Months in the past: work of now, dated into them, and their closes."""

import random
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db import connection
from django.utils import timezone

from exchange.staff.models import StaffUser
from tests.environment.owner import without_guards
from tests.factories.adjustments import adjust, entry_terms
from tests.factories.transfers import transfer
from tests.factories.treasury import move, terms
from tests.factories.wallets import Wallet, make_member_wallet, make_staff
from wallets.ledger.models import BooksProof, Entry, PeriodClose, Transfer
from wallets.ledger.periods import Period
from wallets.periods.services import confirm_close, propose_close

# Over for more than a month, whatever day it is.
MONTH = Period.month_of(timezone.now().date()).previous.previous


def closer() -> StaffUser:
    """Return a new person who may close months."""
    return make_staff("close_period")


def work(choose: random.Random, steps: int) -> None:
    """Do random work in KES: deposits, transfers, movements and adjusting entries."""
    wallet = make_member_wallet(10_000)
    whole = Wallet(wallet.organisation).fund(10_000)
    for step in range(steps):
        amount = Decimal(choose.randint(1, 90_000)) / 100
        kind = choose.choice(["deposit", "transfer", "top_up", "charge", "correction"])
        if kind == "deposit":
            wallet.fund(amount)
        elif kind == "transfer":
            payer, payee = choose.sample([wallet, whole], 2)
            transfer(payer, payee, amount)
        elif kind == "top_up":
            move(terms("top_up", str(amount), reference=f"BANK-{step}"))
        elif kind == "charge":
            adjust(entry_terms(str(amount)))
        else:
            account = choose.choice(["fees", "treasury", "expenses"])
            way = choose.choice(["less", "more"])
            adjust(entry_terms(str(amount), kind="correction", account=account, direction=way))


def id_of(moment: datetime, number: int) -> UUID:
    """Return a UUIDv7 of a moment; greater numbers make greater ids."""
    milliseconds = int(moment.timestamp() * 1000)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | 0b10 << 62 | number)


def date_transfers(moments: list[datetime], *, jitter: random.Random | None = None) -> None:
    """Date all transfers, in their order, to `moments`; ids are at most 50 minutes off.

    Ids of entries keep their order, so balances after them stay right.
    """
    with connection.cursor() as cursor:
        # What is checked at the end of the transaction has the ids of now.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    transfers = list(Transfer.objects.order_by("id"))
    assert len(transfers) == len(moments)
    number, last = 0, datetime.min.replace(tzinfo=moments[0].tzinfo)
    with without_guards() as cursor:
        for each, moment in zip(transfers, moments, strict=True):
            off = timedelta(minutes=jitter.uniform(-50, 50) if jitter else 0)
            # Later than the one before, as the posting function does.
            last = max(last, moment + off)
            new = id_of(last, number)
            entries = Entry.objects.filter(transfer_id=each.pk).order_by("id")
            for entry in list(entries):
                number += 1
                cursor.execute(
                    "UPDATE wallets_entry SET id = %s, transfer_id = %s WHERE id = %s",
                    [id_of(last, number), new, entry.pk],
                )
            cursor.execute(
                "UPDATE wallets_transfer SET id = %s, created_at = %s WHERE id = %s",
                [new, moment, each.pk],
            )


def spread(period: Period, choose: random.Random) -> list[datetime]:
    """Return as many random moments of a period as there are transfers, in order."""
    seconds = (period.ends - period.begins).total_seconds() - 1
    count = Transfer.objects.count()
    return sorted(
        period.begins + timedelta(seconds=choose.uniform(0, seconds)) for _ in range(count)
    )


def store_proof(ran_at: datetime | None = None, **changes: object) -> BooksProof:
    """Store a full proof that passed."""
    values = {"passed": True, "incremental": False, "milliseconds": 1} | changes
    return BooksProof.objects.create(ran_at=ran_at or timezone.now(), **values)


def close_month(period: Period = MONTH) -> PeriodClose:
    """Propose to close a month, and confirm it as another person."""
    proposed = propose_close(month=period.first, user=closer())
    return confirm_close(close_id=proposed.pk, user=closer())


def close_unchecked(period: Period) -> PeriodClose:
    """Store the close of a month, whether or not it is over."""
    with without_guards():
        return PeriodClose.objects.create(
            month=period.first,
            proof=store_proof(),
            status="Approved",
            proposed_by=closer(),
            decided_by=closer(),
            decided_at=timezone.now(),
            created_at=timezone.now(),
            csv=b"x",
            csv_sha256="x",
        )
