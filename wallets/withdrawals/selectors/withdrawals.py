"""Withdrawals of an organisation, and lookups by reference and ledger subject."""

from __future__ import annotations

from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import Withdrawal


def organisation_withdrawals(organisation_id: UUID) -> QuerySet[Withdrawal]:
    """Return all withdrawals of an organisation and its members."""
    return Withdrawal.objects.filter(organisation_id=organisation_id)


def withdrawal_document(organisation_id: UUID, withdrawal_id: UUID) -> tuple[str, str]:
    """Return the document (JSON text) and reason. Raises `WithdrawalNotFound`."""
    row = (
        organisation_withdrawals(organisation_id)
        .filter(id=withdrawal_id)
        .values_list("document", "reason")
        .first()
    )
    if row is None:
        raise WithdrawalNotFound
    return row


def find_by_reference(reference: str) -> list[UUID]:
    """Return the ids of withdrawals with this reference."""
    return list(Withdrawal.objects.filter(reference=reference).values_list("pk", flat=True))


def payee_subquery(column: str) -> Subquery:
    """Return a subquery for the payee of the withdrawal whose id is in `column`."""
    about = Withdrawal.objects.filter(pk=OuterRef(column)).order_by()
    return Subquery(about.values("bank__account_name"))
