"""List a token: create the record and its ledger asset, and issue its units.

Without a raise, all units go to the issuer's available account. With one, the offered units stay in
the issuer's `unsold` account and are sold at the quote until the raise completes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict, InvalidRequest
from exchange.core.ids import uuid7
from exchange.core.numbers import TOKEN_DECIMALS
from exchange.participants.models import Member
from exchange.staff.approvals import authorize_actor
from exchange.tokens.models import DealAccess, Token, TokenType
from exchange.tokens.services.terms import describe_number_error, find_term_errors
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, Posting, open_accounts, post_transfers

_ZERO = Decimal(0)
# Key of an account: asset, kind, organisation.
_Key = tuple[str, AccountKind, UUID | None]
# Amounts in the token's currency that are fixed at listing; all others are terms.
_MONEY = ("price_buy", "price_sell", "raise_amount")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A token to list. Rates are in percent, `tenor` in days; an `issue_price` of 0 is `price_buy`.

    `raise_amount` above zero opens a primary raise of `offered` units (all, when None) at
    `price_buy`; otherwise the token starts with its raise complete.
    """

    name: str
    symbol: str
    currency: str
    investment_type: str
    investment_category: str
    total_supply: Decimal
    price_buy: Decimal
    price_sell: Decimal
    price_exchange: Decimal = _ZERO
    issue_price: Decimal = _ZERO
    offered: Decimal | None = None
    raise_amount: Decimal = _ZERO
    secondaries: bool = False
    type: str = TokenType.PUBLIC
    deal_access: str = DealAccess.PUBLIC
    payout_frequency: str = ""
    image: str = ""
    listing_reference: str = ""
    creator_id: UUID | None = None
    min_buy: Decimal = _ZERO
    min_sell: Decimal = _ZERO
    max_buy: Decimal = _ZERO
    max_sell: Decimal = _ZERO
    min_trade_buy: Decimal = _ZERO
    min_trade_sell: Decimal = _ZERO
    max_trade_buy: Decimal = _ZERO
    max_trade_sell: Decimal = _ZERO
    buy_fee: Decimal = _ZERO
    sell_fee: Decimal = _ZERO
    carry: Decimal = _ZERO
    management_fee: Decimal = _ZERO
    discount: Decimal = _ZERO
    interest: Decimal = _ZERO
    dividend: Decimal = _ZERO
    tenor: int = 0
    valuation: Decimal = _ZERO
    post_raise_valuation: Decimal = _ZERO
    esop_token: bool = False


class SymbolsTaken(Conflict):
    """Tokens with these symbols exist already."""

    def __init__(self, symbols: Sequence[str]) -> None:
        self.symbols = frozenset(symbols)
        many = "A token" if len(symbols) == 1 else "Tokens"
        exist = "exists" if len(symbols) == 1 else "exist"
        names = ", ".join(symbols)
        super().__init__(f"{many} with symbol {names} {exist} already", code="symbol_taken")


_COPIED = [field.name for field in fields(Listing) if field.name not in {"currency", "offered"}]
# Fields that Django validates: text, choices and days. All others have rules of their own.
_TEXT_FIELDS = (
    *("name", "symbol", "image", "listing_reference", "type", "deal_access", "tenor"),
    *("investment_type", "investment_category", "payout_frequency"),
)
_OTHER_FIELDS = {field.name for field in Token._meta.get_fields()} - set(_TEXT_FIELDS)


def list_token(*, issuer_id: UUID, listing: Listing, actor: Actor) -> Token:
    """List a token and issue its units to the issuer.

    Raises `InvalidRequest` that names every invalid field, `SymbolsTaken`, or `Forbidden` for a
    person who may not list tokens.
    """
    [token] = list_tokens(listings=[(issuer_id, listing)], actor=actor)
    token.refresh_from_db()
    return token


def list_tokens(*, listings: Sequence[tuple[UUID, Listing]], actor: Actor) -> list[Token]:
    """List many tokens by their issuers in a constant number of statements.

    Lists all, or none when it raises as `list_token`. Returns the tokens as written.
    """
    authorize_actor(actor, "exchange.add_token", "You may not list tokens")
    tokens = []
    for issuer_id, listing in listings:
        token, wrong = _build_token(issuer_id, listing)
        if wrong:
            raise InvalidRequest("; ".join(wrong.values()), fields=wrong)
        tokens.append(token)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT nextval('exchange_token_reference') FROM generate_series(1, %s)",
                [len(tokens)],
            )
            for token, (reference,) in zip(tokens, cursor.fetchall(), strict=True):
                token.reference = reference
        _insert(tokens)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT open_token_units(id) FROM unnest(%s::uuid[]) id",
                [[token.id for token in tokens]],
            )
        _issue(tokens, [listing for _, listing in listings], actor)
    return tokens


def validate_listing(*, issuer_id: UUID, listing: Listing) -> list[str]:
    """Return the errors of a listing, except for a symbol in use."""
    return list(_build_token(issuer_id, listing)[1].values())


