"""Webhooks of payments as attackers, careless networks and a confused provider send them.

Each is drawn from the genuine webhooks of real transactions, by a seeded generator.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

SECRET = "tests-webhook-hash"
# One more than the service accepts.
TOO_LARGE = 64 * 1024 + 1

_STATUSES = ("successful", "failed", "pending", "SUCCESSFUL", "completed", "", None, 1)
_AMOUNTS: tuple[Any, ...] = (
    0, -1000, 0.001, 10**14, 10**15, 10**40, 1e308, "1000", "NaN", None, True, [1000], {"value": 1},
)  # fmt: skip
_CURRENCIES = ("USD", "KES", "NGN", "XXX", "", "N" * 300, None, 566)
_IDS: tuple[Any, ...] = (
    0, -1, 1.0, 1.5, 10**18 - 1, 10**18, 10**40, "1", "1 OR 1=1", "", None, True, [1], {"id": 1},
)  # fmt: skip
_REFERENCES: tuple[Any, ...] = (
    "", " ", "deposit_00000000000000000000000000", "x" * 100, "x" * 101, "x" * 5000, "a\x00b",
    "\x00", "\n", "'; DROP TABLE wallets_payment; --", "é" * 60, "😀" * 100, "\u202e", 0,
    None, [], {},
)  # fmt: skip
_EVENTS: tuple[Any, ...] = (
    "transfer.completed", "charge.failed", "charge.", "charge", "refund.completed",
    "CHARGE.COMPLETED", "subscription.cancelled", "", None, 5, ["charge.completed"], {"charge.": 1},
)  # fmt: skip
_NOT_JSON = (
    b"", b"null", b"0", b"[]", b'"charge.completed"', b"true", b"{", b"\xff\xfe\x00", b"not json",
    b'{"event":"charge.completed"}', b'{"event":"charge.completed","data":null}',
    b'{"event":"charge.completed","data":[]}', b'{"event":"charge.completed","data":{}}',
    b'{"event":"charge.completed","data":{"id":1,"tx_ref":"\\ud800"}}',
    b'{"event":"charge.completed","data":{"id":NaN,"tx_ref":"a"}}',
    b'{"event":"charge.completed","data":{"id":1e999,"tx_ref":"a"}}',
    b"<xml/>", b"[" * 5000, b'{"data":' * 5000, b"verif-hash=tests-webhook-hash",
)  # fmt: skip
_FORGED_HASHES = (
    None, "", " ", "wrong", SECRET[:-1], f"{SECRET}x", SECRET.upper(), f"Bearer {SECRET}", "null",
    "é" * 20, "x" * 4000, f"{SECRET},{SECRET}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Webhook:
    """A request to the endpoint; `kind` says how it was made."""

    kind: str
    body: bytes
    secret: str | None = SECRET

    @property
    def authentic(self) -> bool:
        return self.secret == SECRET

    @property
    def status(self) -> int:
        """The status of the response that it deserves."""
        if len(self.body) >= TOO_LARGE:
            return 413
        return 200 if self.authentic else 401


def genuine(record: dict[str, Any]) -> Webhook:
    """Return the webhook that the provider sends of a transaction."""
    data = {key: value for key, value in record.items() if key not in {"amount_settled", "meta"}}
    return Webhook("genuine", _encode({"event": "charge.completed", "data": data}))


class HostileWebhooks:
    """Draws webhooks around the genuine ones of `records`."""

    def __init__(self, random: Random, records: list[dict[str, Any]]) -> None:
        self._random = random
        self._records = records
        self._sent: list[Webhook] = []
        self._makers: dict[str, Callable[[dict[str, Any]], Webhook]] = {
            "genuine": genuine,
            "replayed": self._replayed,
            "forged": self._forged,
            "amount": self._field("amount", _AMOUNTS),
            "charged_amount": self._field("charged_amount", _AMOUNTS),
            "app_fee": self._field("app_fee", _AMOUNTS),
            "currency": self._field("currency", _CURRENCIES),
            "status": self._field("status", _STATUSES),
            "tx_ref": self._field("tx_ref", _REFERENCES),
            "id": self._field("id", _IDS),
            "another id": self._another("id"),
            "another tx_ref": self._another("tx_ref"),
            "unknown id": self._unknown_id,
            "owner": self._owner,
            "event": self._event,
            "types": self._types,
            "nested": self._nested,
            "repeated keys": self._repeated_keys,
            "huge": self._huge,
            "not JSON": lambda _: Webhook("not JSON", self._random.choice(_NOT_JSON)),
            "cut": self._cut,
        }

    def draw(self, count: int) -> list[Webhook]:
        """Return `count` webhooks; each kind is among them equally often, in any order."""
        kinds = list(self._makers)
        for number in range(count):
            make = self._makers[kinds[number % len(kinds)]]
            webhook = make(self._random.choice(self._records))
            self._sent.append(webhook)
            if webhook.status == 200 and self._random.random() < 0.05:
                self._sent.append(webhook)  # delivered twice at once
        sent, self._sent = self._sent[:count], []
        self._random.shuffle(sent)
        return sent

    def _replayed(self, record: dict[str, Any]) -> Webhook:
        earlier = [each for each in self._sent if each.status == 200]
        body = self._random.choice(earlier).body if earlier else genuine(record).body
        return Webhook("replayed", body)

    def _forged(self, record: dict[str, Any]) -> Webhook:
        event = _event_of(record)
        event["data"] |= {"status": "successful", "amount": 10**6}
        return Webhook("forged", _encode(event), self._random.choice(_FORGED_HASHES))

    def _field(self, key: str, values: tuple[Any, ...]) -> Callable[[dict[str, Any]], Webhook]:
        def make(record: dict[str, Any]) -> Webhook:
            event = _event_of(record)
            event["data"][key] = self._random.choice(values)
            if self._random.random() < 0.1:
                del event["data"][key]
            return Webhook(key, _encode(event))

        return make

    def _another(self, key: str) -> Callable[[dict[str, Any]], Webhook]:
        def make(record: dict[str, Any]) -> Webhook:
            event = _event_of(record)
            event["data"][key] = self._random.choice(self._records)[key]
            return Webhook(f"another {key}", _encode(event))

        return make

    def _unknown_id(self, record: dict[str, Any]) -> Webhook:
        event = _event_of(record)
        event["data"]["id"] = 5_000_000 + self._random.randrange(20)
        return Webhook("unknown id", _encode(event))

    def _owner(self, record: dict[str, Any]) -> Webhook:
        event, other = _event_of(record), self._random.choice(self._records)
        event["data"] |= {"customer": other["customer"], "account_id": 1, "flw_ref": "FLW-other"}
        event |= {"owner": other["tx_ref"], "meta_data": {"member": other["tx_ref"]}}
        return Webhook("owner", _encode(event))

    def _event(self, record: dict[str, Any]) -> Webhook:
        event = _event_of(record)
        event["event"] = self._random.choice(_EVENTS)
        # The data of a transfer names it by `reference`.
        event["data"]["reference"] = event["data"]["tx_ref"]
        return Webhook("event", _encode(event))

    def _types(self, record: dict[str, Any]) -> Webhook:
        event = _event_of(record)
        wrong: Any = self._random.choice([[], {}, 0, "", None, True, 1.5, "x" * 300])
        keys = self._random.sample(sorted(event["data"]), 4)
        event["data"] |= dict.fromkeys(keys, wrong)
        return Webhook("types", _encode(event))

    def _nested(self, record: dict[str, Any]) -> Webhook:
        event = _event_of(record)
        deep = self._random.choice([2, 50, 900, 5000])
        text = _encode(event)[:-1] + b',"more":' + b'{"a":' * deep + b"1" + b"}" * deep + b"}"
        return Webhook("nested", text)

    def _repeated_keys(self, record: dict[str, Any]) -> Webhook:
        other = self._random.choice(self._records)
        data = json.dumps(_event_of(record)["data"])[1:-1]
        again = json.dumps({"id": other["id"], "status": "successful", "amount": 10**9})[1:-1]
        parts = self._random.choice([(data, again), (again, data)])
        body = f'{{"event":"charge.completed","data":{{{",".join(parts)}}}}}'
        return Webhook("repeated keys", body.encode())

    def _huge(self, record: dict[str, Any]) -> Webhook:
        event = _event_of(record)
        event["data"]["narration"] = "x" * self._random.choice([9_000, 60_000, 70_000, 200_000])
        return Webhook("huge", _encode(event))

    def _cut(self, record: dict[str, Any]) -> Webhook:
        body = genuine(record).body
        return Webhook("cut", body[: self._random.randrange(len(body))])


def _event_of(record: dict[str, Any]) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(genuine(record).body)
    return event


def _encode(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode()
