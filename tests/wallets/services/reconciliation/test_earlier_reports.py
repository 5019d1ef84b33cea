"""What the migration makes of reports that were kept before there were breaks."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest
from django.db import connection

from tests.support.staff import as_owner
from tests.support.world import SYSTEM
from tests.wallets.services.reconciliation.harness import breaks, compare, gap_of, off
from wallets.models import LineKind, Reconciliation, ReconciliationBreak, ReconciliationLine

pytestmark = pytest.mark.django_db

MIGRATION = import_module("wallets.migrations.0027_reconciliation_breaks")
DAY = date(2026, 3, 2)


def kept(day: date, status: str, *lines: dict[str, Any], after: int = 1) -> Reconciliation:
    """A report about `day`, made `after` days, as it was kept before."""
    when = datetime.combine(day, time(3), UTC) + timedelta(days=after)
    report = Reconciliation.objects.create(
        day=day,
        status=status,
        differences=sum(line.get("off", False) for line in lines),
        asked_by=str(SYSTEM),
        asked_by_label=SYSTEM.label,
        created_at=when,
        finished_at=when,
    )
    for position, line in enumerate(lines):
        ReconciliationLine.objects.create(
            report=report, position=position, **{"off": False, "currency_id": "KES"} | line
        )
    return report


def gap(amount: str, before: str | None = None) -> dict[str, Any]:
    ours = None if before is None else Decimal(before)
    return {"kind": LineKind.GAP, "our_amount": ours, "their_amount": Decimal(amount)}


def moved(before: str, after: str) -> dict[str, Any]:
    """The gap changed, which the next report took for expected."""
    amounts = {"our_amount": Decimal(before), "their_amount": Decimal(after)}
    return {"kind": LineKind.FLOAT, "off": True, **amounts}


def stranger(name: str) -> dict[str, Any]:
    amount = Decimal(50)
    return {"kind": LineKind.UNKNOWN, "off": True, "reference": name, "their_amount": amount}


def migrate() -> None:
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(MIGRATION._OPEN_BREAKS, None)


def test_differences_nobody_explained_become_open_breaks(sandbox, wallet):
    kept(DAY, "Agrees", gap("0"))
    kept(DAY + timedelta(days=1), "Differs", gap("-7", "0"), moved("0", "-7"), stranger("one"))
    # Compared again: one difference of payouts is gone, and the gap was taken for expected.
    kept(DAY + timedelta(days=1), "Differs", gap("-7", "-7"), stranger("two"), after=2)
    # A day that was not over.
    kept(DAY + timedelta(days=3), "Differs", gap("-7", "-7"), stranger("three"), after=0)
    migrate()
    assert sorted(breaks()) == [
        ("Balance", "-7", "Open", True),
        ("Unknown to us", "50", "Open", True),
    ]
    assert ReconciliationBreak.objects.get(kind="Unknown to us").reference == "two"
    sandbox.book.set_float("KES", Decimal(20_000 - 7))
    report = compare()
    assert off(report) == [("Balance", "", "", "Unexplained: -7")]
    assert gap_of(report, "KES") == (Decimal(0), Decimal(-7))
    assert len(breaks(kind="Balance")) == 1


def test_a_balance_that_was_not_named_is_named_so():
    line = {"kind": LineKind.FLOAT, "off": True, "our_amount": Decimal(9)}
    kept(DAY, "Differs", line)
    migrate()
    assert breaks() == [("No balance named", "-9", "Open", True)]
