"""The service reaches rows through their tables only, where the guards are."""

import pytest
from django.db import connection


@pytest.mark.django_db
@pytest.mark.parametrize(
    "attack",
    [
        "INSERT INTO partitions.exchange_event SELECT * FROM exchange_event",
        "UPDATE partitions.{partition} SET body = '{{}}'",
        "DELETE FROM partitions.{partition}",
        "SELECT * FROM partitions.{partition}",
        "TRUNCATE partitions.{partition}",
        "DROP TABLE partitions.{partition}",
        "ALTER TABLE exchange_event DETACH PARTITION partitions.{partition}",
        "CREATE TABLE partitions.mine (id uuid)",
        "CREATE TABLE mine PARTITION OF exchange_event DEFAULT",
        "SELECT guard_partition('{partition}', 'exchange_event')",
        "SELECT attach_partition('exchange_event', '{partition}', '2000-01-01', NULL, true)",
        "DELETE FROM exchange_change",
        "UPDATE exchange_change SET actor = 'system:x'",
        "INSERT INTO exchange_change (id) VALUES (gen_random_uuid())",
        "UPDATE exchange_deliveryattempt SET number = 7",
    ],
)
def test_the_service_has_no_way_around_the_tables(attack):
    statement = attack.format(partition="exchange_event_later")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("exchange_runtime",)
        with pytest.raises(Exception, match=r"permission denied|must be owner"):
            cursor.execute(statement)
