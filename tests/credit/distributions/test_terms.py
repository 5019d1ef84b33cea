"""Terms of distributions that are refused, and those at their bounds that are not."""

import dataclasses
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from credit.distributions.errors import (
    PeriodTaken,
)
from credit.distributions.schedule import Basis
from credit.distributions.services import proposals
from credit.distributions.services.terms import check_terms, check_values, earliest_record
from exchange.core.errors import InvalidRequest, Rejected
from exchange.core.timestamps import wire_time
from tests.assertions.unchanged import assert_nothing_changes
from tests.credit.distributions.refused import refused
from tests.factories.distributions import (
    DAY,
    at,
    decider,
    interest_terms,
    make_distribution,
    make_holding,
    make_terms,
    pending,
    propose,
    proposer,
)
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"record_at": timezone.now() - DAY}, "record_in_past"),
        ({"record_at": timezone.now() + 2 * DAY}, "notice_too_short"),
        ({"record_at": timezone.now() + 800 * DAY}, "too_far_ahead"),
        ({"payment_date": (timezone.now() + 4 * DAY).date()}, "record_after_payment"),
        ({"payment_date": (timezone.now() + 400 * DAY).date()}, "too_far_ahead"),
        ({"currency": "KES"}, "currency_differs"),
        # 400 units of 0.00002 are less than a kobo, and so are those of everybody else.
        ({"amount": Decimal("0.00002")}, "pays_nothing"),
        # Times 1,000 units.
        ({"amount": Decimal("1000000000000.01")}, "amount_too_large"),
    ],
)
def test_what_breaks_a_rule_is_refused_and_nothing_moves(changes, code):
    token = make_holding().token
    error = refused(token, make_terms(token, **changes))
    assert isinstance(error, Rejected)
    assert error.code == code


def test_the_most_that_the_ledger_can_store_is_not_too_large():
    token = make_holding().token
    made = propose(token, make_terms(token, amount=Decimal(10) ** 15 / 1_000))
    assert made.status == "Draft"


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"amount": Decimal(0)}, "amount_per_unit"),
        ({"amount": Decimal("0.0000000000001")}, "amount_per_unit"),
        ({"basis": Basis(Decimal(1), Decimal(1), 1)}, "basis"),
        ({"type": "Interest"}, "amount_per_unit"),
        ({"type": "Interest", "amount": None}, "basis"),
    ],
)
def test_an_amount_that_does_not_fit_its_type_is_refused(terms, field):
    token = make_holding().token
    error = refused(token, make_terms(token, **terms))
    assert isinstance(error, InvalidRequest)
    assert list(error.fields) == [field]


@pytest.mark.parametrize(
    "basis",
    [
        Basis(Decimal(0), Decimal(1), 30),
        Basis(Decimal("0.000000001"), Decimal(1), 30),
        Basis(Decimal(1), Decimal(-1), 30),
        Basis(Decimal(1), Decimal("100.0001"), 30),
        Basis(Decimal(1), Decimal("1.00001"), 30),
        Basis(Decimal(1), Decimal(1), 0),
        Basis(Decimal(1), Decimal(1), 3661),
    ],
)
def test_a_basis_out_of_bounds_is_refused(basis):
    token = make_holding().token
    assert list(refused(token, interest_terms(token, basis=basis)).fields) == ["basis"]


@pytest.mark.parametrize(
    "basis",
    [
        Basis(Decimal("0.00000001"), Decimal(0), 1),
        Basis(Decimal(1), Decimal("99.9999"), 3660),
        Basis(Decimal(1), Decimal(100), 3660),
    ],
)
def test_a_basis_at_its_bounds_is_allowed(basis):
    check_values(interest_terms(make_token(), basis=basis))


def test_a_record_without_notice_is_refused_with_the_earliest_one_in_ten_minutes():
    token, now = make_holding().token, timezone.now().replace(second=59, microsecond=0)
    with pytest.raises(Rejected) as found:
        check_terms(token, make_terms(token, record_at=now + DAY), now=now)
    soon = wire_time(now.replace(second=0) + 3 * DAY + timedelta(minutes=10))
    assert found.value.message == (
        f"The record is too early for the notice: it can be from {soon} on"
    )


