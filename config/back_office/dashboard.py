"""The front page of the admin: what matters first, each figure with the list behind it.

Only what the person may see is gathered. The number of queries does not grow with the rows; counts
stop where the lists they lead to stop counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from config.back_office.roles import is_privileged_user
from config.back_office.work_items import (
    AWAITING_OTHERS_VIEWS,
    PENDING_VIEWS,
    WorkItem,
    bounded_count,
    list_url,
    withdrawal_items,
    work_items_for,
)
from credit.loans.selectors.overview import count_loans_by_status, outstanding_by_currency
from exchange.admin.bars import Bars, stacked_bars
from exchange.admin.base import staff_of
from exchange.admin.display import age
from exchange.admin.paging import COUNT_LIMIT
from exchange.core.currencies import format_money
from exchange.events.models import Event, EventStatus
from exchange.staff.models import StaffUser
from wallets.alerts.models import Alert
from wallets.ledger.models import BooksProof
from wallets.ledger.selectors.proof import last_proof
from wallets.payouts.selectors import (
    DailyPayouts,
    PaidTotals,
    closed_payouts,
    get_payout_hold,
    pending_totals,
)
from wallets.reconciliation.models import ReportStatus
from wallets.reconciliation.selectors.overview import (
    float_positions,
    latest_report,
    open_breaks_by_day,
)
from wallets.withdrawals.admin.saved_views import count_by_view
from wallets.withdrawals.models import WithdrawalStatus

CHART_DAYS = 30
# A proof older than this says nothing of today: it runs daily.
PROOF_MAX_AGE = timedelta(hours=26)
# Yesterday is compared from 02:00 UTC on; from this hour on it should have been.
REPORT_DUE = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table on the page; `url` is the list behind its first cell."""

    label: str
    url: str
    cells: Sequence[object] = ()
    share: int = 0


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """The last proof of books: whether it holds, in a word and a sentence."""

    word: str
    label: str
    url: str
    good: bool
    when: object = ""


