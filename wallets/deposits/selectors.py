"""Selectors of deposits."""

from __future__ import annotations

from uuid import UUID

from wallets.deposits.models import Deposit


def find_deposit_ids(reference: str) -> list[UUID]:
    """Return the ids of the deposits with this reference."""
    return list(Deposit.objects.filter(reference=reference).values_list("pk", flat=True))
