"""The embedded PostgreSQL: started by its first user, stopped with its last."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config.local.embedded import layout
from config.local.embedded.identity import Identity
from config.local.embedded.layout import EmbeddedError, database_url, socket_dir
from config.local.embedded.sharing import keeper_pid, running_server
from tests.environment.processes import CHECKOUT, wait_until

USER = """
import sys
from pathlib import Path
from config.local.embedded.sharing import running_server
with running_server(Path(sys.argv[1]), durable=False):
    print("up", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def another_user(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Run another process that uses the server until its standard input is closed."""
    with subprocess.Popen(
        [sys.executable, "-c", USER, str(data_dir)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() not in ("up\n", ""):
            pass
        yield process
        if process.stdin is not None and not process.stdin.closed:
            process.stdin.close()


def query(data_dir: Path, text: str) -> object:
    with psycopg.connect(database_url(data_dir, "exchange_app"), autocommit=True) as connection:
        row = connection.execute(text).fetchone()
    return row[0] if row else None


def postmaster_pid(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] == "Z"
    except FileNotFoundError:
        return True


def test_the_application_login_can_act_as_the_runtime_role_and_owns_nothing(tmp_path: Path) -> None:
    with running_server(tmp_path, durable=False):
        assert query(tmp_path, "SELECT current_user") == "exchange_app"
        assert (
            query(tmp_path, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
        )
        assert query(tmp_path, "SELECT pg_has_role('exchange_runtime', 'SET')") is True
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            query(tmp_path, "CREATE TABLE public.mine (id int)")


def test_the_server_listens_on_no_port_and_its_folders_are_closed(tmp_path: Path) -> None:
    with running_server(tmp_path, durable=False):
        assert query(tmp_path, "SHOW listen_addresses") == ""
        for folder in (tmp_path / "postgres", socket_dir(tmp_path)):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.slow
def test_the_server_stops_with_its_last_user_and_keeps_the_data(tmp_path: Path) -> None:
    with running_server(tmp_path, durable=False):
        pid = postmaster_pid(tmp_path)
        with another_user(tmp_path):
            assert postmaster_pid(tmp_path) == pid
        assert query(tmp_path, "SELECT 1") == 1
        owner = database_url(tmp_path, "exchange_owner")
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS n")
    assert gone(pid)
    assert keeper_pid(tmp_path) is None
    with running_server(tmp_path, durable=False), psycopg.connect(owner) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (42,)


@pytest.mark.slow
def test_killing_the_only_user_leaves_no_server_behind(tmp_path: Path) -> None:
    with another_user(tmp_path) as process:
        postmaster, keeper = postmaster_pid(tmp_path), keeper_pid(tmp_path)
        process.kill()
        wait_until(lambda: gone(postmaster), "the server is gone")
        assert keeper is not None
        wait_until(lambda: gone(keeper), "its keeper is gone")


@pytest.mark.slow
def test_killing_the_keeper_stops_the_server_and_the_next_start_works(tmp_path: Path) -> None:
    with another_user(tmp_path):
        postmaster, keeper = postmaster_pid(tmp_path), keeper_pid(tmp_path)
        assert keeper is not None
        os.kill(keeper, signal.SIGKILL)
        wait_until(lambda: gone(postmaster), "the server is gone")
    with running_server(tmp_path, durable=False):
        assert query(tmp_path, "SELECT 1") == 1


@pytest.mark.slow
def test_killing_the_server_is_recovered_from(tmp_path: Path) -> None:
    with another_user(tmp_path):
        postmaster = postmaster_pid(tmp_path)
        os.kill(postmaster, signal.SIGKILL)
        wait_until(lambda: keeper_pid(tmp_path) is None, "the keeper has noticed")
        assert (tmp_path / "postgres" / "data" / "postmaster.pid").exists()
    with running_server(tmp_path, durable=False):
        assert query(tmp_path, "SELECT 1") == 1


@pytest.mark.slow
def test_a_pid_file_of_another_process_does_not_prevent_a_start(tmp_path: Path) -> None:
    with running_server(tmp_path, durable=False):
        pass
    stale = f"{os.getpid()}\n{tmp_path}/postgres/data\n1\n5432\n\n\n0 0\nready   \n"
    (tmp_path / "postgres" / "data" / "postmaster.pid").write_text(stale)
    with running_server(tmp_path, durable=False):
        assert query(tmp_path, "SELECT 1") == 1


@pytest.mark.slow
def test_a_damaged_cluster_is_reported_in_one_line(tmp_path: Path) -> None:
    with running_server(tmp_path, durable=False):
        pass
    (tmp_path / "postgres" / "data" / "global" / "pg_control").write_bytes(b"")
    with pytest.raises(EmbeddedError, match=r"could not read file .*pg_control") as caught:
        running_server(tmp_path, durable=False).__enter__()
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_a_cluster_is_left_alone(tmp_path: Path) -> None:
    treasure = tmp_path / "postgres" / "data" / "treasure"
    treasure.parent.mkdir(parents=True)
    treasure.write_text("gold")
    with pytest.raises(EmbeddedError, match="is not a PostgreSQL cluster"):
        running_server(tmp_path, durable=False).__enter__()
    assert treasure.read_text() == "gold"


@pytest.mark.slow
def test_a_deep_data_directory_has_a_short_constant_socket_folder(
    tmp_path: Path,
) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    assert socket_dir(deep) == socket_dir(deep)
    assert not socket_dir(deep).is_relative_to(deep)
    with running_server(deep, durable=False):
        assert query(deep, "SELECT 1") == 1
        assert stat.S_IMODE(socket_dir(deep).stat().st_mode) == 0o700
    assert not socket_dir(deep).exists()


def test_connection_settings_need_no_running_server(tmp_path: Path) -> None:
    settings = layout.database_settings(tmp_path, "exchange_app")
    assert settings["USER"] == "exchange_app"
    assert settings["HOST"] == str(socket_dir(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("uid", [65534, 54321], ids=["with an account", "without an account"])
def test_it_runs_for_an_ordinary_user(uid: int) -> None:
    """The user may bypass file permissions, since the interpreter may be in a private home."""
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, uid, uid)
        done = subprocess.run(
            [sys.executable, "-c", USER, f"{folder}/data"],
            preexec_fn=Identity("capability", uid, uid).make_preexec(os.getpid()),
            cwd=CHECKOUT,
            input="",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout == "up\n", done.stderr
        assert Path(folder, "data", "postgres", "data", "PG_VERSION").stat().st_uid == uid
