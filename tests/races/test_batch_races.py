"""Requests of many threads in batches: idempotency keys, failures within a batch, and load.

`run_as_batch` runs all calls as one batch. Under load the batches form by timing.
"""

import os
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, OperationalError, transaction
from django.utils import timezone
from psycopg import sql

from exchange.core.database import LOCK_NOT_AVAILABLE, sqlstate
from exchange.core.errors import IdempotencyKeyReused
from exchange.core.idempotency import IdempotencyClaim, StoredResponse
from exchange.core.models import IdempotencyRecord
from exchange.events.models import Event
from tests.environment.batching import BatchRunner, batch_runner
from tests.environment.concurrency import Callers, race_size
from tests.environment.database import session, worker_database
from tests.environment.processes import wait_until
from tests.environment.write_pause import WritePause
from tests.factories.months import keys_of_month
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_member_wallet,
    make_wallet,
    store_bank_list,
)
from wallets.banks.models import BankAccount
from wallets.banks.services import bank_directory, clear_bank_cache
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import Entry, Transfer, TransferKind
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import requests

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 16
POISON = "0690000099"


@pytest.fixture(autouse=True)
def banks(transactional_db: None) -> Iterator[None]:
    """Cache the bank list in this process, as after an earlier request."""
    store_bank_list()
    bank_directory("KES")
    yield
    clear_bank_cache()


@pytest.fixture
def run_as_batch(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchRunner]:
    with batch_runner(requests._batcher, THREADS, monkeypatch) as run_as_batch:
        yield run_as_batch


def claim(wallet: Wallet, key: object, body: str = "body") -> IdempotencyClaim:
    return IdempotencyClaim(wallet.organisation.id, "POST", "/withdraw", str(key), body)


def request_call(
    wallet: Wallet, key: object = None, body: str = "body", **more: Any
) -> partial[StoredResponse]:
    """Return a call that requests 500 KES under `key`."""
    return partial(
        wallet.submit_request, claim=None if key is None else claim(wallet, key, body), **more
    )


def count_effects() -> int:
    """Return how many requests took effect, with all their records."""
    kind, made = TransferKind.WITHDRAWAL_HOLD, Withdrawal.objects.count()
    assert BankAccount.objects.count() == made
    assert Transfer.objects.filter(kind=kind).count() == made
    assert Entry.objects.filter(transfer__kind=kind).count() == 2 * made
    assert Event.objects.filter(type="withdrawal.created").count() == made
    return made


def batch_sizes() -> list[int]:
    """Return how many requests each transaction executed."""
    found = Transfer.objects.filter(kind=TransferKind.WITHDRAWAL_HOLD)
    return list(Counter(found.values_list("created_txid", flat=True)).values())


def record(key: str) -> IdempotencyRecord:
    return keys_of_month().get(key=key)


def test_a_batch_stores_new_keys_with_their_responses(run_as_batch):
    wallet, member = make_wallet(10_000), make_member_wallet(10_000)
    calls = [request_call(wallet, key) for key in "abcd"] + [
        request_call(member, key) for key in "ef"
    ]
    responses = run_as_batch(*calls)
    assert run_as_batch.batch_sizes == [6]
    assert batch_sizes() == [6]
    for key, response, call in zip("abcdef", responses, calls, strict=True):
        kept = record(key)
        assert (kept.status_code, kept.message, kept.data) == (201, response.message, response.data)
        assert (kept.body_hash, response.replayed) == ("body", False)
        again = call()
        assert (again.data, again.status_code, again.replayed) == (response.data, 201, True)
    assert count_effects() == 6
    assert_books_hold()


