"""Work items: approvals awaiting the user, and those awaiting others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from config.back_office.roles import is_privileged_user
from credit.loans.admin.loan_lists import QUEUE as LOAN_CLOSURES
from credit.loans.admin.loan_lists import count_loan_queues as loan_queues
from exchange.admin.display import age, list_url
from exchange.admin.paging import COUNT_LIMIT, format_count
from exchange.core.currencies import format_money
from exchange.staff.admin.pending import AWAITING_MY_APPROVAL, AWAITING_OTHERS, queues
from exchange.staff.models import StaffUser
from wallets.withdrawals.admin.saved_views import QUEUE, awaiting_approval_by, saved_views_for
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services.decisions import DECIDE

PENDING_VIEWS = ("awaiting_my_approval", "first_approval", "second_approval", "missing_details")
AWAITING_OTHERS_VIEWS = ("awaiting_others",)


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A kind of pending work: count and list; of what awaits approval also the oldest and sums."""

    label: str
    url: str
    count: int
    explanation: str = ""
    oldest: datetime | None = None
    amounts: str = ""

    @property
    def age(self) -> str:
        """The age of the oldest record, or ""."""
        return age(self.oldest) if self.oldest else ""

    @property
    def display_count(self) -> str:
        """The count as text: `12`, or `10,000+` where counting stopped."""
        return format_count(self.count)


def work_items_for(
    user: StaffUser, counts: dict[str, int]
) -> tuple[list[WorkItem], list[WorkItem]]:
    """Return the items `user` can approve, and those awaiting others."""
    own: list[WorkItem] = []
    others = [*withdrawal_items(user, counts, "Withdrawals", AWAITING_OTHERS_VIEWS)]
    pending = [*withdrawal_items(user, counts, "Withdrawals", PENDING_VIEWS)]
    waiting: list[tuple[list[WorkItem], str, str, QuerySet[Any]]] = []
    if user.has_perm(DECIDE) and pending:
        first, *pending = pending
        decidable: QuerySet[Any] = Withdrawal.objects.filter(awaiting_approval_by(user))
        decidable = decidable.annotate(waiting_since=QUEUE.since)
        waiting.append((own, first.label, first.url, decidable))
        own += pending
    else:
        others = [*pending, *others]
    for model, queue in queues().items():
        app, name = model._meta.label_lower.split(".")
        if not user.has_perm(f"{app}.view_{name}"):
            continue
        rows, address = model._default_manager.annotate(waiting_since=queue.since), f"{app}_{name}"
        if user.has_perm(queue.permission):
            mine = list_url(address, decision=AWAITING_MY_APPROVAL)
            waiting.append((own, queue.label, mine, queue.awaiting_approval_by(rows, user)))
        theirs = list_url(address, decision=AWAITING_OTHERS)
        waiting.append((others, queue.label, theirs, queue.awaiting_others(rows, user)))
    totals = _measure([rows for *_, rows in waiting])
    for (items, label, url, _), found in zip(waiting, totals, strict=True):
        items.append(WorkItem(label, url, found.count, "", found.oldest, found.amounts))
    if user.has_perm("credit.view_loan"):
        closes_loans = user.has_perm(LOAN_CLOSURES.permission)
        (own if closes_loans else others).extend(
            WorkItem(queue.label, queue.url, queue.count) for queue in loan_queues()
        )
    own.sort(key=lambda item: (item.oldest is None, item.oldest))
    return own, [item for item in others if item.count or not is_privileged_user(user)]


@dataclass(slots=True)
class _Measured:
    """The records of a queue, up to `COUNT_LIMIT`: their number, the oldest, and their amounts."""

    count: int = 0
    oldest: datetime | None = None
    amounts: str = ""


def _measure(lists: Sequence[QuerySet[Any]]) -> list[_Measured]:
    """Return what awaits in each of `lists`, whose rows have `waiting_since`; one query."""
    found = [_Measured() for _ in lists]
    parts: list[str] = []
    parameters: list[Any] = []
    for place, rows in enumerate(lists):
        names = {field.name for field in rows.model._meta.fields}
        columns = ("currency_id", "amount") if {"amount", "currency"} <= names else ()
        try:
            selected = rows.order_by().values("waiting_since", *columns)[:COUNT_LIMIT]
            sql, values = selected.query.sql_with_params()
        except EmptyResultSet:
            continue
        money = "currency_id::text, sum(amount)" if columns else "NULL, NULL::numeric"
        parts.append(
            f"SELECT {place}, count(*), min(waiting_since), {money} FROM ({sql}) w"  # noqa: S608
            f"{' GROUP BY currency_id' if columns else ''}"
        )
        parameters.extend(values)
    if not parts:
        return found
    with connection.cursor() as cursor:
        cursor.execute(f"{' UNION ALL '.join(parts)} ORDER BY 1, 4", parameters)
        for place, count, oldest, currency, amount in cursor.fetchall():
            each = found[place]
            each.count += count
            each.oldest = min(filter(None, (each.oldest, oldest)), default=None)
            if currency:
                each.amounts += f"{', ' if each.amounts else ''}{format_money(amount, currency)}"
    return found


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
