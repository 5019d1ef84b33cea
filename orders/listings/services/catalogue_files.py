"""Reading files of tokens to list: an issuer's spreadsheet saved as CSV, or JSON.

This is form only: columns are matched with the API's names of a token's fields, cells stay as they
were written, and every row keeps its number. `services.catalogues` says what is wrong
with a row and lists the tokens.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from exchange.core.errors import InvalidRequest

MAX_FILE_MIB = 64
MAX_ROWS = 100_000
# Columns a file must have. Every other field of a listing has a default.
REQUIRED = (
    *("name", "symbol", "currency", "investment_type", "investment_category"),
    *("total_supply", "price_buy", "price_sell"),
)
NUMBERS = (
    *("total_supply", "price_buy", "price_sell", "price_exchange", "offered", "raise_amount"),
    *("min_buy", "min_sell", "max_buy", "max_sell"),
    *("min_trade_buy", "min_trade_sell", "max_trade_buy", "max_trade_sell"),
    *("buy_fee", "sell_fee", "carry", "management_fee", "discount", "interest", "dividend"),
    *("valuation", "post_raise_valuation"),
)
CHOICES = ("type", "deal_access", "investment_type", "investment_category", "payout_frequency")
FLAGS = ("secondaries", "esop_token")
TEXTS = ("name", "symbol", "image", "listing_reference")
FIELDS = (*NUMBERS, *CHOICES, *FLAGS, *TEXTS, "currency", "tenor", "creator", "issuer")
# Fields of the API's token that the service keeps itself. A file that came from the API has them.
MANAGED_FIELDS = frozenset(
    (
        *("id", "reference", "asset", "prev_price_buy", "prev_price_sell", "prev_price_exchange"),
        *("vol_buy", "vol_sell", "supply", "total_raised", "total_allocated", "milestone"),
        *("completed_raise", "closed", "exited", "cancelled", "created_at", "updated_at"),
    )
)
_ALIASES = {"request": "listing_reference"}
_ENCODINGS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Of unknown columns, in a message.
_MAX_COLUMNS_NAMED, _MAX_NAME_LENGTH = 20, 60
_SEPARATORS = ",;\t|"


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One token as the file has it: its number, its cells by field, what is odd.

    `number` is the line that a row of CSV begins on, or an item's place in JSON, from 1. Cells are
    stripped text from CSV, and from JSON text, numbers (`Decimal`) or booleans. Empty ones are
    left out.
    """

    number: int
    cells: Mapping[str, object]
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """The rows of a file, and its columns that have no effect since the service keeps them.

    `row_label` is what the numbers of rows count: "line" or "item".
    """

    row_label: str
    rows: Sequence[CatalogueRow]
    ignored: Sequence[str]


def read_catalogue(path: Path) -> CatalogueFile:
    """Reads a CSV or JSON file; what begins with `[` or `{` is JSON.

    Raises `InvalidRequest`, which names what is wrong with the file as a whole, and `OSError`.
    """
    if path.stat().st_size > MAX_FILE_MIB * 1024**2:
        raise InvalidRequest(f"The file is larger than {MAX_FILE_MIB} MiB")
    text = _decode(path.read_bytes())
    if not text.strip():
        raise InvalidRequest("The file is empty")
    is_json = text.lstrip().startswith(("[", "{"))
    return _read_json(text) if is_json else _read_csv(text)


def resolve_field(column: str) -> str:
    """The field a column means: `Price (Buy)`, `price.buy` and `priceBuy` are `price_buy`.

    Not necessarily one of `FIELDS`. A unit in brackets at the end is no part of the name.
    """
    for name in (column, re.sub(r"\([^()]*\)\s*$", "", column)):
        split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
        field = re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")
        field = _ALIASES.get(field, field)
        if field in FIELDS or field in MANAGED_FIELDS:
            break
    return field


