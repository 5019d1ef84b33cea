"""Warn organisations of API keys that expire soon."""

from datetime import timedelta

import msgspec
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from exchange.core.timestamps import wire_time
from exchange.events.models import Event
from exchange.events.services.outbox import emit
from exchange.participants.models import ApiKey

EXPIRING = "api_key.expiring"
WARNING = timedelta(days=14)


def warn_of_expiring_keys() -> int:
    """Emit `api_key.expiring` once for each key that expires within `WARNING`; return how many.

    Not for revoked and rotated keys. A key whose expiry is moved by a rotation has a successor.
    """
    now = timezone.now()
    warned = Event.objects.filter(type=EXPIRING, subject_id=OuterRef("pk"))
    with transaction.atomic():
        keys = ApiKey.objects.select_for_update(no_key=True, skip_locked=True, of=("self",)).filter(
            ~Exists(warned),
            expires_at__gt=now,
            expires_at__lte=now + WARNING,
            revoked_at=None,
            rotated_to=None,
        )
        due = list(keys.order_by("pk"))
        for key in due:
            emit(
                organisation_id=key.organisation_id,
                event_type=EXPIRING,
                subject_id=key.pk,
                data=msgspec.json.encode(
                    {
                        "api_key": {
                            "client_id": key.client_id,
                            "name": key.name,
                            "expires_at": wire_time(key.expires_at),
                        }
                    }
                ).decode(),
            )
    return len(due)
