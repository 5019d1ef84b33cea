"""Ends the processes that a killed run leaves: web servers, workers, browsers, its PostgreSQL.

All of them inherit the run's name from pytest's main process. This process has its standard input
from there, and acts when that ends, however the run ended.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.environment.processes import CHECKOUT

_ATTEMPTS, _PAUSE_SECONDS = 100, 0.1


@contextmanager
def reaping(variable: str, folder: Path | None = None) -> Iterator[None]:
    """Kill, after the block or this process, every process that inherited the value of `variable`.

    Also removes `folder`.
    """
    name = f"{variable}={os.environ[variable]}"
    command = [sys.executable, "-m", "tests.environment.reaper", name, str(folder or "")]
    environment = {key: value for key, value in os.environ.items() if key != variable}
    # In a session of its own: Ctrl-C does not reach it.
    reaper = subprocess.Popen(
        command, cwd=CHECKOUT, env=environment, stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        yield
    finally:
        # This process has the name since it set it, not in its first environment.
        reaper.communicate()


def marked(name: str) -> list[int]:
    """Return the processes with `name`, as `VARIABLE=value`, in their first environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.fsencode(name) in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def main() -> None:
    """Wait for the end of the standard input, then kill and remove what is left."""
    name, folder = sys.argv[1:]
    sys.stdin.read()
    for _ in range(_ATTEMPTS):
        left = marked(name)
        if not left:
            break
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_SECONDS)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
