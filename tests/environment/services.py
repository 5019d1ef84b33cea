"""The web application, a worker and the provider's sandbox as real processes on real ports.

They use this test process's database, so a test that calls them must commit: the fixtures include
`transactional_db`. Each program starts once per test process; one that a test kills is restarted.
"""

import json
import os
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests
from celery import Celery
from django.conf import settings
from kombu import Queue
from kombu.transport import TRANSPORT_ALIASES
from pytest_django import Settings

from config import streamserver, webserver
from config.ports import is_responding
from tests.environment.database import server_url, worker_database
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from wallets.providers.registry import payment_provider

PROVIDER_SECRET_KEY = "FLWSECK_TEST-tests-X"
PROVIDER_WEBHOOK_HASH = "tests-webhook-hash"
HOST = "127.0.0.1"
FILE_BROKER = "files://localhost//"


@dataclass(frozen=True)
class ServiceStack:
    """Ports, folders and environment that the services of one test process share."""

    folder: Path
    web_port: int
    sandbox_port: int
    # More environment variables.
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def base_url(self) -> str:
        return f"http://{HOST}:{self.web_port}"

    @property
    def passkey_origin(self) -> str:
        """Where browsers use passkeys: not at an IP address."""
        return f"http://localhost:{self.web_port}"

    @property
    def queue(self) -> str:
        return worker_database()

    @property
    def broker_url(self) -> str:
        return os.environ.get("CELERY_BROKER_URL") or FILE_BROKER

    @property
    def broker_options(self) -> dict[str, str]:
        if self.broker_url != FILE_BROKER:
            return {}
        messages = str(self.folder / "messages")
        return {
            "data_folder_in": messages,
            "data_folder_out": messages,
            "control_folder": str(self.folder / "control"),
        }

    @property
    def environment(self) -> dict[str, str]:
        return {
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "TEST_DATABASE_URL": server_url(worker_database()),
            "TEST_DATA_DIR": str(self.folder),
            "TEST_BROKER_URL": self.broker_url,
            "TEST_BROKER_OPTIONS": json.dumps(self.broker_options),
            "TEST_BROKER_QUEUE": self.queue,
            "PASSKEY_ORIGIN": self.passkey_origin,
            "FLUTTERWAVE_BASE_URL": f"http://{HOST}:{self.sandbox_port}/v3",
            "FLUTTERWAVE_SECRET_KEY": PROVIDER_SECRET_KEY,
            "FLUTTERWAVE_WEBHOOK_HASH": PROVIDER_WEBHOOK_HASH,
            **self.variables,
        }

    def web(self) -> Program:
        """Return the web server: two processes of eight threads."""
        return Program(
            command=webserver.command(HOST, self.web_port),
            environment=self.environment,
            ready=lambda: is_responding(HOST, self.web_port, "/health"),
            output=self.folder / "web.log",
        )

    def streams(self) -> tuple[Program, str]:
        """Return a stream process, and the URL of its streams."""
        port = claim_ports()
        program = Program(
            command=streamserver.command(HOST, port),
            environment=self.environment,
            ready=lambda: is_responding(HOST, port, "/health"),
            output=self.folder / f"streams-{port}.log",
        )
        return program, f"http://{HOST}:{port}/v1/stream"

    def sandbox(self) -> Program:
        """Return the provider's sandbox."""
        return Program(
            command=[
                sys.executable, "-m", "config.local.sandbox", "--host", HOST,
                "--port", str(self.sandbox_port),
                "--data", str(self.folder / "sandbox"),
                "--webhook-url", f"{self.base_url}/hooks/flutterwave",
                "--delay", "0.2", "--return-delay", "0.5", "--hang-seconds", "3",
            ],
            environment=self.environment,
            ready=lambda: is_responding(HOST, self.sandbox_port, "/sandbox/health"),
            output=self.folder / "sandbox.log",
        )  # fmt: skip

    def worker(self, *, beat: bool = True) -> Program:
        """Return a Celery worker, with a beat inside or not; ready when it has run a task."""
        token = uuid.uuid4().hex
        signal_file = self.folder / "run" / "worker"
        sent = False

        def ready() -> bool:
            nonlocal sent
            if not sent:
                sent = True
                with self.celery() as client:
                    client.send_task("config.answer", [token])
            return signal_file.exists() and signal_file.read_text() == token

        return Program(
            command=[
                sys.executable, "-m", "celery", "-q", "-A", "config.celery", "worker",
                "--pool", "threads", "--concurrency", "4", *(["--beat"] if beat else []),
                "--without-gossip", "--without-mingle",
                # Worker names must be unique at a broker that test processes share.
                "--hostname", f"{self.queue}@%h",
            ],
            environment=self.environment,
            ready=ready,
            output=self.folder / "worker.log",
        )  # fmt: skip

    def beat(self) -> Program:
        """Return a beat that runs on its own; ready when it serves metrics."""
        host, port = self.variables["METRICS_LISTEN"].split(":")
        return Program(
            command=[
                *(sys.executable, "-m", "celery", "-q", "-A", "config.celery", "beat"),
                *("--pidfile", ""),
            ],
            environment=self.environment,
            ready=lambda: is_responding(host, int(port) + 2, "/metrics"),
            output=self.folder / "beat.log",
        )

    def celery(self) -> Celery:
        """Return a Celery client of the stack's broker."""
        TRANSPORT_ALIASES.update(settings.BROKER_TRANSPORTS)
        client = Celery("tests", broker=self.broker_url, set_as_current=False)
        client.conf.broker_transport_options = self.broker_options
        client.conf.task_default_queue = self.queue
        return client


