"""The page of the trial balance, now or at the end of a period, and its table as CSV."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import format_time, record_link
from exchange.admin.fields import DatePickerField
from exchange.admin.forms import fieldsets_of
from exchange.api.files import CSV as CSV_FILE
from exchange.api.files import file_response
from exchange.core.currencies import format_money
from exchange.exports.sheets import CSV, Cell, write_table
from wallets.ledger.admin.general_ledger import VIEW_ENTRIES, format_balance
from wallets.ledger.periods import Period
from wallets.ledger.selectors.as_of import read_trial_balances
from wallets.ledger.selectors.general_ledger import KINDS, MAX_DAYS
from wallets.ledger.selectors.ledger import MAX_SUMMED_ENTRIES
from wallets.ledger.selectors.periods import find_close
from wallets.ledger.selectors.trial_balance import (
    CurrencyTotals,
    KindBalance,
    Side,
    TrialBalance,
    all_currencies,
    compare,
    read_trial_balance,
)

TITLE = "Trial balance"
_VIEW_CLOSES = "wallets.view_periodclose"
OWNERS = {"exchange": "The exchange", "organisation": "Organisations", "user": "Members"}
_NOTE = (
    "All accounts in currencies, read at one moment. Debit: what the exchange holds or is owed, and"
    " its costs. Credit: what it owes to owners, and its income. Balances of zero are left out."
)


class PeriodForm(forms.Form):
    """The month or day at whose end the balances are shown."""

    period = forms.ChoiceField(choices=[("month", "Month"), ("day", "Day")])
    day = DatePickerField(label="Of day", help_text="UTC. The balances at the end, or now")

    def clean_day(self) -> date:
        """Refuse a day in the future."""
        day: date = self.cleaned_data["day"]
        if day > timezone.now().date():
            raise forms.ValidationError("This day is in the future")
        return day


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The trial balance of a period and the one before it."""

    period: Period
    now: TrialBalance
    before: TrialBalance


