"""Requests to approve, for tests of totals over 24 hours. KES: two people from 500,000 on."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import psycopg
from django.utils import timezone

from exchange.staff.models import StaffUser
from tests.factories.wallets import OVERRIDE, make_staff, make_wallet
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

PART = Decimal(200_000)
DAILY, SOLE = "SECOND_APPROVAL_DAILY_ABOVE_KES", "SOLE_APPROVALS_DAILY_KES"


def account(number: int) -> str:
    """An account of nobody else's."""
    return f"06{number:08}"


def approve(withdrawal: Withdrawal, person: StaffUser | None = None) -> Withdrawal:
    withdrawal.refresh_from_db()
    return decisions.approve(
        withdrawal_id=withdrawal.id,
        version=withdrawal.version,
        approver=person or make_staff(),
        override=OVERRIDE,
    )


def ask_in_parts(count: int) -> list[Withdrawal]:
    """As many requests of as many owners to as many accounts."""
    return [make_wallet(PART).request(PART, account=account(n)) for n in range(count)]


def rewrite(owner: psycopg.Connection[Any], withdrawal: Withdrawal, **columns: Any) -> None:
    """Write history as it never happened."""
    values = ", ".join(f"{name} = %s" for name in columns)
    owner.execute("SET session_replication_role = replica")
    owner.execute(
        f"UPDATE wallets_withdrawal SET {values} WHERE id = %s",
        [*columns.values(), withdrawal.id],
    )
    owner.execute("SET session_replication_role = origin")


def hours_ago(hours: float) -> datetime:
    return timezone.now() - timedelta(hours=hours)


def saved_up(owner: psycopg.Connection[Any], count: int) -> list[Withdrawal]:
    """One request for the same account every 25 hours, of as many owners."""
    parts = [make_wallet(PART).request(PART) for _ in range(count)]
    for n, part in enumerate(parts):
        rewrite(owner, part, created_at=hours_ago(25 * (n + 1)))
    return parts
