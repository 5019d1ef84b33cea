"""`manage.py prove_books` prints every check and exits with 1 on a failure."""

import json
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from config.books import CHECKS
from exchange.core.timestamps import wire_time
from tests.factories.wallets import make_wallet, store_bank_list
from wallets.ledger.checkpoint import read_checkpoint
from wallets.ledger.models import Account
from wallets.ledger.proof import prove_and_store

pytestmark = pytest.mark.django_db(transaction=True)


def prove_books(*arguments: str) -> tuple[int, str]:
    output = StringIO()
    try:
        call_command("prove_books", *arguments, stdout=output)
    except SystemExit as end:
        return int(str(end.code)), output.getvalue()
    return 0, output.getvalue()


@pytest.fixture
def wallet():
    store_bank_list()
    made = make_wallet(1000)
    made.request(500)
    return made


def damage(owner: psycopg.Connection[Any], account: Account) -> None:
    """Run SQL that only the database's superuser can run."""
    with owner.transaction():
        owner.execute("SET LOCAL session_replication_role = replica")
        owner.execute("UPDATE wallets_account SET balance = 499 WHERE id = %s", [account.id])


def test_every_check_of_sound_books_is_ok(wallet):
    code, said = prove_books()
    lines = said.splitlines()
    assert code == 0
    assert lines[:-1] == [f"ok  {check.title}" for check in CHECKS]
    assert lines[-1].startswith(f"The books hold: {len(CHECKS)} checks in ")


def test_a_failure_shows_both_sides_and_exits_with_1(wallet, owner_connection):
    escrow = Account.objects.get(owner_id=wallet.owner_id, kind="escrow")
    damage(owner_connection, escrow)
    code, said = prove_books()
    lines = said.splitlines()
    assert code == 1
    assert "OFF every balance equals its entries" in lines
    assert f"      {escrow.id}: expected 500, found 499" in lines
    assert "OFF escrow equals open withdrawals" in lines
    assert f"      {wallet.owner_id} KES: expected 500, found 499" in lines
    assert "ok  no owner account is negative, and no receivable positive" in lines
    assert lines[-1].startswith(f"The books are OFF in 2 places: {len(CHECKS)} checks in ")


def test_json_has_the_same_results(wallet, owner_connection):
    code, said = prove_books("--json")
    data = json.loads(said)
    assert (code, data["passed"], data["findings"]) == (0, True, [])
    assert data["checks"] == [{"title": check.title, "ok": True} for check in CHECKS]
    escrow = Account.objects.get(owner_id=wallet.owner_id, kind="escrow")
    damage(owner_connection, escrow)
    code, said = prove_books("--json")
    data = json.loads(said)
    assert (code, data["passed"]) == (1, False)
    assert data["findings"][0] == {
        "check": "every balance equals its entries",
        "subject": str(escrow.id),
        "expected": "500",
        "found": "499",
    }
    assert [check["title"] for check in data["checks"] if not check["ok"]] == [
        "every balance equals its entries",
        "escrow equals open withdrawals",
    ]


def test_an_incremental_proof_says_where_it_starts_and_what_it_leaves_out(wallet):
    """In full without a checkpoint."""
    _, said = prove_books("--incremental")
    assert said.splitlines()[-1].startswith(f"The books hold: {len(CHECKS)} checks in ")
    prove_and_store(CHECKS)
    checkpoint = read_checkpoint()
    assert checkpoint is not None
    code, said = prove_books("--incremental")
    lines = said.splitlines()
    left = [check.title for check in CHECKS if not check.run_since]
    assert code == 0
    assert lines[:-1] == [
        *(f"ok  {check.title}" for check in CHECKS if check.run_since),
        *(f"--  {title} (full proof only)" for title in left),
    ]
    since = wire_time(checkpoint.taken_at)
    assert lines[-1].startswith(f"The books hold since {since}: {len(CHECKS) - len(left)} checks ")
    data = json.loads(prove_books("--incremental", "--json")[1])
    assert (data["since"], data["left_to_full_proof"]) == (since, left)
    assert read_checkpoint() == checkpoint


def test_a_new_checkpoint_is_taken_only_if_the_books_hold(wallet, owner_connection):
    prove_and_store(CHECKS)
    with owner_connection.transaction():
        owner_connection.execute("UPDATE wallets_checkpoint SET position = position + 1000000")
    code, said = prove_books("--incremental")
    assert (code, "OFF the checkpoint is of this database server" in said) == (1, True)
    wrong = read_checkpoint()
    change = "UPDATE wallets_account SET balance = balance + %s WHERE kind = 'escrow'"
    for by, expected in ((1, 1), (-1, 0)):
        with owner_connection.transaction():
            owner_connection.execute("SET LOCAL session_replication_role = replica")
            owner_connection.execute(change, [by])
        assert prove_books("--new-checkpoint")[0] == expected
        assert (read_checkpoint() == wrong) == bool(expected)
    assert prove_books()[0] == prove_books("--incremental")[0] == 0


def test_two_extents_at_once_are_refused():
    with pytest.raises(CommandError, match="not allowed with argument"):
        call_command("prove_books", "--incremental", "--new-checkpoint")
