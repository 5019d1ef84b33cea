"""Chargebacks in the back office, and the page on which a deposit is reviewed."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import AUDITOR, BACK_OFFICE
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.deposits import (
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, store_bank_list
from wallets.deposits.models import Deposit, DepositReversal
from wallets.providers.collection import TransactionStatus
from wallets.receivables.services.repayments import amount_owed

pytestmark = pytest.mark.django_db
EXPLANATION = "Chargeback FLW-7 of the cardholder's bank"


def paid(owner: Owner, amount: str = "1000", **changes: object) -> Deposit:
    """Return a checkout of 1,000 KES for which `amount` arrived."""
    checkout = make_checkout(owner, "1000", "KES")
    arrive(transaction_record(checkout.reference, amount, **{"currency": "KES", **changes}))
    checkout.refresh_from_db()
    return checkout


def propose(client: Client, deposit: Deposit, explanation: str = EXPLANATION) -> DepositReversal:
    done = submit_confirmation(client, page(deposit, "reverse"), explanation=explanation)
    assert messages_of(done) == ["Proposed. A second person must confirm the reversal."]
    return DepositReversal.objects.get(deposit=deposit, status="Pending")


def test_one_person_proposes_a_reversal_and_another_sees_what_will_be_owed(owner, maker, checker):
    deposit = paid(owner)
    store_bank_list()
    Wallet(owner.organisation, owner.member).request(900)
    assert "Propose reversal" in text_of(maker.get(page(deposit)))
    asked = text_of(maker.get(page(deposit, "reverse")))
    assert "Propose to reverse 1,000.00 KES of Ada Obi?" in asked
    assert "Taken from available 100.00 KES Becomes a receivable 900.00 KES" in asked
    reversal = propose(maker, deposit)
    shown = maker.get(page(deposit))
    assert "Propose reversal" not in text_of(shown)
    assert "Someone other than the proposer must approve this." in text_of(shown)
    with assert_no_table_changes():
        assert messages_of(submit_confirmation(maker, page(reversal, "confirm"))) == [
            "Someone other than the proposer must approve this. No changes were made."
        ]
    assert f'href="{page(reversal, "confirm")}"' in checker.get(page(deposit)).content.decode()
    asked = checker.get(page(reversal, "confirm"))
    assert "900.00 KES is no longer in the wallet and becomes a receivable" in text_of(asked)
    assert f"Explanation {EXPLANATION} Proposed by maker" in text_of(asked)
    done = submit_confirmation(checker, page(reversal, "confirm"), at=asked, then="next")
    assert messages_of(done) == [
        "Reversal confirmed; 1,000.00 KES taken back. Ada Obi owes 900.00 KES.", "Queue empty.",
    ]  # fmt: skip
    assert amount_owed(deposit.owner_id, "KES") == 900
    assert balance_of(deposit.owner_id, "KES") == 0
    shown = text_of(checker.get(page(deposit)))
    assert f"{EXPLANATION} Approved maker checker" in shown
    assert "Receivable -900.00 KES" in shown
    assert "deposit.reversed" in shown
    assert_books_hold()


def test_a_page_that_shows_another_split_reverses_nothing(owner, maker, checker):
    deposit = paid(owner)
    reversal = propose(maker, deposit)
    asked = checker.get(page(reversal, "confirm"))
    assert "Becomes a receivable 0.00 KES" in text_of(asked)
    store_bank_list()
    Wallet(owner.organisation, owner.member).request(900)
    with assert_no_table_changes():
        refused = submit_confirmation(checker, page(reversal, "confirm"), at=asked)
    assert "Becomes a receivable was 0.00 KES and is 900.00 KES" in text_of(refused)
    # The page displays the debt as a warning now, and is accepted.
    submit_confirmation(checker, page(reversal, "confirm"))
    assert amount_owed(deposit.owner_id, "KES") == 900


def test_a_rejected_reversal_leaves_the_deposit(owner, maker, checker):
    deposit = paid(owner)
    reversal = propose(maker, deposit)
    asked = checker.get(page(reversal, "confirm"))
    assert "This field is required." in text_of(
        submit_confirmation(checker, page(reversal, "reject"), reason=" ")
    )
    submit_confirmation(checker, page(reversal, "reject"), reason="The dispute was won")
    with assert_no_table_changes():
        late = submit_confirmation(checker, page(reversal, "confirm"), at=asked)
    assert messages_of(late)[-1] == ("Already rejected by checker. No changes were made.")
    deposit.refresh_from_db()
    assert (deposit.status, balance_of(deposit.owner_id, "KES")) == ("Completed", Decimal(1000))
    shown = text_of(maker.get(page(deposit)))
    assert "Rejected maker checker The dispute was won" in shown
    assert "Propose reversal" in shown
    own = propose(maker, deposit, "The bank has charged it back again")
    cancelled = submit_confirmation(
        maker, page(own, "reject"), reason="Entered twice, checked with the bank"
    )
    assert messages_of(cancelled) == ["Proposal closed. Nothing was taken back."]


@pytest.mark.parametrize("role", [BACK_OFFICE, AUDITOR])
def test_other_roles_look_and_do_not_reverse(owner, maker, role):
    deposit = paid(owner)
    client = signed_in_client(role)
    assert "Propose reversal" not in text_of(client.get(page(deposit)))
    reversal = propose(maker, deposit)
    assert "Your role can view this but not approve it." in text_of(client.get(page(reversal)))


def test_what_is_not_completed_cannot_be_reversed(owner, maker):
    pending, deposit = make_checkout(owner), paid(owner)
    propose(maker, deposit)
    with assert_no_table_changes():
        for found, words in (
            (
                pending,
                "Only a Completed deposit can be reversed: it is Pending. No changes were made.",
            ),
            (deposit, "A reversal of this deposit is pending already. No changes were made."),
        ):
            late = submit_confirmation(
                maker, page(found, "reverse"), explanation="x, checked with the bank"
            )
            assert messages_of(late)[-1] == words


@pytest.mark.parametrize(
    ("amount", "currency", "warning"),
    [
        ("900", "KES", "Another amount: the checkout requested 1,000.00 KES, 900.00 KES was paid"),
        ("1000", "NGN", "Another currency: 1,000.00 KES was requested, 1,000.00 NGN was paid"),
    ],
)
def test_the_review_page_compares_the_checkout_with_its_payment(
    owner, checker, amount, currency, warning
):
    paid(owner, "1000")
    deposit = paid(owner, amount, currency=currency)
    shown = text_of(checker.get(page(deposit)))
    assert warning in shown
    number = f"{Decimal(amount):,.2f} {currency}"
    assert f"Amount 1,000.00 KES {number}" in shown
    assert f"Charged to the payer - {number} Provider's charge - 14.00 {currency}" in shown
    assert "ADA OBI, Access Bank, ******4821" in shown
    assert "Other deposits of this owner" in shown
    assert "Deposits by this payer within 31 days" in shown
    assert shown.count("Completed 1,000.00 KES") == 2


def test_the_review_page_of_each_state(owner, checker):
    pending = make_checkout(owner, "70", "KES")
    failing = make_checkout(owner, "80", "KES")
    record = transaction_record(
        failing.reference, "80", currency="KES", status=TransactionStatus.FAILED
    )
    arrive(record)
    rests = paid(owner, payment_type="card")
    account = make_virtual_account(owner)
    payment = arrive(transaction_record(account.reference, "55"))
    credited = payment.deposit
    assert credited is not None
    late = make_checkout(owner, "90", "KES")
    Deposit.objects.filter(pk=late.pk).update(status="Failed", reason="Declined")
    arrive(transaction_record(late.reference, "90", currency="KES"))
    for deposit, words in (
        (pending, "Not paid yet."),
        (failing, "Nothing was booked."),
        (rests, "Uncleared 1,000.00 KES"),
        (credited, "Amount - 55.00 NGN"),
        (late, "It was paid after the checkout had failed"),
    ):
        shown = text_of(checker.get(page(deposit)))
        assert words in shown, words
    listed = checker.get(reverse("admin:wallets_deposit_changelist"), {"clearing": "uncleared"})
    assert list(listed.context["cl"].result_list) == [rests]
    assert "Awaiting my approval 0 Pending 1 Uncleared 1" in text_of(listed)


@pytest.mark.slow
def test_lists_and_pages_cost_the_same_for_one_as_for_many(
    owner, maker, checker, django_assert_max_num_queries
):
    deposit = paid(owner)
    reversals = reverse("admin:wallets_depositreversal_changelist")
    propose(maker, deposit)
    for address, most in ((page(deposit), 32), (reversals, 12)):
        checker.get(address)
        with django_assert_max_num_queries(most):
            checker.get(address)
    for number in range(4):
        propose(maker, paid(owner), f"{EXPLANATION}, case {number}")
    for address, most in ((page(deposit), 32), (reversals, 12)):
        with django_assert_max_num_queries(most):
            checker.get(address)
    found = checker.get(reversals, {"decision": "awaiting_my_approval"})
    assert found.context["cl"].result_count == 5
    assert (
        maker.get(reversals, {"decision": "awaiting_my_approval"}).context["cl"].result_count == 0
    )
