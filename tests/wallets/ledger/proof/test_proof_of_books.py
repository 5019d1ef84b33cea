"""The proof of books bites: each corruption is seen by the check made for it, and by that alone.

Corrupting takes the owner, and mostly triggers out of force; the application cannot do it.
"""

from collections.abc import Callable, Iterator

import pytest

from config.books import WALLET_CHECKS
from exchange.core.ids import uuid7
from tests.assertions.books import failing_checks
from tests.environment.services import Sandbox
from tests.factories.wallets import assert_books_hold
from tests.wallets.ledger.proof.corrupted import LedgerRecords, Owner
from tests.wallets.ledger.proof.corruptions import (
    CORRUPTIONS,
    IN_ORDER,
    changed_checkpoint,
    checkpoint_of_another_server,
    money_out_of_escrow,
    stray_entry,
)
from wallets.alerts.models import Alert
from wallets.ledger import proof as books
from wallets.ledger.models import BooksProof

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def records(
    transactional_db: None, owner_connection: Owner, provider_sandbox: Sandbox
) -> LedgerRecords:
    return LedgerRecords(owner_connection, provider_sandbox)


@pytest.fixture
def constraint_kept(owner_connection: Owner) -> Iterator[None]:
    """Whatever a test drops of the account's constraints is there again afterwards."""
    row = owner_connection.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conname = 'account_balance_not_negative'"
    ).fetchone()
    assert row is not None
    yield
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute("UPDATE wallets_account SET balance = 0 WHERE balance < 0")
        owner_connection.execute(
            "ALTER TABLE wallets_account DROP CONSTRAINT IF EXISTS account_balance_not_negative"
        )
        owner_connection.execute(
            f"ALTER TABLE wallets_account ADD CONSTRAINT account_balance_not_negative {row[0]}"
        )


@pytest.mark.parametrize(
    ("corruption", "check"),
    CORRUPTIONS.items(),
    ids=[corruption.__name__ for corruption in CORRUPTIONS],
)
@pytest.mark.one_in(5)
def test_a_corruption_is_found_by_its_check_and_by_no_other(
    constraint_kept: None,
    records: LedgerRecords,
    corruption: Callable[[LedgerRecords], None],
    check: str,
):
    assert_books_hold()
    corruption(records)
    if check != IN_ORDER:
        records.carry_balances_on()
    # A proof of everything since the first transfer finds what a full one finds; but it reads an
    # entry by its transfer, and counts a checkpoint's entries twice.
    alike = corruption not in {stray_entry, changed_checkpoint, checkpoint_of_another_server}
    assert failing_checks(WALLET_CHECKS, compare_incremental=alike) == {check}


def test_every_check_has_a_corruption_that_it_alone_finds():
    assert set(CORRUPTIONS.values()) == {check.title for check in WALLET_CHECKS}


def test_a_finding_names_both_sides(records):
    money_out_of_escrow(records)
    (finding,) = books.prove(WALLET_CHECKS).findings
    assert finding.subject == f"{records.wallet.owner_id} KES"
    assert (finding.expected, finding.found) == ("800", "799")


def test_a_failing_proof_is_kept_and_alerts_until_one_holds(records):
    money_out_of_escrow(records)
    kept = books.prove_and_store(WALLET_CHECKS)
    assert (kept.passed, len(kept.findings)) == (False, 1)
    alert = Alert.objects.get(kind="books")
    assert alert.resolved_at is None
    assert "escrow equals open withdrawals" in alert.message
    records.post(records.account("available"), records.account("escrow"), 1)
    assert books.prove_and_store(WALLET_CHECKS).passed
    assert Alert.objects.get(kind="books").resolved_at is not None
    assert BooksProof.objects.count() == 2


def test_a_proof_over_a_hundred_faults_ends(records):
    for _ in range(120):
        empty_transfer_named(records)
    assert len(books.prove(WALLET_CHECKS).findings) == 100


def empty_transfer_named(records: LedgerRecords) -> None:
    records.corrupt(
        "INSERT INTO wallets_transfer (id, kind, reference, actor, memo, created_at, created_txid)"
        " VALUES (%s, 'deposit', %s, 'x', '', now(), txid_current())",
        uuid7(),
        str(uuid7()),
    )
