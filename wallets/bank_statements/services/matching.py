"""Matches of statement lines with records: confirmed, proposed from a line, and removed."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.core.currencies import format_money
from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidRequest, NotFound, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_reason
from exchange.staff.models import StaffUser
from wallets.adjustments.models import AdjustingEntry
from wallets.adjustments.services import AdjustmentTerms, propose_adjustment
from wallets.bank_statements.errors import LineNotFound, MatchDiffers
from wallets.bank_statements.models import LineStatus, StatementLine
from wallets.bank_statements.selectors import KINDS, MatchKind
from wallets.bank_statements.services.permission import authorize
from wallets.deposits.models import ManualDeposit
from wallets.deposits.services import manual as deposits
from wallets.treasury import services as treasury
from wallets.treasury.models import TreasuryMovement

Terms = deposits.IncomingPayment | treasury.MovementTerms | AdjustmentTerms
Proposal = ManualDeposit | TreasuryMovement | AdjustingEntry
# By their terms: the column of the records, and what proposes one.
_PROPOSALS: dict[type[Terms], tuple[str, Callable[..., Proposal]]] = {
    deposits.IncomingPayment: (
        "deposit", lambda terms, user: deposits.enter(payment=terms, user=user)
    ),
    treasury.MovementTerms: ("movement", treasury.propose_movement),
    AdjustmentTerms: ("adjustment", propose_adjustment),
}  # fmt: skip
_ONCE = tuple(f"statement_line_of_{field}_once" for field in KINDS)


def confirm_match(
    *, line_id: UUID, kind: MatchKind, record_id: UUID, user: StaffUser
) -> StatementLine:
    """Record that an open line is an approved record; nothing is booked.

    Raises `Forbidden`, `NotFound`, `StateConflict`, and `MatchDiffers` for a record with another
    amount or currency, not approved, or of another line.
    """
    authorize(user)
    with transaction.atomic():
        line = _get(line_id)
        if not kind.fitting(line).filter(pk=record_id).exists():
            raise MatchDiffers(describe_difference(line, kind, record_id))
        return _link(line, kind.field, record_id, LineStatus.MATCHED, user)


def describe_difference(line: StatementLine, kind: MatchKind, record_id: UUID) -> str:
    """Return why a record cannot be matched with a line. Raises `NotFound`."""
    record: Any = get_or_raise(
        kind.model._default_manager.filter(pk=record_id),
        lambda: NotFound(f"{kind.noun.capitalize()} not found"),
    )
    if not kind.model._default_manager.filter(kind.fits(line), pk=record_id).exists():
        return (
            f"The {kind.noun} is {format_money(record.amount, record.currency_id)}, and the line"
            f" {format_money(line.amount, line.currency_id)}"
        )
    if not kind.model._default_manager.filter(kind.done, pk=record_id).exists():
        return f"The {kind.noun} is {record.status}. A match needs one that two people approved"
    return f"The {kind.noun} is matched with another line"


def propose_record(*, line_id: UUID, terms: Terms, user: StaffUser) -> Proposal:
    """Propose the record of an open line; the line is matched once another person confirms it.

    Raises as `confirm_match` and as what proposes the record.
    """
    authorize(user)
    field, propose = _PROPOSALS[type(terms)]
    kind = KINDS[field]
    with transaction.atomic():
        line = _get(line_id)
        if line.status != LineStatus.OPEN:
            raise StateConflict(f"The line is {line.status.lower()} already")
        made = propose(terms=terms, user=user)
        if not kind.model._default_manager.filter(kind.fits(line), pk=made.pk).exists():
            amount = format_money(line.amount, line.currency_id)
            raise InvalidRequest.for_field("amount", f"The line is {amount}, and the match differs")
        _link(line, field, made.pk, LineStatus.PROPOSED, user)
        return made


def set_aside(*, line_id: UUID, reason: str, user: StaffUser) -> StatementLine:
    """Set an open line aside, which no record is to explain. Raises as `confirm_match`."""
    authorize(user)
    why = clean_reason(reason, missing="Enter a reason", max_length=300)
    return _move(_get(line_id), LineStatus.OPEN, status=LineStatus.SET_ASIDE, reason=why, user=user)


def reopen(*, line_id: UUID, user: StaffUser) -> StatementLine:
    """Open a line again that was set aside. Raises as `confirm_match`."""
    authorize(user)
    return _open(_get(line_id), LineStatus.SET_ASIDE)


def remove_match(*, line_id: UUID, user: StaffUser) -> StatementLine:
    """Remove a wrong match; the record keeps what was booked. Raises as `confirm_match`."""
    authorize(user)
    return _open(_get(line_id), LineStatus.MATCHED)


def _get(line_id: UUID) -> StatementLine:
    return get_or_raise(StatementLine.objects.filter(pk=line_id), LineNotFound)


def _link(
    line: StatementLine, field: str, record_id: UUID, status: LineStatus, user: StaffUser
) -> StatementLine:
    changes: dict[str, Any] = {f"{field}_id": record_id, "status": status}
    try:
        with transaction.atomic():
            return _move(line, LineStatus.OPEN, user=user, **changes)
    except IntegrityError as error:
        if violated_constraint(error) not in _ONCE:
            raise
        raise MatchDiffers(f"The {KINDS[field].noun} is matched with another line") from error


def _open(line: StatementLine, before: LineStatus) -> StatementLine:
    cleared: dict[str, Any] = {f"{field}_id": None for field in KINDS}
    return _move(line, before, user=None, status=LineStatus.OPEN, reason="", **cleared)


def _move(
    line: StatementLine, before: LineStatus, *, user: StaffUser | None, **changes: Any
) -> StatementLine:
    """Change the state of a line. Compare and set: raises `StateConflict` if it is another."""
    changes |= {"handled_by": user, "handled_at": timezone.now() if user else None}
    if StatementLine.objects.filter(pk=line.pk, status=before).update(**changes) != 1:
        raise StateConflict(f"The line is no longer {before.lower()}")
    line.refresh_from_db()
    return line
