"""What awaits the user's approval, of all kinds in one list, oldest first.

Each kind is read within a bound; one that cannot be read is named, never shown as empty.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from exchange.admin.base import staff_of
from exchange.admin.display import age
from exchange.core.currencies import format_paid
from exchange.core.time_limits import read_within
from exchange.staff.admin.pending import Queue, queues
from exchange.staff.models import StaffUser
from wallets.withdrawals.admin.saved_views import QUEUE as WITHDRAWALS
from wallets.withdrawals.models import Withdrawal

# So many records of a kind are read, the oldest ones.
ROWS = 50
STATEMENT_MILLISECONDS = 700
SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class WaitingRecord:
    """A record that awaits the user's approval; `amount` is empty where it has none."""

    title: str
    url: str
    since: datetime
    amount: str

    @property
    def age(self) -> str:
        """How long it has waited."""
        return age(self.since)


@dataclass(frozen=True, slots=True)
class WaitingKind:
    """The oldest records of one kind; `more` says that there are others. Empty if not `read`."""

    label: str
    records: Sequence[WaitingRecord]
    more: bool = False
    read: bool = True


def read_inbox(user: StaffUser) -> list[WaitingKind]:
    """Return the kinds that await approval by `user`, and those that could not be read."""
    reads = dict(_reads(user))
    results = read_within(
        list(reads.values()), milliseconds=STATEMENT_MILLISECONDS, seconds=SECONDS
    )
    found = [
        WaitingKind(label, (), read=False)
        if records is None
        else WaitingKind(label, records[:ROWS], more=len(records) > ROWS)
        for label, records in zip(reads, results, strict=True)
    ]
    return [kind for kind in found if kind.records or not kind.read]


def inbox_page(site: admin.AdminSite, request: HttpRequest) -> HttpResponse:
    """Render what awaits the approval of the signed-in user."""
    kinds = read_inbox(staff_of(request))
    rows = [(kind, record) for kind in kinds for record in kind.records]
    context = {
        **site.each_context(request),
        "title": "Awaiting my approval",
        "rows": sorted(rows, key=lambda row: row[1].since),
        "unread": [kind.label for kind in kinds if not kind.read],
        "cut": [kind.label for kind in kinds if kind.more],
        "limit": ROWS,
    }
    return TemplateResponse(request, "admin/inbox.html", context)


def _reads(user: StaffUser) -> Iterator[tuple[str, Callable[[], list[WaitingRecord]]]]:
    """Yield the label and a read of each kind that `user` decides about."""
    found: dict[Any, Queue] = {Withdrawal: WITHDRAWALS, **queues()}
    for model, queue in found.items():
        page: Any = admin.site._registry[model]
        meta = model._meta
        if user.has_perm(queue.permission) and user.has_perm(
            f"{meta.app_label}.view_{meta.model_name}"
        ):
            rows = queue.awaiting_approval_by(page.rows(user), user)
            rows = rows.annotate(waiting_since=queue.since).order_by("waiting_since", F("pk"))
            yield str(meta.verbose_name).capitalize(), partial(_read, page, rows[: ROWS + 1])


def _read(page: Any, rows: QuerySet[Any]) -> list[WaitingRecord]:
    return [
        WaitingRecord(
            page.heading(row), page.address("change", row.pk), row.waiting_since, _amount(row)
        )
        for row in rows
    ]


def _amount(row: Any) -> str:
    amount = getattr(row, "amount", None)
    currency = getattr(row, "currency_id", None) or getattr(row, "currency_code", None)
    return format_paid(amount, currency) if amount is not None and currency else ""
