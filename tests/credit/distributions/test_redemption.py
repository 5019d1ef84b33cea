"""Redemptions and exits: units go back when they are paid for, and stay until then."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionAction, Income
from credit.distributions.services import funding, paying, recording
from credit.loans.models import Loan
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.tokens.errors import UnitsHeld
from exchange.tokens.models import Token
from orders.book.models import Order
from tests.assertions.unchanged import assert_nothing_changes
from tests.credit.distributions.refused import refused_code
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.distributions import (
    DAY,
    approve,
    decide_step,
    exit_terms,
    held_for,
    make_distribution,
    make_due,
    make_holding,
    make_terms,
    propose,
    redemption_terms,
)
from tests.factories.lending import Lending, make_lending
from tests.factories.lifecycle import set_flags
from tests.factories.loans import repay_loan
from tests.factories.tokens import give_units
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
)
from wallets.ledger.models import Account, AccountKind, TransferKind
from wallets.ledger.posting import Leg, Posting, post_transfers, system_account

pytestmark = pytest.mark.django_db


def units(token: Token, *owners) -> list[Decimal | int]:
    """Return all units of each owner."""
    return [
        sum(balance_of(owner, token, kind) for kind in ("available", "reserved", "lien"))
        for owner in owners
    ]


def test_a_redemption_takes_all_units_but_the_issuers_when_it_is_paid():
    held = make_holding()
    owners = [each.owner_id for each in (held.member, held.organisation, held.own_member)]
    made = make_distribution(held.token, "Funded", redemption_terms(held.token))
    assert units(held.token, *owners) == [400, 250, 50]
    assert not Token.objects.filter(pk=held.token.pk, exited=True).exists()
    assert_books_hold()
    paying.pay(made.pk)
    assert units(held.token, *owners) == [0, 0, 0]
    assert [balance_of(owner, "NGN") for owner in owners] == [40_001, 25_001, 5_000]
    # The issuer's own are not redeemed.
    assert units(held.token, held.token.issuer_id) == [300]
    held.token.refresh_from_db()
    assert held.token.exited
    assert held.token.next_record_at is None
    events = Event.objects.filter(type="token.redeemed", subject_id=made.pk)
    assert {event.organisation_id for event in events} == {
        held.token.issuer_id,
        held.member.organisation.pk,
        held.organisation.organisation.pk,
    }
    assert_books_hold()


def test_units_that_are_worth_nothing_go_back_too():
    """0.00000001 unit at 100 is nothing in NGN. Its owner could not be closed with it."""
    held, dust = make_holding(), make_member_wallet(1, currency="NGN")
    smallest = Decimal("0.00000001")
    give_units(held.token, dust, smallest)
    made = make_distribution(held.token, "Paid", redemption_terms(held.token))
    assert units(held.token, dust.owner_id) == [0]
    assert balance_of(dust.owner_id, "NGN") == 1
    income = Income.objects.get(distribution=made, owner_id=dust.owner_id)
    assert (income.status, income.units, income.gross) == ("Paid", smallest, Decimal(0))
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_pledged_units_that_are_worth_nothing_leave_their_loan():
    """1,000 units at 0.00002 are 0.02; the 105 that are pledged, rounded down, nothing."""
    lending = make_lending()
    loan, owner = lending.lend(), lending.borrower.owner_id
    set_flags(lending.token, exited=True)
    terms = exit_terms(lending.token, amount=Decimal("0.00002"), final=True)
    make_distribution(lending.token, "Paid", terms)
    assert units(lending.token, owner) == [0]
    loan.refresh_from_db()
    assert (loan.cash_collateral, loan.collateral_text) == (Decimal(0), "[]")
    assert_books_hold()


@pytest.mark.parametrize("price", [100, 100_000])
def test_until_it_is_paid_no_unit_changes_hands(price):
    """Also where it pays far less than the price."""
    held = make_holding()
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET price_buy = %s, price_sell = %s", [price] * 2)
    seller, buyer = Trader(held.member), make_trader(100_000, currency="NGN")
    open_orders = [seller.place(held.token, "Sell", 110, 150), buyer.place(held.token, "Buy", 5, 1)]
    made = make_distribution(held.token, "Recorded", redemption_terms(held.token))
    found = Order.objects.filter(pk__in=open_orders)
    assert set(found.values_list("status", "reason")) == {("Cancelled", "The units are taken back")}
    assert held.incomes(made)[held.member.owner_id] == 40_000
    with assert_nothing_changes(), pytest.raises(UnitsHeld):
        seller.place(held.token, "Sell", 100, 1)
    Wallet(held.token.issuer).fund(70_000, "NGN")
    funding.fund_due()
    with assert_nothing_changes(), pytest.raises(UnitsHeld):
        buyer.place(held.token, "Buy", 100, 1)
    paying.pay(made.pk)
    with assert_nothing_changes(), pytest.raises(DomainError) as refusal:
        buyer.place(held.token, "Buy", 100, 1)
    assert refusal.value.code == "token_exited"
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("status", ["Recorded", "Funded"])
def test_a_cancelled_redemption_lets_units_change_hands_again(status):
    held = make_holding()
    made = make_distribution(held.token, status, redemption_terms(held.token))
    decide_step(made, DistributionAction.CANCEL)
    held.token.refresh_from_db()
    assert held.token.next_record_at is None
    Trader(held.member).place(held.token, "Sell", 100, 1)
    assert held_for() == 0
    assert_books_hold()


def test_a_killed_payment_goes_on_with_the_holders_that_are_left(monkeypatch):
    held, buyer = make_holding(), make_trader(1_000, currency="NGN")
    made = make_distribution(held.token, "Funded", redemption_terms(held.token))
    calls = []

    def fail_second(postings):
        calls.append(len(postings))
        if len(calls) == 2:
            raise RuntimeError("killed")
        return post_transfers(postings)

    monkeypatch.setattr(paying, "post_transfers", fail_second)
    with pytest.raises(RuntimeError):
        paying.pay(made.pk, batch=2)
    held.token.refresh_from_db()
    assert not held.token.exited
    assert_books_hold()
    with assert_nothing_changes(), pytest.raises(UnitsHeld):
        buyer.place(held.token, "Buy", 100, 1)
    assert paying.pay(made.pk, batch=2) == 1
    left = units(held.token, held.member.owner_id, held.organisation.owner_id)
    assert left == [0, 0]
    assert_books_hold()


# --- pledged units -----------------------------------------------------------------------------


def make_pledged(status: str = "Recorded") -> tuple[Lending, Loan, Distribution]:
    """Make a loan of 840,000 against 105 of 1,000 units, 20 in an order, redeemed at 10,000."""
    lending = make_lending()
    loan = lending.lend()
    Trader(lending.borrower).place(lending.token, "Sell", 10_000, 20)
    terms = redemption_terms(lending.token, amount=Decimal(10_000))
    made = make_distribution(lending.token, status, terms)
    # Quoted after the record, which is made up to a second before this.
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET quoted_at = clock_timestamp() WHERE id = %s",
            [lending.token.pk],
        )
    return lending, loan, made


@pytest.mark.django_db(transaction=True)
def test_pledged_reserved_and_available_units_are_all_paid_for():
    lending, loan, made = make_pledged("Paid")
    loan.refresh_from_db()
    owner = lending.borrower.owner_id
    rows = Income.objects.filter(distribution=made)
    assert set(rows.values_list("loan_id", "units", "net", "paid_to")) == {
        (loan.pk, Decimal(105), Decimal(1_050_000), "loan"),
        (None, Decimal(895), Decimal(8_950_000), "wallet"),
    }
    assert units(lending.token, owner) == [0]
    assert loan.cash_collateral == 1_050_000
    assert loan.collateral_text == "[]"
    assert loan.collaterals.get().quantity == 0
    valuation = loan.valuation
    valuation.refresh_from_db()
    assert valuation.value == 1_050_000
    assert not loan.shortfalls.exists()
    assert_books_hold()


def test_pledges_stay_as_they_are_until_the_units_are_paid_for():
    lending, loan, _made = make_pledged()
    pledges = (Pledge(lending.token.pk, Decimal(1)),)
    ids = {"loan_id": loan.pk, "organisation_id": loan.organisation_id}
    for change in (add_collateral, release_collateral):
        with assert_nothing_changes(), pytest.raises(UnitsHeld):
            change(**ids, pledges=pledges, actor=TESTER)
    with assert_nothing_changes(), pytest.raises(UnitsHeld):
        lending.lend(units=200)


def test_a_loan_that_is_repaid_meanwhile_gives_its_units_from_the_wallet():
    lending, loan, made = make_pledged("Funded")
    lending.borrower.fund(2_000_000, "NGN")
    repay_loan(loan, 1_596_000)
    owner = lending.borrower.owner_id
    assert balance_of(owner, lending.token) == 1_000
    before = balance_of(owner, "NGN")
    paying.pay(made.pk)
    assert balance_of(owner, "NGN") == before + 10_000_000
    assert units(lending.token, owner) == [0]
    assert_books_hold()


# --- exits -------------------------------------------------------------------------------------


def test_an_exit_is_paid_in_parts_and_the_final_one_takes_the_units():
    held = make_holding()
    set_flags(held.token, exited=True)
    owner = held.member.owner_id
    make_distribution(held.token, "Paid", exit_terms(held.token))
    assert units(held.token, owner) == [400]
    assert balance_of(owner, "NGN") == 12_001
    last = exit_terms(held.token, amount=Decimal("0.5"), final=True)
    make_distribution(held.token, "Paid", last)
    assert units(held.token, owner) == [0]
    assert balance_of(owner, "NGN") == 12_201
    assert Event.objects.filter(type="token.redeemed").count() == 3
    assert_books_hold()


def test_an_exit_of_a_token_that_has_not_exited_is_refused():
    token = make_holding().token
    assert refused_code(token, exit_terms(token)) == "not_exited"
    set_flags(token, exited=True)
    propose(token, exit_terms(token))
    assert refused_code(token, redemption_terms(token)) == "token_exited"


def test_a_redemption_is_recorded_after_what_is_due_at_the_same_time():
    held = make_holding()
    moment = timezone.now() + 6 * DAY
    redemption = approve(propose(held.token, redemption_terms(held.token, record_at=moment)))
    dividend = approve(propose(held.token, make_terms(held.token, record_at=moment)))
    make_due(redemption, ago=timedelta(minutes=1))
    make_due(dividend, ago=timedelta(minutes=2))
    assert not recording.record(redemption.pk)
    assert recording.record(dividend.pk)
    assert recording.record(redemption.pk)
    held.token.refresh_from_db()
    redemption.refresh_from_db()
    assert held.token.next_record_at == redemption.record_at
    assert_books_hold()


# --- what PostgreSQL refuses -------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", [TransferKind.DISTRIBUTION_PAY, TransferKind.UNITS_RETIRE])
def test_units_are_not_retired_without_their_payment(kind):
    held = make_holding()
    made = make_distribution(held.token, "Funded", redemption_terms(held.token))
    income = Income.objects.get(distribution=made, owner_id=held.member.owner_id)
    holding = Account.objects.get(
        owner_id=held.member.owner_id, asset_id=str(held.token.pk), kind="available"
    )
    issuance = system_account(str(held.token.pk), AccountKind.ISSUANCE)
    posting = Posting(
        kind=kind,
        reference=f"income:{income.pk}",
        subject_id=income.pk,
        actor=TESTER,
        legs=[Leg(holding.pk, Decimal(-400)), Leg(issuance, Decimal(400))],
    )
    with assert_nothing_changes(), pytest.raises(IntegrityError), transaction.atomic():
        post_transfers([posting])


@pytest.mark.django_db(transaction=True)
def test_a_final_distribution_is_not_paid_without_its_units(monkeypatch):
    held = make_holding()
    made = make_distribution(held.token, "Funded", redemption_terms(held.token))

    def leave_units(postings):
        assets = {str(held.token.pk)}
        kept = set(Account.objects.filter(asset_id__in=assets).values_list("pk", flat=True))
        for posting in postings:
            posting.legs[:] = [leg for leg in posting.legs if leg.account_id not in kept]
        return post_transfers(postings)

    monkeypatch.setattr(paying, "post_transfers", leave_units)
    with pytest.raises(IntegrityError):
        paying.pay(made.pk)
    assert set(Income.objects.values_list("status", flat=True)) == {"Due"}
