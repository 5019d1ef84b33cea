"""Network namespaces: one per node, joined by a bridge, and partitions between them.

Everything happens inside the namespaces that `python -m tests.cluster` enters, so nothing here
touches the machine's own network, and all of it vanishes with the process.
"""

import subprocess
from collections.abc import Iterable
from ipaddress import IPv4Network

NETWORK = IPv4Network("10.77.0.0/24")
_BRIDGE = "cluster0"


def run(*command: str) -> str:
    """Run `command` and return its output. Raises RuntimeError with what it wrote."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def create_bridge() -> None:
    """Create the bridge of all nodes; this process takes part with the network's first address."""
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", _BRIDGE, "type", "bridge")
    run("ip", "addr", "add", f"{NETWORK[1]}/{NETWORK.prefixlen}", "dev", _BRIDGE)
    run("ip", "link", "set", _BRIDGE, "up")


def add_namespace(name: str, address: str) -> None:
    """Create the namespace `name` with `address` on the bridge."""
    run("ip", "netns", "add", name)
    run("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
    run("ip", "link", "set", f"to-{name}", "master", _BRIDGE, "up")
    run("ip", "-n", name, "addr", "add", f"{address}/{NETWORK.prefixlen}", "dev", "eth0")
    run("ip", "-n", name, "link", "set", "eth0", "up")
    run("ip", "-n", name, "link", "set", "lo", "up")


def partition(name: str, addresses: Iterable[str]) -> None:
    """Drop every packet between the namespace `name` and `addresses`, in both directions."""
    listed = ", ".join(addresses)
    rules = f"""
        table ip partition {{
            chain outgoing {{
                type filter hook output priority 0;
                ip daddr {{ {listed} }} drop
            }}
            chain incoming {{
                type filter hook input priority 0;
                ip saddr {{ {listed} }} drop
            }}
        }}
    """
    run("ip", "netns", "exec", name, "nft", rules)


def heal(name: str) -> None:
    """End the partition of the namespace `name`."""
    run("ip", "netns", "exec", name, "nft", "delete", "table", "ip", "partition")


def pids(name: str) -> list[int]:
    """Return the processes of the namespace `name`."""
    return [int(pid) for pid in run("ip", "netns", "pids", name).split()]
