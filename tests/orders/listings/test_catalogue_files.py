"""Reading a file of tokens: encodings, separators, columns, lines and limits."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from exchange.core.errors import InvalidRequest
from orders.listings.services import catalogue_files
from orders.listings.services.catalogue_files import (
    CatalogueFile,
    CatalogueRow,
    read_catalogue,
    resolve_field,
)

NAMES = list(catalogue_files.REQUIRED)
HEADER = ",".join(NAMES)
CELLS = ["Tea", "RVT", "KES", "Debt", "Bond", "1000", "100", "98"]
GOOD = dict(zip(NAMES, CELLS, strict=True))


@pytest.fixture
def read(tmp_path: Path):
    def write_and_read(content: str | bytes) -> CatalogueFile:
        path = tmp_path / "tokens"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_catalogue(path)

    return write_and_read


def csv(*rows: str, header: str = HEADER) -> str:
    return "\n".join((header, *rows))


def items(*rows: object) -> str:
    return ",\n".join(json.dumps(row) for row in rows)


@pytest.mark.parametrize(
    ("column", "field"),
    [
        ("price_buy", "price_buy"),
        ("Price (Buy)", "price_buy"),
        ("price.buy", "price_buy"),
        ("priceBuy", "price_buy"),
        (" TOTAL  supply (units) ", "total_supply"),
        ("minTradeBuy", "min_trade_buy"),
        ("request", "listing_reference"),
        ("Request (no.)", "listing_reference"),
        ("_id", "id"),
        ("supply", "supply"),
        ("Supply (of all)", "supply"),
        ("Colour (RAL)", "colour"),
        ("(units)", ""),
    ],
)
def test_a_column_means_a_field_however_it_is_written(column, field):
    assert resolve_field(column) == field


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a\nb\n\xe9", "Line 3 is not UTF-8: save the file as 'CSV UTF-8'"),
        (b"\xef\xbb\xbf\xe9", "Line 1 is not UTF-8: save the file as 'CSV UTF-8'"),
        (b"\xff\xfea", "Line 1 is not UTF-16: save the file as 'CSV UTF-8'"),
    ],
)
def test_a_file_in_another_encoding_is_refused_by_its_line(read, raw, message):
    with pytest.raises(InvalidRequest) as refusal:
        read(raw)
    assert refusal.value.message == message


def test_what_begins_with_a_bracket_is_json_and_all_else_is_csv(read):
    for text in (csv(",".join(CELLS)), f"\n [{items(GOOD)}]", f'{{"tokens": [{items(GOOD)}]}}'):
        (row,) = read(text).rows
        assert row.cells == GOOD
        assert row.errors == ()
    for empty in ("", " \n\t", "\ufeff"):
        with pytest.raises(InvalidRequest, match="The file is empty"):
            read(empty)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_most_frequent_separator_of_the_header_separates_cells(read, separator):
    header = separator.join(['"a,;|b (x), (y); |"', *NAMES[1:]])
    text, body, skipped = catalogue_files._detect_separator(header + "\nrest")
    assert (text, body, skipped) == (separator, header + "\nrest", 0)
    note = f"sep={separator}\r\n{separator.join(NAMES)}\n{separator.join(CELLS)}"
    (row,) = read(note).rows
    assert (row.number, row.cells) == (3, GOOD)


def test_a_header_of_one_column_is_separated_by_a_comma():
    assert catalogue_files._detect_separator('"a;b"') == (",", '"a;b"', 0)


def test_each_row_keeps_the_line_it_begins_on(read):
    row = ",".join(CELLS)
    found = read(csv("", row, '"Two\nlines"' + row.removeprefix("Tea"), " , ,,", row))
    assert [each.number for each in found.rows] == [3, 4, 7]
    with pytest.raises(InvalidRequest, match=r"^Line 4: "):
        read(csv(row, row, '"Tea" x,'))


def test_items_of_json_are_numbered_from_one(read):
    found = read(f'{{"page": 1,\n"tokens":\n[\n{items(GOOD, GOOD)}\n,\n\n{items(GOOD)}]}}')
    assert found.row_label == "item"
    assert [row.number for row in found.rows] == [1, 2, 3]
    assert read(csv(",".join(CELLS))).row_label == "line"


def test_rows_of_csv_and_items_of_json_are_a_hundred_thousand_at_most(read):
    most = 100_000
    assert len(read(csv(*["x"] * most)).rows) == most
    with pytest.raises(InvalidRequest, match=r"^The file has more than 100000 rows$"):
        read(csv(*["x"] * (most + 1)))
    for count, message in ((most, "missing columns"), (most + 1, "The file has more than 100000")):
        with pytest.raises(InvalidRequest, match=f"^{message} ?"):
            read("[" + ",".join("5" * count) + "]")


def test_a_file_has_64_mib_at_most(tmp_path):
    for size, message in (
        (64 * 1024 * 1024, "The file is empty"),
        (64 * 1024 * 1024 + 1, "The file is larger than 64 MiB"),
    ):
        path = tmp_path / "large"
        path.write_bytes(b" " * size)
        with pytest.raises(InvalidRequest) as refusal:
            read_catalogue(path)
        assert refusal.value.message == message


def test_cells_outside_the_columns_are_named_by_position(read):
    found = read(
        csv(
            ",".join(CELLS) + ",,",
            ",".join(CELLS) + ",, ",
            ",".join(CELLS) + ",1,",
            ",".join(CELLS) + ",,,2",
            ",".join(CELLS),
            ",".join(CELLS) + ",,,",
            header=HEADER + ",, ",
        )
    )
    assert [row.errors for row in found.rows] == [
        (),
        (),
        ("cell 9 is in a column without a name",),
        ("has 11 cells, the header has 10",),
        ("has 8 cells, the header has 10",),
        (),
    ]
    assert all(row.cells == GOOD for row in found.rows)


def test_cells_are_stripped_and_empty_ones_left_out(read):
    (row,) = read(csv(" Tea ,RVT,,Debt,Bond,1000, ,98")).rows
    assert row.cells == {
        name: cell for name, cell in GOOD.items() if name not in {"currency", "price_buy"}
    }
    cells = GOOD | {"name": " Tea ", "currency": "", "price_sell": None, "carry": 0}
    (row,) = read(f"[{items(cells)}]").rows
    assert row.cells == {
        **{n: cell for n, cell in GOOD.items() if n not in {"currency", "price_sell"}},
        "carry": Decimal(0),
    }


def test_json_errors_are_named_by_field(read):
    text = items(GOOD).removesuffix("}") + ', "price": {"buy": 1, "buy": 2}, "carry": [1]}'
    text = text.replace('"price_buy": "100", ', "").replace('"name"', '"name": 1, "name"')
    first, second = read(f"[{text}, 5]").rows
    assert first.errors == ("name comes twice", "buy comes twice", "carry must be a single value")
    assert first.cells == GOOD | {"price_buy": Decimal(2)}
    assert second == CatalogueRow(2, {}, ("is not an object",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"data": 5}', "JSON must be an array of tokens, or an object with one as `tokens`"),
        ('{"page": 1, "x": []}', "JSON must be an array of tokens, or an object with one as"),
        ('{"tokens": {"a": []}}', "JSON must be an array of tokens, or an object with one as"),
        ("{}", "JSON must be an array of tokens, or an object with one as `tokens`"),
        ('{"page" 1}', "Line 1: not JSON: Expecting ':' delimiter"),
        ('[{"a": 1}\n{"a": 1}]', "Line 2: not JSON: Expecting ',' delimiter"),
        ("[]\n\n5", "Line 3: not JSON: Extra data"),
        ("[]5", "Line 1: not JSON: Extra data"),
        ('[{"a": Infinity}]', "Invalid JSON: Infinity is not a number"),
    ],
)
def test_json_that_is_no_array_of_tokens_is_refused(read, text, message):
    with pytest.raises(InvalidRequest) as refusal:
        read(text)
    assert refusal.value.message.startswith(message)


@pytest.mark.parametrize("before", ["", '"page": 1, ', '"page": {"a": [1]},\n'])
@pytest.mark.parametrize("name", ["tokens", "data"])
def test_the_array_may_be_in_an_object_or_two(read, before, name):
    text = f'{{{before}"{name}": [{items(GOOD)}], "more": 1}}'
    assert len(read(text).rows) == 1
    assert len(read(f'{{"status": "success", "data": {text}}}').rows) == 1


def test_all_invalid_columns_are_named(read):
    # The 21st unknown column is not shown, nor what is beyond sixty characters.
    odd = [f"q{number}" for number in range(20)]
    with pytest.raises(InvalidRequest) as refusal:
        read(csv("1", header=",".join(["z" * 61, *odd, "price.buy", HEADER])))
    shown = ", ".join(f"unknown column '{name}'" for name in ("z" * 60, *odd[:19]))
    assert refusal.value.message == (
        shown.replace(", ", "; ") + "; 'price.buy' and 'price_buy' are both price_buy"
    )
    with pytest.raises(InvalidRequest) as refusal:
        read(csv("1", header=HEADER.replace("price_sell", "price_sel")))
    assert refusal.value.message == (
        "unknown column 'price_sel' (did you mean price_sell or price_buy?);"
        " missing columns: price_sell"
    )


def test_managed_columns_are_named_and_may_repeat(read):
    found = read(csv(",".join((*CELLS, "1", "2", "3")), header=HEADER + ",_id,id,Milestone"))
    assert found.ignored == ["_id", "id", "Milestone"]
    assert found.rows[0].errors == ()
    assert read(csv(",".join(CELLS))).ignored == []
