"""What PgBouncer in transaction mode costs, compared with direct connections.

Two services on one durable database in one interleaved run: withdrawals over HTTP and the token
list. PgBouncer before 1.21 keeps no prepared statements, so every statement is planned each time.
Needs Debian's package pgbouncer.
"""

import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psycopg

from config.local.embedded.identity import server_identity
from config.local.embedded.layout import (
    APPLICATION,
    DATABASE,
    OWNER,
    binary,
    database_url,
    socket_dir,
)
from tests.benchmarks import load
from tests.benchmarks.installation import HOST, Installation
from tests.benchmarks.rounds import Contender, take_rounds
from tests.benchmarks.withdrawals import BANK, WALLETS, withdrawal_request
from tests.environment.ports import claim_ports
from tests.environment.processes import wait_until

TOKENS = 10_000
_DIRECT, _POOLED = "direct, prepared", "PgBouncer"
_CONFIGURATION = """
[databases]
{database} = host={socket} dbname={database}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
max_client_conn = 200
default_pool_size = 15
"""


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return rates, CPU milliseconds of a request and ratios by part."""
    records = json.loads(installation.python("tests.benchmarks.dataset", str(WALLETS), BANK))
    installation.python("tests.benchmarks.token_dataset", "1", str(TOKENS))
    # PgBouncer drops start-up options, so the login has them as its own settings.
    with psycopg.connect(database_url(installation.folder, OWNER), autocommit=True) as connection:
        for setting in (
            "role = 'exchange_runtime'",
            "timezone = 'UTC'",
            "jit = off",
            "lock_timeout = '10s'",
        ):
            connection.execute(f"ALTER ROLE {APPLICATION} SET {setting}".encode())
        connection.execute("VACUUM ANALYZE")
    bases = {_DIRECT: installation.serve_ours()}
    with _pgbouncer(installation) as url:
        installation.environment.update(
            DATABASE_URL=url,
            DATABASE_OWNER_URL=installation.owner_url,
            DATABASE_POOLER="pgbouncer",
        )
        bases[_POOLED] = installation.serve_ours()
        bearer = f"Bearer {records['token']}"
        parts = {
            "withdrawals": lambda base: [
                withdrawal_request(base, member, bearer) for member in records["members"]
            ],
            "token list": lambda base: [
                load.get(f"{base}/v1/api/tokens?page={page}", bearer) for page in range(1, 21)
            ],
        }
        return {
            part: _measured(
                installation,
                {name: (base, requests_of(base)) for name, base in bases.items()},
                seconds,
                rounds,
                connections,
            )
            for part, requests_of in parts.items()
        }


def _measured(
    installation: Installation,
    contenders: dict[str, tuple[str, list[bytes]]],
    seconds: float,
    rounds: int,
    connections: int,
) -> dict[str, Any]:
    def contender(base: str, requests: list[bytes]) -> Contender:
        def measure(for_seconds: float) -> tuple[int, float]:
            outcome = load.run(
                base, lambda: random.choice(requests), connections=connections, seconds=for_seconds
            )
            if not set(outcome.statuses) <= {200, 201}:
                raise RuntimeError(f"{base}: {dict(outcome.statuses)}")
            return sum(outcome.statuses.values()), outcome.seconds

        return measure

    found = take_rounds(
        installation,
        {name: contender(*each) for name, each in contenders.items()},
        seconds,
        rounds,
    )
    rates = zip(found.rates[_POOLED], found.rates[_DIRECT], strict=True)
    ratio = median(pooled / direct for pooled, direct in rates)
    return {**found.figures(), "pooled_times": round(ratio, 3)}


@contextmanager
def _pgbouncer(installation: Installation) -> Iterator[str]:
    """Run PgBouncer before the embedded database; yield the service's URL through it."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise RuntimeError("The benchmark `pooler` needs Debian's package pgbouncer")
    with tempfile.TemporaryDirectory(prefix="exchange-pgbouncer-") as name:
        folder, port = Path(name), claim_ports()
        values = {"database": DATABASE, "socket": socket_dir(installation.folder), "host": HOST}
        configuration = folder / "pgbouncer.ini"
        configuration.write_text(_CONFIGURATION.format(**values, port=port, folder=folder))
        (folder / "users").write_text(f'"{APPLICATION}" ""\n')
        # Like PostgreSQL, it does not run as root, and must reach the socket.
        identity = server_identity(binary("postgres"))
        process = subprocess.Popen(
            [program, "--quiet", str(configuration)],
            preexec_fn=identity.make_preexec(os.getpid()),  # noqa: PLW1509 - no threads here
        )
        url = f"postgresql://{APPLICATION}@{HOST}:{port}/{DATABASE}"
        try:
            wait_until(lambda: process.poll() is not None or _accepts(url), "PgBouncer accepts", 10)
            yield url
        finally:
            process.terminate()
            process.wait(10)


def _accepts(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=2):
            return True
    except psycopg.OperationalError:
        time.sleep(0.1)
        return False


def report(figures: dict[str, Any]) -> None:
    """Print one line for each part."""
    for part, seen in figures.items():
        rates, cpu = seen["per_second"], seen["cpu_milliseconds"]
        shown = "; ".join(
            f"{name} {rates[name]:,.0f} /s"
            + "".join(f", {key} {value:.2f} ms" for key, value in cpu[name].items())
            for name in rates
        )
        print(f"  {part:<14}{shown}; through PgBouncer {seen['pooled_times']:g} times as fast")
