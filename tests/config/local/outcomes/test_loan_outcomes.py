"""Outcomes of loans and distributions by API."""

from decimal import Decimal

import pytest

from config.local.outcomes.people import FIRST, PREPARER
from exchange.tokens.models import Quote
from tests.factories.api_clients import assert_error
from tests.factories.distributions import make_holding, make_terms, propose
from tests.factories.lending import make_lending
from tests.factories.outcomes import Client, events_about, status_of
from tests.factories.wallets import Wallet

pytestmark = [pytest.mark.django_db]


def test_the_ways_of_a_loan(sandbox):
    lending = make_lending()
    client = Client(wallet=Wallet(lending.borrower.organisation))
    due, short = lending.lend(), lending.lend()
    date, sell = due.repayment_date, lending.token.price_sell
    assert status_of(client.set(f"loans/{due.pk}/fall-due")) == "OVERDUE"
    assert_error(client.set(f"loans/{due.pk}/fall-due"), 409, "state_conflict")
    assert status_of(client.set(f"loans/{due.pk}/default")) == "DEFAULTED"
    assert_error(client.set(f"loans/{due.pk}/default"), 409, "state_conflict")
    due.refresh_from_db()
    assert due.repayment_date == date
    # Each for the borrower's organisation and the creditor.
    assert events_about(str(due.pk))[-4:] == ["loan.overdue"] * 2 + ["loan.defaulted"] * 2

    creditor = Client(wallet=Wallet(lending.creditor.organisation))
    found = creditor.set(f"loans/{short.pk}/shortfall").json()["data"]
    assert found["shortfall"]["collateral_value"] < found["shortfall"]["required_value"]
    assert found["collateral_value"] == found["shortfall"]["collateral_value"]
    assert events_about(str(short.pk))[-2:] == ["loan.shortfall"] * 2
    lending.token.refresh_from_db()
    assert lending.token.price_sell == sell
    quotes = Quote.objects.filter(token=lending.token, note__contains="sandbox").order_by("id")
    people = quotes.values_list("proposed_by__username", "decided_by__username")
    assert list(people) == [(PREPARER, FIRST)] * 2
    assert quotes[0].sell < sell == quotes[1].sell
    assert_error(client.set(f"loans/{short.pk}/shortfall"), 409, "state_conflict")


def test_a_distribution_is_recorded_and_paid(sandbox, settings):
    holding = make_holding()
    issuer = Client(
        holding.token.currency_id,
        wallet=Wallet(holding.token.issuer).fund(10_000, holding.token.currency_id),
    )
    distribution = propose(holding.token, make_terms(holding.token))
    path = f"distributions/{distribution.pk}"
    assert_error(issuer.set(f"{path}/pay"), 409, "state_conflict")
    # A notice that this installation requires stays required.
    settings.DISTRIBUTION_NOTICE_DAYS = 1
    assert_error(issuer.set(f"{path}/record"), 400, "notice_too_short")
    distribution.refresh_from_db()
    assert distribution.status == "Draft"
    settings.DISTRIBUTION_NOTICE_DAYS = 0
    recorded = issuer.set(f"{path}/record")
    assert status_of(recorded) == "Recorded"
    assert recorded.json()["data"]["version"] == 2
    assert_error(issuer.set(f"{path}/record"), 409, "state_conflict")
    paid = issuer.set(f"{path}/pay").json()["data"]
    assert (paid["status"], paid["gross"]) == ("Paid", paid["net"])
    assert_error(issuer.set(f"{path}/pay"), 409, "state_conflict")
    assert issuer.available == 10_000 - Decimal(str(paid["gross"]))
    steps = ["announced", "updated", "recorded", "paid"]
    emitted = events_about(str(distribution.pk))
    assert list(dict.fromkeys(emitted)) == [f"distribution.{step}" for step in steps]
