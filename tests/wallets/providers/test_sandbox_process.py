"""The sandbox as a program: start, kill at any point, restart and stop."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.wallets.providers.harness import SECRET_KEY, record_of, request_of
from wallets.providers.base import DuplicateReference, ProviderError, TransferStatus
from wallets.providers.flutterwave import FlutterwaveClient

ROOT = Path(__file__).parents[3]


class Program:
    """A sandbox process; `port` stays the same when it is started again."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = 0

    def start(self, *options: str) -> FlutterwaveClient:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "config.local.sandbox"),
                *("--port", str(self.port), "--data", str(self.data)),
                *("--secret-key", SECRET_KEY, *options),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        ready = re.fullmatch(r"Sandbox ready: (http://127\.0\.0\.1:(\d+))\n", line)
        assert ready is not None, line
        self.url, self.port = ready.group(1), int(ready.group(2))
        return self.client(total_timeout=5, read_attempts=1)

    def client(self, **changes: Any) -> FlutterwaveClient:
        timeouts = {"connect_timeout": 5.0, "read_timeout": 35.0, "total_timeout": 45.0}
        return FlutterwaveClient(
            base_url=f"{self.url}/v3", secret_key=SECRET_KEY, **(timeouts | changes)
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=10)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path / "sandbox")
    yield program
    program.kill()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)


def test_after_a_kill_every_accepted_transfer_is_there_and_settles(program):
    client = program.start("--delay", "3600")
    accepted: list[str] = []

    def order_until_it_dies() -> None:
        own = program.client()
        for number in range(10_000):
            reference = f"{threading.get_ident()}_{number}"
            try:
                own.transfer(request_of(reference))
            except ProviderError:
                return
            accepted.append(reference)

    threads = [threading.Thread(target=order_until_it_dies) for _ in range(4)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(accepted) >= 40)
    program.kill()
    for thread in threads:
        thread.join(timeout=20)
    client = program.start("--delay", "0.2")
    kept = requests.get(f"{program.url}/sandbox/transfers", timeout=10).json()
    assert set(accepted) <= {record["reference"] for record in kept}
    assert len(kept) <= len(accepted) + 4
    with pytest.raises(DuplicateReference):
        client.transfer(request_of(accepted[0]))
    assert record_of(client, accepted[0]).status is TransferStatus.NEW


def test_a_settlement_that_a_kill_interrupted_is_taken_up_again(program):
    program.start("--delay", "1").transfer(request_of())
    program.kill()
    client = program.start("--delay", "1")
    wait_until(lambda: record_of(client).status is TransferStatus.SUCCESSFUL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_even_while_a_client_hangs(program, number):
    client = program.start("--hang-seconds", "60")
    requests.post(
        f"{program.url}/sandbox/faults", json={"fault": "timeout_before", "times": 9}, timeout=5
    )
    failed: list[ProviderError] = []

    def ask() -> None:
        try:
            client.balances()
        except ProviderError as error:
            failed.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    wait_until(lambda: len(requests.get(f"{program.url}/sandbox/requests", timeout=5).json()) == 1)
    started = time.monotonic()
    program.process.send_signal(number)
    assert program.process.wait(timeout=10) == 0
    assert time.monotonic() - started < 3
    thread.join(timeout=10)
    assert len(failed) == 1


def test_a_busy_port_is_one_clear_line(program, tmp_path):
    program.start()
    second = subprocess.run(
        [
            *(sys.executable, "-m", "config.local.sandbox", "--port", str(program.port)),
            *("--data", str(tmp_path / "other"), "--secret-key", SECRET_KEY),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert f"cannot start on 127.0.0.1:{program.port}" in second.stderr


def test_only_its_owner_may_read_the_book(tmp_path):
    folder = tmp_path / "sandbox"
    folder.mkdir(mode=0o755)
    (folder / "sandbox.sqlite3").touch(mode=0o644)  # as an earlier version left it
    program = Program(folder)
    program.start()
    try:
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
        assert set(modes) >= {"sandbox.sqlite3", "sandbox.sqlite3-wal", "sandbox.sqlite3-shm"}
        assert set(modes.values()) == {0o600}
        assert folder.stat().st_mode & 0o777 == 0o700
    finally:
        program.kill()