def _insert(tokens: Sequence[Token]) -> None:
    try:
        with transaction.atomic():
            Token.objects.bulk_create(tokens)
    except IntegrityError as error:
        if "symbol" in (violated_constraint(error) or ""):
            wanted = [token.symbol for token in tokens]
            found = Token.objects.filter(symbol__in=wanted).values_list("symbol", flat=True)
            twice = {symbol for symbol in wanted if wanted.count(symbol) > 1}
            raise SymbolsTaken(sorted({*found, *twice})) from error
        raise


def _issue(tokens: Sequence[Token], listings: Sequence[Listing], actor: Actor) -> None:
    """Issue the units: offered ones to the issuer's `unsold` account, others to `available`."""
    amounts: list[dict[_Key, Decimal]] = []
    # Opened now for the fees and proceeds of later sales.
    wanted: set[_Key] = {(token.currency_id, AccountKind.FEES, None) for token in tokens}
    for token, listing in zip(tokens, listings, strict=True):
        asset, issuer_id = str(token.id), token.issuer_id
        offered = listing.total_supply if listing.offered is None else listing.offered
        unsold = _ZERO if token.completed_raise else offered
        parts = {
            (asset, AccountKind.ISSUANCE, None): -listing.total_supply,
            (asset, AccountKind.UNSOLD, issuer_id): unsold,
            (asset, AccountKind.AVAILABLE, issuer_id): listing.total_supply - unsold,
        }
        amounts.append({key: amount for key, amount in parts.items() if amount})
        wanted |= amounts[-1].keys()
        if not token.completed_raise:
            wanted.add((token.currency_id, AccountKind.RAISE, issuer_id))
    accounts = open_accounts(wanted)
    post_transfers(
        [
            Posting(
                kind=TransferKind.UNITS_ISSUE,
                reference=f"token:{token.id}:issue",
                subject_id=token.id,
                actor=actor,
                memo=token.symbol,
                legs=[Leg(accounts[key], amount) for key, amount in legs.items()],
            )
            for token, legs in zip(tokens, amounts, strict=True)
        ]
    )


def _build_token(issuer_id: UUID, listing: Listing) -> tuple[Token, dict[str, str]]:
    """Return the unsaved token of `listing`, and its errors by field."""
    facts = currencies().get(listing.currency)
    wrong: dict[str, str] = {}
    if facts is None:
        wrong["currency"] = f"currency must be one of [{', '.join(currencies())}]"
    else:
        wrong |= _number_errors(listing, facts.decimals)
    in_raise = listing.raise_amount > 0
    offered = listing.total_supply if listing.offered is None else listing.offered
    if in_raise and not 0 < offered <= listing.total_supply:
        wrong["offered"] = "offered must be above 0 and not above total_supply"
    if in_raise and listing.secondaries:
        wrong["secondaries"] = "secondaries opens after the raise"
    if (
        listing.creator_id is not None
        and not Member.objects.filter(id=listing.creator_id, organisation_id=issuer_id).exists()
    ):
        wrong["creator"] = "creator must be a member of the issuer"
    now = timezone.now()
    values = {name: getattr(listing, name) for name in _COPIED}
    # sql/token_terms.sql fills in what is not given.
    values["issue_price"] = listing.issue_price or None
    token = Token(
        **values,
        id=uuid7(),
        issuer_id=issuer_id,
        currency_id=listing.currency,
        prev_price_buy=listing.price_buy,
        prev_price_sell=listing.price_sell,
        prev_price_exchange=listing.price_exchange,
        quoted_at=now,
        completed_raise=not in_raise,
        supply=_ZERO if in_raise else listing.total_supply,
        created_at=now,
        updated_at=now,
    )
    if facts is not None:
        wrong |= find_term_errors(token, facts.decimals)
    try:
        token.clean_fields(exclude=_OTHER_FIELDS)
    except ValidationError as error:
        wrong |= {name: f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()}
    return token, wrong


def _number_errors(listing: Listing, decimals: int) -> dict[str, str]:
    """Return the errors of units, prices and the raise, by field."""
    units = {"total_supply": listing.total_supply}
    if listing.offered is not None:
        units["offered"] = listing.offered
    numbers = [
        *((name, value, TOKEN_DECIMALS) for name, value in units.items()),
        *((name, getattr(listing, name), decimals) for name in _MONEY),
        ("price_exchange", listing.price_exchange, TOKEN_DECIMALS),
    ]
    wrong = {number[0]: text for number in numbers if (text := describe_number_error(*number))}
    wrong |= {
        name: f"{name} must be above 0"
        for name in ("total_supply", "price_buy", "price_sell")
        if getattr(listing, name) == 0
    }
    if not wrong and listing.price_sell > listing.price_buy:
        wrong["price_sell"] = "price_sell must not be above price_buy"
    return wrong
