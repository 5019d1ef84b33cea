"""The dashboard: pending work, alerts and totals, each linked to its list.

It contains only what the user may see. The number of queries is constant, and counts are bounded
like those of lists.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html

from config.back_office.roles import is_privileged_user
from config.back_office.work_items import (
    AWAITING_OTHERS_VIEWS,
    PENDING_VIEWS,
    WorkItem,
    withdrawal_items,
    work_items_for,
)
from credit.loans.selectors.overview import count_loans_by_status, outstanding_by_currency
from exchange.admin.bars import Bars, stacked_bars
from exchange.admin.base import staff_of
from exchange.admin.display import age, format_duration, list_url, record_url
from exchange.admin.paging import COUNT_LIMIT, bounded_counts
from exchange.core.currencies import format_money
from exchange.events.models import Event, EventStatus
from exchange.staff.models import StaffUser
from wallets.alerts.models import Alert
from wallets.bank_statements.models import LineStatus
from wallets.bank_statements.selectors import open_totals
from wallets.deposits.models import Payment
from wallets.deposits.selectors import open_disputes, unconfirmed_refunds, undecided_payments
from wallets.ledger.models import BooksProof
from wallets.ledger.selectors.proof import last_full_proof, last_proof
from wallets.payouts.selectors import (
    DailyPayouts,
    PaidTotals,
    closed_payouts,
    get_payout_hold,
    pending_totals,
)
from wallets.reconciliation.models import ReportStatus
from wallets.reconciliation.selectors.overview import (
    EXPLAINED,
    float_positions,
    latest_report,
    open_breaks_by_day,
    result_of,
)
from wallets.withdrawals.admin.saved_views import count_by_view
from wallets.withdrawals.models import WithdrawalStatus

CHART_DAYS = 30
# Maximum ages of the hourly ledger check, and of the daily one that is full.
PROOF_MAX_AGE = timedelta(hours=3)
FULL_PROOF_MAX_AGE = timedelta(hours=26)
_UNAVAILABLE = "payment provider unavailable"
# Yesterday's reconciliation starts at 02:00 UTC and is due by this hour.
REPORT_DUE = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class DashboardRow:
    """A table row; `url` is the list behind its first cell."""

    label: str
    url: str
    cells: Sequence[object] = ()
    share: int = 0


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of the last proof of books, or of the latest report of the reconciliation.

    `rows` are the provider's balances compared with clearing accounts, `open_days` the days with
    open breaks.
    """

    status: str
    text: str
    url: str
    good: bool
    when: object = ""
    rows: Sequence[DashboardRow] = ()
    open_days: Sequence[DashboardRow] = ()


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The content of the dashboard; sections the user may not see are None."""

    can_approve: bool
    awaiting_my_approval: Sequence[WorkItem]
    awaiting_others: Sequence[WorkItem]
    needs_attention: Sequence[WorkItem] | None
    pending_withdrawals: Sequence[DashboardRow] | None
    payout_chart: Bars | None
    payout_days: Sequence[DashboardRow]
    completed_payouts: Sequence[DashboardRow]
    loans: Sequence[DashboardRow] | None
    outstanding: Sequence[DashboardRow]
    provider_balances: CheckResult | None
    ledger_check: CheckResult | None


def dashboard_context(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the dashboard to the template context (theme callback)."""
    return {**context, "dashboard": build_dashboard(staff_of(request))}


def build_dashboard(user: StaffUser) -> Dashboard:
    """Build the dashboard of `user`."""
    can_view_withdrawals = user.has_perm("wallets.view_withdrawal")
    can_view_loans = user.has_perm("credit.view_loan")
    counts = count_by_view(user) if can_view_withdrawals else {}
    ended, paid = closed_payouts(days=CHART_DAYS) if can_view_withdrawals else ([], [])
    own, awaiting_others = work_items_for(user, counts)
    bars, days = _payout_chart(ended) if can_view_withdrawals else (None, [])
    return Dashboard(
        can_approve=is_privileged_user(user),
        awaiting_my_approval=[item for item in own if item.count],
        awaiting_others=[item for item in awaiting_others if item.count],
        needs_attention=[item for item in _attention_items(user, counts) if item.count],
        pending_withdrawals=_pending_rows() if can_view_withdrawals else None,
        payout_chart=bars,
        payout_days=days,
        completed_payouts=_paid_rows(paid),
        loans=_loan_rows() if can_view_loans else None,
        outstanding=_owed_rows() if can_view_loans else [],
        provider_balances=_provider_balances()
        if user.has_perm("wallets.view_reconciliation")
        else None,
        ledger_check=_ledger_check() if user.has_perm("wallets.view_booksproof") else None,
    )


