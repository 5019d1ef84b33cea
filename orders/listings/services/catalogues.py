"""Listing many tokens at once, from the rows of a file.

Every row is checked before the first one is listed, by the rules of `services.listing`, and all
that is wrong with it is named. All rows that are listed are listed in one transaction.
"""

from __future__ import annotations

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
    Row,
)
from orders.listings.services.listing import Listing, SymbolsTaken, check_listing, list_tokens

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
# Digits with what is put between them in one country or another.
_GROUPED = re.compile(r"[-+]?[0-9]+([ ,.'_\u2019\u00a0\u202f][0-9]+)+", re.ASCII)
_LONGEST_NUMBER = 40
_SYMBOLS_AT_ONCE = 1000
_LISTED_AT_ONCE = 250
_NOBODY = UUID(int=0)
# A price in whole units, so that any currency has it.
_LOW_PRICE = Decimal(1)
# The tables grow by thousands of rows in this one transaction, while the plans of the ledger's
# functions stay those for the size they were first called at.
_BY_KEY = (
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;"
    " SET LOCAL enable_mergejoin = off"
)
# Stand in for a cell that cannot be read, so that the rest of its row is checked all the same.
_STAND_INS: dict[str, Any] = {
    "name": "-",
    "symbol": "-",
    "currency": "NGN",
    "investment_type": InvestmentType.DEBT,
    "investment_category": InvestmentCategory.BOND,
    "total_supply": MAX_NUMBER,
    # Not below any selling price.
    "price_buy": MAX_NUMBER,
}


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is not listed: its number, its symbol ("" when it has none), all its faults."""

    number: int
    symbol: str
    faults: tuple[str, ...]


@dataclass(slots=True)
class Outcome:
    """What became of a file: how many rows are good, which are bad, how many were listed."""

    good: int
    bad: list[BadRow]
    listed: int = 0


@dataclass(frozen=True, slots=True)
class _Checked:
    """A row that may be listed."""

    number: int
    issuer_id: UUID
    listing: Listing


class _Stop(Exception):
    """Ends the transaction: a row turned out bad while it was listed."""


def load_catalogue(
    *,
    file: CatalogueFile,
    issuer: str = "",
    actor: Actor,
    skip_bad: bool = False,
    dry_run: bool = False,
    progress: Progress = lambda _doing, _done, _of: None,
) -> Outcome:
    """Lists the tokens of a file; when a row is bad none, or with `skip_bad` the good ones.

    `issuer` (id, email or name of an organisation) is who issues them where a row does not say.
    `dry_run` only checks. Nothing is raised for bad rows: they are in the outcome.
    """
    checker = _Checker(issuer, file.counted_by)
    checked: list[_Checked] = []
    bad: list[BadRow] = []
    for done, row in enumerate(file.rows, 1):
        found = checker.check(row)
        if isinstance(found, _Checked):
            checked.append(found)
        else:
            bad.append(found)
        progress("checking", done, len(file.rows))
    checked = _without_taken_symbols(checked, bad)
    outcome = Outcome(good=len(checked), bad=bad)
    if not dry_run and (skip_bad or not bad):
        _list(checked, outcome, actor, skip_bad=skip_bad, progress=progress)
    bad.sort(key=lambda row: row.number)
    return outcome


def _list(
    checked: Sequence[_Checked],
    outcome: Outcome,
    actor: Actor,
    *,
    skip_bad: bool,
    progress: Progress,
) -> None:
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(_BY_KEY)
            for start in range(0, len(checked), _LISTED_AT_ONCE):
                rows = list(checked[start : start + _LISTED_AT_ONCE])
                while rows:
                    try:
                        found = [(row.issuer_id, row.listing) for row in rows]
                        outcome.listed += len(list_tokens(listings=found, actor=actor))
                        break
                    except SymbolsTaken as error:  # a moment ago
                        bad = [row for row in rows if row.listing.symbol in error.symbols]
                        rows = [row for row in rows if row not in bad]
                        outcome.bad += [_taken(row) for row in bad]
                        outcome.good -= len(bad)
                        if not skip_bad:
                            raise _Stop from error
                progress("listing", min(start + _LISTED_AT_ONCE, len(checked)), len(checked))
    except _Stop:
        outcome.listed = 0


def _taken(row: _Checked) -> BadRow:
    symbol = row.listing.symbol
    return BadRow(row.number, symbol, (f"symbol: a token with symbol {symbol} exists already",))


def _without_taken_symbols(checked: list[_Checked], bad: list[BadRow]) -> list[_Checked]:
    """Those whose symbol no token has, whatever the case of its letters."""
    taken: dict[str, str] = {}
    for start in range(0, len(checked), _SYMBOLS_AT_ONCE):
        wanted = {row.listing.symbol.upper() for row in checked[start : start + _SYMBOLS_AT_ONCE]}
        found = Token.objects.annotate(upper=Upper("symbol")).filter(upper__in=wanted)
        taken |= {symbol.upper(): symbol for symbol in found.values_list("symbol", flat=True)}
    free = []
    for row in checked:
        holder = taken.get(row.listing.symbol.upper())
        if holder is None:
            free.append(row)
        else:
            fault = f"symbol: a token with symbol {holder} exists already"
            bad.append(BadRow(row.number, row.listing.symbol, (fault,)))
    return free


class _Checker:
    """Checks rows one after the other; remembers their symbols, and issuers it has looked up."""

    def __init__(self, issuer: str, counted_by: str) -> None:
        self._default_issuer = issuer
        self._counted_by = counted_by
        self._issuers: dict[str, Organisation | str] = {}
        self._symbols: dict[str, int] = {}

    def check(self, row: Row) -> _Checked | BadRow:
        """What is to be listed, or all that is wrong with the row."""
        reader = _Reader(row)
        values = reader.values()
        issuer = self._issuer(row.cells.get("issuer"))
        if isinstance(issuer, str):
            reader.faults.append(issuer)
        elif "creator" in row.cells:
            values["creator_id"] = reader.creator(issuer)
        faults = [*row.faults, *reader.faults, *self._symbol_faults(row, values["symbol"])]
        listing = Listing(**values)
        issuer_id = issuer.id if isinstance(issuer, Organisation) else _NOBODY
        faults += check_listing(issuer_id=issuer_id, listing=listing)
        if faults:
            return BadRow(row.number, reader.symbol, tuple(faults))
        return _Checked(row.number, issuer_id, listing)

    def _symbol_faults(self, row: Row, symbol: str) -> list[str]:
        if "symbol" not in row.cells:
            return []
        first = self._symbols.setdefault(symbol.upper(), row.number)
        return (
            [] if first == row.number else [f"symbol: {self._counted_by} {first} has {symbol} too"]
        )

    def _issuer(self, cell: object) -> Organisation | str:
        text = str(cell or self._default_issuer)
        if not text:
            return "issuer: nobody is named as the issuer, neither here nor for the whole file"
        if text not in self._issuers:
            self._issuers[text] = find_organisation(text)
        return self._issuers[text]


def find_organisation(text: str) -> Organisation | str:
    """The organisation with this id, email or name; else what is wrong with the text."""
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
            return f"issuer: no organisation is called {_shown(text)}"
    return f"issuer: more than one organisation is called {_shown(text)}"


class _Reader:
    """Turns the cells of a row into values of a `Listing`; `faults` says which it cannot."""

    def __init__(self, row: Row) -> None:
        self._cells = row.cells
        self.faults: list[str] = [
            f"{name} is required" for name in REQUIRED if name not in row.cells
        ]
        self.symbol = str(row.cells.get("symbol", ""))[:40]

    def values(self) -> dict[str, Any]:
        """All fields that a `Listing` needs or the row has; stand-ins for what cannot be read."""
        values = dict(_STAND_INS)
        readers: dict[str, Callable[[object], Any]] = {
            **dict.fromkeys(NUMBERS, _number),
            **dict.fromkeys(FLAGS, _flag),
            **dict.fromkeys(TEXTS, _text),
            **{name: self._choice_of(name) for name in CHOICES},
            "currency": _currency,
            "tenor": _days,
            "image": _address,
        }
        for name, cell in self._cells.items():
            if name in readers:
                try:
                    values[name] = readers[name](cell)
                except InvalidRequest as error:
                    self.faults.append(f"{name} {error.message}")
        values.setdefault("price_sell", min(_LOW_PRICE, values["price_buy"]) or _LOW_PRICE)
        return values

    def creator(self, issuer: Organisation) -> UUID | None:
        """The issuer's member with this id or email."""
        text = str(self._cells["creator"])
        members = Member.objects.filter(organisation=issuer)
        identifier = parse_id(text)
        found = (
            members.filter(email__iexact=text).first()
            if identifier is None
            else members.filter(id=identifier).first()
        )
        if found is None:
            self.faults.append(f"creator: {_shown(text)} is not a member of {issuer.name}")
        return found.id if found else None

    def _choice_of(self, name: str) -> Callable[[object], str]:
        choices = _CHOICES[name]
        known = {str(word).lower(): str(c.value) for c in choices for word in (c.value, c.label)}

        def choose(cell: object) -> str:
            value = known.get(" ".join(str(cell).lower().split()))
            if value is None:
                allowed = ", ".join(c.value for c in choices if c.value)
                raise InvalidRequest(f"must be one of [{allowed}], not {_shown(cell)}")
            return value

        return choose


