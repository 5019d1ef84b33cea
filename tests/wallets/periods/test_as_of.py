"""Balances of past moments: those of the entries dated before, to the last digit."""

import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.db.models import Sum

from exchange.core.ids import first_id_at
from tests.factories.periods import MONTH, date_transfers, spread, store_proof, work
from tests.factories.transfers import transfer
from tests.factories.treasury import make_debt
from tests.factories.wallets import Wallet, assert_books_hold, make_member_wallet
from wallets.ledger.models import AccountKind, Entry, Transfer
from wallets.ledger.periods import Period
from wallets.ledger.selectors import as_of, general_ledger
from wallets.ledger.selectors.as_of import read_trial_balances
from wallets.ledger.selectors.general_ledger import read_general_ledger
from wallets.ledger.selectors.trial_balance import TrialBalance

pytestmark = pytest.mark.django_db

Balances = dict[tuple[str, str, str], Decimal]
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


def balances(found: TrialBalance) -> Balances:
    assert found.complete
    return {
        (totals.currency, each.kind, each.owner): each.side.credit - each.side.debit
        for totals in found.currencies
        for each in totals.balances
    }


def sums_before(moment: datetime) -> Balances:
    """Return the sums of the entries whose transfer is dated before `moment`."""
    found: Balances = {}
    rows = Entry.objects.filter(transfer__created_at__lt=moment).order_by()
    grouped = rows.values_list(
        "asset_id", "account__kind", "account__organisation", "account__member"
    )
    for currency, kind, organisation, member, amount in grouped.annotate(Sum("amount")):
        owner = "user" if member else "organisation" if organisation else "exchange"
        key = (currency, kind, owner)
        found[key] = found.get(key, Decimal(0)) + amount
    return {key: amount for key, amount in found.items() if amount}


