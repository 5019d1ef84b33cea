"""Lifecycle actions of a token in the admin: the confirmation page matches the effect."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.tokens.models import Token
from orders.book.models import Order
from orders.listings.models import TokenAction, TokenProposal
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories import lifecycle
from tests.factories.back_office import (
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.traders import Trader, make_trader
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import SYSTEM, assert_books_hold
from wallets.ledger.models import AccountKind, Transfer, TransferKind
from wallets.ledger.posting import Leg, open_account

pytestmark = pytest.mark.django_db

# Of a token in its raise.
POSSIBLE = ("close", "complete", "cancel")
PAGES = ("close", "reopen", "complete", "secondaries", "exit", "cancel")


def propose(client: Client, token: Token, name: str, why: str = "") -> TokenProposal:
    """Propose an action on the token's page."""
    why = why or f"As agreed with the issuer, {name}"
    done = submit_confirmation(client, page(token, name), explanation=why)
    assert messages_of(done)[-1] == "Proposed. A second person must confirm it."
    return TokenProposal.objects.get(token=token, status="Pending")


def decide(
    client: Client,
    other: Client,
    token: Token,
    name: str,
    why: str = "",
) -> Any:
    """Propose an action as one person and confirm it as another; return the response."""
    return submit_confirmation(other, page(propose(client, token, name, why), "confirm"))


@pytest.fixture
def issuer() -> Trader:
    return make_trader(1000)


@pytest.fixture
def buyer() -> Trader:
    return make_trader(50_000, member=True)


@pytest.fixture
def second() -> Client:
    return signed_in_client(FINANCE_APPROVER, username="second")


def test_closing_shows_the_open_orders_and_cancels_them(issuer, buyer, finance):
    token = issuer.issue(buy_fee=Decimal(1))
    issuer.place(token, "Sell", 120, 10)
    buyer.place(token, "Buy", 90, 5)
    shown = text_of(finance.get(page(token, "close")))
    assert "Buy orders cancelled 1 454.50 KES" in shown
    assert "Sell orders cancelled 1 10 units" in shown
    done = submit_confirmation(finance, page(token, "close"))
    assert messages_of(done) == ["Token closed. Open orders cancelled; no new orders are accepted."]
    assert not Order.objects.filter(status="Active").exists()
    assert issuer.balance(token.pk) == 1000
    assert buyer.balance("KES") == 50_000
    again = submit_confirmation(finance, page(token, "reopen"))
    assert messages_of(again)[-1] == "Token reopened. New orders are accepted."
    token.refresh_from_db()
    assert not token.closed
    assert_books_hold()


def test_the_confirmation_page_changes_nothing(issuer, buyer, finance):
    token = issuer.issue(raise_amount=Decimal(100_000))
    buyer.place(token, "Buy", 100, 10)
    with assert_no_table_changes():
        for name in PAGES:
            looked = finance.get(page(token, name))
            # A button of a page that showed nothing asks too.
            pressed = finance.post(page(token, name), {"explanation": "no"})
            assert looked.status_code == pressed.status_code == (200 if name in POSSIBLE else 302)


def test_cancelling_a_raise_shows_and_pays_every_refund(issuer, buyer, finance, second):
    other = make_trader(20_000)
    token = issuer.issue(raise_amount=Decimal(100_000), buy_fee=Decimal("1.5"))
    buyer.place(token, "Buy", 100, 100)
    buyer.place(token, "Buy", 100, 7)
    other.place(token, "Buy", 100, "55.25")
    proposal = propose(finance, token, "cancel", "The issuer withdrew")
    assert not Transfer.objects.filter(kind=TransferKind.RAISE_REFUND).exists()
    shown = text_of(second.get(page(proposal, "confirm")))
    for words in (
        "Buyers refunded 2",
        "Refunded, fees included 16,468.38 KES",
        "Units returned by buyers 162.25 units",
        "Units retired, unsold units included 1,000 units",
        "2 10,860.50 KES 107 units Yes",
        "1 5,607.88 KES 55.25 units Yes",
        "Explanation The issuer withdrew",
        "Proposed by finance-approver",
    ):
        assert words in shown, words
    done = submit_confirmation(second, page(proposal, "confirm"))
    assert messages_of(done)[-1] == "Token cancelled. Buyers of an open raise are refunded."
    assert buyer.balance("KES") == 50_000
    assert other.balance("KES") == 20_000
    assert not buyer.balance(token.pk)
    assert not issuer.balance(token.pk, "unsold")
    refund = Transfer.objects.filter(kind=TransferKind.RAISE_REFUND)[0]
    assert refund.memo == "The issuer withdrew"
    after = text_of(finance.get(page(token, "change")))
    assert "Cancelled" in after
    assert "Available actions" not in after
    assert "Retired 1,000 units" in after
    assert_books_hold()


