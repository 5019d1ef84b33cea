"""The receipt of a completed withdrawal: the sentence for the customer, and the document."""

from datetime import UTC, datetime
from typing import Any

import pytest

from config.back_office.roles import SUPPORT
from exchange.pdf.printer import PrinterBusy, take_printer
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    page,
    signed_in_client,
    text_of,
)
from tests.factories.payouts import return_at_bank, settle_at_bank
from tests.factories.wallets import OVERRIDE, make_staff
from wallets.payouts.services import execution as payouts
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.receipt import build_receipt
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(provider_sandbox: Any) -> Withdrawal:
    organisation, member = make_participants()
    fund(organisation, member, "KES", "10000")
    withdrawal = make_withdrawal(organisation, member, "KES", "400")
    decisions.approve(
        withdrawal_id=withdrawal.pk, version=1, approver=make_staff(), override=OVERRIDE
    )
    payouts.send_payout(withdrawal.pk)
    settle_at_bank(provider_sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    withdrawal.refresh_from_db()
    return withdrawal


def test_support_finds_the_sentence_and_the_document(paid):
    support = signed_in_client(SUPPORT)
    shown = text_of(support.get(page(paid)))
    today = f"{datetime.now(UTC):%-d %B %Y}"
    payout = paid.payout
    assert (
        f"For the customer: 370.00 KES was paid to Ada Obi, {paid.bank.name}, account …0031, on"
        f" {today}. Our reference is {paid.reference}, that of the payment provider"
        f" {payout.provider_id}." in shown
    )
    with assert_no_table_changes():
        file = support.get(page(paid, "receipt"))
    assert file["Content-Type"] == "application/pdf"
    assert file["Content-Disposition"] == f'attachment; filename="receipt-{paid.reference}.pdf"'
    assert file.content.startswith(b"%PDF-")


def test_the_document_has_amounts_times_and_references(paid):
    document = build_receipt(paid, paid.payout, datetime(2026, 11, 29, 10, 15, 2, tzinfo=UTC))
    parts = dict(document.parts)
    left, right = parts["facts"]
    assert dict(left) == {
        "Paid by": str(paid.member),
        "Member of": str(paid.organisation),
        "Paid to": "Ada Obi",
        "Bank": paid.bank.name,
        "Account": "…0031",
    }
    assert dict(right)["Reference"] == paid.reference
    assert dict(right)["Provider's reference"] == paid.payout.provider_id
    assert parts["figures"] == (
        [("Amount", "400.00 KES"), ("Fee", "30.00 KES"), ("Paid out", "370.00 KES")],
    )


def test_a_busy_printer_is_reported_on_the_page_of_the_withdrawal(paid):
    support = signed_in_client(SUPPORT)
    with take_printer(), take_printer():
        refused = support.get(page(paid, "receipt"))
    assert refused["Location"] == page(paid)
    assert messages_of(refused) == [f"{PrinterBusy.message}."]


def test_what_is_not_paid_or_came_back_has_no_receipt(paid, provider_sandbox, finance):
    waiting = make_withdrawal(paid.organisation, paid.member, "KES", "500")
    return_at_bank(provider_sandbox, paid)
    payouts.check_status(paid.pk)
    for withdrawal in (waiting, paid):
        assert "For the customer" not in text_of(finance.get(page(withdrawal)))
        refused = finance.get(page(withdrawal, "receipt"))
        assert refused.status_code == 302
        assert messages_of(refused) == ["Only a completed withdrawal has a receipt."]
