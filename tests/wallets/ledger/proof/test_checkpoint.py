"""The checkpoint of the proof of books: what it covers, who writes it, what is found from it."""

import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from queue import SimpleQueue
from typing import Any

import psycopg
import pytest
from django.db import connections, transaction
from hypothesis import given, seed
from hypothesis import strategies as st

from config.books import WALLET_CHECKS
from exchange.core.database import fetch_one
from tests.assertions.books import close_transfers
from tests.environment.database import Connection, session
from tests.environment.processes import TIMEOUT_SECONDS
from tests.environment.property_tests import examples
from tests.factories.wallets import OVERRIDE, Wallet, make_staff, make_wallet, store_bank_list
from wallets.alerts.models import Alert
from wallets.ledger import proof as books
from wallets.ledger.checkpoint import (
    advance_checkpoint,
    closed_position,
    read_checkpoint,
    renew_checkpoint,
)
from wallets.ledger.models import BooksProof, CheckpointBalance, Entry, Transfer
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db(transaction=True)

BALANCES = "every balance equals its entries"
COVERED = "the checkpoint equals the entries that it stands for"
MOVED = "every transfer of a withdrawal matches its amounts"


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    made = make_wallet(3000)
    made.request(500)
    close_transfers()
    return made


def corrupt(owner: Connection, statement: str, *values: Any) -> None:
    with owner.transaction():
        owner.execute("SET LOCAL session_replication_role = replica")
        assert owner.execute(statement, values).rowcount > 0


def found(*, incremental: bool) -> set[str]:
    proof = books.prove(WALLET_CHECKS, incremental=incremental)
    assert (proof.since is not None) == incremental
    return {finding.check for finding in proof.findings}


def prove_and_cover(*, incremental: bool = False) -> BooksProof:
    """Store a proof that passes, with a checkpoint of all entries."""
    close_transfers()
    stored = books.prove_and_store(WALLET_CHECKS, incremental=incremental)
    assert stored.passed
    assert covered_entries() == Entry.objects.count()
    return stored


def covered_entries() -> int:
    return sum(CheckpointBalance.objects.values_list("entries", flat=True))


# --- What a run reads ----------------------------------------------------------------------------


def test_the_first_proof_is_full_and_the_next_ones_start_from_its_checkpoint(wallet):
    assert not prove_and_cover(incremental=True).incremental
    wallet.request(300)
    assert prove_and_cover(incremental=True).incremental
    assert covered_entries() == 6
    proof = books.prove(WALLET_CHECKS, incremental=True)
    assert proof.left_out == (
        COVERED,
        "clearing equals deposits and treasury movements less payouts less the provider's charges",
        "fee income equals the fees of paid withdrawals",
        "money without an owner equals the unmatched payments",
        "positions equal conversions less treasury movements, and fee income their spreads",
        "treasury equals top-ups less draw-downs and the money of closed positions",
    )
    assert {*proof.titles, *proof.left_out} == {check.title for check in WALLET_CHECKS}
    assert found(incremental=False) == set()


def test_a_checkpoint_has_the_sum_number_and_digest_of_every_account(wallet):
    prove_and_cover()
    rows = dict(CheckpointBalance.objects.values_list("account__kind", "total"))
    assert rows == {"available": 2500, "escrow": 500, "clearing": -3000}
    digests = CheckpointBalance.objects.values_list("digest", flat=True)
    assert len(set(digests)) == 3


def test_totals_of_system_accounts_add_to_those_of_the_proof_before(wallet, owner_connection):
    corrupt(owner_connection, "UPDATE wallets_entry SET id = gen_random_uuid()")  # of any time
    full = books._system_totals(None)[1]
    stored = BooksProof(totals=full, totals_before=books._system_totals(None)[0])
    assert books._system_totals(stored)[1] == full


# --- Transactions that commit late ---------------------------------------------------------------


def deposit_in_open_transaction(
    wallet: Wallet, go_on: threading.Event
) -> tuple[threading.Thread, int]:
    """Post a deposit in a transaction that commits when `go_on` is set; return its number too."""
    posted: SimpleQueue[int] = SimpleQueue()

    def post() -> None:
        with transaction.atomic():
            wallet.fund(70)
            row = fetch_one("SELECT pg_current_xact_id()::text::bigint")
            assert row
            posted.put(row[0])
            go_on.wait(TIMEOUT_SECONDS)
        connections.close_all()

    thread = threading.Thread(target=post)
    thread.start()
    return thread, posted.get(timeout=TIMEOUT_SECONDS)


