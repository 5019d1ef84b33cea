"""Start the reference cluster, inject faults under load, and print what each of them cost.

Enters network, mount and process namespaces of its own first: the machine's network is untouched,
and every process of the cluster ends with this one.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.cluster import cluster as clusters
from tests.cluster import faults, network
from tests.cluster.run import run, write_results

_INSIDE = "EXCHANGE_CLUSTER_NAMESPACES"


def main() -> int:
    """Run the faults that the command line names; return 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    parser.add_argument("--faults", default="all", help="names, comma-separated")
    parser.add_argument("--logs", type=Path, help="copy the logs of all programs to this folder")
    parser.add_argument("--docs", action="store_true", help="write the table to docs/cluster")
    parser.add_argument("--list", action="store_true", help="list the faults and exit")
    options = parser.parse_args()
    if options.list:
        for name, fault in faults.FAULTS.items():
            print(f"{name:32}{fault.description}")
        return 0
    chosen = list(faults.FAULTS) if options.faults == "all" else options.faults.split(",")
    if unknown := set(chosen) - set(faults.FAULTS):
        parser.error(f"no such fault: {', '.join(sorted(unknown))}; --list shows them")
    if os.geteuid() != 0:
        parser.error("needs root, to create network namespaces")
    if missing := clusters.missing_packages():
        parser.error(f"install these Debian packages first: {' '.join(missing)}")
    if _INSIDE not in os.environ:
        _enter_namespaces()
    if os.getpid() == 1 and (child := os.fork()):
        return _reap_until_end_of(child)
    _prepare_mounts()
    with tempfile.TemporaryDirectory(prefix="cluster-", ignore_cleanup_errors=True) as folder:
        rows = run(Path(folder), chosen, options.logs)
    if options.docs:
        write_results(rows, os.cpu_count() or 1)
    return 0 if all(row.result.passed for row in rows) else 1


def _enter_namespaces() -> None:
    """Replace this process by itself inside its own namespaces."""
    command = [
        *("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
        *(sys.executable, "-m", "tests.cluster", *sys.argv[1:]),
    ]
    os.execvpe(command[0], command, {**os.environ, _INSIDE: "1"})


def _reap_until_end_of(child: int) -> int:
    """Collect ended processes, as the first process of a namespace must; return `child`'s status.

    Otherwise a killed PostgreSQL stays as a zombie, and Patroni takes it for a running one.
    """
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def _prepare_mounts() -> None:
    """Give `ip netns` a folder of its own, and let the service's name resolve to the proxy."""
    Path("/run/netns").mkdir(exist_ok=True)
    network.run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
    with tempfile.NamedTemporaryFile("w", prefix="hosts-", delete=False) as hosts:
        address = clusters.ADDRESSES["front"]
        hosts.write(f"127.0.0.1 localhost\n{address} {clusters.HOST_NAME}\n")
    Path(hosts.name).chmod(0o644)
    network.run("mount", "--bind", hosts.name, "/etc/hosts")
    Path(hosts.name).unlink()


if __name__ == "__main__":
    sys.exit(main())
