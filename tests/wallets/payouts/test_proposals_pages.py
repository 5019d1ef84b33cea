"""Lost payouts in the admin: one proposes, another one confirms or declines."""

from __future__ import annotations

from decimal import Decimal

import pytest
import requests
from django.urls import reverse

from config.back_office.roles import AUDITOR, FINANCE_APPROVER
from tests.assertions.unchanged import table_fingerprints
from tests.environment.services import PROVIDER_SECRET_KEY
from tests.factories.back_office import (
    approval_form,
    balances,
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
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
def lost(provider_sandbox) -> Withdrawal:
    """A payout whose answer was lost and that the provider did not know, twice."""
    organisation, member = make_participants()
    fund(organisation, member, "KES", "1000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    signed_in_client(FINANCE_APPROVER, "approver").post(
        page(withdrawal, "approve"), approval_form(withdrawal)
    )
    provider_sandbox.fault("error_5xx", match=TRANSFERS)
    payouts.send_payout(withdrawal.pk)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Unknown"
    return withdrawal


def lose_for_good(withdrawal: Withdrawal) -> None:
    advance_time(withdrawal, HALF_AN_HOUR + 1)
    payouts.check_status(withdrawal.pk)


def page(withdrawal: Withdrawal, name: str = "change", *more: object) -> str:
    return reverse(f"admin:wallets_withdrawal_{name}", args=[withdrawal.pk, *more])


def test_two_people_fail_a_lost_payout_and_the_money_goes_back(lost):
    one, other = (
        signed_in_client(FINANCE_APPROVER, "one"),
        signed_in_client(FINANCE_APPROVER, "other"),
    )
    before = table_fingerprints()
    early = one.post(page(lost, "propose"), {"action": "Fail", "reason": "not there"})
    assert messages_of(early)[-1].startswith(
        "Only an Unknown withdrawal that the provider did not find"
    )
    assert "Propose a resolution" not in text_of(one.get(page(lost)))
    assert table_fingerprints() == before

    lose_for_good(lost)
    seen = text_of(one.get(page(lost)))
    assert "Propose a resolution Action Send again Fail Reason" in seen
    one.post(page(lost, "propose"), {"action": "Fail", "reason": "The bank never got it"})
    proposal = Proposal.objects.get()
    assert "A second person must confirm your proposal." in text_of(one.get(page(lost)))
    assert "Proposed by one: The bank never got it" in text_of(other.get(page(lost)))
    before = table_fingerprints()
    own = submit_confirmation(one, page(lost, "confirm", proposal.pk))
    reported = "A second person must confirm your proposal. No changes were made."
    assert messages_of(own)[-1] == reported
    auditor = signed_in_client(AUDITOR)
    assert submit_confirmation(auditor, page(lost, "confirm", proposal.pk)).status_code == 403
    assert Withdrawal.objects.get(pk=lost.pk).status == "Unknown"
    assert balances(lost.owner_id, "KES") == (Decimal(600), Decimal(400))

    asked = text_of(other.get(page(lost, "confirm", proposal.pk)))
    assert "Fail the payout and release 400.00 KES?" in asked
    assert "Payee Ada Obi" in asked
    assert "Proposed by one Reason The bank never got it" in asked
    other.post(page(lost, "confirm", proposal.pk))
    assert Withdrawal.objects.get(pk=lost.pk).status == "Unknown"

    submit_confirmation(other, page(lost, "confirm", proposal.pk))
    lost.refresh_from_db()
    assert (lost.status, lost.reason) == ("Failed", "The bank never got it")
    assert balances(lost.owner_id, "KES") == (Decimal(1000), Decimal(0))
    before = table_fingerprints()
    again = submit_confirmation(other, page(lost, "confirm", proposal.pk))
    assert messages_of(again)[-1] == "The proposal is already Confirmed. No changes were made."
    assert table_fingerprints() == before


def test_a_lost_payout_is_sent_again_under_its_reference(lost, provider_sandbox):
    lose_for_good(lost)
    one, other = (
        signed_in_client(FINANCE_APPROVER, "one"),
        signed_in_client(FINANCE_APPROVER, "other"),
    )
    one.post(page(lost, "propose"), {"action": "Send again", "reason": "Try once more"})
    submit_confirmation(other, page(lost, "confirm", Proposal.objects.get().pk))
    payouts.send_payout(lost.pk)
    lost.refresh_from_db()
    assert lost.status == "Processing"
    assert len(sandbox_transfers(provider_sandbox, lost)) == 1
    seen = text_of(one.get(page(lost)))
    assert f"Provider id {lost.payout.provider_id}" in seen
    assert "Send again Confirmed one other Try once more" in seen


def test_a_declined_proposal_does_nothing_else(lost):
    lose_for_good(lost)
    one, other = (
        signed_in_client(FINANCE_APPROVER, "one"),
        signed_in_client(FINANCE_APPROVER, "other"),
    )
    one.post(page(lost, "propose"), {"action": "Fail", "reason": "not there"})
    second = other.post(page(lost, "propose"), {"action": "Fail", "reason": "me too"})
    assert messages_of(second)[-1] == "Another proposal about this withdrawal is open"
    address = page(lost, "decline", Proposal.objects.get().pk)
    question = other.get(address)
    assert "Payee" in text_of(question)
    done = submit_confirmation(other, address, at=question, reason="wait")
    assert messages_of(done)[-1] == "Proposal closed. No money moved."
    assert Proposal.objects.get().status == "Declined"
    before = table_fingerprints()
    again = submit_confirmation(other, address, at=question, reason="wait")
    assert messages_of(again)[-1] == "The proposal is already Declined. No changes were made."
    assert table_fingerprints() == before
    lost.refresh_from_db()
    assert lost.status == "Unknown"
    assert balances(lost.owner_id, "KES") == (Decimal(600), Decimal(400))


@pytest.mark.parametrize("body", [{}, {"action": "Fail"}, {"action": "Pay twice", "reason": "x"}])
def test_a_proposal_without_action_and_reason_does_nothing(lost, body):
    lose_for_good(lost)
    client = signed_in_client(FINANCE_APPROVER, "one")
    before = table_fingerprints()
    response = client.post(page(lost, "propose"), body)
    assert messages_of(response) == ["Choose an action and enter a reason. No changes were made."]
    assert table_fingerprints() == before


def test_a_proposal_is_decided_on_the_page_of_its_own_withdrawal(lost):
    lose_for_good(lost)
    one, other = (
        signed_in_client(FINANCE_APPROVER, "one"),
        signed_in_client(FINANCE_APPROVER, "other"),
    )
    one.post(page(lost, "propose"), {"action": "Fail", "reason": "not there"})
    proposal = Proposal.objects.get()
    organisation = lost.organisation
    fund(organisation, None, "KES", "1000")
    elsewhere = make_withdrawal(organisation, None, "KES", "400")
    before = table_fingerprints()
    assert submit_confirmation(other, page(elsewhere, "confirm", proposal.pk)).status_code == 403
    assert table_fingerprints() == before


def test_a_record_that_differs_shows_what_to_do_and_leaves_nothing_to_propose(
    lost, provider_sandbox
):
    """The provider has 7 under our reference, for good."""
    requests.post(
        f"{provider_sandbox.base_url}/transfers",
        json={
            "account_bank": lost.bank.code,
            "account_number": lost.bank.account_number,
            "amount": 7,
            "currency": "KES",
            "reference": lost.reference,
        },
        headers={"Authorization": f"Bearer {PROVIDER_SECRET_KEY}"},
        timeout=10,
    ).raise_for_status()
    person = signed_in_client(FINANCE_APPROVER, "one")
    assert "Contact the provider" not in text_of(person.get(page(lost)))
    for _ in range(3):
        lose_for_good(lost)
    seen = text_of(person.get(page(lost)))
    assert "Contact the provider" in seen
    assert (
        f"The provider's record of {lost.reference} does not match: amount 7 instead of 370."
        in seen
    )
    assert "Propose a resolution" not in seen
    before = table_fingerprints()
    for action in ("Fail", "Send again"):
        reported = messages_of(
            person.post(page(lost, "propose"), {"action": action, "reason": "now"})
        )
        assert reported[-1].startswith("Only an Unknown withdrawal that the provider did not find")
    assert table_fingerprints() == before
    assert balances(lost.owner_id, "KES") == (Decimal(600), Decimal(400))


def test_a_person_is_told_when_the_provider_cannot_be_asked_before_confirming(
    lost, provider_sandbox
):
    lose_for_good(lost)
    one, other = (
        signed_in_client(FINANCE_APPROVER, "one"),
        signed_in_client(FINANCE_APPROVER, "other"),
    )
    one.post(page(lost, "propose"), {"action": "Fail", "reason": "not there"})
    proposal = Proposal.objects.get()
    provider_sandbox.fault("error_5xx", times=READ_ATTEMPTS, match=STATUS_CHECKS)
    before = table_fingerprints()
    reported = messages_of(submit_confirmation(other, page(lost, "confirm", proposal.pk)))
    assert reported[-1] == (
        "The payment provider did not respond to the status check, so nothing was changed."
        " Try again later"
    )
    assert table_fingerprints() == before