def _number(cell: object) -> Decimal:
    if isinstance(cell, Decimal):
        return cell
    if isinstance(cell, bool):
        raise InvalidRequest("must be a number")
    text = str(cell)
    if len(text) <= _LONGEST_NUMBER and _PLAIN.fullmatch(text):
        return Decimal(text)
    if "%" in text:
        raise InvalidRequest(
            f"must be a number without a percent sign: 5 for 5%, not {_shown(text)}"
        )
    if _GROUPED.fullmatch(text):
        raise InvalidRequest(
            "must be plain digits with a decimal point and no thousands separator, such as 1000"
            f" or 90.02, not {_shown(text)}"
        )
    if text.startswith("-") and _PLAIN.fullmatch(text[1:]):
        raise InvalidRequest(f"must not be negative, not {_shown(text)}")
    raise InvalidRequest(f"must be a number such as 1000 or 90.02, not {_shown(text)}")


def _days(cell: object) -> int:
    days = _number(cell)
    if not days.is_finite() or days != days.to_integral_value() or not 0 <= days <= 2**31 - 1:
        raise InvalidRequest(f"must be a whole number of days, not {_shown(cell)}")
    return int(days)


def _flag(cell: object) -> bool:
    word = str(cell).lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise InvalidRequest(f"must be true or false, not {_shown(cell)}")


def _text(cell: object) -> str:
    text = str(cell)
    if not isinstance(cell, str):
        raise InvalidRequest(f"must be text, not {_shown(cell)}")
    if not text.isprintable():
        raise InvalidRequest("must be one line of printable characters")
    return text


def _address(cell: object) -> str:
    text = _text(cell)
    if not re.fullmatch(IMAGE_PATTERN, text, re.IGNORECASE):
        raise InvalidRequest(f"must be an http or https address, or a path, not {_shown(text)}")
    return text


def _currency(cell: object) -> str:
    code = str(cell).upper()
    if code not in currencies():
        raise InvalidRequest(f"must be one of [{', '.join(currencies())}], not {_shown(cell)}")
    return code


def _shown(cell: object) -> str:
    text = str(cell)
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}…'"
