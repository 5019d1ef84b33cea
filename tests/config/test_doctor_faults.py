"""`manage.py doctor` against faults of a server, a network and files of its own."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command

from config.doctor import database
from config.doctor import machine as this_machine
from config.doctor.findings import Level
from tests.cluster.certificate import self_signed
from tests.config.doctor_report import doctor
from tests.environment.debian import POSTGRESQL_PROGRAMS, REQUIRED, require_programs
from tests.environment.ports import claim_ports

pytestmark = pytest.mark.standalone

HOST, NAME = "127.0.0.1", "database.example"
UNSAFE = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "ssl": "on",
}
# The server's clock and the start of its transactions, as its users see them.
CLOCK_AHEAD = """
CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.now() + interval ''1 hour''';
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.clock_timestamp() + interval ''1 hour''';
ALTER DATABASE exchange SET search_path = public, pg_catalog;
"""


@dataclass(frozen=True)
class Server:
    """A server of Debian's PostgreSQL, as unsafe as settings can make it."""

    folder: Path
    port: int

    def url(self, login: str, **options: str) -> str:
        """Return the URL of a database on what looks like another machine."""
        given = "".join(f"&{name}={value}" for name, value in options.items())
        return f"postgresql://{login}@{NAME}:{self.port}/exchange?hostaddr={HOST}{given}"

    def connect(self, login: str, **options: str) -> psycopg.Connection[Any]:
        return psycopg.connect(self.url(login, **options), autocommit=True)

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of the server as its user."""
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        subprocess.run(
            [*user, f"{POSTGRESQL_PROGRAMS}/{program}", *arguments],
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    require_programs({f"{POSTGRESQL_PROGRAMS}/postgres": "postgresql-15"})
    made = Server(Path(tempfile.mkdtemp(prefix="exchange-")), claim_ports())
    data = made.folder / "data"
    pem = self_signed(NAME, HOST)
    for name, content in (("key", pem.key), ("crt", pem.certificate)):
        (made.folder / f"server.{name}").write_bytes(content)
        (made.folder / f"server.{name}").chmod(0o600)
    if os.geteuid() == 0:
        for path in (made.folder, *made.folder.iterdir()):
            shutil.chown(path, "postgres")
    try:
        made.run("initdb", "--no-sync", "--auth=trust", "--username=postgres", "-E", "UTF8",
                 "--locale=C.UTF-8", f"--pgdata={data}")  # fmt: skip
        given = {**UNSAFE, "listen_addresses": HOST, "port": str(made.port),
                 "unix_socket_directories": str(made.folder),
                 "ssl_cert_file": str(made.folder / "server.crt"),
                 "ssl_key_file": str(made.folder / "server.key")}  # fmt: skip
        options = " ".join(f"-c {name}={value}" for name, value in given.items())
        made.run("pg_ctl", "start", "-w", "-D", str(data), "-l", f"{data}.log", "-o", options)
        with psycopg.connect(
            f"postgresql://postgres@{HOST}:{made.port}/postgres", autocommit=True
        ) as administrator:
            # Collations of ICU have versions on every system.
            for statement in (
                "CREATE ROLE exchange_runtime NOLOGIN",
                "CREATE ROLE exchange_app LOGIN NOINHERIT IN ROLE exchange_runtime",
                "CREATE DATABASE exchange TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'",
            ):
                administrator.execute(statement)
        yield made
        made.run("pg_ctl", "stop", "-w", "-D", str(data), "-m", "immediate")
    finally:
        shutil.rmtree(made.folder, ignore_errors=True)


@pytest.mark.slow
def test_an_unsafe_server_with_a_wrong_clock_is_described(server: Server) -> None:
    with server.connect("postgres") as administrator:
        for statements in (
            CLOCK_AHEAD,
            "ALTER DATABASE exchange SET track_counts = off",
            "UPDATE pg_database SET datcollversion = '1.2' WHERE datname = 'exchange'",
        ):
            administrator.execute(statements)
    report = doctor(
        DATABASE_URL=server.url(
            "exchange_app", sslmode="verify-full", sslrootcert=f"{server.folder}/server.crt"
        )
    )
    for check, level, words in (
        ("fsync", "problem", "corrupts the database"),
        ("full_page_writes", "problem", "corrupts the database"),
        ("data_checksums", "warning", "damage of the disk"),
        ("archive_mode", "warning", "only the moments of full backups"),
        ("autovacuum", "problem", "tables grow"),
        ("track_counts", "problem", "autovacuum cannot work"),
        ("collation", "problem", "changed from 1.2 to "),
        ("database clock", "problem", "3600.0 seconds ahead"),
        ("encryption", "ok", "TLS, certificate verified"),
    ):
        assert report.levels(check) == [level], (check, report.text)
        assert words in report.seen(check)


@pytest.mark.slow
def test_commits_that_do_not_wait_for_the_synchronous_standby_are_found(server: Server) -> None:
    found = []
    with server.connect("postgres") as administrator:
        # Its own commits below would wait for the standby, too.
        administrator.execute("SET synchronous_commit = local")
        administrator.execute("ALTER SYSTEM SET synchronous_standby_names = 'second'")
        administrator.execute("SELECT pg_reload_conf()")
        for commit in ("local", "on"):
            administrator.execute(f"ALTER DATABASE exchange SET synchronous_commit = {commit}")
            report = doctor(DATABASE_URL=server.url("exchange_app"))
            found.append((report.levels("standbys"), report.seen("standbys")))
        administrator.execute("ALTER SYSTEM RESET synchronous_standby_names")
        administrator.execute("ALTER DATABASE exchange RESET synchronous_commit")
    assert found == [
        (["problem"], "synchronous_commit = local does not wait for second"),
        (["ok"], "synchronous: second"),
    ]


def test_a_connection_without_tls_or_with_an_unknown_server_is_found(server: Server) -> None:
    found = []
    for mode in ("disable", "require"):
        with server.connect("exchange_app", sslmode=mode) as connection:
            found.append(database._encryption(connection, "encryption", "DATABASE_URL"))
    assert [(each.level, each.seen) for each in found] == [
        (Level.PROBLEM, "passwords and data cross the network in plain text"),
        (Level.WARNING, "sslmode=require does not check which server answers"),
    ]


# A machine with a public address.
PUBLIC = "9.9.9.9"
NETWORK = f"""
ip link set lo up
ip address add {PUBLIC}/32 dev lo
ip route add default dev lo src {PUBLIC}
"""


def machine(script: str) -> list[str]:
    """Return the command that runs another one with a network of its own."""
    require_programs({"ip": "iproute2", "unshare": "util-linux"})
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    command = ["unshare", *user, "--net"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        (pytest.fail if REQUIRED else pytest.skip)("This machine allows no namespaces")
    return [*command, "sh", "-ec", f'{script}\nexec "$@"', "sh"]


@pytest.mark.slow
def test_public_metrics_are_found() -> None:
    report = doctor(within=machine(NETWORK), METRICS_LISTEN="0.0.0.0:9464")
    assert report.levels("metrics") == ["problem"]
    assert f"with {PUBLIC}, where anyone" in report.seen("metrics")


def test_static_files_that_were_not_collected_are_found(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
    }
    storage: Any = staticfiles_storage
    [before] = this_machine.check_static_files()
    call_command("collectstatic", interactive=False, verbosity=0)
    [complete] = this_machine.check_static_files()
    (tmp_path / storage.hashed_files["signin.css"]).unlink()
    [after] = this_machine.check_static_files()
    number = len(storage.hashed_files)
    assert [(each.level, each.seen) for each in (before, complete, after)] == [
        (Level.PROBLEM, f"{number} of {number} are not collected: pages fail"),
        (Level.OK, f"all {number} are collected"),
        (Level.PROBLEM, f"1 of {number} are not collected: pages fail"),
    ]
    assert "collectstatic" in before.remedy
