"""HTTP/1.1 server of the sandbox: connections, keys, scripted faults and threads."""

import hmac
import re
import socket
import struct
import sys
import threading
from dataclasses import replace
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from config.local.sandbox.checkout_page import PAGE_PREFIX, CheckoutPage
from config.local.sandbox.collection_control import CollectionControl
from config.local.sandbox.collection_routes import CollectionRoutes
from config.local.sandbox.collection_store import CollectionStore
from config.local.sandbox.control import ControlApi, RequestLog
from config.local.sandbox.faults import HTTP_KINDS, Fault, FaultScript, RequestTraits
from config.local.sandbox.options import SandboxOptions
from config.local.sandbox.requests import Request
from config.local.sandbox.responses import Response, error
from config.local.sandbox.routes import Routes
from config.local.sandbox.store import SandboxStore
from config.local.sandbox.tampering import tamper
from config.local.sandbox.webhooks import WebhookPlanner, WebhookSender

_MAX_BODY_BYTES = 1024 * 1024
_MAX_FIELDS = 100
_REFERENCES = ("reference", "tx_ref")
_decoder = msgspec.json.Decoder(float_hook=Decimal)


class SandboxServer:
    """A sandbox. `start()` returns once the port is bound, `stop()` once nothing runs.

    Clients of the provider use `base_url`; `url` is the root of the control endpoints.
    """

    def __init__(self, options: SandboxOptions) -> None:
        self.options = options
        self.faults = FaultScript()
        self.requests = RequestLog()
        self.stopping = threading.Event()
        planner = WebhookPlanner(options, self.faults)
        self.store = SandboxStore(options, planner.plan_transfer)
        self.collection = CollectionStore(self.store, planner.plan_charge)
        self._sender = WebhookSender(options, self.store)
        collection_routes = CollectionRoutes(
            self.collection, lambda token: f"{self.url}{PAGE_PREFIX}{token}"
        )
        self.routes = Routes(self.store, collection_routes)
        self.checkout_page = CheckoutPage(self.collection, options.delay)
        self.control = ControlApi(
            self.store, CollectionControl(self.collection), self.faults, self.requests
        )
        self._http = _HttpServer((options.host, options.port), self)
        self._threads = [
            threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True),
            threading.Thread(target=self._settle, daemon=True),
        ]

    @property
    def url(self) -> str:
        """Return the URL of the sandbox."""
        host, port = self._http.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def base_url(self) -> str:
        """Return the base URL of the provider API."""
        return f"{self.url}/v3"

    def start(self) -> None:
        """Start the threads that serve, settle and deliver."""
        for thread in self._threads:
            thread.start()
        self._sender.start()

    def stop(self) -> None:
        """Stop immediately: close open connections, leave the store as it is."""
        self.stopping.set()
        self.store.changed.set()
        self._sender.stop()
        if self._threads[0].is_alive():
            self._http.shutdown()
        self._http.server_close()
        self._http.close_connections()
        if self._threads[1].is_alive():
            self._threads[1].join()
        self.store.close()

    def _settle(self) -> None:
        while not self.stopping.is_set():
            self.store.changed.clear()
            waits = [self.store.advance(), self.collection.advance()]
            self._sender.notify()
            self.store.changed.wait(min((wait for wait in waits if wait is not None), default=None))


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], sandbox: SandboxServer) -> None:
        self.sandbox = sandbox
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Close the connections that clients hold open."""
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print tracebacks of our own errors, but not of disconnected clients."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "sandbox"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = 120
    server: _HttpServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Do nothing: the request log replaces this log."""

    def _serve(self) -> None:
        sandbox = self.server.sandbox
        try:
            request = self._read_request()
        except ValueError as problem:
            self.close_connection = True
            self._write(error(400, str(problem)))
            return
        if request.path.startswith(PAGE_PREFIX):
            self._write(sandbox.checkout_page.respond(request))
            return
        if request.path.startswith("/sandbox"):
            self._write(sandbox.control.respond(request))
            return
        entry = sandbox.requests.add(
            method=request.method, path=request.path, query=request.query, status=None, fault=None
        )
        if not self._has_key():
            entry["status"] = 401
            self._write(error(401, "Authorization required"))
            return
        traits = self._traits(request)
        entry["reference"], entry["account"] = traits.reference, traits.account
        fault = sandbox.faults.take(HTTP_KINDS, traits)
        if fault is None:
            response = sandbox.routes.respond(request)
            entry["status"] = response.status
            self._write(response)
            return
        entry["fault"] = fault.fault
        if fault.fault == "unfiltered":
            query = request.query | {"reference": "", "tx_ref": "", "status": ""}
            request = replace(request, query=query)
        response = sandbox.routes.respond(request) if fault.has_effect else error(503, "No effect")
        entry["status"] = response.status if fault.has_effect else None
        self._apply_fault(fault, response)

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - names of the base class

    def _read_request(self) -> Request:
        parts = urlsplit(re.sub(r"/{2,}", "/", self.path.split("?", 1)[0]))
        query = self.path.split("?", 1)[1] if "?" in self.path else ""
        if self.headers.get("Transfer-Encoding"):
            raise ValueError("Content-Length is required")
        length = self.headers.get("Content-Length") or "0"
        if not (length.isascii() and length.isdigit() and int(length[:9]) <= _MAX_BODY_BYTES):
            raise ValueError("Request body is too long")
        raw = self.rfile.read(int(length))
        if parts.path.startswith(PAGE_PREFIX):
            form = dict(parse_qsl(raw.decode("utf-8", "replace"), max_num_fields=_MAX_FIELDS))
            return Request(self.command, parts.path, {}, form)
        try:
            body = _decoder.decode(raw) if raw else None
        except (msgspec.DecodeError, RecursionError, ArithmeticError):
            raise ValueError("Request body is not valid JSON") from None
        return Request(
            self.command, parts.path, dict(parse_qsl(query, max_num_fields=_MAX_FIELDS)), body
        )

    def _has_key(self) -> bool:
        sent = self.headers.get("Authorization", "").encode("utf-8", "replace")
        keys = self.server.sandbox.options.secret_key.split(",")
        return any(hmac.compare_digest(sent, f"Bearer {key}".encode()) for key in keys)

    def _traits(self, request: Request) -> RequestTraits:
        sandbox = self.server.sandbox
        body = request.body if isinstance(request.body, dict) else {}
        values = [source.get(key) for source in (body, request.query) for key in _REFERENCES]
        reference = next((value for value in values if value), "")
        account = body.get("account_number", "")
        found = re.fullmatch(r"/v3/(transfers|transactions)/(\d{1,15})(?:/\w+)?", request.path)
        if found and found.group(1) == "transactions":
            payment = sandbox.store.find("transactions", int(found.group(2)))
            if payment is not None:
                reference, account = payment["tx_ref"], payment["account_number"]
            return RequestTraits(request.method, request.path, str(reference), str(account))
        row = sandbox.store.find("transfers", int(found.group(2))) if found else None
        if row is None and reference and not account:
            row = sandbox.store.by_reference(str(reference))
        if row is not None:
            reference, account = row["reference"], row["account_number"]
        return RequestTraits(request.method, request.path, str(reference), str(account))

    def _apply_fault(self, fault: Fault, response: Response) -> None:
        """Respond as the fault says. `answer` is the true one, if the request had its effect."""
        retry_after = {} if fault.retry_after is None else {"Retry_After": f"{fault.retry_after:g}"}
        match fault.fault:
            case "timeout_before" | "timeout_after":
                self._hang(fault)
            case "error_5xx":
                self._write_bytes(fault.status, fault.body.encode(), "text/html")
            case "malformed":
                self._write_bytes(200, fault.body.encode(), "application/json")
            case "oversized":
                self._write_bytes(200, b" " * fault.size + response.encoded(), "application/json")
            case "slow_drip":
                self._drip(fault, response)
            case "reset":
                self._reset()
            case "rate_limit":
                self._write(error(429, "Too many requests", **retry_after))
            case "unauthorized":
                self._write(error(401, "Authorization required"))
            case kind:
                self._write(tamper(response, kind))

    def _hang(self, fault: Fault) -> None:
        seconds = fault.seconds
        sandbox = self.server.sandbox
        sandbox.stopping.wait(sandbox.options.hang_seconds if seconds is None else seconds)
        self.close_connection = True

    def _drip(self, fault: Fault, response: Response) -> None:
        """Send one byte at a time, headers included, so that no single read times out."""
        body = response.encoded()
        head = f"HTTP/1.1 {response.status} OK\r\nContent-Length: {len(body)}\r\n\r\n"
        self.close_connection = True
        for byte in head.encode() + body:
            self.connection.sendall(bytes([byte]))
            if self.server.sandbox.stopping.wait(fault.interval):
                return

    def _reset(self) -> None:
        """Reset the connection."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()

    def _write(self, response: Response) -> None:
        self._write_bytes(
            response.status, response.encoded(), response.content_type, response.headers
        )

    def _write_bytes(
        self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self._headers_buffer: list[bytes]
        head = b"".join(self._headers_buffer) + b"\r\n"
        self._headers_buffer = []
        self.wfile.write(head + body)
