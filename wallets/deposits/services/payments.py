"""Payments at the provider: reported by a webhook or a list, looked up, then matched once.

A webhook is a hint. What it says is compared with the status check, and amount, currency and status
come from the status check alone. A transaction id has one row, which is credited once. A closed
payment is looked up too: the provider may have taken it back (`chargebacks`).
"""

from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import connection, transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.ids import uuid7
from wallets.alerts.services import raise_alert
from wallets.deposits.models import (
    CLOSED_PAYMENTS,
    OPEN_PAYMENTS,
    Payment,
    PaymentStatus,
)
from wallets.deposits.services.chargebacks import (
    alert_late_clearing,
    apply_later_word,
    find_chargebacks,
)
from wallets.deposits.services.matching import fail_checkouts, match
from wallets.providers.base import ProviderUnavailable
from wallets.providers.collection import (
    Chargeback,
    ChargeHint,
    TransactionRecord,
    TransactionStatus,
)
from wallets.providers.registry import payment_provider

SWEEP_DEPOSITS = "wallets.tasks.sweep_deposits"

# A claimed status check is due again after this long, whatever became of its worker.
_LEASE = timedelta(minutes=2)
_FIRST_RETRY = timedelta(seconds=10)
_LONGEST_RETRY = timedelta(hours=1)
# The provider may know a transaction a little later than its webhook says.
_NOT_FOUND_LOOKUPS = 5
_BATCH = 100

log = structlog.get_logger(__name__)


