"""A database that all tests of a module share, for tests of rejections, which change nothing.

The records that they need (an organisation with a key, wallets, a market) are made once, and
every test asserts that it changed none of them (`tests.assertions.unchanged`).
"""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from tests.environment.database import restore_seed
from tests.factories.wallets import assert_books_hold

# Fixtures that undo a test's changes, and with them the module's.
_OF_ONE_TEST = {"db", "transactional_db"}


@pytest.fixture(scope="module")
def module_rows(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Keep what fixtures and tests of the module commit until its end.

    No test of the module may use a database fixture of its own.
    """
    assert not [item.nodeid for item in request.session.items if _has_own(item, request.path)]
    with django_db_blocker.unblock():
        try:
            yield
        finally:
            restore_seed()


@pytest.fixture(scope="module")
def module_database(module_rows: None) -> Iterator[None]:
    """Keep the module's rows, made by services only, and prove the books at its end."""
    yield
    assert_books_hold()


def _has_own(item: pytest.Item, module: Any) -> bool:
    if item.path != module:
        return False
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(_OF_ONE_TEST & fixtures or item.get_closest_marker("django_db"))
