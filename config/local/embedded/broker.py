"""The broker of an installation that has none: messages as files under the data directory.

It is kombu's filesystem transport, but whatever a file holds appears in its folder whole, and is
taken by one. There, a message or the list of an exchange's queues can be read before it is written,
two processes that begin together can undo what the other wrote, and a message that is taken moves
through the folder of temporary files, which another file system may hold. Whoever reads half a file
ends. And there, all connections of a process share what they know to be bound: one that comes while
another is binding a queue takes it for bound, and what it sends reaches nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.transport.virtual import BrokerState
from kombu.utils.json import dumps, loads

Binding = filesystem.exchange_queue_t


def write_whole(path: Path, content: Any) -> None:
    """Makes a file appear, or changes it, in one step. Raises `ChannelError`."""
    unfinished = path.with_name(f".{path.name}.{uuid4()}")  # of no queue and no exchange
    try:
        unfinished.write_text(dumps(content))
        unfinished.replace(path)
    except OSError as error:
        raise ChannelError(f"Cannot write {path}") from error


class Channel(filesystem.Channel):
    """One connection's view of the folders."""

    # --- Messages ---

    # The two classes it comes from disagree about the name of the second argument.
    def _put(  # type: ignore[override]
        self, queue: str, payload: dict[str, Any], **_: Any
    ) -> None:
        """Puts a message onto the queue. Raises `ChannelError` when it cannot be written."""
        # They are taken in the order of their names.
        name = f"{time_ns():020d}_{uuid4()}.{queue}.msg"
        write_whole(Path(self.data_folder_out, name), payload)

    def _get(self, queue: str) -> Any:  # type: ignore[override]  # as of `_put`
        """Takes the oldest message of the queue. Raises `Empty`, or `ChannelError`."""
        folder = Path(self.data_folder_in)
        for name in sorted(path.name for path in folder.iterdir()):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f".{name}.taken"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:  # by another
                continue
            try:
                message = taken.read_text()
                taken.unlink()
            except OSError as error:
                raise ChannelError(f"Cannot read {taken}") from error
            return loads(message)
        raise Empty

    # --- Queues of exchanges ---

    def get_table(self, exchange: str) -> list[Binding]:  # type: ignore[override]  # as above
        """The queues of an exchange, with what leads to each. Raises `ChannelError`."""
        path = self._path(exchange)
        try:
            return [Binding(*binding) for binding in loads(path.read_text())]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ChannelError(f"Cannot read {path}") from error

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str | None, queue: str) -> None:
        binding = Binding(routing_key or "", pattern or "", queue or "")
        with self._exchanges_locked():
            table = self.get_table(exchange)
            if binding not in table:
                write_whole(self._path(exchange), [binding, *table])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *_: Any, **__: Any
    ) -> None:
        self._purge(queue)
        binding = Binding(routing_key or "", pattern or "", queue or "")
        with self._exchanges_locked():
            table = self.get_table(exchange)
            if binding in table:
                others = [other for other in table if other != binding]
                write_whole(self._path(exchange), others)

    def _path(self, exchange: str) -> Path:
        """Where its queues are listed. Raises `ChannelError` for a name that leads elsewhere."""
        path: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]  # stubs are older
        return path

    @contextmanager
    def _exchanges_locked(self) -> Iterator[None]:
        """Lets one process at a time change what exchanges lead to."""
        self.control_folder.mkdir(exist_ok=True)
        with (self.control_folder / ".lock").open("w") as lock:
            flock(lock, LOCK_EX)  # until it is closed, by whatever
            yield


class Transport(filesystem.Transport):
    """What `files://` means to Celery."""

    Channel = Channel

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self.state = BrokerState()  # of this connection: binding twice does no harm


def register() -> None:
    """Lets broker URLs begin with `files://`."""
    TRANSPORT_ALIASES["files"] = f"{__name__}:{Transport.__qualname__}"
