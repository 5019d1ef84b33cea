"""What must hold of the image: it serves and works without rights, and its contents are known."""

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import kombu
import psycopg
import requests
from cryptography.fernet import Fernet
from psycopg import sql

from tests.environment.ports import claim_ports
from tests.environment.processes import wait_until
from tests.image.build import CHECKOUT
from tests.image.container import Container

HOST = "127.0.0.1"
_NAME = f"image_{os.getpid()}"
# Given services of the machine: PostgreSQL's superuser, RabbitMQ's or Redis', and Redis'.
DATABASE = os.environ.get("DATABASE_URL", f"postgresql://postgres@{HOST}/postgres")
BROKER = os.environ.get("CELERY_BROKER_URL", f"amqp://guest:guest@{HOST}//")
CACHE = os.environ.get("CACHE_URL", f"redis://{HOST}/0")
_RIGHTS = """
import os
status = dict(line.rstrip().split(":", 1) for line in open("/proc/self/status"))
capabilities = int(status["CapEff"], 16), int(status["CapBnd"], 16)
print(os.getuid(), *capabilities, status["NoNewPrivs"].strip())
for path in ("/app/x", "/opt/venv/x", "/x", "/var/tmp/x", "/tmp/x"):
    try:
        open(path, "w")
        print("writes", path)
    except OSError:
        pass
"""


@dataclass
class Failures:
    """Checks that failed."""

    found: list[str] = field(default_factory=list)

    def check(self, holds: bool, what: str, detail: object = "") -> None:
        """Record `what` unless it holds; print the result."""
        print(f"{'ok  ' if holds else 'FAIL'} {what}", flush=True)
        if not holds:
            self.found.append(f"{what}: {detail}")


def check_image(container: Container, sbom: Path) -> list[str]:
    """Run the image's programs against the machine's services; return the failures."""
    failures = Failures()
    done = container.run(["python", "-c", _RIGHTS])
    expected = ["10001 0 0 1", "writes /tmp/x"]
    rights = done.stdout.splitlines()
    failures.check(rights == expected, "no root, no capability, writes /tmp only", done)
    done = container.run(["python", "-m", "pip", "--version"])
    failures.check(done.returncode != 0, "no installer", done.stdout)
    _check_contents(sbom, failures)
    with _database() as (owner, application):
        environment = _environment(application)
        proxy = {"TRUSTED_PROXIES": "1", "SECURE_PROXY_HEADER": "HTTP_X_FORWARDED_PROTO"}
        done = container.run(["python", "manage.py", "check", "--deploy"], {**environment, **proxy})
        failures.check("no issues" in done.stdout, "check --deploy", done.stderr[-2000:])
        done = container.run(
            ["python", "manage.py", "migrate", "--no-input", "--verbosity", "0"],
            {**environment, "DATABASE_OWNER_URL": owner},
        )
        failures.check(done.returncode == 0, "migrate", done.stderr[-2000:])
        with _queue(environment):
            _check_worker(container, environment, failures)
            _check_web(container, environment, failures)
    return failures.found


def _check_contents(sbom: Path, failures: Failures) -> None:
    """Compare the bill of materials with the lock file."""
    components = json.loads(sbom.read_text())["components"]
    python = {
        each["name"]: (each["version"], each["hashes"][0]["content"])
        for each in components
        if each["purl"].startswith("pkg:pypi/")
    }
    locked: dict[str, tuple[str, set[str]]] = {}
    for block in re.split(r"\n(?=\S)", (CHECKOUT / "requirements.lock").read_text()):
        if match := re.match(r"([A-Za-z0-9._-]+)==(\S+)", block):
            locked[match[1]] = match[2], set(re.findall(r"sha256:([0-9a-f]{64})", block))
    unlocked = {
        name: found
        for name, (version, found) in python.items()
        if name not in locked or locked[name][0] != version or found not in locked[name][1]
    }
    failures.check(len(python) > 20 and not unlocked, "every Python package is locked", unlocked)
    debian = [each for each in components if each["purl"].startswith("pkg:deb/debian/")]
    complete = all(each["version"] and each["hashes"] for each in debian)
    failures.check(len(debian) > 50 and complete, "every Debian package has a hash")


