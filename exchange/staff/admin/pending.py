"""Pending approvals on record pages, in lists and on the dashboard.

A page names the eligible approvers and why the current user is not one; a list filters by whose
approval is pending. The rules are those of `exchange.staff.approvals`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet, Subquery

from exchange.admin.base import SafeAdmin
from exchange.admin.list_filters import ChoiceFilter, Choices
from exchange.staff.approvals import TwoPersonApproval
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.staff.services.privileged_access import eligible_approvers

VIEW_ONLY = "Your role can view this but not approve it"
AWAITING_MY_APPROVAL, AWAITING_OTHERS = "awaiting_my_approval", "awaiting_others"
_MAX_NAMES = 8
_CREATED = F("created_at")


def describe_approvers(permission: str, *others: UUID | str | None) -> str:
    """List the current approvers with `permission`, excluding `others`."""
    names = [str(user) for user in eligible_approvers(permission, *others)[: _MAX_NAMES + 1]]
    more = " and others" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more if names else "no other user has the role"


@dataclass(frozen=True, slots=True)
class Queue:
    """The records of a list that are pending approval.

    `filter_pending` selects them; `proposed_by` matches those a user may not approve. `since` is
    the time from which a record waits, as an expression of its row.
    """

    label: str
    permission: str
    filter_pending: Callable[[QuerySet[Any]], QuerySet[Any]]
    proposed_by: Callable[[StaffUser], Q]
    since: Any = _CREATED

    def awaiting_approval_by(self, rows: QuerySet[Any], user: StaffUser) -> QuerySet[Any]:
        """Return the rows that `user` may approve."""
        if not user.has_perm(self.permission):
            return rows.none()
        return self.filter_pending(rows).exclude(self.proposed_by(user))

    def awaiting_others(self, rows: QuerySet[Any], user: StaffUser) -> QuerySet[Any]:
        """Return the pending rows that `user` may not approve."""
        if not user.has_perm(self.permission):
            return self.filter_pending(rows)
        return self.filter_pending(rows).filter(self.proposed_by(user))


def approval_queue(label: str, approval: TwoPersonApproval[Any], subject: str = "") -> Queue:
    """Return the queue of the pending proposals of `approval`.

    `subject` is the proposals' column of the record they are about, where a list is of those.
    """

    def having(condition: Q) -> Q:
        pending = approval.pending_records().filter(condition)
        return Q(Exists(pending.filter(**{subject: OuterRef("pk")})))

    if subject:
        return Queue(
            label,
            approval.permission,
            lambda rows: rows.filter(having(Q())),
            lambda user: having(approval.proposed_by(user)),
            Subquery(
                approval.pending_records()
                .filter(**{subject: OuterRef("pk")})
                .order_by("created_at")
                .values("created_at")[:1]
            ),
        )
    return Queue(
        label,
        approval.permission,
        lambda rows: rows.filter(status=ApprovalStatus.PENDING),
        approval.proposed_by,
    )


class QueueFilter(ChoiceFilter):
    """The filter `decision` of lists with a queue: whose approval is pending."""

    def __init__(self, queue: Queue) -> None:
        super().__init__(title="approval")
        self.queue = queue

    @property
    def choices(self) -> Choices:
        own_choice = [(AWAITING_MY_APPROVAL, "Awaiting my approval")]
        may = self.parent.user.has_perm(self.queue.permission)
        return [*(own_choice if may else []), (AWAITING_OTHERS, "Awaiting others")]

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        found = {
            AWAITING_MY_APPROVAL: self.queue.awaiting_approval_by,
            AWAITING_OTHERS: self.queue.awaiting_others,
        }.get(value)
        return found(qs, self.parent.user) if found else qs


def approval_filters(
    label: str, approval: TwoPersonApproval[Any]
) -> tuple[QueueFilter, ChoiceFilter]:
    """Return the filters `decision` and `status__exact` of a list of proposals."""
    choices: Any = approval.model._meta.get_field("status").choices
    queue = approval_queue(label, approval)
    return QueueFilter(queue), ChoiceFilter("status", choices, title="status")


def queues() -> dict[type[Model], Queue]:
    """Return the queue of every list that has one."""
    pages = admin.site._registry.items()
    found = {
        model: page.filters.base_filters.get("decision")
        for model, page in pages
        if isinstance(page, SafeAdmin)
    }
    return {model: one.queue for model, one in found.items() if isinstance(one, QueueFilter)}
