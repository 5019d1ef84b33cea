"""One upgrade under load: two web nodes behind HAProxy, a worker, a beat, one database."""

import contextlib
import json
import os
import re
import secrets
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import psycopg
import requests
from cryptography.fernet import Fernet

from config.local.embedded.layout import APPLICATION, OWNER, database_url
from config.local.embedded.sharing import running_server
from tests.benchmarks.installation import HOST, PRESENT, Version
from tests.cluster.certificate import self_signed
from tests.environment.ports import claim_ports
from tests.environment.processes import wait_until
from tests.rolling_upgrade.clients import Clients, Recorded, Seeded
from tests.rolling_upgrade.next_version import copy_checkout
from tests.rolling_upgrade.planted_faults import PlantedFault

HOST_NAME = "exchange.example"
PAGE = PRESENT.checkout / "docs/operations/upgrade.md"
PROXY = PRESENT.checkout / "docs/cluster/haproxy-front.cfg"
_SEED = PRESENT.checkout / "tests/rolling_upgrade/seed.py"
_NETWORK = f"127.{64 + os.getpid() % 128}.{os.getpid() // 128 % 256}"
_WEB = {"web1": f"{_NETWORK}.1", "web2": f"{_NETWORK}.2"}
_FRONT = f"{_NETWORK}.3"
_UNSETTLED = """
SELECT count(*) FROM wallets_withdrawal
WHERE status NOT IN ('Completed', 'Rejected', 'Cancelled', 'Failed', 'Reversed')
"""


def page_commands(page: Path = PAGE) -> dict[str, str]:
    """Return the shell commands of the page by the heading that they are below."""
    commands: dict[str, str] = {}
    heading = ""
    for part in re.split(r"^(#+ .*)$", page.read_text(), flags=re.MULTILINE):
        if part.startswith("#"):
            heading = part.lstrip("# ")
            continue
        blocks = re.findall(r"^```sh\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
        if blocks:
            commands[heading] = "".join(blocks)
    return commands


@dataclass
class Installation:
    """The programs of the installation, and the environment that all of them share."""

    folder: Path
    environment: dict[str, str]
    provider_url: str
    web_options: tuple[str, ...] = ()
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, version: Version, *command: str) -> None:
        """Start a program of `version`; its output goes to NAME.log."""
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=version.checkout,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._running[name] = process
        # A program that was stopped must not stay as a zombie: the page waits for its end.
        threading.Thread(target=process.wait, daemon=True).start()

    def pid(self, name: str) -> int:
        """Return the process id of the program `name`."""
        return self._running[name].pid

    def start_web(self, name: str, version: Version) -> None:
        """Start a web node as the page on installing says."""
        command = ("-m", "config.webserver", "--host", _WEB[name], "--port", "8000")
        self.start(name, version, version.interpreter, *command, *self.web_options)

    def start_celery(self, name: str, version: Version, *arguments: str) -> None:
        """Start a worker or beat as the page on installing says."""
        celery = (version.interpreter, "-m", "celery", "-A", "config.celery")
        self.start(name, version, *celery, *arguments, "-l", "WARNING")

    def shell(self, version: Version, commands: str, **variables: str) -> str:
        """Run shell commands of a page with `version` as working directory."""
        path = f"{Path(version.interpreter).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=version.checkout,
            env={**self.environment, "PATH": path, **variables},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{commands}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        with (self.folder / "commands.log").open("a") as log:
            log.write(f"{commands}{done.stdout}\n")
        return done.stdout

    def stop_all(self) -> None:
        """Kill every program."""
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)


