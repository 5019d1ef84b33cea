"""The record: what counts, what waits for it, and what it cancels."""

from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest

from credit.distributions.models import Income
from credit.distributions.services import recording
from credit.loans.models import ClosureAction
from credit.loans.services import closures, servicing
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.pledging import release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.tokens.errors import RecordPending
from orders.book.models import Order
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.distributions import (
    interest_terms,
    make_distribution,
    make_due,
    make_holding,
    make_scheduled,
    make_terms,
    principal_terms,
)
from tests.factories.lending import make_lending
from tests.factories.loans import backdate_loan, make_defaulted_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import (
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
)
from wallets.alerts.models import Alert

pytestmark = pytest.mark.django_db


def test_available_reserved_and_pledged_units_count():
    lending = make_lending()
    loan = lending.lend()
    Trader(lending.borrower).place(lending.token, "Sell", 10_000, 20)
    units = {
        kind: balance_of(lending.borrower.owner_id, lending.token, kind)
        for kind in ("available", "reserved", "lien")
    }
    assert units == {"available": 875, "reserved": 20, "lien": 105}
    made = make_distribution(lending.token, "Recorded")
    rows = Income.objects.filter(distribution=made)
    assert set(rows.values_list("member_id", "loan_id", "units", "gross")) == {
        (lending.borrower.member_id, None, Decimal(895), Decimal("2237.5")),
        (lending.borrower.member_id, loan.pk, Decimal(105), Decimal("262.5")),
    }
    assert made.holders == 1
    assert made.units == 1_000
    assert_books_hold()


def test_who_holds_no_units_any_more_gets_no_event_and_no_income():
    held = make_holding()
    former = make_member_wallet(1, currency="NGN")
    for units in (10, -10):
        give_units(held.token, former, units)
    made = make_distribution(held.token)
    announced = Event.objects.filter(type="distribution.announced")
    recipients = set(announced.values_list("organisation_id", flat=True))
    assert former.organisation.pk not in recipients
    assert held.member.organisation.pk in recipients
    assert recording.record(make_due(made).pk)
    assert former.owner_id not in held.incomes(made)
    assert_books_hold()


def test_two_records_of_one_instant_are_both_made():
    token = make_scheduled(5).token
    both = [make_distribution(token, terms=principal_terms(token)), make_distribution(token)]
    for made in both:
        make_due(made)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET record_at = %s WHERE token_id = %s",
            [both[0].record_at, token.pk],
        )
    assert [recording.record(made.pk) for made in both] == [True, True]


def test_past_the_record_every_order_waits_until_it_is_made():
    held = make_holding()
    buyer = make_trader(10_000, currency="NGN")
    made = make_distribution(held.token)
    buyer.place(held.token, "Buy", 10, 1)
    make_due(made)
    for trader, side in ((buyer, "Buy"), (Trader(held.member), "Sell")):
        with assert_nothing_changes(), pytest.raises(RecordPending) as found:
            trader.place(held.token, side, 100, 1)
        assert (found.value.code, found.value.retry_after) == ("record_pending", 1)
    assert recording.record(made.pk)
    assert not recording.record(made.pk)
    Trader(held.member).place(held.token, "Sell", 100, 1)
    assert_books_hold()


def test_a_record_that_is_not_due_is_not_made():
    made = make_distribution(make_holding().token)
    with assert_nothing_changes():
        assert not recording.record(made.pk)


def test_what_is_not_due_costs_the_worker_no_query(django_assert_num_queries):
    make_distribution(make_holding().token)
    # The late ones, and those that are due.
    with django_assert_num_queries(2):
        assert recording.record_due() == 0


def test_a_worker_an_hour_late_records_the_same_and_alerts():
    held = make_holding()
    made = make_due(make_distribution(held.token), ago=timedelta(hours=1))
    with pytest.raises(DomainError):
        Trader(held.member).place(held.token, "Sell", 100, 400)
    assert recording.record_due() == 1
    [alert] = Alert.objects.filter(kind="distribution_record")
    assert alert.subject == str(made.pk)
    assert alert.resolved_at is not None
    with assert_nothing_changes():
        assert recording.record_due() == 0
    [event] = Event.objects.filter(type="distribution.recorded")
    assert event.organisation_id == held.token.issuer_id
    assert held.incomes(made)[held.member.owner_id] == 1_000


@pytest.mark.parametrize(("late", "alerts"), [(59.999, 0), (60, 1)])
def test_a_record_is_late_after_a_minute(monkeypatch, late, alerts):
    made = make_due(make_distribution(make_holding().token), ago=timedelta(minutes=2))
    now = made.record_at + timedelta(seconds=late)
    monkeypatch.setattr(recording, "timezone", SimpleNamespace(now=lambda: now))
    assert recording.record_due() == 1
    assert Alert.objects.filter(kind="distribution_record").count() == alerts


