"""Status checks of payments that a person requests."""

from __future__ import annotations

from uuid import UUID

from django.db.models import F
from django.utils import timezone

from exchange.core.currencies import currencies, format_money
from exchange.core.errors import NotFound, ProviderFailed, StateConflict
from exchange.core.numbers import format_plain
from exchange.core.querysets import get_or_raise
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from wallets.deposits.models import (
    OPEN_PAYMENTS,
    UNMATCHED_PAYMENTS,
    Payment,
    PaymentStatus,
)
from wallets.deposits.services.payments import look_up, report_payment
from wallets.deposits.services.unmatched import RESOLVE
from wallets.providers.base import ProviderUnavailable
from wallets.providers.collection import ChargeHint, TransactionRecord, TransactionStatus
from wallets.providers.registry import payment_provider


def check_payment_now(*, payment_id: UUID, user: StaffUser) -> str:
    """Check a payment at the provider now, act on the result, and describe it.

    What is known of an unmatched payment does not change: the result says how the provider's record
    differs. Raises `Forbidden`, `NotFound`, `StateConflict` for a closed payment, and
    `ProviderFailed`.
    """
    actor = authorize_staff(user, RESOLVE, "You may not decide about payments")
    rows = Payment.objects.filter(pk=payment_id)
    missing = NotFound("Payment not found", code="payment_not_found")
    payment = get_or_raise(rows, missing)
    if payment.status in (PaymentStatus.CREDITED, PaymentStatus.REFUNDED):
        raise StateConflict(f"The payment is {payment.status}: nothing is left to check")
    if payment.status in UNMATCHED_PAYMENTS:
        rows.update(lookups=F("lookups") + 1)
        return _compare(payment)
    if payment.status in OPEN_PAYMENTS:
        rows.filter(status__in=OPEN_PAYMENTS).update(next_lookup_at=timezone.now())
    else:
        report_payment(ChargeHint(str(payment.transaction_id), payment.tx_ref))
    look_up(payment_id, actor)
    payment.refresh_from_db()
    error = f": {payment.last_error}" if payment.last_error else ""
    return f"Checked. The payment is {payment.status}{error}."


def _compare(payment: Payment) -> str:
    try:
        record = payment_provider().verify_transaction(str(payment.transaction_id))
    except ProviderUnavailable as error:
        raise ProviderFailed(f"The payment provider could not be reached: {error}") from error
    if record is None:
        return "Checked. The provider does not know the payment any more."
    differences = _differences(payment, record)
    if differences:
        return f"Checked. The provider's record differs: {'; '.join(differences)}."
    return "Checked. The provider's record is unchanged: successful."


def _differences(payment: Payment, record: TransactionRecord) -> list[str]:
    found = []
    if record.status != TransactionStatus.SUCCESSFUL:
        found.append(f"status {record.status}")
    if (record.amount, record.currency) != (payment.amount, payment.currency_code):
        known = record.currency in currencies()
        found.append(
            format_money(record.amount, record.currency)
            if known
            else f"{format_plain(record.amount)} {record.currency}"
        )
    if record.tx_ref != payment.tx_ref:
        found.append(f"reference {record.tx_ref}")
    return found
