"""How much memory a process needs at most (Linux)."""

from __future__ import annotations

from pathlib import Path


def reset_peak(pid: int) -> None:
    """From here on `peak` is about what comes."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_memory(pid: int) -> int:
    """The most bytes of real memory that the process held at once."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"process {pid} tells no peak")


def process_tree(pid: int) -> list[int]:
    """The process and all that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in process_tree(int(child)))]