class Service:
    """The web application over HTTP."""

    def __init__(self, service_stack: ServiceStack, program: Program) -> None:
        self.base_url = service_stack.base_url
        self.service_stack = service_stack
        self.kill = program.kill
        self.start = program.start
        self.restart = program.restart
        self._program = program

    @property
    def running(self) -> bool:
        return self._program.running

    @property
    def pid(self) -> int:
        return self._program.pid


class Sandbox:
    """The payment provider's sandbox; `base_url` is what a client of the provider is given."""

    def __init__(self, service_stack: ServiceStack, program: Program) -> None:
        self.url = f"http://{HOST}:{service_stack.sandbox_port}"
        self.base_url = f"{self.url}/v3"
        self.kill = program.kill
        self.start = program.start
        self.restart = program.restart
        self._program = program

    @property
    def running(self) -> bool:
        return self._program.running

    def fault(self, kind: str, times: int = 1, **options: object) -> None:
        """Script a fault; the options are those of the sandbox's control endpoint."""
        body = {"fault": kind, "times": times, **options}
        requests.post(f"{self.url}/sandbox/faults", json=body, timeout=10).raise_for_status()

    def reset(self) -> None:
        """Clear faults and logged requests; booked transfers and payments stay."""
        self.remove("faults", "requests")

    def remove(self, *kinds: str) -> None:
        """Remove all records of these kinds, as the sandbox's control endpoints name them."""
        for kind in kinds:
            requests.delete(f"{self.url}/sandbox/{kind}", timeout=10).raise_for_status()


def make_stack(folder: Path, **variables: str) -> ServiceStack:
    """Return a stack of programs with free ports, and their folders."""
    for name in ("messages", "control", "run"):
        (folder / name).mkdir()
    return ServiceStack(folder, claim_ports(), claim_ports(), variables)


@pytest.fixture(scope="session")
def service_stack(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceStack]:
    """The ports and folders of this test process's services."""
    folder = tmp_path_factory.mktemp("service_stack")
    made = make_stack(folder)
    yield made
    if made.broker_url.startswith("amqp"):
        with made.celery().connection() as connection:
            Queue(made.queue, channel=connection.channel()).delete()


@pytest.fixture(scope="session")
def web_program(service_stack: ServiceStack) -> Iterator[Callable[[], Program]]:
    """Start the web application on first use; return the same one afterwards."""
    program = service_stack.web()
    yield lambda: _running(program)
    program.stop()


@pytest.fixture(scope="session")
def sandbox_program(service_stack: ServiceStack) -> Iterator[Callable[[], Program]]:
    """Start the sandbox on first use; return the same one afterwards."""
    program = service_stack.sandbox()
    yield lambda: _running(program)
    program.stop()


@pytest.fixture
def live_service(
    transactional_db: None, web_program: Callable[[], Program], service_stack: ServiceStack
) -> Service:
    """The web application: two processes of eight threads, on the test's database."""
    return Service(service_stack, web_program())


@pytest.fixture
def provider_sandbox(
    sandbox_program: Callable[[], Program], service_stack: ServiceStack, settings: Settings
) -> Iterator[Sandbox]:
    """The running sandbox, which this process and the live service use; it lists no payments."""
    sandbox = Sandbox(service_stack, sandbox_program())
    sandbox.reset()
    sandbox.remove("transactions")
    settings.PAYMENT_PROVIDER = {
        **settings.PAYMENT_PROVIDER,
        "base_url": sandbox.base_url,
        "secret_key": PROVIDER_SECRET_KEY,
        "webhook_hash": PROVIDER_WEBHOOK_HASH,
    }
    payment_provider.cache_clear()
    yield sandbox
    payment_provider.cache_clear()


@pytest.fixture
def live_worker(transactional_db: None, service_stack: ServiceStack) -> Iterator[Program]:
    """A Celery worker with the beat inside, on the test's database and the stack's broker."""
    program = service_stack.worker()
    program.start()
    yield program
    program.stop()


def _running(program: Program) -> Program:
    if not program.running:
        program.start()
    return program


__all__ = [
    "live_service",
    "live_worker",
    "provider_sandbox",
    "sandbox_program",
    "service_stack",
    "wait_until",
    "web_program",
]
