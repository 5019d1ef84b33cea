"""PostgreSQL guards settings changes against direct writes."""

import pytest
from django.db import DatabaseError, connection, transaction

from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import user_of
from tests.factories.configuration_pages import propose, upcoming_change

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE wallets_settingchange SET value = 1",
        "UPDATE wallets_settingchange SET reason = 'x'",
        "UPDATE wallets_settingchange SET proposed_by_id = decided_by_id",
        "UPDATE wallets_settingchange SET effective_at = now() - interval '1 day'",
        "UPDATE wallets_settingchange SET status = 'Pending'",
        "UPDATE wallets_settingchange SET status = 'Cancelled'",
        "UPDATE wallets_settingchange SET status = 'Cancelled', cancelled_at = now(),"
        " cancellation_requested_by_id = proposed_by_id, cancelled_by_id = decided_by_id",
        "UPDATE wallets_settingchange SET cancellation_requested_by_id = proposed_by_id,"
        " value = value + 1",
        "DELETE FROM wallets_settingchange",
        "TRUNCATE wallets_settingchange",
        "UPDATE wallets_configuration SET value = 1",
        "INSERT INTO wallets_settingchange SELECT gen_random_uuid(), value, reason, NULL,"
        " 'Approved' FROM wallets_settingchange",
    ],
)
@pytest.mark.one_in(5)
def test_the_database_protects_an_approved_change(office, finance, attack):
    upcoming_change(office, finance)
    with (
        assert_no_table_changes(),
        pytest.raises(DatabaseError),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(attack)


@pytest.mark.parametrize(
    "attack",
    [
        "status = 'Approved', decided_by_id = proposed_by_id, decided_at = now(),"
        " effective_at = now()",
        "status = 'Approved', decided_by_id = {other}, decided_at = now()",
        "status = 'Approved', decided_by_id = {other}, decided_at = now(),"
        " effective_at = now() - interval '1 second'",
        "status = 'Approved', decided_at = now(), effective_at = now()",
        "status = 'Rejected', decided_by_id = {other}, decided_at = now()",
        "status = 'Withdrawn', decided_by_id = {other}, decided_at = now()",
        "value = 1",
    ],
)
@pytest.mark.one_in(3)
def test_the_database_requires_another_person_and_no_past_time(office, finance, attack):
    propose(office)
    with assert_no_table_changes():
        update = attack.format(other=f"'{user_of(finance).pk}'")
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE wallets_settingchange SET {update}")
