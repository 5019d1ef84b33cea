"""Comparison of our payments with the provider's transactions, over HTTP against a sandbox."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import AUDITOR
from config.local.sandbox import SandboxServer
from config.local.sandbox.collection_rules import (
    BANK_TRANSFER,
    FAILED,
    SUCCESSFUL,
    AccountOrder,
    CheckoutOrder,
)
from config.local.sandbox.collection_store import SandboxPayment as Paid
from exchange.core.ids import new_reference
from tests.environment.owner import as_owner
from tests.factories.back_office import signed_in_client, text_of
from tests.factories.deposits import (
    ACTOR,
    Owner,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.treasury import move, terms
from tests.factories.wallets import SYSTEM, Wallet, assert_books_hold, make_member_wallet
from tests.wallets.reconciliation.harness import (
    breaks,
    close,
    compare,
    differences_of,
    today,
    total_line,
    update_provider,
)
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, Payment, VirtualAccount
from wallets.deposits.services import manual
from wallets.deposits.services.payments import look_up, report_payment
from wallets.providers.collection import ChargeHint
from wallets.reconciliation.models import Reconciliation, ReconciliationBreak
from wallets.reconciliation.services.payment_differences import find_payment_differences

pytestmark = pytest.mark.django_db


@pytest.fixture
def account() -> VirtualAccount:
    wallet = make_member_wallet(0, currency="NGN")
    return make_virtual_account(Owner(wallet.organisation, wallet.member))


def pay_in(
    sandbox: SandboxServer, account: VirtualAccount, amount: str = "1000", outcome: str = SUCCESSFUL
) -> int:
    """Pay into the account at the provider; we are not notified."""
    order = AccountOrder(account.reference, "NGN", "a@example.com", "Ada Obi", "", "", None)
    there = sandbox.collection.create_account(order)
    row = sandbox.collection.pay_account(there, Paid(Decimal(amount), BANK_TRANSFER, outcome))
    return int(row["id"])


def pay_checkout(sandbox: SandboxServer, checkout: Deposit) -> None:
    """Pay what the checkout requests, by bank transfer, and credit it."""
    order = CheckoutOrder(
        checkout.reference, checkout.amount, checkout.currency_id, "https://example.com",
        "a@example.com", "Ada Obi", "", "", "{}",
    )  # fmt: skip
    there = sandbox.collection.create_checkout(order)
    row = sandbox.collection.pay_checkout(there, Paid(checkout.amount, BANK_TRANSFER))
    credit(int(row["id"]), checkout)


def credit(transaction_id: int, account: VirtualAccount | Deposit) -> Payment:
    """Report the payment by a webhook, look it up, and credit it."""
    report_payment(ChargeHint(str(transaction_id), account.reference))
    payment = Payment.objects.get(transaction_id=transaction_id)
    look_up(payment.pk, ACTOR)
    payment.refresh_from_db()
    return payment


def alter(payment: Payment, **changes: object) -> None:
    """Change our record, past its guards."""
    with as_owner() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for column, value in changes.items():
            cursor.execute(f"UPDATE wallets_payment SET {column} = %s WHERE id = %s",
                           [value, payment.pk])  # fmt: skip


def totals(report: Reconciliation, kind: str, currency: str = "NGN") -> tuple[object, ...]:
    return total_line(report, kind, currency)


def test_a_payment_that_cannot_be_read_is_reported_and_the_day_is_compared(sandbox, account):
    ours, other = credit(pay_in(sandbox, account), account), pay_in(sandbox, account, "300")

    def set_fee(fee: str, number: int) -> None:
        with sandbox.store.transaction():
            sandbox.store.run("UPDATE transactions SET app_fee = ? WHERE id = ?", fee, number)

    set_fee("-1", other)
    report = compare()
    assert report.status == "Differs"  # the balance has it, and the list does not
    assert report.compared == 1
    messages = set(Alert.objects.filter(kind="provider_records").values_list("message", flat=True))
    assert messages == {f"1 could not be read and were skipped: {other} (app_fee is negative)"}
    set_fee("4.2", other)
    set_fee("-1", ours.transaction_id)
    report = compare()
    assert (report.status, report.reason) == ("Differs", "")
    assert Alert.objects.filter(
        kind="provider_records", message__contains=f": {ours.transaction_id} (app_fee"
    ).exists()


def test_matching_payments_agree_in_every_currency_with_their_charges(sandbox, account):
    first = credit(pay_in(sandbox, account), account)
    pay_checkout(sandbox, make_checkout(Owner(account.organisation), "20.5", "USD"))
    unknown = VirtualAccount(reference=new_reference("other_"))
    unmatched = credit(pay_in(sandbox, unknown, "300"), unknown)
    assert (first.status, unmatched.status) == ("Credited", "Unmatched")
    report = compare()
    assert (report.status, report.reason, differences_of(report)) == ("Matched", "", [])
    assert report.compared == 3
    # 1.4 % of each, as the sandbox charges bank transfers.
    charge, unmatched_charge = Decimal(14), Decimal("4.2")
    charges = charge + unmatched_charge
    assert totals(report, "Received") == (2, 1300, 2, 1300)
    assert totals(report, "Charges of deposits") == (None, charges, None, charges)
    assert totals(report, "Received", "USD") == (1, Decimal("20.5"), 1, Decimal("20.5"))
    assert totals(report, "Variance") == (None, 0, None, 0)
    assert totals(report, "Variance", "USD") == (None, 0, None, 0)
    assert totals(report, "Provider balance") == (None, 1300 - charges, None, 1300 - charges)
    # The unmatched one was booked net of its charge.
    assert totals(report, "Deposits") == (None, 1300 - unmatched_charge, None, None)
    assert totals(report, "Provider charges") == (None, -charge, None, None)
    assert_books_hold()


def test_a_payment_that_we_miss_is_a_break_and_no_variance(sandbox, account):
    missed = pay_in(sandbox, account)
    report = compare()
    assert differences_of(report) == [
        ("Not in our records", account.reference, "", "successful NGN from Ada Obi")
    ]
    line = report.lines.get(is_difference=True)
    assert line.their_amount == 1000
    assert (line.provider_id, line.currency_id) == (str(missed), "NGN")
    assert totals(report, "Variance") == (None, 0, None, 0)
    assert totals(report, "In transit")[3] == totals(report, "Provider balance")[3]
    assert breaks() == [("Not in our records", "1000", "Open", True)]
    # Once it is credited, the break is gone, and two people close it.
    payment = credit(missed, account)
    assert compare().status == "Matched"
    assert breaks() == [("Not in our records", "1000", "Open", False)]
    close(ReconciliationBreak.objects.get(), "Its webhook was lost")
    assert payment.status == "Credited"
    assert_books_hold()


def test_a_reported_payment_that_was_not_looked_up_is_not_credited(sandbox, account):
    transaction_id = pay_in(sandbox, account)
    report_payment(ChargeHint(str(transaction_id), account.reference))
    report = compare()
    assert differences_of(report)[0][2] == "Reported"
    found = ReconciliationBreak.objects.get()
    assert found.payment == Payment.objects.get()
    page = signed_in_client(AUDITOR).get(
        reverse("admin:wallets_reconciliation_change", args=[report.pk])
    )
    assert f"NGN {transaction_id} {transaction_id} Reported" in text_of(page)
    assert "Deposits of the day" in text_of(page)


def test_a_payment_that_the_provider_does_not_have_is_missing(sandbox, account):
    payment = credit(pay_in(sandbox, account), account)
    update_provider(sandbox, "DELETE FROM transactions WHERE id = ?", payment.transaction_id)
    assert differences_of(compare()) == [("Missing at provider", account.reference, "Credited", "")]
    assert breaks(payment=payment)[0][:2] == ("Missing at provider", "-1000")


@pytest.mark.parametrize(
    ("column", "value", "kind", "ours", "theirs"),
    [
        ("amount", "900", "Amount", "1000", "900"),
        ("currency", "KES", "Currency", "NGN", "KES"),
        ("status", "failed", "Charged back", "Credited", "failed"),
        ("status", "pending", "Status", "Credited", "pending"),
        ("app_fee", "15.5", "Provider charge", "14", "15.5"),
    ],
)
@pytest.mark.one_in(3)
def test_other_values_at_the_provider_differ(sandbox, account, column, value, kind, ours, theirs):
    payment = credit(pay_in(sandbox, account), account)
    update_provider(
        sandbox, f"UPDATE transactions SET {column} = ? WHERE id = ?", value, payment.transaction_id
    )
    assert (kind, account.reference, ours, theirs) in differences_of(compare())


def test_a_failed_payment_that_was_not_credited_is_no_difference(sandbox, account):
    # The provider keeps its charge.
    sandbox.store.set_float("NGN", Decimal(14))
    transaction_id = pay_in(sandbox, account)
    sandbox.collection.charge_back(transaction_id)
    credit(transaction_id, account)
    assert compare().status == "Matched"
    assert totals(Reconciliation.objects.get(), "Received") == (0, 0, 0, 0)


def test_a_payment_that_was_also_entered_by_hand_was_credited_twice(sandbox, account):
    payment = credit(pay_in(sandbox, account), account)
    manual.book_deposit(
        payment=manual.IncomingPayment(
            account.organisation_id, account.member_id, "NGN", Decimal(1000),
            payment.provider_reference,
        ),
        actor=SYSTEM,
    )  # fmt: skip
    kinds = {kind: ours for kind, _, ours, _ in differences_of(compare())}
    assert kinds["Credited twice"] == f"Also entered by hand: {payment.provider_reference}"
    assert "Unexplained variance" in kinds


def test_two_transactions_with_one_reference_of_the_provider_were_credited_twice(sandbox, account):
    first = credit(pay_in(sandbox, account), account)
    second = credit(pay_in(sandbox, account), account)
    alter(second, provider_reference=first.provider_reference)
    assert differences_of(compare()) == [
        (
            "Credited twice", account.reference,
            f"Transaction {first.transaction_id} has the same reference", "",
        )
    ]  # fmt: skip


def test_a_list_that_omits_a_payment_leaves_the_report_incomplete(sandbox, account):
    payment = credit(pay_in(sandbox, account), account)
    # The list has it three days later, the status check and our record today.
    alter(payment, paid_at=timezone.now())
    moved = (timezone.now() - timedelta(days=3)).timestamp()
    update_provider(
        sandbox, "UPDATE transactions SET created_at = ? WHERE id = ?", moved,
        payment.transaction_id,
    )  # fmt: skip
    report = compare()
    assert report.status == "Incomplete"
    assert report.reason == f"the provider's list omits transaction {payment.transaction_id}"
    assert breaks() == []


def test_a_payment_belongs_to_the_day_it_was_made(sandbox, account):
    payment = credit(pay_in(sandbox, account), account)
    report = compare(today() - timedelta(days=1))
    assert (report.status, report.compared) == ("Matched", 0)
    assert payment.status == "Credited"


def test_a_treasury_movement_is_a_line_of_its_own_and_explains_the_balance(sandbox, account):
    sandbox.store.set_float("NGN", Decimal(5000))
    move(terms("top_up", 5000, currency="NGN"))
    report = compare()
    assert report.status == "Matched"
    assert totals(report, "Treasury movements") == (None, 5000, None, None)
    assert totals(report, "Variance") == (None, 0, None, 0)
    Wallet(account.organisation).fund(10, "NGN")
    assert [kind for kind, *_ in differences_of(compare())] == ["Unexplained variance"]


def test_a_failed_payment_is_none_on_either_side(sandbox, account):
    credit(pay_in(sandbox, account), account)
    failed = credit(pay_in(sandbox, account, "300", outcome=FAILED), account)
    assert (failed.status, failed.paid_at is not None) == ("Failed", True)
    report = compare()
    assert (report.status, differences_of(report)) == ("Matched", [])
    assert totals(report, "Received") == (1, 1000, 1, 1000)


@pytest.mark.parametrize(("name", "shown"), [(179, 199), (180, 200), (181, 200)])
def test_a_text_of_the_provider_is_cut_at_200_characters(name, shown):
    record = transaction_record("elsewhere", customer_name="x" * name)
    (line,) = find_payment_differences(None, record)
    assert len(line.their_text) == shown
