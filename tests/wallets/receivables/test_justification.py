"""Write-offs in the database: what justifies a transfer."""

from decimal import Decimal

import pytest

from exchange.core.ids import uuid7
from tests.environment.database import Connection
from tests.factories.treasury import make_debt
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.receivables.services.write_offs import confirm_write_off, propose_write_off

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = "UPDATE wallets_receivablewriteoff SET {} WHERE id = %(record)s"
ALTERATIONS = {
    "amount": RECORD.format("amount = amount + 0.01"),
    "account": RECORD.format("account_id = %(other)s"),
    "account of another kind": RECORD.format(
        "account_id = (SELECT a.id FROM wallets_account a JOIN wallets_account d"
        " ON d.owner_id = a.owner_id AND d.asset_id = a.asset_id"
        " WHERE d.id = account_id AND a.kind = 'available')"
    ),
    "another currency": "UPDATE wallets_entry e SET asset_id = 'NGN' FROM wallets_transfer t"
    " WHERE t.id = e.transfer_id AND t.subject_id = %(record)s",
    "not approved": RECORD.format("status = 'Pending'"),
    "by one person": RECORD.format("decided_by_id = proposed_by_id"),
    "by no other": RECORD.format("decided_by_id = NULL"),
    "no record": "DELETE FROM wallets_receivablewriteoff WHERE id = %(record)s",
    "reference": "UPDATE wallets_transfer SET reference = 'x' WHERE subject_id = %(record)s",
    "not from expenses": "UPDATE wallets_account SET kind = 'issuance'"
    " WHERE kind = 'expenses' AND asset_id = 'KES'",
    "not of the amount": "UPDATE wallets_entry e SET amount = amount * 2 FROM wallets_transfer t"
    " WHERE t.id = e.transfer_id AND t.subject_id = %(record)s",
}


@pytest.mark.parametrize("alteration", ["", *ALTERATIONS])
@pytest.mark.one_in(5)
def test_an_approved_write_off_justifies_its_amount_to_its_account(
    owner_connection: Connection, alteration: str
):
    debt = make_debt(1000)
    proposed = propose_write_off(
        account_id=debt.pk,
        amount=Decimal(400),
        explanation="Bankrupt",
        user=make_staff("write_off_receivable"),
    )
    confirm_write_off(write_off_id=proposed.pk, user=make_staff("write_off_receivable"))
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        if alteration:
            values = {"record": proposed.pk, "other": uuid7()}
            assert owner_connection.execute(ALTERATIONS[alteration], values).rowcount >= 1
        row = owner_connection.execute(
            "SELECT write_off_justified(t) FROM wallets_transfer t WHERE subject_id = %s",
            [proposed.pk],
        ).fetchone()
    assert row is not None
    assert (row[0] is True) == (not alteration)
    assert_books_hold()