def test_a_batch_responds_to_every_kind_of_key_like_a_single_request(run_as_batch):
    wallet = make_wallet(100_000)
    seen, old = request_call(wallet, "seen")(), request_call(wallet, "old")()
    long_ago = timezone.now() - timedelta(hours=25)
    IdempotencyRecord.objects.filter(key="old").update(created_at=long_ago)
    again, reused, anew, twin, other_twin, clash, other_clash, fresh, plain = run_as_batch(
        request_call(wallet, "seen"),
        request_call(wallet, "seen", "another body"),
        request_call(wallet, "old", "another body"),
        request_call(wallet, "twin"),
        request_call(wallet, "twin"),
        request_call(wallet, "clash"),
        request_call(wallet, "clash", "another body"),
        request_call(wallet, "fresh"),
        request_call(wallet),
    )
    assert run_as_batch.batch_sizes == [9]
    assert (again.data, again.replayed) == (seen.data, True)
    assert isinstance(reused, IdempotencyKeyReused)
    # An expired key counts as new.
    assert not anew.replayed
    assert anew.data != old.data == old.data
    assert (record("old").data, record("old").body_hash) == (anew.data, "another body")
    assert record("old").created_at > long_ago + timedelta(hours=24)
    assert twin.data == other_twin.data
    assert {twin.replayed, other_twin.replayed} == {False, True}
    [kept] = [found for found in (clash, other_clash) if isinstance(found, StoredResponse)]
    [refused] = [found for found in (clash, other_clash) if found is not kept]
    assert isinstance(refused, IdempotencyKeyReused)
    assert record("clash").data == kept.data
    assert (fresh.replayed, plain.replayed) == (False, False)
    assert keys_of_month().count() == 5
    assert count_effects() == 7
    assert_books_hold()


def test_a_request_inside_a_transaction_joins_no_batch_and_is_rolled_back_with_it(run_as_batch):
    wallet, one, other = (make_wallet(10_000) for _ in range(3))

    def ask_and_undo() -> None:
        with transaction.atomic():
            wallet.submit_request()
            transaction.set_rollback(True)

    undone, *responses = run_as_batch(ask_and_undo, request_call(one), request_call(other))
    assert (undone, run_as_batch.batch_sizes) == (None, [2])
    assert [response.status_code for response in responses] == [201, 201]
    assert (wallet.kes, count_effects()) == ((Decimal(10_000), Decimal(0)), 2)
    assert_books_hold()


@pytest.mark.parametrize("ending", ["commit", "rollback"])
def test_a_key_in_progress_elsewhere_delays_its_own_request_only(run_as_batch, ending):
    wallet = make_wallet(10_000)
    with session("runtime") as elsewhere, ThreadPoolExecutor(1) as pool:
        address = [wallet.organisation.id, "POST", "/withdraw", "taken"]
        elsewhere.execute(
            "SELECT claim_idempotency_key(%s, %s, %s, %s, 'body', 1000, '1 day')", address
        )
        responses = pool.submit(
            run_as_batch, *(request_call(wallet, key) for key in ("a", "taken", "b", None))
        )
        # The others complete while the key is still being claimed.
        wait_until(lambda: Withdrawal.objects.count() == 3, "the others are done")
        assert not responses.done()
        if ending == "commit":
            elsewhere.execute(
                "SELECT store_idempotent_response(%s, %s, %s, %s, 201, 'first', '{}')", address
            )
            elsewhere.commit()
        else:
            elsewhere.rollback()
        [_, taken, _, _] = found = responses.result()
    assert run_as_batch.batch_sizes == [4]
    assert [type(response) for response in found] == [StoredResponse] * 4
    if ending == "commit":
        assert taken == StoredResponse(201, "first", "{}", replayed=True)
        assert count_effects() == 3
    else:
        assert (record("taken").data, taken.replayed) == (taken.data, False)
        assert count_effects() == 4
    assert_books_hold()


@pytest.fixture(params=["NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED"])
def poison(owner_connection: psycopg.Connection[Any], request: Any) -> Iterator[None]:
    """Have the database reject the bank account `POISON`, immediately or on commit."""
    owner_connection.execute(
        "CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = 'check_violation'; END $$"
    )
    owner_connection.execute(
        "CREATE CONSTRAINT TRIGGER poison AFTER INSERT ON wallets_bankaccount"
        f" {request.param} FOR EACH ROW WHEN (NEW.account_number = '{POISON}')"
        " EXECUTE FUNCTION refuse_poison()"
    )
    yield
    owner_connection.execute("DROP FUNCTION refuse_poison CASCADE")


