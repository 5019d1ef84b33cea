"""Effective, upcoming and pending values of settings, and their defaults."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.currencies import currencies, payout_currencies
from tests.environment.owner import without_guards
from tests.factories.bare_rows import insert_row
from tests.factories.configuration import set_setting
from wallets.fees.models import SettingChange
from wallets.fees.selectors import (
    effective_changes,
    effective_setting,
    minimum_withdrawal,
    settings_with_values,
    upcoming_changes,
    withdrawal_fee,
)
from wallets.withdrawals.selectors.approvals import SoleApprovals

pytestmark = pytest.mark.django_db

FEE = "KES_WITHDRAWAL_FEE"
HOUR = timedelta(hours=1)


def put_changes(*changes: tuple[str, str, int, timedelta | None]) -> None:
    """Insert changes: key, status, value and when they take effect, from now."""
    now = timezone.now()
    with without_guards() as cursor:
        for number, (key, status, value, after) in enumerate(changes):
            insert_row(
                cursor,
                SettingChange,
                configuration_id=key,
                status=status,
                value=value,
                effective_at=None if after is None else now + after,
                decided_at=now + number * timedelta(minutes=1),
            )


def test_the_minimum_withdrawal_is_at_least_one_and_a_fee_may_be_zero():
    key = "MINIMUM_WITHDRAWAL_KES"
    for value, least in (("0.5", 1), ("1", 1), ("1.5", Decimal("1.5"))):
        set_setting(key, value)
        assert (effective_setting(key), minimum_withdrawal("KES")) == (Decimal(value), least)
    assert effective_setting("NOTHING") is None
    assert (minimum_withdrawal("ZZZ"), withdrawal_fee("ZZZ")) == (Decimal(1), Decimal(0))
    set_setting(FEE, "7.5")
    assert withdrawal_fee("KES") == Decimal("7.5")


def test_a_setting_has_an_effective_an_upcoming_and_a_pending_value():
    put_changes(
        (FEE, "Approved", 1, -3 * HOUR),
        (FEE, "Approved", 2, -HOUR),
        # Approved later for the same time: takes precedence.
        (FEE, "Approved", 3, -HOUR),
        (FEE, "Rejected", 4, -HOUR / 2),
        (FEE, "Rejected", 5, HOUR / 2),
        (FEE, "Approved", 6, 2 * HOUR),
        (FEE, "Approved", 7, HOUR),
        (FEE, "Approved", 8, HOUR),
        (FEE, "Pending", 9, None),
        ("NGN_WITHDRAWAL_FEE", "Pending", 10, None),
        ("GHS_WITHDRAWAL_FEE", "Approved", 11, -HOUR / 4),
    )
    assert [change.value for change in effective_changes()] == [11, 3, 2, 1]
    assert [change.value for change in upcoming_changes()] == [8, 7, 6]
    columns = ("effective_value", "upcoming_value", "pending_value")
    rows: dict[str, Any] = {row["key"]: row for row in settings_with_values().values()}
    assert [rows[FEE][name] for name in columns] == [3, 8, 9]
    effect = {row.value: row.effective_at for row in SettingChange.objects.all()}
    assert rows[FEE]["since"] == effect[Decimal(3)]
    assert rows[FEE]["upcoming_at"] == effect[Decimal(8)]
    other = rows["NGN_WITHDRAWAL_FEE"]
    assert [other[name] for name in columns] == [other["value"], None, 10]
    assert (other["since"], other["upcoming_at"]) == (None, None)
    unchanged = [
        row
        for row in rows.values()
        if row["effective_value"] == row["value"] and row["pending_value"] is None
    ]
    assert len(unchanged) == len(rows) - 3
    assert effective_setting(FEE) == 3


def test_one_person_approves_up_to_the_limit_and_any_amount_without_one():
    for total, most, left, allowed, refused in (
        (3, 5, 2, [0, 2], [3]),
        (5, 5, 0, [0], [1]),
        (7, 5, 0, [], [0, 1]),
        (3, None, 0, [0, 10**9], []),
        (0, 0, 0, [0], [1]),
    ):
        found = SoleApprovals(Decimal(total), None if most is None else Decimal(most))
        assert found.left == left, (total, most)
        for amount in (*allowed, *refused):
            assert found.allows(Decimal(amount)) is (amount in allowed), (total, most, amount)


def test_currencies_are_read_once():
    assert currencies() is currencies()
    assert [*currencies()] == ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"]
    assert payout_currencies() == ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS")
