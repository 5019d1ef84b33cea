"""Adjusting entries: one person proposes, another confirms, and the database posts them once."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, transaction

from exchange.core.currencies import format_money
from exchange.core.database import fetch_one, violated_constraint
from exchange.core.errors import Conflict, InvalidRequest
from exchange.core.ids import uuid7
from exchange.core.text import clean_reason
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.staff.plausibility import explain_approval
from wallets.adjustments.models import AdjustedAccount, AdjustingEntry, AdjustmentKind, Direction
from wallets.ledger.plausible_amounts import check_amount, find_amount_notices
from wallets.reconciliation.models import BreakStatus, LineKind, ReconciliationBreak

ADJUST = "wallets.adjust_books"
ADJUSTMENTS = TwoPersonApproval(model=AdjustingEntry, noun="adjusting entry", permission=ADJUST)
_NOT_ALLOWED = "You may not propose or confirm adjusting entries"
_MAX_NOTE_LENGTH = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentTerms:
    """What is booked and why; `settles` is the break of an explained one, and only of it."""

    kind: AdjustmentKind
    currency: str
    account: AdjustedAccount
    direction: Direction
    amount: Decimal
    note: str
    settles: ReconciliationBreak | None = None


def propose_adjustment(*, terms: AdjustmentTerms, user: StaffUser) -> AdjustingEntry:
    """Propose an entry; it is posted once another person confirms it.

    Raises `Forbidden`, `InvalidRequest`, `InvalidCurrency`, and `Conflict` for a break that cannot
    be booked so, or not any more.
    """
    authorize_staff(user, ADJUST, _NOT_ALLOWED)
    _check_terms(terms)
    try:
        note = clean_reason(terms.note, missing="Enter a reason", max_length=_MAX_NOTE_LENGTH)
    except InvalidRequest as error:
        raise InvalidRequest.for_field("note", error.message) from error
    try:
        return ADJUSTMENTS.propose(
            Conflict("The entry is already proposed"),
            kind=terms.kind,
            currency_id=terms.currency,
            account=terms.account,
            direction=terms.direction,
            amount=terms.amount,
            settles=terms.settles,
            note=note,
            proposed_by=user,
        )
    except IntegrityError as error:
        if violated_constraint(error) == "adjustment_settles_break" and terms.settles:
            raise Conflict(_describe_unfit(terms.settles)) from error
        raise


def confirm_adjustment(*, entry_id: UUID, user: StaffUser, reason: str = "") -> AdjustingEntry:
    """Confirm an entry as the second person, and post its transfer.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `InvalidRequest` (`reason_required` beyond what
    is usual), `Rejected` (`approver_not_independent`). An error moves no money.
    """
    actor = authorize_staff(user, ADJUST, _NOT_ALLOWED)
    with transaction.atomic():
        entry = ADJUSTMENTS.get_approvable(entry_id, user)
        why = explain_approval(notices_of(entry), reason, first=entry.note)
        ADJUSTMENTS.close(entry, ApprovalStatus.APPROVED, user, approval_reason=why)
        fetch_one("SELECT post_adjustment(%s, %s, %s)", [entry.pk, uuid7(), str(actor)])
    return entry


def reject_adjustment(*, entry_id: UUID, reason: str, user: StaffUser) -> AdjustingEntry:
    """Reject an entry; nothing is posted. Open to the proposer too. Raises as `confirm`."""
    authorize_staff(user, ADJUST, _NOT_ALLOWED)
    return ADJUSTMENTS.reject(entry_id, user, reason)


def find_adjustment_notices(terms: AdjustmentTerms) -> list[str]:
    """Return what is unusual about an entry: repeated, or far above all of its kind so far.

    Raises as `propose_adjustment` for terms that cannot be.
    """
    _check_terms(terms)
    return _find_notices(terms.kind, terms.currency, terms.amount)


def notices_of(entry: AdjustingEntry) -> list[str]:
    """Return what is unusual about a pending entry."""
    return _find_notices(entry.kind, entry.currency_id, entry.amount, but=[entry.pk])


def amount_left(found: ReconciliationBreak) -> Decimal:
    """Return what of a break no entry books yet; 0 where none may."""
    if (
        found.kind != LineKind.UNEXPLAINED
        or found.status != BreakStatus.CLOSED
        or not found.in_latest_report
    ):
        return Decimal(0)
    booked = found.adjustments.exclude(status=ApprovalStatus.REJECTED).values_list("amount")
    return abs(found.difference or Decimal(0)) - sum((each for (each,) in booked), Decimal(0))


def _find_notices(
    kind: str, currency: str, amount: Decimal, *, but: Collection[UUID] = ()
) -> list[str]:
    same = AdjustingEntry.objects.filter(kind=kind, currency=currency).exclude(pk__in=but)
    return find_amount_notices(
        amount,
        currency,
        "treasury",
        earlier=same.exclude(status=ApprovalStatus.REJECTED),
        done=same.filter(status=ApprovalStatus.APPROVED),
        whose="adjusting entry of this kind",
    )


def _check_terms(terms: AdjustmentTerms) -> None:
    check_amount("amount", terms.currency, terms.amount)
    if terms.account not in AdjustedAccount.values:
        raise InvalidRequest.for_field(
            "account", "Only expenses, fees and treasury can be adjusted against clearing"
        )
    if (terms.kind == AdjustmentKind.EXPLAINED_BREAK) != (terms.settles is not None):
        raise InvalidRequest.for_field("kind", "An explained break is booked on the break's page")
    charged = (AdjustedAccount.EXPENSES, Direction.LESS)
    if terms.kind == AdjustmentKind.BANK_CHARGE and (terms.account, terms.direction) != charged:
        raise InvalidRequest.for_field(
            "account", "A bank charge is an expense, and leaves less at the provider"
        )


def _describe_unfit(found: ReconciliationBreak) -> str:
    """Return why a break takes no such entry."""
    found.refresh_from_db()
    left = amount_left(found)
    if left and found.currency_id:
        way = "less" if (found.difference or 0) < 0 else "more"
        return (
            f"{format_money(left, found.currency_id)} of this break, {way} than booked, are left"
            " to be booked"
        )
    return "Only a variance that is explained, closed and not yet booked can be settled"
