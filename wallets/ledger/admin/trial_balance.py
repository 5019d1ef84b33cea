"""The page of the trial balance, and its table as CSV."""

import io
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import format_time
from exchange.api.files import CSV as CSV_FILE
from exchange.api.files import file_response
from exchange.core.currencies import format_money
from exchange.exports.sheets import CSV, Cell, write_table
from wallets.ledger.admin.general_ledger import VIEW_ENTRIES
from wallets.ledger.selectors.general_ledger import KINDS, MAX_DAYS
from wallets.ledger.selectors.ledger import MAX_SUMMED_ENTRIES
from wallets.ledger.selectors.trial_balance import (
    CurrencyTotals,
    KindBalance,
    TrialBalance,
    read_trial_balance,
)

TITLE = "Trial balance"
_OWNERS = {"exchange": "The exchange", "organisation": "Organisations", "user": "Members"}
_NOTE = (
    "All accounts in currencies, read at one moment. Debit: what the exchange holds or is owed, and"
    " its costs. Credit: what it owes to owners, and its income. Balances of zero are left out."
)


def trial_balance_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show the trial balance as of now, or return it as CSV."""
    found = read_trial_balance()
    if found.complete and request.GET.get("form") == CSV:
        name = f"trial-balance-{found.as_of:%Y%m%d-%H%M%S}.csv"
        return file_response(_to_csv(found), CSV_FILE, name)
    may_open = page.may(request, VIEW_ENTRIES)
    return page.page(
        request,
        "admin/wallets/ledger_report.html",
        TITLE,
        facts=[("As of (UTC)", format_time(found.as_of)), ("Starts from", _source(found))],
        lede=_NOTE,
        warnings=[_unbalanced(each) for each in found.currencies if each.debit != each.credit],
        sections=[_section(each, found, linked=may_open) for each in found.currencies],
        empty=_unavailable(found) if not found.complete else "No balances.",
        csv_url=f"?form={CSV}" if found.complete else "",
    )


def _source(found: TrialBalance) -> str:
    if found.proved_at is None:
        return "First entry"
    return f"Ledger integrity check of {found.proved_at:%Y-%m-%d %H:%M} UTC"


def _unavailable(found: TrialBalance) -> str:
    if found.proved_at is None:
        return "Available after the first ledger integrity check."
    return (
        f"More than {MAX_SUMMED_ENTRIES:,} entries since the last ledger integrity check. Available"
        " after the next one."
    )


def _unbalanced(totals: CurrencyTotals) -> str:
    return (
        f"{totals.currency}: debits and credits differ by"
        f" {format_money(abs(totals.debit - totals.credit), totals.currency)}."
    )


def _section(totals: CurrencyTotals, found: TrialBalance, *, linked: bool) -> Section:
    def cell(amount: Decimal) -> str:
        return format_money(amount, totals.currency) if amount else ""

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
            _OWNERS[balance.owner],
            cell(balance.side.debit),
            cell(balance.side.credit),
        )
        for balance in totals.balances
    ]
    total = ("Total", "", cell(totals.debit), cell(totals.credit))
    return Section(
        totals.currency, ("Account", "Owner", "Debit", "Credit"), [*rows, total], right=(2, 3)
    )


def _to_csv(found: TrialBalance) -> bytes:
    file = io.BytesIO()
    write_table(
        file,
        form=CSV,
        title=TITLE,
        headings=("Currency", "Account", "Owner", "Debit", "Credit"),
        rows=_csv_rows(found),
        as_of=found.as_of,
    )
    return file.getvalue()


def _csv_rows(found: TrialBalance) -> Iterator[tuple[Cell, ...]]:
    for totals in found.currencies:
        for balance in totals.balances:
            yield (
                totals.currency,
                balance.kind.label,
                _OWNERS[balance.owner],
                balance.side.debit or None,
                balance.side.credit or None,
            )
        yield totals.currency, "Total", "", totals.debit, totals.credit
