"""Two-person approval (dual control): one person proposes, another one approves or rejects.

`authorize_staff` checks permission and cooling-off period, `require_independent` that the second
person is not the first, and a `TwoPersonApproval` finds, locks and closes the proposals of one
table. The database enforces the same rules: `exchange/staff/sql/two_person.sql`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from exchange.core.actors import Actor, ActorKind
from exchange.core.database import violated_constraint
from exchange.core.errors import DomainError, Forbidden, NotFound, Rejected, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.staff.services.privileged_access import require_cooled_off, require_tenured

Record = TypeVar("Record", bound=Model)


def authorize_staff(user: StaffUser, permission: str, message: str) -> Actor:
    """Return `user` as the actor of a privileged action or proposal.

    Raises `Forbidden` with `message` unless the user is active staff with `permission`, and
    `Forbidden` (`cooling_off`) during the cooling-off period (`staff.services.privileged_access`).
    """
    if not user.may(permission):
        raise Forbidden(message)
    require_cooled_off(user.pk)
    return Actor.staff(user.pk, str(user))


def authorize_actor(actor: Actor, permission: str, message: str) -> None:
    """Authorize the person behind `actor`; API keys and the system always pass."""
    if actor.kind == ActorKind.STAFF:
        user = get_or_raise(StaffUser.objects.filter(pk=actor.id), lambda: Forbidden(message))
        authorize_staff(user, permission, message)


def is_independent(user: StaffUser, *others: UUID | str | None) -> bool:
    """Return whether `user` is none of `others`: user ids or actors as text (`staff:<id>`)."""
    return not {user.pk, f"{ActorKind.STAFF}:{user.pk}"} & set(others)


def require_independent(user: StaffUser, *others: UUID | str | None, message: str) -> None:
    """Raise `Rejected` (`approver_not_independent`) when `user` is one of `others`."""
    if not is_independent(user, *others):
        raise Rejected(message, code="approver_not_independent")


def first_error_message(*checks: Callable[[], object]) -> str:
    """Return the message of the first check that raises a `DomainError`; empty if none does."""
    try:
        for check in checks:
            check()
    except DomainError as error:
        return error.message
    return ""


def describe_decided(status: str, user: StaffUser | None) -> str:
    """Return what became of a proposal meanwhile: `Already rejected by amina.finance`."""
    return f"Already {status.lower()}{f' by {user}' if user else ''}"


def _is_person(other: UUID | str | None) -> bool:
    return isinstance(other, UUID) or str(other).startswith(f"{ActorKind.STAFF}:")


def _proposer(record: Any) -> Collection[UUID | str | None]:
    return (record.proposed_by_id,)


def _proposed_by(user: StaffUser) -> Q:
    return Q(proposed_by=user)


@dataclass(frozen=True, slots=True)
class TwoPersonApproval(Generic[Record]):
    """The proposals of one table: `model` has the columns of `exchange.staff.models.ProposalModel`.

    `noun` names a record in messages and error codes; approvers need `permission`.
    `unique_constraint` (or several) allows one pending proposal per subject. `independence_message`
    is the error for a proposer who tries to approve. `proposers` returns those who may not approve
    a record; `proposed_by` is the same as a query condition. `tenured_people` returns those who
    count towards the tenure rule, where not all do. With `tenured_alone` the approver of what no
    person proposed must be tenured. `closed_message` overrides the message for a record that is no
    longer pending.
    """

    model: type[Record]
    noun: str
    permission: str
    unique_constraint: str | tuple[str, ...] = ""
    independence_message: str = "Someone other than the proposer must approve this"
    proposers: Callable[[Any], Collection[UUID | str | None]] = _proposer
    proposed_by: Callable[[StaffUser], Q] = _proposed_by
    tenured_people: Callable[[Any], Collection[UUID | str | None]] | None = None
    tenured_alone: bool = False
    closed_message: Callable[[Any], str] | None = None

    def propose(self, conflict: DomainError, **values: Any) -> Record:
        """Insert a proposal; raise `conflict` if one is already pending."""
        try:
            with transaction.atomic():
                return self.model._default_manager.create(created_at=timezone.now(), **values)
        except IntegrityError as error:
            names = self.unique_constraint
            if violated_constraint(error) in ((names,) if isinstance(names, str) else names):
                raise conflict from error
            raise

    def get(self, record_id: UUID, *, lock: bool = True) -> Record:
        """Return the record, by default locked. Raises `NotFound`."""
        rows = self.model._default_manager.filter(pk=record_id)
        if lock:
            rows = rows.select_for_update(no_key=True)
        message, code = f"{self.noun.capitalize()} not found", f"{self.noun}_not_found"
        return get_or_raise(rows, lambda: NotFound(message, code=code))

    def get_pending(self, record_id: UUID, *, lock: bool = True) -> Record:
        """Return a pending record, by default locked. Raises `NotFound`, `StateConflict`."""
        record = self.get(record_id, lock=lock)
        self.require_pending(record)
        return record

    def get_approvable(self, record_id: UUID, user: StaffUser, *, lock: bool = True) -> Record:
        """Return a pending record that `user` may approve as the second person.

        Raises as `get_pending`, and `Rejected` (`approver_not_independent`, and as
        `require_tenured`).
        """
        record = self.get_pending(record_id, lock=lock)
        self._require_second_person(record, user)
        return record

    def pending_records(self) -> QuerySet[Record]:
        """Return the pending records."""
        return self.model._default_manager.filter(status=ApprovalStatus.PENDING)

    def require_pending(self, record: Record) -> None:
        """Raise `StateConflict` unless the record is pending."""
        problem = self.describe_closed(record)
        if problem:
            raise StateConflict(problem)

    def close(self, record: Record, status: str, user: StaffUser | None, **changes: Any) -> Record:
        """Move a pending record to `status`, decided by `user`, with `changes` of its columns.

        Compare and set: raises `StateConflict` when it was decided meanwhile.
        """
        changes |= {"status": status, "decided_by": user, "decided_at": timezone.now()}
        rows = self.model._default_manager.filter(pk=record.pk, status=ApprovalStatus.PENDING)
        if rows.update(**changes) != 1:
            raise StateConflict(f"The {self.noun} is no longer {ApprovalStatus.PENDING}")
        for name, value in changes.items():
            setattr(record, name, value)
        return record

    def reject(self, record_id: UUID, user: StaffUser, reason: str) -> Record:
        """Reject a pending record, also one's own. `user` is authorized by the caller.

        Raises `InvalidRequest` without a reason, `NotFound`, `StateConflict`.
        """
        why = clean_text(reason, missing="Enter a reason for the rejection")
        with transaction.atomic():
            record = self.get_pending(record_id)
            return self.close(record, ApprovalStatus.REJECTED, user, reason=why)

    def describe_closed(self, record: Any) -> str:
        """Return why `record` cannot be decided now; empty while it is pending."""
        if record.status == ApprovalStatus.PENDING:
            return ""
        if self.closed_message is not None:
            return self.closed_message(record)
        return describe_decided(record.status, record.decided_by)

    def describe_blocker(self, record: Any, user: StaffUser) -> str:
        """Return why `user` cannot approve `record` now; empty if they can."""
        problem = self.describe_closed(record)
        if problem:
            return problem
        return first_error_message(
            lambda: self._require_second_person(record, user), lambda: require_cooled_off(user.pk)
        )

    def _require_second_person(self, record: Record, user: StaffUser) -> None:
        require_independent(user, *self.proposers(record), message=self.independence_message)
        people = (self.tenured_people or self.proposers)(record)
        if self.tenured_alone or any(_is_person(other) for other in people):
            require_tenured(*people, user.pk)
