"""The dump of a release, compressed: written by pg_dump, restored without external programs."""

import gzip
import re
import subprocess
import tomllib
from pathlib import Path

import psycopg
from psycopg import sql

from config.local.embedded.layout import RUNTIME_ROLE, binary
from tests.environment.database import server_url, worker_database
from tests.environment.processes import CHECKOUT
from tests.upgrade.records import Credentials

# The oldest version of PostgreSQL that is supported.
OLDEST_SERVER = 15

_HERE = Path(__file__).parent
_HEAD = """\
-- The database of release {version}, with rows in every table. Made by `make dump`, never
-- edited. PostgreSQL 15 and later; the role exchange_runtime must be there. The secrets in it were
-- made for it: they are good for nothing else. The next line says how to get in.
-- {credentials}
"""
# What pg_dump writes of a database only where it also creates it.
_RIGHTS = """
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
"""
# What a server before 17 does not know, what only psql understands, headings, and an option of
# columns that some builds of a server write down and others do not know.
_LEFT_OUT = re.compile(
    r"^(SET transaction_timeout |\\(un)?restrict |-- (Dumped|Name:) |ALTER TABLE .* \(pg_attver=)"
    r".*\n",
    re.MULTILINE,
)
# A right by default is one of whoever restores.
_OWNER = re.compile(r"^(ALTER DEFAULT PRIVILEGES) FOR ROLE \w+ ", re.MULTILINE)
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"


def version() -> str:
    """Return this version from pyproject.toml."""
    content = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    return str(content["project"]["version"])


def dump_path(release: str) -> Path:
    """Return the path of the dump of `release`."""
    return _HERE / f"release-{release}.sql.gz"


def latest_dump() -> Path:
    """Return the path of the last release's dump."""
    return max(_HERE.glob("release-*.sql.gz"), key=_numbers)


def write_dump(path: Path, credentials: Credentials) -> None:
    """Write this process's database and its credentials to `path`."""
    _forget_settings_of_tests()
    done = subprocess.run(
        [
            str(binary("pg_dump")),
            *("--no-owner", "--column-inserts", "--rows-per-insert=100"),
            "--exclude-schema=seed",
            server_url(worker_database()),
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    statements = _OWNER.sub(r"\1 ", _LEFT_OUT.sub("", done.stdout))
    head = _HEAD.format(version=version(), credentials=credentials.to_json())
    # Without a time, so that the same content has the same bytes.
    path.write_bytes(gzip.compress((head + statements + _RIGHTS).encode(), mtime=0))


def read_credentials(path: Path) -> Credentials:
    """Return the credentials of the dump at `path`."""
    text = gzip.decompress(path.read_bytes()).decode()
    line = next(line for line in text.splitlines() if line.startswith("-- {"))
    return Credentials.from_json(line.removeprefix("-- "))


def restore(path: Path, url: str) -> None:
    """Restore the dump into the empty database at `url`."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            sql.SQL(
                "DO $$ BEGIN IF to_regrole({name}) IS NULL THEN CREATE ROLE {role}; END IF; END $$"
            ).format(name=sql.Literal(RUNTIME_ROLE), role=sql.Identifier(RUNTIME_ROLE))
        )
        connection.execute(gzip.decompress(path.read_bytes()))


def _forget_settings_of_tests() -> None:
    """Switch autovacuum on for all tables, as in an installation."""
    with psycopg.connect(server_url(worker_database()), autocommit=True) as connection:
        for (table,) in connection.execute(_TABLES).fetchall():
            connection.execute(
                sql.SQL("ALTER TABLE {} RESET (autovacuum_enabled)").format(sql.Identifier(table))
            )


def _numbers(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.stem)]
