"""Messages as files: each is read completely, and once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from pathlib import Path
from queue import Empty
from threading import Barrier
from time import monotonic

import pytest
from django.conf import settings
from kombu import Connection, Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from config.local.embedded import broker

MESSAGES = 100
# Large enough that writing takes much longer than opening the file.
BODY = "x" * 50_000
TIMEOUT = 60  # seconds


@pytest.fixture
def url() -> str:
    TRANSPORT_ALIASES.update(settings.BROKER_TRANSPORTS)
    return "files://localhost//"


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    return folders_in(tmp_path)


def folders_in(parent: Path) -> dict[str, str]:
    folders = {name: str(parent / name) for name in ("messages", "control")}
    for folder in folders.values():
        Path(folder).mkdir(parents=True)
    return {
        "data_folder_in": folders["messages"],
        "data_folder_out": folders["messages"],
        "control_folder": folders["control"],
    }


def queues_of(connection: Connection, exchange: str) -> set[str]:
    """Return the names of the exchange's queues."""
    channel = connection.default_channel
    assert isinstance(channel, broker.Channel)
    return {binding.queue for binding in channel.get_table(exchange)}


def taken(connection: Connection, count: int) -> Iterator[tuple[int, int]]:
    """Take `count` messages without a pause; return their numbers and sizes."""
    end = monotonic() + TIMEOUT
    with connection.SimpleQueue("work") as queue:
        while count:
            try:
                message = queue.get(block=False)
            except Empty:
                assert monotonic() < end, f"{count} messages never came"
                continue
            yield message.payload["number"], len(message.payload["body"])
            message.ack()
            count -= 1


def test_a_message_is_read_completely_while_others_are_written(url, options):
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
        written.result()
        assert sorted(found.result()) == [(number, len(BODY)) for number in range(MESSAGES)]
    assert list(Path(options["data_folder_in"]).iterdir()) == []


def test_each_message_is_taken_once(url, options):
    with (
        Connection(url, transport_options=options) as connection,
        connection.SimpleQueue("work") as queue,
    ):
        for number in range(MESSAGES):
            queue.put({"number": number, "body": ""})

    def read(_: int) -> list[int]:
        numbers = []
        with (
            Connection(url, transport_options=options) as connection,
            connection.SimpleQueue("work") as queue,
            suppress(Empty),
        ):
            while True:
                message = queue.get(block=False)
                message.ack()
                numbers.append(message.payload["number"])
        return numbers

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(read, range(4)))
    assert sorted(chain.from_iterable(found)) == list(range(MESSAGES))
    assert all(numbers == sorted(numbers) for numbers in found)  # oldest first


def test_concurrently_bound_queues_all_receive_messages(url, options):
    """Concurrent first processes bind their queues to an exchange that does not exist yet."""
    binders, rounds = 4, 50
    together = Barrier(binders, timeout=TIMEOUT)

    def bind(binder: int) -> None:
        with Connection(url, transport_options=options) as connection:
            for number in range(rounds):
                together.wait()
                name = f"queue-{number}-{binder}"
                exchange = Exchange(f"work-{number}")
                Queue(name, exchange, name, channel=connection.default_channel).declare()

    with ThreadPoolExecutor(binders) as pool:
        list(pool.map(bind, range(binders)))
    with Connection(url, transport_options=options) as connection:
        for number in range(rounds):
            bound = {f"queue-{number}-{binder}" for binder in range(binders)}
            assert queues_of(connection, f"work-{number}") == bound


def test_a_deleted_queue_receives_no_messages(url, options):
    with Connection(url, transport_options=options) as connection:
        channel = connection.default_channel
        queues = [Queue(name, Exchange("work"), name, channel=channel) for name in ("one", "two")]
        for queue in queues:
            queue.declare()
        queues[0].delete()
        assert queues_of(connection, "work") == {"two"}
        assert queues_of(connection, "nothing") == set()


def test_each_connection_binds_for_itself(url, tmp_path):
    """One connection sends while another has started to bind the queue."""
    for name in ("one", "two"):
        options = folders_in(tmp_path / name)
        with (
            Connection(url, transport_options=options) as connection,
            connection.SimpleQueue("work") as queue,
        ):
            queue.put({"number": 1, "body": ""})
        with Connection(url, transport_options=options) as connection:
            assert list(taken(connection, 1)) == [(1, 0)]
