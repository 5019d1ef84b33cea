"""The channels of a stream: what of which token."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from exchange.api.viewsets import parse_path_id
from exchange.core.errors import InvalidRequest
from exchange.tokens.errors import TokenNotFound

MOST_CHANNELS = 100


class Kind(StrEnum):
    """What a channel tells of its token."""

    BOOK = "book"
    TRADES = "trades"
    TICKER = "ticker"


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel; its text is that of the request, with the id in its usual form."""

    kind: Kind
    token: UUID

    def __str__(self) -> str:
        return f"{self.kind}:{self.token}"


def read_channels(text: str) -> Sequence[Channel]:
    """Return the channels of `channels=book:{id},trades:{id}`, each once.

    Raises `InvalidRequest` for none, too many or another kind, `TokenNotFound` for another id.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not 0 < len(names) <= MOST_CHANNELS:
        raise InvalidRequest(f"channels must name 1 to {MOST_CHANNELS} channels")
    return tuple(dict.fromkeys(_read_channel(name) for name in names))


def _read_channel(name: str) -> Channel:
    kind, separator, token = name.partition(":")
    if not separator or kind not in set(Kind):
        known = ", ".join(f"{each}:{{token_id}}" for each in Kind)
        raise InvalidRequest(f"channels must be of the form {known}")
    return Channel(Kind(kind), parse_path_id(token, TokenNotFound))
