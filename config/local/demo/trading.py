"""Lists and trades the demo tokens: listings, raises, quotes, trades and order books.

Created by the services that clients and staff use, with reproducible numbers, one transaction per
token. Existing tokens stay unchanged. Events are marked as unsent.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from uuid import UUID

from django.db import transaction

from config.local.demo.tokens import LOTS, TOKENS, TRADED, USD_RATES, DemoToken, Stage, round_money
from exchange.core.actors import Actor
from exchange.events.services.outbox import mark_unsent
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from exchange.tokens.models import DealAccess, Quote, Token, TokenType
from exchange.tokens.services import quotes, tokens
from orders.book.commands import PlaceOrder
from orders.book.models import OrderType, Trade
from orders.book.services import place_order
from orders.listings.models import TokenAction, TokenProposal
from orders.listings.services import lifecycle, proposals
from orders.listings.services.listing import Listing, list_token
from orders.listings.services.terms import NewTerms, propose_terms

_ACTOR = Actor.system("demo")
# Shares of the remaining units for the first two market makers; the last one gets the rest.
_MAKER_SHARES = (Decimal("0.45"), Decimal("0.35"))
# The share of a token without a raise that its issuer sells to the market makers.
_LISTED_SHARE = Decimal("0.3")
_TRADES = 6
_LEVELS = 5
# Percent between the quote and the first level of a book, and between two levels.
_FIRST_LEVEL = Decimal("0.4")
_NEXT_LEVEL = Decimal("0.6")
# Quotes pending approval, in percent of the current ones.
_PENDING_QUOTES = {"EKOH": 102, "ZUMA": 99}
# Interest pending approval, percent a year.
_PENDING_INTEREST = {"RVTN": Decimal("13.5")}


@dataclass(frozen=True, slots=True)
class Trader:
    """A wallet owner: an organisation, or one of its members."""

    slug: str
    organisation: Organisation
    member: Member | None = None

    @property
    def key(self) -> str:
        """A unique key of the trader."""
        return self.member.email if self.member else self.slug

    @property
    def lots(self) -> int:
        """The size of the trader's investments, in lots of a private person."""
        return 1 if self.member else 8


@dataclass(frozen=True, slots=True)
class Market:
    """Who takes part: `traders` sign in, `market_makers` hold and trade the most."""

    issuers: Mapping[str, Trader]
    traders: Sequence[Trader]
    market_makers: Sequence[Trader]
    proposer: StaffUser
    approver: StaffUser
    second_approver: StaffUser
    base_url: str


def load_tokens(market: Market) -> list[Token]:
    """List the missing tokens and update the URLs of logos; return all demo tokens.

    Tokens visible to every demo organisation come first, cancelled ones last.
    """
    existing = {
        token.symbol: token
        for token in Token.objects.filter(symbol__in=[about.symbol for about in TOKENS])
    }
    # Lists show the newest token first, so the first of the file is listed last.
    for about in reversed(TOKENS):
        token = existing.get(about.symbol)
        if token is None:
            with transaction.atomic():
                existing[about.symbol] = _TokenLoader(about, market).run()
        elif token.issuer_id != market.issuers[about.issuer].organisation.id:
            del existing[about.symbol]  # the symbol belongs to another issuer
        elif token.image.endswith(about.logo) and token.image != market.base_url + about.logo:
            # The address of the service has changed since the last start.
            Token.objects.filter(id=token.id).update(image=market.base_url + about.logo)
    ordered = sorted(
        (about for about in TOKENS if about.symbol in existing),
        key=lambda about: (about.stage is Stage.CANCELLED, about.granted is not None),
    )
    return [existing[about.symbol] for about in ordered]


