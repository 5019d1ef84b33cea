"""The broker of an installation that has none: messages as files under the data directory.

It is kombu's filesystem transport, but a message appears in its folder whole. There, a file can be
read before it is written, and the worker that reads half a message ends.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """One connection's view of the folders."""

    # The two classes it comes from disagree about the name of the second argument.
    def _put(  # type: ignore[override]
        self, queue: str, payload: dict[str, Any], **_: Any
    ) -> None:
        """Puts a message onto the queue. Raises `ChannelError` when it cannot be written."""
        # Readers take them in the order of their names, which begin with the time.
        name = f"{round(monotonic() * 1000)}_{uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        unfinished = folder / f".{name}"  # no reader takes this for a message of its queue
        try:
            unfinished.write_text(dumps(payload))
            unfinished.replace(folder / name)
        except OSError as error:
            raise ChannelError(f"Cannot add {name} to {folder}") from error


class Transport(filesystem.Transport):
    """What `files://` means to Celery."""

    Channel = Channel


def register() -> None:
    """Lets broker URLs begin with `files://`."""
    TRANSPORT_ALIASES["files"] = f"{__name__}:{Transport.__qualname__}"
