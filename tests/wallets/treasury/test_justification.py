"""Treasury movements in the database: what justifies a transfer, and who may write what."""

import pytest
from psycopg import errors

from tests.environment.database import Connection
from tests.factories.conversions import convert, set_rates
from tests.factories.treasury import closing, move, terms, treasurer
from tests.factories.wallets import assert_books_hold, make_member_wallet
from wallets.treasury.services import propose_movement

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = "UPDATE wallets_treasurymovement SET {} WHERE id = %(record)s"
ALTERATIONS = {
    **{
        column: RECORD.format(f"{column} = {column} + 0.01")
        for column in ("amount", "bought_amount", "closed_amount")
    },
    "currency": RECORD.format("currency_id = 'KES'"),
    "bought currency": RECORD.format("bought_currency_id = 'KES'"),
    "not approved": RECORD.format("status = 'Pending'"),
    "by one person": RECORD.format("decided_by_id = proposed_by_id"),
    "by no other": RECORD.format("decided_by_id = NULL"),
    "no record": "DELETE FROM wallets_treasurymovement WHERE id = %(record)s",
    "reference": "UPDATE wallets_transfer SET reference = 'x' WHERE subject_id = %(record)s",
    "a leg is missing": "DELETE FROM wallets_entry e USING wallets_transfer t WHERE"
    " t.id = e.transfer_id AND t.subject_id = %(record)s AND e.asset_id = 'NGN'",
    "another account": "UPDATE wallets_account SET kind = 'unmatched'"
    " WHERE kind = 'treasury' AND asset_id = 'NGN'",
}


@pytest.mark.parametrize("alteration", ["", *ALTERATIONS])
@pytest.mark.one_in(5)
def test_an_approved_movement_justifies_its_legs_and_no_others(
    owner_connection: Connection, alteration
):
    set_rates()
    convert(make_member_wallet(150_000, currency="NGN"), 150_000)
    moved = move(closing(150_000, "99.5", 100))
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        if alteration:
            statement = ALTERATIONS[alteration]
            assert owner_connection.execute(statement, {"record": moved.id}).rowcount >= 1
        row = owner_connection.execute(
            "SELECT treasury_transfer_fits(t) FROM wallets_transfer t WHERE subject_id = %s",
            [moved.id],
        ).fetchone()
    assert row is not None
    assert (row[0] is True) == (not alteration)
    assert_books_hold()


def test_a_movement_that_is_not_approved_is_not_posted(owner_connection: Connection):
    proposed = propose_movement(terms=terms("top_up", 1), user=treasurer())
    with pytest.raises(errors.CheckViolation) as refused, owner_connection.transaction():
        owner_connection.execute("SELECT move_treasury(%s, gen_random_uuid(), 'x')", [proposed.pk])
    assert refused.value.diag.constraint_name == "transfer_justified"
