"""Selectors of deposits."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet

from wallets.deposits.errors import DepositNotFound
from wallets.deposits.models import Deposit, DepositChannel, DepositStatus, VirtualAccount


def organisation_deposits(organisation_id: UUID) -> QuerySet[Deposit]:
    """Return the deposits of an organisation and its members.

    Without manual ones that are not confirmed: they are drafts of the back office.
    """
    draft = Q(
        channel=DepositChannel.MANUAL, status__in=(DepositStatus.PENDING, DepositStatus.FAILED)
    )
    return Deposit.objects.filter(~draft, organisation_id=organisation_id)


def deposit_document(organisation_id: UUID, deposit_id: UUID) -> str:
    """Return the document (JSON text) of a deposit. Raises `DepositNotFound`."""
    found = organisation_deposits(organisation_id).filter(pk=deposit_id)
    document = found.values_list("document", flat=True).first()
    if document is None:
        raise DepositNotFound
    return document


def has_reference(reference: str) -> tuple[Q, Q]:
    """Return the conditions of deposits with this reference, each served by an index."""
    failed = Q(status=DepositStatus.FAILED)
    return ~failed & Q(reference=reference), failed & Q(reference=reference)


def find_deposit_ids(reference: str) -> list[UUID]:
    """Return the ids of the deposits with this reference."""
    valid, failed = has_reference(reference)
    return list(Deposit.objects.filter(valid | failed).values_list("pk", flat=True))


def virtual_account_document(account_id: UUID) -> str:
    """Return the document (JSON text) of a virtual account."""
    document: str = VirtualAccount.objects.values_list("document", flat=True).get(pk=account_id)
    return document


def virtual_account_documents(owner_id: UUID) -> list[str]:
    """Return the documents of the owner's virtual accounts, by currency."""
    rows = VirtualAccount.objects.filter(owner_id=owner_id).order_by("currency__position")
    return list(rows.values_list("document", flat=True))
