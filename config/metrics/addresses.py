"""Where each program serves its metrics.

Imports no prometheus_client, which reads the folder of its files at import.
"""

import sys

from django.conf import settings

from config.ports import PortUnusable, claim_port

WEB, WORKER, BEAT, STREAMS = 0, 1, 2, 3


def address_of(program: int) -> tuple[str, int] | None:
    """Return where `program` serves its metrics, None if nowhere."""
    if settings.METRICS_LISTEN is None:
        return None
    host, port = settings.METRICS_LISTEN
    return host, port + program


def claim_address(program: int) -> tuple[str, int] | None:
    """Return where `program` serves its metrics, None if nowhere; exit if the port is in use."""
    address = address_of(program)
    if address is None:
        return None
    host, port = address
    try:
        claim_port(host, port)
    except PortUnusable as error:
        reason = f"port {port} of {host} is in use" if "in use" in str(error) else str(error)
        sys.exit(
            f"METRICS_LISTEN: {reason}. Give an address whose port, and the next three for"
            " worker, beat and streams, are free."
        )
    return host, port
