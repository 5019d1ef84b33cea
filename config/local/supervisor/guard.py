"""Ends the supervised processes when their supervisor is killed without a chance to do so.

Reads `+pgid` and `-pgid` lines from standard input, which the supervisor holds open for as long
as it lives; at the end of it asks every group still listed to stop, then kills what is left.
A clean supervisor has taken its groups off the list by then.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

_STOP_SECONDS = 7.0


def main() -> None:
    """Watch until the supervisor is gone, then clean up after it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # meant for the supervisor, whose end we wait for
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
    """Send a signal to a process group; False when nobody is left in it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