def test_a_raise_that_changed_meanwhile_needs_another_review(issuer, buyer, finance, second):
    token = issuer.issue(raise_amount=Decimal(100_000))
    buyer.place(token, "Buy", 100, 10)
    opened = finance.get(page(token, "complete"))
    buyer.place(token, "Buy", 100, 5)
    with assert_no_table_changes():
        response = submit_confirmation(
            finance, page(token, "complete"), at=opened, explanation="Now, as the issuer reported"
        )
    assert (
        "Proceeds to the issuer was 1,000.00 KES and is 1,500.00 KES" in messages_of(response)[-1]
    )
    assert b"Now" in response.content
    proposal = propose(finance, token, "cancel")
    to_confirm = second.get(page(proposal, "confirm"))
    buyer.place(token, "Buy", 100, 5)
    with assert_no_table_changes():
        response = submit_confirmation(second, page(proposal, "confirm"), at=to_confirm)
        assert messages_of(response)[-1] == (
            "No changes were made. Since you opened the page: Refunded, fees included was "
            "1,500.00 KES and is 2,000.00 KES; Units returned by buyers was 15 units and is "
            "20 units. Review it again."
        )
        # What the proposer saw is not what would be done now.
        response = submit_confirmation(second, page(proposal, "confirm"))
    assert "The raise has changed since this was proposed" in messages_of(response)[-1]
    rejected = submit_confirmation(
        second, page(proposal, "reject"), reason="Sold since, as the issuer reported"
    )
    assert messages_of(rejected)[-1] == "Proposal closed. The token stays as it is."
    decide(finance, second, token, "cancel", "Cancelled for what is sold by now")
    assert buyer.balance("KES") == 50_000
    assert_books_hold()


def test_a_refund_with_unavailable_units_is_shown_and_rejected(issuer, buyer, finance, second):
    token = issuer.issue(raise_amount=Decimal(100_000))
    buyer.place(token, "Buy", 100, 10)
    held, pledged = (
        open_account(
            str(token.pk),
            kind,
            organisation_id=buyer.wallet.organisation.pk,
            member_id=buyer.wallet.member_id,
        )
        for kind in (AccountKind.AVAILABLE, AccountKind.LIEN)
    )
    post_unjustified(
        kind=TransferKind.TRADE,
        reference="pledge",
        subject_id=token.pk,
        actor=SYSTEM,
        legs=[Leg(held, Decimal(-4)), Leg(pledged, Decimal(4))],
    )
    proposal = propose(finance, token, "cancel")
    shown = text_of(second.get(page(proposal, "confirm")))
    assert "Buyers with unavailable units: cancellation will fail 1" in shown
    assert "No, only 6 units" in shown
    with assert_no_table_changes():
        refused = submit_confirmation(second, page(proposal, "confirm"))
    assert "not available; release them first" in messages_of(refused)[-1]


def test_a_proposal_needs_an_explanation_and_a_second_person(issuer, finance, second):
    token = issuer.issue()
    with assert_no_table_changes():
        without = submit_confirmation(finance, page(token, "cancel"), explanation=" ")
    assert "This field is required." in text_of(without)
    proposal = propose(finance, token, "cancel")
    with assert_no_table_changes():
        own = submit_confirmation(finance, page(proposal, "confirm"))
        assert "Someone other than the proposer must approve this" in messages_of(own)[-1]
        again = submit_confirmation(
            second, page(token, "exit"), explanation="Sold, as the issuer reported"
        )
    assert "A proposal about this token is pending already" in messages_of(again)[-1]
    shown = text_of(second.get(page(token, "change")))
    assert "Cancel Pending finance-approver -" in shown