@dataclass(frozen=True, slots=True)
class ProviderBalances:
    """The provider's balances beside our clearing accounts, as the report about the latest day has
    them, and every day with differences that two people have not explained.
    """

    rows: Sequence[Row]
    word: str
    label: str
    url: str
    good: bool
    when: object = ""
    open_days: Sequence[Row] = ()


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What the front page shows; what the person may not see is None. `elsewhere` is what waits
    for somebody else.
    """

    decides: bool
    awaiting_my_approval: Sequence[WorkItem]
    awaiting_others: Sequence[WorkItem]
    needs_attention: Sequence[WorkItem] | None
    waiting: Sequence[Row] | None
    payouts: Bars | None
    payout_days: Sequence[Row]
    paid: Sequence[Row]
    loans: Sequence[Row] | None
    owed: Sequence[Row]
    floats: ProviderBalances | None
    proof: LedgerCheck | None


def dashboard_context(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """`context` of the front page with what it shows, for the settings of the theme."""
    return {**context, "dashboard": build_dashboard(staff_of(request))}


def build_dashboard(user: StaffUser) -> Dashboard:
    """The front page for `user`."""
    money_out = user.has_perm("wallets.view_withdrawal")
    credit = user.has_perm("credit.view_loan")
    counts = count_by_view(user) if money_out else {}
    ended, paid = closed_payouts(days=CHART_DAYS) if money_out else ([], [])
    mine, awaiting_others = work_items_for(user, counts)
    bars, days = _payout_chart(ended) if money_out else (None, [])
    return Dashboard(
        decides=is_privileged_user(user),
        awaiting_my_approval=mine,
        awaiting_others=awaiting_others,
        needs_attention=list(_attention_items(user, counts)),
        waiting=_pending_rows() if money_out else None,
        payouts=bars,
        payout_days=days,
        paid=_paid_rows(paid),
        loans=_loan_rows() if credit else None,
        owed=_owed_rows() if credit else [],
        floats=_provider_balances() if user.has_perm("wallets.view_reconciliation") else None,
        proof=_ledger_check() if user.has_perm("wallets.view_booksproof") else None,
    )


@dataclass(frozen=True, slots=True)
class _Queue:
    """Rows of one list that wait for somebody, for whoever may see that list."""

    app: str
    model: str
    label: str
    query: dict[str, str]
    rows: Callable[[], QuerySet[Any]]

    def item(self, user: StaffUser) -> Iterator[WorkItem]:
        """What there is to do, if the person may see it."""
        if user.has_perm(f"{self.app}.view_{self.model}"):
            yield WorkItem(
                self.label,
                list_url(f"{self.app}_{self.model}", **self.query),
                bounded_count(self.rows()),
            )


def _status_queue(model: type[Model], label: str, status: str) -> _Queue:
    """The rows of `model` in `status`."""
    app, name = model._meta.label_lower.split(".")
    rows = partial(model._default_manager.filter, status=status)
    return _Queue(app, name, label, {"status__exact": status}, rows)


_ATTENTION_QUEUES = (
    _status_queue(Event, "Webhooks nobody took", EventStatus.EXHAUSTED.value),
    _Queue(
        "wallets",
        "alert",
        "Alerts",
        {"resolved_at__isempty": "1"},
        lambda: Alert.objects.filter(resolved_at=None),
    ),
)


def _attention_items(user: StaffUser, counts: dict[str, int]) -> Iterator[WorkItem]:
    hold = get_payout_hold(at_most=COUNT_LIMIT) if counts else None
    if hold is not None:
        yield WorkItem(
            "Payouts on hold: the payment provider fails",
            list_url("wallets_withdrawal", status=WithdrawalStatus.APPROVED.value),
            hold.waiting,
            f"For {age(hold.since)}. They are sent once the provider accepts one again.",
        )
    pending = (*PENDING_VIEWS, *AWAITING_OTHERS_VIEWS)
    yield from withdrawal_items(
        user, counts, "Payouts", [key for key in counts if key not in pending]
    )
    for queue in _ATTENTION_QUEUES:
        yield from queue.item(user)


def _pending_rows() -> list[Row]:
    return [
        Row(
            found.currency,
            list_url("wallets_withdrawal", status="Pending", currency=found.currency),
            (f"{found.count:,}", format_money(found.amount, found.currency), age(found.oldest)),
        )
        for found in pending_totals()
    ]


def _payout_chart(days: Sequence[DailyPayouts]) -> tuple[Bars, list[Row]]:
    completed = sum(day.completed for day in days)
    failed = sum(day.failed for day in days)
    returned = sum(day.reversed for day in days)
    bars = stacked_bars(
        name="payouts",
        title=f"Payouts that ended, by day, last {CHART_DAYS} days",
        description=f"{completed:,} completed, {failed:,} failed, {returned:,} returned by bank.",
        series=("Completed", "Failed", "Returned"),
        columns=[(f"{day.day:%d %b}", (day.completed, day.failed, day.reversed)) for day in days],
    )
    rows = [
        Row(
            f"{day.day:%Y-%m-%d}",
            "",
            (
                _closed_link(WithdrawalStatus.COMPLETED, day.day, day.completed),
                _closed_link(WithdrawalStatus.FAILED, day.day, day.failed),
                _closed_link(WithdrawalStatus.REVERSED, day.day, day.reversed),
            ),
        )
        for day in reversed(days)
        if day.completed or day.failed or day.reversed
    ]
    return bars, rows


def _closed_link(status: WithdrawalStatus, day: date, count: int) -> str:
    """The count, leading to the payouts that ended so on that day."""
    if not count:
        return "0"
    query = {
        "status": status.value,
        "updated_at__gte": _midnight(day),
        "updated_at__lt": _midnight(day + timedelta(days=1)),
    }
    return format_html('<a href="{}">{}</a>', list_url("wallets_withdrawal", **query), f"{count:,}")


def _midnight(day: date) -> str:
    return f"{day}T00:00:00Z"


def _paid_rows(paid: Sequence[PaidTotals]) -> list[Row]:
    since = timezone.now().date() - timedelta(days=CHART_DAYS - 1)
    return [
        Row(
            found.currency,
            list_url(
                "wallets_withdrawal",
                status=WithdrawalStatus.COMPLETED.value,
                currency=found.currency,
                updated_at__gte=_midnight(since),
            ),
            (f"{found.count:,}", format_money(found.amount, found.currency)),
        )
        for found in paid
    ]


def _loan_rows() -> list[Row]:
    found = count_loans_by_status()
    most = max((state.count for state in found), default=0) or 1
    return [
        Row(
            state.status.label,
            list_url("credit_loan", status__exact=state.status),
            (f"{state.count:,}",),
            share=round(100 * state.count / most),
        )
        for state in found
    ]


def _owed_rows() -> list[Row]:
    return [
        Row(
            found.currency,
            list_url("credit_loan", currency__code__exact=found.currency),
            (f"{found.count:,}", format_money(found.amount, found.currency)),
        )
        for found in outstanding_by_currency()
    ]


def _amount_only(amount: Decimal | None, currency: str) -> str:
    """An amount in a row that names its currency."""
    return format_money(amount, currency).removesuffix(f" {currency}")


_REPORT_TEXTS = {
    ReportStatus.AGREES: "The provider's transfers of the day agree with ours.",
    ReportStatus.DIFFERS: "The provider's transfers or balances differ from ours.",
    ReportStatus.INCOMPLETE: "The provider could not be relied on; nothing is shown to agree.",
}


def _provider_balances() -> ProviderBalances:
    report, days = latest_report(), _open_break_rows()
    due = (timezone.now() - REPORT_DUE).date() - timedelta(days=1)
    every = list_url("wallets_reconciliation")
    if report is None:
        label = "No report about a complete day has been made yet."
        return ProviderBalances([], "Never compared", label, every, good=False, open_days=days)
    url = reverse("admin:wallets_reconciliation_change", args=[report.pk])
    rows = [
        Row(
            found.currency,
            url,
            tuple(
                _amount_only(amount, found.currency)
                for amount in (
                    found.provider, found.clearing, found.in_transit, found.variance,
                    found.unexplained,
                )
            ),
        )
        for found in sorted(float_positions(report), key=lambda each: each.currency)
    ]  # fmt: skip
    status = ReportStatus(report.status)
    word, label = status.label, f"{report.day}: {_REPORT_TEXTS[status]}"
    if report.day < due:
        word, label = "Missing", f"{due} was not compared. {label}"
    elif status == ReportStatus.DIFFERS and not days:
        word, label = "Explained", f"{label} Two people explained every difference."
    elif status == ReportStatus.AGREES and days:
        word = "Open breaks"
    return ProviderBalances(
        rows,
        word,
        label,
        url,
        good=report.day >= due and not days and status != ReportStatus.INCOMPLETE,
        when=age(report.finished_at or report.created_at),
        open_days=days,
    )


def _open_break_rows() -> list[Row]:
    return [
        Row(
            f"{found.day}",
            list_url("wallets_reconciliationbreak", open="all", day__exact=str(found.day)),
            (f"{found.count:,}", f"{found.explained:,}", f"{found.count - found.owned:,}"),
        )
        for found in open_breaks_by_day()
    ]


def _ledger_check() -> LedgerCheck:
    proof: BooksProof | None = last_proof()
    every = list_url("wallets_booksproof")
    if proof is None:
        return LedgerCheck("Never ran", "The books have not been proven yet.", every, good=False)
    address = reverse("admin:wallets_booksproof_change", args=[proof.pk])
    when = age(proof.ran_at)
    if not proof.passed:
        off = len(proof.findings)
        label = f"{off:,} {'equality does' if off == 1 else 'equalities do'} not hold."
        return LedgerCheck("Off", label, address, good=False, when=when)
    if timezone.now() - proof.ran_at > PROOF_MAX_AGE:
        label = "The last proof held, but it should have run again since."
        return LedgerCheck("Too old", label, address, good=False, when=when)
    return LedgerCheck("Holds", "Every equality holds.", address, good=True, when=when)
