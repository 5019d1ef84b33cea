"""The search on every page: what was typed, and the kinds of records that it may find.

Each subject declares a `SearchKind`, `config.back_office.search` lists them. Every condition of a
kind is served by an index or concerns a table that people fill, and is read up to `ROWS` matches.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import CharField, Model, Q, QuerySet, Value
from django.db.models.expressions import RawSQL

from exchange.admin.branches import newest_matching
from exchange.core.currencies import currencies
from exchange.core.ids import ALPHABET, parse_id
from exchange.core.numbers import parse_typed_amount, parse_typed_number

ROWS = 5
# So many matches of words and of beginnings are looked at.
MAX_FOUND = 200
MAX_LENGTH = 200
# Where amounts have no index, so many of the newest records are searched.
RECENT_ROWS = 10_000
_MAX_RECENT = 50
_AMOUNT_FIRST = re.compile(r"(?P<amount>[0-9.,]+)\s*(?P<currency>[A-Za-z]{3})")
_CURRENCY_FIRST = re.compile(r"(?P<currency>[A-Za-z]{3})\s*(?P<amount>[0-9.,]+)")
_MIN_REFERENCE = 3
# Of a reference without its prefix.
_MIN_LETTERS = 5
_FILTER = re.compile(
    r"amount\s*(?P<sign>>=|<=|>|<|=|:)\s*(?P<amount>[0-9.,]+)(?P<unit>k|m|bn)?"
    r"|status:(?P<status>[a-z_-]+)|currency:(?P<currency>[a-z]{3})",
    re.IGNORECASE,
)
_LOOKS_LIKE_FILTER = re.compile(r"(?:^|\s)(?:amount\s*[<>=:]|status:|currency:)", re.IGNORECASE)
UNREAD_FILTER = (
    "This is no filter that can be read. Enter an amount as 12,500.50 or 1.5m, status and currency"
    " once, and nothing else with them"
)
_LOOKUPS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "=": "exact", ":": "exact"}
_UNITS = {"k": 10**3, "m": 10**6, "bn": 10**9}
_REFERENCE_LETTERS = frozenset(ALPHABET.decode())
_MAX_BIGINT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a record is to have, as in `amount>1m status:failed currency:NGN`.

    `amounts` are Django's lookups with their values; `status` is a value or a label in small
    letters.
    """

    amounts: Sequence[tuple[str, Decimal]] = ()
    status: str = ""
    currency: str = ""


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """What was typed, and what it may be."""

    text: str
    record_id: UUID | None = None
    amount: Decimal | None = None
    # Only with an amount: then it can be nothing else.
    currency: str = ""
    # Only alone.
    filters: SearchFilters | None = None

    @property
    def is_text(self) -> bool:
        """Whether it may be a reference or a name."""
        return not self.currency and self.filters is None

    @property
    def names(self) -> str:
        """The text as words of a name; empty where it cannot be a name."""
        return "" if not self.is_text or self.record_id or self.email else self.text

    def reference_of(self, prefix: str) -> str:
        """The text as the beginning of a reference of our own with `prefix`, else empty.

        The prefix may be missing where a digit tells the text from a word.
        """
        letters = self.text.removeprefix(prefix)
        least = _MIN_REFERENCE if letters != self.text else _MIN_LETTERS
        digit = letters != self.text or any(map(str.isdigit, letters))
        own = len(letters) >= least and digit and set(letters) <= _REFERENCE_LETTERS
        return f"{prefix}{letters}" if own else ""

    @property
    def email(self) -> str:
        """The text as an email address, else empty."""
        return self.text if "@" in self.text.strip("@") and " " not in self.text else ""

    @property
    def integer(self) -> int | None:
        """The text as the number of a record of the provider."""
        if not (self.text.isascii() and self.text.isdigit()) or len(self.text) > 19:
            return None
        number = int(self.text)
        return number if number <= _MAX_BIGINT else None


def bounded(found: QuerySet[Any], column: str = "pk") -> QuerySet[Any, Any]:
    """Return `column` of any `MAX_FOUND` of the records.

    Not of the newest: in the order of the ids, an index of words or references would not be used.
    """
    return found.order_by().values(column)[:MAX_FOUND]


def starts_with(column: str, beginning: str) -> Q:
    """Return the condition for references of our own that start with `beginning`.

    As a range, since `LIKE` uses an index in few collations. References have lower-case letters
    and digits behind their prefix, of which "z" is the last.
    """
    return Q(**{f"{column}__gte": beginning, f"{column}__lte": f"{beginning}{'z' * 26}"})


def parse_search(text: str) -> SearchTerm:
    """Return the term in `text`.

    Filters such as `amount>1m status:failed currency:NGN`, a UUID, an amount such as `12,500.50
    NGN`, or any other text.
    """
    text = text.strip()
    if (filters := _parse_filters(text)) is not None:
        return SearchTerm(text, filters=filters)
    found = _AMOUNT_FIRST.fullmatch(text) or _CURRENCY_FIRST.fullmatch(text)
    if found and (currency := found["currency"].upper()) in currencies():
        amount = parse_typed_amount(found["amount"])
        if amount is not None:
            return SearchTerm(text, amount=amount, currency=currency)
    return SearchTerm(text, record_id=parse_id(text), amount=parse_typed_amount(text))