def test_completing_a_raise_pays_the_issuer_and_secondaries_open_after_it(
    issuer, buyer, finance, second
):
    token = issuer.issue(raise_amount=Decimal(100_000))
    buyer.place(token, "Buy", 100, 250)
    early = submit_confirmation(
        finance, page(token, "secondaries"), explanation="Now, as the issuer reported"
    )
    assert "is not available: the token is in raise" in messages_of(early)[-1]
    proposal = propose(finance, token, "complete")
    assert issuer.balance("KES") == 1_000
    shown = text_of(second.get(page(proposal, "confirm")))
    for words in (
        "Raise target 100,000.00 KES",
        "Raised 25,000.00 KES (25.0 %)",
        "Buyers 1",
        "Proceeds to the issuer 25,000.00 KES",
        "Unsold units to the issuer 750 units",
    ):
        assert words in shown, words
    submit_confirmation(second, page(proposal, "confirm"))
    assert (issuer.balance("KES"), issuer.balance(token.pk)) == (26_000, 750)
    opened = decide(finance, second, token, "secondaries")
    assert messages_of(opened)[-1] == "Secondary trading opened."
    text = text_of(finance.get(page(token, "change")))
    assert "Trading" in text
    assert "Raise completion second" in text
    assert "second Secondary market trading no yes" in text
    assert_books_hold()


def test_an_exit_leaves_units_with_their_holders(issuer, buyer, finance, second):
    token = issuer.issue()
    issuer.place(token, "Sell", 100, 10)
    buyer.place(token, "Buy", 100, 4)
    proposal = propose(finance, token, "exit")
    shown = text_of(second.get(page(proposal, "confirm")))
    assert "Holders 2" in shown
    assert "Sell orders cancelled 1 6 units" in shown
    assert "Refunds none" in shown
    submit_confirmation(second, page(proposal, "confirm"))
    token.refresh_from_db()
    assert token.exited
    assert (buyer.balance(token.pk), issuer.balance(token.pk)) == (4, 996)
    assert_books_hold()


def test_an_action_done_meanwhile_is_reported_and_not_repeated(issuer, finance, second):
    token = issuer.issue()
    to_cancel = finance.get(page(token, "cancel"))
    proposal = propose(finance, token, "exit")
    to_exit = second.get(page(proposal, "confirm"))
    submit_confirmation(second, page(proposal, "confirm"), at=to_exit)
    with assert_no_table_changes():
        again = submit_confirmation(second, page(proposal, "confirm"), at=to_exit)
        assert messages_of(again)[-1] == "Already approved by second. No changes were made."
        not_closed = submit_confirmation(finance, page(token, "reopen"))
        message = "is not available: the token is exited. No changes were made."
        assert messages_of(not_closed)[-1] == f"Reopen {message}"
        stale = submit_confirmation(
            finance, page(token, "cancel"), at=to_cancel, explanation="no, as the issuer reported"
        )
    assert "Status was Trading and is Exited" in messages_of(stale)[-1]


def test_a_raise_is_not_exited(issuer, finance):
    token = issuer.issue(raise_amount=Decimal(100_000))
    with assert_no_table_changes():
        refused = submit_confirmation(
            finance, page(token, "exit"), explanation="no, as the issuer reported"
        )
    assert messages_of(refused)[-1] == (
        "Exit is not available: the token is in raise. No changes were made."
    )


@pytest.mark.parametrize("role", [AUDITOR, BACK_OFFICE, ADMINISTRATOR])
@pytest.mark.one_in(3)
def test_other_roles_are_offered_no_action(issuer, role):
    token = issuer.issue()
    lifecycle.propose(token.pk, TokenAction.EXIT)
    shown = signed_in_client(role).get(page(token, "change"))
    assert "Available actions" not in text_of(shown)


def test_the_page_offers_what_is_possible_now(issuer, finance):
    raising = issuer.issue(raise_amount=Decimal(100_000))
    trading = issuer.issue()
    Token.objects.filter(pk=trading.pk).update(closed=True)
    offered = {
        token: re.findall(
            rf'(?:action|href)="/admin/exchange/token/{token.pk}/(\w+)/"',
            finance.get(page(token, "change")).content.decode(),
        )
        for token in (raising, trading)
    }
    assert offered == {
        raising: ["close", "halt", "complete", "cancel"],
        trading: ["distribution", "reopen", "halt", "exit", "cancel"],
    }
