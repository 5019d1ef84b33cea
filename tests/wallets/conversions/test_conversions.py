"""Conversions in the database: the justifying record, guards, and positions under contention."""

from concurrent.futures import Future
from functools import partial

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from psycopg import errors

from exchange.core.errors import DomainError
from exchange.core.ids import uuid7
from exchange.core.numbers import MAX_NUMBER
from tests.environment.concurrency import start_call
from tests.environment.database import Connection, server_url, worker_database
from tests.environment.owner import as_owner, without_guards
from tests.environment.processes import wait_until
from tests.factories.configuration import set_setting
from tests.factories.conversions import convert, convert_quote, quote, set_rates
from tests.factories.holds import freeze, owe
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, assert_books_hold, make_member_wallet
from tests.races.test_interleavings import count_waiting_for_rows, is_waiting_for_row
from wallets.conversions.errors import QuoteUsed, RateOutdated
from wallets.conversions.models import Conversion
from wallets.freezes.errors import AccountFrozen, ReceivableDue
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import AccountKind
from wallets.ledger.posting import open_account

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = "UPDATE wallets_conversion SET {} WHERE id = %(record)s"
ALTERATIONS = {
    **{
        column: RECORD.format(f"{column} = {column} + 1")
        for column in ("amount", "converted_amount", "fee")
    },
    "from_currency": RECORD.format("from_currency_id = 'KES'"),
    "to_currency": RECORD.format("to_currency_id = 'KES'"),
    "owner": RECORD.format("member_id = %(other)s"),
    "no record": "DELETE FROM wallets_conversion WHERE id = %(record)s",
    "reference": "UPDATE wallets_transfer SET reference = 'x' WHERE subject_id = %(record)s",
    "one currency": "DELETE FROM wallets_entry WHERE asset_id = 'USD'",
    "from another account": "UPDATE wallets_account SET kind = 'uncleared'"
    " WHERE owner_id = %(owner)s AND asset_id = 'NGN' AND kind = 'available'",
    "to another system account": "UPDATE wallets_account SET kind = 'treasury'"
    " WHERE kind = 'position' AND asset_id = 'NGN'",
}


@pytest.fixture
def wallet() -> Wallet:
    set_rates()
    return make_member_wallet(1_000_000, currency="NGN")


@pytest.mark.parametrize("alteration", ["", *ALTERATIONS])
@pytest.mark.one_in(5)
def test_a_record_justifies_its_movement_to_the_last_digit(
    wallet, owner_connection: Connection, alteration
):
    converted = convert(wallet, 150_000)
    assert_books_hold()
    values = {"record": converted.id, "other": uuid7(), "owner": wallet.owner_id}
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        if alteration:
            assert owner_connection.execute(ALTERATIONS[alteration], values).rowcount >= 1
        row = owner_connection.execute(
            "SELECT conversion_transfer_fits(t) FROM wallets_transfer t WHERE subject_id = %s",
            [converted.id],
        ).fetchone()
    assert row is not None
    assert (row[0] is True) == (not alteration)


def test_records_and_quotes_never_change(wallet, owner_connection: Connection):
    convert(wallet, 150_000)
    for statement in (
        "UPDATE wallets_conversion SET fee = 0",
        "DELETE FROM wallets_conversion",
        "UPDATE wallets_conversionquote SET converted_amount = 1",
        # Its time is not over.
        "DELETE FROM wallets_conversionquote",
    ):
        with pytest.raises(errors.RestrictViolation), owner_connection.transaction():
            owner_connection.execute(statement)


def test_a_conversion_waits_for_no_other_wallet(wallet):
    """Of an owner who has the same currencies."""
    bystander = Wallet(wallet.organisation).fund(500_000, "NGN")
    convert(bystander, 1500)
    with psycopg.connect(server_url(worker_database())) as other:
        other.execute("SET lock_timeout = '5s'")
        other.execute(
            "SELECT FROM wallets_account WHERE owner_id = %s FOR UPDATE", [bystander.owner_id]
        )
        assert convert(wallet, 1500).converted_amount > 0


def test_the_first_conversions_of_a_currency_never_deadlock(wallet):
    """No position is there yet when the first waits for its wallet, and another makes them."""
    bystander = Wallet(wallet.organisation).fund(500_000, "NGN")
    offers = [quote(one, 1500)["quote_id"] for one in (wallet, bystander, wallet)]
    calls: list[Future[Conversion]] = []
    with psycopg.connect(server_url(worker_database())) as other:
        other.execute(
            "SELECT FROM wallets_account WHERE owner_id = %s FOR UPDATE", [wallet.owner_id]
        )
        for one, offer in zip((wallet, bystander, wallet), offers, strict=True):
            calls.append(start_call(partial(convert_quote, one, offer)))
            wait_until(
                lambda: count_waiting_for_rows() + sum(call.done() for call in calls) == len(calls),
                "each conversion is done or waits",
            )
    assert [call.result(60).amount for call in calls] == [1500, 1500, 1500]
    assert_books_hold()


def test_a_conversion_sees_what_is_spent_while_it_waits(wallet):
    offered = quote(wallet, 150_000)["quote_id"]
    with transaction.atomic():
        transfer(wallet, Wallet(wallet.organisation), 900_000, currency="NGN")
        late = start_call(partial(convert_quote, wallet, offered))
        wait_until(is_waiting_for_row, "the conversion waits for the wallet")
    with pytest.raises(InsufficientBalance):
        late.result(60)
    assert wallet.balance(currency="NGN") == 100_000
    assert not Conversion.objects.exists()
    assert_books_hold()


