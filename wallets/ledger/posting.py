"""Opening accounts and posting transfers, by the SQL functions of the same names.

Call inside a transaction that also holds the lock of the record the money moves for: the lock
order is token, then order or loan or withdrawal, then accounts by id (the function's own part).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from exchange.actors import Actor
from exchange.database import constraint_of
from exchange.ids import uuid7
from wallets.models.ledger import AccountKind, TransferKind

# Unique indexes of `ledger_guard.sql`.
_ONCE = ("transfer_closes_once", "transfer_charges_once", "transfer_reverses_once")


@dataclass(frozen=True, slots=True)
class Leg:
    """`amount`, positive or negative but not zero, is added to the account."""

    account_id: UUID
    amount: Decimal


class InsufficientFunds(Exception):
    """A leg would take an owner's account below zero; nothing was posted."""


class TransferAlreadyPosted(Exception):
    """What it does was done before, under this reference or another one; nothing was posted."""


def open_account(
    asset_id: str,
    kind: AccountKind,
    *,
    organisation_id: UUID,
    member_id: UUID | None = None,
) -> UUID:
    """The id of the owner's account, made when it does not exist yet."""
    return _open(asset_id, kind, organisation_id, member_id)


def system_account(asset_id: str, kind: AccountKind) -> UUID:
    """The id of the exchange's own account: clearing, fees, expenses or issuance."""
    return _open(asset_id, kind, None, None)


def post_transfer(
    *,
    kind: TransferKind,
    reference: str,
    subject_id: UUID | None,
    actor: Actor,
    legs: Sequence[Leg],
    memo: str = "",
) -> UUID:
    """Posts one transfer and returns its id.

    `reference` names what the transfer does once in the life of its subject
    (`withdrawal:<id>:close`). Raises `InsufficientFunds` or `TransferAlreadyPosted`, with nothing
    posted and the surrounding transaction still usable.
    """
    transfer_id = uuid7()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT post_transfer(%s, %s, %s, %s, %s, %s, %s::uuid[], %s::uuid[],"
                " %s::numeric[])",
                [
                    transfer_id,
                    kind,
                    reference,
                    subject_id,
                    str(actor),
                    memo,
                    [uuid7() for _ in legs],
                    [leg.account_id for leg in legs],
                    [leg.amount for leg in legs],
                ],
            )
    except IntegrityError as error:
        constraint = constraint_of(error) or ""
        if constraint == "account_balance_not_negative":
            raise InsufficientFunds(reference) from error
        if constraint.startswith(("transfer_reference_once", *_ONCE)):
            raise TransferAlreadyPosted(reference) from error
        raise
    return transfer_id


def _open(
    asset_id: str, kind: AccountKind, organisation_id: UUID | None, member_id: UUID | None
) -> UUID:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT open_account(%s, %s, %s, %s, %s)",
            [uuid7(), asset_id, kind, organisation_id, member_id],
        )
        account_id: UUID = cursor.fetchone()[0]
    return account_id
