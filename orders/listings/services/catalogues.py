"""List many tokens from the rows of a file.

All rows are validated by the rules of `services.listing` before the first one is listed, and all
errors of a row are reported. All tokens are listed in one transaction.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import TextChoices
from django.db.models.functions import Upper

from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.errors import InvalidRequest
from exchange.core.ids import parse_id
from exchange.core.numbers import MAX_NUMBER
from exchange.participants.models import Member, Organisation
from exchange.tokens.models import (
    IMAGE_PATTERN,
    DealAccess,
    InvestmentCategory,
    InvestmentType,
    PayoutFrequency,
    Token,
    TokenType,
)
from orders.listings.services.catalogue_files import (
    CHOICES,
    FLAGS,
    NUMBERS,
    REQUIRED,
    TEXTS,
    CatalogueFile,
    CatalogueRow,
)
from orders.listings.services.listing import Listing, SymbolsTaken, list_tokens, validate_listing

Progress = Callable[[str, int, int], None]

_CHOICES: dict[str, type[TextChoices]] = {
    "type": TokenType,
    "deal_access": DealAccess,
    "investment_type": InvestmentType,
    "investment_category": InvestmentCategory,
    "payout_frequency": PayoutFrequency,
}
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})
_PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
# Digits with thousands separators of various countries.
_GROUPED = re.compile(r"[-+]?[0-9]+([ ,.'_\u2019\u00a0\u202f][0-9]+)+", re.ASCII)
_MAX_NUMBER_LENGTH = 40
_SYMBOL_BATCH_SIZE = 1000
_BATCH_SIZE = 250
_NO_ISSUER = UUID(int=0)
# A whole number, valid in any currency.
_LOW_PRICE = Decimal(1)
# The tables grow by thousands of rows in one transaction, while the ledger functions keep the plans
# made for their initial size.
_USE_INDEXES = (
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;"
    " SET LOCAL enable_mergejoin = off"
)
# Values for unreadable cells, so that the rest of the row is validated.
_PLACEHOLDERS: dict[str, Any] = {
    "name": "-",
    "symbol": "-",
    "currency": "NGN",
    "investment_type": InvestmentType.DEBT,
    "investment_category": InvestmentCategory.BOND,
    "total_supply": MAX_NUMBER,
    # Not below any sell price.
    "price_buy": MAX_NUMBER,
}


@dataclass(frozen=True, slots=True)
class InvalidRow:
    """A row that cannot be listed: number, symbol ("" without one) and all errors."""

    number: int
    symbol: str
    errors: tuple[str, ...]


@dataclass(slots=True)
class LoadResult:
    """Result of loading a file: number of valid rows, invalid rows, tokens listed."""

    valid: int
    invalid: list[InvalidRow]
    listed: int = 0


@dataclass(frozen=True, slots=True)
class _ValidRow:
    """A row that can be listed."""

    number: int
    issuer_id: UUID
    listing: Listing


class _AbortLoad(Exception):
    """Rolls back the transaction: a row became invalid while it was listed."""


def load_catalogue(
    *,
    file: CatalogueFile,
    issuer: str = "",
    actor: Actor,
    skip_invalid: bool = False,
    dry_run: bool = False,
    progress: Progress = lambda _doing, _done, _of: None,
) -> LoadResult:
    """List the tokens of a file: all or none, or with `skip_invalid` those of valid rows.

    `issuer` (id, email or name of an organisation) issues the tokens of rows without one.
    `dry_run` only validates. Invalid rows are returned in the result, not raised.
    """
    checker = _RowValidator(issuer, file.row_label)
    checked: list[_ValidRow] = []
    invalid: list[InvalidRow] = []
    for done, row in enumerate(file.rows, 1):
        found = checker.check(row)
        if isinstance(found, _ValidRow):
            checked.append(found)
        else:
            invalid.append(found)
        progress("checking", done, len(file.rows))
    checked = _remove_taken_symbols(checked, invalid)
    result = LoadResult(valid=len(checked), invalid=invalid)
    if not dry_run and (skip_invalid or not invalid):
        _list_rows(checked, result, actor, skip_invalid=skip_invalid, progress=progress)
    invalid.sort(key=lambda row: row.number)
    return result


def _list_rows(
    checked: Sequence[_ValidRow],
    result: LoadResult,
    actor: Actor,
    *,
    skip_invalid: bool,
    progress: Progress,
) -> None:
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(_USE_INDEXES)
            for start in range(0, len(checked), _BATCH_SIZE):
                rows = list(checked[start : start + _BATCH_SIZE])
                while rows:
                    try:
                        found = [(row.issuer_id, row.listing) for row in rows]
                        result.listed += len(list_tokens(listings=found, actor=actor))
                        break
                    except SymbolsTaken as error:  # since validation
                        taken = [row for row in rows if row.listing.symbol in error.symbols]
                        rows = [row for row in rows if row not in taken]
                        result.invalid += [_symbol_taken(row) for row in taken]
                        result.valid -= len(taken)
                        if not skip_invalid:
                            raise _AbortLoad from error
                progress("listing", min(start + _BATCH_SIZE, len(checked)), len(checked))
    except _AbortLoad:
        result.listed = 0


def _symbol_taken(row: _ValidRow) -> InvalidRow:
    symbol = row.listing.symbol
    return InvalidRow(row.number, symbol, (f"symbol: a token with symbol {symbol} exists already",))


def _remove_taken_symbols(checked: list[_ValidRow], invalid: list[InvalidRow]) -> list[_ValidRow]:
    """Return the rows with a free symbol, compared case-insensitively."""
    taken: dict[str, str] = {}
    for start in range(0, len(checked), _SYMBOL_BATCH_SIZE):
        wanted = {row.listing.symbol.upper() for row in checked[start : start + _SYMBOL_BATCH_SIZE]}
        found = Token.objects.annotate(upper=Upper("symbol")).filter(upper__in=wanted)
        taken |= {symbol.upper(): symbol for symbol in found.values_list("symbol", flat=True)}
    free = []
    for row in checked:
        holder = taken.get(row.listing.symbol.upper())
        if holder is None:
            free.append(row)
        else:
            error = f"symbol: a token with symbol {holder} exists already"
            invalid.append(InvalidRow(row.number, row.listing.symbol, (error,)))
    return free


class _RowValidator:
    """Validates rows in order; remembers their symbols and the issuers already queried."""

    def __init__(self, issuer: str, row_label: str) -> None:
        self._default_issuer = issuer
        self._row_label = row_label
        self._issuers: dict[str, Organisation | str] = {}
        self._symbols: dict[str, int] = {}

    def check(self, row: CatalogueRow) -> _ValidRow | InvalidRow:
        """Return the valid row, or all errors of the row."""
        parser = _CellParser(row)
        values = parser.values()
        issuer = self._issuer(row.cells.get("issuer"))
        if isinstance(issuer, str):
            parser.errors.append(issuer)
        elif "creator" in row.cells:
            values["creator_id"] = parser.creator(issuer)
        errors = [*row.errors, *parser.errors, *self._symbol_errors(row, values["symbol"])]
        listing = Listing(**values)
        issuer_id = issuer.id if isinstance(issuer, Organisation) else _NO_ISSUER
        errors += validate_listing(issuer_id=issuer_id, listing=listing)
        if errors:
            return InvalidRow(row.number, parser.symbol, tuple(errors))
        return _ValidRow(row.number, issuer_id, listing)

    def _symbol_errors(self, row: CatalogueRow, symbol: str) -> list[str]:
        if "symbol" not in row.cells:
            return []
        first = self._symbols.setdefault(symbol.upper(), row.number)
        return (
            [] if first == row.number else [f"symbol: {self._row_label} {first} has {symbol} too"]
        )

    def _issuer(self, cell: object) -> Organisation | str:
        text = str(cell or self._default_issuer)
        if not text:
            return "issuer: required in the row or with --issuer"
        if text not in self._issuers:
            self._issuers[text] = find_organisation(text)
        return self._issuers[text]


def find_organisation(text: str) -> Organisation | str:
    """Return the organisation with this id, email or name; otherwise an error message."""
    identifier = parse_id(text)
    if identifier is not None:
        found = list(Organisation.objects.filter(id=identifier))
    else:
        found = list(Organisation.objects.filter(email__iexact=text)) or list(
            Organisation.objects.filter(name__iexact=text)
        )
    match found:
        case [organisation]:
            return organisation
        case []:
            return f"issuer: no organisation matches {_quote(text)}"
    return f"issuer: more than one organisation matches {_quote(text)}"


class _CellParser:
    """Parses the cells of a row into values of a `Listing`; collects `errors`."""

    def __init__(self, row: CatalogueRow) -> None:
        self._cells = row.cells
        self.errors: list[str] = [
            f"{name} is required" for name in REQUIRED if name not in row.cells
        ]
        self.symbol = str(row.cells.get("symbol", ""))[:40]

    def values(self) -> dict[str, Any]:
        """Return all fields that the row has or a `Listing` requires, unreadable ones replaced."""
        values = dict(_PLACEHOLDERS)
        parsers: dict[str, Callable[[object], Any]] = {
            **dict.fromkeys(NUMBERS, _parse_number),
            **dict.fromkeys(FLAGS, _parse_flag),
            **dict.fromkeys(TEXTS, _parse_text),
            **{name: self._choice_of(name) for name in CHOICES},
            "currency": _parse_currency,
            "tenor": _parse_days,
            "image": _parse_image,
        }
        for name, cell in self._cells.items():
            if name in parsers:
                try:
                    values[name] = parsers[name](cell)
                except InvalidRequest as error:
                    self.errors.append(f"{name} {error.message}")
        values.setdefault("price_sell", min(_LOW_PRICE, values["price_buy"]) or _LOW_PRICE)
        return values

    def creator(self, issuer: Organisation) -> UUID | None:
        """Return the id of the issuer's member with this id or email."""
        text = str(self._cells["creator"])
        members = Member.objects.filter(organisation=issuer)
        identifier = parse_id(text)
        found = (
            members.filter(email__iexact=text).first()
            if identifier is None
            else members.filter(id=identifier).first()
        )
        if found is None:
            self.errors.append(f"creator: {_quote(text)} is not a member of {issuer.name}")
        return found.id if found else None

    def _choice_of(self, name: str) -> Callable[[object], str]:
        choices = _CHOICES[name]
        known = {str(name).lower(): str(c.value) for c in choices for name in (c.value, c.label)}

        def choose(cell: object) -> str:
            value = known.get(" ".join(str(cell).lower().split()))
            if value is None:
                allowed = ", ".join(c.value for c in choices if c.value)
                raise InvalidRequest(f"must be one of [{allowed}], not {_quote(cell)}")
            return value

        return choose


