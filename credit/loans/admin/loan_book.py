"""The loan book by loan-to-value: how close open loans are to their margin call."""

from decimal import Decimal
from itertools import pairwise

from django.db.models import Case, Count, F, IntegerField, Sum, Value, When
from django.http import HttpRequest, HttpResponse

from credit.loans.models import OPEN, Loan
from exchange.admin.bars import stacked_bars
from exchange.admin.base import SafeAdmin, Section
from exchange.core.currencies import format_money

TITLE = "Loan book"
# Ends of the shares of the maximum loan-to-value, in percent; the last one is the margin call.
_ENDS = (50, 70, 80, 90, 100)
_LABELS = (
    f"below {_ENDS[0]} %",
    *(f"{begin} to {end} %" for begin, end in pairwise(_ENDS)),
    "margin call",
    "not valued",
)
_MARGIN_CALL = len(_ENDS)
_LEDE = (
    "Open loans by their last valuation: loan-to-value as a share of the loan's maximum. From"
    " 100 % on there is a margin call."
)


def loan_book_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show the number and the outstanding amounts of open loans by loan-to-value."""
    counts = [0] * len(_LABELS)
    amounts: list[list[str]] = [[] for _ in _LABELS]
    for place, currency, count, owed in _totals():
        counts[place] += count
        amounts[place].append(format_money(owed, currency))
    chart = stacked_bars(
        name="book",
        title="Open loans by share of the maximum loan-to-value",
        description=f"{sum(counts):,} open loans, {counts[_MARGIN_CALL]:,} with a margin call.",
        series=("Open loans", "Margin call"),
        columns=[
            (label, (0, count) if place == _MARGIN_CALL else (count, 0))
            for place, (label, count) in enumerate(zip(_LABELS, counts, strict=True))
        ],
    )
    rows = [
        (label.capitalize(), f"{count:,}", ", ".join(owed) or "-")
        for label, count, owed in zip(_LABELS, counts, amounts, strict=True)
    ]
    headings = ("Share of the maximum", "Loans", "Outstanding")
    section = Section("Open loans", headings, rows, right=(1, 2), chart=chart)
    return page.page(
        request, "admin/wallets/ledger_report.html", TITLE, lede=_LEDE, sections=[section]
    )


def _totals() -> list[tuple[int, str, int, Decimal]]:
    """Return place in `_LABELS`, currency, number and outstanding amount; interest included."""
    ends = [
        When(valuation__loan_to_value__lt=F("collateral_ratio") * Decimal(end) / 100, then=place)
        for place, end in enumerate(_ENDS)
    ]
    unknown = When(valuation__loan_to_value__isnull=True, then=_MARGIN_CALL + 1)
    place = Case(unknown, *ends, default=Value(_MARGIN_CALL), output_field=IntegerField())
    return list(
        Loan.objects.filter(status__in=OPEN)
        .annotate(place=place)
        .order_by("place", "currency_id")
        .values_list("place", "currency_id")
        .annotate(
            count=Count("pk"),
            owed=Sum(F("repayment_amount") - F("interest_repaid") - F("principal_repaid")),
        )
    )
