"""Payments at an in-process sandbox of the provider that are credited, and their chargebacks."""

import json
from decimal import Decimal

from django.test import Client
from django.utils import timezone

from config.local.sandbox import SandboxServer
from config.local.sandbox.collection_records import transaction_record
from config.local.sandbox.collection_rules import BANK_TRANSFER, CheckoutOrder
from config.local.sandbox.collection_store import SandboxPayment as Paid
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from orders.freezing.services import confirm_reversal
from tests.factories.deposits import Owner, make_checkout
from tests.factories.wallets import balance_of, make_staff
from tests.wallets.deposits.hostile_webhooks import SECRET, genuine
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, DepositReversal, Payment
from wallets.deposits.services.payments import report_payment
from wallets.deposits.services.reversals import reject_reversal
from wallets.deposits.tasks import sweep_deposits
from wallets.providers.collection import ChargeHint
from wallets.receivables.services.repayments import amount_owed


def pay_in(
    sandbox: SandboxServer,
    owner: Owner,
    amount: str = "1000",
    *,
    payment_type: str = BANK_TRANSFER,
    currency: str = "KES",
) -> Deposit:
    """Pay a checkout at the provider, and credit it. A card payment rests for three days."""
    checkout = make_checkout(owner, amount, currency)
    transaction_id = pay_for(
        sandbox, checkout.reference, amount, payment_type=payment_type, currency=currency
    )
    report_payment(ChargeHint(str(transaction_id), checkout.reference))
    sweep_deposits()
    checkout.refresh_from_db()
    assert checkout.status == "Completed"
    return checkout


def pay_for(
    sandbox: SandboxServer,
    tx_ref: str,
    amount: str,
    *,
    payment_type: str = BANK_TRANSFER,
    currency: str = "KES",
) -> int:
    """Pay at the provider under a reference; return the provider's id. No webhook is sent."""
    order = CheckoutOrder(
        tx_ref, Decimal(amount), currency, "https://example.com", "a@example.com", "Ada Obi", "",
        "", "{}",
    )  # fmt: skip
    there = sandbox.collection.create_checkout(order)
    row = sandbox.collection.pay_checkout(there, Paid(Decimal(amount), payment_type))
    return int(row["id"])


def transaction_of(deposit: Deposit) -> int:
    """Return the provider's id of the deposit's payment."""
    return Payment.objects.get(deposit=deposit).transaction_id


def charge_back(
    sandbox: SandboxServer, deposit: Deposit, amount: str | None = None, *, listed: bool = False
) -> None:
    """Charge the deposit's payment back at the provider. No webhook is sent."""
    taken = None if amount is None else Decimal(amount)
    sandbox.collection.charge_back(transaction_of(deposit), taken, listed=listed)


def send_webhook(
    sandbox: SandboxServer, transaction_id: int, *, secret: str = SECRET, status: int = 200
) -> None:
    """Deliver the provider's webhook of a transaction, and do what it asks for."""
    row = sandbox.store.find("transactions", transaction_id)
    assert row is not None
    response = Client().post(
        "/hooks/flutterwave",
        genuine(json.loads(json.dumps(transaction_record(row), default=float))).body,
        content_type="application/json",
        headers={"verif-hash": secret},
    )
    assert response.status_code == status, response.content
    sweep_deposits()


def learn_of_chargeback(
    sandbox: SandboxServer, deposit: Deposit, amount: str | None = None, *, listed: bool = False
) -> None:
    """Charge the deposit's payment back, and learn of it from the provider's webhook."""
    charge_back(sandbox, deposit, amount, listed=listed)
    send_webhook(sandbox, transaction_of(deposit))
    deposit.refresh_from_db()


def look_up_again() -> None:
    """Make every waiting status check due, and sweep."""
    Payment.objects.filter(next_lookup_at__isnull=False).update(next_lookup_at=timezone.now())
    sweep_deposits()


def wallet_of(deposit: Deposit) -> tuple[Decimal | int, ...]:
    """Return what is available, uncleared and owed."""
    owner, currency = deposit.owner_id, deposit.currency_id
    return (
        balance_of(owner, currency),
        balance_of(owner, currency, "uncleared"),
        amount_owed(owner, currency),
    )


def events_of(deposit: Deposit) -> list[str]:
    """Return the types of the deposit's events, oldest first, without `deposit.`."""
    rows = Event.objects.filter(subject_id=deposit.pk).order_by("id")
    return [each.removeprefix("deposit.") for each in rows.values_list("type", flat=True)]


def alerts(kind: str = "deposit_disputed") -> list[str]:
    """Return the messages of the open alerts of a kind."""
    return list(Alert.objects.filter(kind=kind, resolved_at=None).values_list("message", flat=True))


def reverser() -> StaffUser:
    """Make a person who may reverse deposits."""
    return make_staff("reverse_deposit")


def proposal_of(deposit: Deposit) -> DepositReversal:
    """Return the pending reversal."""
    return DepositReversal.objects.get(deposit=deposit, status="Pending")


def confirm(deposit: Deposit) -> Deposit:
    """Confirm the pending reversal."""
    return confirm_reversal(reversal_id=proposal_of(deposit).pk, user=reverser())


def reject(deposit: Deposit) -> None:
    """Reject the pending reversal."""
    reject_reversal(reversal_id=proposal_of(deposit).pk, reason="Won", user=reverser())
    deposit.refresh_from_db()


def dispute_of(deposit: Deposit) -> tuple[object, ...]:
    """Return status, disputed and reversed amount of the deposit and of its document."""
    deposit.refresh_from_db()
    return (deposit.status, deposit.disputed_amount, deposit.reversed_amount)
