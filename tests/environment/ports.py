"""Ports for the programs of tests, which nothing else takes before they listen or restart."""

import errno
import fcntl
import os
import random
import tempfile
from pathlib import Path

from config.ports import PortUnusable, claim_port

HOST = "127.0.0.1"
# Below those that systems give to connections and to servers that ask for any port.
_PORTS = range(20_000, 32_000)
# One byte for each port: the lock of a byte ends with the process that has it.
_LOCKS = Path(tempfile.gettempdir()) / f"exchange-test-ports-{os.getuid()}"
_locks = os.open(_LOCKS, os.O_RDWR | os.O_CREAT, 0o600)
_claimed: set[int] = set()


def claim_ports(count: int = 1) -> int:
    """Return the first of `count` consecutive free ports, which this process keeps until it ends.

    No other process that calls this gets them.
    """
    start = random.randrange(len(_PORTS))
    for offset in range(0, len(_PORTS), count):
        first = _PORTS[(start + offset) % len(_PORTS)]
        ports = range(first, first + count)
        if ports[-1] in _PORTS and _claimed.isdisjoint(ports) and _lock(ports):
            _claimed.update(ports)
            if all(_is_free(port) for port in ports):
                return first
    raise AssertionError(f"No {count} ports of {_PORTS} are free")


def _lock(ports: range) -> bool:
    try:
        fcntl.lockf(_locks, fcntl.LOCK_EX | fcntl.LOCK_NB, len(ports), ports[0])
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EAGAIN}:
            return False
        raise
    return True


def _is_free(port: int) -> bool:
    try:
        claim_port(HOST, port)
    except PortUnusable:
        return False
    return True
