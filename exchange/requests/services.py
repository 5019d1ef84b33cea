"""Remove what the request log keeps no longer."""

from datetime import timedelta

from django.utils import timezone

from exchange.core.ids import first_id_at
from exchange.core.querysets import purge
from exchange.partitions.services import REQUEST_LOG_DAYS
from exchange.requests.models import LoggedRequest, ReadCount


def purge_requests() -> int:
    """Delete what is older than `REQUEST_LOG_DAYS`; return the number of rows deleted."""
    oldest = timezone.now() - timedelta(days=REQUEST_LOG_DAYS)
    old = LoggedRequest.objects.filter(id__lt=first_id_at(oldest)).order_by("id")
    return purge(old) + purge(ReadCount.objects.filter(hour_at__lt=oldest).order_by("id"))
