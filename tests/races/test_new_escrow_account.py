"""An escrow account that another request opens while a batch, or a lone request, waits."""

import threading
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest
from django.db import connections

from exchange.core.commands import as_json
from tests.assertions.ledger import account_id_of, system_account_id
from tests.environment.concurrency import start_call
from tests.environment.database import Connection, session
from tests.environment.processes import wait_until
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.transfers import transfer
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import (
    BANK,
    PAID_ACCOUNT,
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_wallet,
    store_bank_list,
)
from tests.wallets.withdrawals.test_batched_requests import command, run_batch
from wallets.ledger.models import AccountKind, Entry, TransferKind
from wallets.ledger.posting import Leg, open_account

pytestmark = pytest.mark.django_db(transaction=True)


def wait_for_waiting(watch: Connection, count: int) -> None:
    """Wait until that many sessions of the database wait for a lock; `watch` is in autocommit."""
    wait_until(
        lambda: (
            watch.execute(
                "SELECT count(DISTINCT l.pid) FROM pg_locks l"
                " JOIN pg_stat_activity a ON a.pid = l.pid"
                " WHERE NOT l.granted AND a.datname = current_database()"
            ).fetchall()[0][0]
            == count
        ),
        f"{count} wait",
        10,
    )


def test_an_account_opened_since_the_lock_is_left_to_the_next_call() -> None:
    store_bank_list()
    rich, other, new = make_wallet(20_000), make_wallet(10_000), make_wallet()
    mine = open_account("KES", AccountKind.AVAILABLE, organisation_id=new.organisation.id)
    post_unjustified(
        kind=TransferKind.PROVIDER_CHARGE,
        reference="t",
        subject_id=None,
        actor=SYSTEM,
        legs=[Leg(account_id_of(rich), Decimal(-10_000)), Leg(mine, Decimal(10_000))],
    )
    second = [command(new, 1000), command(other, 100)]

    done: list[str | None] = []

    def later() -> None:
        done.extend(run_batch(*second))
        connections.close_all()

    with session("owner") as watch, session("owner") as bar, session("runtime") as first:
        watch.autocommit = True
        waiting = partial(wait_for_waiting, watch)
        first.execute(
            "SELECT * FROM request_withdrawals(%s::jsonb, 1000, '1 day', 201, 'm')",
            [as_json([command(new, 500)])],
        )
        thread = threading.Thread(target=later)
        thread.start()
        waiting(1)  # for the available account; the escrow account is not visible yet
        stop = threading.Thread(
            target=lambda: bar.execute("LOCK TABLE wallets_configuration IN ACCESS EXCLUSIVE MODE")
        )
        stop.start()
        waiting(2)
        first.commit()
        stop.join()
        waiting(1)  # has read the escrow account without its lock
        post_unjustified(
            kind=TransferKind.WITHDRAWAL_SETTLE,
            reference="settled",
            subject_id=None,
            actor=SYSTEM,
            legs=[
                Leg(account_id_of(new, "escrow"), Decimal(-500)),
                Leg(system_account_id(), Decimal(500)),
            ],
        )
        bar.rollback()
        thread.join()
    # Unlocked rows are not used: the rest of the batch completes, and this request runs alone.
    assert [response is None for response in done] == [True, False]
    alone = command(new, 1000)
    with session("runtime") as single:
        single.execute(
            "SELECT * FROM request_withdrawals(%s::jsonb, 1000, '1 day', 201, 'm')",
            [as_json([alone])],
        )
    entries = Entry.objects.filter(transfer_id=alone.transfer)
    assert entries.get(amount=1000).balance_after == 1000
    assert entries.get(amount=-1000).balance_after == 8500


def test_a_reference_taken_while_a_first_withdrawal_opens_its_account_is_a_conflict() -> None:
    """Another wallet's request commits the reference after the rules were read."""
    store_bank_list()
    caller = make_caller()
    wallet = Wallet(caller.organisation)
    other = Wallet(caller.organisation, make_member(caller.organisation)).fund(20_000)
    transfer(other, wallet, 10_000)  # unlike a deposit, opens no escrow account
    body = {
        "amount": 500, "bank_name": BANK, "account_name": "Ada Obi", "currency": "KES",
        "account_number": PAID_ACCOUNT, "client_reference": "INV-17",
    }  # fmt: skip
    with session("owner") as watch, session("owner") as first:
        watch.autocommit = True
        # Opened and not committed: the request has passed its rules when it waits for this account.
        first.execute("SELECT open_account(new_id(), 'KES', 'escrow', %s, NULL)", [wallet.owner_id])
        late = start_call(partial(caller.post, "/v1/api/wallet/withdraw", body))
        wait_for_waiting(watch, 1)
        taken = replace(command(other, 500), client_reference="INV-17")
        with session("runtime") as second:  # in this process the request would join the first one
            second.execute(
                "SELECT * FROM request_withdrawals(%s::jsonb, 1000, '1 day', 201, 'm')",
                [as_json([taken])],
            )
        first.rollback()
        response = late.result(60)
    message = "There is a withdrawal with client_reference INV-17 already"
    assert_error(response, 409, "client_reference_taken", message)
    assert [*wallet.kes, *other.kes] == [10_000, 0, 9500, 500]
    assert_books_hold()
