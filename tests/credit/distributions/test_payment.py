"""A distribution from proposal to payment: who is paid what, and what moves."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from credit.distributions.models import DistributionAction, Income
from credit.distributions.services import (
    funding,
    paying,
    proposals,
    recording,
    recovering,
)
from exchange.core.actors import Actor
from exchange.core.errors import Rejected, StateConflict
from exchange.events.models import Event
from orders.freezing.services import freeze_owner
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.concurrency import is_waited_for, start_call
from tests.environment.owner import without_guards
from tests.environment.processes import wait_until
from tests.environment.property_tests import examples
from tests.factories.distributions import (
    approve,
    close_holder,
    decide_step,
    held_for,
    interest_terms,
    issuer_of,
    make_distribution,
    make_due,
    make_holding,
    make_terms,
    owe,
    propose,
)
from tests.factories.traders import Trader
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_staff
from wallets.alerts.models import Alert
from wallets.freezes.errors import AccountFrozen
from wallets.ledger.models import AccountKind
from wallets.ledger.posting import open_account, post_transfers

pytestmark = pytest.mark.django_db


def test_a_dividend_reaches_every_holder_but_the_issuer():
    held = make_holding()
    issuer = Wallet(held.token.issuer).fund(2_000, "NGN")
    made = approve(propose(held.token))
    assert recording.record_due() == 0
    make_due(made)
    assert recording.record_due() == 1
    made.refresh_from_db()
    assert (made.status, made.holders) == ("Recorded", 3)
    assert made.units == 700
    assert made.gross == 1_750
    assert held.incomes(made) == {
        held.member.owner_id: 1_000,
        held.organisation.owner_id: 625,
        held.own_member.owner_id: 125,
    }
    assert funding.fund_due() == 1
    assert balance_of(issuer.owner_id, "NGN") == 250
    assert held_for() == 1_750
    assert_books_hold()
    assert paying.pay_due() == 3
    made.refresh_from_db()
    assert made.status == "Paid"
    assert held_for() == 0
    assert balance_of(held.member.owner_id, "NGN") == 1_001
    assert balance_of(held.organisation.owner_id, "NGN") == 626
    assert balance_of(held.own_member.owner_id, "NGN") == 125
    assert balance_of(issuer.owner_id, "NGN") == 250
    assert_books_hold()


@pytest.mark.parametrize("status", ["Draft", "Announced", "Funded", "Paid"])
def test_only_what_is_recorded_is_funded(status):
    held = make_holding()
    made = make_distribution(held.token, status)
    Wallet(held.token.issuer).fund(2_000, "NGN")
    with assert_nothing_changes(), pytest.raises(StateConflict, match="that is Recorded"):
        funding.fund(
            distribution_id=made.pk,
            organisation_id=held.token.issuer_id,
            actor=issuer_of(held.token),
        )


def test_it_is_not_funded_before_its_payment_date():
    held = make_holding()
    Wallet(held.token.issuer).fund(2_000, "NGN")
    made = make_distribution(held.token, "Recorded")
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET payment_date = payment_date + 2 WHERE id = %s",
            [made.pk],
        )
    with assert_nothing_changes():
        assert funding.fund_due() == 0


@pytest.mark.parametrize("status", ["Announced", "Recorded"])
def test_what_is_not_funded_is_not_paid(status):
    made = make_distribution(make_holding().token, status)
    with assert_nothing_changes():
        assert paying.pay(made.pk) == 0


def test_interest_is_divided_last_and_rounded_down():
    held = make_holding()
    made = make_distribution(held.token, "Paid", interest_terms(held.token))
    # 400 * 100 * 18.5 * 92 / 36500 = 1865.205…
    assert held.incomes(made) == {
        held.member.owner_id: Decimal("1865.20"),
        held.organisation.owner_id: Decimal("1165.75"),
        held.own_member.owner_id: Decimal("233.15"),
    }
    assert made.amount_per_unit == Decimal("4.663013698630")
    assert_books_hold()


def test_a_holder_whose_income_rounds_to_nothing_has_a_row_and_is_paid_nothing():
    held = make_holding(currency="UGX")
    # 400 * 0.01 = 4 shillings, 250 * 0.01 = 2, 50 * 0.01 = 0.5.
    terms = make_terms(held.token, amount=Decimal("0.01"))
    made = make_distribution(held.token, "Paid", terms)
    rows = Income.objects.filter(distribution=made)
    assert set(rows.values_list("owner_id", "net", "status", "paid_to")) == {
        (held.member.owner_id, Decimal(4), "Paid", "wallet"),
        (held.organisation.owner_id, Decimal(2), "Paid", "wallet"),
        (held.own_member.owner_id, Decimal(0), "Nil", ""),
    }
    assert made.gross == 6
    assert held_for("UGX") == 0
    assert_books_hold()


def test_who_owes_repays_first():
    held = make_holding()
    owe(held.member, 300)
    owe(held.organisation, 5_000)
    make_distribution(held.token, "Paid")
    assert balance_of(held.member.owner_id, "NGN", "receivable") == 0
    assert balance_of(held.member.owner_id, "NGN") == 700
    assert balance_of(held.organisation.owner_id, "NGN", "receivable") == -4_375
    assert balance_of(held.organisation.owner_id, "NGN") == 0


@pytest.mark.django_db(transaction=True)
def test_a_debt_that_is_repaid_during_the_payment_is_repaid_once(monkeypatch):
    """A deposit repays it between the read of the debts and the posting."""
    held = make_holding()
    owe(held.member, 300)
    made = make_distribution(held.token, "Funded")
    read = recovering.owed_by_owners
    deposits: list[Any] = []

    def deposit_meanwhile(*arguments):
        if not deposits:
            deposits.append(start_call(partial(held.member.fund, 300, "NGN")))
            deposits[0].result(30)
        return read(*arguments)

    monkeypatch.setattr(recovering, "owed_by_owners", deposit_meanwhile)
    assert paying.pay(made.pk) == 3
    made.refresh_from_db()
    assert made.status == "Paid"
    assert balance_of(held.member.owner_id, "NGN", "receivable") == 0
    assert balance_of(held.member.owner_id, "NGN") == 1_000


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("opened", [True, False])
def test_a_member_that_is_closed_at_the_same_time_is_left_out(opened):
    """The close is not committed yet when the payment starts, which may have to open an account."""
    held = make_holding()
    made = make_distribution(held.token, "Funded")
    member = held.own_member
    if opened:
        open_account(
            "NGN",
            AccountKind.AVAILABLE,
            organisation_id=member.organisation.pk,
            member_id=member.member_id,
        )
    with transaction.atomic():
        close_holder(member, held.token)
        paid = start_call(partial(paying.pay, made.pk))
        wait_until(lambda: paid.done() or is_waited_for(), "the worker waits or is done")
    assert paid.result(30) == 2
    left = Income.objects.get(distribution=made, owner_id=member.owner_id)
    assert (left.status, balance_of(left.owner_id, "NGN")) == ("Due", 0)
    assert_books_hold()


def test_a_frozen_holder_is_credited():
    held = make_holding()
    freeze_owner(
        owner=held.organisation.organisation,
        currency=None,
        reason="Court order of today",
        user=make_staff("place_freeze"),
    )
    made = make_distribution(held.token, "Paid")
    assert balance_of(held.organisation.owner_id, "NGN") == 626
    assert made.status == "Paid"


def test_what_is_due_to_a_closed_member_stays_until_it_is_reopened():
    held = make_holding()
    made = make_distribution(held.token, "Funded")
    member = held.own_member
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_member SET closed_at = now() WHERE id = %s", [member.owner_id]
        )
    assert paying.pay_due() == 2
    made.refresh_from_db()
    assert (made.status, held_for()) == ("Paid", 125)
    assert_books_hold()
    assert paying.pay_due() == 0
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_member SET closed_at = NULL WHERE id = %s", [member.owner_id]
        )
    assert paying.pay_due() == 1
    assert (balance_of(member.owner_id, "NGN"), held_for()) == (125, 0)
    assert_books_hold()


def test_an_uncovered_one_is_overdue_once_and_paid_whole_later():
    held = make_holding()
    issuer = Wallet(held.token.issuer).fund(1_749, "NGN")
    made = make_distribution(held.token, "Recorded")
    for _ in range(2):
        assert funding.fund_due() == 0
    made.refresh_from_db()
    assert (made.status, made.overdue, held_for()) == ("Recorded", True, 0)
    assert balance_of(issuer.owner_id, "NGN") == 1_749
    [event] = Event.objects.filter(type="distribution.overdue")
    assert event.organisation_id == held.token.issuer_id
    alert = Alert.objects.get(kind="distribution_overdue")
    assert "Insufficient NGN balance" in alert.message
    issuer.fund(1, "NGN")
    assert funding.fund_due() == 1
    made.refresh_from_db()
    alert.refresh_from_db()
    assert (made.status, made.overdue, held_for()) == ("Funded", False, 1_750)
    assert alert.resolved_at is not None
    assert_books_hold()


def test_what_staff_proposed_is_not_taken_without_the_issuers_word():
    held = make_holding()
    Wallet(held.token.issuer).fund(2_000, "NGN")
    person = make_staff("propose_distribution")
    # Also less than a unit of money: 700 units at 0.001.
    terms = make_terms(held.token, amount=Decimal("0.001"))
    made = approve(propose(held.token, terms, actor=Actor.staff(person.pk, str(person))))
    recording.record(make_due(made).pk)
    assert funding.fund_due() == 0
    made.refresh_from_db()
    assert (made.overdue, held_for()) == (True, 0)
    decide_step(made, DistributionAction.FUND)
    assert held_for() == Decimal("0.7")
    made.refresh_from_db()
    assert (made.status, made.overdue) == ("Funded", False)


def test_terms_that_staff_changed_are_not_taken_without_the_issuers_word():
    held = make_holding()
    Wallet(held.token.issuer).fund(2_000_000, "NGN")
    made = make_distribution(
        held.token, "Announced", make_terms(held.token, amount=Decimal("0.01"))
    )
    proposals.propose_change(
        distribution_id=made.pk,
        terms=make_terms(held.token, amount=Decimal(1_000), record_at=made.record_at),
        explanation="The sum was wrong",
        user=make_staff("propose_distribution"),
    )
    recording.record(make_due(approve(made)).pk)
    assert funding.fund_due() == 0
    made.refresh_from_db()
    assert (made.version, made.overdue, held_for()) == (2, True, 0)
    assert made.gross == 700_000
    issuer = issuer_of(held.token)
    funding.fund(distribution_id=made.pk, organisation_id=held.token.issuer_id, actor=issuer)
    assert held_for() == 700_000


def test_a_frozen_issuer_funds_nothing():
    held = make_holding()
    Wallet(held.token.issuer).fund(2_000, "NGN")
    made = make_distribution(held.token, "Recorded")
    freeze_owner(
        owner=held.token.issuer,
        currency=None,
        reason="Court order of today",
        user=make_staff("place_freeze"),
    )
    with assert_nothing_changes(), pytest.raises(AccountFrozen):
        funding.fund(
            distribution_id=made.pk,
            organisation_id=held.token.issuer_id,
            actor=issuer_of(held.token),
        )


def test_a_failing_batch_leaves_whole_batches(monkeypatch):
    held = make_holding()
    made = make_distribution(held.token, "Funded")
    calls = []

    def fail_second(postings):
        calls.append(len(postings))
        if len(calls) == 2:
            raise RuntimeError("killed")
        return post_transfers(postings)

    monkeypatch.setattr(paying, "post_transfers", fail_second)
    with pytest.raises(RuntimeError):
        paying.pay(made.pk, batch=2)
    statuses = Income.objects.filter(distribution=made).values_list("status", flat=True)
    assert sorted(statuses) == ["Due", "Paid", "Paid"]
    assert_books_hold()
    assert paying.pay(made.pk, batch=2) == 1
    made.refresh_from_db()
    assert (made.status, held_for()) == ("Paid", 0)
    assert_books_hold()


@pytest.mark.parametrize(("batch", "pauses"), [(1, [1, 1, 1]), (2, [1]), (4, [])])
@pytest.mark.one_in(3)
def test_a_worker_pauses_after_a_full_batch_for_half_of_its_time(monkeypatch, batch, pauses):
    made = make_distribution(make_holding().token, "Funded")
    clock = count(step=2)
    found: list[float] = []
    times = SimpleNamespace(monotonic=lambda: next(clock), sleep=found.append)
    monkeypatch.setattr(paying, "time", times)
    assert paying.pay(made.pk, batch=batch) == 3
    assert found == pauses


def test_each_organisation_receives_once_what_its_owners_received():
    held = make_holding()
    made = make_distribution(held.token, "Paid")
    found = {
        event.organisation_id: json.loads(event.body)["data"]
        for event in Event.objects.filter(type="distribution.paid", subject_id=made.pk)
    }
    received = {
        key: (value["holders"], value["gross"], value["tax"], value["net"])
        for key, value in found.items()
    }
    assert received == {
        held.token.issuer_id: (1, 125, 0, 125),
        held.member.organisation.pk: (1, 1_000, 0, 1_000),
        held.organisation.organisation.pk: (1, 625, 0, 625),
    }
    assert found[held.token.issuer_id]["distribution"]["gross"] == 1_750
    assert found[held.member.organisation.pk]["distribution"]["gross"] is None


@pytest.mark.standalone
@examples("DISTRIBUTIONS", 6)
@given(
    trades=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 120)), max_size=6
    ),
    amount=st.decimals("0.001", "7", places=5),
    currency=st.sampled_from(["NGN", "UGX"]),
)
def test_random_holdings_are_paid_exactly(trades, amount, currency):
    """Σ net + tax = funding, no owner twice, none left out, the issuer never."""
    with transaction.atomic():
        held = make_holding(currency=currency)
        traders = [
            Trader(wallet.fund(1_000_000, currency))
            for wallet in (held.member, held.organisation, held.own_member)
        ]
        for seller, buyer, units in trades:
            if balance_of(traders[seller].owner_id, held.token) >= units and seller != buyer:
                traders[seller].place(held.token, "Sell", 100, units)
                traders[buyer].place(held.token, "Buy", 100, units - units // 3)
        owned = {
            trader.owner_id: sum(
                balance_of(trader.owner_id, held.token, kind) for kind in ("available", "reserved")
            )
            for trader in traders
        }
        before = {trader.owner_id: balance_of(trader.owner_id, currency) for trader in traders}
        reserved = {
            trader.owner_id: balance_of(trader.owner_id, currency, "reserved") for trader in traders
        }
        terms = make_terms(held.token, amount=amount)
        try:
            made = propose(held.token, terms)
        except Rejected:  # it rounds to nothing for everybody
            transaction.set_rollback(True)
            return
        recording.record(make_due(approve(made)).pk)
        decimals = 2 if currency == "NGN" else 0
        wanted = {
            owner: Decimal(math.floor(Fraction(units) * Fraction(amount) * 10**decimals))
            / 10**decimals
            for owner, units in owned.items()
            if units
        }
        assert held.incomes(made) == wanted
        Wallet(held.token.issuer).fund(sum(wanted.values()) or 1, currency)
        assert funding.fund_due() == 1
        assert held_for(currency) == sum(wanted.values())
        paying.pay_due()
        made.refresh_from_db()
        assert (made.status, held_for(currency)) == ("Paid", 0)
        for owner, net in wanted.items():
            # The record may have released the money of open buys.
            still = balance_of(owner, currency, "reserved")
            assert balance_of(owner, currency) + still == before[owner] + reserved[owner] + net
        assert Income.objects.filter(distribution=made, owner_id=held.token.issuer_id).count() == 0
        assert_books_hold()
        transaction.set_rollback(True)
