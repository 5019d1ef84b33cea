"""The suite's fixtures and its database; see tests/support."""

from __future__ import annotations

import os
import re
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
from tests.support.properties import load_profile
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
# Have a server of their own; or are about requests, the provider, connections or files, with the
# statements of other tests.
_APART = ("faults/test_database_kill.py", "contract/test_schemathesis.py",
          "contract/test_orders_schema.py", "contract/test_own_wording.py",
          "contract/test_withdrawal_bad_input.py", "contract/test_orders_bad_input.py",
          "contract/test_tokens_bad_input.py", "faults/test_outage.py",
          "faults/test_look_up_faults.py", "faults/test_transfer_faults.py",
          "faults/test_confirmations.py", "faults/test_returns.py", "faults/test_slow_clients.py",
          "faults/test_exports.py", "config/test_demo.py")  # fmt: skip
# What of the API's answers stands or falls with a statement of its own.
_STATEMENTS = re.compile("idempotency|lists|reads|query|portfolio|wallets")
_PAGES = ("browser", "config/test_dashboard.py", "config/test_lists.py", "config/test_lockout.py",
          "config/test_signin.py", "config/test_permission_matrix.py", "config/test_search.py",
          "config/test_links_of_roles.py", "config/test_links_of_owners.py",
          "config/test_kept_forms.py", "config/test_waiting.py")  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def short_tables() -> None:
    """What earlier tests wrote and took back does not slow a later one down."""
    renew_worn_tables()


@pytest.fixture(autouse=True)
def no_bank_list_of_another_test() -> None:
    """A process remembers each list for half a minute, and with it banks that are in no row."""
    forget_bank_lists()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three processes on two cores: tests wait for servers and workers a quarter of their time."""
    cores = os.cpu_count() or 1
    return cores + cores // 2


def pytest_configure(config: pytest.Config) -> None:
    # An assertion that tests share shows its values as those of the tests themselves do.
    shared = {
        ".".join(("tests", *path.relative_to(_HERE).with_suffix("").parts))
        for path in _HERE.rglob("*.py")
    }
    pytest.register_assert_rewrite(*shared.difference(sys.modules))
    load_profile()
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
        answers = where.parts[0] == "contract" and not _STATEMENTS.search(where.name)
        if answers or "admin" in where.parts or _in(where, _PAGES):
            item.add_marker(pytest.mark.pages)


def _in(where: Path, places: tuple[str, ...]) -> bool:
    return any(where.is_relative_to(place) for place in places)
