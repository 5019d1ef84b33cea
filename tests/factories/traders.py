"""Traders with money and units, and the tokens they trade, made by services. See also `market`."""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.core.idempotency import IdempotencyClaim, StoredResponse
from exchange.participants.models import Organisation
from exchange.tokens.models import Token
from orders.book import services as placing
from orders.book.commands import PlaceOrder
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.tokens import make_token
from tests.factories.wallets import SYSTEM, Wallet, balance_of
from wallets.ledger.models import Entry


@dataclass(frozen=True)
class Trader:
    """An owner of orders: an organisation, a member, or an API key for an outside customer."""

    wallet: Wallet
    api_key_id: UUID | None = None

    @property
    def owner_id(self) -> UUID:
        return self.wallet.owner_id

    def submit_order(
        self,
        token: Token,
        side: str,
        price: str | int | Decimal | None,
        tokens: str | int | Decimal | None,
        *,
        claim: IdempotencyClaim | None = None,
        **more: Any,
    ) -> StoredResponse:
        """Submit an order and return the response; `more` goes to the request."""
        return placing.place_order(self.command(token, side, price, tokens, **more), claim=claim)

    def place(self, *order: Any, **more: Any) -> UUID:
        """Submit an order and return its id."""
        return UUID(json.loads(self.submit_order(*order, **more).data)["_id"])

    def command(
        self,
        token: Token,
        side: str,
        price: str | int | Decimal | None,
        tokens: str | int | Decimal | None,
        **more: Any,
    ) -> PlaceOrder:
        """Return the service's command for an order; `more` are further fields."""
        customer = (
            {"customer_name": "Jo", "customer_email": "jo@example.com"} if self.api_key_id else {}
        )
        values: dict[str, Any] = {
            "organisation": self.wallet.organisation.id,
            "member": self.wallet.member_id,
            "actor": str(SYSTEM),
            "api_key": self.api_key_id,
            "token": token.id,
            "type": side,
            "price": None if price is None else Decimal(price),
            "tokens": None if tokens is None else Decimal(tokens),
        }
        return PlaceOrder(**values | customer | more)

    def amend(self, order_id: UUID, **changes: Any) -> None:
        """Give an order a new `price` or `tokens`, if `expected_filled` is what is filled."""
        placing.amend_order(
            order_id=order_id,
            organisation_id=self.wallet.organisation.id,
            actor=TESTER,
            **changes,
        )

    def cancel(self, order_id: UUID) -> None:
        placing.cancel_order(
            order_id=order_id, organisation_id=self.wallet.organisation.id, actor=TESTER
        )

    def balance(self, asset: Token | UUID | str, kind: str = "available") -> Decimal | int:
        """Return the balance of one of the owner's accounts."""
        return balance_of(self.owner_id, asset, kind)

    def issue(self, **more: Any) -> Token:
        """List a token of this organisation with `make_token`, in KES and sold at 98."""
        sell = min(Decimal(98), more.get("price_buy", Decimal(98)))
        return make_token(
            self.wallet.organisation, **{"currency": "KES", "price_sell": sell, **more}
        )


def make_trader(
    amount: str | int | Decimal = 0,
    *,
    currency: str = "KES",
    organisation: Organisation | None = None,
    member: bool = False,
) -> Trader:
    """Make an organisation, or a member of one, with `amount` in its wallet."""
    owner = organisation or make_organisation()
    wallet = Wallet(owner, make_member(owner) if member else None)
    return Trader(wallet.fund(amount, currency) if amount else wallet)


def fee_income(currency: str) -> Decimal:
    """Return the fees that the exchange has earned in a currency."""
    found = Entry.objects.filter(account__owner_id=None, account__kind="fees", asset_id=currency)
    return sum(found.values_list("amount", flat=True), Decimal(0))
