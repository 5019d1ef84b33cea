"""The comparison finds chargebacks as what they are, however old the payment, over HTTP."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from config.local.sandbox import SandboxServer
from orders.freezing.services import confirm_reversal
from tests.environment.owner import without_guards
from tests.factories.chargebacks import charge_back, pay_in, transaction_of
from tests.factories.deposits import Owner, make_owner
from tests.factories.treasury import move, terms
from tests.factories.wallets import assert_books_hold, make_staff
from tests.wallets.reconciliation.harness import (
    breaks,
    compare,
    differences_of,
    today,
    total_line,
    update_provider,
)
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, DepositReversal, Payment
from wallets.deposits.services.disputes import mark_disputed
from wallets.deposits.tasks import sweep_deposits
from wallets.reconciliation.models import ReconciliationBreak

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(sandbox: SandboxServer) -> Owner:
    # Own money at the provider, to take payments back from.
    sandbox.store.set_float("NGN", Decimal(5000))
    move(terms("top_up", 5000, currency="NGN"))
    return make_owner()


def credited_days_ago(sandbox: SandboxServer, owner: Owner, days: int) -> Deposit:
    """Credit a payment that was made `days` ago."""
    deposit = pay_in(sandbox, owner, currency="NGN")
    made = timezone.now() - timedelta(days=days)
    transaction_id = transaction_of(deposit)
    update_provider(
        sandbox, "UPDATE transactions SET created_at = ? WHERE id = ?", made.timestamp(),
        transaction_id,
    )  # fmt: skip
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_payment SET paid_at = %s", [made])
    return deposit


def decide(deposit: Deposit) -> None:
    reversal = DepositReversal.objects.get(deposit=deposit, status="Pending")
    confirm_reversal(reversal_id=reversal.pk, user=make_staff("reverse_deposit"))


@pytest.mark.parametrize("days", [1, 30, 119])
@pytest.mark.one_in(3)
def test_a_failed_payment_of_months_ago_is_a_chargeback_and_no_variance(sandbox, owner, days):
    deposit = credited_days_ago(sandbox, owner, days)
    reference = Payment.objects.get().tx_ref
    assert differences_of(compare()) == []
    charge_back(sandbox, deposit)
    report = compare()
    assert differences_of(report) == [("Charged back", reference, "Credited", "failed")]
    assert total_line(report, "In transit", "NGN") == (None, None, None, -1000)
    assert total_line(report, "Variance", "NGN") == (None, 0, None, 0)
    found = ReconciliationBreak.objects.get()
    assert (found.our_amount, found.their_amount) == (Decimal(1000), Decimal(0))
    assert found.difference == -1000
    assert found.payment == Payment.objects.get()
    # The comparison has the payment looked up, and its money is held.
    sweep_deposits()
    deposit.refresh_from_db()
    assert (deposit.status, deposit.disputed_amount) == ("Completed", Decimal(1000))
    # It is one break, of one day, while people decide.
    compare(today() - timedelta(days=3))
    compare()
    assert breaks() == [("Charged back", "-1000", "Open", True)]
    decide(deposit)
    report = compare()
    assert differences_of(report) == []
    assert total_line(report, "In transit", "NGN") == (None, None, None, 0)
    assert total_line(report, "Variance", "NGN") == (None, 0, None, 0)
    assert_books_hold()


def test_a_failed_payment_that_cannot_be_read_is_named(sandbox, owner):
    deposit = credited_days_ago(sandbox, owner, 40)
    charge_back(sandbox, deposit)
    number = transaction_of(deposit)
    update_provider(sandbox, "UPDATE transactions SET app_fee = '-1' WHERE id = ?", number)
    compare()
    [alert] = Alert.objects.filter(kind="provider_records", resolved_at=None)
    assert (alert.subject, alert.message) == (
        "failed payments",
        f"1 could not be read and were skipped: {number} (app_fee is negative)",
    )


def test_a_part_charged_back_of_the_payment_is_found_on_its_day(sandbox, owner):
    deposit = credited_days_ago(sandbox, owner, 40)
    assert differences_of(compare()) == []
    charge_back(sandbox, deposit, "300.50")
    report = compare()
    assert [(kind, theirs) for kind, _, _, theirs in differences_of(report)] == [
        ("Charged back", "charged back 300.5")
    ]
    assert total_line(report, "Variance", "NGN") == (None, 0, None, 0)
    found = ReconciliationBreak.objects.get()
    assert (found.our_amount, found.their_amount) == (Decimal(1000), Decimal("699.50"))
    sweep_deposits()
    decide(deposit)
    report = compare()
    assert differences_of(report) == []
    assert total_line(report, "Variance", "NGN") == (None, 0, None, 0)
    assert_books_hold()


def test_a_dispute_that_only_people_know_of_is_no_money_in_transit(sandbox, owner):
    deposit = credited_days_ago(sandbox, owner, 40)
    mark_disputed(deposit_id=deposit.pk, explanation="x", user=make_staff("reverse_deposit"))
    report = compare()
    assert differences_of(report) == []
    assert total_line(report, "In transit", "NGN") == (None, None, None, 0)
