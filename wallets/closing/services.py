"""Close a member: only when nothing is left, and so that nothing can arrive until it is reopened.

The ledger knows almost all that may be left: an open order reserves money or units, an open loan
holds a lien, a withdrawal on its way rests in escrow. Only a pending deposit has no entry yet.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

import structlog
from django.db import OperationalError, transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.database import LOCK_NOT_AVAILABLE, fetch_all, fetch_one, sqlstate
from exchange.core.numbers import format_plain
from exchange.core.querysets import get_or_raise
from exchange.events.services.outbox import emit
from exchange.participants.errors import MemberClosed, UserNotFound
from exchange.participants.models import Member
from wallets.closing.errors import MemberNotClosed, MemberNotEmpty, MoneyMoving
from wallets.deposits.models import Deposit, DepositChannel, DepositStatus
from wallets.deposits.services.matching import fail_checkouts
from wallets.freezes.errors import AccountFrozen
from wallets.freezes.selectors import active_freezes
from wallets.ledger.models import AccountKind
from wallets.owners.selectors import member_record

logger = structlog.get_logger(__name__)

# A checkout that was not paid for this long is abandoned. A later payment of it is unmatched.
CHECKOUT_ABANDONED = timedelta(hours=24)
_REASON = "The member was closed"
_WORDS = {
    AccountKind.AVAILABLE: "{}",
    AccountKind.ESCROW: "{} in withdrawals",
    AccountKind.RESERVED: "{} reserved for open orders",
    AccountKind.LIEN: "{} pledged for loans",
    AccountKind.UNCLEARED: "{} not yet cleared",
    AccountKind.RECEIVABLE: "{} to repay",
}


def close_member(*, organisation_id: UUID, member_id: UUID, actor: Actor) -> Member:
    """Close the member. It can be read, its details changed, and it can be reopened.

    Raises `UserNotFound`, `MemberClosed` for a closed one, `AccountFrozen` for a frozen one,
    `MemberNotEmpty` while anything is left, and `MoneyMoving` while its accounts are locked by
    others for long.
    """
    with _locking():
        member = _close(organisation_id, member_id)
    logger.info("member.closed", member=str(member_id), actor=str(actor))
    return member


def reopen_member(*, organisation_id: UUID, member_id: UUID, actor: Actor) -> Member:
    """Open a closed member again, for example because its bank returned a payout.

    Raises `UserNotFound`, `MemberNotClosed`, and `MoneyMoving` like `close_member`.
    """
    with _locking():
        fetch_one("SELECT reopen_accounts(%s, %s)", [organisation_id, member_id])
        member = _get_member(organisation_id, member_id)
        if member.closed_at is None:
            raise MemberNotClosed
        member.closed_at = None
        member.save(update_fields=["closed_at", "updated_at"])
        _emit(member, "member.reopened")
    logger.info("member.reopened", member=str(member_id), actor=str(actor))
    return member


@contextmanager
def _locking() -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
    except OperationalError as error:
        if sqlstate(error) == LOCK_NOT_AVAILABLE:
            raise MoneyMoving from error
        raise


def _get_member(organisation_id: UUID, member_id: UUID) -> Member:
    members = Member.objects.filter(id=member_id, organisation_id=organisation_id)
    return get_or_raise(members, UserNotFound)


def _close(organisation_id: UUID, member_id: UUID) -> Member:
    held = fetch_all(
        "SELECT asset, symbol, kind, balance FROM close_accounts(%s, %s)",
        [organisation_id, member_id],
    )
    member = _get_member(organisation_id, member_id)
    if member.closed_at is not None:
        raise MemberClosed
    if active_freezes(member).exists():
        raise AccountFrozen
    now = timezone.now()
    abandoned = now - CHECKOUT_ABANDONED
    left = [*(_describe(*row) for row in held), *_pending_deposits(member_id, abandoned)]
    if left:
        raise MemberNotEmpty(left)
    # Without waiting: a payment that is being credited has its deposit locked, and waits for us.
    fail_checkouts(_REASON, nowait=True, member_id=member_id)
    member.closed_at = now
    member.save(update_fields=["closed_at", "updated_at"])
    _emit(member, "member.closed")
    return member


def _emit(member: Member, event_type: str) -> None:
    emit(
        organisation_id=member.organisation_id,
        event_type=event_type,
        subject_id=member.pk,
        data=f'{{"member":{member_record(member.organisation_id, member.pk)}}}',
    )


def _describe(asset: str, symbol: str, kind: str, balance: Decimal) -> str:
    amount = f"{format_plain(abs(balance))} {symbol}"
    if asset not in currencies():
        amount = f"{amount} units"
    return _WORDS[AccountKind(kind)].format(amount)


def _pending_deposits(member_id: UUID, abandoned_before: datetime) -> Iterator[str]:
    """Yield the number of deposits that may still arrive, unless there is none."""
    pending = Deposit.objects.filter(member_id=member_id, status=DepositStatus.PENDING)
    count = pending.exclude(
        channel=DepositChannel.CHECKOUT, created_at__lt=abandoned_before
    ).count()
    if count:
        yield f"{count} pending deposit{'s' if count > 1 else ''}"
