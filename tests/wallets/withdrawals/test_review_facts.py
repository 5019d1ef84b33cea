"""Velocity, inflow and account use: periods and owners that count."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from exchange.core.ids import uuid7
from tests.environment.owner import without_guards
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.bare_rows import insert_row
from wallets.banks.models import BankAccount
from wallets.deposits.models import Deposit
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.review_facts import (
    MAX_NAMED_OWNERS,
    RequestTotals,
    find_owners_sharing_account,
    recent_deposits,
    request_velocity,
)

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
NOTHING = RequestTotals(0, Decimal(0))


def put_withdrawal(cursor: Any, amount: int = 1, **columns: Any) -> UUID:
    """Insert a withdrawal with these columns, without its history."""
    row = insert_row(cursor, Withdrawal, amount=amount, disburse_amount=amount, **columns)
    found: UUID = row["id"]
    return found


def totals_of(*amounts: int) -> RequestTotals:
    """Return the totals of requests of these amounts."""
    return RequestTotals(len(amounts), Decimal(sum(amounts)))


def test_velocity_counts_one_day_and_thirty_days_before_the_decision():
    firm, person, other_person = uuid7(), uuid7(), uuid7()
    of_person = {"organisation_id": firm, "member_id": person}
    with without_guards() as cursor:
        decided = put_withdrawal(
            cursor, 1, **of_person, status="Rejected", actioned_on=NOON, created_at=NOON - DAY / 2
        )
        for amount, ago in (
            (2, DAY - MOMENT),
            (4, DAY),
            (8, 30 * DAY - MOMENT),
            (16, 30 * DAY),
            (32, timedelta(0)),
            (64, -MOMENT),
        ):
            put_withdrawal(cursor, amount, **of_person, status="Pending", created_at=NOON - ago)
        put_withdrawal(cursor, 128, organisation_id=firm, created_at=NOON - DAY / 2)
        put_withdrawal(
            cursor, 256, organisation_id=firm, member_id=other_person, created_at=NOON - 2 * DAY
        )
        # Released, of another organisation, and in another currency.
        put_withdrawal(cursor, 512, **of_person, status="Rejected", created_at=NOON - DAY / 2)
        put_withdrawal(cursor, 1024, organisation_id=uuid7(), created_at=NOON - DAY / 2)
        put_withdrawal(cursor, 2048, **of_person, currency_id="NGN", created_at=NOON - DAY / 2)
    found = request_velocity(Withdrawal.objects.get(pk=decided))
    assert found.until == NOON
    assert found.owner_day == totals_of(1, 2, 32)
    assert found.owner_month == totals_of(1, 2, 4, 8, 32)
    assert found.organisation_day == totals_of(1, 2, 32, 128)
    assert found.organisation_month == totals_of(1, 2, 4, 8, 32, 128, 256)


def test_velocity_is_current_until_the_withdrawal_is_decided():
    before = timezone.now()
    for status, actioned_on, of_now in (
        ("Pending", None, True),
        # Approved by one of two people.
        ("Pending", NOON, True),
        ("Approved", NOON, False),
        ("Cancelled", None, True),
    ):
        with without_guards() as cursor:
            found = put_withdrawal(
                cursor, status=status, actioned_on=actioned_on, created_at=NOON - 40 * DAY
            )
        seen = request_velocity(Withdrawal.objects.get(pk=found))
        assert (seen.until >= before) is of_now, (status, actioned_on)
        # At this age it does not count either.
        assert seen.owner_day == seen.organisation_month == NOTHING


def test_inflow_is_the_confirmed_deposits_of_thirty_days():
    organisation = make_organisation()
    member = make_member(organisation)
    of_member: dict[str, Any] = {
        "organisation_id": organisation.pk,
        "member_id": member.pk,
        "currency_id": "KES",
    }
    now = timezone.now()
    counted = {"status": "Completed", "decided_at": now - DAY}
    minute = timedelta(minutes=1)
    with without_guards() as cursor:
        for amount, columns in (
            (1, of_member | counted),
            (2, of_member | counted | {"decided_at": now - 30 * DAY + minute}),
            (4, of_member | counted | {"decided_at": now - 30 * DAY - minute}),
            (8, of_member | counted | {"status": "Pending"}),
            (16, of_member | counted | {"currency_id": "NGN"}),
            (32, of_member | counted | {"member_id": None}),
            (64, of_member | counted | {"organisation_id": uuid7()}),
        ):
            insert_row(cursor, Deposit, amount=amount, **columns)
        withdrawal_id = put_withdrawal(cursor, **of_member)
        elsewhere = put_withdrawal(cursor, organisation_id=organisation.pk, currency_id="GHS")
    found = recent_deposits(Withdrawal.objects.get(pk=withdrawal_id), shown=1)
    assert (found.count, found.amount) == (2, Decimal(3))
    assert [deposit.amount for deposit in found.deposits] == [1]
    nothing = recent_deposits(Withdrawal.objects.get(pk=elsewhere), shown=1)
    assert (nothing.deposits, nothing.count, nothing.amount) == ((), 0, Decimal(0))


def test_five_other_owners_of_the_same_account_at_the_same_bank_are_named():
    assert MAX_NAMED_OWNERS == 5
    firm, other = make_organisation("Acme"), make_organisation("Zenith")
    mine = make_member(firm, "Ada")
    names = ("Bo", "Cy", "Di", "Ed", "Flo")
    with without_guards() as cursor:

        def pay_to(number: str, code: str, organisation: Any, member: Any = None) -> UUID:
            bank = insert_row(cursor, BankAccount, account_number=number, code=code)
            return put_withdrawal(
                cursor,
                bank_id=bank["id"],
                organisation_id=organisation.pk,
                member_id=None if member is None else member.pk,
            )

        withdrawal_id = pay_to("31", "01", firm, mine)
        pay_to("31", "01", firm, mine)
        pay_to("32", "01", other)
        pay_to("31", "02", other)
        for number in range(2):
            assert (
                find_owners_sharing_account(Withdrawal.objects.get(pk=withdrawal_id))
                == [("Acme", "")] * number
            )
            pay_to("31", "01", firm)
        for name in names:
            pay_to("31", "01", other, make_member(other, name))
    assert find_owners_sharing_account(Withdrawal.objects.get(pk=withdrawal_id)) == [
        ("Acme", ""),
        *(("Zenith", name) for name in names[:4]),
    ]