class _TokenLoader:
    """Lists one token and brings it to its stage."""

    def __init__(self, about: DemoToken, market: Market) -> None:
        self._about = about
        self._market = market
        self._issuer = market.issuers[about.issuer]
        self._issuer_id = self._issuer.organisation.id
        self._held: dict[Trader, Decimal] = defaultdict(Decimal)
        self._orders: list[UUID] = []
        self._lot = LOTS[about.currency]
        self._investors = [trader for trader in market.traders if self._invests(trader)]
        self._token = self._list()

    def run(self) -> Token:
        """Bring the listed token to its stage."""
        about = self._about
        if about.has_raise:
            self._raise()
        else:
            self._float()
        if about.stage in {Stage.TRADING, Stage.CLOSED}:
            self._decide(TokenAction.SECONDARIES, "The raise is complete")
        self._quote()
        if about.stage in TRADED | {Stage.CLOSED}:
            self._trade()
        if about.stage in TRADED:
            self._fill_book()
        match about.stage:
            case Stage.SOLD:
                self._propose_action(TokenAction.SECONDARIES, "The raise is complete")
            case Stage.CLOSED:
                lifecycle.close_token(token_id=self._token.id, user=self._market.approver)
            case Stage.EXITED:
                self._decide(TokenAction.EXIT, "The investment was sold")
            case Stage.CANCELLED:
                self._decide(TokenAction.CANCEL, "The issuer withdrew the offer")
        self._mark_events_unsent()
        self._token.refresh_from_db()
        return self._token

    # --- listing and first sale -------------------------------------------------------------------

    def _list(self) -> Token:
        about = self._about
        lowest, highest = about.band
        members = [trader.member for trader in self._market.traders if trader.member]
        own = [member for member in members if member.organisation_id == self._issuer_id]
        token = list_token(
            issuer_id=self._issuer_id,
            listing=Listing(
                name=about.name,
                symbol=about.symbol,
                currency=about.currency,
                investment_type=about.investment_type,
                investment_category=about.category,
                total_supply=Decimal(about.units),
                price_buy=about.issue_price,
                price_sell=about.selling_quote(about.issue_price),
                price_exchange=USD_RATES[about.currency],
                offered=Decimal(about.offered_units) if about.has_raise else None,
                raise_amount=about.raise_amount,
                secondaries=not about.has_raise,
                type=TokenType.PRIVATE if about.private else TokenType.PUBLIC,
                deal_access=DealAccess.PUBLIC if about.granted is None else DealAccess.PRIVATE,
                payout_frequency=about.pays,
                image=self._market.base_url + about.logo,
                listing_reference=f"REQ-{1001 + TOKENS.index(about)}",
                creator_id=own[self._pseudo_random("creator") % len(own)].id if own else None,
                min_buy=lowest,
                min_sell=lowest,
                max_buy=highest,
                max_sell=highest,
                min_trade_buy=about.min_trade,
                min_trade_sell=about.min_trade,
                max_trade_buy=about.max_trade,
                max_trade_sell=about.max_trade,
                buy_fee=Decimal(about.fees.buy),
                sell_fee=Decimal(about.fees.sell),
                carry=Decimal(about.fees.carry),
                management_fee=Decimal(about.fees.management),
                discount=about.discount,
                interest=about.interest,
                dividend=about.dividend,
                tenor=about.tenor,
                valuation=about.valuation,
                post_raise_valuation=about.post_raise_valuation,
                esop_token=about.esop,
            ),
            actor=_ACTOR,
        )
        if about.granted is not None:
            seeing = {trader.slug: trader for trader in self._market.traders}
            seen_by = (*(seeing[slug] for slug in about.granted), *self._market.market_makers)
            for organisation_id in {trader.organisation.id for trader in seen_by}:
                if organisation_id != self._issuer_id:
                    tokens.grant_access(token_id=token.id, organisation_id=organisation_id)
        return token

    def _raise(self) -> None:
        """Sell what the raise has sold so far: to investors, the rest to the market makers."""
        price, left = self._about.issue_price, Decimal(self._about.sold_units)
        for trader in self._investors:
            units = min(left, _round(self._investment(trader) / price))
            if units:
                self._buy(trader, units, price)
                left -= units
        for maker, units in self._split_between_makers(left).items():
            if units:
                self._buy(maker, units, price)

    def _float(self) -> None:
        """Sell some units of a token without a raise in the market."""
        price = self._about.issue_price
        wanted = {trader: _round(self._investment(trader) / price) for trader in self._investors}
        wanted |= self._split_between_makers(self._about.units * _LISTED_SHARE)
        self._sell(self._issuer, sum(wanted.values(), Decimal(0)), price)
        for trader, units in wanted.items():
            self._buy(trader, units, price)

    # --- quotes -----------------------------------------------------------------------------------

    def _quote(self) -> None:
        """Change the quotes from the raise's price to the current one in two steps."""
        about = self._about
        if about.price != about.issue_price:
            for part in (50, 100):
                price = about.price_between(part)
                quote = self._propose(price, "Monthly valuation")
                quotes.approve(
                    quote_id=quote.id,
                    user=self._market.approver,
                    reason="Compared with the valuation",
                )
        if about.symbol in _PENDING_QUOTES:
            self._propose(
                about.shifted_quote(Decimal(_PENDING_QUOTES[about.symbol] - 100)),
                "Revaluation of the assets",
            )
        if interest := _PENDING_INTEREST.get(about.symbol):
            self._propose_interest(interest)

    def _propose_action(self, action: TokenAction, explanation: str) -> TokenProposal:
        return proposals.propose_token_action(
            token_id=self._token.id,
            action=action,
            explanation=explanation,
            user=self._market.second_approver,
        )

    def _decide(self, action: TokenAction, explanation: str) -> None:
        proposal = self._propose_action(action, explanation)
        proposals.confirm_token_action(proposal_id=proposal.id, user=self._market.approver)

    def _propose_interest(self, interest: Decimal) -> None:
        token = Token.objects.get(pk=self._token.pk)
        terms = NewTerms(
            issue_price=self._about.issue_price,
            interest=interest,
            tenor=token.tenor,
            payout_frequency=token.payout_frequency,
            completed_on=token.completed_at and token.completed_at.date(),
        )
        propose_terms(
            token_id=token.pk,
            terms=terms,
            explanation="Holders agreed to a lower rate for a longer guarantee",
            user=self._market.proposer,
        )

    def _propose(self, price: Decimal, note: str) -> Quote:
        prices = quotes.Prices(
            buy=price,
            sell=self._about.selling_quote(price),
            exchange=USD_RATES[self._about.currency],
        )
        return quotes.propose(
            token_id=self._token.id, prices=prices, user=self._market.proposer, note=note
        )

    # --- the market -------------------------------------------------------------------------------

    def _trade(self) -> None:
        """Create a history: market makers and investors trade towards the current price."""
        market_makers = self._market.market_makers
        for number in range(_TRADES):
            maker = market_makers[number % len(market_makers)]
            other = market_makers[number % len(market_makers) - 1]
            if self._investors and number % 2 == 0:
                other = self._investors[number // 2 % len(self._investors)]
            wobble = Decimal(self._pseudo_random("wobble", number) % 13 - 6) / 10
            price = self._about.price_between(100 * (number + 1) // _TRADES)
            price = round_money(price * (100 + wobble) / 100, self._about.currency)
            worth = self._lot * other.lots * (20 + self._pseudo_random("worth", number) % 60) / 100
            units = _round(worth / price)
            if number % 3 == 2 and self._held[other] > units:
                self._buy(maker, units, price)
                self._sell(other, units, price)
            else:
                self._sell(maker, units, price)
                self._buy(other, units, price)

    def _fill_book(self) -> None:
        """Fill the book: levels on both sides, two of them of investors."""
        for level in range(_LEVELS):
            maker = self._market.market_makers[
                (level + self._pseudo_random("house")) % len(self._market.market_makers)
            ]
            away = _FIRST_LEVEL + level * _NEXT_LEVEL
            away += Decimal(self._pseudo_random("level", level) % 30) / 100
            worth = self._lot * (6 + self._pseudo_random("depth", level) % 40)
            for trade, side in ((self._sell, 1), (self._buy, -1)):
                price = self._about.shifted_quote(away * side)
                trade(maker, _round(worth / price), price)
        for number, trader in enumerate(self._investors[:2]):
            price = self._about.shifted_quote(_FIRST_LEVEL + _NEXT_LEVEL * (number + 1))
            half = _round(self._held[trader] / 2)
            if half * price >= self._about.min_trade:
                self._sell(trader, half, price)
            price = self._about.shifted_quote(-_FIRST_LEVEL - _NEXT_LEVEL * (number + 2))
            self._buy(trader, _round(self._lot / 2 / price), price)

    # --- orders -----------------------------------------------------------------------------------

    def _place(self, side: OrderType, trader: Trader, units: Decimal, price: Decimal) -> None:
        response = place_order(
            PlaceOrder(
                organisation=trader.organisation.id,
                member=trader.member.id if trader.member else None,
                actor=str(_ACTOR),
                token=self._token.id,
                type=side,
                price=price,
                tokens=units,
            )
        )
        self._orders.append(UUID(json.loads(response.data)["_id"]))
        self._held[trader] += units if side == OrderType.BUY else -units

    def _buy(self, trader: Trader, units: Decimal, price: Decimal) -> None:
        self._place(OrderType.BUY, trader, units, price)

    def _sell(self, trader: Trader, units: Decimal, price: Decimal) -> None:
        self._place(OrderType.SELL, trader, units, price)

    def _mark_events_unsent(self) -> None:
        """Mark all events of the token, of its orders and of its trades as unsent."""
        about = [
            self._token.pk,
            *self._orders,
            *Trade.objects.filter(token=self._token).values_list("id", flat=True),
        ]
        traders_by_slug = (*self._market.traders, *self._market.market_makers, self._issuer)
        for organisation_id in {trader.organisation.id for trader in traders_by_slug}:
            mark_unsent(organisation_id=organisation_id, subject_ids=about)

    # --- figures ----------------------------------------------------------------------------------

    def _invests(self, trader: Trader) -> bool:
        """Return whether the trader buys in the first sale: one in four who see it do."""
        seen = self._about.granted is None or trader.slug in (
            *self._about.granted,
            self._about.issuer,
        )
        return seen and trader != self._issuer and self._pseudo_random(trader.key) % 4 == 0

    def _investment(self, trader: Trader) -> Decimal:
        return self._lot * trader.lots * (1 + self._pseudo_random(trader.key, "stake") % 3)

    def _split_between_makers(self, units: Decimal) -> dict[Trader, Decimal]:
        """Divide `units` among the market makers."""
        first, second = (_round(units * part) for part in _MAKER_SHARES)
        shares = (first, second, units - first - second)
        return dict(zip(self._market.market_makers, shares, strict=True))

    def _pseudo_random(self, *words: object) -> int:
        """Return a reproducible pseudo-random number."""
        text = ":".join(map(str, (self._about.symbol, *words)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def _round(units: Decimal) -> Decimal:
    """Round down to whole units, below 10 to hundredths."""
    step = Decimal(1) if units >= 10 else Decimal("0.01")
    return units.quantize(step, rounding=ROUND_DOWN)