@pytest.mark.usefixtures("poison")
def test_one_failing_request_rolls_the_batch_back_and_then_fails_alone(run_as_batch):
    wallet, other = make_wallet(10_000), make_wallet(10_000)
    *good, bad = run_as_batch(
        *(request_call(wallet, key) for key in "abc"),
        request_call(other),
        request_call(wallet, "bad", account=POISON),
    )
    assert run_as_batch.batch_sizes == [5]
    assert [type(response) for response in good] == [StoredResponse] * 4
    assert isinstance(bad, DatabaseError)
    assert [record(key).data for key in "abc"] == [response.data for response in good[:3]]
    assert keys_of_month().count() == 3
    assert count_effects() == 4
    assert (wallet.balance("escrow"), other.balance("escrow")) == (Decimal(1500), Decimal(500))
    assert_books_hold()


def test_a_batch_whose_connection_breaks_fails_for_all_and_is_not_retried(
    run_as_batch, owner_connection
):
    wallet = make_wallet(10_000)
    calls = [request_call(wallet, key) for key in "abc"]
    with ThreadPoolExecutor(1) as pool:
        with WritePause("INSERT", "wallets_withdrawal", "true") as pause:
            responses = pool.submit(run_as_batch, *calls)
            pause.wait()
            backend = run_as_batch.leader.info.backend_pid
            # The network fails; the server may or may not finish the statement.
            with socket.socket(fileno=os.dup(run_as_batch.leader.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)
            found = responses.result()
            assert [type(response) for response in found] == [OperationalError] * 3
        wait_until(lambda: not _lives(owner_connection, backend), "the server has seen it")
    assert run_as_batch.batch_sizes == [3]
    made = count_effects()
    assert made in {0, 3}
    # A retry under the same key results in one request in either case.
    again = [call() for call in calls]
    assert [response.replayed for response in again] == [made == 3] * 3
    assert count_effects() == 3
    assert wallet.kes == (Decimal(8500), Decimal(1500))
    assert_books_hold()


def test_a_batch_whose_session_the_server_terminates_is_executed_at_most_once(
    run_as_batch, owner_connection
):
    wallet = make_wallet(10_000)
    calls = [request_call(wallet, key) for key in "abc"]
    with ThreadPoolExecutor(1) as pool, WritePause("INSERT", "wallets_withdrawal", "true") as pause:
        responses = pool.submit(run_as_batch, *calls)
        pause.wait()
        backend = run_as_batch.leader.info.backend_pid
        owner_connection.execute("SELECT pg_terminate_backend(%s)", [backend])
        wait_until(lambda: not _lives(owner_connection, backend), "the session has ended")
        pause.release()
        found = responses.result()
    done = [response for response in found if isinstance(response, StoredResponse)]
    assert {type(response) for response in found} - {StoredResponse} == {OperationalError}
    assert count_effects() == len(done)
    again = [call() for call in calls]
    assert sum(response.replayed for response in again) == len(done)
    assert count_effects() == 3
    assert_books_hold()


def _lives(owner: psycopg.Connection[Any], backend: int) -> bool:
    found = owner.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [backend])
    return found.fetchone() is not None


