"""`manage.py prove_books` prints every check and exits with 1 on a failure."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from config.books import CHECKS
from tests.factories.wallets import make_wallet, store_bank_list
from wallets.ledger.models import Account

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
    assert "ok  no owner account is negative" in lines
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
