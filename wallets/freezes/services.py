"""Freeze an owner at once; lift a freeze by two people.

A freeze is protective, so one person places it. `orders.freezing.services.freeze_owner` does,
together with cancelling the owner's orders; nothing else calls `record_freeze`.
"""

from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict, InvalidRequest, NotFound, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.events.services.outbox import emit, event_data
from exchange.participants.models import Member, Organisation
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.freezes.models import Freeze, FreezeLift

PLACE = "wallets.place_freeze"
LIFT = "wallets.lift_freeze"
LIFTS = TwoPersonApproval(
    model=FreezeLift,
    noun="lift",
    permission=LIFT,
    unique_constraint="freeze_lift_once",
)
_MAX_REASON_LENGTH = 500


def lock_owners(*owner_ids: UUID | None) -> None:
    """Keep what blocks these owners unchanged until the transaction ends.

    First of all locks. A check that starts afterwards sees every freeze that commits before.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT lock_owners(%s::uuid[])", [list(owner_ids)])


def lock_owner_alone(owner_id: UUID) -> None:
    """Wait for what moves the owner's money, and hold it up until the transaction ends.

    First of all locks; for a transaction that blocks the owner.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT lock_owner_alone(%s)", [owner_id])


def authorize_freeze(user: StaffUser) -> Actor:
    """Return `user` as the actor of a freeze. Raises `Forbidden`."""
    return authorize_staff(user, PLACE, "You may not freeze members and wallets")


def record_freeze(
    *, owner: Member | Organisation, currency: str | None, reason: str, user: StaffUser
) -> Freeze:
    """Freeze a member, or an organisation's own wallet: one currency, or (None) everything.

    Call in a transaction, before any other lock. Raises `Forbidden`, `InvalidRequest`, and
    `Conflict` where this is frozen already.
    """
    authorize_freeze(user)
    why = clean_text(reason, missing="Enter a reason", max_length=_MAX_REASON_LENGTH)
    if currency is not None and currency not in WALLET_CURRENCIES:
        raise InvalidRequest.for_field("currency", "Choose a currency of the wallet")
    lock_owner_alone(owner.pk)
    member = owner if isinstance(owner, Member) else None
    try:
        with transaction.atomic():
            freeze = Freeze.objects.create(
                organisation_id=owner.organisation_id if isinstance(owner, Member) else owner.pk,
                member=member,
                currency_id=currency,
                reason=why,
                placed_by=user,
                created_at=timezone.now(),
            )
    except IntegrityError as error:
        if violated_constraint(error) != "freeze_active_once":
            raise
        raise Conflict("This is frozen already", code="already_frozen") from error
    _emit(freeze, "freeze.placed")
    return freeze


def propose_lift(*, freeze_id: UUID, explanation: str, user: StaffUser) -> FreezeLift:
    """Propose to lift a freeze.

    Raises `Forbidden`, `NotFound`, `StateConflict` for a lifted one, `Conflict` while another
    proposal is pending, and `InvalidRequest` without an explanation.
    """
    authorize_staff(user, LIFT, "You may not lift freezes")
    why = clean_text(explanation, missing="Enter an explanation", max_length=_MAX_REASON_LENGTH)
    rows = Freeze.objects.filter(pk=freeze_id)
    freeze = get_or_raise(rows, lambda: NotFound("Freeze not found", code="freeze_not_found"))
    _require_active(freeze)
    return LIFTS.propose(
        Conflict("A proposal to lift this freeze is pending already", code="lift_pending"),
        freeze_id=freeze_id,
        explanation=why,
        proposed_by=user,
    )


def confirm_lift(*, lift_id: UUID, user: StaffUser) -> Freeze:
    """Lift the freeze, as the second person; the sweep sends payouts that waited for it.

    Cancelled orders stay cancelled. Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected`.
    """
    authorize_staff(user, LIFT, "You may not lift freezes")
    with transaction.atomic():
        freeze_id = LIFTS.get(lift_id, lock=False).freeze_id
        freeze = Freeze.objects.select_for_update(no_key=True, of=("self",)).get(pk=freeze_id)
        lift = LIFTS.get_approvable(lift_id, user)
        _require_active(freeze)
        LIFTS.close(lift, ApprovalStatus.APPROVED, user)
        freeze.lifted_at = timezone.now()
        freeze.save(update_fields=["lifted_at"])
        _emit(freeze, "freeze.lifted")
    return freeze


def reject_lift(*, lift_id: UUID, reason: str, user: StaffUser) -> FreezeLift:
    """Reject a proposal; the freeze stays. Open to the proposer too. Raises as `confirm_lift`."""
    authorize_staff(user, LIFT, "You may not lift freezes")
    return LIFTS.reject(lift_id, user, reason)


def _emit(freeze: Freeze, event_type: str) -> None:
    emit(
        organisation_id=freeze.organisation_id,
        event_type=event_type,
        subject_id=freeze.pk,
        data=event_data(
            {"freeze": {"_id": str(freeze.pk), "currency": freeze.currency_id}},
            freeze.member_id,
            freeze.organisation_id,
        ),
    )


def _require_active(freeze: Freeze) -> None:
    if freeze.lifted_at is not None:
        raise StateConflict("The freeze is lifted already")
