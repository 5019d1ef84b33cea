"""Status checks of payments that a person requests."""

from uuid import UUID

from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import format_paid
from exchange.core.errors import ProviderFailed
from exchange.core.querysets import get_or_raise
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from wallets.deposits.errors import PaymentNotFound
from wallets.deposits.models import CLOSED_PAYMENTS, OPEN_PAYMENTS, Payment
from wallets.deposits.services.payments import (
    apply_record,
    ask_provider,
    look_up,
    report_payment,
)
from wallets.deposits.services.unmatched import RESOLVE
from wallets.providers.base import ProviderUnavailable
from wallets.providers.collection import ChargeHint, TransactionRecord, TransactionStatus


def check_payment_now(*, payment_id: UUID, user: StaffUser) -> str:
    """Check a payment at the provider now, act on the result, and describe it.

    Of a closed payment only what was charged back is acted on: the result says how else the
    provider's record differs. Raises `Forbidden`, `NotFound` and `ProviderFailed`.
    """
    actor = authorize_staff(user, RESOLVE, "You may not decide about payments")
    rows = Payment.objects.filter(pk=payment_id)
    payment = get_or_raise(rows, PaymentNotFound)
    if payment.status in CLOSED_PAYMENTS:
        return _check_closed(payment, actor)
    if payment.status in OPEN_PAYMENTS:
        rows.filter(status__in=OPEN_PAYMENTS).update(next_lookup_at=timezone.now())
    else:
        report_payment(ChargeHint(str(payment.transaction_id), payment.tx_ref))
    look_up(payment_id, actor)
    payment.refresh_from_db()
    error = f": {payment.last_error}" if payment.last_error else ""
    return f"Checked. The payment is {payment.status}{error}."


def _check_closed(payment: Payment, actor: Actor) -> str:
    try:
        record, chargebacks = ask_provider(payment)
    except ProviderUnavailable as error:
        raise ProviderFailed(f"The payment provider could not be reached: {error}") from error
    if record is None:
        return "Checked. The provider does not know the payment any more."
    apply_record(payment.pk, record, actor, chargebacks)
    payment.refresh_from_db()
    differences = _differences(payment, record)
    if payment.charged_back_amount:
        taken = format_paid(payment.charged_back_amount, payment.currency_code)
        differences.append(f"{taken} charged back")
    if differences:
        return f"Checked. The provider's record differs: {'; '.join(differences)}."
    return "Checked. The provider's record is unchanged: successful."


def _differences(payment: Payment, record: TransactionRecord) -> list[str]:
    found = []
    if record.status != TransactionStatus.SUCCESSFUL:
        found.append(f"status {record.status}")
    if (record.amount, record.currency) != (payment.amount, payment.currency_code):
        found.append(format_paid(record.amount, record.currency))
    if record.tx_ref != payment.tx_ref:
        found.append(f"reference {record.tx_ref}")
    return found
