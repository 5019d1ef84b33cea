"""Read files of tokens to list: an issuer's spreadsheet saved as CSV, or JSON.

Only the form is read here: columns are matched with the API's field names, cells stay as written,
and every row keeps its number. `services.catalogues` validates rows and lists the tokens.
"""

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
# Required columns. Every other field of a listing has a default.
REQUIRED = (
    *("name", "symbol", "currency", "investment_type", "investment_category"),
    *("total_supply", "price_buy", "price_sell"),
)
NUMBERS = (
    *("total_supply", "price_buy", "price_sell", "price_exchange", "offered", "raise_amount"),
    *("min_buy", "min_sell", "max_buy", "max_sell"),
    *("min_trade_buy", "min_trade_sell", "max_trade_buy", "max_trade_sell"),
    *("buy_fee", "sell_fee", "carry", "management_fee", "discount", "interest", "dividend"),
    *("valuation", "post_raise_valuation", "issue_price"),
)
CHOICES = ("type", "deal_access", "investment_type", "investment_category", "payout_frequency")
FLAGS = ("secondaries", "esop_token")
TEXTS = ("name", "symbol", "image", "listing_reference")
FIELDS = (*NUMBERS, *CHOICES, *FLAGS, *TEXTS, "currency", "tenor", "creator", "issuer")
# Token fields managed by the exchange; present in files exported from the API.
MANAGED_FIELDS = frozenset(
    (
        *("id", "reference", "asset", "prev_price_buy", "prev_price_sell", "prev_price_exchange"),
        *("vol_buy", "vol_sell", "supply", "total_raised", "total_allocated", "milestone"),
        *("completed_raise", "closed", "exited", "cancelled", "created_at", "updated_at"),
    )
)
_ALIASES = {"request": "listing_reference"}
_ENCODINGS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Limits for unknown columns in a message.
_MAX_COLUMNS_NAMED, _MAX_NAME_LENGTH = 20, 60
_SEPARATORS = ",;\t|"


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One token as the file has it: number, cells by field, and errors of form.

    `number` is the first line of a CSV row, or the position of a JSON item, from 1. Cells are
    stripped text from CSV; text, numbers (`Decimal`) or booleans from JSON. Empty cells are left
    out.
    """

    number: int
    cells: Mapping[str, object]
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """The rows of a file, and its ignored columns (`MANAGED_FIELDS`).

    `row_label` names what row numbers count: "line" or "item".
    """

    row_label: str
    rows: Sequence[CatalogueRow]
    ignored: Sequence[str]


def read_catalogue(path: Path) -> CatalogueFile:
    """Read a CSV or JSON file; a file that begins with `[` or `{` is JSON.

    Raises `InvalidRequest` for errors of the file as a whole, and `OSError`.
    """
    if path.stat().st_size > MAX_FILE_MIB * 1024**2:
        raise InvalidRequest(f"The file is larger than {MAX_FILE_MIB} MiB")
    text = _decode(path.read_bytes())
    if not text.strip():
        raise InvalidRequest("The file is empty")
    is_json = text.lstrip().startswith(("[", "{"))
    return _read_json(text) if is_json else _read_csv(text)


def resolve_field(column: str) -> str:
    """Return the field of a column: `Price (Buy)`, `price.buy` and `priceBuy` are `price_buy`.

    The result may be unknown. A unit in trailing brackets is not part of the name.
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
    """Return the separator, the text without Excel's `sep=` line, and the lines removed."""
    first, _, rest = text.partition("\n")
    if note := re.fullmatch(r'"?sep=(.)"?\r?', first):
        return note[1], rest, 1
    outside_quotes = re.sub(r'"[^"]*"', "", first)
    found = max(_SEPARATORS, key=outside_quotes.count)
    return found if outside_quotes.count(found) else ",", text, 0


def _csv_lines(text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is not blank, with its first line number."""
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
    unnamed = [n for n, cell in enumerate(cells[:width]) if cell.strip() and n not in by_column]
    errors += [f"cell {n + 1} is in a column without a name" for n in unnamed]
    values = {
        field: cells[index].strip()
        for index, field in by_column.items()
        if index < len(cells) and cells[index].strip()
    }
    return CatalogueRow(line, values, tuple(errors))


# --- JSON -----------------------------------------------------------------------------------------


class _JsonObject(dict[str, Any]):
    """A JSON object that remembers its duplicate names."""

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
        raise InvalidRequest(f"Invalid JSON: {error}") from error
    items = _find_items(found)
    if len(items) > MAX_ROWS:
        raise InvalidRequest(f"The file has more than {MAX_ROWS} items")
    names = dict.fromkeys(name for item in items for name in _flatten(item))
    fields = _resolve_columns(list(names))
    rows = [_json_row(number, item, fields) for number, item in enumerate(items, 1)]
    return _build_file("item", rows, fields)


def _find_items(found: Any) -> list[Any]:
    """Return the array of tokens: top level, or under `tokens` or `data` as in API responses."""
    while isinstance(found, dict):
        found = found.get("tokens", found.get("data"))
    if not isinstance(found, list):
        raise InvalidRequest("JSON must be an array of tokens, or an object with one as `tokens`")
    return found


def _flatten(item: Any) -> dict[str, Any]:
    """Flatten an object: members of nested objects as `price.buy`."""
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
    """Return the field of each column. Raises `InvalidRequest` that names every invalid column."""
    fields = {name: resolve_field(name) for name in names}
    wrong = [
        f"unknown column '{name[:_MAX_NAME_LENGTH]}'{_suggest(field[:_MAX_NAME_LENGTH])}"
        for name, field in fields.items()
        if field not in FIELDS and field not in MANAGED_FIELDS
    ][:_MAX_COLUMNS_NAMED]
    columns_by_field: dict[str, list[str]] = {}
    for name in names:
        columns_by_field.setdefault(fields[name], []).append(f"'{name}'")
    wrong += [
        f"{' and '.join(columns)} are both {field}"
        for field, columns in columns_by_field.items()
        if len(columns) > 1 and field in FIELDS
    ]
    missing = [field for field in REQUIRED if field not in columns_by_field]
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
