"""Control endpoints under `/sandbox`, outside the provider's wire format."""

import threading
from collections import deque
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from config.local.sandbox.collection_control import CollectionControl
from config.local.sandbox.database import number
from config.local.sandbox.faults import FaultScript, read_fault
from config.local.sandbox.requests import Request
from config.local.sandbox.responses import Response
from config.local.sandbox.rules import RequestRejected
from config.local.sandbox.store import SandboxStore, rest_record

_MAX_REQUESTS = 10_000


class RequestLog:
    """Log of the latest requests to the wire format, for tests. In memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: deque[dict[str, Any]] = deque(maxlen=_MAX_REQUESTS)

    def add(self, **entry: Any) -> dict[str, Any]:
        """Add a request; the caller fills in the response later."""
        with self._lock:
            self._entries.append(entry)
        return entry

    def entries(self) -> list[dict[str, Any]]:
        """Return the requests, oldest first."""
        with self._lock:
            return [dict(entry) for entry in self._entries]

    def clear(self) -> None:
        """Remove all requests."""
        with self._lock:
            self._entries.clear()


class ControlApi:
    """Control endpoints. They need no key: bind the sandbox to loopback."""

    def __init__(
        self,
        store: SandboxStore,
        collection: CollectionControl,
        faults: FaultScript,
        log: RequestLog,
    ) -> None:
        self._store = store
        self._table: dict[tuple[str, str], Callable[[Any], Any]] = {
            ("GET", "/sandbox/health"): lambda _: {"status": "ok"},
            ("GET", "/sandbox/faults"): lambda _: faults.pending(),
            ("POST", "/sandbox/faults"): lambda body: faults.add(read_fault(body)),
            ("DELETE", "/sandbox/faults"): lambda _: faults.clear(),
            ("GET", "/sandbox/requests"): lambda _: log.entries(),
            ("DELETE", "/sandbox/requests"): lambda _: log.clear(),
            ("GET", "/sandbox/transfers"): self._transfers,
            ("GET", "/sandbox/webhooks"): lambda _: store.webhooks(),
            ("POST", "/sandbox/settle"): self._settle,
            ("POST", "/sandbox/return"): self._return,
            ("POST", "/sandbox/hold"): self._hold,
            ("GET", "/sandbox/float"): self._floats,
            ("POST", "/sandbox/float"): self._set_float,
            **collection.table,
        }

    def respond(self, request: Request) -> Response:
        """Respond to a request under `/sandbox`."""
        call = self._table.get((request.method, request.path.rstrip("/")))
        if call is None:
            return Response(404, {"error": f"Cannot {request.method} {request.path}"})
        try:
            return Response(200, call(request.body))
        except (ValueError, TypeError, InvalidOperation, RequestRejected) as problem:
            return Response(400, {"error": str(problem)})

    def _transfers(self, _: Any) -> list[dict[str, Any]]:
        return [rest_record(row) for row in self._store.latest_of("transfers")]

    def _settle(self, body: Any) -> dict[str, int]:
        values = body if isinstance(body, dict) else {}
        status = values.get("status")
        if status not in {None, "SUCCESSFUL", "FAILED"}:
            raise ValueError("status must be SUCCESSFUL or FAILED")
        return {"settled": self._store.settle(values.get("reference"), status)}

    def _hold(self, body: Any) -> dict[str, bool]:
        values = body if isinstance(body, dict) else {}
        reference, held = values.get("reference"), values.get("held", True)
        if not isinstance(reference, str) or not isinstance(held, bool):
            raise TypeError("hold takes a reference, and held: true or false")
        self._store.hold(reference, held=held)
        return {"held": held}

    def _return(self, body: Any) -> dict[str, bool]:
        reference = body.get("reference") if isinstance(body, dict) else None
        if not self._store.return_money(str(reference)):
            raise ValueError("there is no successful transfer with this reference")
        return {"returned": True}

    def _floats(self, _: Any) -> dict[str, Any]:
        return {currency: number(str(amount)) for currency, amount in self._store.floats().items()}

    def _set_float(self, body: Any) -> dict[str, Any]:
        if not isinstance(body, dict) or body.get("currency") not in self._store.floats():
            raise ValueError("currency must be one with a float")
        amount = Decimal(str(body.get("amount")))
        if not amount.is_finite() or amount < 0:
            raise ValueError("amount must not be negative")
        self._store.set_float(body["currency"], amount)
        return self._floats(None)
