"""The suite's fixtures and its database; see tests/support."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.database import (
    django_db_setup,
    end_run,
    owner_connection,
    renew_worn_tables,
    start_run,
)
from tests.support.receiver import receiver
from tests.support.services import (
    live_service,
    live_worker,
    provider_sandbox,
    sandbox_program,
    stage,
    web_program,
)
from wallets.services.banks import forget_bank_lists

__all__ = [
    "django_db_setup",
    "live_service",
    "live_worker",
    "owner_connection",
    "provider_sandbox",
    "receiver",
    "sandbox_program",
    "stage",
    "web_program",
]

_HERE = Path(__file__).parent
# Fixtures that reach the run's database, or its broker.
_OF_THE_RUN = {"db", "transactional_db", "django_db_setup", "stage"}
# Have a server of their own; or send generated requests, with the statements of other tests.
_APART = ("faults/test_database_kill.py", "contract/test_schemathesis.py",
          "contract/test_orders_schema.py")  # fmt: skip
_PAGES = ("browser", "config/test_dashboard.py", "config/test_lists.py", "config/test_lockout.py",
          "config/test_signin.py", "config/test_permission_matrix.py")  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def short_tables() -> None:
    """What earlier tests wrote and took back does not slow a later one down."""
    renew_worn_tables()


@pytest.fixture(autouse=True)
def no_bank_list_of_another_test() -> None:
    """A process remembers each list for half a minute, and with it banks that are in no row."""
    forget_bank_lists()


def pytest_configure(config: pytest.Config) -> None:
    # An assertion that tests share shows its values as those of the tests themselves do.
    shared = {
        ".".join(("tests", *path.relative_to(_HERE).with_suffix("").parts))
        for path in _HERE.rglob("*.py")
    }
    pytest.register_assert_rewrite(*shared.difference(sys.modules))
    start_run(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    end_run(config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        assert isinstance(item, pytest.Function)
        where = item.path.relative_to(_HERE)
        of_the_run = _OF_THE_RUN.intersection(item.fixturenames)
        if not (of_the_run or item.get_closest_marker("django_db")) or _in(where, _APART):
            item.add_marker(pytest.mark.apart)
        if "admin" in where.parts or _in(where, _PAGES):
            item.add_marker(pytest.mark.pages)


def _in(where: Path, places: tuple[str, ...]) -> bool:
    return any(where.is_relative_to(place) for place in places)
