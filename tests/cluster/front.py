"""The proxy of docs/cluster in front of a web server of this machine."""

import contextlib
import http.client
import shutil
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.cluster.certificate import self_signed
from tests.environment.debian import require_programs
from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, Program

CONFIGURATION = CHECKOUT / "docs/cluster/haproxy-front.cfg"
HOST = "127.0.0.1"
# What every client is to wait for a response at most.
MAX_SECONDS = 2.0


@dataclass
class Front:
    """The proxy: its port, and the certificate that clients trust, if they use TLS."""

    port: int
    certificate: Path | None

    @property
    def url(self) -> str:
        return f"http{'s' if self.certificate else ''}://{HOST}:{self.port}"

    def request(self, method: str, path: str, **options: object) -> requests.Response:
        """Send a request with the deadline that every client is to keep."""
        options = {"timeout": MAX_SECONDS, "verify": str(self.certificate), **options}
        return requests.request(method, self.url + path, **options)  # type: ignore[arg-type]

    def is_responding(self) -> bool:
        """Return whether a web node responds through the proxy."""
        with contextlib.suppress(requests.RequestException):
            return self.request("GET", "/health/live").ok
        return False

    def connect(self, address: str = HOST, window: int = 0) -> ssl.SSLSocket:
        """Open a connection from `address`, which receives at most about `window` unread bytes."""
        plain = socket.socket()
        if window:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        plain.settimeout(30)
        plain.bind((address, 0))
        plain.connect((HOST, self.port))
        return self._context().wrap_socket(plain, server_hostname=HOST)

    def client(self, address: str) -> http.client.HTTPSConnection:
        """Return a client at `address` that keeps its connection."""
        return http.client.HTTPSConnection(
            HOST, self.port, context=self._context(), source_address=(address, 0), timeout=30
        )

    def _context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.certificate)


@contextlib.contextmanager
def running_front(folder: Path, web_port: int, *, tls: bool = True) -> Iterator[Front]:
    """Run the proxy before the web server, which is both of its web nodes."""
    require_programs({"haproxy": "haproxy"})
    front = Front(claim_ports(), folder / "exchange.crt" if tls else None)
    # A port of any user, instead of 443.
    text = CONFIGURATION.read_text().replace(":8000", f":{web_port}")
    if front.certificate:
        pem = self_signed("exchange.example", HOST)
        front.certificate.write_bytes(pem.certificate)
        (folder / "exchange.pem").write_bytes(pem.key + pem.certificate)
        text = text.replace(":443", f":{front.port}")
    else:
        secure = ':443" ssl crt "${DIRECTORY}/exchange.pem" alpn http/1.1'
        assert secure in text
        text = text.replace(secure, f':{front.port}"')
    (folder / "haproxy.cfg").write_text(text)
    values = {"ADDRESS": HOST, "DIRECTORY": str(folder), "HOST_NAME": HOST, "WEB1": HOST}
    program = Program(
        command=[shutil.which("haproxy") or "", "-W", "-f", str(folder / "haproxy.cfg")],
        environment={**values, "WEB2": HOST, "STREAMS1": HOST, "STREAMS2": HOST},
        ready=front.is_responding,
        output=folder / "haproxy.log",
    )
    program.start()
    try:
        yield front
    finally:
        program.kill()