@dataclass(frozen=True, slots=True)
class _Queue:
    """Records of a list that need attention, for users who may view the list."""

    app: str
    model: str
    label: str
    query: dict[str, str]
    rows: Callable[[], QuerySet[Any]]


_ATTENTION_QUEUES = (
    _Queue(
        "exchange",
        "event",
        "Exhausted webhooks",
        {"status__exact": EventStatus.EXHAUSTED.value},
        lambda: Event.objects.filter(status=EventStatus.EXHAUSTED),
    ),
    _Queue("wallets", "depositreversal", "Charged back", {"dispute": "open"}, open_disputes),
    _Queue(
        "wallets",
        "payment",
        "Unmatched payments awaiting a decision",
        {"work": "undecided"},
        lambda: undecided_payments(Payment.objects.all()),
    ),
    _Queue(
        "wallets",
        "payment",
        "Refunds not confirmed",
        {"work": "refund"},
        lambda: unconfirmed_refunds(Payment.objects.all()),
    ),
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
            f"Payouts on hold: {hold.reason if hold.until_released else _UNAVAILABLE}",
            list_url("wallets_withdrawal", status=WithdrawalStatus.APPROVED.value),
            hold.queued,
            f"Since {age(hold.since)} ago. Payouts resume {hold.ends}.",
        )
    pending = (*PENDING_VIEWS, *AWAITING_OTHERS_VIEWS)
    yield from withdrawal_items(
        user, counts, "Withdrawals", [key for key in counts if key not in pending]
    )
    if user.has_perm("wallets.view_statementline"):
        yield _open_lines()
    queues = [q for q in _ATTENTION_QUEUES if user.has_perm(f"{q.app}.view_{q.model}")]
    for queue, count in zip(queues, bounded_counts([q.rows() for q in queues]), strict=True):
        url = list_url(f"{queue.app}_{queue.model}", **queue.query)
        yield WorkItem(queue.label, url, count)


def _open_lines() -> WorkItem:
    """Return the lines of bank statements without a match, with age and money."""
    totals = open_totals()
    words = [
        f"{format_money(each.arrived, each.currency)} in,"
        f" {format_money(each.left, each.currency)} out"
        for each in totals
    ]
    oldest = [f"Oldest booked {min(each.oldest for each in totals)}"] if totals else []
    return WorkItem(
        "Bank statement lines without a match",
        list_url("wallets_statementline", status__exact=LineStatus.OPEN.value),
        sum(each.count for each in totals),
        ". ".join([*oldest, *words]),
    )


def _pending_rows() -> list[DashboardRow]:
    return [
        DashboardRow(
            found.currency,
            list_url("wallets_withdrawal", status="Pending", currency=found.currency),
            (f"{found.count:,}", format_money(found.amount, found.currency), age(found.oldest)),
        )
        for found in pending_totals()
    ]


