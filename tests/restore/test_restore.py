"""A restore to a moment between withdrawals, with the commands of docs/operations/back-up.md."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from config.local.sandbox import SandboxOptions, SandboxServer
from tests.environment.debian import require_programs
from tests.restore.installation import PACKAGES, Installation, new_installation
from tests.restore.procedures import shell_blocks

PAGE = "back-up.md"
KEY = "FLWSECK_TEST-restore-X"
[RESTORE, PROVE] = shell_blocks(PAGE, "2. Restore")


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxServer]:
    """The payment provider, which pays at once."""
    server = SandboxServer(
        SandboxOptions(data=tmp_path_factory.mktemp("provider"), secret_key=KEY, delay=0)
    )
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def installation(provider: SandboxServer) -> Iterator[Installation]:
    """An installation with a full and an incremental backup."""
    require_programs(PACKAGES)
    with new_installation(provider.base_url, KEY) as made:
        made.seed(100_000)
        for script in shell_blocks(PAGE, "Set up the archive"):
            made.run_as_server(script)
        yield made


@pytest.fixture(scope="module")
def story(installation: Installation) -> dict[str, str]:
    """What happened before and after the moment; the server is stopped after it."""
    before = installation.evaluate("before_moment()")
    [back_up] = shell_blocks(PAGE, "Back up")
    installation.run_as_server(back_up)
    moment = "SELECT clock_timestamp() || '/' || pg_walfile_name(pg_current_wal_lsn())"
    target, _, segment = (
        installation.run_as_server(f'psql -Atc "{moment}"').stdout.strip().partition("/")
    )
    lost = installation.evaluate(f"after_moment({before['approved']!r}, {before['pending']!r})")
    [stop] = shell_blocks(PAGE, "1. Stop the service and the server")
    installation.run_as_server(stop)
    return {**before, "lost": lost, "target": target, "segment": segment}


@pytest.fixture
def elsewhere(
    installation: Installation, story: dict[str, str], tmp_path: Path
) -> Iterator[Installation]:
    """Another machine with a copy of the repository, which a test may damage."""
    other = Installation(
        installation.folder / tmp_path.name,
        "",
        KEY,
        socket_folder=installation.folder,
        repository_passphrase=installation.repository_passphrase,
    )
    installation.run_as_server(
        f'mkdir "{other.folder}" && cp -r "{installation.repository}" "{other.repository}"'
    )
    other.configure()
    yield other
    other.stop()
    shutil.rmtree(other.folder)


def test_a_moment_before_the_oldest_backup_is_refused(elsewhere, story):
    done = elsewhere.run_as_server(RESTORE, check=False, TARGET="2026-01-01 00:00:00+00")
    assert done.returncode != 0
    assert "unable to find backup set with stop time less than" in done.stdout + done.stderr
    assert not (elsewhere.data / "PG_VERSION").exists()


def test_without_its_wal_a_moment_is_refused(elsewhere, story):
    segments = elsewhere.repository.glob("archive/exchange/15-1/*/*.zst")
    gone = [each for each in segments if each.name >= story["segment"]]
    assert gone
    for segment in gone:
        segment.unlink()
    done = elsewhere.run_as_server(RESTORE, check=False, TARGET=story["target"])
    assert done.returncode != 0
    assert "recovery ended before configured recovery target was reached" in done.stdout


def test_a_damaged_backup_is_refused(elsewhere, story):
    for bundle in elsewhere.repository.glob("backup/exchange/*/bundle/*"):
        content = bytearray(bundle.read_bytes())
        middle = len(content) // 2
        content[middle : middle + 64] = bytes(64)
        bundle.write_bytes(content)
    done = elsewhere.run_as_server(
        RESTORE, check=False, TARGET=story["target"], PGBACKREST_JOB_RETRY="0"
    )
    assert done.returncode != 0
    assert "ERROR: [" in done.stdout + done.stderr
    assert not (elsewhere.data / "global" / "pg_control").exists()


def test_a_restore_that_was_killed_is_repeated(elsewhere, story):
    elsewhere.kill_while_running(RESTORE, (elsewhere.data / "base").exists, TARGET=story["target"])
    # What is incomplete cannot be started.
    assert not (elsewhere.data / "global" / "pg_control").exists()
    elsewhere.run_as_server(RESTORE, TARGET=story["target"])
    count = elsewhere.run_as_server(
        'psql -p "$RESTORE_PORT" -d exchange -Atc "SELECT count(*) FROM wallets_withdrawal"'
    )
    assert count.stdout.strip() == "3"


def test_after_a_restore_nothing_is_paid_twice_and_everything_is_found(
    installation: Installation, story: dict[str, str], provider: SandboxServer
) -> None:
    target = story["target"]
    paid, approved, pending, lost = (
        story[name] for name in ("paid", "approved", "pending", "lost")
    )
    paid_before = transfers(provider)
    assert paid_before == Counter((paid, approved, pending, lost))

    installation.run_as_server(RESTORE, TARGET=target)
    books = installation.run_as_service(PROVE, port=installation.restore_port)
    assert "The books hold" in books.stdout

    opened, hold, moved = shell_blocks(PAGE, "3. Open it with payouts on hold")
    installation.run_as_server(opened)
    installation.run_as_service(hold, port=installation.restore_port, TARGET=target)
    installation.run_as_server(moved)

    # A worker that is started too early sends nothing, and people cannot release yet.
    assert installation.evaluate("sweep()") == {
        paid: "Completed",
        approved: "Approved",
        pending: "Pending",
    }
    assert "until every day since" in installation.evaluate("release()")

    reconcile, recover = shell_blocks(PAGE, "4. Compare with the provider")
    done = installation.run_as_service(reconcile, check=False, TARGET=target)
    assert done.returncode == 1, done.stderr
    assert f"Status: {approved}: ours Approved, provider SUCCESSFUL" in done.stdout
    assert (
        f"Not in our records: {pending}: provider SUCCESSFUL 472 KES to 01 0690000031;"
        " withdrawal Pending here" in done.stdout
    )
    assert (
        f"Not in our records: {lost}: provider SUCCESSFUL 470 KES to 01 0690000031;"
        " no withdrawal here" in done.stdout
    )

    member = installation.run_as_server(
        'psql -d exchange -Atc "SELECT id FROM exchange_member"'
    ).stdout.strip()
    installation.run_as_service(recover, REFERENCE=lost, OWNER=member, ACCOUNT_NAME="Forrest Green")
    installation.evaluate(f"approve({pending!r}, {lost!r})")
    assert installation.evaluate("release()") == ""
    assert set(installation.evaluate("sweep()").values()) == {"Completed"}
    # 100,000 less 500, 501, 502 and 500.
    assert [float(each) for each in installation.evaluate("balances()")] == [97_997, 0]
    assert transfers(provider) == paid_before
    again = installation.run_as_service(reconcile, check=False, TARGET=target).stdout
    assert "Not in our records" not in again
    assert "Status:" not in again
    assert "The books hold" in installation.run_as_service(PROVE).stdout


def transfers(provider: SandboxServer) -> Counter[str]:
    """Return how many transfers the provider has of each reference."""
    rows = requests.get(f"{provider.url}/sandbox/transfers", timeout=10).json()
    return Counter(row["reference"] for row in rows)