def test_a_transaction_that_commits_after_the_checkpoint_is_not_missed(wallet, owner_connection):
    late, go_on = make_wallet(), threading.Event()
    thread, _ = deposit_in_open_transaction(late, go_on)
    wallet.request(300)  # a later transaction, which commits before
    assert books.prove_and_store(WALLET_CHECKS).passed
    checkpoint = read_checkpoint()
    assert checkpoint is not None
    assert covered_entries() < Entry.objects.count()
    go_on.set()
    thread.join()
    posted = Transfer.objects.get(entries__account__owner_id=late.owner_id)
    assert checkpoint.position <= posted.created_txid
    assert found(incremental=True) == set()
    # What is wrong with it is found.
    with session("owner") as owner:
        owner.execute("SET session_replication_role = replica")
        owner.execute(
            "UPDATE wallets_entry SET amount = amount + 1 WHERE transfer_id = %s AND amount > 0",
            [posted.id],
        )
    assert BALANCES in found(incremental=True)
    corrupt(
        owner_connection,
        "UPDATE wallets_entry SET amount = amount - 1 WHERE transfer_id = %s AND amount > 0",
        posted.id,
    )
    assert prove_and_cover(incremental=True).incremental
    assert found(incremental=False) == set()


def test_the_checkpoint_never_passes_a_running_transaction(wallet):
    go_on = threading.Event()
    thread, running = deposit_in_open_transaction(wallet, go_on)
    try:
        with pytest.raises(Exception, match="cannot advance to transaction"):
            advance_checkpoint(None, running + 1)
        assert read_checkpoint() is None
    finally:
        go_on.set()
        thread.join()


# --- Tampering -----------------------------------------------------------------------------------


def swap_two_entries(owner: Connection) -> None:
    """Two holds of one account, each with the other's amount: every sum stays."""
    rows = owner.execute(
        "SELECT e.id, e.amount FROM wallets_entry e JOIN wallets_transfer t ON t.id = e.transfer_id"
        " JOIN wallets_account a ON a.id = e.account_id"
        " WHERE t.kind = 'withdrawal_hold' AND a.kind = 'escrow' ORDER BY e.id"
    ).fetchall()
    (first, one), (second, other) = rows
    for entry, amount in ((first, other), (second, one)):
        corrupt(owner, "UPDATE wallets_entry SET amount = %s WHERE id = %s", amount, entry)


def change_memo(owner: Connection) -> None:
    corrupt(owner, "UPDATE wallets_transfer SET memo = 'other' WHERE kind = 'deposit'")


def change_actor_of_hold(owner: Connection) -> None:
    corrupt(owner, "UPDATE wallets_transfer SET actor = 'x' WHERE kind = 'withdrawal_hold'")


@pytest.mark.parametrize("tamper", [swap_two_entries, change_memo, change_actor_of_hold])
def test_a_changed_old_entry_is_found_by_the_full_proof(
    wallet: Wallet, owner_connection: Connection, tamper: Callable[[Connection], None]
):
    wallet.request(600)
    prove_and_cover()
    tamper(owner_connection)
    findings = books.prove(WALLET_CHECKS).findings
    assert COVERED in {finding.check for finding in findings}
    (escrow, *_) = Entry.objects.filter(account__kind="escrow").values_list("account_id", flat=True)
    named = {finding.subject for finding in findings if finding.check == COVERED}
    assert tamper is change_memo or f"account {escrow}" in named