def _parse_number(cell: object) -> Decimal:
    if isinstance(cell, Decimal):
        return cell
    if isinstance(cell, bool):
        raise InvalidRequest("must be a number")
    text = str(cell)
    if len(text) <= _MAX_NUMBER_LENGTH and _PLAIN.fullmatch(text):
        return Decimal(text)
    if "%" in text:
        raise InvalidRequest(
            f"must be a number without a percent sign: 5 for 5%, not {_quote(text)}"
        )
    if _GROUPED.fullmatch(text):
        raise InvalidRequest(
            "must be plain digits with a decimal point and no thousands separator, such as 1000"
            f" or 90.02, not {_quote(text)}"
        )
    if text.startswith("-") and _PLAIN.fullmatch(text[1:]):
        raise InvalidRequest(f"must not be negative, not {_quote(text)}")
    raise InvalidRequest(f"must be a number such as 1000 or 90.02, not {_quote(text)}")


def _parse_days(cell: object) -> int:
    days = _parse_number(cell)
    if not days.is_finite() or days != days.to_integral_value() or not 0 <= days <= 2**31 - 1:
        raise InvalidRequest(f"must be a whole number of days, not {_quote(cell)}")
    return int(days)


def _parse_flag(cell: object) -> bool:
    word = str(cell).lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise InvalidRequest(f"must be true or false, not {_quote(cell)}")


def _parse_text(cell: object) -> str:
    text = str(cell)
    if not isinstance(cell, str):
        raise InvalidRequest(f"must be text, not {_quote(cell)}")
    if not text.isprintable():
        raise InvalidRequest("must be one line of printable characters")
    return text


def _parse_image(cell: object) -> str:
    text = _parse_text(cell)
    if not re.fullmatch(IMAGE_PATTERN, text, re.IGNORECASE):
        raise InvalidRequest(f"must be an http or https address, or a path, not {_quote(text)}")
    return text


def _parse_currency(cell: object) -> str:
    code = str(cell).upper()
    if code not in currencies():
        raise InvalidRequest(f"must be one of [{', '.join(currencies())}], not {_quote(cell)}")
    return code


def _quote(cell: object) -> str:
    text = str(cell)
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}…'"
