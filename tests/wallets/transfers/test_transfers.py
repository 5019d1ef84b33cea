"""Transfers between wallets in the database: debts, batches, guards and the justifying record."""

import json
from decimal import Decimal
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st
from psycopg import errors

from exchange.core.batching import BatchedFunction
from exchange.core.idempotency import IdempotencyClaim
from exchange.core.ids import uuid7
from exchange.core.references import ClientReferenceTaken
from exchange.events.models import Event
from tests.assertions.ledger import account_id_of
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.concurrency import start_call
from tests.environment.database import Connection, server_url, worker_database
from tests.environment.processes import wait_until
from tests.environment.property_tests import examples
from tests.factories.api_clients import make_member
from tests.factories.months import keys_of_month
from tests.factories.transfers import order_transfer, transfer
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import SYSTEM, Wallet, assert_books_hold, balance_of, make_wallet
from tests.races.test_interleavings import is_waiting_for_row
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import AccountKind, Entry, Transfer, TransferKind
from wallets.ledger.posting import Leg, open_account, system_account
from wallets.transfers.models import WalletTransfer

pytestmark = pytest.mark.django_db(transaction=True)

function = BatchedFunction("transfer_money", 201, "Transfer completed")


@pytest.fixture
def own() -> Wallet:
    return make_wallet(1000)


def member_of(wallet: Wallet) -> Wallet:
    return Wallet(wallet.organisation, make_member(wallet.organisation))


def owe(wallet: Wallet, amount: int) -> None:
    """Leave `wallet` with a debt, as a chargeback does."""
    debt = open_account(
        "KES",
        AccountKind.RECEIVABLE,
        organisation_id=wallet.organisation.id,
        member_id=wallet.member_id,
    )
    post_unjustified(
        kind=TransferKind.PROVIDER_CHARGE,
        reference=f"debt:{uuid7()}",
        subject_id=None,
        actor=SYSTEM,
        legs=[
            Leg(debt, Decimal(-amount)),
            Leg(system_account("KES", AccountKind.CLEARING), Decimal(amount)),
        ],
    )


def test_the_ledger_has_one_movement_with_the_record_as_its_subject(own):
    person = member_of(own)
    moved = transfer(own, person, "99.99", client_reference="r-9")
    [posted] = Transfer.objects.filter(kind="wallet_transfer")
    assert (posted.subject_id, posted.reference) == (moved.id, f"transfer:{moved.id}")
    assert (posted.memo, posted.actor) == ("r-9", str(SYSTEM))
    assert moved.created_at <= posted.created_at
    legs = dict(Entry.objects.filter(transfer=posted).values_list("account_id", "amount"))
    assert legs == {
        account_id_of(own, "available"): Decimal("-99.99"),
        account_id_of(person, "available"): Decimal("99.99"),
    }
    assert_books_hold()


@pytest.mark.parametrize(("amount", "left", "arrived"), [(100, 50, 0), (150, 0, 0), (400, 0, 250)])
def test_what_a_payee_owes_is_repaid_first(own, amount, left, arrived):
    person = member_of(own)
    owe(person, 150)
    transfer(own, person, amount)
    assert balance_of(person.owner_id, "KES", "receivable") == -left
    assert balance_of(person.owner_id, "KES") == arrived
    assert balance_of(own.owner_id, "KES") == 1000 - amount


def test_a_batch_repays_a_debt_once_and_skips_what_it_cannot_do(own):
    person, poor = member_of(own), member_of(own)
    transfer(own, person, 1)
    transfer(own, poor, 10)
    owe(person, 150)
    orders = [
        order_transfer(own, person, 100),
        order_transfer(own, person, 80),
        order_transfer(own, person, 5),
        order_transfer(poor, own, "10.01"),
        order_transfer(own, poor, 805),
    ]
    responses = function.run(orders, 50)
    assert set(responses) == {order.created_id for order in orders[:3]}
    assert balance_of(person.owner_id, "KES", "receivable") == 0
    assert balance_of(person.owner_id, "KES") == 1 + 35
    assert balance_of(own.owner_id, "KES") == 1000 - 11 - 185
    for order in orders[:3]:
        record = json.loads(responses[order.created_id].data)
        assert WalletTransfer.objects.get(id=record["_id"]).amount == order.amount
    assert Event.objects.filter(type="transfer.completed").count() == 5