def test_a_quote_keeps_its_spread_and_terms(wallet):
    offered = quote(wallet, 150_000)
    used = convert(wallet, 1500)
    assert [used.from_rate, used.to_rate, used.from_spread, used.to_spread] == [1500, 1, 100, 0]
    assert used.from_rate_change is not None
    assert used.to_rate_change is None
    assert (offered["converted_amount"], offered["fee"]) == (99, 1)
    assert Conversion.objects.count() == 1


def test_a_rate_of_zero_or_a_cancelled_one_is_none(wallet):
    set_setting("NGN_USD_RATE", 0)
    # The one before it is still valid.
    assert quote(wallet, 1500)["rate"] > 0
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_settingchange SET status = 'Cancelled', cancelled_at = now(),"
            " cancellation_requested_by_id = proposed_by_id, cancelled_by_id = decided_by_id"
            " WHERE configuration_id = 'NGN_USD_RATE'"
        )
    with pytest.raises(RateOutdated, match="There is no current rate of NGN"):
        quote(wallet, 1500)


def test_a_rate_is_current_until_its_age_is_reached(wallet, settings):
    settings.RATE_MAX_AGE_HOURS = 0
    with transaction.atomic():
        # Effective at the moment of the transaction, which is that of the quote.
        set_rates()
        assert quote(wallet, 1500)["rate"] > 0
    with pytest.raises(RateOutdated):
        quote(wallet, 1500)


def test_what_a_conversion_brings_is_at_most_the_largest_amount(wallet):
    set_rates(NGN=1)
    assert quote(wallet, MAX_NUMBER)["amount"] == MAX_NUMBER
    set_rates(NGN="0.99999999")
    with pytest.raises(DomainError, match="converts to more than 1000000000000000 USD"):
        quote(wallet, MAX_NUMBER)


def test_a_rate_of_the_future_is_not_used_yet(wallet):
    set_setting("NGN_USD_RATE", 3000)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_settingchange SET effective_at = now() + interval '1 hour'"
            " WHERE configuration_id = 'NGN_USD_RATE' AND value = 3000"
        )
    assert quote(wallet, 150_000)["converted_amount"] == 99


@pytest.mark.parametrize("poor_first", [True, False])
def test_only_the_own_balance_is_converted(poor_first):
    set_rates()
    amounts = (100, 1_000_000) if poor_first else (1_000_000, 100)
    first, second = (make_member_wallet(amount, currency="NGN") for amount in amounts)
    poor, rich = (first, second) if poor_first else (second, first)
    assert convert(rich, 150_000).converted_amount == 99
    with pytest.raises(InsufficientBalance) as refused:
        convert(poor, 150_000)
    assert "100" in refused.value.message


def test_a_quote_of_an_organisation_is_used_by_one_of_its_wallets(wallet):
    other = Wallet(wallet.organisation).fund(1_000_000, "NGN")
    offered = quote(wallet, 150_000)["quote_id"]
    with transaction.atomic():
        convert_quote(wallet, offered)
        late = start_call(partial(convert_quote, other, offered))
        wait_until(is_waiting_for_row, "the second waits for the quote")
    with pytest.raises(QuoteUsed):
        late.result(60)


def test_a_conversion_locks_only_what_it_moves(wallet):
    convert(Wallet(wallet.organisation).fund(129_000), 129_000, "KES")
    for currency, kind in (
        ("KES", AccountKind.AVAILABLE),
        ("NGN", AccountKind.ESCROW),
        ("NGN", AccountKind.RESERVED),
        ("USD", AccountKind.RECEIVABLE),
    ):
        open_account(
            currency,
            kind,
            organisation_id=wallet.organisation.id,
            member_id=wallet.member_id,
        )
    with psycopg.connect(server_url(worker_database())) as other:
        other.execute("SELECT FROM wallets_account WHERE owner_id = %s AND"
                      " (kind <> 'available' OR asset_id = 'KES') FOR UPDATE",
                      [wallet.owner_id])  # fmt: skip
        other.execute("SELECT FROM wallets_conversionposition WHERE currency_id = 'KES' FOR UPDATE")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '5s'")
            assert convert(wallet, 150_000).converted_amount == 99


def test_a_limit_holds_for_a_position_that_grows_only():
    set_setting("CONVERSION_POSITION_LIMIT_KES", 40)
    with as_owner(rollback=True) as cursor:
        cursor.execute(
            "INSERT INTO wallets_conversionposition (currency_id, amount) VALUES ('KES', -50)"
            " ON CONFLICT (currency_id) DO UPDATE SET amount = -50"
        )
        # As far above zero as it was below.
        cursor.execute("SELECT change_position('KES', 100)")
        with pytest.raises(DatabaseError, match="position_limit_reached"), transaction.atomic():
            cursor.execute("SELECT change_position('KES', 1)")


def test_an_open_quote_of_an_owner_who_owes_or_is_frozen_does_not_execute():
    """Quoted before the block. A conversion into the blocked currency is a credit, and executes."""
    set_rates()
    wallet = make_member_wallet()
    quoted, back = quote(wallet, 500, "KES"), quote(wallet, 10, "USD", "KES")
    owe(wallet)
    with pytest.raises(ReceivableDue):
        convert_quote(wallet, quoted["quote_id"])
    assert wallet.member is not None
    freeze(wallet.member, "KES")
    with pytest.raises(AccountFrozen):
        convert_quote(wallet, quoted["quote_id"])
    assert [wallet.balance(currency=each) for each in ("KES", "USD")] == [1_000, 0]
    wallet.fund(10, "USD")
    assert convert_quote(wallet, back["quote_id"]).status == "Completed"
    assert_books_hold()
