"""Refunds of unmatched payments at the provider.

A refund has no reference of ours, so that a repeat would pay twice: it is requested once, and the
payment is `Refunding` until its result is known. Then the money leaves the account of unmatched
payments, or, where the provider certainly made no refund, the payment is unmatched again. Where the
answer was lost, people find the result at the provider and record it (`unmatched`).
"""

from uuid import UUID

import structlog
from django.db import transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import ProviderFailed
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.deposits.models import Payment, PaymentStatus
from wallets.deposits.selectors import REFUND_ANSWER_DUE
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account
from wallets.providers.base import (
    CollectionDeclined,
    InsufficientFloat,
    NeverSent,
    ProviderError,
)
from wallets.providers.registry import payment_provider

_MAX_ERROR = 300
ALERT_UNCONFIRMED = "refund_unconfirmed"
ALERT_CHARGED_BACK = "payment_charged_back"

log = structlog.get_logger(__name__)


def start_refund(payment: Payment) -> None:
    """Make a locked, unmatched payment `Refunding`, in the transaction of the decision."""
    _move(payment, PaymentStatus.REFUNDING, "")
    resolve_alert("payment_unmatched", subject=str(payment.transaction_id))
    # Open until the result is known, whatever becomes of this process.
    _alert_unconfirmed(payment, "The payment provider has not confirmed it")


def request_refund(payment: Payment, actor: Actor) -> Payment:
    """Request the refund of a `Refunding` payment, once; return the payment as it is then.

    Call it after the decision is committed.

    Raises `ProviderFailed` where no refund was made, or where its result is not known.
    """
    try:
        made = payment_provider().refund_transaction(str(payment.transaction_id))
    except (NeverSent, CollectionDeclined, InsufficientFloat) as error:
        with transaction.atomic():
            found = lock_refunding(payment.pk)
            if found is not None:
                reopen(found, f"No refund was made: {error}")
        raise ProviderFailed(
            f"No refund was made: {error}. The payment is unmatched again"
        ) from error
    except ProviderError as error:
        _keep_unconfirmed(payment, f"The provider did not confirm the refund: {error}")
        raise ProviderFailed(
            "The provider did not confirm the refund. Find its result on the provider's own pages,"
            " and record it"
        ) from error
    if made.amount != payment.amount:
        _keep_unconfirmed(
            payment, f"The provider refunded {made.amount} under the reference {made.refund_id}"
        )
        raise ProviderFailed("The provider refunded another amount. Contact it, then record this")
    with transaction.atomic():
        found = lock_refunding(payment.pk)
        if found is None:
            # People have recorded a result in the meantime.
            log.error("refund_answered_late", payment=str(payment.pk), refund=made.refund_id)
            return Payment.objects.get(pk=payment.pk)
        complete_refund(found, made.refund_id, actor)
    return found


def describe_result_blocker(payment: Payment) -> str:
    """Return why no result of a refund can be recorded now; empty if it can."""
    if payment.status != PaymentStatus.REFUNDING:
        return f"The payment is {payment.status}, not Refunding"
    if not payment.last_error and timezone.now() - payment.updated_at < REFUND_ANSWER_DUE:
        return "The provider may still answer. Wait two minutes"
    return ""


def lock_refunding(payment_id: UUID) -> Payment | None:
    """Return the payment, locked, while it is `Refunding`."""
    rows = Payment.objects.select_for_update(no_key=True)
    return rows.filter(pk=payment_id, status=PaymentStatus.REFUNDING).first()


def complete_refund(payment: Payment, reference: str, actor: Actor) -> None:
    """Close a locked `Refunding` payment as refunded, and move its money to clearing."""
    payment.refund_reference = reference[:100]
    _move(payment, PaymentStatus.REFUNDED, "")
    if payment.booked_fee is not None and payment.amount is not None:
        unmatched, clearing = (
            system_account(payment.currency_code, kind)
            for kind in (AccountKind.UNMATCHED, AccountKind.CLEARING)
        )
        post_transfer(
            kind=TransferKind.PAYMENT_REFUND,
            reference=f"payment:{payment.pk}:refund",
            subject_id=payment.pk,
            actor=actor,
            legs=[Leg(unmatched, -payment.amount), Leg(clearing, payment.amount)],
        )
    for kind in (ALERT_UNCONFIRMED, ALERT_CHARGED_BACK):
        resolve_alert(kind, subject=str(payment.transaction_id))


def reopen(payment: Payment, why: str) -> None:
    """Make a locked `Refunding` payment unmatched again: it was not refunded."""
    _move(payment, PaymentStatus.UNMATCHED, why)
    resolve_alert(ALERT_UNCONFIRMED, subject=str(payment.transaction_id))
    raise_alert(
        "payment_unmatched",
        subject=str(payment.transaction_id),
        message=f"Payment {payment.transaction_id} needs a decision: {why}"[:_MAX_ERROR],
    )


def _keep_unconfirmed(payment: Payment, why: str) -> None:
    with transaction.atomic():
        found = lock_refunding(payment.pk)
        if found is not None:
            _move(found, PaymentStatus.REFUNDING, why)
            _alert_unconfirmed(found, why)


def _move(payment: Payment, status: PaymentStatus, why: str) -> None:
    payment.status = status
    payment.last_error = why[:_MAX_ERROR]
    payment.updated_at = timezone.now()
    payment.save()


def _alert_unconfirmed(payment: Payment, why: str) -> None:
    raise_alert(
        ALERT_UNCONFIRMED,
        subject=str(payment.transaction_id),
        message=f"The refund of payment {payment.transaction_id} is decided. {why}"[:_MAX_ERROR],
    )
