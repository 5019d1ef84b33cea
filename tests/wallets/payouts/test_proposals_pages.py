"""Unresolved payouts in the back office: one person proposes, another confirms or declines."""

from datetime import timedelta
from decimal import Decimal

import pytest
import requests

from config.back_office.roles import FINANCE_APPROVER
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.services import PROVIDER_SECRET_KEY
from tests.factories.back_office import (
    approve_withdrawal,
    balances,
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.payouts import (
    HALF_AN_HOUR,
    READ_ATTEMPTS,
    STATUS_CHECKS,
    TRANSFERS,
    advance_time,
    sandbox_transfers,
)
from wallets.payouts.models import Proposal
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


@pytest.fixture
def unknown(provider_sandbox) -> Withdrawal:
    """An Unknown payout: the provider did not respond, and one status check did not find it."""
    organisation, member = make_participants()
    fund(organisation, member, "KES", "1000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    approve_withdrawal(signed_in_client(FINANCE_APPROVER, "approver"), withdrawal)
    provider_sandbox.fault("error_5xx", match=TRANSFERS)
    payouts.send_payout(withdrawal.pk)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Unknown"
    return withdrawal


def make_unresolved(withdrawal: Withdrawal) -> None:
    advance_time(withdrawal, HALF_AN_HOUR + 1)
    payouts.check_status(withdrawal.pk)


def test_two_people_fail_an_unresolved_payout_and_the_money_goes_back(unknown, maker, checker):
    with assert_no_table_changes():
        early = maker.post(
            page(unknown, "propose"),
            {"action": "Fail", "reason": "not there, checked with the bank"},
        )
        assert messages_of(early)[-1].startswith(
            "Only an Unknown withdrawal that the provider did not find"
        )
        early_page = text_of(maker.get(page(unknown)))
        assert "Propose a resolution" not in early_page
        # The page says from when on it can be decided.
        since = unknown.payout.first_not_found_at + timedelta(seconds=HALF_AN_HOUR)
    assert (
        "One status check did not find it. If another one does not find it from"
        f" {since:%Y-%m-%d %H:%M:%S} UTC on, it can be sent again or failed by dual approval."
        in early_page
    )

    make_unresolved(unknown)
    chosen = maker.get(page(unknown))
    seen = text_of(chosen)
    assert "Propose a resolution Action Choose an action Send again Fail Reason" in seen
    # Nothing is preselected, and what could pay twice least of all.
    assert "selected>" not in chosen.content.decode().partition('id="propose-action"')[2]
    with assert_no_table_changes():
        blank = maker.post(
            page(unknown, "propose"), {"action": "", "reason": "The bank never got it"}
        )
    assert "Choose an action and enter a reason. No changes were made." in text_of(blank)
    assert 'id="propose-action_error"' in blank.content.decode()
    maker.post(page(unknown, "propose"), {"action": "Fail", "reason": "The bank never got it"})
    proposal = Proposal.objects.get()
    assert "Someone other than the proposer must confirm this." in text_of(maker.get(page(unknown)))
    assert "Proposed by maker: The bank never got it" in text_of(checker.get(page(unknown)))
    with assert_no_table_changes():
        own = submit_confirmation(maker, page(unknown, "confirm", proposal.pk))
    message = "Someone other than the proposer must confirm this. No changes were made."
    assert messages_of(own)[-1] == message
    assert Withdrawal.objects.get(pk=unknown.pk).status == "Unknown"
    assert balances(unknown.owner_id, "KES") == (Decimal(600), Decimal(400))

    confirmation = text_of(checker.get(page(unknown, "confirm", proposal.pk)))
    assert "Fail the payout and release 400.00 KES?" in confirmation
    assert "Payee Ada Obi" in confirmation
    assert "Proposed by maker Reason The bank never got it" in confirmation
    checker.post(page(unknown, "confirm", proposal.pk))
    assert Withdrawal.objects.get(pk=unknown.pk).status == "Unknown"

    submit_confirmation(checker, page(unknown, "confirm", proposal.pk))
    unknown.refresh_from_db()
    assert (unknown.status, unknown.reason) == ("Failed", "The bank never got it")
    assert balances(unknown.owner_id, "KES") == (Decimal(1000), Decimal(0))
    with assert_no_table_changes():
        again = submit_confirmation(checker, page(unknown, "confirm", proposal.pk))
    assert messages_of(again)[-1] == "Already approved by checker. No changes were made."


def test_an_unresolved_payout_is_sent_again_under_its_reference(
    unknown, provider_sandbox, maker, checker
):
    make_unresolved(unknown)
    maker.post(
        page(unknown, "propose"),
        {"action": "Send again", "reason": "Try once more, checked with the bank"},
    )
    submit_confirmation(checker, page(unknown, "confirm", Proposal.objects.get().pk))
    payouts.send_payout(unknown.pk)
    unknown.refresh_from_db()
    assert unknown.status == "Processing"
    assert len(sandbox_transfers(provider_sandbox, unknown)) == 1
    seen = text_of(maker.get(page(unknown)))
    assert f"Provider ID {unknown.payout.provider_id}" in seen
    assert "Send again Approved maker checker Try once more" in seen


def test_a_declined_proposal_changes_nothing_else(unknown, maker, checker):
    make_unresolved(unknown)
    maker.post(
        page(unknown, "propose"), {"action": "Fail", "reason": "not there, checked with the bank"}
    )
    second = checker.post(
        page(unknown, "propose"), {"action": "Fail", "reason": "me too, checked with the bank"}
    )
    assert messages_of(second)[-1] == "Another proposal about this withdrawal is open"
    address = page(unknown, "decline", Proposal.objects.get().pk)
    question = checker.get(address)
    assert "Payee" in text_of(question)
    done = submit_confirmation(checker, address, at=question, reason="wait, checked with the bank")
    assert messages_of(done)[-1] == "Proposal closed. No money moved."
    assert Proposal.objects.get().status == "Rejected"
    with assert_no_table_changes():
        again = submit_confirmation(
            checker, address, at=question, reason="wait, checked with the bank"
        )
    assert messages_of(again)[-1] == "Already rejected by checker. No changes were made."
    unknown.refresh_from_db()
    assert unknown.status == "Unknown"
    assert balances(unknown.owner_id, "KES") == (Decimal(600), Decimal(400))


@pytest.mark.parametrize(
    "body", [{}, {"action": "Fail"}, {"action": "Pay twice", "reason": "x, checked with the bank"}]
)
@pytest.mark.one_in(3)
def test_a_proposal_without_action_and_reason_does_nothing(unknown, body, maker):
    make_unresolved(unknown)
    with assert_no_table_changes():
        response = maker.post(page(unknown, "propose"), body)
    assert messages_of(response) == ["Choose an action and enter a reason. No changes were made."]


def test_a_proposal_is_decided_on_the_page_of_its_own_withdrawal(unknown, maker, checker):
    make_unresolved(unknown)
    maker.post(
        page(unknown, "propose"), {"action": "Fail", "reason": "not there, checked with the bank"}
    )
    proposal = Proposal.objects.get()
    organisation = unknown.organisation
    fund(organisation, None, "KES", "1000")
    elsewhere = make_withdrawal(organisation, None, "KES", "400")
    with assert_no_table_changes():
        assert (
            submit_confirmation(checker, page(elsewhere, "confirm", proposal.pk)).status_code == 403
        )


def test_a_mismatched_record_shows_instructions_and_allows_no_proposal(
    unknown, provider_sandbox, maker
):
    """The provider permanently has an amount of 7 under our reference."""
    requests.post(
        f"{provider_sandbox.base_url}/transfers",
        json={
            "account_bank": unknown.bank.code,
            "account_number": unknown.bank.account_number,
            "amount": 7,
            "currency": "KES",
            "reference": unknown.reference,
        },
        headers={"Authorization": f"Bearer {PROVIDER_SECRET_KEY}"},
        timeout=10,
    ).raise_for_status()
    assert "Contact the provider" not in text_of(maker.get(page(unknown)))
    for _ in range(3):
        make_unresolved(unknown)
    seen = text_of(maker.get(page(unknown)))
    assert "Contact the provider" in seen
    assert (
        f"The provider's record of {unknown.reference} does not match: amount 7 instead of 370."
        in seen
    )
    assert "Propose a resolution" not in seen
    with assert_no_table_changes():
        for action in ("Fail", "Send again"):
            messages = messages_of(
                maker.post(
                    page(unknown, "propose"),
                    {"action": action, "reason": "now, checked with the bank"},
                )
            )
            assert messages[-1].startswith(
                "Only an Unknown withdrawal that the provider did not find"
            )
    assert balances(unknown.owner_id, "KES") == (Decimal(600), Decimal(400))


def test_a_failed_status_check_before_confirmation_is_reported(
    unknown, provider_sandbox, maker, checker
):
    make_unresolved(unknown)
    maker.post(
        page(unknown, "propose"), {"action": "Fail", "reason": "not there, checked with the bank"}
    )
    proposal = Proposal.objects.get()
    provider_sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    with assert_no_table_changes():
        messages = messages_of(submit_confirmation(checker, page(unknown, "confirm", proposal.pk)))
    assert messages[-1] == (
        "The payment provider did not respond to the status check, so nothing was changed."
        " Try again later"
    )
