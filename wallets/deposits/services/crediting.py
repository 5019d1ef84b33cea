"""Crediting a completed deposit, clearing it later, and its events."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.events.services.outbox import emit
from exchange.staff.models import ApprovalStatus
from wallets.alerts.services import resolve_alert
from wallets.deposits.models import Deposit, DepositReversal, DepositStatus
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    Leg,
    Posting,
    post_transfer,
    post_transfers,
    system_account,
    wallet_account,
)
from wallets.receivables.services.repayments import post_credit

ALERT_CLEARING = "deposit_clearing"


def credit(deposit: Deposit, actor: Actor, *, source: AccountKind = AccountKind.CLEARING) -> None:
    """Move a completed deposit from `source` to its owner, with the provider's charge.

    Money that may still be taken back rests as uncleared. Call in the transaction that completes
    the deposit.
    """
    net: Decimal = deposit.net_amount
    posting = Posting(
        kind=TransferKind.DEPOSIT,
        reference=f"deposit:{deposit.pk}",
        subject_id=deposit.pk,
        actor=actor,
        memo=deposit.reference,
        legs=[Leg(system_account(deposit.currency_id, source), -net)],
    )
    # Opened with the first deposit, so that a withdrawal can lock both in the order of their ids.
    for kind in (AccountKind.AVAILABLE, AccountKind.ESCROW):
        wallet_account(deposit, kind)
    if deposit.available_at is None:
        post_credit(posting, deposit, net)
    else:
        uncleared = Leg(wallet_account(deposit, AccountKind.UNCLEARED), net)
        post_transfers([replace(posting, legs=[*posting.legs, uncleared])])
    charge = deposit.provider_fee - deposit.fee
    if charge:
        post_transfer(
            kind=TransferKind.DEPOSIT_CHARGE,
            reference=f"deposit:{deposit.pk}:charge",
            subject_id=deposit.pk,
            actor=actor,
            legs=[
                Leg(system_account(deposit.currency_id, AccountKind.EXPENSES), -charge),
                Leg(system_account(deposit.currency_id, AccountKind.CLEARING), charge),
            ],
        )


def due_to_clear(now: datetime) -> QuerySet[Deposit]:
    """Return the uncleared deposits whose time has come, without those wholly disputed."""
    disputed = DepositReversal.objects.filter(
        deposit=OuterRef("pk"),
        status=ApprovalStatus.PENDING,
        held__isnull=False,
        amount__gte=OuterRef("amount") - OuterRef("fee") - OuterRef("reversed_amount"),
    )
    return Deposit.objects.filter(
        ~Exists(disputed),
        status=DepositStatus.COMPLETED,
        available_at__lte=now,
        cleared_at__isnull=True,
    )


def clear(deposit_id: UUID, actor: Actor) -> bool:
    """Make a due deposit available, except what is disputed; return whether anything is.

    Call it once the provider has said that the payment stands (`chargebacks`).
    """
    now = timezone.now()
    with transaction.atomic():
        due = Deposit.objects.select_for_update(no_key=True).filter(
            pk=deposit_id,
            status=DepositStatus.COMPLETED,
            available_at__lte=now,
            cleared_at__isnull=True,
        )
        deposit = due.first()
        if deposit is None:
            return False
        dispute = deposit.reversals.filter(status=ApprovalStatus.PENDING, held__isnull=False)
        disputed = dispute.values_list("amount", flat=True).first() or Decimal(0)
        cleared: Decimal = deposit.remaining - disputed
        if not cleared:
            return False
        dispute.update(held=F("amount"))
        Deposit.objects.filter(pk=deposit_id).update(cleared_at=now, updated_at=now)
        posting = Posting(
            kind=TransferKind.DEPOSIT_CLEAR,
            reference=f"deposit:{deposit.pk}:clear",
            subject_id=deposit.pk,
            actor=actor,
            legs=[Leg(wallet_account(deposit, AccountKind.UNCLEARED), -cleared)],
        )
        post_credit(posting, deposit, cleared)
        emit_deposit_event(deposit_id, "deposit.cleared")
        resolve_alert(ALERT_CLEARING, subject=deposit.reference)
    return True


def emit_deposit_event(deposit_id: UUID, event_type: str) -> None:
    """Emit an event with the deposit's present document, in the transaction of the change."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT organisation_id, '{"deposit":' || document || ',"user":'
                || coalesce(member_json(member_id, organisation_id), 'null') || '}'
            FROM wallets_deposit WHERE id = %s
            """,
            [deposit_id],
        )
        organisation_id, data = cursor.fetchone()
    emit(organisation_id=organisation_id, event_type=event_type, subject_id=deposit_id, data=data)
