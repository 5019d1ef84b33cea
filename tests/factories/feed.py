"""Followers of the feed, and events with data of their own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from exchange.core.ids import uuid7
from exchange.events.services.outbox import emit
from exchange.participants.models import Organisation
from tests.factories.api_clients import ApiCaller

FEED = "/v1/api/events"


def emit_to(
    owner: Organisation, *, event_type: str = "order.created", subject: UUID | None = None
) -> str:
    """Write an event; return its id."""
    return str(
        emit(
            organisation_id=owner.id,
            event_type=event_type,
            subject_id=subject or uuid7(),
            data="{}",
        )
    )


@dataclass
class Follower:
    """Reads the feed page by page, as a client does: it keeps the cursor and the events."""

    caller: ApiCaller
    cursor: str = "start"
    limit: int = 200
    filters: dict[str, str] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)

    def read(self) -> list[str]:
        """Read a page, and return the ids of its events."""
        query = {"after": self.cursor, "limit": self.limit, **self.filters}
        response = self.caller.get(FEED, query)
        assert response.status_code == 200, response.content
        page = response.json()["data"]
        assert list(page) == ["count", "next_cursor", "events"]
        assert page["count"] == len(page["events"]) <= self.limit
        self.cursor = page["next_cursor"]
        self.events += page["events"]
        return [event["id"] for event in page["events"]]

    def read_all(self) -> list[str]:
        """Read until a page is not full, and return the ids of the events."""
        return [event for page in self._pages() for event in page]

    def _pages(self) -> Iterator[list[str]]:
        while len(page := self.read()) == self.limit:
            yield page
        yield page
