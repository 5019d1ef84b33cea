"""A database with partitions of fourteen months."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.environment.database import Connection
from tests.factories.months import database_with_months

MONTHS_BACK = 14


@pytest.fixture(scope="module")
def months(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Connection]:
    """Yield the owner's connection, for the whole module."""
    with django_db_blocker.unblock(), database_with_months(MONTHS_BACK) as owner:
        yield owner


@pytest.fixture
def missed_months(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Connection]:
    """Yield the owner's connection to a database to which no month was added for six months."""
    with django_db_blocker.unblock(), database_with_months(6, added=False) as owner:
        yield owner
