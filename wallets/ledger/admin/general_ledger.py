"""The page of the general ledger: one account of the exchange over a period, and its CSV."""

import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import format_time
from exchange.admin.fields import DatePickerField
from exchange.admin.forms import add_form_error, fieldsets_of
from exchange.api.files import CSV as CSV_FILE
from exchange.api.files import file_response
from exchange.core.currencies import WALLET_CURRENCIES, format_money
from exchange.core.errors import InvalidRequest
from exchange.exports.sheets import CSV, Cell, write_table
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.selectors.general_ledger import (
    KINDS,
    MAX_DAYS,
    GeneralLedger,
    read_general_ledger,
)
from wallets.ledger.selectors.trial_balance import Side

TITLE = "General ledger"
VIEW_ENTRIES = "wallets.view_entry"
# Movements on the page; the CSV has all.
MOVEMENTS_SHOWN = 500
_PARAMETERS = ("kind", "currency", "first", "last")


class GeneralLedgerForm(forms.Form):
    """Account and days."""

    kind = forms.ChoiceField(
        label="Account", choices=[(kind.value, str(kind.label)) for kind in KINDS]
    )
    currency = forms.ChoiceField(choices=[(code, code) for code in WALLET_CURRENCIES])
    first = DatePickerField(label="From day", help_text="UTC")
    last = DatePickerField(label="To day", help_text=f"UTC, inclusive. At most {MAX_DAYS} days")


def general_ledger_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Ask for an account and days, and show its movements or return them as CSV."""
    chosen = any(name in request.GET for name in _PARAMETERS)
    today = timezone.now().date()
    month = {"first": today.replace(day=1), "last": today}
    form = GeneralLedgerForm(request.GET if chosen else None, initial=month)
    found = _read(form) if chosen and form.is_valid() else None
    context: dict[str, Any] = {}
    if found is not None:
        if request.GET.get("form") == CSV:
            name = f"general-ledger-{found.kind}-{found.currency}-{found.first}-{found.last}.csv"
            return file_response(_to_csv(found), CSV_FILE, name)
        query = request.GET.copy()
        query["form"] = CSV
        context = {
            "facts": [("As of (UTC)", format_time(found.as_of))],
            "comparison": _comparison(found),
            "sections": [_section(found)],
            "csv_url": f"?{query.urlencode()}",
        }
    return page.page(
        request,
        "admin/wallets/ledger_report.html",
        TITLE,
        form=form,
        fieldsets=fieldsets_of(form),
        lede="An account of the exchange from its opening to its closing balance.",
        **context,
    )


def _read(form: GeneralLedgerForm) -> GeneralLedger | None:
    """Return the general ledger; None with an error in the form."""
    data = form.cleaned_data
    try:
        return read_general_ledger(
            AccountKind(data["kind"]), data["currency"], data["first"], data["last"]
        )
    except InvalidRequest as error:
        add_form_error(form, error)
        return None


def _side_label(balance: Decimal) -> str:
    if not balance:
        return ""
    return "credit" if balance > 0 else "debit"


def format_balance(balance: Decimal, currency: str) -> str:
    """Return a balance of the ledger with its side: `12.00 KES debit`."""
    return f"{format_money(abs(balance), currency)} {_side_label(balance)}".rstrip()


def _comparison(found: GeneralLedger) -> Section:
    """Return the sums of the period, with those of the period before."""

    def money(amount: Decimal) -> str:
        return format_money(amount, found.currency)

    def balance(amount: Decimal) -> str:
        return format_balance(amount, found.currency)

    period, before = found.period, found.before
    headings, right = ["", str(period)], [1]
    rows = [
        ["Opening balance", balance(found.opening)],
        ["Debit", money(found.debit)],
        ["Credit", money(found.credit)],
        ["Closing balance", balance(found.closing)],
    ]
    if before is not None:
        headings, right = [*headings, str(period.previous), "Change"], [1, 2, 3]
        opening = found.opening - before.credit + before.debit
        rows[0] += [balance(opening), balance(found.opening - opening)]
        rows[1] += [money(before.debit), money(found.debit - before.debit)]
        rows[2] += [money(before.credit), money(found.credit - before.credit)]
        rows[3] += [balance(found.opening), balance(found.closing - found.opening)]
    return Section(f"{found.kind.label} {found.currency}", headings, rows, right=right)


def _section(found: GeneralLedger) -> Section:
    def cell(amount: Decimal) -> str:
        return format_money(amount, found.currency) if amount else ""

    def balance_cell(balance: Decimal) -> str:
        return format_balance(balance, found.currency)

    shown = found.movements[:MOVEMENTS_SHOWN]
    movements = [
        (
            format_time(each.created_at),
            format_html(
                '<a href="{}">{}</a>',
                reverse("admin:wallets_transfer_change", args=[each.transfer_id]),
                each.reference,
            ),
            _kind_label(each.kind),
            cell(each.side.debit),
            cell(each.side.credit),
            balance_cell(each.balance),
        )
        for each in shown
    ]
    title = f"{found.kind.label} {found.currency}, {found.first} to {found.last}"
    note = ""
    if len(shown) < len(found.movements):
        note = f"First {len(shown):,} of {len(found.movements):,} movements. The CSV has all."
    rows = [
        ("", "Opening balance", "", "", "", balance_cell(found.opening)),
        *movements,
        ("", "Closing balance", "", cell(found.debit), cell(found.credit),
         balance_cell(found.closing)),
    ]  # fmt: skip
    headings = ("Time (UTC)", "Reference", "Type", "Debit", "Credit", "Balance")
    return Section(title, headings, rows, right=(3, 4, 5), note=note)


def _kind_label(kind: str) -> str:
    return str(TransferKind(kind).label)


def _to_csv(found: GeneralLedger) -> bytes:
    file = io.BytesIO()
    write_table(
        file,
        form=CSV,
        title=TITLE,
        headings=(
            *("Time (UTC)", "Reference", "Type", "Debit", "Credit", "Balance", "Balance is"),
            *("Subject ID", "Transfer ID"),
        ),
        rows=_csv_rows(found),
        as_of=found.as_of,
    )
    return file.getvalue()


def _csv_rows(found: GeneralLedger) -> Iterator[tuple[Cell, ...]]:
    def balance(amount: Decimal) -> tuple[Cell, Cell]:
        return abs(amount), _side_label(amount)

    def side(amounts: Side) -> tuple[Cell, Cell]:
        return amounts.debit or None, amounts.credit or None

    yield None, "Opening balance", "", None, None, *balance(found.opening), "", ""
    for each in found.movements:
        yield (
            each.created_at,
            each.reference,
            _kind_label(each.kind),
            *side(each.side),
            *balance(each.balance),
            str(each.subject_id or ""),
            str(each.transfer_id),
        )
    yield (
        None,
        "Closing balance",
        "",
        *side(Side(found.debit, found.credit)),
        *balance(found.closing),
        "",
        "",
    )