def trial_balance_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show the trial balance as of now or of a period, or return it as CSV."""
    chosen = any(name in request.GET for name in ("period", "day"))
    today = timezone.now().date()
    form = PeriodForm(request.GET if chosen else None, initial={"period": "month", "day": today})
    if chosen and not form.is_valid():
        return _render(page, request, form, {})
    compared = _read(form.cleaned_data) if chosen else None
    found = compared.now if compared else read_trial_balance()
    complete = found.complete and (compared is None or compared.before.complete)
    if complete and request.GET.get("form") == CSV:
        return file_response(_to_csv(found, compared), CSV_FILE, _file_name(found, compared))
    may_open = page.may(request, VIEW_ENTRIES)
    query = request.GET.copy()
    query["form"] = CSV
    context = {
        "facts": [
            ("As of (UTC)", format_time(found.as_of)),
            ("Starts from", _source(found)),
            *(_period_facts(compared, linked=page.may(request, _VIEW_CLOSES)) if compared else ()),
        ],
        "warnings": [_unbalanced(each) for each in found.currencies if each.debit != each.credit],
        "sections": [
            _compared_section(compared, currency)
            for currency in all_currencies(compared.now, compared.before)
        ]
        if compared and complete
        else [_section(each, found, linked=may_open) for each in found.currencies],
        "empty": _unavailable(found, compared) if not complete else "No balances.",
        "csv_url": f"?{query.urlencode()}" if complete else "",
    }
    return _render(page, request, form, context)


def _render(
    page: SafeAdmin, request: HttpRequest, form: forms.Form, context: dict[str, Any]
) -> HttpResponse:
    return page.page(
        request,
        "admin/wallets/ledger_report.html",
        TITLE,
        form=form,
        fieldsets=fieldsets_of(form),
        lede=_NOTE,
        **context,
    )


def _read(data: dict[str, Any]) -> _Comparison:
    day: date = data["day"]
    period = Period.month_of(day) if data["period"] == "month" else Period(day, day)
    at: datetime = min(period.ends, timezone.now())
    now, before = read_trial_balances([at, period.begins])
    return _Comparison(period, now, before)


def _period_facts(compared: _Comparison, *, linked: bool) -> list[tuple[str, object]]:
    period = compared.period
    close = find_close(period.first.replace(day=1))
    month = f"{period.first:%B %Y}"
    status: object = f"{month}: open"
    if close is not None and close.decided_at is not None:
        name = record_link(close, f"{month}: closed") if linked else f"{month}: closed"
        status = format_html(
            "{} by {} and {} on {} UTC, SHA-256 {}",
            *(name, close.proposed_by, close.decided_by, format_time(close.decided_at)),
            close.pdf_sha256,
        )
    return [
        ("Period", str(period)),
        ("Compared with", str(period.previous)),
        ("Status", status),
    ]


def _source(found: TrialBalance) -> str:
    if found.proved_at is None:
        return "First entry"
    return f"Ledger integrity check of {found.proved_at:%Y-%m-%d %H:%M} UTC"


def _unavailable(found: TrialBalance, compared: _Comparison | None) -> str:
    if compared:
        return (
            f"More than {MAX_SUMMED_ENTRIES:,} entries near the end of this period or of the one"
            " before. The files of a closed month have its balances."
        )
    if found.proved_at is None:
        return "Available after the first ledger integrity check."
    return (
        f"More than {MAX_SUMMED_ENTRIES:,} entries since the last ledger integrity check. Available"
        " after the next one."
    )


def _money(amount: Decimal, currency: str) -> str:
    return format_money(amount, currency) if amount else ""


def _unbalanced(totals: CurrencyTotals) -> str:
    return (
        f"{totals.currency}: debits and credits differ by"
        f" {format_money(abs(totals.debit - totals.credit), totals.currency)}."
    )


def _section(totals: CurrencyTotals, found: TrialBalance, *, linked: bool) -> Section:
    def cell(amount: Decimal) -> str:
        return _money(amount, totals.currency)

    def account(balance: KindBalance) -> str:
        label = str(balance.kind.label)
        if not linked or balance.owner != "exchange" or balance.kind not in KINDS:
            return label
        days = {
            "first": (found.as_of - timedelta(days=MAX_DAYS - 1)).date(),
            "last": found.as_of.date(),
        }
        query = urlencode({"kind": balance.kind, "currency": totals.currency, **days})
        address = reverse("admin:wallets_entry_general_ledger")
        return format_html('<a href="{}?{}">{}</a>', address, query, label)

    rows: list[tuple[str, str, str, str]] = [
        (
            account(balance),
            OWNERS[balance.owner],
            cell(balance.side.debit),
            cell(balance.side.credit),
        )
        for balance in totals.balances
    ]
    total = ("Total", "", cell(totals.debit), cell(totals.credit))
    return Section(
        totals.currency, ("Account", "Owner", "Debit", "Credit"), [*rows, total], right=(2, 3)
    )


def _compared_section(compared: _Comparison, currency: str) -> Section:
    rows = [
        (
            str(each.kind.label),
            OWNERS[each.owner],
            _money(Side.of(each.now).debit, currency),
            _money(Side.of(each.now).credit, currency),
            format_balance(each.before, currency),
            format_balance(each.now - each.before, currency),
        )
        for each in compare(compared.now, compared.before, currency)
    ]
    totals = {each.currency: each for each in compared.now.currencies}.get(currency)
    if totals is not None:
        sums = (_money(totals.debit, currency), _money(totals.credit, currency))
        rows.append(("Total", "", *sums, "", ""))
    headings = ("Account", "Owner", "Debit", "Credit", str(compared.period.previous), "Change")
    return Section(currency, headings, rows, right=(2, 3, 4, 5))


def _file_name(found: TrialBalance, compared: _Comparison | None) -> str:
    if compared is None:
        return f"trial-balance-{found.as_of:%Y%m%d-%H%M%S}.csv"
    return f"trial-balance-{compared.period.first}-{compared.period.last}.csv"


def _to_csv(found: TrialBalance, compared: _Comparison | None) -> bytes:
    file = io.BytesIO()
    headings: tuple[str, ...] = ("Currency", "Account", "Owner", "Debit", "Credit")
    write_table(
        file,
        form=CSV,
        title=TITLE,
        headings=(*headings, "Debit before", "Credit before") if compared else headings,
        rows=_compared_rows(compared) if compared else _csv_rows(found),
        as_of=found.as_of,
    )
    return file.getvalue()


def _compared_rows(compared: _Comparison) -> Iterator[tuple[Cell, ...]]:
    for currency in all_currencies(compared.now, compared.before):
        for each in compare(compared.now, compared.before, currency):
            now, before = Side.of(each.now), Side.of(each.before)
            amounts = (now.debit, now.credit, before.debit, before.credit)
            yield currency, each.kind.label, OWNERS[each.owner], *(one or None for one in amounts)


def _csv_rows(found: TrialBalance) -> Iterator[tuple[Cell, ...]]:
    for totals in found.currencies:
        for balance in totals.balances:
            yield (
                totals.currency,
                balance.kind.label,
                OWNERS[balance.owner],
                balance.side.debit or None,
                balance.side.credit or None,
            )
        yield totals.currency, "Total", "", totals.debit, totals.credit
