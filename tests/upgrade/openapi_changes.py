"""What changed in the OpenAPI document since the last release.

A change breaks a client when it takes away what chapter 15 of the API documentation says stays.
Those that the project accepts stand in `ACCEPTED` with their reasons; any other fails the suite.
Descriptions, examples and defaults are not compared.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.upgrade.dumps import latest_dump

Schema = Mapping[str, Any]

# Changes that break by their form, as patterns, and why no client of the last release meets them.
ACCEPTED = {
    r"^BREAKS GET .* 200 \.data \.(page|pages|total): optional$": (
        "left out only where a client asks for a cursor, which the last release did not know"
    ),
    r"^BREAKS GET /v1/orders(/token/{})? 200 \.meta: optional$": "the same",
    r"^BREAKS PATCH /v1/api/members/{} body: minProperties": "an empty body was refused already",
    r"^BREAKS GET /v1/api/events query type: pattern None": "several types may be named now",
    r"/virtual-accounts body \.currency: value \"(KES|TZS|UGX|ZAR)\" removed$": (
        "the provider opens no accounts in it: each was refused already"
    ),
}


@dataclass(frozen=True, order=True)
class Change:
    """One difference: `place` in the document, and `what` changed there."""

    place: str
    what: str
    breaks: bool

    def __str__(self) -> str:
        return f"{'BREAKS ' if self.breaks else '       '}{self.place}: {self.what}"


def changes(before: Schema, after: Schema) -> list[Change]:
    """Return every difference between two OpenAPI documents with their events, by place."""
    return sorted({*_operations(before, after), *_events(before, after)})


def _operations(before: Schema, after: Schema) -> Iterator[Change]:
    old, new = _by_operation(before), _by_operation(after)
    for place in old.keys() - new.keys():
        yield Change(place, "removed", breaks=True)
    for place in new.keys() - old.keys():
        yield Change(place, "added", breaks=False)
    for place in old.keys() & new.keys():
        compared = _Comparison(before, after, place)
        yield from compared.parameters(old[place], new[place])
        yield from compared.bodies(old[place], new[place])
        yield from compared.responses(old[place], new[place])


def _events(before: Schema, after: Schema) -> Iterator[Change]:
    old, new = before["webhooks"], after["webhooks"]
    for name in old.keys() - new.keys():
        yield Change(f"event {name}", "removed", breaks=True)
    for name in new.keys() - old.keys():
        yield Change(f"event {name}", "added", breaks=False)
    for name in old.keys() & new.keys():
        compared = _Comparison(before, after, f"event {name}")
        yield from compared.event(old[name]["post"], new[name]["post"])


def _by_operation(document: Schema) -> dict[str, Schema]:
    """The operations of `document` by method and path; names of parameters in a path are free."""
    return {
        f"{method.upper()} {re.sub(r'{[^}]*}', '{}', path)}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


class _Comparison:
    """The differences of one operation."""

    def __init__(self, before: Schema, after: Schema, place: str) -> None:
        self._before = before
        self._after = after
        self._place = place
        # The pairs of components that contain what is compared: a record may contain itself.
        self._above: list[tuple[str | None, str | None]] = []

    def parameters(self, old: Schema, new: Schema) -> Iterator[Change]:
        """Yield what changed in the query and in the headers."""
        olds, news = (
            {
                f"{found['in']} {found['name']}": found
                for found in (_resolved(document, each) for each in operation.get("parameters", []))
                if found["in"] != "path"
            }
            for document, operation in ((self._before, old), (self._after, new))
        )
        for name in olds.keys() - news.keys():
            yield Change(f"{self._place} {name}", "removed", breaks=True)
        for name in news.keys() - olds.keys():
            required = news[name].get("required", False)
            yield Change(f"{self._place} {name}", "added" + " as required" * required, required)
        for name in olds.keys() & news.keys():
            place = f"{self._place} {name}"
            if news[name].get("required", False) and not olds[name].get("required", False):
                yield Change(place, "required", breaks=True)
            yield from self._schemas(olds[name]["schema"], news[name]["schema"], place, sent=True)

    def bodies(self, old: Schema, new: Schema) -> Iterator[Change]:
        """Yield what changed in the body of the request."""
        before = _resolved(self._before, old.get("requestBody", {}))
        after = _resolved(self._after, new.get("requestBody", {}))
        if after.get("required", False) and not before.get("required", False):
            yield Change(f"{self._place} body", "required", breaks=True)
        yield from self._contents(before, after, f"{self._place} body", sent=True)

    def responses(self, old: Schema, new: Schema) -> Iterator[Change]:
        """Yield what changed in the answers."""
        olds, news = old["responses"], new["responses"]
        for status in olds.keys() - news.keys():
            yield Change(f"{self._place} {status}", "removed", breaks=True)
        for status in news.keys() - olds.keys():
            yield Change(f"{self._place} {status}", "added", breaks=False)
        for status in olds.keys() & news.keys():
            place = f"{self._place} {status}"
            before = _resolved(self._before, olds[status])
            after = _resolved(self._after, news[status])
            for header in before.get("headers", {}).keys() - after.get("headers", {}).keys():
                yield Change(f"{place} header {header}", "removed", breaks=True)
            for header in after.get("headers", {}).keys() - before.get("headers", {}).keys():
                yield Change(f"{place} header {header}", "added", breaks=False)
            yield from self._contents(before, after, place, sent=False)

    def event(self, old: Schema, new: Schema) -> Iterator[Change]:
        """Yield what changed in the body of an event."""
        yield from self._contents(old["requestBody"], new["requestBody"], self._place, sent=False)

    def _contents(
        self, before: Schema, after: Schema, place: str, *, sent: bool
    ) -> Iterator[Change]:
        olds, news = before.get("content", {}), after.get("content", {})
        for kind in olds.keys() - news.keys():
            yield Change(f"{place} {kind}", "removed", breaks=True)
        for kind in news.keys() - olds.keys():
            yield Change(f"{place} {kind}", "added", breaks=False)
        for kind in olds.keys() & news.keys():
            yield from self._schemas(olds[kind]["schema"], news[kind]["schema"], place, sent=sent)

    def _schemas(self, old: Schema, new: Schema, place: str, *, sent: bool) -> Iterator[Change]:
        """Yield what changed from schema `old` to `new`; `sent` when clients send such a value."""
        references = (old.get("$ref"), new.get("$ref"))
        if references in self._above:
            return
        if any(references):
            self._above.append(references)
        olds = _Shape(self._before, old)
        news = _Shape(self._after, new)
        yield from _values(olds, news, place, sent=sent)
        for name in olds.fields.keys() - news.fields.keys():
            yield Change(f"{place} .{name}", "removed", breaks=True)
        for name in news.fields.keys() - olds.fields.keys():
            required = sent and name in news.required
            yield Change(f"{place} .{name}", "added" + " as required" * required, required)
        for name in olds.fields.keys() & news.fields.keys():
            inner = f"{place} .{name}"
            if name in news.required and name not in olds.required:
                yield Change(inner, "required", breaks=sent)
            if name in olds.required and name not in news.required:
                yield Change(inner, "optional", breaks=not sent)
            yield from self._schemas(olds.fields[name], news.fields[name], inner, sent=sent)
        if olds.items is not None and news.items is not None:
            yield from self._schemas(olds.items, news.items, f"{place}[]", sent=sent)
        if any(references):
            self._above.pop()


class _Shape:
    """What a schema says: its types, limits, values, fields and items, over all of its parts."""

    def __init__(self, document: Schema, schema: Schema) -> None:
        self.types: set[str] = set()
        self.limits: dict[str, Any] = {}
        self.values: set[str] | None = None
        self.fields: dict[str, Schema] = {}
        self.required: set[str] = set()
        self.items: Schema | None = None
        self._read(document, schema)

    def _read(self, document: Schema, schema: Schema) -> None:
        schema = _resolved(document, schema)
        found = schema.get("type", [])
        self.types.update([found] if isinstance(found, str) else found)
        if "enum" in schema:
            self.values = (self.values or set()) | {json.dumps(each) for each in schema["enum"]}
        self.fields.update(schema.get("properties", {}))
        self.required.update(schema.get("required", []))
        self.items = schema.get("items", self.items)
        self.limits.update(
            {
                name: value
                for name, value in schema.items()
                if name in LIMITS and not isinstance(value, dict | list)
            }
        )
        for kind in ("allOf", "oneOf", "anyOf"):
            for part in schema.get(kind, []):
                self._read(document, part)


# Where a higher value refuses more (+1) or less (-1); 0: any change may refuse what was legal.
LIMITS = {
    "minimum": 1,
    "exclusiveMinimum": 1,
    "minLength": 1,
    "minItems": 1,
    "minProperties": 1,
    "maximum": -1,
    "exclusiveMaximum": -1,
    "maxLength": -1,
    "maxItems": -1,
    "maxProperties": -1,
    "multipleOf": 0,
    "pattern": 0,
    "format": 0,
}


def _values(old: _Shape, new: _Shape, place: str, *, sent: bool) -> Iterator[Change]:
    """Yield changes of types, of enumerations and of limits."""
    for name in sorted(old.types - new.types):
        yield Change(place, f"{name} removed", breaks=sent)
    for name in sorted(new.types - old.types):
        yield Change(place, f"{name} added", breaks=not sent and bool(old.types))
    if old.values is not None and new.values is None:
        yield Change(place, "enumeration opened", breaks=False)
    elif new.values is not None and old.values is None:
        yield Change(place, f"limited to {', '.join(sorted(new.values))}", breaks=sent)
    elif old.values is not None and new.values is not None:
        for value in sorted(old.values - new.values):
            yield Change(place, f"value {value} removed", breaks=sent)
        for value in sorted(new.values - old.values):
            yield Change(place, f"value {value} added", breaks=not sent)
    for name in sorted(old.limits.keys() | new.limits.keys()):
        before, after = old.limits.get(name), new.limits.get(name)
        if before != after:
            yield Change(
                place, f"{name} {before} → {after}", sent and _refuses(name, before, after)
            )


def _refuses(name: str, before: Any, after: Any) -> bool:
    """Return whether limit `name` refuses values that it accepted, when it was `before`."""
    if after is None:
        return False
    if before is None or not LIMITS[name]:
        return True
    return bool((after - before) * LIMITS[name] > 0)


def _resolved(document: Schema, found: Schema) -> Schema:
    while "$ref" in found:
        _, _, kind, name = found["$ref"].split("/")
        found = document["components"][kind][name]
    return found


def release_document() -> Schema:
    """Return the OpenAPI document of the last release."""
    release = latest_dump().name.removeprefix("release-").removesuffix(".sql.gz")
    found: Schema = json.loads(gzip.decompress(document_path(release).read_bytes()))
    return found


def document_path(release: str) -> Path:
    """Return the path of the OpenAPI document of `release`."""
    return Path(__file__).with_name(f"openapi-{release}.json.gz")


def write_document(path: Path, document: Schema) -> None:
    """Write the document to `path`, compressed; the same content has the same bytes."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def refused(found: Iterable[Change], accepted: Mapping[str, str] = ACCEPTED) -> list[Change]:
    """Return the changes that break clients and that `accepted` does not name."""
    return [
        change
        for change in found
        if change.breaks and not any(re.search(pattern, str(change)) for pattern in accepted)
    ]
