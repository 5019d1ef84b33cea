"""What the provider says later of a payment that is closed: it was charged back, or it stands.

A closed payment keeps its status. A webhook, a list, the comparison of a day or a due deposit
brings a status check (`payments`). Its answer is compared with the last one: only news has effects.
A deposit clears with the answer that its payment stands, and waits without one.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import currencies, format_paid
from exchange.core.numbers import round_half_even
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.deposits.models import CLOSED_PAYMENTS, Deposit, Payment, PaymentStatus
from wallets.deposits.services.crediting import ALERT_CLEARING, clear, due_to_clear
from wallets.deposits.services.disputes import dispute_by_provider
from wallets.deposits.services.refunds import ALERT_CHARGED_BACK
from wallets.providers.base import UnreadableRecord
from wallets.providers.collection import (
    Chargeback,
    ChargeHint,
    TransactionRecord,
    TransactionStatus,
    charged_back_amount,
)
from wallets.providers.registry import payment_provider

ALERT_WITHDRAWN = "chargeback_withdrawn"
# The provider's time zone is unknown.
_MARGIN = timedelta(days=1)
_CLEARING_LATE = timedelta(hours=24)
# After our own refund the provider may call the transaction failed.
_REFUNDED = (PaymentStatus.REFUNDING, PaymentStatus.REFUNDED)


def find_chargebacks(record: TransactionRecord) -> list[Chargeback]:
    """Return the chargebacks of a transaction. Raises `ProviderUnavailable`."""
    found = payment_provider().list_chargebacks(
        first=(record.created_at - _MARGIN).date(),
        last=(timezone.now() + _MARGIN).date(),
        flw_ref=record.flw_ref,
    )
    if found.unreadable:
        raise UnreadableRecord(f"malformed response: {next(iter(found.unreadable.values()))}")
    return [each for each in found if each.transaction_id == record.transaction_id]


def find_news(
    records: Iterable[TransactionRecord], chargebacks: Iterable[Chargeback]
) -> Iterator[ChargeHint]:
    """Yield what is to be looked up: payments that are not closed, and later words about others."""
    by_id = {int(record.transaction_id): record for record in records}
    demanded: dict[int, list[Chargeback]] = {}
    for each in chargebacks:
        demanded.setdefault(int(each.transaction_id), []).append(each)
    wanted = by_id.keys() | demanded.keys()
    rows = Payment.objects.filter(transaction_id__in=wanted, status__in=CLOSED_PAYMENTS)
    closed = {row.transaction_id: row for row in rows}
    for key in sorted(wanted):
        record, payment = by_id.get(key), closed.get(key)
        if payment is None:
            if record is not None and record.status is TransactionStatus.SUCCESSFUL:
                yield ChargeHint(record.transaction_id, record.tx_ref)
            continue
        speaks = record is not None and record.status is TransactionStatus.FAILED
        said = _said(payment, record, demanded.get(key, []))
        if (speaks or key in demanded) and said != payment.charged_back_amount:
            yield ChargeHint(str(key), payment.tx_ref)


def _said(
    payment: Payment, record: TransactionRecord | None, chargebacks: list[Chargeback]
) -> Decimal:
    """Return what was taken back, at most all of it.

    The provider may call failed what we refunded ourselves.
    """
    said = charged_back_amount(None if payment.status in _REFUNDED else record, chargebacks)
    whole = payment.amount or Decimal(0)
    facts = currencies().get(payment.currency_code)
    rounded = round_half_even(said, facts.decimals if facts else 2)
    return whole if said >= whole else min(rounded, whole)


def apply_later_word(
    payment: Payment, record: TransactionRecord, chargebacks: list[Chargeback], actor: Actor
) -> None:
    """Act on what the provider now says of a closed, locked payment."""
    said, before = _said(payment, record, chargebacks), payment.charged_back_amount
    payment.charged_back_amount = said
    payment.next_lookup_at = None
    payment.lookups += 1
    if payment.status == PaymentStatus.CREDITED:
        payment.last_error = ""
    payment.save()
    if said > before:
        _charge_back(payment, record, said, actor)
    elif said < before:
        raise_alert(
            ALERT_WITHDRAWN,
            subject=str(payment.transaction_id),
            message=f"{_describe(payment, before)} was charged back, and now"
            f" {_describe_amount(payment, said)} is. Reject the reversal, or credit what was taken"
            " back again",
        )
    if payment.deposit_id is not None:
        clear(payment.deposit_id, actor)


def schedule_due_deposits(now: datetime) -> None:
    """Make the status checks due of the payments whose deposits are due to clear."""
    due = Payment.objects.filter(deposit__in=due_to_clear(now), next_lookup_at__isnull=True)
    due.update(next_lookup_at=now, lookups=0)


def alert_late_clearing(payment: Payment, why: str) -> None:
    """Raise an alert if the deposit of the payment waits for an answer for a day."""
    deposit = payment.deposit
    if (
        deposit is not None
        and deposit.is_resting
        and deposit.available_at is not None
        and timezone.now() - deposit.available_at >= _CLEARING_LATE
    ):
        raise_alert(
            ALERT_CLEARING,
            subject=deposit.reference,
            message=f"Deposit {deposit.reference} is due and has not cleared: the provider does not"
            f" say whether payment {payment.transaction_id} stands ({why})",
        )


def _charge_back(payment: Payment, record: TransactionRecord, said: Decimal, actor: Actor) -> None:
    if payment.deposit_id is None:
        raise_alert(
            ALERT_CHARGED_BACK,
            subject=str(payment.transaction_id),
            message=f"{_describe(payment, said)} was charged back. It is {payment.status}, so no"
            " wallet has it",
        )
        return
    deposit = Deposit.objects.select_for_update(no_key=True).get(pk=payment.deposit_id)
    words = record.processor_response or "chargeback"
    disputed = dispute_by_provider(
        deposit,
        said,
        f"Charged back at the payment provider: transaction {payment.transaction_id},"
        f" {payment.provider_reference}, {_describe_amount(payment, said)} ({words})"[:500],
        actor,
    )
    subject = str(payment.transaction_id)
    if not disputed and Alert.objects.filter(kind=ALERT_WITHDRAWN, subject=subject).exists():
        raise_alert(
            ALERT_CHARGED_BACK,
            subject=subject,
            message=f"{_describe(payment, said)} was charged back again after the provider had"
            " returned it. Reverse what was credited for the return",
        )


def _describe(payment: Payment, amount: Decimal) -> str:
    return f"{_describe_amount(payment, amount)} of payment {payment.transaction_id}"


def _describe_amount(payment: Payment, amount: Decimal) -> str:
    return format_paid(amount, payment.currency_code)