def test_a_batch_frees_the_keys_of_what_it_skips(own):
    person, poor = member_of(own), member_of(own)
    for wallet in (person, poor):
        transfer(own, wallet, 1)
    orders = [
        order_transfer(payer, person, 10).with_key(
            IdempotencyClaim(own.organisation.id, "POST", "/v1/api/transfers", key, "body")
        )
        for payer, key in ((own, "done"), (poor, "skipped"))
    ]
    assert set(function.run(orders, 50)) == {orders[0].created_id}
    assert list(keys_of_month().values_list("key", flat=True)) == ["done"]


def test_a_first_transfer_that_is_rejected_while_it_waits_is_answered(own):
    """Its wallet and its own reference appear together, after the rules were checked."""
    payee, payer, other = member_of(own), member_of(own), member_of(own)
    for wallet in (payer, other):
        transfer(own, wallet, 100)
    with transaction.atomic():
        transfer(payer, other, 10, client_reference="r-1")
        open_account(
            "KES",
            AccountKind.AVAILABLE,
            organisation_id=payee.organisation.id,
            member_id=payee.member_id,
        )
        late = start_call(partial(transfer, own, payee, 10, client_reference="r-1"))
        wait_until(is_waiting_for_row, "the transfer waits for the wallet")
    with pytest.raises(ClientReferenceTaken):
        late.result(60)


def test_a_debt_that_arises_while_a_transfer_waits_is_left_to_the_next_one(own):
    """Its account is not locked, so another transfer could repay it as well."""
    person = member_of(own)
    transfer(own, person, 1)
    with psycopg.connect(server_url(worker_database())) as other:
        other.execute("SELECT FROM wallets_account WHERE owner_id = %s FOR UPDATE", [own.owner_id])
        late = start_call(partial(transfer, own, person, 100))
        wait_until(is_waiting_for_row, "the transfer waits for the wallet")
        owe(person, 150)
    late.result(60)
    assert balance_of(person.owner_id, "KES", "receivable") == -150
    assert balance_of(person.owner_id, "KES") == 101
    transfer(own, person, 100)
    assert balance_of(person.owner_id, "KES", "receivable") == -50
    assert balance_of(person.owner_id, "KES") == 101


def test_a_batch_keeps_currencies_apart_and_waits_for_no_other_wallet(own):
    """Also of a payee who owes in one of the currencies."""
    person, poor, bystander = member_of(own), member_of(own), member_of(own)
    own.fund(1000, "NGN")
    for wallet in (person, poor, bystander):
        transfer(own, wallet, 20)
        transfer(own, wallet, 30, currency="NGN")
    owe(person, 5)
    orders = [
        order_transfer(own, person, 7),
        order_transfer(own, person, 11, currency="NGN"),
        order_transfer(person, poor, 3, currency="NGN"),
        order_transfer(own, poor, 2),
    ]
    with psycopg.connect(server_url(worker_database())) as other:
        other.execute(
            "SELECT FROM wallets_account WHERE owner_id = %s FOR UPDATE", [bystander.owner_id]
        )
        responses = function.run(orders, 50)
    assert set(responses) == {order.created_id for order in orders}
    held = {
        wallet.owner_id: (balance_of(wallet.owner_id, "KES"), balance_of(wallet.owner_id, "NGN"))
        for wallet in (own, person, poor, bystander)
    }
    assert held == {
        own.owner_id: (1000 - 60 - 9, 1000 - 90 - 11),
        person.owner_id: (20 + 2, 30 + 11 - 3),
        poor.owner_id: (22, 33),
        bystander.owner_id: (20, 30),
    }
    assert balance_of(person.owner_id, "KES", "receivable") == 0


