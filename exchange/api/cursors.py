"""Cursors: positions in a list, as opaque text that the same list accepts only.

A list is an organisation, an address, its filters and its sort. The text of a cursor has the
position, and a digest of both: one of another list, or an altered one, is rejected. It is checked
and not signed, so that it outlives every key (decision 63): whoever computes the digest reaches
another position in the own records, since every list reads those of its caller only.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from uuid import UUID

from rest_framework.request import Request

from exchange.core.errors import InvalidRequest

_DIGEST_BYTES = 12
# PostgreSQL's texts have none.
_SEPARATOR = "\0"
# Parameters that choose the page of a list, and `sort`, which is named apart.
_PAGING = frozenset({"after", "cursor", "limit", "page", "sort", "use_cursor"})


class InvalidCursor(InvalidRequest):
    """The cursor is not one of this list (400)."""

    code = "invalid_cursor"

    def __init__(self, parameter: str) -> None:
        super().__init__(
            f"{parameter} must be a next_cursor of this list, unchanged, "
            "with the filters and the sort that it was given for"
        )


@dataclass(frozen=True, slots=True)
class CursorList:
    """The list that a cursor belongs to."""

    organisation_id: UUID
    path: str
    sort: str
    filters: Mapping[str, str]

    @classmethod
    def of(cls, request: Request, organisation_id: UUID, *, sort: str) -> "CursorList":
        """Return the list of `request`, with the filters as they are written there."""
        query = request.query_params.items()
        filters = {name: str(value) for name, value in query if name not in _PAGING}
        return cls(organisation_id, request.path, sort, filters)

    def encode(self, position: Sequence[str]) -> str:
        """Return the cursor of `position`: texts, such as a record's sort value and id."""
        payload = _SEPARATOR.join(position).encode()
        return urlsafe_b64encode(self._digest(payload) + payload).rstrip(b"=").decode()

    def decode(self, parameter: str, text: str) -> list[str]:
        """Return the position of the cursor `text`, the value of `parameter`; raise InvalidCursor.

        The caller parses its parts, and raises InvalidCursor for those that it cannot have encoded.
        """
        try:
            content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
            position = content[_DIGEST_BYTES:].decode().split(_SEPARATOR)
        except ValueError:
            raise InvalidCursor(parameter) from None
        # Whole texts are compared, as decoding ignores characters that encoding does not write.
        if text != self.encode(position):
            raise InvalidCursor(parameter)
        return position

    def _digest(self, payload: bytes) -> bytes:
        names = [str(self.organisation_id), self.path, self.sort, sorted(self.filters.items())]
        return blake2b(
            json.dumps(names).encode() + b"\0" + payload, digest_size=_DIGEST_BYTES
        ).digest()
