"""Messages as files: each is read whole, and once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from config.embedded import broker

MESSAGES = 100
# Large enough that writing one takes a while beside opening its file.
BODY = "x" * 50_000


@pytest.fixture
def url() -> str:
    broker.register()
    return "files://localhost//"


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    folders = {name: str(tmp_path / name) for name in ("messages", "control")}
    for folder in folders.values():
        Path(folder).mkdir()
    return {
        "data_folder_in": folders["messages"],
        "data_folder_out": folders["messages"],
        "control_folder": folders["control"],
    }


def taken(connection: Connection, count: int) -> Iterator[tuple[int, int]]:
    """Number and size of so many messages, asked for without a pause."""
    with connection.SimpleQueue("work") as queue:
        while count:
            try:
                message = queue.get(block=False)
            except Empty:
                continue
            yield message.payload["number"], len(message.payload["body"])
            message.ack()
            count -= 1


def test_a_message_is_read_whole_while_others_are_written(url, options):
    def write() -> None:
        with (
            Connection(url, transport_options=options) as connection,
            connection.SimpleQueue("work") as queue,
        ):
            for number in range(MESSAGES):
                queue.put({"number": number, "body": BODY})

    def read() -> list[tuple[int, int]]:
        with Connection(url, transport_options=options) as connection:
            return list(taken(connection, MESSAGES))

    with ThreadPoolExecutor(2) as pool:
        written, found = pool.submit(write), pool.submit(read)
        assert sorted(found.result(60)) == [(number, len(BODY)) for number in range(MESSAGES)]
        written.result(60)
    assert list(Path(options["data_folder_in"]).iterdir()) == []
