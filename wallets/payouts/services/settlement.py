"""What a provider's record of a transfer does to a withdrawal: settle, fail, keep, or flag.

Every function is safe to run twice and with an old record: the state is compared under the lock,
and one ledger reference closes a withdrawal once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.numbers import plain, round_to
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, post_transfer, system_account
from wallets.providers.base import TransferRecord, TransferStatus
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus
from wallets.withdrawals.services.transitions import lock, move, release

log = structlog.get_logger(__name__)

_IN_FLIGHT = (WithdrawalStatus.PROCESSING, WithdrawalStatus.UNKNOWN)

# How long after the first look the next ones come, while the provider has not decided.
_LOOK_UP_STEPS = (5, 10, 20, 40, 60, 120, 300, 600)
_WATCH_STEP = timedelta(hours=12)
# A transfer the provider shows is not lost, however often it was not found before.
_FOUND: dict[str, Any] = {
    "not_found_count": 0,
    "first_not_found_at": None,
    "last_not_found_at": None,
}


def apply_record(withdrawal_id: UUID, record: TransferRecord, *, actor: Actor) -> None:
    """Acts on what the provider says of the transfer.

    A record that is not of what we ordered (amount, currency, account) decides nothing: the
    withdrawal becomes Unknown and staff are told.
    """
    with transaction.atomic():
        withdrawal = lock(withdrawal_id)
        if withdrawal.status in _IN_FLIGHT:
            differences = _differences(withdrawal, record)
            if differences:
                _distrust(withdrawal, record, differences)
            elif record.status is TransferStatus.SUCCESSFUL:
                _complete(withdrawal, record, actor)
            elif record.status is TransferStatus.FAILED:
                _keep(withdrawal_id, record, next_step_at=None)
                _fail(withdrawal, record.complete_message or "refused by the bank", actor)
            else:
                _keep(withdrawal_id, record, next_step_at=next_look(withdrawal_id))
        elif withdrawal.status == WithdrawalStatus.COMPLETED:
            _watch(withdrawal, record)
        elif withdrawal.status == WithdrawalStatus.FAILED:
            _watch_failed(withdrawal, record)


def fail(withdrawal_id: UUID, *, reason: str, actor: Actor) -> None:
    """Processing or Unknown → Failed, escrow → available."""
    with transaction.atomic():
        withdrawal = lock(withdrawal_id)
        if withdrawal.status in _IN_FLIGHT:
            Payout.objects.filter(withdrawal_id=withdrawal_id).update(
                leased_until=None, next_step_at=None, updated_at=timezone.now()
            )
            _fail(withdrawal, reason, actor)


def lose(withdrawal_id: UUID, *, error: str, not_found: bool) -> None:
    """Processing → Unknown: nobody can tell whether the money left. Schedules the next look."""
    now = timezone.now()
    with transaction.atomic():
        withdrawal = lock(withdrawal_id)
        if withdrawal.status not in _IN_FLIGHT:
            return
        payout = Payout.objects.get(withdrawal_id=withdrawal_id)
        changes: dict[str, Any] = {}
        if not_found:
            changes = _count_not_found(payout, now)
        Payout.objects.filter(withdrawal_id=withdrawal_id).update(
            leased_until=None,
            last_error=error[:300],
            look_ups=F("look_ups") + 1,
            next_step_at=next_look(withdrawal_id),
            updated_at=now,
            **changes,
        )
        if withdrawal.status == WithdrawalStatus.PROCESSING:
            move(
                withdrawal,
                come_from=(WithdrawalStatus.PROCESSING,),
                to=WithdrawalStatus.UNKNOWN,
            )
            raise_alert(
                "payout_unknown",
                subject=withdrawal.reference,
                message=f"The outcome of {withdrawal.reference} is not known: {error}",
            )


def note(withdrawal_id: UUID, *, seen: WithdrawalStatus, error: str = "") -> None:
    """A look-up that told nothing: counts it and schedules the next one.

    Not where the withdrawal has left the status `seen` it was looked up in: whoever moved it has
    said what comes next.
    """
    with transaction.atomic():
        if lock(withdrawal_id).status == seen:
            Payout.objects.filter(withdrawal_id=withdrawal_id).update(
                look_ups=F("look_ups") + 1,
                last_error=error[:300],
                next_step_at=next_look(withdrawal_id),
                updated_at=timezone.now(),
            )


def watch_again(withdrawal_id: UUID, *, seen: WithdrawalStatus) -> None:
    """A closed payout the provider does not know now: the next look, while it is watched."""
    with transaction.atomic():
        if lock(withdrawal_id).status == seen:
            payout = Payout.objects.get(withdrawal_id=withdrawal_id)
            Payout.objects.filter(withdrawal_id=withdrawal_id).update(
                look_ups=F("look_ups") + 1,
                next_step_at=_next_watch(payout),
                updated_at=timezone.now(),
            )


def watch_from(now: datetime) -> dict[str, datetime]:
    """What to set on a payout so that it is looked up again for as long as money may come back."""
    return {
        "next_step_at": now + _WATCH_STEP,
        "watch_until": now + timedelta(days=settings.PAYOUT_WATCH_DAYS),
    }


def next_look(withdrawal_id: UUID) -> datetime:
    """When to ask next: soon at first, then every ten minutes."""
    count = (
        Payout.objects.filter(withdrawal_id=withdrawal_id).values_list("look_ups", flat=True).get()
    )
    return timezone.now() + timedelta(seconds=_LOOK_UP_STEPS[min(count, len(_LOOK_UP_STEPS) - 1)])


def _count_not_found(payout: Payout, now: datetime) -> dict[str, Any]:
    """Counts a "not found"; a second one counts only half an hour after the one before."""
    apart = timedelta(seconds=settings.PAYOUT_LOST_AFTER_SECONDS)
    if payout.first_not_found_at is None:
        return {"not_found_count": 1, "first_not_found_at": now, "last_not_found_at": now}
    if payout.last_not_found_at is None or now - payout.last_not_found_at >= apart:
        return {"not_found_count": F("not_found_count") + 1, "last_not_found_at": now}
    return {}


def _complete(withdrawal: Withdrawal, record: TransferRecord, actor: Actor) -> None:
    now = timezone.now()
    currency = withdrawal.currency_id
    legs = [
        Leg(
            open_account(
                currency,
                AccountKind.ESCROW,
                organisation_id=withdrawal.organisation_id,
                member_id=withdrawal.member_id,
            ),
            -withdrawal.amount,
        ),
        Leg(system_account(currency, AccountKind.CLEARING), withdrawal.disburse_amount),
    ]
    if withdrawal.fee:
        legs.append(Leg(system_account(currency, AccountKind.FEES), withdrawal.fee))
    post_transfer(
        kind=TransferKind.WITHDRAWAL_SETTLE,
        reference=f"withdrawal:{withdrawal.id}:close",
        subject_id=withdrawal.id,
        actor=actor,
        memo=withdrawal.reference,
        legs=legs,
    )
    charge = round_to(record.fee, currencies()[currency].decimals)
    if charge > 0:
        # The provider takes its charge out of what it holds for us.
        post_transfer(
            kind=TransferKind.PROVIDER_CHARGE,
            reference=f"withdrawal:{withdrawal.id}:charge",
            subject_id=withdrawal.id,
            actor=actor,
            memo=withdrawal.reference,
            legs=[
                Leg(system_account(currency, AccountKind.EXPENSES), -charge),
                Leg(system_account(currency, AccountKind.CLEARING), charge),
            ],
        )
    _keep(
        withdrawal.id,
        record,
        settled_at=now,
        provider_fee=max(charge, Decimal(0)),
        **watch_from(now),
    )
    _answered(withdrawal)
    move(withdrawal, come_from=_IN_FLIGHT, to=WithdrawalStatus.COMPLETED)


def _fail(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    release(withdrawal, actor=actor, memo=f"failed: {reason}")
    _answered(withdrawal)
    move(withdrawal, come_from=_IN_FLIGHT, to=WithdrawalStatus.FAILED, reason=reason[:500])


def _answered(withdrawal: Withdrawal) -> None:
    """What staff were told about the open question is settled."""
    resolve_alert("payout_unknown", subject=withdrawal.reference)
    resolve_alert("payout_differs", subject=withdrawal.reference)


def _watch(withdrawal: Withdrawal, record: TransferRecord) -> None:
    """A completed payout is looked up again for 30 days: the bank may return the money."""
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    if record.status is TransferStatus.FAILED:
        raise_alert(
            "payout_returned",
            subject=withdrawal.reference,
            message=f"The bank returned {withdrawal.reference}: {record.complete_message}."
            " Two people must reverse it.",
        )
    _keep(withdrawal.id, record, next_step_at=_next_watch(payout))


def _watch_failed(withdrawal: Withdrawal, record: TransferRecord) -> None:
    """The money was given back here; should the provider pay all the same, staff must know."""
    payout = Payout.objects.get(withdrawal_id=withdrawal.id)
    if record.status is not TransferStatus.FAILED:
        raise_alert(
            "paid_after_failure",
            subject=withdrawal.reference,
            message=f"{withdrawal.reference} failed here, but the provider has it as"
            f" {record.status}",
        )
    _keep(withdrawal.id, record, next_step_at=_next_watch(payout))


def _next_watch(payout: Payout) -> datetime | None:
    now = timezone.now()
    over = payout.watch_until is None or now >= payout.watch_until
    return None if over else now + _WATCH_STEP


def _distrust(withdrawal: Withdrawal, record: TransferRecord, differences: str) -> None:
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(
        **_FOUND,
        leased_until=None,
        look_ups=F("look_ups") + 1,
        provider_id=record.provider_id[:40],
        last_error=f"the provider's record differs: {differences}"[:300],
        next_step_at=next_look(withdrawal.id),
        updated_at=timezone.now(),
    )
    raise_alert(
        "payout_differs",
        subject=withdrawal.reference,
        message=f"The provider's record of {withdrawal.reference} differs: {differences}",
    )
    if withdrawal.status == WithdrawalStatus.PROCESSING:
        move(withdrawal, come_from=(WithdrawalStatus.PROCESSING,), to=WithdrawalStatus.UNKNOWN)


def _differences(withdrawal: Withdrawal, record: TransferRecord) -> str:
    bank = withdrawal.bank
    pairs = [
        ("reference", withdrawal.reference, record.reference),
        ("amount", plain(withdrawal.disburse_amount), plain(record.amount)),
        ("currency", withdrawal.currency_id, record.currency),
        ("account", bank.account_number, record.account_number or bank.account_number),
    ]
    return ", ".join(
        f"{name} {theirs} instead of {ours}" for name, ours, theirs in pairs if ours != theirs
    )


def _keep(
    withdrawal_id: UUID,
    record: TransferRecord,
    *,
    next_step_at: datetime | None,
    **changes: Any,
) -> None:
    Payout.objects.filter(withdrawal_id=withdrawal_id).update(
        **_FOUND,
        claimed_by="",
        leased_until=None,
        provider_id=record.provider_id[:40],
        provider_status=record.status.value[:20],
        provider_message=record.complete_message[:500],
        last_error="",
        look_ups=F("look_ups") + 1,
        next_step_at=next_step_at,
        updated_at=timezone.now(),
        **changes,
    )
