"""A broker of files in the data directory, used without a broker URL.

kombu's filesystem transport with atomic files. In the original, a message or an exchange's list of
queues can be read half-written, concurrent processes can overwrite each other's changes, and taken
messages pass through the temporary folder, which may be another file system. Also, its connections
share the state of bindings: a message sent while another connection binds the queue is lost.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.transport.virtual import BrokerState
from kombu.utils.json import dumps, loads

Binding = filesystem.exchange_queue_t


def write_atomically(path: Path, content: Any) -> None:
    """Create or replace a file atomically. Raises `ChannelError`."""
    unfinished = path.with_name(f".{path.name}.{uuid4()}")  # the name of no queue or exchange
    try:
        unfinished.write_text(dumps(content))
        unfinished.replace(path)
    except OSError as error:
        raise ChannelError(f"Cannot write {path}") from error


class Channel(filesystem.Channel):
    """A connection's access to the folders."""

    # --- Messages ---

    # The two base classes disagree about the name of the second argument.
    def _put(  # type: ignore[override]
        self, queue: str, payload: dict[str, Any], **_: Any
    ) -> None:
        """Add a message to the queue. Raises `ChannelError` when it cannot be written."""
        # Messages are taken in the order of their names.
        name = f"{time_ns():020d}_{uuid4()}.{queue}.msg"
        write_atomically(Path(self.data_folder_out, name), payload)

    def _get(self, queue: str) -> Any:  # type: ignore[override]  # as of `_put`
        """Take the oldest message of the queue. Raises `Empty` or `ChannelError`."""
        folder = Path(self.data_folder_in)
        for name in sorted(path.name for path in folder.iterdir()):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f".{name}.taken"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:  # taken by another process
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
        """Return the bindings of an exchange. Raises `ChannelError`."""
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
                write_atomically(self._path(exchange), [binding, *table])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *_: Any, **__: Any
    ) -> None:
        self._purge(queue)
        binding = Binding(routing_key or "", pattern or "", queue or "")
        with self._exchanges_locked():
            table = self.get_table(exchange)
            if binding in table:
                rest = [each for each in table if each != binding]
                write_atomically(self._path(exchange), rest)

    def _path(self, exchange: str) -> Path:
        """Return the file of an exchange. Raises `ChannelError` for an invalid name."""
        path: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]  # stubs are older
        return path

    @contextmanager
    def _exchanges_locked(self) -> Iterator[None]:
        """Hold the lock for changes of bindings."""
        self.control_folder.mkdir(exist_ok=True)
        with (self.control_folder / ".lock").open("w") as lock:
            flock(lock, LOCK_EX)  # released when the file is closed
            yield


class FileTransport(filesystem.Transport):
    """The transport of `files://` broker URLs."""

    Channel = Channel

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self.state = BrokerState()  # per connection: binding twice does no harm
