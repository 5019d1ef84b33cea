"""Conversions of an organisation."""

from uuid import UUID

from django.db.models import QuerySet

from exchange.core.querysets import get_or_raise
from wallets.conversions.errors import ConversionNotFound
from wallets.conversions.models import Conversion


def organisation_conversions(organisation_id: UUID) -> QuerySet[Conversion]:
    """Return the conversions of an organisation and its members."""
    return Conversion.objects.filter(organisation_id=organisation_id)


def conversion_document(organisation_id: UUID, conversion_id: UUID) -> str:
    """Return the document (JSON text) of a conversion. Raises `ConversionNotFound`."""
    found = organisation_conversions(organisation_id).filter(id=conversion_id)
    return get_or_raise(found.values_list("document", flat=True), ConversionNotFound)
