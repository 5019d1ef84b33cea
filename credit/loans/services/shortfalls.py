"""Collateral coverage: value a loan, open and cure its shortfall (margin call).

A price below the required level, or delisted collateral, opens a shortfall and emits an event; the
loan itself does not change. What issuers will pay in for the loan, and are not late with, prevents
it. A missing or stale price is recorded and leaves the shortfall as it is.
"""

from decimal import Decimal

from django.utils import timezone

from credit.loans.models import OPEN, Loan, Shortfall, Valuation
from credit.loans.services.loan_events import SHORTFALL, emit_loan_event
from credit.loans.services.valuation import (
    CollateralValue,
    expected_in_prices,
    lending_value,
    principal_owed,
    value_loan,
)
from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain, round_half_even

_RATIO_DECIMALS = 8
# Larger ratios would exceed the column and carry no information.
_LARGEST_RATIO = Decimal(10) ** 11


def revalue_collateral(loan: Loan) -> Valuation:
    """Value the collateral of a locked loan, and open or cure its shortfall."""
    now = timezone.now()
    found = value_loan(loan)
    owing = principal_owed(loan)
    valuation, _ = Valuation.objects.update_or_create(
        loan=loan,
        defaults={
            "value": _rounded(found.value, loan),
            "loan_to_value": _loan_to_value(owing, found.value),
            "problem": found.problem[:300],
            "valued_at": now,
        },
    )
    shortfall = Shortfall.objects.filter(loan=loan, cured_at__isnull=True).first()
    if loan.status not in OPEN:
        _cure_shortfall(shortfall)
    elif found.value is not None:
        if lending_value(found.value, loan.collateral_ratio) >= owing:
            _cure_shortfall(shortfall)
        elif shortfall is None and not _is_covered_soon(loan, found.value, owing):
            _open_shortfall(loan, found, owing)
    return valuation


def _is_covered_soon(loan: Loan, value: Decimal, owing: Decimal) -> bool:
    """Whether it is enough with what issuers will pay in for the loan, and are not late with."""
    expected = loan.cash_expected - expected_in_prices(loan)
    return lending_value(value + expected, loan.collateral_ratio) >= owing


def _open_shortfall(loan: Loan, found: CollateralValue, owing: Decimal) -> None:
    value = _rounded(found.value, loan) or Decimal(0)
    required = _rounded(owing / loan.collateral_ratio, loan) or Decimal(0)
    cause = (
        f"{', '.join(found.delisted)} ended"
        if found.delisted
        else "The price of the collateral fell"
    )
    shortfall = Shortfall.objects.create(
        loan=loan, cause=cause[:300], required=required, value=value, opened_at=timezone.now()
    )
    emit_loan_event(
        loan,
        SHORTFALL,
        f',"shortfall":{{"id":"{shortfall.id}","collateral_value":{format_plain(value)},'
        f'"required_value":{format_plain(required)}}}',
    )


def _cure_shortfall(shortfall: Shortfall | None) -> None:
    if shortfall is not None:
        shortfall.cured_at = timezone.now()
        shortfall.save(update_fields=["cured_at"])


def _loan_to_value(owing: Decimal, value: Decimal | None) -> Decimal | None:
    if not value or owing / value > _LARGEST_RATIO:
        return None
    return round_half_even(owing / value, _RATIO_DECIMALS)


def _rounded(value: Decimal | None, loan: Loan) -> Decimal | None:
    return (
        None if value is None else round_half_even(value, currencies()[loan.currency_id].decimals)
    )
