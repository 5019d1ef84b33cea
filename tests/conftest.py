"""The suite's fixtures and its database; see tests/support."""

from __future__ import annotations

import pytest

from tests.support.database import django_db_setup, end_run, owner_connection, start_run
from tests.support.services import (
    live_service,
    live_worker,
    provider_sandbox,
    sandbox_program,
    stage,
    web_program,
)

__all__ = [
    "django_db_setup",
    "live_service",
    "live_worker",
    "owner_connection",
    "provider_sandbox",
    "sandbox_program",
    "stage",
    "web_program",
]


def pytest_configure(config: pytest.Config) -> None:
    start_run(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    end_run(config)
