"""An installation with a server and a repository of its own: PostgreSQL 15 and pgBackRest.

The server runs as an unprivileged user, the service's commands as the user of the tests.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import psycopg
from cryptography.fernet import Fernet

from tests.environment.debian import POSTGRESQL_PROGRAMS
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, wait_until

HOST = "127.0.0.1"
PACKAGES = {
    f"{POSTGRESQL_PROGRAMS}/postgres": "postgresql-15",
    "pgbackrest": "pgbackrest",
    "runuser": "util-linux",
}
_CLUSTER = CHECKOUT / "docs" / "cluster"
_USER = "postgres"
# Nothing listens there: the broker only carries notifications.
_NOWHERE = f"redis://{HOST}:1/0"
_UNCHANGED: Mapping[str, str] = {}


@dataclass
class Installation:
    """A folder with the server's data and the repository, and the environments of both."""

    folder: Path
    provider_url: str
    provider_key: str
    port: int = field(default_factory=claim_ports)
    restore_port: int = field(default_factory=claim_ports)
    # A copy of the server has the socket of the original.
    socket_folder: Path | None = None
    repository_passphrase: str = field(default_factory=lambda: secrets.token_hex(16))
    owner_password: str = field(default_factory=lambda: secrets.token_hex(16))
    app_password: str = field(default_factory=lambda: secrets.token_hex(16))

    def __post_init__(self) -> None:
        self.secret_key = secrets.token_urlsafe(50)
        self.encryption_key = Fernet.generate_key().decode()

    @property
    def data(self) -> Path:
        """The data directory of the server."""
        return self.folder / "data"

    @property
    def repository(self) -> Path:
        """The repository of pgBackRest."""
        return self.folder / "repository"

    @property
    def server_environment(self) -> dict[str, str]:
        """What `postgres` exports before the commands of the documents."""
        return {
            "PATH": f"{POSTGRESQL_PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PGDATA": str(self.data),
            "PGHOST": str(self.socket_folder or self.folder),
            "PGPORT": str(self.port),
            "PGUSER": _USER,
            "RESTORE_PORT": str(self.restore_port),
            "PGBACKREST_CONFIG": str(self.folder / "pgbackrest.conf"),
        }

    def service_environment(self, *, port: int | None = None) -> dict[str, str]:
        """Return the service's environment; `port` is the server's, by default its own."""
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": os.environ.get("HOME", "/"),
            "DJANGO_SETTINGS_MODULE": "tests.restore.settings",
            "SECRET_KEY": self.secret_key,
            "FIELD_ENCRYPTION_KEYS": self.encryption_key,
            "ALLOWED_HOSTS": f"{HOST},localhost",
            "DATABASE_URL": self.url("exchange_app", self.app_password, port or self.port),
            "DATABASE_POOL_SIZE": "4",
            "CELERY_BROKER_URL": _NOWHERE,
            "CACHE_URL": _NOWHERE,
            "RATE_LIMITS_ENABLED": "false",
            "SECURE_SSL_REDIRECT": "false",
            "FLUTTERWAVE_BASE_URL": self.provider_url,
            "FLUTTERWAVE_SECRET_KEY": self.provider_key,
            "FLUTTERWAVE_WEBHOOK_HASH": "hash-of-the-provider",
            "LOG_LEVEL": "ERROR",
        }

    def url(self, login: str, password: str, port: int) -> str:
        """Return the database's URL for `login`."""
        return f"postgresql://{login}:{password}@{HOST}:{port}/exchange"

    def create(self) -> None:
        """Create the server, the roles of docs/cluster/roles.sql and the migrated database."""
        self._initialise()
        self.configure()
        self.run_as_server('pg_ctl -w -D "$PGDATA" -l "$PGDATA.log" start')
        text = Template((_CLUSTER / "roles.sql").read_text()).substitute(
            OWNER_PASSWORD=self.owner_password, APP_PASSWORD=self.app_password
        )
        self.run_as_server(f"psql -q -v ON_ERROR_STOP=1 <<'END'\n{text}\nEND")
        owner = self.url("exchange_owner", self.owner_password, self.port)
        self.run_as_service(
            "python manage.py migrate --no-input --verbosity 0", DATABASE_OWNER_URL=owner
        )

    def _initialise(self) -> None:
        self.run_as_server(
            "initdb --no-sync -k -E UTF8 --locale=C.UTF-8 --auth-local=trust"
            ' --auth-host=scram-sha-256 -U postgres -D "$PGDATA"'
        )
        with (self.data / "postgresql.conf").open("a") as settings:
            # What survives is in the repository: the disk need not be waited for.
            settings.write(
                f"port = {self.port}\nlisten_addresses = '{HOST}'\nfsync = off\n"
                f"unix_socket_directories = '{self.folder}'\n"
            )

    def configure(self) -> None:
        """Write pgbackrest.conf from docs/cluster, and create its folder of logs."""
        (self.folder / "log").mkdir()
        self.give(self.folder / "log")
        text = (_CLUSTER / "pgbackrest.conf").read_text()
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        path = self.folder / "pgbackrest.conf"
        path.write_text(
            Template("\n".join(lines) + "\n").substitute(
                REPOSITORY=self.repository,
                REPOSITORY_PASSPHRASE=self.repository_passphrase,
                DIRECTORY=self.folder,
                PGDATA=self.data,
                PGPORT=self.port,
                PGHOST=self.folder,
            )
        )
        self.give(path)
        path.chmod(0o600)

    def give(self, path: Path) -> None:
        """Let the server's user own `path`."""
        if os.geteuid() == 0:
            shutil.chown(path, _USER, _USER)

    def run_as_server(
        self, script: str, *, check: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of the database machine."""
        return self._run(
            [*_as_server(), *_SHELL, script],
            {**self.server_environment, **variables},
            self.folder,
            check=check,
        )

    def kill_while_running(
        self, script: str, reached: Callable[[], bool], **variables: str
    ) -> None:
        """Start a script of the database machine, and kill its processes once `reached`."""
        process = subprocess.Popen(
            [*_as_server(), *_SHELL, script],
            cwd=self.folder,
            env={**self.server_environment, **variables},
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(lambda: reached() or process.poll() is not None, "the script is that far")
        finally:
            os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "the script ended before it was killed"

    def run_as_service(
        self,
        script: str,
        changes: Mapping[str, str] = _UNCHANGED,
        *,
        port: int | None = None,
        check: bool = True,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of a worker machine, with `changes` of the service's environment."""
        environment = {**self.service_environment(port=port), **changes, **variables}
        return self._run([*_SHELL, script], environment, CHECKOUT, check=check)

    def evaluate(self, expression: str, changes: Mapping[str, str] = _UNCHANGED) -> Any:
        """Return the value of an expression over `tests.restore.steps`, run by the service."""
        code = (
            "import json, django; django.setup(); from tests.restore import steps;"
            f" print(json.dumps(steps.{expression}))"
        )
        shown = self.run_as_service(f"python - <<'END'\n{code}\nEND", changes).stdout
        return json.loads(shown.splitlines()[-1])

    def seed(self, funds: int) -> Any:
        """Create the records of `steps.seed`; the staff's access was granted long ago."""
        seeded = self.evaluate(f"seed({funds})")
        with self.connect() as connection:
            connection.execute(
                "UPDATE exchange_staffuser SET access_changed_at = now() - interval '30 days'"
            )
        return seeded

    def connect(self) -> psycopg.Connection[Any]:
        """Connect to the server as its administrator."""
        return psycopg.connect(
            host=str(self.folder), port=self.port, user=_USER, dbname="exchange", autocommit=True
        )

    def stop(self) -> None:
        """Stop the server, if it runs."""
        self.run_as_server('pg_ctl -D "$PGDATA" -m immediate stop', check=False)

    def _run(
        self, command: list[str], environment: dict[str, str], folder: Path, *, check: bool
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,  # ends one that hangs
            check=False,
        )
        assert not check or done.returncode == 0, f"{command[-1]}\n{done.stdout}\n{done.stderr}"
        return done


_SHELL = ["bash", "-euo", "pipefail", "-c"]


def _as_server() -> list[str]:
    return ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []


@contextmanager
def new_installation(provider_url: str, provider_key: str) -> Iterator[Installation]:
    """Create an installation in a folder that the server's user can enter; remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="exchange-"))
    installation = Installation(folder, provider_url, provider_key)
    try:
        installation.give(folder)
        installation.create()
        yield installation
    finally:
        installation.stop()
        shutil.rmtree(folder, ignore_errors=True)
