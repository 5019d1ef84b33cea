"""Checks whether ports are free, and whether a service responds."""

import errno
import http.client
import socket


class PortUnusable(Exception):
    """A port cannot be listened on; the message is one line."""


def claim_port(host: str, port: int) -> int:
    """Return `port` if a server can listen on it, or a free one for 0. Raises PortUnusable."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen(1)  # on some platforms bind() succeeds despite another listener
            return int(trial.getsockname()[1])
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise PortUnusable(
                f"Port {port} on {host} is in use: stop the process that listens there, or choose "
                "another with --port."
            ) from error
        raise PortUnusable(f"Cannot listen on {host}, port {port}: {error}") from error


def is_responding(host: str, port: int, path: str) -> bool:
    """Return whether `GET path` on the port returns a status below 500."""
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