def _decode(raw: bytes) -> str:
    encoding = next((name for mark, name in _ENCODINGS if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InvalidRequest(
            f"Line {line} is not {encoding.removesuffix('-sig').upper()}: save the file as"
            " 'CSV UTF-8'"
        ) from error


# --- CSV ------------------------------------------------------------------------------------------


def _read_csv(text: str) -> CatalogueFile:
    separator, text, skipped = _detect_separator(text)
    lines = _csv_lines(text, separator, skipped)
    _, header = next(lines)
    names = [name.strip().strip("\ufeff") for name in header]
    fields = _resolve_columns([name for name in names if name])
    by_column = {index: fields[name] for index, name in enumerate(names) if name}
    rows: list[CatalogueRow] = []
    for line, cells in lines:
        if len(rows) == MAX_ROWS:
            raise InvalidRequest(f"The file has more than {MAX_ROWS} rows")
        rows.append(_csv_row(line, cells, by_column, len(names)))
    return _build_file("line", rows, fields)


def _detect_separator(text: str) -> tuple[str, str, int]:
    """What separates cells, the text without Excel's own note of it, and lines left out."""
    first, _, rest = text.partition("\n")
    if note := re.fullmatch(r'"?sep=(.)"?\r?', first):
        return note[1], rest, 1
    outside_quotes = re.sub(r'"[^"]*"', "", first)
    found = max(_SEPARATORS, key=outside_quotes.count)
    return found if outside_quotes.count(found) else ",", text, 0


def _csv_lines(text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not blank, with the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + skipped + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InvalidRequest(f"Line {line}: {error}") from error
        if any(cell.strip() for cell in cells):
            yield line, cells


def _csv_row(line: int, cells: list[str], by_column: dict[int, str], width: int) -> CatalogueRow:
    errors = []
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        errors.append(f"has {len(cells)} cells, the header has {width}")
    nameless = [n for n, cell in enumerate(cells[:width]) if cell.strip() and n not in by_column]
    errors += [f"cell {n + 1} is in a column without a name" for n in nameless]
    values = {
        field: cells[index].strip()
        for index, field in by_column.items()
        if index < len(cells) and cells[index].strip()
    }
    return CatalogueRow(line, values, tuple(errors))


# --- JSON -----------------------------------------------------------------------------------------


class _JsonObject(dict[str, Any]):
    """A JSON object that remembers which of its names came twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = [name for name, n in Counter(name for name, _ in pairs).items() if n > 1]


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _read_json(text: str) -> CatalogueFile:
    try:
        found = json.loads(
            text,
            object_pairs_hook=_JsonObject,
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=_reject_constant,
        )
    except json.JSONDecodeError as error:
        raise InvalidRequest(f"Line {error.lineno}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"Not JSON that can be read: {error}") from error
    items = _find_items(found)
    if len(items) > MAX_ROWS:
        raise InvalidRequest(f"The file has more than {MAX_ROWS} items")
    names = dict.fromkeys(name for item in items for name in _flatten(item))
    fields = _resolve_columns(list(names))
    rows = [_json_row(number, item, fields) for number, item in enumerate(items, 1)]
    return _build_file("item", rows, fields)


def _find_items(found: Any) -> list[Any]:
    """Give the array of tokens: at the top, or under `tokens` or `data`, as the API answers."""
    while isinstance(found, dict):
        found = found.get("tokens", found.get("data"))
    if not isinstance(found, list):
        raise InvalidRequest("JSON must be an array of tokens, or an object with one as `tokens`")
    return found


def _flatten(item: Any) -> dict[str, Any]:
    """The members of an object, those of an object in it as `price.buy`; nulls are left out."""
    found: dict[str, Any] = {}
    for name, value in item.items() if isinstance(item, dict) else ():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": cell for inner, cell in value.items()}
        else:
            found[name] = value
    return found


def _json_row(number: int, item: Any, fields: dict[str, str]) -> CatalogueRow:
    if not isinstance(item, _JsonObject):
        return CatalogueRow(number, {}, ("is not an object",))
    nested = [value for value in item.values() if isinstance(value, _JsonObject)]
    errors = [f"{name} comes twice" for o in (item, *nested) for name in o.repeated]
    cells: dict[str, object] = {}
    for name, value in _flatten(item).items():
        if isinstance(value, list | dict):
            errors.append(f"{fields[name]} must be a single value")
        elif isinstance(value, str):
            cells[fields[name]] = value.strip()
        elif value is not None:
            cells[fields[name]] = value
    filled = {name: cell for name, cell in cells.items() if cell != ""}
    return CatalogueRow(number, filled, tuple(errors))


# --- Columns --------------------------------------------------------------------------------------


def _resolve_columns(names: list[str]) -> dict[str, str]:
    """The field of each column. Raises `InvalidRequest`, which names every column that is wrong."""
    fields = {name: resolve_field(name) for name in names}
    wrong = [
        f"unknown column '{name[:_MAX_NAME_LENGTH]}'{_suggest(field[:_MAX_NAME_LENGTH])}"
        for name, field in fields.items()
        if field not in FIELDS and field not in MANAGED_FIELDS
    ][:_MAX_COLUMNS_NAMED]
    meant: dict[str, list[str]] = {}
    for name in names:
        meant.setdefault(fields[name], []).append(f"'{name}'")
    wrong += [
        f"{' and '.join(columns)} are both {field}"
        for field, columns in meant.items()
        if len(columns) > 1 and field in FIELDS
    ]
    missing = [field for field in REQUIRED if field not in meant]
    if missing:
        wrong.append(f"missing columns: {', '.join(missing)}")
    if wrong:
        raise InvalidRequest("; ".join(wrong))
    return fields


def _suggest(field: str) -> str:
    close = difflib.get_close_matches(field, FIELDS, n=2)
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def _build_file(row_label: str, rows: list[CatalogueRow], fields: dict[str, str]) -> CatalogueFile:
    if not rows:
        raise InvalidRequest("The file has no rows")
    ignored = [name for name, field in fields.items() if field in MANAGED_FIELDS]
    return CatalogueFile(row_label, rows, ignored)