def _check_worker(container: Container, environment: dict[str, str], failures: Failures) -> None:
    command = ["celery", "-A", "config.celery", "worker", "--pool", "threads"]
    with _started(container, [*command, "--loglevel", "INFO"], environment) as (process, log):
        wait_until(lambda: "ready." in log.read_text() or process.poll() is not None, "the worker")
        task = "wallets.tasks.sweep_payouts"
        send = f"from config.celery import publish; publish({task!r})"
        container.run(["python", "-c", f"import django; django.setup(); {send}"], environment)
        with contextlib.suppress(AssertionError):
            wait_until(lambda: _succeeded(task, log), "the task", 30)
        executed = _succeeded(task, log)
        failures.check(executed, "the worker executes a task", log.read_text()[-2000:])
        process.send_signal(signal.SIGTERM)
        code = process.wait(60)
    failures.check(code == 0, "the worker ends on SIGTERM", code)


def _succeeded(task: str, log: Path) -> bool:
    """Return whether the worker logged, in JSON, that `task` succeeded."""
    lines = [
        json.loads(line) for line in log.read_text().splitlines() if re.fullmatch(r"{.*}", line)
    ]
    return any(each.get("task") == task and each.get("outcome") == "succeeded" for each in lines)


def _check_web(container: Container, environment: dict[str, str], failures: Failures) -> None:
    port = claim_ports()
    command = [HOST if each == "0.0.0.0" else each for each in container.default_command]
    command[command.index("--port") + 1] = str(port)
    health = [each.replace(":8000", f":{port}") for each in _health_command(container)]
    with _started(container, command, environment) as (process, log):
        url = f"http://{HOST}:{port}/health/ready"
        wait_until(lambda: _ready(url) or process.poll() is not None, "the web server")
        body = requests.get(url, headers={"Host": "exchange.example"}, timeout=10).json()
        failures.check(body["status"] == "ok", "ready", body)
        failures.check(container.run(health).returncode == 0, "the image's own health check")
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: not _ready(url), "not ready")
        code = process.wait(60)
        failures.check(code == 0, "the web server ends on SIGTERM", log.read_text()[-2000:])


def _health_command(container: Container) -> list[str]:
    test: list[str] = container.configuration["Healthcheck"]["Test"]
    assert test[0] == "CMD"
    return test[1:]


def _ready(url: str) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(url, headers={"Host": "exchange.example"}, timeout=3).ok
    return False


@contextlib.contextmanager
def _started(
    container: Container, command: list[str], environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        process = subprocess.Popen(
            container.command(command, environment), stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield process, Path(log.name)
        finally:
            process.kill()
            process.wait()


def _environment(database: str) -> dict[str, str]:
    return {
        "SECRET_KEY": secrets.token_urlsafe(50),
        "FIELD_ENCRYPTION_KEYS": Fernet.generate_key().decode(),
        "ALLOWED_HOSTS": "exchange.example",
        "DATABASE_URL": database,
        "CELERY_BROKER_URL": BROKER,
        "CELERY_QUEUE": _NAME,
        "CACHE_URL": CACHE,
        "FLUTTERWAVE_BASE_URL": f"http://{HOST}:1/v3",
        "FLUTTERWAVE_SECRET_KEY": "only-for-the-check",
        "FLUTTERWAVE_WEBHOOK_HASH": "only-for-the-check",
    }


@contextlib.contextmanager
def _queue(environment: dict[str, str]) -> Iterator[None]:
    """Delete the queue of this run at the end."""
    try:
        yield
    finally:
        with kombu.Connection(environment["CELERY_BROKER_URL"]) as connection:
            kombu.Queue(_NAME, channel=connection.default_channel).delete()


@contextlib.contextmanager
def _database() -> Iterator[tuple[str, str]]:
    """Create a database with an owner and a login of its own; yield both URLs, then drop them."""
    password = secrets.token_hex(16)
    owner, application = f"{_NAME}_owner", f"{_NAME}_app"
    with psycopg.connect(DATABASE, autocommit=True) as server:
        if not server.execute("SELECT to_regrole('exchange_runtime')").fetchone()[0]:  # type: ignore[index]
            server.execute("CREATE ROLE exchange_runtime NOLOGIN")
        create = "CREATE ROLE {} LOGIN {} PASSWORD {}"
        for role, option in ((owner, "INHERIT"), (application, "NOINHERIT")):
            server.execute(sql.SQL(create).format(sql.Identifier(role), sql.SQL(option), password))
        server.execute(f"GRANT exchange_runtime TO {application}")
        server.execute(f"CREATE DATABASE {_NAME} OWNER {owner}")
        place = f"{server.info.host}:{server.info.port}/{_NAME}"
        try:
            yield tuple(  # type: ignore[misc]
                f"postgresql://{role}:{quote(password)}@{place}" for role in (owner, application)
            )
        finally:
            server.execute(f"DROP DATABASE {_NAME} WITH (FORCE)")
            server.execute(f"DROP ROLE {owner}")
            server.execute(f"DROP ROLE {application}")
