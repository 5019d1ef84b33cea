"""Scripted faults: kind, matching requests and number of times."""

import itertools
import threading
from dataclasses import dataclass
from typing import Any

import msgspec

HTTP_KINDS = frozenset(
    {
        "timeout_before",
        "timeout_after",
        "error_5xx",
        "malformed",
        "oversized",
        "slow_drip",
        "reset",
        "rate_limit",
        "unauthorized",
        "wrong_amount",
        "wrong_reference",
        "hidden",
        "unfiltered",
        "short_page",
        "repeated_row",
        "broken_row",
    }
)
WEBHOOK_KINDS = frozenset(
    {
        "duplicate_webhook",
        "forged_webhook",
        "tampered_webhook",
        "misdirected_webhook",
        "delayed_webhook",
        "no_webhook",
    }
)
# Faults whose request is executed unless `effect` is set.
_AFTER_EFFECT = HTTP_KINDS - {"timeout_before", "error_5xx", "reset", "rate_limit", "unauthorized"}


@dataclass(frozen=True, slots=True)
class RequestTraits:
    """Properties of a request that faults can match."""

    method: str = ""
    path: str = ""
    reference: str = ""
    account: str = ""


class Match(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Properties that a request must have; empty ones match all."""

    method: str = ""
    path_prefix: str = ""
    reference: str = ""
    account: str = ""


class Fault(Match, forbid_unknown_fields=True):
    """A scripted fault; see the package docstring."""

    fault: str
    times: int = 1
    effect: bool | None = None
    seconds: float | None = None
    interval: float = 1.0
    status: int = 503
    retry_after: float | None = 1
    body: str = "<html><body>Bad gateway</body></html>"
    size: int = 16 * 1024 * 1024
    id: int = 0

    @property
    def has_effect(self) -> bool:
        """Return whether a request with this fault is executed."""
        return self.fault in _AFTER_EFFECT if self.effect is None else self.effect

    def matches(self, traits: RequestTraits) -> bool:
        """Return whether a request matches."""
        return (
            self.times > 0
            and self.method in {"", traits.method}
            and traits.path.startswith(self.path_prefix)
            and self.reference in {"", traits.reference}
            and self.account in {"", traits.account}
        )


def read_fault(body: Any) -> Fault:
    """Parse the body of `POST /sandbox/faults`. Raises ValueError or TypeError."""
    if not isinstance(body, dict):
        raise TypeError("a fault is an object")
    values = {key: value for key, value in body.items() if key != "match"}
    if unknown := set(values) & {"id", *Match.__struct_fields__}:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    if values.get("fault") not in HTTP_KINDS | WEBHOOK_KINDS:
        raise ValueError(f"fault is one of {', '.join(sorted(HTTP_KINDS | WEBHOOK_KINDS))}")
    match = msgspec.convert(body.get("match") or {}, Match)
    return msgspec.convert(values | msgspec.structs.asdict(match), Fault)


class FaultScript:
    """Pending faults, oldest first. In memory: a restart removes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def add(self, fault: Fault) -> Fault:
        """Append a fault."""
        with self._lock:
            fault.id = next(self._ids)
            self._faults.append(fault)
        return fault

    def clear(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._faults.clear()

    def pending(self) -> list[Fault]:
        """Return the pending faults."""
        with self._lock:
            return list(self._faults)

    def take(self, kinds: frozenset[str], traits: RequestTraits) -> Fault | None:
        """Return the first matching fault of these kinds, and count it as used once."""
        with self._lock:
            for fault in self._faults:
                if fault.fault in kinds and fault.matches(traits):
                    fault.times -= 1
                    self._faults = [each for each in self._faults if each.times > 0]
                    return fault
        return None
