"""The treasury page: what each currency has, needs and risks, and its last 30 days as charts."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet, Sum
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html

from exchange.admin.bars import stacked_bars
from exchange.admin.base import SafeAdmin, Section
from exchange.admin.chart import format_compact, step_chart
from exchange.admin.display import format_time, status_badge
from exchange.core.currencies import WALLET_CURRENCIES, format_money
from exchange.core.ids import first_id_at
from wallets.deposits.models import Deposit, DepositStatus
from wallets.fees.selectors import effective_settings
from wallets.payouts.selectors import closed_payouts
from wallets.reconciliation.models import LineKind, Reconciliation, ReconciliationLine
from wallets.reconciliation.selectors.overview import float_positions, latest_report
from wallets.treasury.selectors import treasury_balances
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

TITLE = "Treasury"
DAYS = 30
_NONE = Decimal(0)
# Below so many days of cover the float is to be topped up.
_LOW_COVER = 3
# From this share of its limit on a position is shown in red.
_HIGH_USE = Decimal("0.8")
_LEDE = (
    "The float at the payment provider by the last reconciliation, what waits to leave it (net"
    " payouts, pending or approved), and what of it is the exchange's own. Cover is the float less"
    f" what waits, in days of the average paid out in the last {DAYS} days."
)


def treasury_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show all currencies, and the charts of the one that the address names, or the first."""
    code = request.GET.get("currency", "")
    chosen = code if code in WALLET_CURRENCIES else WALLET_CURRENCIES[0]
    report = latest_report()
    read_at = report.balances_at if report else None
    return page.page(
        request,
        "admin/wallets/ledger_report.html",
        TITLE,
        lede=_LEDE,
        facts=[("Provider balances read (UTC)", format_time(read_at) if read_at else "not yet")],
        sections=[_currencies(report), _float(chosen), _flows(chosen)],
    )


def _currencies(report: Reconciliation | None) -> Section:
    settings = effective_settings()
    floats = {each.currency: each for each in float_positions(report)} if report else {}
    waiting = _to_pay_out()
    paid = {each.currency: each.amount for each in closed_payouts(days=DAYS)[1]}
    rows = []
    for code in WALLET_CURRENCIES:
        held, own = floats.get(code), treasury_balances(code)
        provider = held.provider if held else None
        limit = settings.get(f"CONVERSION_POSITION_LIMIT_{code}", _NONE)
        rows.append(
            (
                format_html('<a href="?currency={}">{}</a>', code, code),
                _amount(provider, code),
                _amount(waiting.get(code, _NONE), code),
                _amount(held.in_transit if held else None, code),
                _cover(provider, waiting.get(code, _NONE), paid.get(code, _NONE)),
                _amount(own.own, code),
                _amount(own.position, code),
                _amount(limit, code),
                _use(own.position, limit),
            )
        )
    headings = (
        "Currency", "Float", "To pay out", "In transit", "Days of cover", "Own money", "Position",
        "Limit", "Used",
    )  # fmt: skip
    note = "A currency leads to its charts."
    return Section("Currencies", headings, rows, right=range(1, 9), note=note)


def _to_pay_out() -> dict[str, Decimal]:
    """Return the net payouts by currency that no payout has been sent for yet."""
    waiting = Withdrawal.objects.filter(
        status__in=(WithdrawalStatus.PENDING, WithdrawalStatus.APPROVED)
    )
    return dict(waiting.order_by().values_list("currency").annotate(total=Sum("disburse_amount")))


def _amount(amount: Decimal | None, code: str) -> str:
    return "-" if amount is None else format_money(amount, code).removesuffix(f" {code}")


def _cover(provider: Decimal | None, waiting: Decimal, paid: Decimal) -> object:
    """Return how many days the float lasts; a dash where nothing is known or was paid."""
    if provider is None:
        return "-"
    if not paid:
        return status_badge("too little", "bad") if provider < waiting else "-"
    days = (provider - waiting) / (paid / DAYS)
    words = "over 999" if days > 999 else f"{days:,.1f}"
    return status_badge(words, "bad") if days < _LOW_COVER else words


def _use(position: Decimal, limit: Decimal) -> object:
    if not limit:
        return "-" if not position else status_badge("no limit", "bad")
    used = abs(position) / limit
    words = f"{used * 100:,.0f} %"
    return status_badge(words, "bad") if used >= _HIGH_USE else words


def _days() -> list[date]:
    today = timezone.now().date()
    return [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]


def _float(code: str) -> Section:
    """Return the provider's balance at the end of each reconciled day."""
    lines = ReconciliationLine.objects.filter(
        kind=LineKind.BALANCE,
        currency=code,
        their_amount__isnull=False,
        report__day__gte=_days()[0],
        report__balances_at__isnull=False,
    ).order_by("report__balances_at")
    # A day that was reconciled again has the balance that was read last.
    found: dict[date, Any] = {}
    for day, *point in lines.values_list("report__day", "report__balances_at", "their_amount"):
        found[day] = point
    points: list[tuple[datetime, Decimal]] = sorted(found.values())
    title = f"Float, {code}, last {DAYS} days"
    chart = step_chart(
        title=title,
        description=f"{len(points)} readings. The last: "
        f"{format_money(points[-1][1], code) if points else 'none'}.",
        times=[at for at, _ in points],
        lines=[("Float", [amount for _, amount in points])],
        until=timezone.now(),
        label=lambda value: f"{format_compact(value)} {code}",
        name="float",
    )
    rows = [(format_time(at), _amount(amount, code)) for at, amount in reversed(points)]
    headings = ("Read (UTC)", "Float")
    return Section(title, headings, rows, right=(1,), empty="No readings yet.", chart=chart)


def _flows(code: str) -> Section:
    """Return the money that came in and went out on each day."""
    days = _days()
    start = datetime.combine(days[0], time(), UTC)
    arrived = Deposit.objects.filter(
        # Ids grow with time and have an index; a deposit completes days after its creation at most.
        pk__gte=first_id_at(start - timedelta(days=DAYS)),
        currency=code,
        status__in=(DepositStatus.COMPLETED, DepositStatus.REVERSED),
        decided_at__gte=start,
    )
    left = Withdrawal.objects.filter(
        status=WithdrawalStatus.COMPLETED, currency=code, updated_at__gte=start
    )
    came = _sum_by_day(arrived, "decided_at", "amount")
    went = _sum_by_day(left, "updated_at", "disburse_amount")
    both = [(day, came.get(day, _NONE), went.get(day, _NONE)) for day in days]
    title = f"Money in and out, {code}, last {DAYS} days"
    total_in, total_out = sum(came.values(), _NONE), sum(went.values(), _NONE)
    note = f"{format_money(total_in, code)} in, {format_money(total_out, code)} out."
    chart = stacked_bars(
        name="flows",
        title=title,
        description=note,
        series=("In", "Out"),
        columns=[(f"{day:%d %b}", (int(into), int(out))) for day, into, out in both],
    )
    rows = [
        (f"{day}", _amount(into, code), _amount(out, code), _amount(into - out, code))
        for day, into, out in reversed(both)
        if into or out
    ]
    headings = ("Day (UTC)", "In", "Out", "Net")
    return Section(
        title, headings, rows, right=(1, 2, 3), empty="No money moved.", note=note, chart=chart
    )


def _sum_by_day(rows: QuerySet[Any], moment: str, amount: str) -> dict[date, Decimal]:
    """Return the sums of the column `amount` by the UTC day of `moment`."""
    days = rows.order_by().annotate(day=TruncDate(moment)).values_list("day")
    return dict(days.annotate(total=Sum(amount)))
