"""Entries of the request log."""

from typing import Any

from django.utils import timezone

from exchange.core.ids import uuid7
from exchange.participants.models import ApiKey
from exchange.requests.recording import ReadKey, RequestEntry, RequestLog


def make_entry(key: ApiKey, **values: Any) -> RequestEntry:
    """Return the entry of a refused POST with the key; `values` are its own."""
    made = {
        "id": uuid7(),
        "organisation_id": str(key.organisation_id),
        "key_id": str(key.pk),
        "method": "POST",
        "path": "/v1/api/members",
        "status_code": 400,
        "code": "invalid_request",
        "fields": ["email"],
        "request_id": "order.17",
        "milliseconds": 1,
        "created_at": timezone.now(),
    }
    return RequestEntry(**{**made, **values})


def log_requests(key: ApiKey) -> None:
    """Write a refused request of the key, and a read."""
    log = RequestLog()
    log.add_request(make_entry(key))
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    log.count_read(ReadKey(str(key.organisation_id), str(key.pk), "/v1/api/tokens", hour))
    log.flush()
