"""The last release's database, before it is migrated."""

from collections.abc import Iterator

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from tests.environment.database import Connection, django_connected_to, extra_database, server_url
from tests.upgrade.dumps import latest_dump, restore


@pytest.fixture
def release(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Connection]:
    """Connect Django to the last release's database; yield a connection of a process of it."""
    with extra_database("before") as name, django_db_blocker.unblock():
        restore(latest_dump(), server_url(name))
        with django_connected_to(name), psycopg.connect(server_url(name)) as process:
            process.execute("SET ROLE exchange_runtime")
            process.commit()
            yield process
