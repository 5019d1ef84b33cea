"""The review page of a withdrawal: decisions, rejected forms and permissions."""

import re
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from config.back_office.roles import AUDITOR, FINANCE_APPROVER
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.factories.back_office import (
    balances,
    make_withdrawal,
    messages_of,
    page,
    shown_fields,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.configuration import set_setting
from tests.factories.wallets import OVERRIDE
from wallets.withdrawals.models import Decision, Payout, Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


def decide(client: Client, withdrawal: Withdrawal, decision: str, **typed: Any):
    """Open the confirmation page, which changes nothing, and submit it."""
    typed = {"override": OVERRIDE, **typed}
    return submit_confirmation(client, page(withdrawal, decision), **typed)


def with_link(words: str, withdrawal: Withdrawal) -> str:
    """Return the message about `withdrawal`, whose reference is a link."""
    return words.format(link=f'<a href="{page(withdrawal)}">{withdrawal.reference}</a>')


def test_an_approval_is_recorded_and_starts_the_payout(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1234.5")
    assert finance.get(page(withdrawal)).context["title"] == "1,234.50 KES to Ada Obi"
    response = decide(finance, withdrawal, "approve")
    assert response.status_code == 302
    assert response["Location"] == page(withdrawal)
    done = with_link("Approved: 1,204.50 KES to Ada Obi ({link}).", withdrawal)
    assert messages_of(response) == [done]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.version) == ("Approved", 2)
    assert withdrawal.first_approver == user_of(finance)
    assert withdrawal.actioned_by == "finance-approver"
    assert Payout.objects.filter(withdrawal=withdrawal).count() == 1


def test_a_rejection_releases_the_money_and_records_the_reason(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    assert balances(owners[1].pk, "KES") == (Decimal(999000), Decimal(1000))
    response = decide(finance, withdrawal, "reject", reason="The name of another payee")
    done = "Rejected: 1,000.00 KES to Ada Obi ({link}). Released to the wallet."
    assert messages_of(response) == [with_link(done, withdrawal)]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.reason) == ("Rejected", "The name of another payee")
    assert balances(owners[1].pk, "KES") == (Decimal(1000000), Decimal(0))
    assert "Reason: The name of another payee" in text_of(finance.get(page(withdrawal)))


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_rejection_without_a_reason_changes_nothing(owners, reason, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    with assert_no_table_changes():
        response = decide(finance, withdrawal, "reject", reason=reason)
    assert "Enter a reason for the rejection" in text_of(response)


def test_a_double_click_decides_once_and_reports_the_repeat(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    asked = finance.get(page(withdrawal, "approve"))
    decide(finance, withdrawal, "approve", at=asked)
    response = decide(finance, withdrawal, "approve", at=asked)
    (first, second) = messages_of(response)
    assert first.startswith("Approved: ")
    late = (
        r"Not approved: finance-approver approved it at \d\d:\d\d:\d\d UTC."
        r" It is queued for payout. No changes were made."
    )
    assert re.fullmatch(late, second)
    assert Decision.objects.filter(withdrawal=withdrawal).count() == 1


def test_the_browsers_back_after_a_decision_leads_to_the_record(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    review = finance.get(page(withdrawal)).content.decode()
    steps = [unescape(found) for found in re.findall(r'href="([^"]*\?version=1[^"]*)"', review)]
    assert [urlsplit(step).path for step in steps] == [
        page(withdrawal, "approve"), page(withdrawal, "reject"),
    ]  # fmt: skip
    decide(finance, withdrawal, "reject", reason="The name of another payee")
    with assert_no_table_changes():
        for step, word in zip(steps, ("approved", "rejected"), strict=True):
            back = finance.get(step)
            assert (back.status_code, back["Location"]) == (302, page(withdrawal))
            assert re.fullmatch(
                rf"Not {word}: finance-approver rejected it at \d\d:\d\d:\d\d UTC."
                r" No changes were made.",
                messages_of(back)[-1],
            )


def test_a_stale_page_decides_nothing_and_shows_the_change(owners, maker, checker):
    withdrawal = make_withdrawal(owners[0], owners[1], "GHS", "100")
    asked = checker.get(page(withdrawal, "reject"))
    maker.post(page(withdrawal, "details"), {"version": 1, "branch_code": "GH280100"})
    with assert_no_table_changes():
        # Before the confirmation page, and on one opened before the change.
        for response, word in (
            (checker.get(page(withdrawal, "approve"), {"version": 1}), "approved"),
            (
                decide(checker, withdrawal, "reject", at=asked, reason="Late, says the bank"),
                "rejected",
            ),
        ):
            assert re.fullmatch(
                rf"Not {word}: maker added payout details at \d\d:\d\d:\d\d UTC. Review it again."
                r" No changes were made.",
                messages_of(response)[-1],
            )


@pytest.mark.parametrize("body", [{}, {"version": "x"}, {"version": "0"}, {"version": "-1"}])
def test_a_decision_without_a_version_changes_nothing(owners, body, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    with assert_no_table_changes():
        response = finance.post(page(withdrawal, "approve"), body)
    assert messages_of(response) == ["The form is incomplete. No changes were made."]


def test_large_amounts_need_two_different_people(owners, maker, checker):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "5000000")
    response = decide(maker, withdrawal, "approve")
    done = (
        "First approval recorded: 4,999,950.00 NGN to Forrest Green ({link})."
        " A second person must approve it."
    )
    assert messages_of(response) == [with_link(done, withdrawal)]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.version) == ("Pending", 2)

    seen = text_of(maker.get(page(withdrawal)))
    assert "1 of 2 given, by maker" in seen
    assert (
        "You already approved this withdrawal. A second person must approve or reject it." in seen
    )
    assert "Eligible approvers: checker." in seen
    with assert_no_table_changes():
        asked = checker.get(page(withdrawal, "approve"))
        for response in (
            maker.get(page(withdrawal, "approve")),
            decide(maker, withdrawal, "approve", at=asked),
        ):
            assert messages_of(response)[-1] == (
                "You already approved this withdrawal. A second person must approve or reject it."
                " No changes were made."
            )

    decide(checker, withdrawal, "approve")
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"
    assert withdrawal.first_approver == user_of(maker)
    assert withdrawal.second_approver == user_of(checker)


def test_an_amount_just_below_the_threshold_needs_one_person(owners):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "4999999.99")
    decide(signed_in_client(FINANCE_APPROVER), withdrawal, "approve")
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"


def test_approval_needs_the_details_of_the_corridor(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "ZAR", "100")
    seen = finance.get(page(withdrawal))
    assert "Payout details required: recipient's first name" in text_of(seen)
    assert "Incomplete Recipient's first name" in text_of(seen)
    assert "Approve and pay" not in text_of(seen)
    before = table_fingerprints()
    for response in (
        finance.get(page(withdrawal, "approve")),
        finance.post(page(withdrawal, "approve"), {"version": 1, "seen": "{}"}),
    ):
        message = messages_of(response)[-1]
        assert message.startswith("Payout details required: recipient's first")
    assert table_fingerprints() == before

    filled = {
        "version": 1,
        "recipient_first_name": "Ada",
        "recipient_last_name": "Obi",
        "recipient_email": "not an address",
        "recipient_phone": "+27110000000",
        "recipient_address": "1 Long Street",
    }
    response = finance.post(page(withdrawal, "details"), filled)
    assert response.status_code == 200
    assert "Enter a valid email address." in text_of(response)
    assert table_fingerprints() == before

    filled["recipient_email"] = "ada@example.com"
    for phone in ("082 123 4567", "+0821234567", "+27", "+2782123456789012", "phone", "+27x"):
        response = finance.post(page(withdrawal, "details"), {**filled, "recipient_phone": phone})
        assert "Must be a phone number with its country code" in text_of(response)
        assert b'aria-invalid="true"' in response.content
        assert table_fingerprints() == before
    filled["recipient_phone"] = "+27 (11) 000-0000"
    finance.post(page(withdrawal, "details"), filled)
    seen = finance.get(page(withdrawal))
    assert "Recipient first name Ada" in text_of(seen)
    assert "Approve and pay" in text_of(seen)
    decide(finance, withdrawal, "approve")
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
        "Amount 1,950.00 NGN Currency NGN",
        "withdrawal.created Unsent",
        "Withdrawal hold",
        "-2,000.00 NGN",
        "No decisions yet.",
        "Your role can view this withdrawal, but not approve or reject it.",
    ):
        assert part in seen, part
    assert "Approve and pay" not in seen


def test_decisions_take_only_post(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    with assert_no_table_changes():
        for action in ("approve", "reject"):
            body = {
                **shown_fields(finance.get(page(withdrawal, action))),
                "reason": "Yes, checked with the bank",
            }
            assert "No changes made yet." in text_of(finance.get(page(withdrawal, action), body))
        assert finance.get(page(withdrawal, "propose")).status_code == 405
        assert finance.post(page(withdrawal), {"status": "Approved"}).status_code == 405


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_the_confirmation_page_changes_nothing(owners, decision, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "2000")
    given = {"version": "1", "reason": "Because <b>, checked with the bank", "override": OVERRIDE}
    with assert_no_table_changes():
        # Neither when it is opened, nor by fields posted without those that it shows.
        assert "No changes made yet." in text_of(finance.get(page(withdrawal, decision)))
        confirmation = finance.post(page(withdrawal, decision), given)
    assert confirmation.status_code == 200
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
        "Because <b>, checked with the bank",
        f"Approve and pay 1,950.00 NGN to {bank.account_name}"
        if decision == "approve"
        else "Reject and release 2,000.00 NGN",
        "Go back",
    ):
        assert part in seen, part
    html = confirmation.content.decode()
    assert "Because <b>, checked with the bank" not in html
    assert 'name="version" value="1"' in html
    # The facts have the focus, so that Enter decides nothing.
    assert re.findall(r"<(\w+)[^>]* autofocus", html) == ["section"]


def test_the_confirmation_of_a_first_approval_says_so(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "5000000")
    words = "Record first approval of 4,999,950.00 NGN to Forrest Green"
    for name in ("change", "approve"):
        seen = text_of(finance.get(page(withdrawal, name)))
        assert words in seen
        assert "Approve and pay" not in seen
    assert f"{words}? | " in seen
    assert "Approval First of two" in seen
    assert "Nothing is paid until a second person approves it too." in seen
    decide(finance, withdrawal, "approve")
    last = text_of(signed_in_client(FINANCE_APPROVER, "x").get(page(withdrawal, "approve")))
    assert "Approve and pay 4,999,950.00 NGN to Forrest Green" in last
    assert "Approval Second of two" in last


def test_a_page_that_said_pay_records_no_first_approval(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "NGN", "2000000")
    asked = finance.get(page(withdrawal, "approve"))
    set_setting("SECOND_APPROVAL_ABOVE_NGN", 1_000_000)
    with assert_no_table_changes():
        again = decide(finance, withdrawal, "approve", at=asked)
    assert (
        "No changes were made. Since you opened the page: Approval was The only one required"
        " and is First of two. Review it again." in text_of(again)
    )
