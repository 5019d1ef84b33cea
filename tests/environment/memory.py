"""Peak memory of a process (Linux)."""

from pathlib import Path


def reset_peak(pid: int) -> None:
    """Restart the measurement of `peak_memory`."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_memory(pid: int) -> int:
    """Return the peak resident memory of the process in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"process {pid} reports no peak")


def process_tree(pid: int) -> list[int]:
    """Return the pids of the process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in process_tree(int(child)))]
