"""The pages on which terms are edited, proposed, approved and rejected."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from exchange.tokens.models import FIXED_FIELDS, Token
from orders.listings.models import TermsProposal
from orders.listings.selectors import unknown_terms
from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import messages_of, signed_in_client, submit_confirmation, text_of
from tests.factories.lifecycle import forget_terms
from tests.factories.tokens import make_token
from tests.factories.traders import make_trader

pytestmark = pytest.mark.django_db

D = Decimal


def page(token: Token, name: str) -> str:
    return reverse(f"admin:exchange_token_{name}", args=[token.pk])


def decision(proposal: TermsProposal, name: str) -> str:
    return reverse(f"admin:orders_termsproposal_{name}", args=[proposal.pk])


def a_note() -> Token:
    return make_token(interest=D(12), tenor=730, payout_frequency="Quarterly")


def fields(client: Client, token: Token, name: str) -> dict[str, str]:
    """Return what the form shows first."""
    form = client.get(page(token, name)).context["form"]
    return {each.html_name: each.value() for each in form if each.value() not in (None, False)}


def propose(client: Client, token: Token, **changes: str) -> TermsProposal:
    body = {**fields(client, token, "terms"), "interest": "10.5", **changes}
    body.setdefault("explanation", "Agreed with the holders in writing")
    assert messages_of(client.post(page(token, "terms"), body)) == [
        "Terms proposed. They require a second person's approval."
    ]
    return TermsProposal.objects.get(token=token, status="Pending")


def test_terms_are_proposed_and_approved_by_another_person():
    token = a_note()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    assert page(token, "terms") in office.get(page(token, "change")).content.decode()
    proposal = propose(office, token)
    shown = text_of(finance.get(decision(proposal, "approve")))
    assert "Interest 12 % a year → 10.5 % a year" in shown
    assert "Tenor, unchanged 730 days" in shown
    assert "Agreed with the holders in writing" in shown
    assert "Organisations that are notified: 1." in shown
    done = submit_confirmation(finance, decision(proposal, "approve"))
    assert messages_of(done) == [f"Approved. Version 2 of the terms of {token.symbol} holds."]
    token.refresh_from_db()
    assert (token.interest, token.terms_version) == (D("10.5"), 2)
    assert "Version 2" in text_of(office.get(page(token, "change")))


def test_a_proposal_is_rejected_and_the_terms_stay():
    token = a_note()
    office, finance = signed_in_client(BACK_OFFICE), signed_in_client(FINANCE_APPROVER)
    proposal = propose(office, token)
    why = "Holders have not agreed to this"
    done = submit_confirmation(finance, decision(proposal, "reject"), reason=why)
    assert messages_of(done) == ["Proposal closed. The terms of the token stay."]
    proposal.refresh_from_db()
    token.refresh_from_db()
    assert (proposal.status, token.interest, token.terms_version) == ("Rejected", 12, 1)
    # The proposer cancels alone.
    own = propose(office, token, explanation="Corrected after the rejection")
    submit_confirmation(office, decision(own, "reject"), reason="Entered for the wrong token")
    own.refresh_from_db()
    assert own.status == "Rejected"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"issue_price": "0"}, "Must be above 0"),
        ({"issue_price": "1.001"}, "At most 2 decimals"),
        ({"interest": "100.5"}, "Must be from 0 to 100"),
        ({"tenor": "-1"}, "greater than or equal to 0"),
        ({"tenor": "36501"}, "less than or equal to 36500"),
        ({"payout_frequency": "Weekly"}, "Select a valid choice."),
        ({"completed_on": "2099-01-01"}, "Must not be in the future"),
        ({"completed_on": ""}, "This field is required."),
        ({"explanation": "why"}, "letters"),
        ({"interest": "12"}, "These are the terms of the token"),
    ],
)
@pytest.mark.one_in(3)
def test_bad_terms_are_named_and_nothing_moves(changes, message):
    token, client = a_note(), signed_in_client(BACK_OFFICE)
    body = {**fields(client, token, "terms"), "interest": "10.5"}
    body |= {"explanation": "Agreed with the holders in writing"} | changes
    before = table_fingerprints()
    assert message in text_of(client.post(page(token, "terms"), body))
    assert table_fingerprints() == before


def test_the_edit_page_has_no_fixed_terms_once_investors_have_bought():
    client = signed_in_client(BACK_OFFICE)
    fresh = make_token(raise_amount=D(100_000))
    assert set(FIXED_FIELDS) <= set(client.get(page(fresh, "edit")).context["form"].fields)
    assert page(fresh, "terms") not in client.get(page(fresh, "change")).content.decode()
    token = a_note()
    shown = client.get(page(token, "edit"))
    assert not set(FIXED_FIELDS) & set(shown.context["form"].fields)
    assert "change with new terms only" in text_of(shown)
    body = {**fields(client, token, "edit"), "name": "New", "interest": "1", "issue_price": "1"}
    client.post(page(token, "edit"), body)
    token.refresh_from_db()
    assert (token.name, token.interest) == ("New", 12)
    assert token.issue_price == 100


def test_a_raise_has_no_completion_to_propose():
    issuer, client = make_trader(), signed_in_client(BACK_OFFICE)
    token = issuer.issue(raise_amount=D(100_000))
    make_trader(100).place(token, "Buy", 100, 1)
    assert "completed_on" not in client.get(page(token, "terms")).context["form"].fields
    assert propose(client, token).completed_at is None


# --- terms that are not known ---------------------------------------------------------------------


def test_unknown_terms_are_shown_as_records_have_them():
    issuer = make_trader()
    sold, listed = issuer.issue(raise_amount=D(100_000)), issuer.issue()
    make_trader(100_000).place(sold, "Buy", 100, 1000)
    sold.refresh_from_db()
    completed_at, client = sold.completed_at, signed_in_client(BACK_OFFICE)
    assert completed_at is not None
    assert unknown_terms() == []
    for token in (sold, listed):
        forget_terms(token)
    found = {each.token.pk: each for each in unknown_terms()}
    assert found.keys() == {sold.pk, listed.pk}
    assert found[sold.pk].issue_price == 100
    when = found[sold.pk].completed_at
    assert when is not None
    assert when.date() == completed_at.date()
    assert (found[listed.pk].issue_price, found[listed.pk].completed_at) == (
        None,
        listed.created_at,
    )
    assert fields(client, sold, "terms")["issue_price"] == "100"
    assert "issue_price" not in fields(client, listed, "terms")
    shown = text_of(client.get(page(listed, "change")))
    assert "Issue price -" in shown
