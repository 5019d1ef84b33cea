"""`make tour` with a running `manage.py up`: the whole tour of a new user."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, wait_until
from tests.environment.template_cache import place_migrated_server

pytestmark = [pytest.mark.services, pytest.mark.slow]

SUITE = CHECKOUT / "docs" / "api" / "examples" / "sandbox_suite"
_REPLACEMENTS = (
    *("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "CACHE_URL"),
    "DEMO_WEBHOOK_URL",
)


@dataclass
class Running:
    """A running `manage.py up` with the demo data."""

    data: Path
    port: int
    log: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in _REPLACEMENTS}
        settings = "config.settings.local"
        return {**kept, "DJANGO_SETTINGS_MODULE": settings, "DATA_DIR": str(self.data)}

    @property
    def demo(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.data / "demo.json").read_text())
        return content

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=CHECKOUT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    def get(self, path: str) -> Any:
        token = self.demo["organisations"][0]["access_token"]
        response = requests.get(
            f"http://127.0.0.1:{self.port}{path}",
            headers={"Authorization": f"Bearer {token}"},
            timeout=10,
        )
        assert response.status_code == 200, response.text
        return response.json()["data"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("tour")
    place_migrated_server(folder / "data")
    made = Running(folder / "data", claim_ports(), folder / "log")
    with made.log.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(made.port)],
            cwd=CHECKOUT,
            env=made.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until(
            lambda: "\nReady: " in made.log.read_text() or process.poll() is not None, "ready", 600
        )
        assert f"\nReady: http://127.0.0.1:{made.port}\n" in made.log.read_text()
        yield made
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def test_the_first_reconciliation_finds_the_demo_money_at_the_sandbox(running):
    first = "Reconciliation.objects.order_by('created_at').values_list('status', flat=True)[0]"
    done = running.manage(
        *("shell", "--no-imports", "-c"),
        f"from wallets.reconciliation.models import Reconciliation; print({first})",
    )
    assert done.stdout.strip() == "Matched", done.stdout + done.stderr


def test_the_suite_of_a_client_passes(running):
    organisation = running.demo["organisations"][0]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, SUITE],
        cwd=running.data,
        env={
            **running.environment,
            "BASE_URL": f"http://127.0.0.1:{running.port}",
            "CLIENT_ID": organisation["client_id"],
            "CLIENT_SECRET": organisation["client_secret"],
            "REDIRECT_URL": "https://baobridge.example/paid",
            "OWN_TOKEN": "BNMM",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.splitlines()[-1].startswith("20 passed in "), done.stdout + done.stderr
    proof = running.manage("prove_books")
    assert proof.returncode == 0, proof.stdout + proof.stderr


def test_an_unknown_member_ends_the_tour(running, tmp_path):
    demo = running.demo
    demo["members"][0]["id"] = demo["organisations"][0]["id"]
    (tmp_path / "demo.json").write_text(json.dumps(demo))
    done = running.manage("tour", "--demo", str(tmp_path / "demo.json"))
    assert done.returncode == 1
    assert "User not found" in done.stderr
    assert running.get("/v1/api/webhook")["enabled"] is False


def test_the_tour_succeeds_after_one_that_ended_early(running):
    webhook = running.get("/v1/api/webhook")
    before = running.get("/v1/api/withdrawals?status=Completed")["total"]
    done = running.manage("tour")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line[:3].strip() for line in lines[:-1]] == [f"{n}." for n in range(1, 33)]
    assert lines[-1].startswith("Tour completed in ")
    assert "The books hold" in lines[-2]
    found = running.get("/v1/api/withdrawals?status=Completed")
    assert found["total"] == before + 1
    after = running.get("/v1/api/webhook")
    assert (after["url"], after["enabled"]) == (webhook["url"], webhook["enabled"])


def test_a_failed_check_prints_one_line_and_exits_with_1(running, tmp_path):
    demo = running.demo
    demo["organisations"][0]["client_secret"] = "wrong"
    (tmp_path / "demo.json").write_text(json.dumps(demo))
    done = running.manage("tour", "--demo", str(tmp_path / "demo.json"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "CommandError: No access token: 401 invalid_client\n"

    done = running.manage("tour", "--demo", str(tmp_path / "nowhere" / "demo.json"))
    assert done.returncode == 1
    assert "does not exist: start the service with" in done.stderr

    (tmp_path / "demo.json").write_text(json.dumps({**demo, "organisations": []}))
    done = running.manage("tour", "--demo", str(tmp_path / "demo.json"))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1

    done = running.manage("tour", "--base-url", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "is the service running?" in done.stderr