@pytest.mark.parametrize(
    ("statement", "incremental"),
    [
        ("UPDATE wallets_checkpointbalance SET total = total + 1 WHERE total > 0", True),
        ("UPDATE wallets_checkpointbalance SET total = total + 1 WHERE total < 0", True),
        ("DELETE FROM wallets_checkpointbalance WHERE total > 0", True),
        ("UPDATE wallets_checkpointbalance SET entries = entries + 1", False),
        ("UPDATE wallets_checkpointbalance SET digest = digest - 1", False),
        ("UPDATE wallets_checkpoint SET position = 0", True),
        ("UPDATE wallets_checkpoint SET position = position + 1000000", True),
        ("DELETE FROM wallets_checkpoint", None),
    ],
)
@pytest.mark.one_in(3)
def test_a_changed_checkpoint_is_found(
    wallet: Wallet, owner_connection: Connection, statement: str, incremental: bool | None
):
    """By both proofs where a sum or the position is wrong; without one, the proof is full."""
    prove_and_cover()
    corrupt(owner_connection, statement)
    assert books.prove(WALLET_CHECKS).findings
    if incremental is None:
        assert books.prove(WALLET_CHECKS, incremental=True).since is None
    else:
        assert bool(found(incremental=True)) == incremental


@pytest.mark.parametrize("incremental", [True, False])
def test_a_changed_balance_is_found_by_both(wallet, owner_connection, incremental):
    books.prove_and_store(WALLET_CHECKS)
    corrupt(
        owner_connection,
        "UPDATE wallets_account SET balance = balance + 1 WHERE kind = 'available'",
    )
    assert found(incremental=incremental) == {BALANCES}


def test_a_proof_that_fails_does_not_advance_and_a_full_one_must_pass_again(
    wallet, owner_connection
):
    prove_and_cover()
    before = read_checkpoint()
    wallet.request(300)
    change = "UPDATE wallets_account SET balance = balance + %s WHERE kind = 'available'"
    corrupt(owner_connection, change, 1)
    assert not books.prove_and_store(WALLET_CHECKS, incremental=True).passed
    assert not books.prove_and_store(WALLET_CHECKS).passed
    assert read_checkpoint() == before
    # After a full proof that failed, one from the checkpoint says too little.
    again = books.prove_and_store(WALLET_CHECKS, incremental=True)
    assert (again.incremental, again.passed) == (False, False)
    assert Alert.objects.get(kind="books").resolved_at is None
    corrupt(owner_connection, change, -1)
    again = books.prove_and_store(WALLET_CHECKS, incremental=True)
    assert (again.incremental, again.passed) == (False, True)
    assert Alert.objects.get(kind="books").resolved_at is not None
    assert read_checkpoint() != before


def test_a_new_checkpoint_replaces_one_that_is_wrong(wallet, owner_connection):
    prove_and_cover()
    corrupt(owner_connection, "UPDATE wallets_checkpointbalance SET digest = digest - 1")
    assert found(incremental=False) == {COVERED}
    renew_checkpoint(closed_position())
    assert found(incremental=False) == set()


# --- Two at once, and half a proof ---------------------------------------------------------------


def test_of_two_proofs_from_one_checkpoint_one_advances_it(wallet):
    prove_and_cover()
    wallet.request(300)
    close_transfers()
    first, second = (books.prove(WALLET_CHECKS, incremental=True) for _ in range(2))
    assert advance_checkpoint(first.checkpoint, first.position)
    assert not advance_checkpoint(second.checkpoint, second.position)
    assert covered_entries() == Entry.objects.count()
    assert found(incremental=False) == set()


def test_proofs_at_once_while_money_moves_leave_a_right_checkpoint(wallet):
    books.prove_and_store(WALLET_CHECKS)
    start = threading.Barrier(4)
    failed: list[object] = []

    def prove(incremental: bool) -> None:
        start.wait()
        for _ in range(3):
            if not books.prove_and_store(WALLET_CHECKS, incremental=incremental).passed:
                failed.append(incremental)
        connections.close_all()

    def move() -> None:
        start.wait()
        for _ in range(10):
            make_wallet(10)
        connections.close_all()

    threads = [threading.Thread(target=prove, args=[kind]) for kind in (True, True, False)]
    threads.append(threading.Thread(target=move))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    prove_and_cover(incremental=True)
    assert found(incremental=False) == set()


def test_a_checkpoint_half_advanced_when_its_session_ends_stays_where_it_was(
    wallet, owner_connection
):
    prove_and_cover()
    before = read_checkpoint()
    assert before is not None
    wallet.request(300)
    position = closed_position()
    with session("runtime") as ended:
        row = ended.execute("SELECT pg_backend_pid()").fetchone()
        ended.execute("SELECT advance_checkpoint(%s, %s)", [before.position, position])
        assert row is not None
        owner_connection.execute("SELECT pg_terminate_backend(%s)", [row[0]])
        with pytest.raises(psycopg.OperationalError):
            ended.execute("SELECT 1")
    assert read_checkpoint() == before
    assert covered_entries() == 4
    prove_and_cover(incremental=True)