def _parse_filters(text: str) -> SearchFilters | None:
    """Return the filters that `text` consists of; None if it has anything else."""
    if not text or _FILTER.sub("", text).strip():
        return None
    amounts, status, currency = [], "", ""
    for found in _FILTER.finditer(text):
        if found["amount"]:
            zero = parse_typed_number(found["amount"]) == 0
            amount = Decimal(0) if zero else parse_typed_amount(found["amount"])
            if amount is None:
                return None
            unit = (found["unit"] or "").lower()
            amounts.append((_LOOKUPS[found["sign"]], amount * _UNITS.get(unit, 1)))
        elif (status and found["status"]) or (currency and found["currency"]):
            return None
        status = (found["status"] or status).lower().replace("_", " ").replace("-", " ")
        currency = (found["currency"] or currency).upper()
    return SearchFilters(amounts, status, currency)


def describe_unread_filter(text: str) -> str:
    """Return what is wrong with `text` if it looks like filters that cannot be read, or ""."""
    unread = _LOOKS_LIKE_FILTER.search(text) and _parse_filters(text.strip()) is None
    return UNREAD_FILTER if unread else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchKind:
    """One kind of record in the search: by which columns it is found, and what is shown of it.

    `texts` are compared as typed, `ids` with a UUID, `amounts` (with the column of their currency)
    with an amount; `recent_amounts`, which have no index, among the newest records. `conditions`
    gives further ones.
    """

    model: type[Model]
    describe: Callable[[Any], Iterable[object]]
    texts: Sequence[str] = ()
    ids: Sequence[str] = ("pk",)
    amounts: Sequence[tuple[str, str]] = ()
    recent_amounts: Sequence[tuple[str, str]] = ()
    conditions: Callable[[SearchTerm], Sequence[Q]] = lambda _: ()
    related: Sequence[str] = ()
    order: Sequence[str] = ("-pk",)
    created: str = "created_at"
    # The columns of amount and currency that filters compare; by default the first of `amounts`.
    filtered: tuple[str, str] | None = None

    @property
    def needs_id(self) -> bool:
        """Whether a UUID can only match the record's own id."""
        return not self.texts and tuple(self.ids) == ("pk",)

    def branches(self, term: SearchTerm) -> list[Q]:
        """Return the conditions of matches; none: the term cannot match."""
        if term.filters is not None:
            return self._filter_by(term.filters)
        found = list(self.conditions(term))
        if term.record_id is not None:
            found += [Q(**{name: term.record_id}) for name in self.ids]
        if term.is_text:
            found += [Q(**{name: term.text}) for name in self.texts]
        if term.amount is not None:
            found += [_amount_is(term, *columns) for columns in self.amounts]
            found += [
                _amount_is(term, *columns) & Q(pk__in=self._recent(columns[0], term.amount))
                for columns in self.recent_amounts
            ]
        return found

    def find(self, rows: QuerySet[Any], term: SearchTerm) -> list[Any]:
        """Return up to `ROWS` of `rows` that match, and one more where there are more."""
        # Without what the list of these records shows: it would take longer to plan than to read.
        rows = rows.select_related(None)
        rows = rows.select_related(*self.related) if self.related else rows
        return list(newest_matching(rows, self.branches(term), ROWS + 1, self.order))

    def _filter_by(self, filters: SearchFilters) -> list[Q]:
        """Return the condition of the filters; none where these records lack what they name."""
        found = Q()
        columns = self.filtered or next(iter((*self.amounts, *self.recent_amounts)), None)
        if columns is None:
            return []
        for lookup, value in filters.amounts:
            found &= Q(**{f"{columns[0]}__{lookup}": value})
        if filters.currency:
            found &= Q(**{columns[1]: filters.currency})
        if filters.status:
            status = self._statuses().get(filters.status)
            if status is None:
                return []
            found &= Q(status=status)
        return [found]

    def _statuses(self) -> dict[str, str]:
        """Return the statuses of these records by value and label, in small letters."""
        fields: Any = {field.name: field for field in self.model._meta.fields}
        choices = fields["status"].choices if "status" in fields else ()
        return {
            str(text).lower().replace("_", " "): value
            for value, label in choices or ()
            for text in (value, label)
        }

    def _recent(self, column: str, amount: Decimal) -> RawSQL:
        """Return the ids of the newest records with `amount`; names are those of the model."""
        meta = self.model._meta
        names = {
            "table": meta.db_table,
            "id": meta.pk.column,
            "amount": meta.get_field(column).column,  # type: ignore[union-attr]
        }
        return RawSQL(_RECENT.format(**names), [RECENT_ROWS, amount, _MAX_RECENT])


_RECENT = """
SELECT recent.id FROM (
    SELECT "{id}" AS id, "{amount}" AS amount FROM "{table}" ORDER BY "{id}" DESC LIMIT %s
) AS recent
WHERE recent.amount = %s ORDER BY recent.id DESC LIMIT %s
"""


def _amount_is(term: SearchTerm, amount: str, currency: str) -> Q:
    condition = Q(**{amount: term.amount})
    return condition & Q(**{currency: term.currency}) if term.currency else condition


def locate(models: Iterable[type[Model]], record_id: UUID) -> list[type[Model]]:
    """Return the models of `models` that have a record of this id; all in one statement."""
    listed = {model._meta.label_lower: model for model in models}
    first, *others = (
        model._default_manager.order_by()
        .filter(pk=record_id)
        .annotate(found_in=_constant(label))
        .values_list("found_in", flat=True)
        for label, model in listed.items()
    )
    return [listed[label] for label in first.union(*others, all=True)]


def _constant(text: str) -> Value:
    return Value(text, output_field=CharField())
