"""Repayments of principal: what is outstanding, when they are recorded, and the interest after."""

from datetime import date
from decimal import Decimal

import pytest
from dateutil.relativedelta import relativedelta
from django.db import IntegrityError, transaction
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionAction
from credit.distributions.schedule import Basis
from credit.distributions.selectors import read_schedule
from credit.distributions.services import proposals
from credit.distributions.services.terms import check_principal
from exchange.core.database import violated_constraint
from exchange.core.errors import Rejected
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.credit.distributions.refused import refused
from tests.environment.owner import without_guards
from tests.factories.distributions import (
    DAY,
    approve,
    approve_unchecked,
    at,
    complete_on,
    decide_step,
    decider,
    interest_terms,
    make_distribution,
    make_holding,
    make_terms,
    pending,
    principal_terms,
    propose,
    proposer,
)
from tests.factories.tokens import make_token
from tests.factories.wallets import assert_books_hold, balance_of

pytestmark = pytest.mark.django_db


def first_end() -> date:
    return (timezone.now() + 5 * DAY).date()


def make_bond(**changes):
    """Make a holding of a bond of 100 a unit, whose next period ends in five days."""
    held = make_holding(**changes)
    complete_on(held.token, first_end() - relativedelta(months=1))
    return held


def outstanding(token: Token) -> list[Decimal]:
    """Return what bears interest in the first three periods."""
    periods = read_schedule(token.issuer_id, token.pk, timezone.now().date()).periods
    return [period.basis.principal_per_unit for period in periods[:3]]


def test_principal_is_paid_and_lowers_what_bears_interest_after_it():
    held = make_bond()
    assert outstanding(held.token) == [100, 100, 100]
    made = make_distribution(held.token, "Paid", principal_terms(held.token))
    assert held.incomes(made) == {
        held.member.owner_id: 16_000,
        held.organisation.owner_id: 10_000,
        held.own_member.owner_id: 2_000,
    }
    assert balance_of(held.member.owner_id, "NGN") == 16_001
    # Its record has been moved back by the test: put it where it was.
    with without_guards() as cursor:
        cursor.execute("UPDATE credit_distribution SET record_at = %s", [at(first_end())])
    assert outstanding(held.token) == [100, 60, 60]
    assert_books_hold()


def test_a_cancelled_repayment_leaves_the_principal_outstanding():
    held = make_bond()
    made = make_distribution(held.token, "Recorded", principal_terms(held.token))
    with without_guards() as cursor:
        cursor.execute("UPDATE credit_distribution SET record_at = %s", [at(first_end())])
    assert outstanding(held.token) == [100, 60, 60]
    decide_step(made, DistributionAction.CANCEL)
    assert outstanding(held.token) == [100, 100, 100]


def test_more_than_the_outstanding_principal_is_refused():
    token = make_bond().token
    assert refused(token, principal_terms(token, amount=Decimal("100.01"))).code == (
        "principal_exceeded"
    )
    made = approve(propose(token, principal_terms(token, amount=Decimal(60))))
    later = at(first_end() + relativedelta(months=1))
    error = refused(token, principal_terms(token, amount=Decimal("40.01"), record_at=later))
    assert error.code == "principal_exceeded"
    assert error.message == "Only 40 NGN of principal is outstanding on a unit"
    rest = approve(propose(token, principal_terms(token, amount=Decimal(40), record_at=later)))
    assert rest.status == "Announced"
    # What it repays itself does not count against a change.
    day = first_end() + relativedelta(days=3)
    changed = principal_terms(token, amount=Decimal(60), payment_date=day)
    proposals.propose_change(
        distribution_id=made.pk, terms=changed, explanation="Paid later", user=proposer()
    )
    assert approve(made).payment_date == day


def test_two_drafts_that_repay_too_much_are_not_both_announced():
    token = make_bond().token
    later = at(first_end() + relativedelta(months=1))
    first = propose(token, principal_terms(token, amount=Decimal(60)))
    second = propose(token, principal_terms(token, amount=Decimal(60), record_at=later))
    approve(first)
    person = decider()
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        proposals.approve(proposal_id=pending(second).pk, user=person)
    assert found.value.code == "principal_exceeded"
    # Nor by another writer, though two people approved.
    approve_unchecked(second)
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        Distribution.objects.filter(pk=second.pk).update(status="Announced")
    assert violated_constraint(refusal.value) == "distribution_within_principal"


def test_a_record_within_a_period_is_refused():
    token = make_bond().token
    for record_at in (at(first_end() + DAY), at(first_end(), 1)):
        assert refused(token, principal_terms(token, record_at=record_at)).code == "not_period_end"


def test_a_token_without_terms_or_in_its_raise_or_cancelled_repays_nothing():
    token = make_holding().token
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET completed_at = NULL WHERE id = %s", [token.pk])
    assert refused(token, principal_terms(token)).code == "principal_unknown"
    raising = make_token(raise_amount=Decimal(100_000))
    assert refused(raising, principal_terms(raising)).code == "raise_open"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"currency": "KES"}, "currency_differs"),
        ({"amount": Decimal("0.00001")}, "pays_nothing"),
    ],
)
def test_another_currency_and_an_amount_that_rounds_to_nothing_are_refused(changes, code):
    token = make_bond().token
    assert refused(token, principal_terms(token, **changes)).code == code


def test_interest_is_on_no_more_than_was_outstanding_before_its_period():
    token = make_bond().token
    approve(propose(token, principal_terms(token)))
    end = first_end()
    next_end = end + relativedelta(months=1)
    basis = Basis(Decimal("100.01"), Decimal(12), 30)
    assert refused(token, interest_terms(token, basis=basis)).code == "principal_exceeded"
    # The period that ends with the repayment is on all of it, the one after on the rest.
    propose(
        token, interest_terms(token, record_at=at(end), basis=Basis(Decimal(100), Decimal(12), 30))
    )
    days = (next_end - end).days
    # From the day before the repayment on, too.
    whole = Basis(Decimal(100), Decimal(12), days + 1)
    check_principal(token, interest_terms(token, record_at=at(next_end), basis=whole), None)
    too_much = Basis(Decimal("60.01"), Decimal(12), days)
    error = refused(token, interest_terms(token, record_at=at(next_end), basis=too_much))
    assert error.code == "principal_exceeded"
    rest = Basis(Decimal(60), Decimal(12), days)
    propose(token, interest_terms(token, record_at=at(next_end), basis=rest))


def test_shillings_of_principal_are_rounded_down_for_each_holder():
    held = make_bond(currency="UGX")
    terms = principal_terms(held.token, amount=Decimal("0.013"))
    made = make_distribution(held.token, "Paid", terms)
    # 400 * 0.013 = 5.2, 250 * 0.013 = 3.25, 50 * 0.013 = 0.65
    assert held.incomes(made) == {
        held.member.owner_id: 5,
        held.organisation.owner_id: 3,
        held.own_member.owner_id: 0,
    }
    assert_books_hold()


def test_a_dividend_needs_no_terms():
    token = make_holding().token
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET issue_price = NULL WHERE id = %s", [token.pk])
    token.refresh_from_db()
    propose(token, make_terms(token))