def run_announced(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run `calls` in threads that announce themselves, as views do; return their results."""
    found: list[Any] = [None] * len(calls)

    def work(thread: int) -> None:
        for place in range(thread, len(calls), THREADS):
            with requests.expected_request():
                try:
                    found[place] = calls[place]()
                except (InsufficientBalance, DatabaseError) as error:
                    found[place] = error

    with Callers(THREADS) as callers:
        assert callers.at_once([partial(work, thread) for thread in range(THREADS)]) == [None] * 16
    return found


@pytest.mark.slow
def test_each_of_four_hundred_keys_sent_twice_takes_effect_once():
    keys = race_size("COMBINED_KEYS", 400)
    wallets = [make_wallet(keys * 500), make_member_wallet(keys * 500)]
    # Adjacent, so that two threads send the same key at nearly the same moment.
    calls = [request_call(wallets[key % 2], key) for key in range(keys) for _ in range(2)]
    responses = run_announced(calls)
    assert {type(response) for response in responses} == {StoredResponse}
    for key in range(keys):
        one, other = responses[2 * key], responses[2 * key + 1]
        assert one.data == other.data == record(str(key)).data
        assert {one.replayed, other.replayed} == {False, True}
    assert count_effects() == keys
    assert sum(wallet.balance("escrow") for wallet in wallets) == keys * 500
    assert max(batch_sizes()) > 1, "no requests were batched"
    assert_books_hold()


@pytest.mark.slow
def test_a_wallet_that_affords_seven_of_a_hundred_pays_exactly_seven():
    wallet = make_wallet("3999.99")
    responses = run_announced(
        [request_call(wallet, key if key % 2 else None) for key in range(100)]
    )
    refused = [str(response) for response in responses if isinstance(response, InsufficientBalance)]
    assert len(refused) == 93
    available = [Decimal("3999.99") - 500 * taken for taken in range(8)]
    assert set(refused) <= {
        f"Insufficient KES balance. Available: {left}, requested: 500" for left in available
    }
    assert count_effects() == 7
    assert wallet.kes == (Decimal("499.99"), Decimal(3500))
    # Every intermediate balance is recorded once.
    found = Entry.objects.filter(transfer__kind=TransferKind.WITHDRAWAL_HOLD).values_list(
        "account__kind", "balance_after"
    )
    on_the_way = [("available", left) for left in available[1:]]
    on_the_way += [("escrow", Decimal(500 * taken)) for taken in range(1, 8)]
    assert Counter(found) == Counter(on_the_way)
    assert_books_hold()


@pytest.fixture
def deadlocks_show(owner_connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Have the server detect deadlocks before waits for keys time out."""
    database = sql.Identifier(worker_database())
    change = sql.SQL("ALTER DATABASE {} SET deadlock_timeout = '10ms'").format(database)
    owner_connection.execute(change)
    yield
    owner_connection.execute(sql.SQL("ALTER DATABASE {} RESET ALL").format(database))


@pytest.mark.usefixtures("deadlocks_show")
@pytest.mark.parametrize("keyed", [True, False], ids=["keys", "no keys"])
@pytest.mark.one_in(2)
def test_batches_of_several_processes_on_the_same_wallets_do_not_deadlock(keyed):
    """Threads that call the batch function without the batcher stand for processes."""
    wallets = [make_wallet(1_000_000), *(make_member_wallet(1_000_000) for _ in range(3))]
    rounds, refused = race_size("COMBINED_ROUNDS", 12), []

    def command(wallet: Wallet, key: str) -> RequestWithdrawal:
        return RequestWithdrawal(
            organisation=wallet.organisation.id,
            member=wallet.member_id,
            actor=str(SYSTEM),
            amount=Decimal(100),
            currency="KES",
            bank_name="KCB",
            bank_code="01",
            account_name="Ada Obi",
            account_number="0690000031",
        ).with_key(claim(wallet, key) if keyed else None)

    def process(seed: int) -> None:
        random = Random(seed)
        for turn in range(rounds):
            numbers = random.sample(range(12), 8)
            orders = [command(wallets[number % 4], f"{turn}-{number}") for number in numbers]
            try:
                requests._function.run(orders, 100)
            except DatabaseError as error:
                refused.append(sqlstate(error))

    with Callers(6) as callers:
        assert callers.at_once([partial(process, seed) for seed in range(6)]) == [None] * 6
    # Waits for a key may time out on a slow machine; a deadlock must not occur.
    assert set(refused) <= ({LOCK_NOT_AVAILABLE} if keyed else set())
    assert count_effects() == (keys_of_month().count() if keyed else 6 * rounds * 8) > 0
    assert not IdempotencyRecord.objects.filter(status_code=None).exists()
    assert_books_hold()
