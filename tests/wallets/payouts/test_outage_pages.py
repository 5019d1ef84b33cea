"""Pages of payouts on hold and of two approvals, and the return of an unsent payout."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import FINANCE_APPROVER
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    approve_withdrawal,
    balances,
    current_flag_codes,
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.configuration import set_setting
from tests.factories.payouts import return_at_bank, settle_at_bank
from wallets.payouts.models import CircuitState, PayoutCircuit, Proposal
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


def hold_payouts() -> None:
    now = timezone.now()
    PayoutCircuit.objects.update(
        state=CircuitState.OPEN,
        opened_at=now,
        next_probe_at=now,
        reason="the provider failed (503)",
    )


@pytest.fixture
def unclaimed() -> Withdrawal:
    """An Approved withdrawal without a claim."""
    organisation, member = make_participants()
    fund(organisation, member, "KES", "1000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    approve_withdrawal(signed_in_client(FINANCE_APPROVER, "approver"), withdrawal)
    return Withdrawal.objects.get(pk=withdrawal.pk)


def test_payouts_on_hold_show_on_the_dashboard_the_list_and_each_page(unclaimed, maker):
    pages = (
        reverse("admin:index"), reverse("admin:wallets_payout_changelist"), page(unclaimed),
    )  # fmt: skip
    for address in pages:
        assert "on hold" not in text_of(maker.get(address)).lower()
    hold_payouts()
    front, listed, review = (text_of(maker.get(address)) for address in pages)
    assert "Payouts on hold: payment provider unavailable 1" in front
    assert "the provider failed (503). 1 approved, to be sent" in listed
    assert "On hold The payment provider is failing, so no payouts are sent." in review


def test_two_people_return_an_unsent_payout_from_its_page(unclaimed, maker, checker):
    assert "Propose a resolution Action Return Reason" in text_of(maker.get(page(unclaimed)))
    maker.post(page(unclaimed, "propose"), {"action": "Return", "reason": "The bank is closed"})
    proposal = Proposal.objects.get()
    with assert_no_table_changes():
        messages = messages_of(submit_confirmation(maker, page(unclaimed, "confirm", proposal.pk)))
        assert (
            messages[-1]
            == "Someone other than the proposer must confirm this. No changes were made."
        )

    confirmation = text_of(checker.get(page(unclaimed, "confirm", proposal.pk)))
    assert "Return 400.00 KES to the wallet?" in confirmation
    assert "The payout was not sent to the provider." in confirmation
    submit_confirmation(checker, page(unclaimed, "confirm", proposal.pk))
    unclaimed.refresh_from_db()
    assert (unclaimed.status, unclaimed.reason) == ("Rejected", "The bank is closed")
    assert balances(unclaimed.owner_id, "KES") == (Decimal(1000), Decimal(0))


def test_a_payout_sent_before_confirmation_is_not_returned(unclaimed, maker, checker):
    maker.post(page(unclaimed, "propose"), {"action": "Return", "reason": "The bank is closed"})
    assert "Confirm: return Reject" in text_of(checker.get(page(unclaimed)))
    payouts.send_payout(unclaimed.pk)
    overtaken = text_of(checker.get(page(unclaimed)))
    assert "No longer possible. Reject" in overtaken
    assert "Propose a resolution" not in overtaken
    with assert_no_table_changes():
        messages = messages_of(
            submit_confirmation(checker, page(unclaimed, "confirm", Proposal.objects.get().pk))
        )
    assert messages[-1].startswith("Only an Approved withdrawal whose payout is not claimed")


def test_after_a_late_return_the_page_offers_the_possible_actions(
    unclaimed, provider_sandbox, maker
):
    maker.post(page(unclaimed, "propose"), {"action": "Return", "reason": "The bank is closed"})
    payouts.send_payout(unclaimed.pk)
    settle_at_bank(provider_sandbox, unclaimed)
    payouts.check_status(unclaimed.pk)
    return_at_bank(provider_sandbox, unclaimed)
    payouts.check_status(unclaimed.pk)
    seen = text_of(maker.get(page(unclaimed)))
    assert "Pending approval: return" in seen
    assert "No longer possible. Cancel proposal" in seen
    assert "Propose a resolution Action Reverse Reason" in seen
    maker.post(page(unclaimed, "propose"), {"action": "Reverse", "reason": "The bank sent it back"})
    assert set(Proposal.objects.values_list("action", "status")) == {
        ("Return", "Rejected"),
        ("Reverse", "Pending"),
    }


def parts(count: int = 3) -> list[Withdrawal]:
    """Make requests of one member to one account that together need two people."""
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "9000000")
    return [
        make_withdrawal(organisation, member, "NGN", "1800000", account_name="Forrest Green")
        for _ in range(count)
    ]


def approve(client: Client, withdrawal: Withdrawal) -> None:
    withdrawal.refresh_from_db()
    approve_withdrawal(client, withdrawal)
    withdrawal.refresh_from_db()


def test_the_page_names_the_total_that_needs_two_approvals(maker, checker):
    first = parts()[0]
    seen = text_of(maker.get(page(first)))
    assert (
        "Two approvals required: total for this account 5,400,000.00 NGN;"
        " 24-hour total of this owner 5,400,000.00 NGN. 0 of 2 given." in seen
    )
    confirmation = text_of(maker.get(page(first, "approve")))
    assert "Nothing is paid until a second person approves it too." in confirmation
    approve(maker, first)
    assert (first.status, first.approvals_needed) == ("Pending", 2)
    assert "1 of 2 given, by maker" in text_of(checker.get(page(first)))
    approve(checker, first)
    assert first.status == "Approved"


def test_the_page_shows_the_remaining_sole_approval_limit(maker):
    set_setting("SOLE_APPROVALS_DAILY_NGN", 2_000_000)
    first, second = parts(2)
    approve(maker, first)
    assert first.status == "Approved"
    seen = text_of(maker.get(page(second)))
    assert (
        "Two approvals required: 200,000.00 NGN left of the 2,000,000.00 NGN that you may"
        " approve alone in 24 hours." in seen
    )
    # Another person may approve it alone.
    assert "Two approvals needed" not in text_of(
        signed_in_client(FINANCE_APPROVER, "x").get(page(second))
    )
    approve(maker, second)
    assert second.status == "Pending"


def test_bulk_approval_names_the_first_of_two_approvals_and_the_reason(maker):
    rows = parts()
    chosen = {"action": "approve_selected", "_selected_action": [str(row.pk) for row in rows]}
    confirmation = maker.post(
        reverse("admin:wallets_withdrawal_changelist") + "?status=all", chosen, follow=True
    )
    assert text_of(confirmation).count("total for this account 5,400,000.00 NGN") == 3
    seen = [f"{row.pk}:{code}" for row in rows for code in current_flag_codes(row)]
    body = {"decision": "approve", "row": [f"{row.pk}:1" for row in rows], "seen": seen}
    response = maker.post(reverse("admin:wallets_withdrawal_bulk"), body, follow=True)
    assert [row["word"] for row in response.context["outcomes"]] == ["First approval"] * 3
    assert set(Withdrawal.objects.values_list("status", flat=True)) == {"Pending"}
