"""A lender with a loan configuration, a borrower with units, and tokens to pledge.

Expected amounts are computed here in exact fractions, never by the code under test.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from credit.configurations.models import Access, ConfigurationVersion, LoanConfiguration
from credit.loans.models import Loan
from credit.loans.services.assessing import LoanRequest
from credit.loans.services.lending import create_loan
from credit.loans.services.valuation import Pledge
from exchange.tokens.models import Token
from exchange.tokens.services.quotes import Prices
from tests.factories.api_clients import TESTER
from tests.factories.loan_configurations import make_configuration
from tests.factories.quotes import set_effective_quote
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, make_member_wallet, make_wallet

# Decimals of the currencies that tests lend (ISO 4217).
DECIMALS = {"NGN": 2, "KES": 2, "UGX": 0}


def round_half_even(exact: Fraction, decimals: int) -> Decimal:
    """Round `exact` to so many decimals, half to even."""
    below, rest = divmod(exact * 10**decimals, 1)
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2 == 1)
    return Decimal(int(below) + up).scaleb(-decimals)


def max_repayment(amount: Decimal, rate: Decimal, months: Decimal | int, currency: str) -> Decimal:
    """Return amount * (1 + rate * months), rounded half to even in the currency (decisions §7)."""
    exact = Fraction(amount) * (1 + Fraction(rate) * Fraction(months))
    return round_half_even(exact, DECIMALS[currency])


@dataclass
class Lending:
    """A creditor with 5,000,000 NGN and its offer, and a borrower with a token priced 10,000."""

    creditor: Wallet
    borrower: Wallet
    offer: LoanConfiguration
    token: Token
    more: dict[str, Any] = field(default_factory=dict)

    def request(self, **changes: Any) -> LoanRequest:
        """Return a request for 840,000 over 3 months at 0.3 against 105 units; repays 1,596,000."""
        amount = Decimal(changes.pop("amount", 840_000))
        duration = Decimal(changes.pop("duration", 3))
        rate = Decimal(str(changes.pop("interest_rate", "0.3")))
        currency = changes.pop("currency", "NGN")
        facts: dict[str, Any] = {
            "user_id": self.borrower.member_id,
            "configuration_id": self.offer.id,
            "repayment_amount": max_repayment(amount, rate, duration, currency),
            "collaterals": (Pledge(self.token.id, Decimal(changes.pop("units", 105))),),
            **changes,
        }
        return LoanRequest(
            amount=amount, duration=duration, interest_rate=rate, currency=currency, **facts
        )

    def lend(self, **changes: Any) -> Loan:
        """Make the loan of `request(**changes)`."""
        return create_loan(
            organisation_id=self.borrower.organisation.id,
            request=self.request(**changes),
            actor=TESTER,
        )

    def set_price(self, sell: str | int) -> None:
        """Set a new quote of the token."""
        set_effective_quote(
            token_id=self.token.id, prices=Prices(Decimal(sell), Decimal(sell)), note="test"
        )


def make_lending(*, units: int = 1000, **terms: Any) -> Lending:
    """Make the records of `Lending`; the borrower holds `units` of the token."""
    creditor = make_wallet(5_000_000, currency="NGN")
    borrower = make_member_wallet(100, currency="NGN")
    token = make_token(
        name="Savannah Foods",
        price_buy=Decimal(10_000),
        price_sell=Decimal(10_000),
        total_supply=Decimal(10_000),
    )
    give_units(token, borrower, units)
    offer = make_configuration(creditor.organisation, **{"access": Access.PUBLIC, **terms})
    return Lending(creditor, borrower, offer, token)


def effective_version(configuration_id: UUID) -> ConfigurationVersion | None:
    """Return the version that loans are made under, or the last one of a retired configuration."""
    return ConfigurationVersion.objects.filter(
        configuration_id=configuration_id, status="Approved"
    ).first()
