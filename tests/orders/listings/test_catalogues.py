"""Listing the rows of a file: the errors of each row, and the effect on the others."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from exchange.core.ids import uuid7
from exchange.participants.models import Organisation
from exchange.tokens.models import Token
from orders.listings.services import catalogues
from orders.listings.services.catalogue_files import CatalogueFile, CatalogueRow
from orders.listings.services.catalogues import (
    InvalidRow,
    LoadResult,
    find_organisation,
    load_catalogue,
)
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.tokens import make_token
from tests.factories.wallets import assert_books_hold

pytestmark = pytest.mark.django_db

CELLS: dict[str, object] = {
    "name": "Rift Valley Tea",
    "symbol": "RVT",
    "currency": "KES",
    "investment_type": "Debt",
    "investment_category": "Bond",
    "total_supply": "1000",
    "price_buy": "100",
    "price_sell": "98",
}


@pytest.fixture
def issuer() -> Organisation:
    return make_organisation("Kericho Estates")


def row(line: int, **cells: object) -> CatalogueRow:
    """Return a valid row with other cells; a cell of None is left out."""
    given = CELLS | {"symbol": f"T{line}"} | cells
    return CatalogueRow(line, {name: cell for name, cell in given.items() if cell is not None})


def load(issuer: Organisation, *rows: CatalogueRow, **more: Any) -> LoadResult:
    file = CatalogueFile("line", rows, [])
    return load_catalogue(file=file, issuer=str(issuer.id), actor=TESTER, **more)


def errors(issuer: Organisation, **cells: object) -> tuple[str, ...]:
    """Return the errors of a row with such cells; nothing is listed."""
    bad = load(issuer, row(2, **cells), dry_run=True).invalid
    return bad[0].errors if bad else ()


def symbols() -> set[str]:
    return set(Token.objects.values_list("symbol", flat=True))


WRONG_NUMBER = "must be a number such as 1000 or 90.02, not"
WRONG_CELLS: list[tuple[dict[str, object], tuple[str, ...]]] = [
    # Numbers as people and programs write them.
    ({"carry": "x5"}, (f"carry {WRONG_NUMBER} 'x5'",)),
    ({"carry": "-x"}, (f"carry {WRONG_NUMBER} '-x'",)),
    ({"carry": "-5"}, ("carry must not be negative, not '-5'",)),
    ({"carry": True}, ("carry must be a number",)),
    ({"carry": Decimal(5)}, ()),
    ({"tenor": "0"}, ()),
    ({"tenor": Decimal(-1)}, ("tenor must be a whole number of days, not '-1'",)),
    ({"tenor": Decimal("NaN")}, ("tenor must be a whole number of days, not 'NaN'",)),
    # An unreadable sell price gets no second error, whatever the buy price is.
    ({"price_sell": "x", "price_buy": "0.5"}, (f"price_sell {WRONG_NUMBER} 'x'",)),
    (
        {"price_sell": "x", "price_buy": "1.005"},
        (f"price_sell {WRONG_NUMBER} 'x'", "price_buy must not have more than 2 decimals"),
    ),
    (
        {"price_sell": "x", "price_buy": "0"},
        (f"price_sell {WRONG_NUMBER} 'x'", "price_buy must be above 0"),
    ),
    # Words.
    ({"secondaries": "YES", "esop_token": "0"}, ()),
    ({"name": Decimal(5)}, ("name must be text, not '5'",)),
    ({"name": None}, ("name is required",)),
    ({"type": "public", "payout_frequency": "at  maturity", "currency": "kes"}, ()),
    ({"type": "Secret"}, ("type must be one of [Private, Public], not 'Secret'",)),
]


def test_a_row_gets_exactly_its_errors(issuer):
    for cells, expected in WRONG_CELLS:
        assert errors(issuer, **cells) == expected, cells


def test_a_creator_is_the_member_of_the_issuer_with_that_id_or_email(issuer):
    ann, ben = (make_member(issuer, email=f"{name}@kericho.test") for name in ("ann", "ben"))
    stranger = make_member(make_organisation(), email="eve@other.test")
    for line, (text, creator) in enumerate(
        [("ANN@kericho.test", ann), (str(ann.id), ann), ("ben@Kericho.test", ben)]
    ):
        assert load(issuer, row(line, creator=text)).invalid == []
        assert Token.objects.get(symbol=f"T{line}").creator == creator
    for text in ("nobody@kericho.test", str(issuer.id), stranger.email, str(stranger.id)):
        message = f"creator: {catalogues._quote(text)} is not a member of Kericho Estates"
        assert errors(issuer, creator=text) == (message,)


def test_an_organisation_is_found_by_its_id_email_or_name():
    one, *twins = (
        Organisation.objects.create(name=name, email=email)
        for name, email in (
            ("Kericho", "desk@kericho.test"),
            ("Limuru", "desk@limuru.test"),
            ("limuru", "desk@limuru.test"),
        )
    )
    for text in (str(one.id), "Desk@Kericho.test", "KERICHO"):
        assert find_organisation(text) == one
    for other in twins:
        assert find_organisation(str(other.id)) == other
    for text in ("desk@Limuru.test", "Limuru"):
        message = f"issuer: more than one organisation matches '{text}'"
        assert find_organisation(text) == message
    for text in ("Nobody", str(uuid7())):
        assert find_organisation(text) == f"issuer: no organisation matches '{text}'"


def test_invalid_rows_are_reported_in_order_and_block_the_file(issuer):
    make_token(issuer, symbol="Taken")
    rows = [
        row(2),
        row(3, symbol="TAKEN"),
        row(4, name=None),
        row(5, symbol="t2"),
        row(6, symbol="x" * 41),
    ]
    bad = [
        InvalidRow(3, "TAKEN", ("symbol: a token with symbol Taken exists already",)),
        InvalidRow(4, "T4", ("name is required",)),
        InvalidRow(5, "t2", ("symbol: line 2 has t2 too",)),
        InvalidRow(
            6, "x" * 40, ("symbol: Ensure this value has at most 20 characters (it has 41).",)
        ),
    ]
    assert load(issuer, *rows) == LoadResult(valid=1, invalid=bad, listed=0)
    assert symbols() == {"Taken"}
    assert load(issuer, *rows, skip_invalid=True, dry_run=True) == LoadResult(1, bad)
    assert symbols() == {"Taken"}
    assert load(issuer, *rows, skip_invalid=True) == LoadResult(1, bad, listed=1)
    assert symbols() == {"Taken", "T2"}


def test_tokens_are_listed_in_batches_with_index_scans(issuer, monkeypatch):
    monkeypatch.setattr(catalogues, "_BATCH_SIZE", 2)
    calls: list[tuple[str, int, int]] = []
    plans: list[str] = []

    def progress(doing: str, done: int, of: int) -> None:
        calls.append((doing, done, of))
        if doing == "listing":
            with connection.cursor() as cursor:
                cursor.execute("SHOW enable_seqscan")
                plans.extend(cursor.fetchone())

    assert load(issuer, row(2), row(3), row(4), progress=progress) == LoadResult(3, [], listed=3)
    assert calls == [
        ("checking", 1, 3),
        ("checking", 2, 3),
        ("checking", 3, 3),
        ("listing", 2, 3),
        ("listing", 3, 3),
    ]
    assert plans == ["off", "off"]
    found = Token.objects.order_by("reference")
    assert [token.symbol for token in found] == ["T2", "T3", "T4"]
    assert [json.loads(token.document)["reference"] for token in found] == [
        token.reference for token in found
    ]
    assert_books_hold()


@pytest.mark.parametrize("skip_bad", [False, True])
def test_a_symbol_taken_since_validation_invalidates_its_row(issuer, monkeypatch, skip_bad):
    """Between the check of all symbols and the listing of the last rows."""
    monkeypatch.setattr(catalogues, "_BATCH_SIZE", 2)
    rows = [row(line) for line in (2, 3, 4, 5)]

    def take(doing: str, done: int, _of: int) -> None:
        if (doing, done) == ("listing", 2):
            make_token(issuer, symbol="T5")

    found = load(issuer, *rows, skip_invalid=skip_bad, progress=take)
    bad = [InvalidRow(5, "T5", ("symbol: a token with symbol T5 exists already",))]
    assert found == LoadResult(3, bad, listed=3 if skip_bad else 0)
    # What another transaction listed stays; here it is in the one that is undone.
    assert symbols() == ({"T2", "T3", "T4", "T5"} if skip_bad else set())
    assert_books_hold()


def test_the_symbols_of_any_number_of_rows_are_looked_up(issuer, monkeypatch):
    monkeypatch.setattr(catalogues, "_SYMBOL_BATCH_SIZE", 2)
    for symbol in ("a2", "A4", "a6"):
        make_token(issuer, symbol=symbol)
    found = load(issuer, *(row(line, symbol=f"A{line}") for line in range(2, 7)), dry_run=True)
    assert (found.valid, [bad.number for bad in found.invalid]) == (2, [2, 4, 6])
    assert found.invalid[0].errors == ("symbol: a token with symbol a2 exists already",)


def test_hundreds_of_rows_are_listed_by_the_quarter_thousand_with_their_own_references(issuer):
    calls: list[tuple[str, int, int]] = []
    found = load(
        issuer,
        *(row(line) for line in range(2, 302)),
        progress=lambda *step: calls.append(step),
    )
    assert found == LoadResult(300, [], listed=300)
    assert calls[300:] == [("listing", 250, 300), ("listing", 300, 300)]
    assert Token.objects.values("reference").distinct().count() == 300
    assert_books_hold()
