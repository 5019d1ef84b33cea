"""Market value of units as collateral: `price.sell`, if fresh, of tokens that are not delisted.

A missing or stale price prevents a valuation; it never counts as zero. Exited and cancelled tokens
have no collateral value. Of a price that is older than the record of a distribution, what a unit
receives is taken off, as by the SQL function `collateral_value`; cash collateral counts, and also
what an issuer has paid in for it. What the units of a loan are still to pay to it counts as long as
it was taken off their prices. So a payment does not lower the value.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import ROUND_DOWN, Context, Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from credit.loans.models import Collateral, Loan, PriceDeduction
from credit.loans.services.facts import TokenFacts
from exchange.core.currencies import currencies
from exchange.core.database import fetch_one
from exchange.core.numbers import TOKEN_DECIMALS
from exchange.tokens.models import Token

PricedToken = Token | TokenFacts
# Multiplies without rounding; the default context has only 28 digits.
_EXACT = Context(prec=80)


@dataclass(frozen=True, slots=True)
class Pledge:
    """Units of one token, pledged or to be pledged."""

    token_id: UUID
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class CollateralValue:
    """Collateral value in its currency; None with a `problem` if it cannot be valued."""

    value: Decimal | None
    problem: str = ""
    delisted: tuple[str, ...] = ()


def price_problem(token: PricedToken) -> str:
    """Return why the token's price is unusable; empty if it is usable."""
    if token.price_sell <= 0 or token.quoted_at is None:
        return f"{token.symbol} has no price"
    if timezone.now() - token.quoted_at > timedelta(hours=settings.PRICE_MAX_AGE_HOURS):
        return f"The price of {token.symbol} is older than {_format_max_age()}"
    return ""


def is_delisted(token: PricedToken) -> bool:
    """Whether the token has exited or was cancelled, so has no collateral value."""
    return token.exited or token.cancelled


def awaits_proceeds(token: Token) -> bool:
    """Whether a final distribution pays for its units: one is pending, or the token has exited."""
    return token.units_held or token.exited


def deductions_of(token: PricedToken) -> list[Decimal]:
    """Return what the price of a unit still includes of payments recorded after its quote."""
    if isinstance(token, TokenFacts):
        return token.deductions
    found = PriceDeduction.objects.filter(token_id=token.id, record_at__gt=F("token__quoted_at"))
    return list(found.values_list("amount_per_unit", flat=True))


def value_units(token: PricedToken, quantity: Decimal) -> Decimal:
    """Return the value of units of a token with a usable price, not rounded."""
    value = _EXACT.multiply(token.price_sell, quantity)
    for each in deductions_of(token):
        decimals = currencies()[token.currency_id].decimals
        paid = round_down(_EXACT.multiply(each, quantity), decimals)
        value = _EXACT.subtract(value, paid)
    return max(value, Decimal(0))


def net_price(token: PricedToken) -> Decimal:
    """Return `price.sell` of a token less what its issuer has paid since; at least zero."""
    net = token.price_sell - sum(deductions_of(token), Decimal(0))
    return max(round_down(net, TOKEN_DECIMALS), Decimal(0))


def value_collateral(pledges: Iterable[tuple[PricedToken, Decimal]]) -> CollateralValue:
    """Return the total value of units of tokens of one currency, not rounded."""
    value = Decimal(0)
    problems: list[str] = []
    delisted: list[str] = []
    for token, quantity in pledges:
        if is_delisted(token):
            delisted.append(token.symbol)
        elif problem := price_problem(token):
            problems.append(problem)
        else:
            value = _EXACT.add(value, value_units(token, quantity))
    if problems:
        return CollateralValue(None, "; ".join(problems), tuple(delisted))
    return CollateralValue(value, "", tuple(delisted))


def lending_value(value: Decimal, ratio: Decimal) -> Decimal:
    """Return the principal that collateral of `value` covers at a ratio, not rounded."""
    return _EXACT.multiply(value, ratio)


def round_down(amount: Decimal, decimals: int) -> Decimal:
    """Round `amount` down to `decimals`."""
    return amount.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_DOWN, context=_EXACT)


def open_collateral(loan: Loan) -> list[tuple[Collateral, Token]]:
    """Return the collateral under lien for the loan, in the order of liquidation."""
    rows = (
        Collateral.objects.filter(loan=loan, quantity__gt=0)
        .select_related("token")
        .order_by("position")
    )
    return [(row, row.token) for row in rows]


def value_loan(loan: Loan) -> CollateralValue:
    """Return the value of a loan's collateral, cash included, not rounded."""
    found = value_collateral((token, row.quantity) for row, token in open_collateral(loan))
    if found.value is None:
        return found
    return replace(found, value=found.value + cash_value(loan))


def cash_value(loan: Loan) -> Decimal:
    """Return the cash collateral of a loan, with what issuers have paid in for it, or will in time
    and the older prices of the units include.
    """
    return loan.cash_collateral + loan.cash_funded + expected_in_prices(loan)


def expected_in_prices(loan: Loan) -> Decimal:
    """Return how much of `cash_expected` was taken off prices that are older than its record."""
    if not loan.cash_expected:
        return Decimal(0)
    row = fetch_one("SELECT cash_in_prices(%s)", [loan.pk])
    if row is None:
        raise RuntimeError("cash_in_prices returned no row")
    return Decimal(row[0])


def principal_owed(loan: Loan) -> Decimal:
    """Return the outstanding principal."""
    return loan.amount - loan.principal_repaid


def amount_owed(loan: Loan) -> Decimal:
    """Return the outstanding balance, interest included."""
    return loan.repayment_amount - loan.principal_repaid - loan.interest_repaid


def _format_max_age() -> str:
    hours: int = settings.PRICE_MAX_AGE_HOURS
    return f"{hours // 24} days" if hours % 24 == 0 else f"{hours} hours"
