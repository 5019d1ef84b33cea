"""Distributions that are corrected: what holders were paid, and what is left to take back."""

from decimal import Decimal
from typing import Any

from credit.distributions.models import Distribution, Income
from tests.factories.distributions import (
    Holding,
    make_distribution,
    make_holding,
)
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, balance_of


def rows(distribution: Distribution) -> dict[Any, tuple[Any, ...]]:
    """Return gross, tax, net, what was recovered, and status of each owner's income."""
    names = ("owner_id", "gross", "tax", "net", "recovered", "status")
    found = Income.objects.filter(distribution=distribution).values_list(*names)
    return {owner: tuple(rest) for owner, *rest in found}


def spend(wallet: Wallet, left: int) -> None:
    """Leave `left` in the wallet of a member: its organisation receives the rest."""
    amount = Decimal(balance_of(wallet.owner_id, "NGN")) - left
    transfer(wallet, Wallet(wallet.organisation), amount, "NGN")


def pay_with_tax() -> tuple[Holding, Distribution]:
    """Pay 2.5 a unit, of which a tenth is withheld: 175 in all."""
    held = make_holding()
    set_tax_facts(held.token.issuer, tax_residence="NG")
    make_rate()
    return held, make_distribution(held.token, "Paid")
