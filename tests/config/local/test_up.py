"""`manage.py up` for an operator: one command, one signal to stop, one line per error."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg
import pytest
import requests

from config.local.embedded.layout import OWNER, database_url
from config.local.embedded.sharing import running_server
from config.local.supervisor.service import Installation, UpError
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, TIMEOUT_SECONDS, wait_until
from tests.environment.template_cache import place_migrated_server

pytestmark = pytest.mark.services

HOST = "127.0.0.1"
_REPLACEMENTS = ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "CACHE_URL")


def environment(**given: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _REPLACEMENTS}
    return {**kept, "DJANGO_SETTINGS_MODULE": "config.settings.local", **given}


def manage(*arguments: str, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env=environment(**given),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@dataclass
class Up:
    """A running `manage.py up --no-demo`."""

    data: Path
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] = field(init=False)
    port: int = field(init=False)

    def start(self) -> None:
        self.port = claim_ports()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--no-demo",
                 "--data", str(self.data), "--port", str(self.port)],
                cwd=CHECKOUT,
                env=environment(**self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip

    @property
    def log(self) -> Path:
        return self.data.with_suffix(".log")

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def output(self) -> str:
        return self.log.read_text()

    def await_ready(self) -> None:
        wait_until(
            lambda: "Ready: " in self.output() or self.process.poll() is not None, "ready", 600
        )
        assert f"\nReady: {self.url}\n" in self.output()

    def processes(self) -> dict[int, str]:
        """Return the processes of this data directory: pid -> command line."""
        found = {}
        needle = os.fsencode(f"DATA_DIR={self.data}\0")
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes()
                if command and needle in (folder / "environ").read_bytes() + b"\0":
                    found[int(folder.name)] = command.replace(b"\0", b" ").decode()
            except OSError:
                continue
        return found

    def pids(self, word: str) -> list[int]:
        return sorted(pid for pid, command in self.processes().items() if word in command)

    def healthy(self) -> bool:
        try:
            return requests.get(f"{self.url}/health", timeout=5).status_code == 200
        except requests.RequestException:
            return False


def _all_gone(installation: Up) -> bool:
    return not installation.processes()


def _replaced(installation: Up, word: str, before: list[int]) -> bool:
    return bool(set(installation.pids(word)) - set(before))


def _reported(installation: Up, words: str) -> bool:
    return words in installation.output()


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Callable[..., Up]]:
    """Return a function that starts an installation; stop all of them after the test."""
    started: list[Up] = []

    def start(data: Path | None = None, **given: str) -> Up:
        installation = Up(data or tmp_path / "data", given)
        started.append(installation)
        installation.start()
        return installation

    yield start
    for installation in started:
        if installation.process.poll() is None:
            installation.process.terminate()
            try:
                installation.process.wait(TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                installation.process.kill()
                installation.process.wait()
        wait_until(partial(_all_gone, installation), "nothing is left behind")


@pytest.fixture
def migrated(tmp_path: Path) -> Path:
    """The data directory of an installation that has run before."""
    place_migrated_server(tmp_path / "data")
    return tmp_path / "data"


@pytest.mark.slow
def test_it_becomes_ready_and_one_sigterm_stops_everything(
    up: Callable[..., Up],
) -> None:
    installation = up()
    installation.await_ready()
    assert installation.healthy()
    secrets = installation.data / "secrets.json"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    for folder in ("run", "broker", "broker/messages", "broker/control"):
        assert stat.S_IMODE((secrets.parent / folder).stat().st_mode) == 0o700
    assert set(json.loads(secrets.read_text())) == {
        "secret_key",
        "field_encryption_key",
        "provider_secret_key",
        "provider_webhook_hash",
    }
    assert installation.pids("bin/postgres")

    installation.process.send_signal(signal.SIGTERM)
    assert installation.process.wait(TIMEOUT_SECONDS) == 0
    assert installation.processes() == {}

    installation.start()
    installation.await_ready()
    assert "applying" not in installation.output()
    assert "creating the database" not in installation.output()


@pytest.mark.slow
def test_killed_children_are_restarted_and_reported(up: Callable[..., Up], migrated: Path) -> None:
    installation = up(migrated)
    installation.await_ready()
    for name, word in (
        ("web", "config.webserver"),
        ("worker", "celery -q -A config.celery worker"),
        ("beat", "celery -q -A config.celery beat"),
        ("sandbox", "config.local.sandbox"),
    ):
        before = installation.pids(word)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        wait_until(partial(_replaced, installation, word, before), f"{name} is started again")
        wait_until(
            partial(_reported, installation, f"{name} was terminated by SIGKILL"), "it is said so"
        )
    wait_until(installation.healthy, "the service answers again")

    (postmaster,) = installation.pids("-m config.local.embedded.keeper")
    server = int((installation.data / "postgres/data/postmaster.pid").read_text().split()[0])
    os.kill(server, signal.SIGKILL)
    wait_until(
        lambda: installation.pids("-m config.local.embedded.keeper") != [postmaster], "noticed"
    )
    wait_until(installation.healthy, "the service answers again")


@pytest.mark.slow
def test_data_of_an_earlier_version_is_refused_in_one_line(migrated: Path) -> None:
    with running_server(migrated), psycopg.connect(database_url(migrated, OWNER)) as owner:
        applied = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())"
        owner.execute(applied, ["config", "0003_roles"])
    for command in (["up", "--data", str(migrated), "--port", "0"], ["migrate"]):
        done = manage(*command, DATA_DIR=str(migrated))
        assert done.returncode == 1
        assert done.stderr.splitlines() == [
            "CommandError: The data is of a version before 1.0.0, not upgradable:"
            f" remove {migrated} to start anew."
        ]


def test_killing_the_supervisor_leaves_no_process_behind(
    up: Callable[..., Up], migrated: Path
) -> None:
    installation = up(migrated)
    installation.await_ready()
    assert len(installation.processes()) > 6
    installation.process.kill()
    installation.process.wait()
    wait_until(lambda: not installation.processes(), "everything is gone")


@pytest.mark.slow
def test_a_signal_before_it_is_ready_stops_it_too(up: Callable[..., Up]) -> None:
    installation = up()
    wait_until(lambda: "starting the database" in installation.output(), "the database is starting")
    installation.process.send_signal(signal.SIGINT)
    assert installation.process.wait(TIMEOUT_SECONDS) == 0
    assert "Ready" not in installation.output()
    assert installation.processes() == {}


@pytest.mark.slow
def test_a_second_start_on_the_same_directory_fails_in_one_line(up: Callable[..., Up]) -> None:
    installation = up()
    wait_until(lambda: "starting the database" in installation.output(), "it holds the directory")
    second = manage("up", "--data", str(installation.data), "--port", "0")
    assert second.returncode == 1
    assert second.stdout == ""
    assert re.fullmatch(
        rf".*{re.escape(str(installation.data))} is in use: already running on "
        rf"{re.escape(installation.url)} \(pid {installation.process.pid}\)\n",
        second.stderr,
    )


def test_a_busy_port_is_named_and_nothing_starts(tmp_path: Path) -> None:
    with socket.create_server((HOST, 0)) as holder:
        port = holder.getsockname()[1]
        words = rf"Port {port} on {HOST} is in use: .*"
        with pytest.raises(UpError, match=f"^{words}$"):
            Installation(HOST, port, demo=False, data_dir=tmp_path / "data").run()
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["up.lock"]


@pytest.mark.slow
def test_a_busy_port_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.create_server((HOST, 0)) as holder:
        port = holder.getsockname()[1]
        done = manage("up", "--data", str(tmp_path / "data"), "--port", str(port))
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(rf".*Port {port} on {HOST} is in use: .*\n", done.stderr)
    assert not (tmp_path / "data" / "postgres").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", [["up", "--port", "0"], ["migrate"], ["showmigrations"]])
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://nobody:hidden@127.0.0.1:1/none", "DATABASE_URL cannot be used"),
        ("mysql://127.0.0.1/none", "DATABASE_URL: does not begin with postgresql://"),
    ],
)
def test_a_wrong_database_url_is_reported_in_one_line(
    tmp_path: Path, command: list[str], url: str, words: str
) -> None:
    done = manage(*command, DATA_DIR=str(tmp_path), DATABASE_URL=url)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
    assert "hidden" not in done.stderr


@pytest.mark.slow
def test_a_data_directory_that_cannot_be_created_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for command in (["up", "--port", "0"], ["showmigrations"]):
        done = manage(*command, DATA_DIR=str(tmp_path / "file" / "data"))
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "Not a directory" in done.stderr
