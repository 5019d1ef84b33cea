"""Treasury movements: one person proposes, another confirms, and the database posts them once."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import DatabaseError, transaction

from exchange.core.actors import Actor
from exchange.core.database import fetch_one, read_rejection
from exchange.core.errors import InvalidRequest
from exchange.core.ids import uuid7
from exchange.core.text import clean_text, has_visible_characters
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.staff.plausibility import explain, explain_approval
from wallets.ledger.plausible_amounts import (
    check_amount,
    describe_taken_reference,
    find_amount_notices,
    find_reference,
)
from wallets.treasury.errors import REJECTIONS
from wallets.treasury.models import TreasuryKind, TreasuryMovement

MOVE = "wallets.move_treasury"
MOVEMENTS = TwoPersonApproval(
    model=TreasuryMovement,
    noun="treasury movement",
    permission=MOVE,
    unique_constraint=("treasury_reference_once", "treasury_reference_key_once"),
)
_NOT_ALLOWED = "You may not move the exchange's own money"
_ANOTHER = "Another movement of this kind"
_MAX_REFERENCE_LENGTH, _MAX_NOTE_LENGTH = 100, 300
# SQLSTATE of a rejection by the SQL function.
_REJECTED = "XW400"


@dataclass(frozen=True, slots=True)
class ClosedPosition:
    """The other side of a closed position: what was bought, and which part of it that covers."""

    currency: str
    bought: Decimal
    closed: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class MovementTerms:
    """What is moved, with the bank's reference. `position` is given to close a position only."""

    kind: TreasuryKind
    currency: str
    amount: Decimal
    reference: str
    note: str
    charge: Decimal = Decimal(0)
    position: ClosedPosition | None = None


def propose_movement(*, terms: MovementTerms, user: StaffUser) -> TreasuryMovement:
    """Propose a movement; it is posted once another person confirms it.

    Raises `Forbidden`, `InvalidRequest`, `InvalidCurrency`, and `Conflict` for a bank's reference
    that another movement of this kind has.
    """
    authorize_staff(user, MOVE, _NOT_ALLOWED)
    explain(find_movement_notices(terms), terms.note, field="note")
    closed = terms.position
    return MOVEMENTS.propose(
        describe_taken_reference(_ANOTHER),
        kind=terms.kind,
        currency_id=terms.currency,
        amount=terms.amount,
        charge=terms.charge,
        bought_currency_id=closed and closed.currency,
        bought_amount=closed and closed.bought,
        closed_amount=closed and closed.closed,
        reference=terms.reference.strip(),
        note=clean_text(terms.note, missing="Enter a note", max_length=_MAX_NOTE_LENGTH),
        proposed_by=user,
    )


def confirm_movement(*, movement_id: UUID, user: StaffUser, reason: str = "") -> TreasuryMovement:
    """Confirm a movement as the second person, and post its transfer.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `InvalidRequest` (`reason_required` beyond what
    is usual), `Rejected` (`approver_not_independent`), and
    `BeyondFeeIncome`, `BeyondOwnFunds`, `BeyondPosition` or `BeyondTaxWithheld`. An error moves no
    money.
    """
    actor = authorize_staff(user, MOVE, _NOT_ALLOWED)
    with transaction.atomic():
        movement = MOVEMENTS.get_approvable(movement_id, user)
        why = explain_approval(notices_of(movement), reason, first=movement.note)
        MOVEMENTS.close(movement, ApprovalStatus.APPROVED, user, approval_reason=why)
        _post(movement, actor)
    return movement


def reject_movement(*, movement_id: UUID, reason: str, user: StaffUser) -> TreasuryMovement:
    """Reject a movement; nothing is posted. Open to the proposer too. Raises as `confirm`."""
    authorize_staff(user, MOVE, _NOT_ALLOWED)
    return MOVEMENTS.reject(movement_id, user, reason)


def find_movement_notices(terms: MovementTerms) -> list[str]:
    """Return what is unusual about a movement: repeated, or far above all of its kind so far.

    Raises as `propose_movement` for one that cannot be proposed.
    """
    _check_terms(terms)
    valid = TreasuryMovement.objects.filter(kind=terms.kind).exclude(status=ApprovalStatus.REJECTED)
    holder = find_reference(valid, terms.reference)
    if holder is not None:
        raise describe_taken_reference(_ANOTHER, holder)
    return _find_notices(terms.kind, terms.currency, terms.amount)


def notices_of(movement: TreasuryMovement) -> list[str]:
    """Return what is unusual about a pending movement."""
    return _find_notices(movement.kind, movement.currency_id, movement.amount, but=[movement.pk])


def _find_notices(
    kind: str, currency: str, amount: Decimal, *, but: Collection[UUID] = ()
) -> list[str]:
    same = TreasuryMovement.objects.filter(kind=kind, currency=currency).exclude(pk__in=but)
    return find_amount_notices(
        amount,
        currency,
        "treasury",
        earlier=same.exclude(status=ApprovalStatus.REJECTED),
        done=same.filter(status=ApprovalStatus.APPROVED),
        whose="movement of this kind",
    )


def _post(movement: TreasuryMovement, actor: Actor) -> None:
    try:
        with transaction.atomic():
            fetch_one("SELECT move_treasury(%s, %s, %s)", [movement.pk, uuid7(), str(actor)])
    except DatabaseError as error:
        refused = read_rejection(error, _REJECTED)
        if refused is None:
            raise
        code, detail = refused
        raise REJECTIONS[code](**detail) from error


def _check_terms(terms: MovementTerms) -> None:
    check_amount("amount", terms.currency, terms.amount)
    reference = terms.reference.strip()
    if not has_visible_characters(reference):
        raise InvalidRequest.for_field("reference", "Enter the bank's reference")
    if len(reference) > _MAX_REFERENCE_LENGTH:
        raise InvalidRequest.for_field(
            "reference", f"The reference must have at most {_MAX_REFERENCE_LENGTH} characters"
        )
    closed = terms.position
    if (terms.kind == TreasuryKind.POSITION_CLOSE) != (closed is not None):
        raise InvalidRequest.for_field(
            "bought_currency", "Enter what was bought to close a position, and nothing otherwise"
        )
    if closed is not None:
        if closed.currency == terms.currency:
            raise InvalidRequest.for_field("bought_currency", "Choose another currency")
        check_amount("bought_amount", closed.currency, closed.bought)
        check_amount("closed_amount", closed.currency, closed.closed)
    if not terms.charge:
        return
    if closed is not None:
        raise InvalidRequest.for_field(
            "charge", "Closing a position moves nothing at the payment provider: enter no charge"
        )
    check_amount("charge", terms.currency, terms.charge)
    if terms.kind == TreasuryKind.TOP_UP and terms.charge >= terms.amount:
        raise InvalidRequest.for_field("charge", "The charge leaves nothing of the top-up")
