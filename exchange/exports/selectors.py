"""Reads of exports: those a person may see, and the bytes of a file."""

from collections.abc import Iterator

from django.db.models import QuerySet

from exchange.exports.models import Export, ExportChunk, ExportStatus
from exchange.staff.models import StaffUser

READ_ALL_PERMISSION = "exchange.read_every_export"


def get_readable_exports(user: StaffUser) -> QuerySet[Export]:
    """Return the person's own exports; all exports for auditors."""
    exports = Export.objects.select_related("requested_by")
    return exports if user.has_perm(READ_ALL_PERMISSION) else exports.filter(requested_by=user)


def read_file(export: Export) -> Iterator[bytes]:
    """Yield the file of a Ready export in chunks; ends early if the file is deleted meanwhile."""
    position = 0
    while True:
        data = (
            ExportChunk.objects.filter(
                export=export, position=position, export__status=ExportStatus.READY
            )
            .values_list("data", flat=True)
            .first()
        )
        if data is None:
            return
        yield bytes(data)
        position += 1
