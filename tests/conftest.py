"""Fixtures and run order of the whole suite; see tests/environment."""

from __future__ import annotations

import os
import re
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.environment.database import (
    django_db_setup,
    end_run,
    owner_connection,
    restore_bloated_tables,
    start_run,
)
from tests.environment.property_tests import load_profile
from tests.environment.run_order import position
from tests.environment.services import (
    live_service,
    live_worker,
    provider_sandbox,
    sandbox_program,
    service_stack,
    web_program,
)
from tests.environment.task_notifications import task_notifications
from tests.environment.webhook_receiver import receiver
from wallets.banks.services import clear_bank_cache

__all__ = [
    "django_db_setup",
    "live_service",
    "live_worker",
    "owner_connection",
    "provider_sandbox",
    "receiver",
    "sandbox_program",
    "service_stack",
    "task_notifications",
    "web_program",
]

_HERE = Path(__file__).parent
# Fixtures that use the run's database or its broker.
_SHARED_FIXTURES = {"db", "transactional_db", "django_db_setup", "service_stack"}
# Modules with a server of their own, and modules about requests, the provider, connections, files
# or rules in Python whose SQL is already tested elsewhere.
_STANDALONE = (
    "faults/test_database_kill.py",
    "contract/test_schemathesis.py",
    "contract/test_orders_schema.py",
    "contract/test_own_wording.py",
    "contract/test_withdrawal_bad_input.py",
    "contract/test_orders_bad_input.py",
    "contract/test_tokens_bad_input.py",
    "faults/test_outage.py",
    "faults/test_status_check_faults.py",
    "faults/test_transfer_faults.py",
    "faults/test_confirmations.py",
    "faults/test_returns.py",
    "faults/test_slow_clients.py",
    "faults/test_exports.py",
    "faults/test_unreachable_services.py",
    "config/demo/test_demo.py",
    "config/demo/test_demo_loading.py",
    "config/demo/test_demo_catalogue.py",
    "config/back_office/test_create_staff.py",
    "config/test_cooling_off.py",
    "config/back_office/test_export_columns.py",
    "config/back_office/test_help.py",
    "config/test_landing.py",
    "config/test_shared_rate_limits.py",
    "contract/test_query_parameters.py",
    "exchange/participants/test_access_services.py",
    "exchange/participants/test_member_services.py",
    "exchange/events/test_events_api.py",
    "wallets/payouts/test_webhook_endpoint.py",
    "wallets/deposits/test_deposit.py",
    "orders/listings/test_load_tokens.py",
    "wallets/withdrawals/test_reasons.py",
)
# API tests whose result depends on SQL of their own.
_STATEMENTS = re.compile("idempotency|lists|reads|query|portfolio|wallets")
_PAGES = (
    "browser",
    "config/back_office/test_dashboard.py",
    "config/back_office/test_lists.py",
    "config/back_office/test_lockout.py",
    "config/back_office/test_signin.py",
    "config/back_office/test_permission_matrix.py",
    "config/test_search.py",
    "config/back_office/test_owner_links.py",
    "config/back_office/test_interrupted_forms.py",
    "config/back_office/test_work_items.py",
)


@pytest.fixture(scope="module", autouse=True)
def restore_long_tables() -> None:
    """Restore tables that earlier tests have bloated, so that later tests stay fast."""
    restore_bloated_tables()


@pytest.fixture(autouse=True)
def clear_bank_list_cache() -> None:
    """Clear the bank lists that this process caches for half a minute."""
    clear_bank_cache()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return two processes a core: about half of the long tests wait for servers and workers.

    With DATABASE_URL three for two cores: a server may allow 100 connections, races take dozens.
    """
    cores = os.cpu_count() or 1
    return cores + cores // 2 if "DATABASE_URL" in os.environ else 2 * cores


def pytest_configure(config: pytest.Config) -> None:
    # Shared assertions report their values like those in test modules.
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
    if "PYTEST_XDIST_WORKER" in os.environ:
        places = {path: position(path.relative_to(_HERE)) for path in {i.path for i in items}}
        items.sort(key=lambda item: places[item.path])
    for path, of_file in groupby(items, key=lambda item: item.path):
        where = path.relative_to(_HERE)
        responses = where.parts[0] == "contract" and not _STATEMENTS.search(where.name)
        pages = (
            responses
            or where.stem.endswith("_pages")
            or "admin" in where.parts
            or _in(where, _PAGES)
        )
        standalone = _in(where, _STANDALONE)
        for item in of_file:
            assert isinstance(item, pytest.Function)
            of_the_run = _SHARED_FIXTURES.intersection(item.fixturenames)
            if standalone or not (of_the_run or item.get_closest_marker("django_db")):
                item.add_marker(pytest.mark.standalone)
            if pages:
                item.add_marker(pytest.mark.pages)


def _in(where: Path, places: tuple[str, ...]) -> bool:
    return any(where.is_relative_to(place) for place in places)
