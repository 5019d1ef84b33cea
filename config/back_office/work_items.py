"""Work items: approvals awaiting the user, and those awaiting others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse

from config.back_office.roles import is_privileged_user
from credit.loans.admin.loan_lists import QUEUE as LOAN_CLOSURES
from credit.loans.admin.loan_lists import count_loan_queues as loan_queues
from exchange.admin.paging import bounded_counts, format_count
from exchange.staff.admin.pending import AWAITING_MY_APPROVAL, AWAITING_OTHERS, queues
from exchange.staff.models import StaffUser
from wallets.withdrawals.admin.saved_views import saved_views_for
from wallets.withdrawals.services.decisions import DECIDE

PENDING_VIEWS = ("awaiting_my_approval", "first_approval", "second_approval", "missing_details")
AWAITING_OTHERS_VIEWS = ("awaiting_others",)


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A kind of pending work: count and list."""

    label: str
    url: str
    count: int
    explanation: str = ""

    @property
    def display_count(self) -> str:
        """The count as text: `12`, or `10,000+` where counting stopped."""
        return format_count(self.count)


def list_url(model: str, **query: str) -> str:
    """Return the URL of a filtered list."""
    address = reverse(f"admin:{model}_changelist")
    return f"{address}?{urlencode(query)}" if query else address


def work_items_for(
    user: StaffUser, counts: dict[str, int]
) -> tuple[list[WorkItem], list[WorkItem]]:
    """Return the items `user` can approve, and those awaiting others."""
    own: list[WorkItem] = []
    others: list[WorkItem] = []
    decides_withdrawals = user.has_perm(DECIDE)
    (own if decides_withdrawals else others).extend(
        withdrawal_items(user, counts, "Withdrawals", PENDING_VIEWS)
    )
    others.extend(withdrawal_items(user, counts, "Withdrawals", AWAITING_OTHERS_VIEWS))
    waiting: list[tuple[list[WorkItem], str, str, QuerySet[Any]]] = []
    for model, queue in queues().items():
        app, name = model._meta.label_lower.split(".")
        if not user.has_perm(f"{app}.view_{name}"):
            continue
        rows, address = model._default_manager.all(), f"{app}_{name}"
        if user.has_perm(queue.permission):
            mine = list_url(address, decision=AWAITING_MY_APPROVAL)
            waiting.append((own, queue.label, mine, queue.awaiting_approval_by(rows, user)))
        theirs = list_url(address, decision=AWAITING_OTHERS)
        waiting.append((others, queue.label, theirs, queue.awaiting_others(rows, user)))
    counts_of = bounded_counts([rows for *_, rows in waiting])
    for (items, label, url, _), count in zip(waiting, counts_of, strict=True):
        items.append(WorkItem(label, url, count))
    if user.has_perm("credit.view_loan"):
        closes_loans = user.has_perm(LOAN_CLOSURES.permission)
        (own if closes_loans else others).extend(
            WorkItem(queue.label, queue.url, queue.count) for queue in loan_queues()
        )
    return own, [item for item in others if item.count or not is_privileged_user(user)]


def withdrawal_items(
    user: StaffUser, counts: dict[str, int], what: str, keys: Sequence[str]
) -> Iterator[WorkItem]:
    """Yield the saved views of withdrawals; `counts` is empty without view permission."""
    for one in saved_views_for(user):
        if one.key in counts and one.key in keys:
            yield WorkItem(
                f"{what}: {one.title.lower()}",
                list_url("wallets_withdrawal", view=one.key),
                counts[one.key],
                one.explanation,
            )
