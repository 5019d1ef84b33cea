"""Outcomes of loans. Their dates stay: the status is set as the passing of its date would set it.

A shortfall comes from a quote of its collateral by two people, which another quote of the former
prices follows in the same transaction: the valuation of this loan stays, until the next day's.
"""

from decimal import Decimal
from uuid import UUID

from django.db import transaction

from config.local.outcomes.people import FIRST, PREPARER, get_identity
from credit.loans.errors import LoanNotFound
from credit.loans.models import OPEN, Loan, LoanStatus, Shortfall
from credit.loans.selectors.loans import loans_of
from credit.loans.services.lending import lock_collateral, lock_loan
from credit.loans.services.loan_events import DEFAULTED, OVERDUE
from credit.loans.services.servicing import set_status
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import (
    cash_value,
    is_delisted,
    open_collateral,
    principal_owed,
    round_down,
    value_loan,
)
from exchange.core.errors import StateConflict
from exchange.tokens.models import Token
from exchange.tokens.services import quotes

_NOTE = "Outcome set at the sandbox by a client"
# How far below what is required the collateral is valued.
_BELOW = Decimal("0.9")


def fall_due(loan_id: UUID, organisation_id: UUID) -> None:
    """Make an ACTIVE loan OVERDUE. Raises `LoanNotFound`, `StateConflict`."""
    with transaction.atomic():
        loan = _lock(loan_id, organisation_id, LoanStatus.ACTIVE)
        set_status(loan, LoanStatus.OVERDUE, OVERDUE)


def default(loan_id: UUID, organisation_id: UUID) -> None:
    """Make a loan DEFAULTED, an ACTIVE one OVERDUE first. Raises as `fall_due`."""
    with transaction.atomic():
        loan = _lock(loan_id, organisation_id, LoanStatus.ACTIVE, LoanStatus.OVERDUE)
        if loan.status == LoanStatus.ACTIVE:
            set_status(loan, LoanStatus.OVERDUE, OVERDUE)
        set_status(loan, LoanStatus.DEFAULTED, DEFAULTED)


def open_shortfall(loan_id: UUID, organisation_id: UUID) -> None:
    """Open a shortfall of an open loan, by a lower price of its collateral while it is valued.

    Raises `LoanNotFound`, `StateConflict`, and as `quotes.propose`.
    """
    with transaction.atomic():
        # Tokens before the loan, as every valuation.
        lock_collateral(loan_id)
        loan = _lock(loan_id, organisation_id, *OPEN)
        shortfalls = Shortfall.objects.filter(loan=loan, cured_at__isnull=True)
        if shortfalls.exists():
            raise StateConflict("The loan has a shortfall already")
        found = value_loan(loan)
        cash = cash_value(loan)
        required = principal_owed(loan) / loan.collateral_ratio
        if found.value is None or found.value <= cash or required <= cash:
            raise StateConflict("No price of the collateral could open a shortfall of the loan")
        factor = min((required - cash) / (found.value - cash) * _BELOW, _BELOW)
        tokens = [token for _, token in open_collateral(loan) if not is_delisted(token)]
        for token in tokens:
            step = Decimal(1).scaleb(-token.currency.decimals)
            lower = round_down(token.price_sell * factor, token.currency.decimals)
            _quote(token, max(lower, step))
        revalue_collateral(loan)
        for token in tokens:
            _quote(token, token.price_sell)
        if not shortfalls.exists():
            raise StateConflict("No price of the collateral could open a shortfall of the loan")


def _quote(token: Token, sell: Decimal) -> None:
    """Quote `sell` with the other prices of a token unchanged, as two people."""
    prices = quotes.Prices(buy=token.price_buy, sell=sell, exchange=token.price_exchange)
    quote = quotes.propose(
        token_id=token.pk, prices=prices, user=get_identity(PREPARER), note=_NOTE
    )
    quotes.approve(quote_id=quote.pk, user=get_identity(FIRST), reason=_NOTE)


def _lock(loan_id: UUID, organisation_id: UUID, *wanted: LoanStatus) -> Loan:
    if not loans_of(organisation_id).filter(pk=loan_id).exists():
        raise LoanNotFound
    loan = lock_loan(pk=loan_id)
    if loan.status not in wanted:
        names = " or ".join(wanted)
        raise StateConflict(f"Only a loan that is {names} allows this: it is {loan.status}")
    return loan
