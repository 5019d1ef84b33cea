"""Traders with money and units, and tokens they trade: by services, in any currency."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import UUID

from exchange.models import Organisation, Token
from orders.services import placing
from tests.support.access import TESTER, make_member, make_organisation
from tests.support.world import SYSTEM, Wallet
from wallets.ledger import Leg, open_account, post_transfer
from wallets.models import Account, AccountKind, Entry, TransferKind
from wallets.services.listings import Listing, list_token

_numbers: Iterator[int] = count(1)


@dataclass(frozen=True)
class Trader:
    """Who places orders: an organisation, a member, or a key for an outside customer."""

    wallet: Wallet
    api_key_id: UUID | None = None

    @property
    def owner_id(self) -> UUID:
        return self.wallet.owner_id

    def place(
        self,
        token: Token,
        side: str,
        price: str | int | Decimal,
        tokens: str | int | Decimal,
        **more: Any,
    ) -> UUID:
        """The id of the new order; `more` goes to the request."""
        customer = placing.Customer("Jo", "jo@example.com") if self.api_key_id else None
        answer = placing.place(
            organisation_id=self.wallet.organisation.id,
            member_id=self.wallet.member_id,
            request=placing.OrderRequest(
                token_id=token.id,
                type=side,
                price=Decimal(price),
                tokens=Decimal(tokens),
                customer=customer,
                **more,
            ),
            actor=SYSTEM,
            api_key_id=self.api_key_id,
        )
        return UUID(json.loads(answer.data)["_id"])

    def cancel(self, order_id: UUID) -> None:
        placing.cancel(order_id=order_id, organisation_id=self.wallet.organisation.id, actor=TESTER)

    def has(self, asset: object, kind: str = "available") -> Decimal | int:
        """What is in one of the owner's accounts; 0 where there is none."""
        found = Account.objects.filter(owner_id=self.owner_id, asset_id=str(asset), kind=kind)
        return found.values_list("balance", flat=True).first() or 0


def make_trader(
    amount: str | int | Decimal = 0,
    *,
    currency: str = "KES",
    organisation: Organisation | None = None,
    member: bool = False,
) -> Trader:
    """An organisation, or a member of one, with `amount` in its wallet."""
    owner = organisation or make_organisation()
    wallet = Wallet(owner, make_member(owner) if member else None)
    return Trader(wallet.fund(amount, currency) if amount else wallet)


def make_token(issuer: Trader, **more: Any) -> Token:
    """A token of `issuer` without fees: 1,000 units in KES, tradable unless it has a raise."""
    facts: dict[str, Any] = {
        "name": "Rift Valley Tea",
        "symbol": f"T{next(_numbers)}",
        "currency": "KES",
        "investment_type": "Debt",
        "investment_category": "Debt Note",
        "total_supply": Decimal(1000),
        "price_buy": Decimal(100),
        "price_sell": Decimal(98),
        "secondaries": "raise_amount" not in more,
    }
    listing = Listing(**{**facts, **more})
    return list_token(issuer_id=issuer.wallet.organisation.id, listing=listing, actor=SYSTEM)


def give_units(token: Token, issuer: Trader, shares: dict[Trader, Decimal]) -> None:
    """Moves units from the issuer to others, as if they had been allotted to them."""

    def account(trader: Trader) -> UUID:
        return open_account(
            str(token.id),
            AccountKind.AVAILABLE,
            organisation_id=trader.wallet.organisation.id,
            member_id=trader.wallet.member_id,
        )

    legs = [Leg(account(trader), units) for trader, units in shares.items()]
    post_transfer(
        kind=TransferKind.UNITS_ISSUE,
        reference=f"token:{token.id}:allot",
        subject_id=token.id,
        actor=SYSTEM,
        legs=[*legs, Leg(account(issuer), -sum(shares.values(), Decimal(0)))],
    )


def fee_income(currency: str) -> Decimal:
    """What the exchange has earned in a currency."""
    found = Entry.objects.filter(account__owner_id=None, account__kind="fees", asset_id=currency)
    return sum(found.values_list("amount", flat=True), Decimal(0))
