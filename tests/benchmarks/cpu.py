"""CPU time of the servers of an installation, read from /proc; robust on a busy machine.

Linux only; elsewhere readings are empty.
"""

import os
from pathlib import Path

from tests.benchmarks.installation import Installation

_PROC = Path("/proc")
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class CpuMeter:
    """Measures the CPU seconds that the web servers and PostgreSQL have used."""

    def __init__(self, installation: Installation) -> None:
        self._sessions = set(installation.servers)
        pid_file = installation.server_folder / "postgres" / "data" / "postmaster.pid"
        self._postmaster = int(pid_file.read_text().split()[0])

    def read(self) -> dict[str, float]:
        """Return the two readings, or nothing where there is no /proc."""
        if not (_PROC / "self" / "stat").exists():
            return {}
        application = database = 0
        for folder in _PROC.iterdir():
            if not folder.name.isdigit():
                continue
            try:
                # Skip the name in parentheses, which may contain spaces.
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # the process has ended
                continue
            parent, session = int(fields[1]), int(fields[3])
            own, ended_children = sum(map(int, fields[11:13])), sum(map(int, fields[13:15]))
            if session in self._sessions:
                application += own
            elif int(folder.name) == self._postmaster:
                database += own + ended_children
            elif parent == self._postmaster:
                database += own
        return {
            "application": application / _TICKS_PER_SECOND,
            "database": database / _TICKS_PER_SECOND,
        }
