"""Withdrawals as their organisation sees them, and entries of a statement, as wire documents."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import Withdrawal


def withdrawals_of(organisation_id: UUID) -> QuerySet[Withdrawal]:
    """All withdrawals of an organisation, its members' too."""
    return Withdrawal.objects.filter(organisation_id=organisation_id)


def withdrawal_document(organisation_id: UUID, withdrawal_id: UUID) -> tuple[str, str]:
    """The document (JSON text) of a withdrawal and its reason. Raises `WithdrawalNotFound`."""
    row = (
        withdrawals_of(organisation_id)
        .filter(id=withdrawal_id)
        .values_list("document", "reason")
        .first()
    )
    if row is None:
        raise WithdrawalNotFound
    return row
