"""What the functions that write the ledger write, to the last row."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import psycopg
import psycopg.types.json
import pytest

from exchange.core.ids import uuid7
from tests.assertions.statement_results import ACCEPTED, violated_rule
from tests.environment.database import Connection, session
from tests.environment.processes import wait_until
from tests.factories.plain_sql import make_organisation


def test_a_set_of_transfers_is_written_leg_by_leg_with_the_balance_after_each(books):
    other = make_organisation(books.owner)
    mine, theirs, out = (
        books.account(),
        books.account(organisation=other),
        books.account("clearing"),
    )
    first, second, third, empty = (uuid7() for _ in range(4))
    books.post_set(
        [(made, "deposit", None) for made in (first, second, third, empty)],
        [
            (first, out, "-10"),
            (first, mine, "10"),
            (second, mine, "-4"),
            (second, theirs, "4"),
            (second, out, "0"),
            (empty, mine, "0"),
            (third, out, "-1"),
            (third, mine, "1"),
        ],
    )
    written = books.rows(
        "SELECT transfer_id, account_id, asset_id, amount, balance_after FROM wallets_entry"
        " WHERE transfer_id = ANY (%s) ORDER BY id",
        [[first, second, third, empty]],
    )
    assert written == [
        (first, out, "KES", -10, None),
        (first, mine, "KES", 10, 10),
        (second, mine, "KES", -4, 6),
        (second, theirs, "KES", 4, 4),
        (third, out, "KES", -1, None),
        (third, mine, "KES", 1, 7),
    ]
    transfers = books.rows(
        "SELECT id, kind, reference, actor FROM wallets_transfer WHERE id = ANY (%s) ORDER BY id",
        [[first, second, third, empty]],
    )
    assert transfers == [
        (made, "deposit", f"deposit:{made}", "system:test") for made in (first, second, third)
    ]
    balances = books.rows(
        "SELECT id, balance FROM wallets_account WHERE id = ANY (%s)", [[mine, theirs, out]]
    )
    assert dict(balances) == {mine: 7, theirs: 4, out: None}


def test_the_exchanges_own_accounts_are_not_written(books):
    """So transfers do not wait for each other at an account that most of them have."""
    mine, out = books.account(), books.account("clearing")
    version = "SELECT ctid FROM wallets_account WHERE id = %s"
    before = books.value(version, [out]), books.value(version, [mine])
    books.post("deposit", (out, "-5"), (mine, "5"))
    assert books.value(version, [out]) == before[0]
    assert books.value(version, [mine]) != before[1]


@pytest.mark.parametrize("amount", ["1", "2", "-1"])
def test_legs_of_every_amount_but_zero_are_written(books, amount):
    mine, out = books.account(), books.account("clearing")
    books.post("deposit", (out, "-5"), (mine, "5"))
    made = books.post("deposit", (mine, amount), (out, str(-int(amount))))
    assert books.value("SELECT count(*) FROM wallets_entry WHERE transfer_id = %s", [made]) == 2
    assert books.value("SELECT balance FROM wallets_account WHERE id = %s", [mine]) == 5 + int(
        amount
    )


def test_the_service_posts_the_kinds_that_rules_leave_to_it_each_with_legs(books):
    mine, out, made, more = books.account(), books.account("clearing"), uuid7(), uuid7()
    legs = [(made, out, "-5"), (made, mine, "5")]

    def posting_result(*kinds: str, legs: list[tuple[UUID, UUID, str]] = legs) -> str:
        transfers = [(each, kind, None) for each, kind in zip((made, more), kinds, strict=False)]
        try:
            with books.owner.transaction(force_rollback=True):
                books.post_set(transfers, legs, "post_service_transfers")
        except psycopg.Error as error:
            return violated_rule(error)
        return ACCEPTED

    both = [*legs, (more, out, "-1"), (more, mine, "1")]
    own_function, no_legs = "InsufficientPrivilege", "transfer_balanced"
    by_service = dict(books.rows("SELECT kind, by_service FROM wallets_transferrule"))
    assert {kind: posting_result(kind) == ACCEPTED for kind in by_service} == by_service
    assert posting_result("gift") == own_function
    assert posting_result("deposit", "deposit", legs=both) == ACCEPTED
    assert posting_result("deposit", "withdrawal_hold", legs=both) == own_function
    assert posting_result("withdrawal_hold", "deposit", legs=both) == own_function
    assert posting_result("deposit", "deposit") == no_legs
    assert posting_result("deposit", legs=[]) == no_legs
    books.post_set([(made, "deposit", None)], legs, "post_service_transfers")
    assert books.rows(
        "SELECT amount FROM wallets_entry WHERE transfer_id = %s ORDER BY 1", [made]
    ) == [(-5,), (5,)]


def test_legs_fit_by_the_rule_of_their_kind_and_the_record_of_their_transfer(books):
    mine, out, subject = books.account(), books.account("clearing"), uuid7()
    books.post("deposit", (out, "-1"), (mine, "1"))
    made = books.post("deposit", (out, "-0.50"), (mine, "0.50"), subject=subject)
    right = {"reference": f"deposit:{subject}"}

    def fits(state: str | None, **changes: str) -> list[bool | None]:
        columns = psycopg.types.json.Jsonb(right | changes)
        rows = books.rows(
            "SELECT l.kind, l.owner_id, l.balance, l.asset_id, l.amount, l.fits"
            " FROM wallets_transfer t,"
            " LATERAL transfer_legs(jsonb_populate_record(t, %s), %s) l WHERE t.id = %s"
            " ORDER BY l.amount",
            [columns, state, made],
        )
        assert [row[:5] for row in rows] in (
            [],
            [
                ("clearing", None, None, "KES", Decimal("-0.50")),
                ("available", books.organisation, Decimal("1.50"), "KES", Decimal("0.50")),
            ],
        )
        return [row[5] for row in rows]

    reverse = {"kind": "withdrawal_reverse", "reference": f"withdrawal:{subject}:reverse"}
    charge = {"kind": "provider_charge", "reference": f"withdrawal:{subject}:charge"}
    issue = {"kind": "units_issue", "reference": f"token:{subject}:issue"}
    assert fits("Completed") == [True, True]
    assert fits("Pending") == [False, False]
    assert fits(None) == [None, None]
    assert fits("Completed", reference=f"deposit:{uuid7()}") == [False, False]
    assert fits("Completed", subject_id=str(uuid7())) == [False, False]
    assert fits("Completed", kind="gift") == []
    assert fits("Reversed", **reverse) == [True, True]
    assert fits("Completed", **reverse) == [False, False]
    assert fits("Completed", **charge) == [False, False]
    # A rule that names no state takes every one; units leave issuance and enter a wallet.
    assert fits("any", **issue) == [False, True]
    assert fits(None, **issue) == [False, True]


def test_an_owner_has_one_account_of_an_asset_and_kind_which_is_opened_once(books):
    member, owner = uuid7(), books.owner
    owner.execute(
        "INSERT INTO exchange_member (id, organisation_id, name, email, external_id, created_at,"
        " updated_at) VALUES (%s, %s, 'Ada', 'ada@example.com', '', now(), now())",
        [member, books.organisation],
    )
    other = make_organisation(owner)

    def opened(asset: str, kind: str, organisation: UUID | None, person: UUID | None) -> UUID:
        found: UUID = books.value(
            "SELECT open_account(%s, %s, %s, %s, %s)", [uuid7(), asset, kind, organisation, person]
        )
        return found

    wanted = [
        ("KES", "available", books.organisation, None),
        ("KES", "available", books.organisation, member),
        ("KES", "available", other, None),
        ("KES", "escrow", books.organisation, None),
        ("NGN", "available", books.organisation, None),
        ("NGN", "escrow", other, None),
        ("KES", "clearing", None, None),
        ("NGN", "clearing", None, None),
        ("KES", "fees", None, None),
    ]
    first = [opened(*each) for each in wanted]
    assert len(set(first)) == len(wanted)
    assert [opened(*each) for each in wanted] == first
    for made, (asset, kind, organisation, person) in zip(first, wanted, strict=True):
        assert books.rows(
            "SELECT asset_id, kind, organisation_id, member_id, balance FROM wallets_account"
            " WHERE id = %s",
            [made],
        ) == [(asset, kind, organisation, person, None if organisation is None else Decimal(0))]
    new = uuid7()
    assert books.value("SELECT open_account(%s, 'UGX', 'available', %s, NULL)", [new, other]) == new


def test_a_rule_is_set_and_written_only_where_it_differs(books):
    given = ["gift", ["clearing"], ["available"], "gift:{id}", "wallets_gift", ["Given"], True, "a"]
    others = ["gift", ["fees"], ["escrow"], "other:{id}", "wallets_other", ["Taken"], False, "b"]
    stored = (
        "SELECT kind, leaves, enters, reference, record, states, by_service, justified_if, ctid"
        " FROM wallets_transferrule WHERE kind = 'gift'"
    )

    def set_rule(values: list[object]) -> str:
        """Set the rule, and tell which version of the row there is."""
        books.owner.execute("SELECT set_transfer_rule(%s, %s, %s, %s, %s, %s, %s, %s)", values)
        [row] = books.rows(stored)
        assert list(row[:8]) == values
        return str(row[8])

    version = set_rule(given)
    assert set_rule(given) == version
    values = list(given)
    for place in range(1, 8):
        values[place] = others[place]
        changed = set_rule(values)
        assert changed != version
        assert set_rule(values) == changed
        version = changed


@pytest.mark.parametrize(
    ("moment", "found"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), "019b76da-a800-7000-8000-000000000000"),
        (datetime(2026, 1, 1, 0, 0, 0, 1999, tzinfo=UTC), "019b76da-a801-7000-8000-000000000000"),
        (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "00000000-03e8-7000-8000-000000000000"),
    ],
)
def test_the_first_id_of_a_moment_is_the_smallest_of_its_millisecond(books, moment, found):
    assert books.value("SELECT first_id_at(%s)", [moment]) == UUID(found)


def test_the_units_of_a_token_are_an_asset_of_eight_decimals(books):
    tokens = [books.insert("exchange_token", reference=number) for number in (1, 2)]
    books.owner.execute("SELECT open_token_units(%s)", [tokens[0]])
    assert books.rows(
        "SELECT id, token_id, decimals FROM wallets_asset WHERE id = ANY (%s)",
        [[str(token) for token in tokens]],
    ) == [(str(tokens[0]), tokens[0], 8)]


@pytest.mark.django_db(transaction=True)
def test_an_account_that_another_is_opening_is_waited_for_and_taken(owner_connection):
    organisation = make_organisation(owner_connection)
    ask = "SELECT open_account(%s, 'KES', 'available', %s, NULL)"

    def is_waiting(connection: Connection) -> bool:
        row = owner_connection.execute(
            "SELECT cardinality(pg_blocking_pids(%s)) > 0", [connection.info.backend_pid]
        ).fetchone()
        found: bool = row == (True,)
        return found

    with (
        ThreadPoolExecutor(1) as pool,
        session("owner") as first,
        session("owner") as second,
    ):
        second.execute("SET statement_timeout = '10s'")
        made = first.execute(ask, [uuid7(), organisation]).fetchone()
        later = pool.submit(lambda: second.execute(ask, [uuid7(), organisation]).fetchone())
        wait_until(lambda: is_waiting(second), "the second waits for the first")
        first.commit()
        assert later.result() == made


def test_a_transfer_of_an_order_or_a_trade_has_legs_and_a_record_of_its_kind(books):
    out, fees = books.account("clearing"), books.account("fees")
    order, trade = books.insert("orders_order"), books.insert("orders_trade")
    books.insert("wallets_entry", account_id=out, asset_id="KES", amount=-1)

    def posting_result(kind: str, subject: UUID, *legs: tuple[UUID, str]) -> str:
        try:
            with books.owner.transaction(force_rollback=True):
                if legs:
                    books.post(kind, *legs, subject=subject)
                else:
                    books.owner.execute(
                        "INSERT INTO wallets_transfer (id, kind, reference, subject_id, actor,"
                        " memo) VALUES (%s, %s, 'x', %s, 'x', '')",
                        [uuid7(), kind, subject],
                    )
                books.owner.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except psycopg.Error as error:
            return violated_rule(error)
        return ACCEPTED

    legs = ((out, "-5"), (fees, "5"))
    unjustified, no_legs = "transfer_justified", "transfer_balanced"
    for kind, record, other in (("order_reserve", order, trade), ("trade", trade, order)):
        assert (kind, posting_result(kind, record, *legs)) == (kind, ACCEPTED)
        for wrong in (other, uuid7()):
            assert (kind, posting_result(kind, wrong, *legs)) == (kind, unjustified)
            assert (kind, posting_result(kind, wrong)) == (kind, no_legs)
    for kind in ("deposit", "order_release", "raise_sale", "loan_repay", "gift"):
        assert (kind, posting_result(kind, order, *legs)) == (kind, unjustified)
        assert (kind, posting_result(kind, order)) == (kind, no_legs)
    for condition, result in (
        ("NEW.subject_id IS NOT NULL", ACCEPTED),
        ("NEW.subject_id IS NULL", unjustified),
        ("NULL", unjustified),
    ):
        books.owner.execute(
            "SELECT set_transfer_rule('gift', '{}', '{}', '', '', '{}', true, %s)", [condition]
        )
        assert (condition, posting_result("gift", order, *legs)) == (condition, result)