def test_interest_on_less_than_a_unit_of_money_is_allowed():
    token = make_holding().token
    propose(token, interest_terms(token, basis=Basis(Decimal("0.5"), Decimal("18.5"), 92)))


def test_the_payment_may_be_a_leap_year_after_the_record():
    token = make_holding().token
    terms = make_terms(token)
    day = terms.record_at.date() + 366 * DAY
    error = refused(token, dataclasses.replace(terms, payment_date=day + DAY))
    assert error.code == "too_far_ahead"
    propose(token, dataclasses.replace(terms, payment_date=day))


@pytest.mark.parametrize(
    ("after", "code"),
    [
        (timedelta(0), "record_in_past"),
        (timedelta(microseconds=1), "notice_too_short"),
        (3 * DAY + timedelta(microseconds=999), "notice_too_short"),
        (3 * DAY + timedelta(milliseconds=1), None),
        (731 * DAY, None),
        (731 * DAY + timedelta(microseconds=1), "too_far_ahead"),
    ],
)
def test_a_record_is_announced_three_days_to_two_years_ahead(after, code):
    token, now = make_holding().token, timezone.now().replace(microsecond=0)
    terms = make_terms(token, record_at=now + after)
    if code is None:
        check_terms(token, terms, now=now)
        return
    with pytest.raises(Rejected) as found:
        check_terms(token, terms, now=now)
    assert found.value.code == code


def test_another_token_pays_for_the_same_day():
    token, other = make_holding().token, make_holding().token
    terms = make_terms(token)
    propose(token, terms)
    propose(other, terms)


@pytest.mark.parametrize("microsecond", [0, 999, 500_500, 998_999, 999_999])
def test_the_earliest_record_is_the_next_whole_millisecond(microsecond, settings):
    settings.DISTRIBUTION_NOTICE_DAYS = 0
    now = timezone.now().replace(microsecond=microsecond)
    found = earliest_record(now)
    assert found.microsecond % 1000 == 0
    assert timedelta(0) < found - now <= timedelta(milliseconds=1)


def test_a_token_in_its_raise_or_cancelled_pays_nothing():
    raising = make_token(raise_amount=Decimal(100_000))
    assert refused(raising, make_terms(raising)).code == "raise_open"
    token = make_holding().token
    set_flags(token, cancelled=True)
    assert refused(token, make_terms(token)).code == "token_cancelled"


def test_a_token_without_holders_but_the_issuer_pays_none():
    token = make_token()
    assert refused(token, make_terms(token)).code == "pays_nothing"


def test_an_explanation_has_at_most_300_characters():
    made = make_distribution(make_holding().token)
    terms, person = make_terms(made.token), proposer()

    def explain(explanation: str) -> str:
        return proposals.propose_change(
            distribution_id=made.pk, terms=terms, explanation=explanation, user=person
        ).explanation

    with assert_nothing_changes(), pytest.raises(InvalidRequest):
        explain("a" * 301)
    assert explain("a" * 300) == "a" * 300


def test_one_distribution_of_a_type_pays_for_a_day_or_a_period():
    token = make_holding().token
    day = (timezone.now() + 100 * DAY).date()
    first = propose(token, make_terms(token, record_at=at(day, 3)))
    assert isinstance(refused(token, make_terms(token, record_at=at(day, 20))), PeriodTaken)
    propose(token, make_terms(token, record_at=at(day + DAY)))
    # The 92 days before the record, which ends where the next one begins.
    propose(token, interest_terms(token, record_at=at(day)))
    assert isinstance(
        refused(token, interest_terms(token, record_at=at(day + 91 * DAY))), PeriodTaken
    )
    propose(token, interest_terms(token, record_at=at(day + 92 * DAY)))
    # A cancelled one does not count.
    proposals.reject(proposal_id=pending(first).pk, reason="Another one is better", user=decider())
    propose(token, make_terms(token, record_at=at(day, 20)))
