"""Fixtures and run order of the whole suite; see tests/environment."""

import gc
import os
import sys
import time
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.template import Context, RequestContext, Template
from django.utils.safestring import SafeString

from exchange.api import throttling
from tests.environment.browser import chromium
from tests.environment.database import (
    django_db_setup,
    end_run,
    owner_connection,
    restore_bloated_tables,
    start_run,
)
from tests.environment.mail_server import mail_server
from tests.environment.module_groups import is_about_pages, is_standalone
from tests.environment.processor_times import ProcessorTimes
from tests.environment.property_tests import load_profile
from tests.environment.run_order import keep_share, mark_other_cases, position, shuffled
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
from tests.factories.signed_in import auditor, checker, finance, maker, office
from wallets.banks.services import clear_bank_cache

__all__ = [
    "auditor",
    "checker",
    "chromium",
    "django_db_setup",
    "finance",
    "live_service",
    "live_worker",
    "mail_server",
    "maker",
    "office",
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


@pytest.fixture(scope="module", autouse=True)
def restore_long_tables() -> None:
    """Restore tables that earlier tests have bloated, so that later tests stay fast."""
    restore_bloated_tables()


@pytest.fixture(autouse=True)
def clear_bank_list_cache() -> None:
    """Clear the bank lists that this process caches for half a minute."""
    clear_bank_cache()


@pytest.fixture(scope="session", autouse=True)
def contexts_of_pages_only(django_test_environment: None) -> None:
    """Keep the context of each page for its test, without those of its hundred parts.

    Copying these took a tenth of the time of a page.
    """

    def render(template: Template, context: Context) -> SafeString:
        whole = isinstance(context, RequestContext) and context.template is template
        return instrumented(template, context) if whole else template.nodelist.render(context)

    instrumented = Template._render  # type: ignore[attr-defined]
    Template._render = render  # type: ignore[attr-defined]


@pytest.fixture
def still_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the rate limits, so that no window of a minute ends within the test."""
    clock = SimpleNamespace(time=lambda: 1_790_000_010.0, monotonic=time.monotonic)
    monkeypatch.setattr(throttling, "time", clock)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return three processes for two cores: some tests wait for servers and workers.

    Four took 9 % more of the processor, for programs and warm caches of their own.
    """
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all modules are imported, see pytest_collection_finish
    # Shared assertions report their values like those in test modules.
    shared = {
        ".".join(("tests", *path.relative_to(_HERE).with_suffix("").parts))
        for path in _HERE.rglob("*.py")
    }
    pytest.register_assert_rewrite(*shared.difference(sys.modules))
    load_profile()
    if os.environ.get("TEST_TIMES"):
        config.pluginmanager.register(ProcessorTimes())
    start_run(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    end_run(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import only modules with slow tests where only those run: each process imports all."""
    if config.option.markexpr != "slow" or not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text()
    return not any(mark in text for mark in ("pytest.mark.slow", "pytest.mark.one_in(")) or None


def pytest_collection_finish() -> None:
    """Look for garbage seldom: most objects are what was imported and collected.

    Not `gc.freeze`: the mutation tool looks for the references to a function.
    """
    gc.set_threshold(50_000, 10, 10)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark_other_cases(items)
    if share := os.environ.get("TEST_SHARE"):
        keep_share(config, items, int(share), int(os.environ.get("TEST_TURN", "0")))
    if seed := os.environ.get("TEST_ORDER"):
        items[:] = shuffled(items, seed)
    elif "PYTEST_XDIST_WORKER" in os.environ:
        places = {path: position(path.relative_to(_HERE)) for path in {i.path for i in items}}
        items.sort(key=lambda item: places[item.path])
    for path, of_file in groupby(items, key=lambda item: item.path):
        where = path.relative_to(_HERE)
        standalone, pages = is_standalone(where), is_about_pages(where)
        for item in of_file:
            assert isinstance(item, pytest.Function)
            of_the_run = _SHARED_FIXTURES.intersection(item.fixturenames)
            if standalone or not (of_the_run or item.get_closest_marker("django_db")):
                item.add_marker(pytest.mark.standalone)
            if pages:
                item.add_marker(pytest.mark.pages)
