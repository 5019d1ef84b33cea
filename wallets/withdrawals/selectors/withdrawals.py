"""Withdrawals as their organisation sees them, and what transfers about them lead to."""

from __future__ import annotations

from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import Withdrawal


def organisation_withdrawals(organisation_id: UUID) -> QuerySet[Withdrawal]:
    """All withdrawals of an organisation, its members' too."""
    return Withdrawal.objects.filter(organisation_id=organisation_id)


def withdrawal_document(organisation_id: UUID, withdrawal_id: UUID) -> tuple[str, str]:
    """The document (JSON text) of a withdrawal and its reason. Raises `WithdrawalNotFound`."""
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
    """The withdrawals with this reference, by their ids."""
    return list(Withdrawal.objects.filter(reference=reference).values_list("pk", flat=True))


def payee_subquery(column: str) -> Subquery:
    """The payee of the withdrawal whose id is in `column` of a query; null where it is of none."""
    about = Withdrawal.objects.filter(pk=OuterRef(column)).order_by()
    return Subquery(about.values("bank__account_name"))
