"""Transfers of an organisation."""

from uuid import UUID

from django.db.models import QuerySet

from exchange.core.querysets import get_or_raise
from wallets.transfers.errors import TransferNotFound
from wallets.transfers.models import WalletTransfer


def organisation_transfers(organisation_id: UUID) -> QuerySet[WalletTransfer]:
    """Return the transfers between wallets of an organisation and its members."""
    return WalletTransfer.objects.filter(organisation_id=organisation_id)


def transfer_document(organisation_id: UUID, transfer_id: UUID) -> str:
    """Return the document (JSON text) of a transfer. Raises `TransferNotFound`."""
    found = organisation_transfers(organisation_id).filter(id=transfer_id)
    return get_or_raise(found.values_list("document", flat=True), TransferNotFound)