def upgrade_under_load(
    previous: Version, folder: Path, seconds: float, fault: PlantedFault
) -> tuple[list[str], list[str]]:
    """Upgrade from `previous` to this version under load, with `fault` planted.

    Prints each step. `seconds` of load pass before the first and after the last one. Returns the
    requests that failed, and what else went wrong.
    """
    commands = page_commands()
    following = Version(folder / "next", PRESENT.interpreter)
    copy_checkout(PRESENT.checkout, following.checkout, fault.migration)
    with running_server(folder), _installation(folder) as installation:
        installation.web_options = fault.web_options
        installation.shell(previous, commands["Migrate"], **_owner(folder))
        seeded = Seeded(**json.loads(_seed(installation, previous)))
        _end_cooling_off(folder)
        _start_previous(installation, previous)
        url, certificate = f"https://{_FRONT}", folder / "exchange.crt"
        clients = Clients(url, HOST_NAME, certificate, seeded, fault.traders)
        with clients:
            recorded = clients.recorded
            _step("load", recorded, lambda: time.sleep(seconds))
            migrate = commands["Migrate"]
            owner = _owner(folder)
            _step("migrate", recorded, lambda: installation.shell(following, migrate, **owner))
            for name in _WEB:
                _step(name, recorded, lambda name=name: _replace_web(installation, name, following))
            for name in ("worker", "beat"):
                _step(name, recorded, lambda name=name: _replace(installation, name, following))
            _step("load", recorded, lambda: time.sleep(seconds))
        print(
            f"{recorded.requests} requests, {len(recorded.failures)} failed, slowest"
            f" {recorded.slowest_seconds:.2f} s; {len(recorded.withdrawals)} withdrawals,"
            f" {len(recorded.orders)} orders",
            flush=True,
        )
        problems = _verify(installation, following, recorded, commands["Verify"])
        if problems or recorded.failures:
            _print_logs(folder)
    return recorded.failures, problems


def _step(name: str, recorded: Recorded, action: Any) -> None:
    began, before, failed = time.monotonic(), recorded.requests, len(recorded.failures)
    action()
    print(
        f"{name:8} {time.monotonic() - began:5.1f} s {recorded.requests - before:6} requests"
        f" {len(recorded.failures) - failed:3} failed",
        flush=True,
    )


@contextlib.contextmanager
def _installation(folder: Path) -> Iterator[Installation]:
    """Start broker, cache and provider, and yield the installation; stop all of it at the end."""
    redis, provider = claim_ports(), claim_ports()
    secret, webhook_hash = f"FLWSECK_TEST-{secrets.token_hex(8)}-X", secrets.token_hex(16)
    environment = {
        **{name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ},
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "FIELD_ENCRYPTION_KEYS": Fernet.generate_key().decode(),
        "ALLOWED_HOSTS": HOST_NAME,
        "DATABASE_URL": database_url(folder, APPLICATION),
        "CELERY_BROKER_URL": f"redis://{HOST}:{redis}/0",
        "CACHE_URL": f"redis://{HOST}:{redis}/1",
        "FLUTTERWAVE_BASE_URL": f"http://{HOST}:{provider}/v3",
        "FLUTTERWAVE_SECRET_KEY": secret,
        "FLUTTERWAVE_WEBHOOK_HASH": webhook_hash,
        "TRUSTED_PROXIES": "1",
        "SECURE_PROXY_HEADER": "HTTP_X_FORWARDED_PROTO",
        # All requests come from one key, faster than a key may.
        "RATE_LIMIT_REQUESTS": "1000000",
        "RATE_LIMIT_MONEY": "1000000",
        "PYTHONUNBUFFERED": "1",
    }
    installation = Installation(folder, environment, f"http://{HOST}:{provider}")
    sandbox = (
        *(PRESENT.interpreter, "-m", "config.local.sandbox", "--host", HOST),
        *("--port", str(provider), "--data", str(folder / "sandbox"), "--delay", "0.2"),
        *("--secret-key", secret, "--webhook-hash", webhook_hash),
    )
    try:
        installation.start(
            "redis", PRESENT, "redis-server", "--port", str(redis), "--bind", HOST, "--save", ""
        )
        installation.start("provider", PRESENT, *sandbox)
        wait_until(lambda: _responds(f"{installation.provider_url}/sandbox/health"), "the provider")
        yield installation
    finally:
        installation.stop_all()


def _responds(url: str) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(url, headers={"Host": HOST_NAME}, timeout=3).ok
    return False


def _owner(folder: Path) -> dict[str, str]:
    return {"DATABASE_OWNER_URL": database_url(folder, OWNER)}


def _seed(installation: Installation, version: Version) -> str:
    return installation.shell(version, f"python {_SEED}")


def _end_cooling_off(folder: Path) -> None:
    """Let the approver decide at once, instead of a day after the account was made."""
    with psycopg.connect(database_url(folder, OWNER), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE exchange_staffuser SET access_changed_at = now() - interval '30 days'"
        )


