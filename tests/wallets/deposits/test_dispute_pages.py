"""Disputes in the back office: the queue of charged back deposits, and a deposit marked by hand."""

import pytest
from django.urls import reverse

from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    messages_of,
    page,
    submit_confirmation,
    text_of,
)
from tests.factories.chargebacks import charge_back, learn_of_chargeback, pay_in, transaction_of
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, store_bank_list
from wallets.deposits.models import DepositReversal, Payment

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("money_at_provider")]

EXPLANATION = "E-mail 7 of the bank of the payer"
QUEUE = "admin:wallets_depositreversal_changelist"


def test_the_queue_says_amount_owner_and_what_is_left(sandbox, owner, maker):
    deposit = pay_in(sandbox, owner)
    pay_in(sandbox, owner, "250")
    store_bank_list()
    Wallet(owner.organisation, owner.member).request(900)
    assert "Charged back" not in text_of(maker.get(reverse("admin:index")))
    learn_of_chargeback(sandbox, deposit)
    assert "Charged back 1" in text_of(maker.get(reverse("admin:index")))
    shown = text_of(maker.get(reverse(QUEUE), {"dispute": "open"}))
    assert "Ada Obi 1,000.00 KES 0.00 KES Pending the system" in shown
    reversal = DepositReversal.objects.get()
    shown = text_of(maker.get(page(reversal)))
    for words in ("Held 350.00 KES", "Left in the wallet 0.00 KES", "Proposed by the system"):
        assert words in shown
    shown = text_of(maker.get(page(deposit)))
    assert "Charged back 1,000.00 KES on " in shown
    asked = text_of(maker.get(page(reversal, "confirm")))
    assert "Taken from uncleared 350.00 KES Becomes a receivable 650.00 KES" in asked
    done = submit_confirmation(maker, page(reversal, "confirm"))
    assert messages_of(done)[0] == (
        "Reversal confirmed; 1,000.00 KES taken back. Ada Obi owes 650.00 KES."
    )
    assert "Charged back" not in text_of(maker.get(reverse("admin:index")))
    assert_books_hold()


def test_a_person_marks_a_part_as_disputed_and_another_releases_it(sandbox, owner, maker, checker):
    deposit = pay_in(sandbox, owner)
    assert "Mark disputed" in text_of(maker.get(page(deposit)))
    asked = text_of(maker.get(page(deposit, "dispute")))
    assert "Mark 1,000.00 KES of Ada Obi as disputed?" in asked
    with assert_no_table_changes():
        refused = submit_confirmation(
            maker,
            page(deposit, "dispute"),
            explanation=EXPLANATION,
            amount="1000.01",
        )
    assert "Must be above 0 and at most 1,000.00 KES" in text_of(refused)
    done = submit_confirmation(
        maker, page(deposit, "dispute"), explanation=EXPLANATION, amount="300"
    )
    assert messages_of(done) == [
        "Marked as disputed. A second person must confirm or reject the reversal."
    ]
    assert balance_of(deposit.owner_id, "KES", "uncleared") == 300
    reversal = DepositReversal.objects.get()
    assert "Someone other than the proposer" in text_of(maker.get(page(reversal)))
    asked = text_of(checker.get(page(reversal, "reject")))
    assert "What was held of it is available again" in asked
    submit_confirmation(checker, page(reversal, "reject"), reason="The provider won the dispute")
    assert balance_of(deposit.owner_id, "KES") == 1000
    assert_books_hold()


def test_a_credited_payment_is_checked_at_the_provider_from_its_pages(sandbox, owner, maker):
    deposit = pay_in(sandbox, owner)
    payment = Payment.objects.get()
    for record in (deposit, payment):
        assert "Check at the provider now" in text_of(maker.get(page(record)))
        done = maker.post(page(record, "check"), follow=True)
        assert messages_of(done) == ["Checked. The provider's record is unchanged: successful."]
    charge_back(sandbox, deposit, "300")
    done = maker.post(page(deposit, "check"), follow=True)
    assert messages_of(done) == ["Checked. The provider's record differs: 300.00 KES charged back."]
    deposit.refresh_from_db()
    assert deposit.disputed_amount == 300
    assert f"Payment {transaction_of(deposit)}" in text_of(maker.get(page(payment)))
    assert "Charged back 300.00 KES" in text_of(maker.get(page(payment)))


def test_other_roles_see_disputes_and_mark_none(sandbox, owner, auditor):
    deposit = pay_in(sandbox, owner)
    shown = text_of(auditor.get(page(deposit)))
    assert "Mark disputed" not in shown
    assert "Check at the provider now" not in shown