# --- Who writes it -------------------------------------------------------------------------------


@pytest.fixture
def runtime() -> Iterator[Connection]:
    with session("runtime") as opened:
        yield opened


@pytest.mark.parametrize(
    "attack",
    [
        "INSERT INTO wallets_checkpoint (id, position, taken_at) VALUES (1, 0, now())",
        "UPDATE wallets_checkpoint SET position = 0",
        "DELETE FROM wallets_checkpoint",
        "TRUNCATE wallets_checkpoint",
        "UPDATE wallets_checkpointbalance SET total = 0",
        "DELETE FROM wallets_checkpointbalance",
        "TRUNCATE wallets_checkpointbalance",
        "INSERT INTO wallets_checkpointbalance SELECT * FROM wallets_checkpointbalance",
    ],
)
def test_the_runtime_role_cannot_write_it(wallet, runtime, attack):
    books.prove_and_store(WALLET_CHECKS)
    with pytest.raises(psycopg.errors.InsufficientPrivilege), runtime.transaction():
        runtime.execute(attack)


def test_the_function_takes_amounts_from_the_ledger_alone(wallet, runtime):
    """Calling it without a proof moves the position, and a full proof checks all of it."""
    assert runtime.execute("SELECT advance_checkpoint(NULL, 1)").fetchone() == (True,)
    runtime.commit()
    assert covered_entries() == 0
    assert found(incremental=False) == set()
    with pytest.raises(psycopg.errors.RestrictViolation), runtime.transaction():
        runtime.execute("SELECT advance_checkpoint(1, 0)")
    assert runtime.execute("SELECT advance_checkpoint(0, 2)").fetchone() == (False,)


# --- Any sequence --------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["fund", "request", "approve", "reject", "incremental", "full"]),
        st.integers(0, 2),
    ),
    min_size=4,
    max_size=12,
)


@pytest.mark.standalone
@seed(17)
@given(steps=STEPS, tampered=st.integers(0, 10**6))
@examples("CHECKPOINT", 4)
@pytest.mark.slow
def test_both_proofs_agree_after_any_sequence(steps: list[tuple[str, int]], tampered: int):
    store_bank_list()
    wallets = [make_wallet(1000) for _ in range(3)]
    people = make_staff()
    for step, number in steps:
        take_step(step, wallets[number], people)
        assert found_by_stored(step) == []
    prove_and_cover(incremental=True)
    wallets[0].request(100)
    assert found(incremental=True) == found(incremental=False) == set()
    assert covered_entries() == Entry.objects.count() - 2
    # A change of any entry is found in full; of one since the checkpoint by both.
    entries = list(Entry.objects.order_by("id").values_list("id", flat=True))
    for entry, both in ((entries[tampered % len(entries)], False), (entries[-1], True)):
        with session("owner") as owner:
            owner.execute("SET session_replication_role = replica")
            owner.execute("UPDATE wallets_entry SET amount = amount * 2 WHERE id = %s", [entry])
        assert found(incremental=False)
        assert not both or found(incremental=True)
        with session("owner") as owner:
            owner.execute("SET session_replication_role = replica")
            owner.execute("UPDATE wallets_entry SET amount = amount / 2 WHERE id = %s", [entry])
    assert found(incremental=False) == set()


def take_step(step: str, wallet: Wallet, approver: Any) -> None:
    pending = Withdrawal.objects.filter(status="Pending", organisation=wallet.organisation).first()
    if step == "fund":
        wallet.fund(50)
    elif step == "request" and wallet.balance() >= Decimal(100):
        wallet.request(100)
    elif step == "approve" and pending:
        decisions.approve(
            withdrawal_id=pending.id, version=pending.version, approver=approver, override=OVERRIDE
        )
    elif step == "reject" and pending:
        decisions.reject(
            withdrawal_id=pending.id, version=pending.version, approver=approver, reason="x"
        )


def found_by_stored(step: str) -> list[Any]:
    if step not in {"incremental", "full"}:
        return []
    found: list[Any] = books.prove_and_store(
        WALLET_CHECKS, incremental=step == "incremental"
    ).findings
    return found
