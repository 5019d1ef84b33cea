"""Sample events: the examples of the reference of webhooks."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from exchange.core.ids import uuid7
from exchange.events.services.outbox import emit


@cache
def sample_data() -> Mapping[str, Any]:
    """Return the `data` of an example by event type."""
    document: dict[str, Any] = {"components": {"schemas": {}}}
    for hook in settings.SPECTACULAR_SETTINGS["POSTPROCESSING_HOOKS"]:
        if ".event_schema." in hook:
            import_string(hook)(document)
    return {
        event_type: described["post"]["requestBody"]["content"]["application/json"]["examples"][
            "event"
        ]["value"]["data"]
        for event_type, described in document["webhooks"].items()
    }


def emit_sample(organisation_id: UUID, event_type: str) -> UUID:
    """Emit a sample event; return its id. It is about no record of the organisation."""
    with transaction.atomic():
        return emit(
            organisation_id=organisation_id,
            event_type=event_type,
            subject_id=uuid7(),
            data=json.dumps(sample_data()[event_type], separators=(",", ":")),
        )
