"""Rotation of the passwords of PgBouncer, RabbitMQ and Redis by docs/operations/rotate.md."""

import secrets
import sys
from collections.abc import Iterator

import amqp
import kombu
import psycopg
import pytest
import redis
import requests

from config.local.sandbox import SandboxOptions, SandboxServer
from tests.environment.debian import require_programs
from tests.environment.processes import Program, wait_until
from tests.restore import installation as installations
from tests.restore import services as others
from tests.restore.installation import HOST, Installation, new_installation
from tests.restore.load import Load
from tests.restore.procedures import shell_blocks
from tests.restore.rounds import Rounds
from tests.restore.services import Services, running_services

PAGE = "rotate.md"
KEY = "FLWSECK_TEST-services-X"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation, and the payment provider."""
    require_programs({**installations.PACKAGES, **others.PACKAGES})
    folder = tmp_path_factory.mktemp("provider")
    provider = SandboxServer(SandboxOptions(data=folder, secret_key=KEY, delay=0))
    provider.start()
    with new_installation(provider.base_url, KEY) as made:
        yield made
    provider.stop()


@pytest.fixture(scope="module")
def services(installation: Installation) -> Iterator[Services]:
    """PgBouncer, RabbitMQ and Redis."""
    with running_services(installation) as started:
        yield started


def worker(installation: Installation, changes: dict[str, str]) -> Program:
    """Start a worker."""
    program = Program(
        command=[
            *(sys.executable, "-m", "celery", "-q", "-A", "config.celery", "worker"),
            *("--pool", "threads", "--concurrency", "2"),
        ],
        environment={**installation.service_environment(), **changes},
        ready=lambda: True,
        output=installation.folder / "worker.log",
    )
    program.start()
    return program


def pay(installation: Installation, changes: dict[str, str]) -> None:
    """Approve a withdrawal, and wait until the worker has taken the sweep from the broker."""
    [reference] = installation.evaluate("request(1)", changes)
    installation.evaluate(f"approve({reference!r})", changes)
    sweep = "python -m celery -A config.celery call wallets.tasks.sweep_payouts"
    installation.run_as_service(sweep, changes)
    with installation.connect() as connection:
        wait_until(
            lambda: (
                connection.execute(
                    "SELECT status FROM wallets_withdrawal WHERE reference = %s", [reference]
                ).fetchone()
                != ("Approved",)
            ),
            "the worker has sent the payout",
        )


def test_passwords_are_rotated_without_a_failed_request(
    installation: Installation, services: Services
) -> None:
    seed = installation.seed(100_000_000)
    # The worker posts events: where nothing listens that ends at once.
    installation.evaluate(f"set_webhook('https://{HOST}:1/')")
    session = installation.evaluate("sign_in('amina')")
    create_login, close_login = shell_blocks(PAGE, "Database passwords")
    add_login, remove_login = shell_blocks(PAGE, "PgBouncer")
    create_user, delete_user = shell_blocks(PAGE, "Broker")
    [add_password, remove_password] = shell_blocks(PAGE, "Cache")
    database, broker, cache = (secrets.token_hex(16) for _ in range(3))
    common = {"DATABASE_POOLER": "pgbouncer", "RATE_LIMITS_ENABLED": "true"}
    # The load is faster than a key may be.
    common |= {"RATE_LIMIT_REQUESTS": "1000000", "RATE_LIMIT_MONEY": "1000000"}
    old = {
        **common,
        "DATABASE_URL": services.database_url("exchange_app", installation.app_password),
        "CELERY_BROKER_URL": services.broker_url("exchange", services.broker_password),
        "CACHE_URL": services.cache_url(services.cache_password),
    }
    new = {
        **common,
        "DATABASE_URL": services.database_url("exchange_app_b", database),
        "CELERY_BROKER_URL": services.broker_url("exchange_b", broker),
        "CACHE_URL": services.cache_url(cache),
    }

    load = Load(seed["token"], seed["member"], session)
    rounds = Rounds(installation, load, **old)
    first = worker(installation, old)
    second = None
    try:
        load.start()
        pay(installation, old)
        installation.run_as_server(create_login, PGDATABASE="exchange", NEW_PASSWORD=database)
        services.run_as_pooler(add_login, NEW_PASSWORD=database)
        services.run(create_user, NEW_PASSWORD=broker)
        services.run(add_password, NEW_PASSWORD=cache, REDISCLI_AUTH=services.cache_password)
        refused = services.run(delete_user, check=False)
        assert (refused.returncode, refused.stderr.strip()) == (1, "exchange is still in use")

        rounds.replace(**new)
        first.stop(60)
        second = worker(installation, new)
        wait_until(
            lambda: installation.run_as_server(close_login, check=False).returncode == 0,
            "PgBouncer has closed the connections of the old login",
        )
        services.run_as_pooler(remove_login)
        wait_until(
            lambda: services.run(delete_user, check=False).returncode == 0,
            "RabbitMQ has no connection of the old user",
        )
        services.run(remove_password, OLD_PASSWORD=services.cache_password, REDISCLI_AUTH=cache)
        served = load.done.total()
        wait_until(lambda: load.done.total() > served + 20, "requests are served")
        pay(installation, new)
        health = requests.get(f"{rounds.web.url}/health/ready", timeout=30).json()
        assert health["status"] == "ok", health
    finally:
        load.stop()
        rounds.web.kill()
        for program in filter(None, (first, second)):
            program.kill()
    logs = "".join(path.read_text() for path in installation.folder.glob("web-*.log"))
    assert load.failures == [], logs[-4000:]
    assert len(load.done) == 4, load.done
    assert_refused(old)


def assert_refused(old: dict[str, str]) -> None:
    """Check that no service accepts the old password."""
    with pytest.raises(psycopg.OperationalError, match=r"authentication failed|no such user"):
        psycopg.connect(old["DATABASE_URL"])
    with pytest.raises(amqp.exceptions.AccessRefused):
        kombu.Connection(old["CELERY_BROKER_URL"]).connect()
    with pytest.raises(redis.exceptions.AuthenticationError):
        redis.Redis.from_url(old["CACHE_URL"]).ping()
