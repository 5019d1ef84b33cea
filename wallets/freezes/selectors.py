"""Reads of freezes, and of what blocks an owner."""

from typing import Protocol
from uuid import UUID

from django.db.models import F, Func, Q, QuerySet, TextField

from exchange.core.database import fetch_one
from exchange.participants.models import Member, Organisation
from wallets.freezes.models import Freeze


class WalletRecord(Protocol):
    """A record of a wallet: whose, and in which currency."""

    organisation_id: UUID
    member_id: UUID | None
    currency_id: str


def find_block(record: WalletRecord) -> str:
    """Return why money of the record's wallet may not leave it: an error code, or ""."""
    row = fetch_one(
        "SELECT owner_block(%s, %s, %s)",
        [record.organisation_id, record.member_id, record.currency_id],
    )
    return (row and row[0]) or ""


def block_expression(prefix: str = "") -> Func:
    """Return the same as an expression, null without one; `prefix` leads to the wallet's record."""
    columns = (F(f"{prefix}{name}") for name in ("organisation_id", "member_id", "currency_id"))
    return Func(*columns, function="owner_block", output_field=TextField(null=True))


def active_freezes(owner: Member | Organisation) -> QuerySet[Freeze]:
    """Return the freezes in effect of a member, or of an organisation's own wallet."""
    return Freeze.objects.filter(owner_id=owner.pk, lifted_at=None)


def find_freeze(owner_id: UUID, currency: str | None = None) -> Freeze | None:
    """Return the latest freeze in effect of the owner as a whole, or of `currency`."""
    frozen = Q(currency=None) if currency is None else Q(currency=None) | Q(currency=currency)
    return Freeze.objects.filter(frozen, owner_id=owner_id, lifted_at=None).first()


def is_frozen(owner_id: UUID, currency: str | None = None) -> bool:
    """Return whether the owner is frozen as a whole, or in `currency`."""
    return find_freeze(owner_id, currency) is not None