def test_a_failure_of_one_record_is_alerted_and_leaves_others(monkeypatch):
    held, other = make_holding(), make_holding()
    failing = make_due(make_distribution(held.token), ago=timedelta(minutes=2))
    made = make_due(make_distribution(other.token), ago=timedelta(seconds=1))
    record = recording.record

    def fail(distribution_id):
        if distribution_id == failing.pk:
            raise RuntimeError("broken")
        return record(distribution_id)

    monkeypatch.setattr(recording, "record", fail)
    assert recording.record_due() == 1
    assert Alert.objects.get(kind="distribution_record").resolved_at is None
    made.refresh_from_db()
    assert made.status == "Recorded"


def test_a_second_distribution_is_waited_for_after_the_first():
    held = make_holding()
    first = make_distribution(held.token)
    second = make_distribution(held.token, terms=interest_terms(held.token))
    make_due(first)
    held.token.refresh_from_db()
    assert held.token.next_record_at == first.record_at
    recording.record(first.pk)
    held.token.refresh_from_db()
    assert held.token.next_record_at == second.record_at
    assert_books_hold()


@pytest.mark.parametrize(("amount", "status"), [("4.99", "Active"), ("5", "Cancelled")])
def test_open_orders_are_cancelled_from_five_percent_of_the_price(amount, status):
    held = make_holding()
    seller, buyer = Trader(held.member), make_trader(1_000, currency="NGN")
    orders = [seller.place(held.token, "Sell", 110, 400), buyer.place(held.token, "Buy", 90, 2)]
    terms = make_terms(held.token, amount=Decimal(amount))
    made = make_distribution(held.token, "Recorded", terms)
    found = Order.objects.filter(pk__in=orders)
    assert set(found.values_list("status", flat=True)) == {status}
    if status == "Cancelled":
        assert set(found.values_list("reason", flat=True)) == {"The price goes ex income"}
    assert held.incomes(made)[held.member.owner_id] == 400 * Decimal(amount)
    assert_books_hold()


def test_a_liquidation_waits_for_the_record():
    lending = make_lending()
    loan = make_defaulted_loan(lending)
    officers = make_staff("close_loan"), make_staff("close_loan")
    proposal = propose_closure(
        loan_id=loan.pk, action=ClosureAction.LIQUIDATE, note="No answer", user=officers[0]
    )
    made = make_due(make_distribution(lending.token))
    with assert_nothing_changes(), pytest.raises(RecordPending):
        confirm_closure(proposal_id=proposal.pk, user=officers[1])
    recording.record(made.pk)
    confirm_closure(proposal_id=proposal.pk, user=officers[1])
    owners = Income.objects.filter(distribution=made).values_list("member_id", flat=True)
    assert set(owners) == {lending.borrower.member_id}
    assert_books_hold()


def test_a_liquidation_that_the_record_overtakes_is_refused(monkeypatch):
    """The time of the record comes between the check of the service and its write."""
    lending = make_lending()
    loan = make_defaulted_loan(lending)
    officers = make_staff("close_loan"), make_staff("close_loan")
    proposal = propose_closure(
        loan_id=loan.pk, action=ClosureAction.LIQUIDATE, note="No answer", user=officers[0]
    )
    make_due(make_distribution(lending.token))
    monkeypatch.setattr(closures, "require_recorded", lambda tokens: None)
    with assert_nothing_changes(), pytest.raises(RecordPending):
        confirm_closure(proposal_id=proposal.pk, user=officers[1])


@pytest.mark.django_db(transaction=True)
def test_a_liquidation_does_not_wait_for_a_token_that_was_released():
    lending = make_lending()
    other = make_token(price_buy=Decimal(10_000), price_sell=Decimal(10_000))
    give_units(other, lending.borrower, 10)
    released = Pledge(other.pk, Decimal(5))
    loan = lending.lend(collaterals=(Pledge(lending.token.pk, Decimal(105)), released))
    release_collateral(
        loan_id=loan.pk,
        organisation_id=lending.borrower.organisation.id,
        pledges=(released,),
        actor=TESTER,
    )
    backdate_loan(loan, days=30, minutes=1)
    servicing.age_loans()
    officers = make_staff("close_loan"), make_staff("close_loan")
    proposal = propose_closure(
        loan_id=loan.pk, action=ClosureAction.LIQUIDATE, note="No answer", user=officers[0]
    )
    make_due(make_distribution(other))
    assert confirm_closure(proposal_id=proposal.pk, user=officers[1]).status == "Approved"
    assert_books_hold()


def test_who_sold_before_the_record_receives_nothing():
    held = make_holding()
    give_units(held.token, held.organisation, 100)
    buyer = make_trader(100_000, currency="NGN")
    Trader(held.member).place(held.token, "Sell", 100, 400)
    buyer.place(held.token, "Buy", 100, 400)
    made = make_distribution(held.token, "Recorded", make_terms(held.token, amount=Decimal(1)))
    assert held.incomes(made) == {
        buyer.owner_id: 400,
        held.organisation.owner_id: 350,
        held.own_member.owner_id: 50,
    }
