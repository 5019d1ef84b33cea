"""The limits of a token's values: each database guard on its own."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from exchange.core.ids import uuid7
from tests.assertions.statement_results import ACCEPTED, try_statement
from tests.environment.database import Connection
from tests.environment.sql_functions import Record, expression
from tests.factories.plain_sql import Books, make_organisation

NUMBERS = (
    "raise_amount price_buy price_sell price_exchange prev_price_buy prev_price_sell"
    " prev_price_exchange valuation post_raise_valuation buy_fee sell_fee carry management_fee"
    " discount interest dividend min_buy max_buy min_sell max_sell min_trade_buy max_trade_buy"
    " min_trade_sell max_trade_sell vol_buy vol_sell supply total_supply total_allocated"
    " total_raised reference"
)
TERMS: dict[str, Any] = dict.fromkeys(NUMBERS.split(), 0) | {
    "secondaries": False,
    "completed_raise": True,
    "cancelled": False,
    "exited": False,
    "image": "",
    "type": "Private",
    "deal_access": "Public",
    "investment_type": "the service",
    "investment_category": "Fund",
    "payout_frequency": "",
    "currency_id": "KES",
    "created_at": "2026-01-01",
}
INSERT = "INSERT INTO given SELECT (jsonb_populate_record(NULL::given, %s)).*"
Changes = dict[str, Any]


def guard_tokens(books: Books, function: str) -> None:
    books.owner.execute("CREATE TEMPORARY TABLE given AS SELECT * FROM exchange_token LIMIT 0")
    books.owner.execute(
        "CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON given FOR EACH ROW"
        f" EXECUTE FUNCTION {function}()"
    )


def inserted(books: Books, **changes: Any) -> str:
    return try_statement(books.owner, INSERT, [Jsonb(TERMS | changes)])


def updated(books: Books, **changes: Any) -> str:
    """Return the result of a change of a token with the usual terms."""
    names = ", ".join(f"{name} = %s" for name in changes)
    return try_statement(books.owner, f"UPDATE given SET {names}", list(changes.values()))


def edges() -> Iterator[tuple[str, Changes]]:
    """Yield each rule with terms at its limit and beyond it."""
    below = Decimal("-0.01")

    def each(rule: str, names: str, value: Any) -> Iterator[tuple[str, Changes]]:
        for name in names.split():
            yield rule, {name: str(value)}

    fees, percents = "buy_fee sell_fee", "carry management_fee discount interest dividend"
    yield ACCEPTED, {}
    yield from each("token_fees_within_half", fees, below)
    yield from each("token_fees_within_half", fees, "50.01")
    yield from each(ACCEPTED, fees, 50)
    yield from each("token_percent_within_100", percents, below)
    yield from each("token_percent_within_100", percents, "100.01")
    yield from each(ACCEPTED, percents, 100)
    prices = (
        "price_sell price_exchange prev_price_buy prev_price_sell prev_price_exchange valuation"
        " post_raise_valuation raise_amount"
    )
    yield from each("token_amounts_not_negative", prices, below)
    yield "token_amounts_not_negative", {"price_buy": -1, "price_sell": -1}
    for kind in ("buy", "sell", "trade_buy", "trade_sell"):
        low, high = f"min_{kind}", f"max_{kind}"
        yield "token_bounds_in_order", {low: -1}
        for least, most in ((2, "1"), (5, "4.99"), (5, "-1")):
            yield "token_bounds_in_order", {low: least, high: most}
        for least, most in ((5, "0"), (5, "5"), (5, "6"), (0, "0.5")):
            yield ACCEPTED, {low: least, high: most}
    offer: Changes = {
        "completed_raise": False, "completed_at": None, "raise_amount": "0.01", "price_buy": "0.01",
    }  # fmt: skip
    yield ACCEPTED, offer
    yield "token_completed_with_its_raise", offer | {"completed_at": "2026-01-02"}
    yield from each("token_issue_price_positive", "issue_price", 0)
    yield from each("token_issue_price_positive", "issue_price", below)
    yield from each(ACCEPTED, "issue_price", "0.01")
    for missing in ("raise_amount", "price_buy"):
        for nothing in (0, -1):
            yield "token_raise_has_an_offer", offer | {missing: nothing}
    yield "token_secondaries_after_raise", offer | {"secondaries": True}
    yield ACCEPTED, {"secondaries": True}
    yield ACCEPTED, {"price_buy": 5, "price_sell": 5}
    for image in ("x", "//a.example/x.png", "javascript:alert(1)"):
        yield "token_image_is_an_address", {"image": image}
    yield ACCEPTED, {"image": "/x.png"}
    yield from each(
        "token_words_known",
        "type deal_access investment_type investment_category payout_frequency",
        "Other",
    )


def test_terms_are_accepted_up_to_their_limits(books):
    guard_tokens(books, "token_terms")
    expected = [(changes, rule) for rule, changes in edges()]
    assert [(changes, inserted(books, **changes)) for changes, _ in expected] == expected
    books.owner.execute(INSERT, [Jsonb(TERMS)])
    assert [
        (changes, updated(books, **changes) if changes else ACCEPTED) for changes, _ in expected
    ] == expected


def test_the_sell_price_of_a_new_token_is_not_above_the_buy_price(books):
    guard_tokens(books, "token_terms")
    prices = {"price_buy": 5, "price_sell": "5.01"}
    assert inserted(books, **prices) == "token_sell_not_above_buy"
    books.owner.execute(INSERT, [Jsonb(TERMS)])
    assert updated(books, **prices) == ACCEPTED


def test_totals_of_a_token_are_within_their_limits(books):
    guard_tokens(books, "token_guard")
    negative, supply = "token_totals_not_negative", "token_supply_within_total"
    expected: list[tuple[Changes, str]] = [
        ({}, ACCEPTED),
        ({"total_supply": 5, "supply": 5}, ACCEPTED),
        ({"total_supply": "0.5", "supply": "0.25"}, ACCEPTED),
        ({"total_supply": 5, "supply": "5.01"}, supply),
        ({"total_supply": 5, "supply": "-0.01"}, supply),
        *(
            ({name: "-0.01"}, negative)
            for name in ("vol_buy", "vol_sell", "total_supply", "total_allocated", "total_raised")
        ),
        *(
            ({name: "0.01"}, ACCEPTED)
            for name in ("vol_buy", "vol_sell", "total_supply", "total_allocated", "total_raised")
        ),
    ]
    assert [(changes, inserted(books, **changes)) for changes, _ in expected] == expected
    books.owner.execute(INSERT, [Jsonb(TERMS)])
    # The supply that a token was listed with stays.
    changed = [
        (each, "RestrictViolation" if word == ACCEPTED and "total_supply" in each else word)
        for each, word in expected[1:]
    ]
    assert [(each, updated(books, **each)) for each, _ in changed] == changed


def test_the_identity_of_a_token_never_changes_and_closures_are_final(books):
    guard_tokens(books, "token_guard")
    closures, changed = ("cancelled", "exited", "completed_raise"), "RestrictViolation"
    ids = {name: str(uuid7()) for name in ("id", "issuer_id")}
    books.owner.execute(INSERT, [Jsonb(TERMS | ids | dict.fromkeys(closures, True))])
    identity: Changes = {
        "id": uuid7(), "issuer_id": uuid7(), "currency_id": "NGN", "reference": 9,
        "created_at": "2026-01-02",
    }  # fmt: skip
    for name, value in identity.items():
        assert (name, updated(books, **{name: value})) == (name, changed)
    for name in closures:
        assert (name, updated(books, **{name: True})) == (name, ACCEPTED)
        assert (name, updated(books, **{name: False})) == (name, changed)
        books.owner.execute("TRUNCATE given")
        books.owner.execute(INSERT, [Jsonb(TERMS | dict.fromkeys(closures, False))])
        assert (name, updated(books, **{name: True})) == (name, ACCEPTED)
        assert (name, updated(books, **{name: False})) == (name, ACCEPTED)
        books.owner.execute("TRUNCATE given")
        books.owner.execute(INSERT, [Jsonb(TERMS | dict.fromkeys(closures, True))])


def test_every_write_updates_the_time_of_change(books):
    guard_tokens(books, "token_guard")
    books.owner.execute(INSERT, [Jsonb(TERMS | {"updated_at": "2026-01-01"})])
    assert books.value("SELECT updated_at::date::text FROM given") == "2026-01-01"
    books.owner.execute("UPDATE given SET updated_at = '2026-01-02', name = 'New'")
    assert books.value("SELECT updated_at BETWEEN now() AND clock_timestamp() FROM given")


# --- prices ---


@pytest.fixture
def earlier(owner_connection: Connection) -> Iterator[UUID]:
    """A token with an approved quote of 5, 4 and 3 from a completed transaction."""
    token = uuid7()
    with owner_connection.transaction():
        approve(Books(owner_connection, token), token, decided_at="2026-01-01")
    yield token
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute("DELETE FROM exchange_quote WHERE token_id = %s", [token])


def approve(books: Books, token: UUID, **given: Any) -> None:
    quote = {"buy": 5, "sell": 4, "exchange": 3, "status": "Approved", "decided_at": "2026-01-01"}
    books.insert("exchange_quote", token_id=token, **(quote | given))


def guard_prices(books: Books) -> None:
    books.owner.execute(
        "CREATE TEMPORARY TABLE given"
        " (id uuid, price_buy numeric, price_sell numeric, price_exchange numeric)"
    )
    books.owner.execute(
        "CREATE TRIGGER guard AFTER INSERT ON given FOR EACH ROW EXECUTE FUNCTION price_guard()"
    )


def priced(books: Books, token: UUID) -> str:
    return try_statement(books.owner, "INSERT INTO given VALUES (%s, 5, 4, 3)", [token])


def test_prices_require_a_quote_approved_in_the_same_transaction(earlier, books):
    guard_prices(books)
    refused = "token_price_by_quote"
    attempts: list[tuple[Changes, str]] = [
        ({}, ACCEPTED),
        ({"status": "Pending"}, refused),
        ({"status": "Rejected"}, refused),
        ({"buy": 6}, refused),
        ({"sell": 5}, refused),
        ({"exchange": 4}, refused),
    ]
    found = []
    for quote, _ in attempts:
        token = uuid7()
        approve(books, token, **quote)
        found.append((quote, priced(books, token)))
    assert found == attempts
    assert priced(books, uuid7()) == refused
    assert priced(books, earlier) == refused
    approve(books, earlier, decided_at="2025-12-31")
    assert priced(books, earlier) == refused
    approve(books, earlier, decided_at="2026-01-02", status="Pending")
    approve(books, earlier, decided_at="2026-01-02", buy=6)
    assert priced(books, earlier) == refused
    approve(books, earlier, decided_at="2026-01-02")
    assert priced(books, earlier) == ACCEPTED


def test_prices_still_change_after_four_billion_transactions(books):
    """Transaction ids in rows wrap around; those of the server include the epoch."""
    guard_prices(books)
    token = uuid7()
    approve(books, token)
    books.owner.execute("CREATE SCHEMA later")
    books.owner.execute(
        "CREATE FUNCTION later.pg_current_xact_id() RETURNS xid8 LANGUAGE sql AS $$ SELECT"
        " (5::bigint << 32 | pg_catalog.pg_current_xact_id()::text::bigint)::text::xid8 $$"
    )
    books.owner.execute(
        "CREATE FUNCTION later.pg_xact_status(id xid8) RETURNS text LANGUAGE sql AS $$ SELECT"
        " CASE WHEN id::text::bigint >> 32 = 5 THEN pg_catalog.pg_xact_status("
        " (id::text::bigint & 4294967295)::text::xid8) END $$"
    )
    books.owner.execute("SET LOCAL search_path = later, pg_catalog, public")
    assert priced(books, token) == ACCEPTED
    assert priced(books, uuid7()) == "token_price_by_quote"


def test_a_private_token_is_visible_to_its_issuer_and_organisations_with_access(books):
    issuer, shown, stranger = (make_organisation(books.owner) for _ in range(3))
    token, other = uuid7(), uuid7()
    books.insert("exchange_tokenaccess", token_id=token, organisation_id=shown)
    books.insert("exchange_tokenaccess", token_id=other, organisation_id=stranger)

    def seen_by(access: str, organisation: UUID) -> bool:
        row = {"id": token, "issuer_id": issuer, "deal_access": access}
        text, values = expression("token_visible", Record("exchange_token", row), organisation)
        found: bool = books.value(f"SELECT {text}", values)
        return found

    everybody = (issuer, shown, stranger)
    assert [seen_by("Public", each) for each in everybody] == [True, True, True]
    assert [seen_by("Private", each) for each in everybody] == [True, True, False]


@pytest.mark.parametrize(
    ("wanted", "raised", "milestone"),
    [
        ("0", "5", "0"),
        ("0.5", "0.25", "50"),
        ("1", "0.5", "50"),
        ("3", "1", "33.33"),
        ("3", "2", "66.67"),
        ("2000", "0.03", "0"),
        ("8", "8", "100"),
    ],
)
def test_the_milestone_is_the_percentage_raised(books, wanted, raised, milestone):
    guard_tokens(books, "exchange_token_document")
    values: dict[str, Any] = {
        "id": str(uuid7()), "name": "Fund", "symbol": "FND", "listing_reference": "", "tenor": 0,
        "esop_token": False, "updated_at": "2026-01-01", "raise_amount": wanted,
        "total_raised": raised,
    }  # fmt: skip
    books.owner.execute(INSERT, [Jsonb(TERMS | values)])
    assert books.value("SELECT document::jsonb ->> 'milestone' FROM given") == milestone
