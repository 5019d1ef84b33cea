"""Removing what has served its time: stored answers of idempotency keys, expired access tokens,
files of exports.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from exchange.models import Export, ExportChunk, ExportStatus, IdempotencyRecord

# Small enough that no lock is held for long.
_BATCH = 1000
# An expired token is kept for a day, so that support can still see it.
_TOKEN_KEPT = timedelta(days=1)


def purge_idempotency_keys() -> int:
    """Remove the answers that are no longer promised; gives how many."""
    before = timezone.now() - timedelta(hours=settings.IDEMPOTENCY_KEPT_HOURS)
    removed = 0
    while True:
        ids = list(
            IdempotencyRecord.objects.filter(created_at__lt=before)
            .order_by("created_at")
            .values_list("id", flat=True)[:_BATCH]
        )
        # A key may have been claimed anew since it was listed.
        count, _ = IdempotencyRecord.objects.filter(id__in=ids, created_at__lt=before).delete()
        removed += count
        if len(ids) < _BATCH:
            return removed


def purge_access_tokens() -> int:
    """Remove access tokens that expired more than a day ago; gives how many."""
    tokens = get_access_token_model().objects
    before = timezone.now() - _TOKEN_KEPT
    removed = 0
    while True:
        ids = list(tokens.filter(expires__lt=before).values_list("id", flat=True)[:_BATCH])
        tokens.filter(id__in=ids).delete()
        removed += len(ids)
        if len(ids) < _BATCH:
            return removed


def purge_exports() -> int:
    """Remove the files of exports older than they are kept, not the records; gives how many."""
    before = timezone.now() - timedelta(days=settings.EXPORT_KEPT_DAYS)
    removed = 0
    for export in Export.objects.filter(status=ExportStatus.READY, finished_at__lt=before):
        with transaction.atomic():
            Export.objects.filter(pk=export.pk).update(status=ExportStatus.REMOVED)
            ExportChunk.objects.filter(export=export).delete()
        removed += 1
    return removed
