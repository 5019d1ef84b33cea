"""What statements about pending deliveries share: their endpoints, and the ids of their events.

Imports no models: the metrics need it before the apps are loaded.
"""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from exchange.core.database import fetch_one
from exchange.core.ids import first_id_at

# The retries of an event end within ten days, even if each waits for the longest `Retry-After`.
# Older ones are pending only after an outage, or when they are sent again.
_YOUNG = timedelta(days=10)
# Clocks may differ by a day.
_AHEAD = timedelta(days=1)
_HAS_OLDER = """
SELECT EXISTS (SELECT FROM exchange_eventdelivery WHERE status = 'Pending' AND event_id < %s)
"""
# The table of endpoints with pending deliveries, of WITH RECURSIVE. Walks them through the index.
WAITING = """waiting AS (
    (SELECT endpoint_id FROM exchange_eventdelivery
     WHERE status = 'Pending' AND event_id BETWEEN %(oldest)s AND %(newest)s
     ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id FROM exchange_eventdelivery d
            WHERE d.status = 'Pending' AND d.endpoint_id > w.endpoint_id
                AND d.event_id BETWEEN %(oldest)s AND %(newest)s
            ORDER BY d.endpoint_id LIMIT 1)
    FROM waiting w WHERE w.endpoint_id IS NOT NULL
)"""


def pending_ids() -> dict[str, UUID]:
    """Return bounds of the ids of events to deliver, the parameters `oldest` and `newest`.

    With them, a statement reads the partitions of one or two months instead of all.
    """
    now = timezone.now()
    oldest = first_id_at(now - _YOUNG)
    if fetch_one(_HAS_OLDER, [oldest]) == (True,):
        oldest = UUID(int=0)
    return {"oldest": oldest, "newest": first_id_at(now + _AHEAD)}
