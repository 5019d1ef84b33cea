"""Filters of loans and configurations, and the dashboard counts of credit officers."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from credit.configurations.filters import ConfigurationFilters
from credit.configurations.models import LoanConfiguration
from credit.configurations.services.configurations import propose_change
from credit.loans.errors import LoanNotFound
from credit.loans.filters import LoanFilters
from credit.loans.models import Loan, Shortfall
from credit.loans.selectors.loans import read_loan_statement
from credit.loans.selectors.overview import count_loans_by_status, outstanding_by_currency
from credit.loans.services import servicing
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.ids import uuid7
from exchange.core.timestamps import javascript_time
from tests.factories.api_clients import TESTER
from tests.factories.lending import make_lending
from tests.factories.loan_configurations import make_configuration, make_terms
from tests.factories.loans import make_completed_loan, repay_loan
from tests.factories.tokens import give_units, make_token

pytestmark = pytest.mark.django_db(transaction=True)


def found(**asked: Any) -> set[UUID]:
    """Return the loans that match the filters."""
    filters = LoanFilters(data=asked, queryset=Loan.objects.all())
    assert filters.is_valid(), filters.errors
    return set(filters.qs.values_list("id", flat=True))


def test_a_loan_falls_short_while_a_shortfall_of_its_own_is_open(lending):
    never = lending.lend(amount=1000, units=1)
    cured, still = (lending.lend(amount=80_000, units=10) for _ in range(2))
    lending.set_price(9_000)
    servicing.revalue_loans(force=True)
    more = {"organisation_id": cured.organisation_id, "actor": TESTER}
    add_collateral(loan_id=cured.id, pledges=(Pledge(lending.token.id, Decimal(2)),), **more)
    assert Shortfall.objects.filter(cured_at__isnull=True).count() == 1
    assert found(shortfall="true") == {still.id}
    assert found(shortfall="false") == {never.id, cured.id}
    assert found() == {never.id, cured.id, still.id}


def test_a_statement_is_given_to_the_parties_of_its_loan_alone(lending):
    theirs = lending.lend(amount=1000, units=1)
    stranger = make_lending().lend(amount=1000, units=1)
    for party in (theirs.organisation_id, theirs.creditor_id):
        assert json.loads(read_loan_statement(party, theirs.id))
    for organisation_id, loan_id in (
        (stranger.organisation_id, theirs.id),
        (theirs.organisation_id, uuid7()),
    ):
        with pytest.raises(LoanNotFound):
            read_loan_statement(organisation_id, loan_id)


def test_a_loan_is_found_by_a_token_while_any_of_it_is_pledged(lending):
    other = make_token(price_sell=Decimal(10_000))
    give_units(other, lending.borrower, 10)
    half, gone = Pledge(other.id, Decimal("0.5")), Pledge(other.id, Decimal(3))
    first = lending.lend(amount=1000, collaterals=(half, Pledge(lending.token.id, Decimal(1))))
    second = lending.lend(amount=1000, collaterals=(gone, Pledge(lending.token.id, Decimal(1))))
    third = lending.lend(amount=1000, units=1)
    assert found(token_id=str(other.id)) == {first.id, second.id}
    release_collateral(
        loan_id=second.id, organisation_id=second.organisation_id, pledges=(gone,), actor=TESTER
    )
    assert found(token_id=str(other.id)) == {first.id}
    assert found(token_id=str(lending.token.id)) == {first.id, second.id, third.id}


def test_due_date_filters_are_to_the_second(lending):
    loan = lending.lend(amount=1000, units=1)
    shown = loan.repayment_date.replace(microsecond=0)
    for seconds, included in ((-1, (True, False)), (0, (True, True)), (1, (False, True))):
        moment = f"{(shown + timedelta(seconds=seconds)):%Y-%m-%dT%H:%M:%SZ}"
        assert (bool(found(due_from=moment)), bool(found(due_to=moment))) == included, seconds
    west_africa = shown + timedelta(hours=1)
    assert javascript_time(loan.repayment_date)[:10] == f"{west_africa:%a %b %d}"


def test_a_configuration_is_found_by_the_currencies_it_displays():
    shillings = {"max_amount": {"KES": Decimal(1000)}}
    naira = make_configuration()
    changing, waiting = make_configuration(), make_configuration(approved=False)
    propose_change(configuration_id=changing.id, terms=make_terms(**shillings), actor=TESTER)
    propose_change(configuration_id=waiting.id, terms=make_terms(**shillings), actor=TESTER)

    def lending(currency: str) -> set[UUID]:
        filters = ConfigurationFilters(
            data={"currency": currency}, queryset=LoanConfiguration.objects.all()
        )
        return set(filters.qs.values_list("id", flat=True))

    assert lending("NGN") == {naira.id, changing.id}
    assert lending("KES") == {waiting.id}
    assert lending("UGX") == set()


def test_officers_see_every_status_and_outstanding_balances(lending):
    assert {each.status.value: each.count for each in count_loans_by_status()} == dict.fromkeys(
        ("ACTIVE", "OVERDUE", "DEFAULTED", "COMPLETED", "LIQUIDATED", "WRITTEN_OFF"), 0
    )
    assert outstanding_by_currency() == []
    make_completed_loan(lending)
    repay_loan(lending.lend(), 760_000)  # all of the interest, and 4,000 of the principal
    lending.lend(amount=1000, units=1)
    shillings = make_lending(max_amount={"KES": Decimal(1000)})
    shillings.creditor.fund(1000, "KES")
    token = make_token(currency="KES", price_sell=Decimal(10))
    give_units(token, shillings.borrower, 50)
    pledge = (Pledge(token.id, Decimal(50)),)
    shillings.lend(amount=100, currency="KES", collaterals=pledge)
    counts = {each.status.value: each.count for each in count_loans_by_status()}
    assert (counts["ACTIVE"], counts["COMPLETED"], counts["DEFAULTED"]) == (3, 1, 0)
    assert [(each.currency, each.count, each.amount) for each in outstanding_by_currency()] == [
        ("KES", 1, Decimal(190)),
        ("NGN", 2, Decimal(837_900)),
    ]