def _payout_chart(days: Sequence[DailyPayouts]) -> tuple[Bars, list[DashboardRow]]:
    completed = sum(day.completed for day in days)
    failed = sum(day.failed for day in days)
    returned = sum(day.reversed for day in days)
    bars = stacked_bars(
        name="payouts",
        title=f"Finished per day, last {CHART_DAYS} days",
        description=f"{completed:,} completed, {failed:,} failed, {returned:,} returned by bank.",
        series=("Completed", "Failed", "Returned"),
        columns=[(f"{day.day:%d %b}", (day.completed, day.failed, day.reversed)) for day in days],
    )
    rows = [
        DashboardRow(
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
    """Return the count, linked to the payouts closed in `status` on that day."""
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


def _paid_rows(paid: Sequence[PaidTotals]) -> list[DashboardRow]:
    since = timezone.now().date() - timedelta(days=CHART_DAYS - 1)
    return [
        DashboardRow(
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


def _loan_rows() -> list[DashboardRow]:
    found = count_loans_by_status()
    most = max((state.count for state in found), default=0) or 1
    return [
        DashboardRow(
            state.status.label.capitalize(),
            list_url("credit_loan", status__exact=state.status),
            (f"{state.count:,}",),
            share=round(100 * state.count / most),
        )
        for state in found
    ]


def _owed_rows() -> list[DashboardRow]:
    return [
        DashboardRow(
            found.currency,
            list_url("credit_loan", state="open", currency__code__exact=found.currency),
            (f"{found.count:,}", format_money(found.amount, found.currency)),
        )
        for found in outstanding_by_currency()
    ]


def _amount_only(amount: Decimal | None, currency: str) -> str:
    """Format an amount without its currency, for rows that name it."""
    return format_money(amount, currency).removesuffix(f" {currency}")


_REPORT_TEXTS = {
    ReportStatus.MATCHED: "Transfers and balances match the provider's.",
    ReportStatus.DIFFERS: "Transfers or balances differ from the provider's.",
    ReportStatus.INCOMPLETE: "Provider data was incomplete; no match can be confirmed.",
}


def _provider_balances() -> CheckResult:
    report, days = latest_report(), _open_break_rows()
    due = (timezone.now() - REPORT_DUE).date() - timedelta(days=1)
    every = list_url("wallets_reconciliation")
    if report is None:
        text = "No complete day has been reconciled yet."
        return CheckResult("Not reconciled", text, every, good=False, open_days=days)
    url = record_url(report)
    rows = [
        DashboardRow(
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
    status, status_text = ReportStatus(report.status), result_of(report)
    text = f"{report.day}: {_REPORT_TEXTS[status]}"
    if report.day < due:
        status_text, text = "Missing", f"{due} was not reconciled. {text}"
    elif status_text == EXPLAINED:
        text = f"{text} All differences are explained."
    if days and status_text in {ReportStatus.MATCHED, EXPLAINED}:
        status_text = "Open breaks"
    return CheckResult(
        status_text,
        text,
        url,
        good=report.day >= due and not days and status != ReportStatus.INCOMPLETE,
        when=age(report.finished_at or report.created_at),
        rows=rows,
        open_days=days,
    )


def _open_break_rows() -> list[DashboardRow]:
    return [
        DashboardRow(
            f"{found.day}",
            list_url("wallets_reconciliationbreak", open="all", day__exact=str(found.day)),
            (f"{found.count:,}", f"{found.explained:,}", f"{found.count - found.owned:,}"),
        )
        for found in open_breaks_by_day()
    ]


def _ledger_check() -> CheckResult:
    proof: BooksProof | None = last_proof()
    every = list_url("wallets_booksproof")
    if proof is None:
        return CheckResult("Not run", "No check has run yet.", every, good=False)
    address = record_url(proof)
    when = age(proof.ran_at)
    if not proof.passed:
        off = len(proof.findings)
        text = f"{off:,} {'check' if off == 1 else 'checks'} failed."
        return CheckResult("Failed", text, address, good=False, when=when)
    full = last_full_proof()
    if full is None or timezone.now() - full.ran_at > FULL_PROOF_MAX_AGE:
        text = "The last check passed, but the daily full check is overdue."
        return CheckResult("Overdue", text, address, good=False, when=when)
    if timezone.now() - proof.ran_at > PROOF_MAX_AGE:
        text = "The last check passed, but the hourly check is overdue."
        return CheckResult("Overdue", text, address, good=False, when=when)
    text = "All checks passed."
    if proof.incremental:
        duration = format_duration(timezone.now() - full.ran_at)
        text = f"The incremental check passed; the full check {duration} ago passed too."
    return CheckResult("Passed", text, address, good=True, when=when)
