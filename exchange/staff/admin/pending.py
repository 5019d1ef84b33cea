"""What waits for a second person: on a record's own page, in its list, and on the front page.

A page tells who may decide and why the person who looks may not; a list is narrowed to what they
can decide themselves. The rules are those of the services (`exchange.staff.approvals`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.utils.html import format_html

from exchange.admin.base import PendingDecision, SafeAdmin, Tool
from exchange.admin.display import age
from exchange.admin.list_filters import ChoiceFilter, Choices
from exchange.staff.approvals import TwoPersonApproval
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import eligible_approvers

VIEW_ONLY = "Your role may look at this, not decide"
AWAITING_MY_APPROVAL, AWAITING_OTHERS = "mine", "others"
_MAX_NAMES = 8


def describe_approvers(permission: str, *others: UUID | str | None) -> str:
    """Give in words who may decide by `permission` now, without `others`."""
    names = [str(user) for user in eligible_approvers(permission, *others)[: _MAX_NAMES + 1]]
    more = " and others" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more if names else "nobody else has the role"


def pending_decision(
    record: Any,
    user: StaffUser,
    approval: TwoPersonApproval[Any],
    *,
    proposer: object,
    approve: Tool,
    reject: Tool,
    take_back: Tool | None,
) -> PendingDecision | None:
    """What `user` may do about a pending `record`; None once it is decided.

    `take_back` is there for whoever proposed it, and stands in the place of `reject`.
    """
    if record.status != approval.pending:
        return None
    may = user.has_perm(approval.permission)
    ways = [take_back] if take_back else [reject] if may else []
    blocker = approval.describe_blocker(record, user) if may or take_back else VIEW_ONLY
    return PendingDecision(
        summary=format_html("Proposed by {} {} ago.", proposer, age(record.created_at)),
        eligible=describe_approvers(approval.permission, *approval.proposers(record)),
        approve=None if blocker else approve,
        other_tools=ways,
        blocker=blocker,
    )


@dataclass(frozen=True, slots=True)
class Queue:
    """The records of a list that wait for a second person.

    `waiting` narrows rows of the list to them; `own` are those that a person may not decide.
    """

    label: str
    permission: str
    filter_pending: Callable[[QuerySet[Any]], QuerySet[Any]]
    proposed_by: Callable[[StaffUser], Q]

    def awaiting_approval_by(self, rows: QuerySet[Any], user: StaffUser) -> QuerySet[Any]:
        """Those of `rows` that `user` may decide."""
        if not user.has_perm(self.permission):
            return rows.none()
        return self.filter_pending(rows).exclude(self.proposed_by(user))

    def awaiting_others(self, rows: QuerySet[Any], user: StaffUser) -> QuerySet[Any]:
        """Those of `rows` that wait for somebody else than `user`."""
        if not user.has_perm(self.permission):
            return self.filter_pending(rows)
        return self.filter_pending(rows).filter(self.proposed_by(user))


def approval_queue(label: str, approval: TwoPersonApproval[Any]) -> Queue:
    """Give the pending proposals of `approval`."""
    return Queue(
        label,
        approval.permission,
        lambda rows: rows.filter(status=approval.pending),
        approval.proposed_by,
    )


class QueueFilter(ChoiceFilter):
    """Whom a record waits for: the filter `decision` of lists that have a queue."""

    def __init__(self, queue: Queue) -> None:
        super().__init__(title="decision")
        self.queue = queue

    @property
    def choices(self) -> Choices:
        mine = [(AWAITING_MY_APPROVAL, "Mine to decide")]
        may = self.parent.user.has_perm(self.queue.permission)
        return [*(mine if may else []), (AWAITING_OTHERS, "Waits for somebody else")]

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        found = {
            AWAITING_MY_APPROVAL: self.queue.awaiting_approval_by,
            AWAITING_OTHERS: self.queue.awaiting_others,
        }.get(value)
        return found(qs, self.parent.user) if found else qs


def queues() -> dict[type[Model], Queue]:
    """Give the queue of every list that has one."""
    pages = admin.site._registry.items()
    found = {
        model: page.filters.base_filters.get("decision")
        for model, page in pages
        if isinstance(page, SafeAdmin)
    }
    return {model: one.queue for model, one in found.items() if isinstance(one, QueueFilter)}