def report_payment(hint: ChargeHint) -> bool:
    """Note that a payment is said to exist, to be looked up now; return whether it will be.

    A closed payment keeps its status and reference. One that was disproved starts again: the hint
    that was compared with the provider may have been wrong, and this one right.
    """
    if hint.transaction_id is None or hint.tx_ref is None:
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO wallets_payment AS p (
                id, transaction_id, tx_ref, status, provider_reference, currency_code,
                payment_type, payer_name, last_error, lookups, next_lookup_at, created_at,
                updated_at)
            VALUES (%s, %s, %s, 'Reported', '', '', '', '', '', 0, now(), now(), now())
            ON CONFLICT (transaction_id) DO UPDATE SET
                tx_ref = CASE WHEN p.status IN ('Reported', 'Pending', 'Failed', 'Disproved')
                    THEN excluded.tx_ref ELSE p.tx_ref END,
                status = CASE WHEN p.status IN ('Failed', 'Disproved')
                    THEN 'Reported' ELSE p.status END,
                updated_at = CASE WHEN p.status IN ('Reported', 'Pending', 'Failed', 'Disproved')
                    THEN now() ELSE p.updated_at END,
                lookups = 0, next_lookup_at = now()
            """,
            [uuid7(), int(hint.transaction_id), hint.tx_ref],
        )
        return bool(cursor.rowcount)


def expedite_payment(hint: ChargeHint) -> str | None:
    """Look up the payment that a webhook names now; return the task to notify, if any."""
    return SWEEP_DEPOSITS if report_payment(hint) else None


def due_payments(now: datetime, limit: int = _BATCH) -> list[UUID]:
    """Return the ids of the payments whose status check is due, oldest first."""
    due = Payment.objects.filter(next_lookup_at__lte=now).order_by("next_lookup_at")
    return list(due.values_list("pk", flat=True)[:limit])


def look_up(payment_id: UUID, actor: Actor) -> None:
    """Look the payment up at the provider and act on the result. Does nothing unless it is due."""
    now = timezone.now()
    claimed = Payment.objects.filter(pk=payment_id, next_lookup_at__lte=now)
    if claimed.update(next_lookup_at=now + _LEASE) != 1:
        return
    payment = Payment.objects.get(pk=payment_id)
    try:
        record, chargebacks = ask_provider(payment)
    except ProviderUnavailable as error:
        _retry(payment_id, str(error))
        return
    if record is None:
        _not_found(payment_id)
    else:
        apply_record(payment_id, record, actor, chargebacks)


def ask_provider(payment: Payment) -> tuple[TransactionRecord | None, list[Chargeback] | None]:
    """Return the provider's record of a payment, and the chargebacks of a closed one, else None.

    Raises `ProviderUnavailable`.
    """
    record = payment_provider().verify_transaction(str(payment.transaction_id))
    if record is None or payment.status in OPEN_PAYMENTS:
        return record, None
    return record, find_chargebacks(record)


def apply_record(
    payment_id: UUID,
    record: TransactionRecord,
    actor: Actor,
    chargebacks: list[Chargeback] | None = None,
) -> None:
    """Act on the provider's record of a payment, once, whoever brings it and how often.

    Of a payment that was closed before it was looked up, with its chargebacks.
    """
    with transaction.atomic():
        payment = Payment.objects.select_for_update(no_key=True).get(pk=payment_id)
        if payment.status not in OPEN_PAYMENTS:
            _apply_to_closed(payment, record, chargebacks, actor)
            return
        if int(record.transaction_id) != payment.transaction_id or record.tx_ref != payment.tx_ref:
            _disprove(payment, "The provider knows it under another reference")
            return
        _store(payment, record)
        if record.status is TransactionStatus.PENDING:
            payment.status = PaymentStatus.PENDING
            payment.next_lookup_at = timezone.now() + _delay(payment.lookups)
            payment.save()
        elif record.status is TransactionStatus.FAILED:
            payment.status = PaymentStatus.FAILED
            payment.next_lookup_at = None
            payment.save()
            fail_checkouts(
                record.processor_response or "The payment failed", reference=payment.tx_ref
            )
        else:
            payment.next_lookup_at = None
            match(payment, actor)


def _apply_to_closed(
    payment: Payment, record: TransactionRecord, chargebacks: list[Chargeback] | None, actor: Actor
) -> None:
    if payment.status not in CLOSED_PAYMENTS or chargebacks is None:
        return
    if int(record.transaction_id) != payment.transaction_id or record.tx_ref != payment.tx_ref:
        _ask_again(payment, "The provider knows it under another reference")
    elif record.status is TransactionStatus.PENDING:
        _ask_again(payment, "The provider calls it pending")
    else:
        apply_later_word(payment, record, chargebacks, actor)


def _store(payment: Payment, record: TransactionRecord) -> None:
    payment.provider_reference = record.flw_ref
    payment.currency_code = record.currency[:10]
    payment.amount = record.amount
    payment.charged_amount = record.charged_amount
    payment.settled_amount = record.amount_settled
    payment.provider_fee = record.app_fee + record.merchant_fee
    payment.payment_type = record.payment_type[:40]
    payment.payer_name = (record.payer.name if record.payer else record.customer_name)[:200]
    payment.payer_bank = record.payer.bank[:200] if record.payer else ""
    payment.payer_account = record.payer.account_number[:40] if record.payer else ""
    payment.paid_at = record.created_at
    payment.last_error = ""
    payment.lookups += 1
    payment.updated_at = timezone.now()


def _retry(payment_id: UUID, error: str) -> None:
    with transaction.atomic():
        payment = Payment.objects.select_for_update(no_key=True).get(pk=payment_id)
        if payment.status in OPEN_PAYMENTS:
            payment.updated_at = timezone.now()
            payment.last_error = error[:300]
        _ask_again(payment, error)


def _ask_again(payment: Payment, why: str) -> None:
    """Let a locked payment be looked up again later: there was no answer."""
    payment.next_lookup_at = timezone.now() + _delay(payment.lookups)
    payment.lookups += 1
    payment.save()
    alert_late_clearing(payment, why)


def _not_found(payment_id: UUID) -> None:
    payment = Payment.objects.get(pk=payment_id)
    if payment.lookups + 1 < _NOT_FOUND_LOOKUPS or payment.status in CLOSED_PAYMENTS:
        _retry(payment_id, "The provider does not know it yet")
        return
    with transaction.atomic():
        payment = Payment.objects.select_for_update(no_key=True).get(pk=payment_id)
        if payment.status in OPEN_PAYMENTS:
            _disprove(payment, "The provider does not know it")


def _disprove(payment: Payment, why: str) -> None:
    payment.status = PaymentStatus.DISPROVED
    payment.next_lookup_at = None
    payment.last_error = why
    payment.updated_at = timezone.now()
    payment.save()
    raise_alert(
        "payment_disproved",
        subject=str(payment.transaction_id),
        message=f"Payment {payment.transaction_id} was reported but not credited: {why.lower()}",
    )
    log.warning("payment_disproved", transaction=payment.transaction_id)


def _delay(lookups: int) -> timedelta:
    """Return the pause before the next status check, doubled each time, at most an hour."""
    return min(_FIRST_RETRY * int(2 ** min(lookups, 10)), _LONGEST_RETRY)
