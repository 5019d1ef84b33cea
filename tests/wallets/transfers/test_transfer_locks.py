"""What transfers wait for, and for how long."""

import pytest
from django.db import OperationalError, connection, transaction
from psycopg import errors

from exchange.core.batching import BatchedFunction
from tests.environment.database import session
from tests.factories.api_clients import make_member
from tests.factories.transfers import order_transfer, transfer
from tests.factories.wallets import Wallet, balance_of, make_wallet

pytestmark = pytest.mark.django_db(transaction=True)

ACCOUNTS = "SELECT FROM wallets_account WHERE owner_id = %s FOR UPDATE"
function = BatchedFunction("transfer_money", 201, "Transfer completed")


@pytest.fixture
def own() -> Wallet:
    return make_wallet(1000)


@pytest.fixture
def person(own: Wallet) -> Wallet:
    made = Wallet(own.organisation, make_member(own.organisation))
    transfer(own, made, 1)
    return made


def lock_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return str(cursor.fetchone()[0])


@pytest.mark.parametrize(
    ("count", "error"),
    [(2, errors.LockNotAvailable), (1, errors.QueryCanceled)],
    ids=["together", "alone"],
)
@pytest.mark.one_in(2)
def test_transfers_together_wait_for_a_wallet_for_a_second_and_one_alone_longer(
    own, person, count, error
):
    orders = [order_transfer(own, person, 1) for _ in range(count)]
    with session("owner") as holder:
        holder.execute(ACCOUNTS, [own.owner_id])
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '3s'")
            with pytest.raises(OperationalError) as caught, transaction.atomic():
                function.run(orders, 50)
        holder.rollback()
    assert isinstance(caught.value.__cause__, error)
    assert balance_of(own.owner_id, "KES") == 999


@pytest.mark.parametrize("count", [1, 2])
def test_transfers_leave_the_time_to_wait_as_it_was(own, person, count):
    orders = [order_transfer(own, person, 1) for _ in range(count)]
    before = lock_timeout()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '7s'")
        assert len(function.run(orders, 50)) == count
        assert lock_timeout() == "7s"
    assert lock_timeout() == before != "7s"
