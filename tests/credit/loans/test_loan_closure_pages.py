"""Closure of defaulted loans in the back office: two officers, frozen plans, stale pages."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from credit.loans.models import ClosureAction, ClosureProposal, Loan
from credit.loans.services.closures import propose_closure
from credit.loans.services.pledging import add_collateral
from credit.loans.services.repaying import repay
from credit.loans.services.valuation import Pledge
from exchange.staff.admin.pending import VIEW_ONLY
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER
from tests.factories.back_office import (
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.loan_pages import LIQUIDATE, propose
from tests.factories.loans import make_defaulted_loan, update_without_guard
from tests.factories.wallets import assert_books_hold, balance_of

pytestmark = pytest.mark.django_db

OTHERS = [AUDITOR, BACK_OFFICE, ADMINISTRATOR, FINANCE_APPROVER]
LIST = "admin:credit_loan_changelist"
WRITE_OFF = ClosureAction.WRITE_OFF.value


def decision(proposal: ClosureProposal, name: str, loan: Loan | None = None) -> str:
    wanted = loan.pk if loan else proposal.loan_id
    return reverse(f"admin:credit_loan_{name}", args=[wanted, proposal.pk])


def test_one_officer_proposes_a_liquidation_and_another_one_confirms_it(lending, ada, ben):
    loan = make_defaulted_loan(lending, units=300)
    lending.set_price(7_000)
    asked = text_of(ada.get(page(loan, LIQUIDATE)))
    assert re.search(r"7,000\.00 NGN \S+ \S+ 300 units 228 units 72 units 1,596,000\.00 NGN", asked)
    assert "Deficiency 0.00 NGN" in asked
    proposal = propose(ada, loan)
    hers = ada.get(page(loan))
    assert "Someone other than the proposer must confirm this." in text_of(hers)
    assert "Cancel proposal" in text_of(hers)
    assert b"disabled" in hers.content
    with assert_no_table_changes():
        response = submit_confirmation(ada, decision(proposal, "confirm"))
        message = "Someone other than the proposer must confirm this. No changes were made."
    assert messages_of(response)[-1] == message
    lending.set_price(1)
    his = ben.get(page(loan))
    assert b"disabled" not in his.content
    text = text_of(his)
    assert "Pending approval: liquidation Proposed by ada 0 s ago: No answer" in re.sub(
        r"\d+ s ago", "0 s ago", text
    )
    assert "Eligible approvers: ben." in text
    assert re.search(r"7,000\.00 NGN \S+ \S+ 300 units 228 units 72 units 1,596,000\.00 NGN", text)
    response = submit_confirmation(ben, decision(proposal, "confirm"))
    assert messages_of(response)[-1] == "Confirmed. The loan is liquidated."
    loan.refresh_from_db()
    assert loan.status == "LIQUIDATED"
    assert balance_of(lending.creditor.owner_id, lending.token.id) == 228
    after = text_of(ben.get(page(loan)))
    assert "Liquidation: units transferred" in after
    assert "Outstanding at closure 1,596,000.00 NGN" in after
    assert "Propose" not in after.replace("Proposed", "").replace("Proposals", "")
    assert_books_hold()


def test_one_officer_proposes_a_write_off_and_another_one_confirms_it(lending, loan, ada, ben):
    Token.objects.filter(pk=lending.token.pk).update(quoted_at=None)
    asked = text_of(ada.get(page(loan, WRITE_OFF)))
    assert "Written off 1,596,000.00 NGN" in asked
    assert "Principal (loss of the creditor) 840,000.00 NGN" in asked
    assert f"{lending.token.symbol} 105 units" in asked
    proposal = propose(ada, loan, WRITE_OFF)
    response = submit_confirmation(ben, decision(proposal, "confirm"))
    assert messages_of(response)[-1] == "Confirmed. The loan is written off."
    loan.refresh_from_db()
    assert loan.status == "WRITTEN_OFF"
    assert balance_of(loan.borrower_id, lending.token.id) == 1000
    after = text_of(ben.get(page(loan)))
    assert "Write-off: amounts" in after
    assert "Principal (loss of the creditor) 840,000.00 NGN" in after
    assert_books_hold()


def test_any_officer_declines_a_proposal_and_another_can_follow(loan, ada, ben):
    for client, note in ((ben, "No answer to two letters"), (ada, "No answer by telephone")):
        proposal = propose(ada, loan, note=note)
        asked = client.get(decision(proposal, "decline"))
        own = client is ada
        assert ("Cancel the proposed liquidation?" in text_of(asked)) is own
        response = submit_confirmation(client, decision(proposal, "decline"), at=asked)
        assert messages_of(response)[-1] == "Rejected. Nothing moved."
        with assert_no_table_changes():
            again = submit_confirmation(client, decision(proposal, "decline"), at=asked)
            person = user_of(client)
        assert messages_of(again)[-1] == f"Already rejected by {person}. No changes were made."
        proposal.refresh_from_db()
        assert (proposal.status, proposal.decided_by) == ("Rejected", person)
    loan.refresh_from_db()
    assert loan.status == "DEFAULTED"
    assert text_of(ada.get(page(loan))).count("Liquidate Rejected ada No answer") == 2


def test_a_stale_page_confirms_only_the_proposal_it_showed(loan, ada, ben):
    seen = propose(ada, loan)
    submit_confirmation(ada, decision(seen, "decline"))
    propose(ada, loan, WRITE_OFF, note="The collateral is worthless")
    with assert_no_table_changes():
        response = submit_confirmation(ben, decision(seen, "confirm"))
    assert messages_of(response)[-1] == ("Already rejected by ada. No changes were made.")


def test_a_payment_after_the_proposal_is_shown_and_reduces_the_units(lending, ada, ben):
    """300 units are worth 3,000,000: for 1,596,000 owed 159.6 of them, for 1,000 less 159.5."""
    loan = make_defaulted_loan(lending, units=300)
    proposal = propose(ada, loan)
    repay(
        loan_id=loan.pk,
        organisation_id=loan.organisation_id,
        amount=Decimal(1000),
        actor=TESTER,
    )
    his = text_of(ben.get(page(loan)))
    assert "1,000.00 NGN repaid since the proposal; 1,595,000.00 NGN outstanding." in his
    assert "300 units 159.6 units 159.5 units 140.5 units 1,595,000.00 NGN" in his
    assert "Owed 1,596,000.00 NGN 1,595,000.00 NGN" in his
    assert messages_of(submit_confirmation(ben, decision(proposal, "confirm"))) == [
        "Confirmed. The loan is liquidated."
    ]
    assert balance_of(lending.creditor.owner_id, lending.token.id) == Decimal("159.5")
    after = text_of(ben.get(page(loan)))
    assert "300 units 159.6 units 159.5 units 140.5 units 1,595,000.00 NGN" in after
    assert_books_hold()


def test_a_payment_during_confirmation_stops_the_closure(lending, ada, ben):
    loan = make_defaulted_loan(lending, units=300)
    address = decision(propose(ada, loan), "confirm")
    asked = ben.get(address)
    assert "Liquidate the loan of" in text_of(asked)
    assert "Outstanding 1,596,000.00 NGN" in text_of(asked)
    repay(
        loan_id=loan.pk,
        organisation_id=loan.organisation_id,
        amount=Decimal(1000),
        actor=TESTER,
    )
    with assert_no_table_changes():
        refused = submit_confirmation(ben, address, at=asked)
        message = "Outstanding was 1,596,000.00 NGN and is 1,595,000.00 NGN"
    assert message in messages_of(refused)[-1]


def test_collateral_added_after_the_proposal_is_shown_and_returned(lending, loan, ada, ben):
    proposal = propose(ada, loan)
    add_collateral(
        loan_id=loan.pk,
        organisation_id=loan.organisation_id,
        pledges=(Pledge(lending.token.id, Decimal("0.5")),),
        actor=TESTER,
    )
    his = text_of(ben.get(page(loan)))
    symbol = lending.token.symbol
    assert f"Collateral added since the proposal will be returned: 0.5 {symbol}." in his
    assert "105.5 units 105 units 105 units 0.5 units 1,050,000.00 NGN" in his
    assert messages_of(submit_confirmation(ben, decision(proposal, "confirm"))) == [
        "Confirmed. The loan is liquidated."
    ]
    assert balance_of(lending.creditor.owner_id, lending.token.id) == 105
    assert balance_of(loan.borrower_id, lending.token.id) == 895
    assert_books_hold()


def test_prices_expire_after_a_day(loan, ada, ben):
    proposal = propose(ada, loan)
    long_ago = timezone.now() - timedelta(hours=24, seconds=1)
    update_without_guard(
        "credit_closureproposal", "approval_guard", "created_at = %s", long_ago, proposal.pk
    )
    assert "The proposed prices are older than 24 hours." in text_of(ben.get(page(loan)))
    with assert_no_table_changes():
        response = submit_confirmation(ben, decision(proposal, "confirm"))
        message = "The proposed prices are older than 24 hours. No changes were made."
    assert messages_of(response)[-1] == message


def test_a_proposal_needs_the_displayed_prices(lending, loan, ada):
    asked = ada.get(page(loan, LIQUIDATE))
    lending.set_price(9_000)
    with assert_no_table_changes():
        response = submit_confirmation(
            ada, page(loan, LIQUIDATE), at=asked, note="No answer yet, checked with the bank"
        )
    symbol = lending.token.symbol
    assert messages_of(response) == [
        f"No changes were made. Since you opened the page: {symbol} to transfer was 105 units at "
        "10,000.00 NGN and is 105 units at 9,000.00 NGN; Value to lender was "
        "1,050,000.00 NGN and is 945,000.00 NGN; Deficiency was "
        "546,000.00 NGN and is 651,000.00 NGN. Review it again."
    ]
    assert "No answer yet, checked with the bank" in text_of(response)


def test_a_double_click_proposes_once(loan, ada):
    asked = ada.get(page(loan, WRITE_OFF))
    submit_confirmation(
        ada, page(loan, WRITE_OFF), at=asked, note="No answer, checked with the bank"
    )
    with assert_no_table_changes():
        again = submit_confirmation(
            ada, page(loan, WRITE_OFF), at=asked, note="No answer, checked with the bank"
        )
    assert (
        messages_of(again)[-1] == "Another proposal for this loan is pending. No changes were made."
    )


def test_a_double_click_confirms_once(loan, ada, ben):
    address = decision(propose(ada, loan), "confirm")
    asked = ben.get(address)
    submit_confirmation(ben, address, at=asked)
    with assert_no_table_changes():
        again = submit_confirmation(ben, address, at=asked)
        message = "Already approved by ben. No changes were made."
    assert messages_of(again)[-1] == message


def test_the_displayed_plan_is_the_frozen_plan(lending, loan, ada):
    lending.set_price("7001.5")
    sections = ada.get(page(loan, LIQUIDATE)).context["confirmation"].sections
    proposal = propose(ada, loan)
    assert ada.get(page(loan)).context["plan"] == sections
    assert proposal.deficiency == 1_596_000 - Decimal("735157.50")


def test_a_missing_price_blocks_a_liquidation_and_no_write_off(lending, loan, ada):
    Token.objects.filter(pk=lending.token.pk).update(quoted_at=None)
    with assert_no_table_changes():
        for response in (
            ada.get(page(loan, LIQUIDATE)),
            ada.post(page(loan, LIQUIDATE), {"note": "x, checked with the bank", "seen": "x"}),
        ):
            assert response["Location"] == page(loan)
            assert (
                messages_of(response)[-1]
                == f"{lending.token.symbol} has no price. No changes were made."
            )
    assert ada.get(page(loan, WRITE_OFF)).status_code == 200
    assert f"Market value {lending.token.symbol} has no price" in text_of(ada.get(page(loan)))


def test_a_proposal_needs_a_note(loan, ada):
    with assert_no_table_changes():
        response = submit_confirmation(ada, page(loan, WRITE_OFF), note=" ")
    assert "This field is required." in text_of(response)
    assert "Written off" in text_of(response)


def test_closure_needs_a_defaulted_loan_without_a_pending_proposal(lending, ada):
    active = lending.lend()
    assert "Propose:" not in text_of(ada.get(page(active)))
    response = ada.post(page(active, WRITE_OFF), {"note": "x, checked with the bank", "seen": "x"})
    message = "Only a DEFAULTED loan can be closed: it is ACTIVE. No changes were made."
    assert messages_of(response) == [message]
    loan = make_defaulted_loan(lending)
    assert "Propose liquidation" in text_of(ada.get(page(loan)))
    propose(ada, loan)
    assert "Propose:" not in text_of(ada.get(page(loan)))
    response = ada.post(page(loan, WRITE_OFF), {"note": "x, checked with the bank", "seen": "x"})
    assert (
        messages_of(response)[-1]
        == "Another proposal for this loan is pending. No changes were made."
    )
    assert ClosureProposal.objects.count() == 1


def test_the_proposal_of_a_repaid_loan_lapses(lending, loan, ada, ben):
    proposal = propose(ada, loan)
    lending.borrower.fund(1_000_000, "NGN")
    repay(
        loan_id=loan.pk,
        organisation_id=loan.organisation_id,
        amount=Decimal(1_596_000),
        actor=TESTER,
    )
    his = text_of(ben.get(page(loan)))
    assert "Pending approval" not in his
    assert "Liquidate Lapsed ada No answer" in his
    message = "Already lapsed"
    for name in ("decline", "confirm"):
        assert (
            messages_of(submit_confirmation(ben, decision(proposal, name)))[-1]
            == f"{message}. No changes were made."
        )
    assert balance_of(lending.creditor.owner_id, lending.token.id) == 0


@pytest.mark.parametrize("role", OTHERS)
@pytest.mark.one_in(3)
def test_other_roles_view_closures_and_are_offered_none(role, lending, loan, ada):
    other = make_defaulted_loan(lending)
    propose(ada, loan)
    client = signed_in_client(role)
    seen = text_of(client.get(page(loan)))
    assert VIEW_ONLY in seen
    assert "Liquidation: units to transfer" in seen
    assert "Propose:" not in text_of(client.get(page(other)))
    assert client.get(reverse(LIST)).status_code == 200


def test_pages_change_nothing_by_get_and_nothing_of_another_loan(lending, loan, ada, ben):
    other = make_defaulted_loan(lending)
    proposal = propose(ada, loan)
    with assert_no_table_changes():
        for name in ("confirm", "decline"):
            assert ben.get(decision(proposal, name)).status_code == 200
            assert ben.post(decision(proposal, name)).status_code == 200
            assert ben.post(decision(proposal, name, other)).status_code == 404
        for action in (LIQUIDATE, WRITE_OFF):
            assert ben.get(page(other, action)).status_code == 200
        assert ben.get(page(loan)).status_code == 200
        assert ben.post(page(loan), {}).status_code == 405


def test_a_concurrent_proposal_is_reported_on_the_page(loan, ada, ben):
    asked = ada.get(page(loan, LIQUIDATE))
    propose_closure(
        loan_id=loan.pk, action=ClosureAction.WRITE_OFF, note="first", user=user_of(ben)
    )
    with assert_no_table_changes():
        response = submit_confirmation(
            ada, page(loan, LIQUIDATE), at=asked, note="second, checked with the bank"
        )
    assert (
        messages_of(response)[-1]
        == "Another proposal for this loan is pending. No changes were made."
    )
