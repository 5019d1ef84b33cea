"""An SMTP server on loopback that keeps what it takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import cast

import pytest
from pytest_django import Settings


class MailServer(ThreadingTCPServer):
    """Takes e-mail for all addresses but `refused`; hangs up after as many as `hang_up_after`."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.port = int(self.server_address[1])
        self.taken: list[tuple[str, EmailMessage]] = []
        self.refused: set[str] = set()
        self.hang_up_after: int | None = None
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def server_close(self) -> None:
        """Stop."""
        self.shutdown()
        super().server_close()

    def to(self, address: str) -> list[EmailMessage]:
        """Return what was sent to an address."""
        return [message for recipient, message in self.taken if recipient == address]


class _Session(StreamRequestHandler):
    def handle(self) -> None:
        server = cast(MailServer, self.server)
        recipient = ""
        self._say("220 ready")
        while line := self.rfile.readline().decode().strip():
            command = line[:4].upper()
            if command == "RCPT":
                recipient = line.partition("<")[2].partition(">")[0]
                self._say("550 unknown" if recipient in server.refused else "250 ok")
            elif command == "DATA":
                self._say("354 go on")
                lines = []
                while (part := self.rfile.readline()) != b".\r\n":
                    lines.append(part.removeprefix(b".").replace(b"\r\n", b"\n"))
                if len(server.taken) == server.hang_up_after:
                    return
                message = message_from_bytes(b"".join(lines), policy=policy.default)
                server.taken.append((recipient, message))
                self._say("250 taken")
            elif command == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _say(self, reply: str) -> None:
        self.wfile.write(f"{reply}\r\n".encode())


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    """A running server, to which the service sends."""
    with MailServer() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = False
        settings.DEFAULT_FROM_EMAIL = "exchange@exchange.example"
        settings.BACK_OFFICE_URL = "https://exchange.example"
        yield server
