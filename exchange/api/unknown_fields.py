"""Fields of a body that the action does not know: ignored and named, or refused as misspelt.

A client may send more than we read. But where money moves, a misspelt optional field would lose
what it says, such as the reference of a payment.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from rest_framework import serializers

from exchange.api.serializers import LeanSerializer

IGNORED_FIELDS = "X-Ignored-Fields"
# More are neither named nor compared, which takes time.
MAX_UNKNOWN_FIELDS = 100
# Limits of the header: names, and the length of each.
_MAX_NAMES = 10
_MAX_NAME_LENGTH = 100
# Letters that a misspelling changes, adds or leaves out.
_MAX_DISTANCE = 2


def find_unknown_fields(serializer: Any, data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each unknown field's path, and the absent optional field that it misspells or ""."""
    if not isinstance(data, Mapping):
        return
    is_lean = isinstance(serializer, LeanSerializer)
    fields = serializer.known_fields if is_lean else serializer.fields
    for name, value in data.items():
        field = fields.get(name)
        if field is None:
            absent = (f for f in fields if not fields[f].required and data.get(f) is None)
            yield path + name, next((each for each in absent if _is_near(name, each)), "")
        elif isinstance(field, serializers.Serializer):
            yield from find_unknown_fields(field, value, f"{path}{name}.")
        elif isinstance(field, serializers.ListSerializer) and isinstance(value, list):
            for number, each in enumerate(value):
                yield from find_unknown_fields(field.child, each, f"{path}{name}[{number}].")
        else:
            yield from _unknown_keys(getattr(field, "known_keys", ()), value, path + name)


def _unknown_keys(known: Sequence[str], value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the same for a field of objects with `known` keys; none for one without."""
    if known and isinstance(value, list):
        for number, each in enumerate(value):
            yield from _unknown_keys(known, each, f"{path}[{number}]")
    elif known and isinstance(value, Mapping):
        for key in value:
            if key not in known:
                absent = (each for each in known if value.get(each) is None)
                yield f"{path}.{key}", next((each for each in absent if _is_near(key, each)), "")


def ignored_header(names: Sequence[str]) -> str:
    """Return the value of `X-Ignored-Fields`; other than letters and digits is escaped."""
    return ", ".join(quote(name[:_MAX_NAME_LENGTH], safe=".[]") for name in names[:_MAX_NAMES])


def _is_near(name: str, known: str) -> bool:
    """Return whether at most two letters changed, added or left out make `known` of `name`."""
    if abs(len(name) - len(known)) > _MAX_DISTANCE:
        return False
    row = list(range(len(known) + 1))
    for number, letter in enumerate(name.lower(), 1):
        previous, row = row, [number]
        for place, other in enumerate(known):
            change = previous[place] + (letter != other)
            row.append(min(change, previous[place + 1] + 1, row[place] + 1))
    return row[-1] <= _MAX_DISTANCE
