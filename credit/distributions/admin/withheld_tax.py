"""The page of the tax withheld, for each issuer and month of a year, and its CSV."""

import io
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from credit.distributions.withheld_tax import WithheldTax, read_withheld_tax
from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import record_link
from exchange.admin.forms import fieldsets_of
from exchange.api.files import CSV as CSV_FILE
from exchange.api.files import file_response
from exchange.core.currencies import format_money
from exchange.exports.sheets import CSV, write_table
from exchange.participants.models import Organisation

TITLE = "Tax withheld"
FIRST_YEAR, LAST_YEAR = 2020, 2100
_HEADINGS = (
    "Month (UTC)", "Issuer", "Country", "Currency", "Taxed income", "Withheld", "Remitted",
    "Outstanding",
)  # fmt: skip


class YearForm(forms.Form):
    """The year."""

    year = forms.IntegerField(min_value=FIRST_YEAR, max_value=LAST_YEAR, help_text="UTC")


def withheld_tax_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show what was withheld in a year and what of it is remitted, or return it as CSV."""
    year = timezone.now().year
    form = YearForm(request.GET if "year" in request.GET else None, initial={"year": year})
    if form.is_bound and not form.is_valid():
        rows = []
    else:
        year = form.cleaned_data["year"] if form.is_bound else year
        rows = read_withheld_tax(year)
        if request.GET.get("form") == CSV:
            return file_response(_to_csv(rows), CSV_FILE, f"tax-withheld-{year}.csv")
    return page.page(
        request,
        "admin/wallets/ledger_report.html",
        TITLE,
        form=form,
        fieldsets=fieldsets_of(form),
        lede="By issuer and month of the payment. A remittance pays the tax of its currency that"
        " was withheld first.",
        facts=[("Year (UTC)", year)],
        sections=[Section(str(year), _HEADINGS, [_row(each) for each in rows], right=range(4, 8))]
        if rows
        else [],
        empty="No tax was withheld.",
        csv_url=f"?year={year}&form={CSV}",
    )


def _row(each: WithheldTax) -> tuple[object, ...]:
    def money(amount: Any) -> str:
        return format_money(amount, each.currency)

    return (
        f"{each.month:%Y-%m}",
        record_link(Organisation(pk=each.issuer_id, name=each.issuer)),
        each.country or "-",
        each.currency,
        *(money(getattr(each, name)) for name in ("gross", "tax", "remitted", "outstanding")),
    )


def _to_csv(rows: list[WithheldTax]) -> bytes:
    file = io.BytesIO()
    write_table(
        file,
        form=CSV,
        title=TITLE,
        headings=(*_HEADINGS, "Issuer ID"),
        rows=(
            (
                f"{each.month:%Y-%m}", each.issuer, each.country, each.currency, each.gross,
                each.tax, each.remitted, each.outstanding, str(each.issuer_id),
            )
            for each in rows
        ),
        as_of=timezone.now(),
    )  # fmt: skip
    return file.getvalue()
