"""compose.yaml, read by docker-compose, which needs no engine for it."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from config import webserver
from tests.environment.debian import require_programs
from tests.environment.processes import CHECKOUT

pytestmark = pytest.mark.standalone

COMPOSE, EXAMPLE = CHECKOUT / "compose.yaml", CHECKOUT / ".env.example"
OWN = ("migrate", "web", "worker", "beat")
KILL_SECONDS = 20


def defined_variables() -> set[str]:
    return set(re.findall(r"^([A-Z_]+)=", EXAMPLE.read_text(), re.MULTILINE))


def configure(folder: Path, environment: str) -> subprocess.CompletedProcess[str]:
    """Read compose.yaml with the tool in a folder that has this .env."""
    require_programs({"docker-compose": "docker-compose"})
    (folder / ".env").write_text(environment)
    shutil.copy(COMPOSE, folder)
    return subprocess.run(
        ["docker-compose", "config"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The services as the tool reads them, each empty value of .env.example filled in."""
    filled = re.sub(r"^([A-Z_]+)=$", r"\1=value-of-\1", EXAMPLE.read_text(), flags=re.MULTILINE)
    done = configure(tmp_path_factory.mktemp("compose"), filled)
    assert done.returncode == 0, done.stderr
    assert "variable is not set" not in done.stderr
    found: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
    return found


def seconds(duration: str) -> int:
    minutes, rest = re.fullmatch(r"(?:(\d+)m)?(?:(\d+)s)?", duration).groups()  # type: ignore[union-attr]
    return 60 * int(minutes or 0) + int(rest or 0)


def test_the_example_defines_every_variable_that_it_reads():
    read = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", COMPOSE.read_text()))
    assert read
    assert read <= defined_variables()


def test_a_missing_password_is_named(tmp_path):
    text = EXAMPLE.read_text().replace("RABBITMQ_PASSWORD=\n", "")
    done = configure(tmp_path, text.replace("_PASSWORD=\n", "_PASSWORD=x\n"))
    assert done.returncode != 0
    assert "RABBITMQ_PASSWORD" in done.stderr


def test_own_services_can_change_nothing_but_temporary_files(services):
    for name in OWN:
        service = services[name]
        assert service["read_only"] is True, name
        assert [each.partition(":")[0] for each in service["tmpfs"]] == ["/tmp"], name
        assert service["cap_drop"] == ["ALL"], name
        assert "volumes" not in service, name
    for name, service in services.items():
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "privileged" not in service, name


def test_only_migrate_has_the_owners_login(services):
    for name in OWN:
        environment = services[name]["environment"]
        assert "exchange_app:" in environment["DATABASE_URL"]
        owner = environment["DATABASE_OWNER_URL"]
        assert bool(owner) == (name == "migrate"), name
        assert environment["POSTGRES_OWNER_PASSWORD"] == "", name


def test_services_stop_in_their_own_time_and_start_in_order(services):
    assert seconds(services["web"]["stop_grace_period"]) > webserver.DRAIN_SECONDS + KILL_SECONDS
    assert seconds(services["worker"]["stop_grace_period"]) >= 180
    assert "/health/ready" in services["web"]["healthcheck"]["test"][-1]
    for name in ("web", "worker", "beat"):
        conditions = {on: each["condition"] for on, each in services[name]["depends_on"].items()}
        assert conditions["migrate"] == "service_completed_successfully", name


def test_clients_reach_the_proxy_only_which_has_the_clusters_configuration(services):
    proxy = services["proxy"]
    assert {name for name in services if "ports" in services[name]} == {"proxy"}
    assert proxy["ports"] == ["0.0.0.0:443:443/tcp"]
    text = (CHECKOUT / "docs/cluster/haproxy-front.cfg").read_text()
    assert set(re.findall(r"\$\{(\w+)\}", text)) == set(proxy["environment"])
    assert any("docs/cluster/haproxy-front.cfg:" in each for each in proxy["volumes"])
