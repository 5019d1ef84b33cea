"""The review page of a withdrawal: decisions, rejected forms and permissions."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import (
    approval_form,
    balances,
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    signed_in_client,
    text_of,
    user_of,
)
from tests.factories.logins import sign_in
from tests.factories.wallets import OVERRIDE
from wallets.withdrawals.models import Decision, Payout, Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


@pytest.fixture
def owners():
    organisation, member = make_participants()
    for currency, amount in (
        ("NGN", "9000000"),
        ("KES", "1000000"),
        ("GHS", "5000"),
        ("ZAR", "900"),
    ):
        fund(organisation, member, currency, amount)
        fund(organisation, None, currency, amount)
    return organisation, member


def page(withdrawal: Withdrawal, name: str = "change") -> str:
    return reverse(f"admin:wallets_withdrawal_{name}", args=[withdrawal.pk])


def decide(client: Client, withdrawal: Withdrawal, decision: str, version: int, reason: str = ""):
    """Open the confirmation page, which changes nothing, and submit it."""
    body: dict[str, Any] = {"version": version, "reason": reason, "override": OVERRIDE}
    confirmation = client.post(page(withdrawal, decision), body)
    if confirmation.status_code != 200:
        return confirmation
    return client.post(page(withdrawal, decision), approval_form(withdrawal, **body))


def test_an_approval_is_recorded_and_starts_the_payout(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1234.5")
    client = signed_in_client(FINANCE_APPROVER)
    response = decide(client, withdrawal, "approve", 1)
    assert response.status_code == 302
    assert response["Location"] == page(withdrawal)
    assert messages_of(response) == ["Approved. 1,204.50 KES queued for payout."]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.version) == ("Approved", 2)
    assert withdrawal.first_approver == user_of(client)
    assert withdrawal.actioned_by == "finance-approver"
    assert Payout.objects.filter(withdrawal=withdrawal).count() == 1


def test_a_rejection_releases_the_money_and_records_the_reason(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    client = signed_in_client(FINANCE_APPROVER)
    assert balances(owners[1].pk, "KES") == (Decimal(999000), Decimal(1000))
    response = decide(client, withdrawal, "reject", 1, "Wrong name")
    assert messages_of(response) == ["Rejected. 1,000.00 KES released to the wallet."]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.reason) == ("Rejected", "Wrong name")
    assert balances(owners[1].pk, "KES") == (Decimal(1000000), Decimal(0))
    assert "Reason: Wrong name" in text_of(client.get(page(withdrawal)))


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_rejection_without_a_reason_changes_nothing(owners, reason):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    client = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    for confirmed in ("", "yes"):
        body = {"version": 1, "reason": reason, "confirmed": confirmed}
        response = client.post(page(withdrawal, "reject"), body)
        assert messages_of(response)[-1] == "Enter a reason for the rejection"
    assert table_fingerprints() == before


def test_a_double_click_decides_once_and_reports_the_repeat(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    client = signed_in_client(FINANCE_APPROVER)
    body = approval_form(withdrawal)
    client.post(page(withdrawal, "approve"), body)
    response = client.post(page(withdrawal, "approve"), body)
    (first, second) = messages_of(response)
    assert first.startswith("Approved. ")
    assert second.startswith(
        "Already approved by finance-approver. No changes were made."
        " Since you opened the page: approved by finance-approver at "
    )
    assert Decision.objects.filter(withdrawal=withdrawal).count() == 1


def test_a_stale_page_decides_nothing_and_shows_the_change(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "GHS", "100")
    one = signed_in_client(FINANCE_APPROVER, "one")
    other = signed_in_client(FINANCE_APPROVER, "other")
    one.post(page(withdrawal, "details"), {"version": 1, "branch_code": "GH280100"})
    before = table_fingerprints()
    # Before the confirmation page, and on one opened before the change.
    for confirmed in ("", "yes"):
        response = other.post(page(withdrawal, "approve"), {"version": 1, "confirmed": confirmed})
        assert messages_of(response)[-1].startswith(
            "The withdrawal has changed. Review it and try again. No changes were made."
            " Since you opened the page: payout details added by one at "
        )
    assert table_fingerprints() == before


@pytest.mark.parametrize("body", [{}, {"version": "x"}, {"version": "0"}, {"version": "-1"}])
def test_a_decision_without_a_version_changes_nothing(owners, body):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    client = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    response = client.post(page(withdrawal, "approve"), body)
    assert messages_of(response) == ["The form is incomplete. No changes were made."]
    assert table_fingerprints() == before


def test_large_amounts_need_two_different_people(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "5000000")
    one = signed_in_client(FINANCE_APPROVER, "one")
    other = signed_in_client(FINANCE_APPROVER, "other")
    response = decide(one, withdrawal, "approve", 1)
    assert messages_of(response) == ["First approval recorded. A second approver is required."]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.version) == ("Pending", 2)

    seen = text_of(one.get(page(withdrawal)))
    assert "1 of 2 given, by one" in seen
    assert (
        "You already approved this withdrawal. A second person must approve or reject it." in seen
    )
    assert "Eligible approvers: other." in seen
    before = table_fingerprints()
    for confirmed, message in (
        ("", "You already approved this withdrawal. A second person must approve or reject it."),
        (
            "yes",
            "A second person must approve this withdrawal: you already requested or approved it",
        ),
    ):
        body = approval_form(withdrawal, confirmed=confirmed)
        assert messages_of(one.post(page(withdrawal, "approve"), body))[-1] == message
    assert table_fingerprints() == before

    decide(other, withdrawal, "approve", 2)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"
    assert withdrawal.first_approver == user_of(one)
    assert withdrawal.second_approver == user_of(other)


def test_an_amount_just_below_the_threshold_needs_one_person(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "4999999.99")
    decide(signed_in_client(FINANCE_APPROVER), withdrawal, "approve", 1)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"


def test_approval_needs_the_details_of_the_corridor(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "ZAR", "100")
    client = signed_in_client(FINANCE_APPROVER)
    seen = client.get(page(withdrawal))
    assert "Payout details required: recipient's first name" in text_of(seen)
    assert "Incomplete Recipient's first name" in text_of(seen)
    assert b"disabled>Approve" in seen.content
    before = table_fingerprints()
    for confirmed, message in (
        ("", "Payout details required: recipient's first"),
        ("yes", "ZAR payouts require: recipient's first"),
    ):
        body = {"version": 1, "confirmed": confirmed}
        response = client.post(page(withdrawal, "approve"), body)
        assert messages_of(response)[-1].startswith(message)
    assert table_fingerprints() == before

    filled = {
        "version": 1,
        "recipient_first_name": "Ada",
        "recipient_last_name": "Obi",
        "recipient_email": "not an address",
        "recipient_phone": "+27110000000",
        "recipient_address": "1 Long Street",
    }
    response = client.post(page(withdrawal, "details"), filled)
    assert response.status_code == 200
    assert "Enter a valid email address." in text_of(response)
    assert table_fingerprints() == before

    filled["recipient_email"] = "ada@example.com"
    for phone in ("082 123 4567", "+0821234567", "+27", "+2782123456789012", "phone", "+27x"):
        response = client.post(page(withdrawal, "details"), {**filled, "recipient_phone": phone})
        assert "recipient_phone must be a phone number with its country code" in text_of(response)
        assert b'aria-invalid="true"' in response.content
        assert table_fingerprints() == before
    filled["recipient_phone"] = "+27 (11) 000-0000"
    client.post(page(withdrawal, "details"), filled)
    seen = client.get(page(withdrawal))
    assert "Recipient first name Ada" in text_of(seen)
    assert b"disabled>Approve" not in seen.content
    decide(client, withdrawal, "approve", 2)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"


def test_the_page_shows_the_request_and_the_payment_instruction(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "2000")
    seen = text_of(signed_in_client(AUDITOR).get(page(withdrawal)))
    for part in (
        "Amount 2,000.00 NGN",
        "Fee 50.00 NGN",
        "Net payout 1,950.00 NGN",
        "In USD 1.33 USD",
        "Name provided Ada Obi",
        "Account number 0690000031",
        "Available 9,000,000.00 NGN 8,998,000.00 NGN 8,998,000.00 NGN 9,000,000.00 NGN",
        "Escrow 0.00 NGN 2,000.00 NGN 0.00 NGN 0.00 NGN",
        f"Reference {withdrawal.reference}",
        "Amount 1950 Currency NGN",
        "withdrawal.created Pending",
        "Withdrawal hold",
        "-2,000.00 NGN",
        "No decisions yet.",
        "Your role can view this withdrawal, but not approve or reject it.",
    ):
        assert part in seen, part
    assert "Approve and pay" not in seen


@pytest.mark.parametrize("role", [AUDITOR, BACK_OFFICE, ADMINISTRATOR])
@pytest.mark.parametrize("action", ["approve", "reject", "propose"])
def test_only_finance_decides(owners, role, action):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    client = signed_in_client(role)
    before = table_fingerprints()
    body = {"version": 1, "reason": "because", "action": "Fail", "confirmed": "yes"}
    response = client.post(page(withdrawal, action), body)
    assert response.status_code == 403
    assert table_fingerprints() == before
    assert client.get(page(withdrawal, "details")).status_code == 403


def test_decisions_take_only_post_with_a_csrf_token(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    client = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    for action in ("approve", "reject"):
        led = client.get(page(withdrawal, action), {"version": "1", "confirmed": "yes"})
        assert (led.status_code, led["Location"]) == (302, page(withdrawal))
    assert client.get(page(withdrawal, "propose")).status_code == 405
    assert client.post(page(withdrawal), {"status": "Approved"}).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    sign_in(strict, user_of(client))
    body = {"version": 1, "confirmed": "yes"}
    assert strict.post(page(withdrawal, "approve"), body).status_code == 403
    assert Withdrawal.objects.get(pk=withdrawal.pk).status == "Pending"
    before.pop("exchange_staffuser")  # the second sign-in
    after = table_fingerprints()
    after.pop("exchange_staffuser")
    assert after == before


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_the_confirmation_page_changes_nothing(owners, decision):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "2000")
    client = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    given = {"version": 1, "reason": "Because <b>", "override": OVERRIDE}
    confirmation = client.post(page(withdrawal, decision), given)
    assert confirmation.status_code == 200
    assert table_fingerprints() == before
    seen, bank = text_of(confirmation), withdrawal.bank
    for part in (
        "No changes made yet.",
        "Amount 2,000.00 NGN",
        "Fee 50.00 NGN",
        f"Payee {bank.account_name}",
        "Name provided Ada Obi different",
        f"Critical The account name at the bank is {bank.account_name}, the name provided Ada Obi:",
        "Review Payee is not the wallet owner. Owner: Ada",
        f"Account number {bank.account_number}",
        f"Bank {bank.name} ({bank.code})",
        "Owner Ada",
        "Because <b>",
        f"Confirm approval: pay 1,950.00 NGN to {bank.account_name}"
        if decision == "approve"
        else "Confirm rejection: release 2,000.00 NGN",
        "Go back",
    ):
        assert part in seen, part
    html = confirmation.content.decode()
    assert "Because <b>" not in html
    assert 'name="version" value="1"' in html
    assert html.count("autofocus") == 1


def test_the_confirmation_of_a_first_approval_says_so(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "5000000")
    client = signed_in_client(FINANCE_APPROVER)
    confirmation = client.post(page(withdrawal, "approve"), {"version": 1, "override": OVERRIDE})
    assert "This is the first of two approvals" in text_of(confirmation)