def _start_previous(installation: Installation, version: Version) -> None:
    folder = installation.folder
    for name in _WEB:
        installation.start_web(name, version)
    installation.start_celery("worker", version, *_WORKER)
    installation.start_celery("beat", version, *_BEAT)
    installation.start("approver", version, version.interpreter, "-m", "tests.cluster.approver")
    pem = self_signed(HOST_NAME, _FRONT)
    (folder / "exchange.pem").write_bytes(pem.key + pem.certificate)
    (folder / "exchange.crt").write_bytes(pem.certificate)
    values = {name.upper(): address for name, address in _WEB.items()}
    # The release before has no streams.
    values |= {f"STREAMS{number}": address for number, address in enumerate(_WEB.values(), 1)}
    configuration = Template(PROXY.read_text()).substitute(
        **values,
        HOST_NAME=HOST_NAME,
        ADDRESS=_FRONT,
        DIRECTORY=str(folder),
    )
    (folder / "haproxy.cfg").write_text(configuration)
    ready = [f"http://{address}:8000/health/ready" for address in _WEB.values()]
    wait_until(lambda: all(map(_responds, ready)), "web nodes")
    installation.start("haproxy", PRESENT, "haproxy", "-W", "-f", str(folder / "haproxy.cfg"))
    wait_until(lambda: _front_responds(folder), "the proxy")


_WORKER = ("worker", "--pool", "threads", "--concurrency", "4")
_BEAT = ("beat", "--pidfile", "")


def _front_responds(folder: Path) -> bool:
    with contextlib.suppress(requests.RequestException):
        url, headers = f"https://{_FRONT}/health/ready", {"Host": HOST_NAME}
        return requests.get(url, headers=headers, verify=str(folder / "exchange.crt"), timeout=3).ok
    return False


def _replace_web(installation: Installation, name: str, version: Version) -> None:
    """Stop a web node, start it with `version`, and wait until it is ready: as the page says."""
    commands = page_commands()
    installation.shell(version, commands["Stop"], PROCESS=str(installation.pid(name)))
    installation.start_web(name, version)
    installation.shell(version, commands["Wait"], NODE=_WEB[name], HOST=HOST_NAME)


def _replace(installation: Installation, name: str, version: Version) -> None:
    stop = page_commands()["Stop"]
    installation.shell(version, stop, PROCESS=str(installation.pid(name)))
    installation.start_celery(name, version, *(_WORKER if name == "worker" else _BEAT))


def _verify(
    installation: Installation, version: Version, recorded: Recorded, commands: str
) -> list[str]:
    """Wait until every withdrawal is settled; compare clients, ledger and the provider's book."""
    with psycopg.connect(database_url(installation.folder, OWNER), autocommit=True) as connection:
        wait_until(
            lambda: connection.execute(_UNSETTLED).fetchone() == (0,),
            "every withdrawal is settled",
        )
        withdrawals: dict[str, str] = dict(
            connection.execute("SELECT id::text, reference FROM wallets_withdrawal").fetchall()
        )
        orders = {order for (order,) in connection.execute("SELECT id::text FROM orders_order")}
    problems = []
    for what, acknowledged, stored in (
        ("withdrawals", recorded.withdrawals, set(withdrawals)),
        ("orders", recorded.orders, orders),
    ):
        if acknowledged - stored:
            problems.append(f"{len(acknowledged - stored)} acknowledged {what} are missing")
        if stored - acknowledged:
            problems.append(f"{len(stored - acknowledged)} {what} were never acknowledged")
    paid = Counter(_paid_references(installation))
    if twice := [reference for reference, times in paid.items() if times > 1]:
        problems.append(f"{len(twice)} payouts were made twice")
    if set(paid) != set(withdrawals.values()):
        problems.append(f"{len(set(paid) ^ set(withdrawals.values()))} payouts differ")
    output = installation.shell(version, commands)
    print(output.strip().splitlines()[-1], flush=True)
    return problems


def _paid_references(installation: Installation) -> Iterator[str]:
    key = installation.environment["FLUTTERWAVE_SECRET_KEY"]
    page = pages = 1
    while page <= pages:
        body = requests.get(
            f"{installation.provider_url}/v3/transfers",
            params={"page": str(page)},
            headers={"Authorization": f"Bearer {key}"},
            timeout=10,
        ).json()
        yield from (each["reference"] for each in body["data"] if each["status"] == "SUCCESSFUL")
        pages = body["meta"]["page_info"]["total_pages"]
        page += 1


def _print_logs(folder: Path) -> None:
    """Print the errors of every log, and how it ends."""
    for path in sorted(folder.glob("*.log")):
        text = path.read_text(errors="replace")
        errors = [line for line in text.splitlines() if '"level": "error"' in line]
        print(f"== {path.name}", *errors, text[-3000:], sep="\n")