def store_totals(moment: datetime) -> None:
    """Store a proof that ran at `moment`, with the totals of an hour before."""
    before = first_id_at(moment - HOUR)
    rows = Entry.objects.filter(id__lt=before, account__balance=None).order_by()
    totals = rows.values_list("account").annotate(Sum("amount"))
    store_proof(
        moment,
        id=first_id_at(moment),
        totals={str(account): str(amount) for account, amount in totals},
        totals_before=before,
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.one_in(3)
def test_random_moments_of_a_random_month_have_the_sums_of_their_entries(seed):
    choose = random.Random(seed)
    work(choose, 25)
    make_debt(100)
    moments = spread(MONTH, choose)
    date_transfers(moments, jitter=choose)
    for moment in choose.sample(moments, 5):
        store_totals(moment)
    asked = [
        MONTH.begins, MONTH.ends, *choose.sample(moments, 5),
        *(moment + choose.choice([-1, 1]) * HOUR for moment in choose.sample(moments, 5)),
        *(moment + timedelta(microseconds=1) for moment in choose.sample(moments, 5)),
    ]  # fmt: skip
    for in_full in (False, True):
        found = read_trial_balances(asked, in_full=in_full)
        assert [balances(each) for each in found] == [sums_before(each) for each in asked]
        assert [each.as_of for each in found] == asked
        for each in found:
            for totals in each.currencies:
                assert totals.debit == totals.credit
    assert_books_hold()


def test_a_transfer_dated_before_midnight_and_posted_after_another_one_counts():
    wallet = make_member_wallet(100)
    other = Wallet(wallet.organisation)
    transfer(wallet, other, 10)
    transfer(wallet, other, 5)
    midnight = MONTH.ends
    # The last one is dated before midnight, but waited for the account behind the one before it.
    date_transfers([midnight - HOUR, midnight + SECOND, midnight - SECOND])
    [found] = read_trial_balances([midnight])
    assert balances(found) == {
        ("KES", "clearing", "exchange"): -100,
        ("KES", "available", "organisation"): 5,
        ("KES", "available", "user"): 95,
    }


def test_the_totals_of_the_proof_before_the_moment_are_used_and_no_later_ones():
    make_member_wallet(100)
    make_member_wallet(30)
    noon = MONTH.begins + 12 * HOUR
    date_transfers([noon, noon + 24 * HOUR])
    store_totals(noon + 2 * HOUR)
    store_totals(noon + 48 * HOUR)
    key = ("KES", "clearing", "exchange")
    asked = [noon - HOUR, noon + HOUR, noon + 3 * HOUR, noon + 25 * HOUR, noon + 50 * HOUR]
    found = read_trial_balances(asked)
    assert [balances(each).get(key, 0) for each in found] == [0, -100, -100, -130, -130]
    proofs = [None, None, noon + 2 * HOUR, noon + 2 * HOUR, noon + 48 * HOUR]
    assert [each.proved_at for each in found] == proofs
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE; SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE wallets_booksproof SET totals = '{}'")
    found = read_trial_balances(asked)
    assert [balances(each).get(key, 0) for each in found] == [0, -100, 0, -30, 0]
    full = read_trial_balances(asked, in_full=True)
    assert [balances(each).get(key, 0) for each in full] == [0, -100, -100, -130, -130]


def test_too_many_entries_near_a_moment_show_no_balance(monkeypatch):
    make_member_wallet(100).fund(5)
    date_transfers([MONTH.begins, MONTH.begins + SECOND])
    later = MONTH.begins + 2 * HOUR
    for limit, complete in ((4, [True, True]), (3, [False, True]), (1, [False, False])):
        monkeypatch.setattr(as_of, "MAX_SUMMED_ENTRIES", limit)
        found = read_trial_balances([MONTH.begins + HOUR / 2, later])
        assert [each.complete for each in found] == complete
        assert [bool(each.currencies) for each in found] == complete
        assert all(each.complete for each in read_trial_balances([later], in_full=True))


# --- the general ledger ---


def test_the_ledger_of_a_past_month_has_the_period_before(monkeypatch):
    choose = random.Random(7)
    work(choose, 25)
    whole = Period(MONTH.previous.first, MONTH.last)
    date_transfers(spread(whole, choose), jitter=choose)
    store_totals(MONTH.begins - 5 * HOUR)
    kind = AccountKind.CLEARING
    found = read_general_ledger(kind, "KES", MONTH.first, MONTH.last)

    def sums(first: datetime, last: datetime, sign: str) -> Decimal:
        rows = Entry.objects.filter(
            account__kind=kind, transfer__created_at__gte=first, transfer__created_at__lt=last,
            **{f"amount__{sign}": 0},
        )  # fmt: skip
        return abs(sum((amount for (amount,) in rows.values_list("amount")), Decimal(0)))

    before = MONTH.previous
    assert found.before is not None
    assert found.opening == sums_before(MONTH.begins)["KES", kind, "exchange"]
    assert found.closing == sums_before(MONTH.ends)["KES", kind, "exchange"]
    sides: list[Any] = [found.before, found]
    for side, period in zip(sides, (before, MONTH), strict=True):
        begins, ends = period.begins, period.ends
        assert (side.debit, side.credit) == (sums(begins, ends, "lt"), sums(begins, ends, "gt"))
        assert side.debit
    monkeypatch.setattr(general_ledger, "MAX_SUMMED_ENTRIES", len(found.movements) + 5)
    limited = read_general_ledger(kind, "KES", MONTH.first, MONTH.last)
    assert limited.movements == found.movements


def test_only_the_entries_of_the_period_and_of_the_hours_before_it_are_read(monkeypatch):
    wallet = make_member_wallet(1)
    for _ in range(5):
        wallet.fund(1)
    noon = MONTH.begins + 12 * HOUR
    date_transfers([noon + n * 24 * HOUR for n in range(6)])
    store_totals(noon + 80 * HOUR)
    monkeypatch.setattr(general_ledger, "MAX_SUMMED_ENTRIES", 2)
    day = (noon + 96 * HOUR).date()
    found = read_general_ledger(AccountKind.CLEARING, "KES", day, day)
    assert [found.opening, len(found.movements), found.closing] == [-4, 1, -5]
    assert found.before is not None
    assert [found.before.debit, found.before.credit] == [1, 0]
    five = read_general_ledger(AccountKind.CLEARING, "KES", day, day + timedelta(days=4))
    assert five.before is None
    assert Transfer.objects.count() == 6


def test_the_period_before_is_a_month_or_as_many_days():
    month = Period.month_of(date(2026, 3, 17))
    assert (month.first, month.last) == (date(2026, 3, 1), date(2026, 3, 31))
    assert month.previous == Period(date(2026, 2, 1), date(2026, 2, 28))
    assert Period.month_of(date(2026, 1, 31)).previous == Period.month_of(date(2025, 12, 1))
    days = Period(date(2026, 3, 1), date(2026, 3, 3))
    assert days.previous == Period(date(2026, 2, 26), date(2026, 2, 28))
    assert [str(each) for each in (month, days, days.previous)] == [
        "March 2026", "1 March 2026 to 3 March 2026", "26 February 2026 to 28 February 2026",
    ]  # fmt: skip
    assert str(Period(date(2026, 3, 5), date(2026, 3, 5))) == "5 March 2026"
