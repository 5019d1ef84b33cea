"""Checks of METRICS_LISTEN: who can connect, and whether its ports are free or the service's."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterator

import requests
from django.conf import settings

from config.doctor.findings import Diagnosis, ok, problem
from config.metrics.addresses import BEAT, WEB, WORKER
from config.ports import PortUnusable, claim_port

_PROGRAMS = {WEB: "web", WORKER: "worker", BEAT: "beat"}
_SECONDS = (2.0, 6.0)
_BYTES_READ = 256 * 1024
# Addresses of documentation: the route to them is that to the internet. Nothing is sent.
_PROBES = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def check_metrics() -> Iterator[Diagnosis]:
    """Report where metrics are served, and by whom."""
    if settings.METRICS_LISTEN is None:
        yield ok("metrics", "not served: METRICS_LISTEN is not set")
        return
    host, first = settings.METRICS_LISTEN
    # The settings refuse a public address itself.
    public = _public_addresses() if ipaddress.ip_address(host).is_unspecified else []
    if public:
        yield problem(
            "metrics",
            f"served on all addresses, with {', '.join(public)}, where anyone reads the float",
            "Give a private address of this machine in METRICS_LISTEN",
        )
    for offset, program in _PROGRAMS.items():
        yield _port(host, first + offset, program)


def _public_addresses() -> list[str]:
    """Return the public addresses from which this machine reaches the internet."""
    found = []
    for family, probe in _PROBES.items():
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.connect((probe, 9))
            found.append(trial.getsockname()[0])
    return [each for each in found if ipaddress.ip_address(each).is_global]


def _port(host: str, port: int, program: str) -> Diagnosis:
    check = f"metrics of {program}"
    try:
        claim_port(host, port)
    except PortUnusable as error:
        if "in use" not in str(error):
            return problem(check, str(error), "Give an address of this machine in METRICS_LISTEN")
        if _serves_metrics(host, port):
            return ok(check, f"served on port {port}")
        return problem(
            check,
            f"port {port} of {host} is used by another program, so {program} does not start",
            "Stop that program, or give other ports in METRICS_LISTEN",
        )
    return ok(check, f"port {port} is free: no {program} runs here")


def _serves_metrics(host: str, port: int) -> bool:
    """Return whether the service's metrics are served there."""
    session = requests.Session()
    session.trust_env = False
    shown = f"[{host}]" if ":" in host else host
    try:
        with session.get(f"http://{shown}:{port}/metrics", timeout=_SECONDS, stream=True) as reply:
            return b"exchange_" in next(reply.iter_content(_BYTES_READ), b"")
    except requests.RequestException:
        return False


CHECKS = (check_metrics,)
