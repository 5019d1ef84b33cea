"""Requests for tests of 24-hour totals. KES: two people from 500,000 on."""

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


def account_number(number: int) -> str:
    """Return an account number that no other owner uses."""
    return f"06{number:08}"


def approve(withdrawal: Withdrawal, person: StaffUser | None = None) -> Withdrawal:
    withdrawal.refresh_from_db()
    return decisions.approve(
        withdrawal_id=withdrawal.id,
        version=withdrawal.version,
        approver=person or make_staff(),
        override=OVERRIDE,
    )


def request_in_parts(count: int) -> list[Withdrawal]:
    """Make `count` requests, each with its own owner and account."""
    return [make_wallet(PART).request(PART, account=account_number(n)) for n in range(count)]


def rewrite(owner: psycopg.Connection[Any], withdrawal: Withdrawal, **columns: Any) -> None:
    """Overwrite columns that the guards protect."""
    values = ", ".join(f"{name} = %s" for name in columns)
    owner.execute("SET session_replication_role = replica")
    owner.execute(
        f"UPDATE wallets_withdrawal SET {values} WHERE id = %s",
        [*columns.values(), withdrawal.id],
    )
    owner.execute("SET session_replication_role = origin")


def hours_ago(hours: float) -> datetime:
    return timezone.now() - timedelta(hours=hours)


def request_every_25_hours(owner: psycopg.Connection[Any], count: int) -> list[Withdrawal]:
    """Make one request every 25 hours to one account, each of another owner."""
    parts = [make_wallet(PART).request(PART) for _ in range(count)]
    for n, part in enumerate(parts):
        rewrite(owner, part, created_at=hours_ago(25 * (n + 1)))
    return parts
