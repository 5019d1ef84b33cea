"""Stops the supervised processes when their supervisor is killed.

Reads `+pgid` and `-pgid` lines from standard input, which the supervisor keeps open. At the end of
input it sends SIGTERM to every listed group, then SIGKILL. A supervisor that stops normally has
removed its groups by then.
"""

import contextlib
import os
import signal
import sys
import time

_STOP_SECONDS = 7.0


def main() -> None:
    """Wait for the end of the supervisor, then stop its processes."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # for the supervisor, whose end this waits for
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    deadline = time.monotonic() + _STOP_SECONDS
    while groups and time.monotonic() < deadline:
        groups = {group for group in groups if signal_group(group, signal.SIGTERM)}
        time.sleep(0.25)
    for group in groups:
        signal_group(group, signal.SIGKILL)


def signal_group(group: int, number: signal.Signals) -> bool:
    """Send a signal to a process group; return False when the group is empty."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
