"""What units are worth as collateral: price.sell, when it is fresh, of tokens that still live.

A missing or stale price blocks; it never counts as zero. A token that has exited or was cancelled
is known to cover nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_DOWN, Context, Decimal
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from credit.loans.models import Collateral, Loan
from credit.loans.services.facts import TokenFacts
from exchange.tokens.models import Token

PricedToken = Token | TokenFacts
# Prices, units and rates multiply without being rounded: the default context has 28 digits.
_EXACT = Context(prec=80)


@dataclass(frozen=True, slots=True)
class Pledge:
    """Units of one token, pledged or to be pledged."""

    token_id: UUID
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class CollateralValue:
    """What collateral is worth in its currency; `problem` says why it cannot be told."""

    value: Decimal | None
    problem: str = ""
    ended: tuple[str, ...] = ()


def price_problem(token: PricedToken) -> str:
    """Why the token's price cannot be relied on; empty when it can."""
    if token.price_sell <= 0 or token.quoted_at is None:
        return f"{token.symbol} has no price"
    if timezone.now() - token.quoted_at > timedelta(hours=settings.PRICE_MAX_AGE_HOURS):
        return f"The price of {token.symbol} is older than {_format_max_age()}"
    return ""


def is_delisted(token: PricedToken) -> bool:
    """Whether the token covers nothing any more."""
    return token.exited or token.cancelled


def value_collateral(pledges: Iterable[tuple[PricedToken, Decimal]]) -> CollateralValue:
    """What units of tokens of one currency are worth together; not rounded."""
    value = Decimal(0)
    problems: list[str] = []
    ended: list[str] = []
    for token, quantity in pledges:
        if is_delisted(token):
            ended.append(token.symbol)
        elif problem := price_problem(token):
            problems.append(problem)
        else:
            value = _EXACT.fma(token.price_sell, quantity, value)
    if problems:
        return CollateralValue(None, "; ".join(problems), tuple(ended))
    return CollateralValue(value, "", tuple(ended))


def lending_value(value: Decimal, ratio: Decimal) -> Decimal:
    """The principal that collateral worth `value` covers at a ratio; not rounded."""
    return _EXACT.multiply(value, ratio)


def round_down(amount: Decimal, decimals: int) -> Decimal:
    """`amount` rounded down to `decimals`."""
    return amount.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_DOWN, context=_EXACT)


def open_collateral(loan: Loan) -> list[tuple[Collateral, Token]]:
    """What is still liened for the loan, in the order in which it would be liquidated."""
    rows = (
        Collateral.objects.filter(loan=loan, quantity__gt=0)
        .select_related("token")
        .order_by("position")
    )
    return [(row, row.token) for row in rows]


def principal_owed(loan: Loan) -> Decimal:
    """What is still to be paid of the amount lent."""
    return loan.amount - loan.principal_repaid


def amount_owed(loan: Loan) -> Decimal:
    """What is still to be paid in all."""
    return loan.repayment_amount - loan.principal_repaid - loan.interest_repaid


def _format_max_age() -> str:
    hours: int = settings.PRICE_MAX_AGE_HOURS
    return f"{hours // 24} days" if hours % 24 == 0 else f"{hours} hours"
