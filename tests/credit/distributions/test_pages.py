"""A distribution on the pages of the back office: from proposal to payment, by two people."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from credit.distributions.models import Distribution
from credit.distributions.services import funding, paying, recording
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.back_office import (
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.distributions import (
    approve,
    interest_terms,
    make_distribution,
    make_due,
    make_holding,
    pending,
    propose,
    redemption_terms,
)
from tests.factories.wallets import Wallet, assert_books_hold, balance_of

pytestmark = pytest.mark.django_db

WHY = "The board decided it in May"


@pytest.fixture
def ada() -> Client:
    return signed_in_client(BACK_OFFICE, "ada")


@pytest.fixture
def ben() -> Client:
    return signed_in_client(FINANCE_APPROVER, "ben")


def fields(**changes: str) -> dict[str, str]:
    """Return the fields of the form that proposes a dividend of 2.5 a unit."""
    record = timezone.now() + timedelta(days=5)
    return {
        "type": "Dividend",
        "amount_per_unit": "2.5",
        "record_at_0": f"{record:%Y-%m-%d}",
        "record_at_1": "12:00:00",
        "payment_date": f"{record + timedelta(days=1):%Y-%m-%d}",
        "explanation": WHY,
        **changes,
    }


def propose_on_page(client: Client, token: Token, **changes: str) -> Any:
    address = reverse("admin:exchange_token_distribution", args=[token.pk])
    assert client.get(address).status_code == 200
    return client.post(address, fields(**changes))


def decide(client: Client, distribution: Distribution, step: str = "approve", **typed: str) -> Any:
    return submit_confirmation(client, page(distribution, step, pending(distribution).pk), **typed)


def test_from_proposal_to_payment_by_two_people(ada, ben):
    held = make_holding()
    Wallet(held.token.issuer).fund(2_000, "NGN")
    assert messages_of(propose_on_page(ada, held.token)) == [
        "Proposed. A second person must approve it on the page of the distribution."
    ]
    made = Distribution.objects.get()
    assert "Due if recorded now" in text_of(ben.get(page(made)))
    assert messages_of(decide(ben, made)) == ["Announced."]
    make_due(made)
    recording.record(made.pk)
    shown = text_of(ben.get(page(made)))
    assert "1,750.00 NGN" in shown
    assert "Ada Obi" in shown
    assert funding.fund_due() == 0
    assert "Overdue" in text_of(ada.get(page(made)))
    submit_confirmation(ada, page(made, "propose_funding"), explanation=f"{WHY}, by letter")
    assert messages_of(decide(ben, made)) == ["Funded."]
    paying.pay_due()
    made.refresh_from_db()
    assert made.status == "Paid"
    assert balance_of(held.member.owner_id, "NGN") == 1_001
    shown = text_of(ben.get(page(held.token)))
    assert "Propose distribution" in shown
    assert f"{made} Paid" in " ".join(shown.split())
    assert_books_hold()


def test_interest_is_proposed_with_its_basis(ada):
    held = make_holding()
    propose_on_page(
        ada,
        held.token,
        type="Interest",
        amount_per_unit="",
        principal="100",
        rate="18.5",
        days="92",
    )
    made = Distribution.objects.get()
    assert made.basis is not None
    assert (made.basis.days, made.type) == (92, "Interest")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"amount_per_unit": ""}, "Amount per unit Must be above 0"),
        ({"rate": "5"}, "Only Interest has principal, rate and days"),
        (
            {"type": "Interest", "amount_per_unit": "", "rate": "5"},
            "Interest needs principal, rate and days",
        ),
        ({"record_at_0": "", "record_at_1": ""}, "Enter the time of the record"),
        ({"payment_date": "2020-01-01"}, "The record must not be after the payment"),
        ({"explanation": "no"}, "at least 15 letters"),
    ],
)
@pytest.mark.one_in(3)
def test_a_bad_form_says_why_and_changes_nothing(ada, changes, message):
    held = make_holding()
    with assert_nothing_changes():
        response = propose_on_page(ada, held.token, **changes)
    assert response.status_code == 200
    assert message in text_of(response)


def test_terms_are_changed_and_a_distribution_is_cancelled(ada, ben):
    made = make_distribution(make_holding().token)
    address = page(made, "change_terms")
    assert ada.get(address).status_code == 200
    changed = {name: value for name, value in fields(amount_per_unit="3").items() if name != "type"}
    ada.post(address, changed)
    assert messages_of(decide(ben, made)) == ["Terms changed."]
    made.refresh_from_db()
    assert (made.version, str(made.amount_per_unit)) == (2, "3.000000000000")
    submit_confirmation(ada, page(made, "propose_cancellation"), explanation=f"{WHY} again")
    assert messages_of(decide(ben, made)) == ["Cancelled. Nothing is paid."]
    made.refresh_from_db()
    assert made.status == "Cancelled"


def test_a_rejected_draft_is_cancelled(ben):
    made = propose(make_holding().token)
    assert messages_of(decide(ben, made, "reject", reason="The record is too early")) == [
        "Proposal closed."
    ]
    made.refresh_from_db()
    assert made.status == "Cancelled"


def test_steps_are_offered_in_their_time(ada):
    held = make_holding()
    made = propose(held.token)
    assert "Change terms" not in text_of(ada.get(page(made)))
    approve(made)
    shown = text_of(ada.get(page(made)))
    assert "Change terms" in shown
    assert "Propose cancellation" in shown
    assert "Propose funding" not in shown


@pytest.mark.slow
def test_a_paid_distribution_is_corrected_by_two_people(ada, ben):
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    day = f"{timezone.now() + timedelta(days=5):%Y-%m-%d}"
    address = page(paid, "propose_correction")
    asked = ada.get(address).context["form"]
    assert list(asked.fields) == ["explanation", "amount_per_unit", "payment_date"]
    assert asked["payment_date"].value() is None
    typed = {"amount_per_unit": "2", "payment_date": day, "explanation": WHY}
    refused = ada.post(address, {**typed, "amount_per_unit": "2.5"})
    assert "These terms pay each holder what it received" in text_of(refused)
    assert not paid.corrections.exists()
    assert messages_of(ada.post(address, typed)) == [
        "Proposed. Nothing is paid or taken back until a second person approves."
    ]
    made = paid.corrections.get()
    shown = text_of(ada.get(page(made)))
    assert "Due if recorded now -350.00 NGN" in shown
    assert f"Corrects {paid}" in shown
    listed = ada.get(reverse("admin:credit_distribution_changelist"))
    assert "Correction of Dividend" in text_of(listed)
    question = text_of(ben.get(page(made, "approve", pending(made).pk)))
    assert "Amount per unit, paid 2.50 NGN" in question
    assert "the difference of each holder is recorded at once" in question
    decide(ben, made)
    made.refresh_from_db()
    assert (made.status, made.final) == ("Recorded", False)
    shown = text_of(ada.get(page(made)))
    assert "Income Due 3" in shown
    assert "Recovered 0.00 NGN of 350.00 NGN" in shown
    assert "Propose correction" not in text_of(ada.get(page(made)))


def test_a_correction_is_named_by_the_period_that_it_corrects():
    token = Token(symbol="RVTN")
    at = timezone.now()
    paid = Distribution(token=token, type="Interest", days=92, period_end=date(2026, 9, 9))
    made = Distribution(token=token, type="Interest", days=91, record_at=at, corrects=paid)
    assert str(paid) == "Interest of RVTN, 92 days to 9 September 2026"
    assert str(made) == "Correction of Interest of RVTN, 91 days to 9 September 2026"


def test_interest_is_changed_by_its_basis(ada):
    held = make_holding()
    made = make_distribution(held.token, terms=interest_terms(held.token))
    shown = ada.get(page(made, "change_terms"))
    names = ["explanation", "principal", "rate", "days", "record_at", "payment_date"]
    assert list(shown.context["form"].fields) == names


def test_a_confirmation_has_the_time_of_the_record_and_says_what_becomes_of_units(ben):
    held = make_holding()
    made = propose(held.token)
    shown = text_of(ben.get(page(made, "approve", pending(made).pk)))
    assert f"Record (UTC) {made.record_at:%Y-%m-%d %H:%M:%S} Payment date" in shown
    assert "Units" not in shown
    redemption = propose(held.token, redemption_terms(held.token))
    shown = text_of(ben.get(page(redemption, "approve", pending(redemption).pk)))
    assert "Units Taken back as they are paid" in shown


def test_a_redeemed_token_has_no_units_and_is_paid_no_more(ada):
    held = make_holding()
    Token.objects.filter(pk=held.token.pk).update(supply=700)
    token_page = reverse("admin:exchange_token_change", args=[held.token.pk])
    shown = text_of(ada.get(token_page))
    assert "Propose distribution" in shown
    assert "Supply: 1,000 units, 700 units in circulation" in shown
    make_distribution(held.token, "Paid", redemption_terms(held.token))
    shown = text_of(ada.get(token_page))
    assert "Propose distribution" not in shown
    assert "Supply: 1,000 units, 0 units in circulation" in shown