@examples("TRANSFER", 15)
@given(
    moves=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 600)),
        min_size=1,
        max_size=12,
    )
)
def test_a_batch_never_overdraws_and_keeps_the_sum(moves):
    own = make_wallet(700)
    wallets = [own, *(member_of(own).fund(300) for _ in range(3))]
    orders = [
        order_transfer(wallets[source], wallets[target], amount)
        for source, target, amount in moves
        if source != target
    ]
    if not orders:
        return
    before = [wallet.balance() for wallet in wallets]
    done = set(function.run(orders, 50)) if len(orders) > 1 else set()
    expected = list(before)
    for order, (source, target, amount) in zip(
        orders, [move for move in moves if move[0] != move[1]], strict=True
    ):
        if order.created_id in done:
            expected[source] -= amount
            expected[target] += amount
    assert [wallet.balance() for wallet in wallets] == expected
    assert min(expected) >= 0
    assert sum(expected) == 1600
    # The first order of a wallet that its balance covers is executed.
    if len(orders) > 1:
        for position in range(4):
            first = next((order for order in orders if order_of(order, wallets) == position), None)
            if first is not None and first.amount <= before[position]:
                assert first.created_id in done


def order_of(order: Any, wallets: list[Wallet]) -> int:
    return [wallet.member_id for wallet in wallets].index(order.member)


def test_inside_a_transaction_a_refusal_leaves_it_usable(own):
    person = member_of(own)
    with transaction.atomic():
        with pytest.raises(InsufficientBalance):
            transfer(person, own, 1)
        transfer(own, person, 1)
    assert person.balance() == 1


def test_a_record_never_changes(own, owner_connection: Connection):
    moved = transfer(own, member_of(own), 5)
    for statement in (
        "UPDATE wallets_wallettransfer SET amount = 6 WHERE id = %s",
        "DELETE FROM wallets_wallettransfer WHERE id = %s",
    ):
        with pytest.raises(errors.RestrictViolation), owner_connection.transaction():
            owner_connection.execute(statement, [moved.id])


ALTERATIONS = {
    "another amount": "UPDATE wallets_wallettransfer SET amount = 6 WHERE id = %(record)s",
    "another currency": "UPDATE wallets_wallettransfer SET currency_id = 'NGN'"
    " WHERE id = %(record)s",
    "another payer": "UPDATE wallets_wallettransfer SET from_member_id = %(other)s"
    " WHERE id = %(record)s",
    "another payee": "UPDATE wallets_wallettransfer SET to_member_id = %(other)s"
    " WHERE id = %(record)s",
    "no record": "DELETE FROM wallets_wallettransfer WHERE id = %(record)s",
    "another reference": "UPDATE wallets_transfer SET reference = 'x'"
    " WHERE subject_id = %(record)s",
    "of another organisation": "UPDATE wallets_account SET organisation_id = %(other)s"
    " WHERE owner_id = %(payee)s",
    "from uncleared": "UPDATE wallets_account SET kind = 'uncleared'"
    " WHERE owner_id = %(payer)s AND kind = 'available'",
    "to uncleared": "UPDATE wallets_account SET kind = 'uncleared'"
    " WHERE owner_id = %(payee)s AND kind = 'available'",
}


@pytest.mark.parametrize("alteration", ["", *ALTERATIONS])
def test_a_record_justifies_its_movement_to_the_last_digit(
    own, owner_connection: Connection, alteration
):
    person = member_of(own)
    moved = transfer(own, person, 5)
    values = {
        "record": moved.id, "other": uuid7(), "payer": own.owner_id, "payee": person.owner_id,
    }  # fmt: skip
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        if alteration:
            assert owner_connection.execute(ALTERATIONS[alteration], values).rowcount == 1
        row = owner_connection.execute(
            "SELECT wallet_transfer_fits(t) FROM wallets_transfer t WHERE subject_id = %s",
            [moved.id],
        ).fetchone()
    assert row is not None
    assert (row[0] is True) == (not alteration)


def test_the_service_cannot_post_one_itself(own):
    person = member_of(own)
    arguments: list[Any] = [
        [uuid7()], ["wallet_transfer"], ["transfer:x"], [uuid7()], ["x"], [""], [uuid7()],
        [account_id_of(own, "available")], [Decimal(1)],
    ]  # fmt: skip
    refused = pytest.raises(DatabaseError, match="its own function")
    with assert_nothing_changes(), refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT post_service_transfers(%s::uuid[], %s, %s, %s::uuid[], %s, %s,"
            " %s::uuid[], %s::uuid[], %s::numeric[])",
            arguments,
        )
    assert person.balance() == 0
