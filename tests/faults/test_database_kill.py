"""`kill -9` of the database during a payout, on a separate embedded server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.local.embedded.layout import database_url
from config.local.embedded.sharing import running_server
from tests.environment.database_steps import DatabaseSteps, kill_database
from tests.environment.processes import wait_until
from tests.environment.services import Sandbox, ServiceStack
from tests.environment.template_cache import place_migrated_server
from tests.factories.payouts import TRANSFERS, call_sandbox

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@pytest.fixture
def server(tmp_path: Path, service_stack: ServiceStack) -> Iterator[tuple[Path, DatabaseSteps]]:
    steps = DatabaseSteps(
        "tests.environment.payout_step",
        database_url(tmp_path, "exchange_owner"),
        service_stack.environment,
    )
    place_migrated_server(tmp_path)
    with running_server(tmp_path):
        steps.migrate()
        yield tmp_path, steps


@pytest.mark.parametrize(
    ("fault", "final_status", "balances"),
    [
        ("timeout_after", "Completed", ("5E+2", "0")),
        ("timeout_before", "Unknown", ("5E+2", "5E+2")),
    ],
)
def test_a_database_kill_during_a_transfer_order_loses_nothing(
    server: tuple[Path, DatabaseSteps],
    provider_sandbox: Sandbox,
    fault: str,
    final_status: str,
    balances: tuple[str, str],
):
    folder, steps = server
    created = steps.run("prepare")
    assert (created["status"], created["available"], created["escrow"]) == (
        "Approved",
        "5E+2",
        "5E+2",
    )

    def provider_statuses() -> list[str]:
        rows = call_sandbox(provider_sandbox, "GET", "transfers")
        return [row["status"] for row in rows if row["reference"] == created["reference"]]

    def count_orders() -> int:
        rows = call_sandbox(provider_sandbox, "GET", "requests")
        return sum(
            row["method"] == "POST" and row.get("reference") == created["reference"] for row in rows
        )

    provider_sandbox.fault(fault, match=TRANSFERS, seconds=3)
    paying = steps.start("pay", created["id"])
    wait_until(lambda: count_orders() == 1, "the order reached the provider")
    kill_database(folder)
    _, errors = paying.communicate()
    assert paying.returncode == 1, "the payer cannot settle without a database"
    assert "OperationalError" in errors or "PoolTimeout" in errors

    with running_server(folder):
        result = steps.run("state", created["id"])
        assert (result["status"], result["findings"]) == ("Processing", [])
        assert (result["available"], result["escrow"]) == ("5E+2", "5E+2")
        for _ in range(2):
            result = steps.run("later", created["id"])
            assert result["findings"] == []
        assert (result["status"], result["available"], result["escrow"]) == (
            final_status,
            *balances,
        )
    assert count_orders() == 1
    assert provider_statuses() == (["SUCCESSFUL"] if fault == "timeout_after" else [])
