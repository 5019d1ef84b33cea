"""Two web processes with a replica: what one has written, the other one shows."""

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

from config import webserver
from config.local.embedded.layout import APPLICATION, database_url
from config.ports import is_responding
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, Program, wait_until
from tests.environment.replication import Replication, running_replication

pytestmark = pytest.mark.slow

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Web:
    """The processes' addresses, and an organisation's access token."""

    servers: Replication
    addresses: tuple[str, str]
    token: str

    def get(self, process: int, path: str) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        return requests.get(f"{self.addresses[process]}{path}", headers=headers, timeout=20)

    def add_member(self, process: int, name: str) -> None:
        response = requests.post(
            f"{self.addresses[process]}/v1/api/members",
            json={"name": name, "email": f"{name}@example.com"},
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=20,
        )
        assert response.status_code == 201, response.content

    def members(self, process: int) -> set[str]:
        response = self.get(process, "/v1/api/members?limit=200")
        assert response.status_code == 200, response.content
        return {member["name"] for member in response.json()["data"]["members"]}

    def readiness(self, process: int) -> tuple[int, str]:
        response = self.get(process, "/health/ready")
        return response.status_code, response.json()["checks"]["replica"]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    folder = tmp_path_factory.mktemp("replica_processes")
    with running_replication(folder) as servers:
        environment = {
            "DJANGO_SETTINGS_MODULE": "config.settings.local",
            "DATA_DIR": str(servers.primary),
            "DATABASE_URL": "",
            "DATABASE_REPLICA_URL": database_url(servers.standby, APPLICATION),
        }
        for name in ("messages", "control"):
            (servers.primary / "broker" / name).mkdir(parents=True)
        programs = [_program(folder, environment, number) for number in range(2)]
        try:
            for program, _ in programs:
                program.start()
            yield Web(servers, (programs[0][1], programs[1][1]), _make_token(environment))
        finally:
            for program, _ in programs:
                program.stop()


def _program(folder: Path, environment: dict[str, str], number: int) -> tuple[Program, str]:
    port = claim_ports()
    program = Program(
        command=webserver.command(HOST, port, workers=1),
        environment=environment,
        ready=lambda: is_responding(HOST, port, "/health/live"),
        output=folder / f"web-{number}.log",
    )
    return program, f"http://{HOST}:{port}"


def _make_token(environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.dataset", "0", "no bank"],
        cwd=CHECKOUT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    token: str = json.loads(done.stdout)["token"]
    return token


def test_a_record_of_one_process_is_in_the_lists_of_the_other(web: Web) -> None:
    wait_until(lambda: web.readiness(0) == web.readiness(1) == (200, "ok"), "both are ready")
    web.servers.catch_up()
    for number in range(20):
        web.add_member(number % 2, f"member-{number}")
        assert f"member-{number}" in web.members(1 - number % 2)
    with web.servers.paused():
        web.add_member(0, "paused")
        assert "paused" in web.members(1)


def test_lists_come_from_the_replica_and_survive_its_death(web: Web) -> None:
    web.servers.catch_up()
    seen = web.members(0) | web.members(1)
    reads = "SELECT sum(xact_commit) FROM pg_stat_database WHERE datname = 'exchange'"
    [(before,)] = web.servers.on_standby(reads)
    for _ in range(20):
        assert web.members(0) == web.members(1) == seen

    def counted() -> bool:
        [(after,)] = web.servers.on_standby(reads)
        return bool(after - before >= 40)

    wait_until(counted, "the replica has counted the reads")
    web.servers.kill()
    for process in (0, 1):
        assert web.members(process) == seen
        assert web.readiness(process) == (200, "degraded")
        assert web.members(process) == seen
    web.servers.start()
    # Reads start the probes.
    wait_until(
        lambda: all(web.members(p) == seen and web.readiness(p) == (200, "ok") for p in (0, 1)),
        "the replica serves again",
        seconds=30,
    )
