"""What moves money out of a wallet, and a freeze of its owner, wait for each other."""

from collections.abc import Callable

import pytest
from django.db import transaction
from psycopg import errors

from tests.environment.database import session
from tests.factories.api_clients import make_member
from tests.factories.conversions import convert_quote, quote, set_rates
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, make_member_wallet, store_bank_list

pytestmark = pytest.mark.django_db(transaction=True)


def prepare_transfer(wallet: Wallet) -> Callable[[], object]:
    payee = Wallet(wallet.organisation, make_member(wallet.organisation))
    return lambda: transfer(wallet, payee, 10)


def prepare_conversion(wallet: Wallet) -> Callable[[], object]:
    set_rates()
    offered = quote(wallet, 1290, "KES")["quote_id"]
    return lambda: convert_quote(wallet, offered)


def prepare_withdrawal(wallet: Wallet) -> Callable[[], object]:
    store_bank_list()
    return wallet.request


@pytest.mark.parametrize("prepare", [prepare_transfer, prepare_conversion, prepare_withdrawal])
@pytest.mark.one_in(3)
def test_a_freeze_waits_for_what_moves_the_money_of_its_owner(prepare):
    wallet = make_member_wallet(10_000)
    move = prepare(wallet)
    with session("owner") as freezing:
        freezing.execute("SET lock_timeout = '200ms'")
        freezing.execute("SELECT lock_owner_alone(%s)", [wallet.owner_id])
        freezing.rollback()
        freezing.execute("SET lock_timeout = '200ms'")
        with transaction.atomic():
            move()
            with pytest.raises(errors.LockNotAvailable):
                freezing.execute("SELECT lock_owner_alone(%s)", [wallet.owner_id])
