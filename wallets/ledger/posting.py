"""Opening accounts and posting transfers through `open_account` and `post_service_transfers`.

Call inside a transaction that holds the lock of the record the money moves for. Lock order: token,
then order, loan or withdrawal, then accounts by id (done by the function).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from exchange.core.actors import Actor
from exchange.core.database import violated_constraint
from exchange.core.ids import uuid7
from wallets.ledger.errors import closed_error
from wallets.ledger.models import AccountKind, TransferKind

# Unique indexes of `ledger_guard.sql`.
_ONCE = ("transfer_closes_once", "transfer_charges_once", "transfer_reverses_once")


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg of a transfer; `amount` (never zero) is added to the account."""

    account_id: UUID
    amount: Decimal


class InsufficientFunds(Exception):
    """A leg would overdraw an owner's account; nothing was posted."""


class TransferAlreadyPosted(Exception):
    """The step was posted before, under this reference or another; nothing was posted."""


def open_account(
    asset_id: str,
    kind: AccountKind,
    *,
    organisation_id: UUID,
    member_id: UUID | None = None,
) -> UUID:
    """Return the id of the owner's account, opened if needed.

    Raises `MemberClosed` instead of opening one for a closed member.
    """
    return _open(asset_id, kind, organisation_id, member_id)


def wallet_account(record: Any, kind: AccountKind) -> UUID:
    """Return the owner's account of `kind` in the currency of a withdrawal or deposit."""
    return open_account(
        record.currency_id,
        kind,
        organisation_id=record.organisation_id,
        member_id=record.member_id,
    )


def system_account(asset_id: str, kind: AccountKind) -> UUID:
    """Return the id of a system account: clearing, fees, expenses or issuance."""
    return _open(asset_id, kind, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """A transfer to post.

    `reference` names a step that happens once per subject (`withdrawal:<id>:close`).
    """

    kind: TransferKind
    reference: str
    subject_id: UUID | None
    actor: Actor
    legs: Sequence[Leg]
    memo: str = ""


def open_accounts(
    wanted: Collection[tuple[str, AccountKind, UUID | None]],
) -> dict[tuple[str, AccountKind, UUID | None], UUID]:
    """Return account ids by asset, kind and organisation (None: system), opened if needed.

    Runs one statement.
    """
    # In the order that `enter_orders` uses too.
    ordered = sorted(wanted, key=lambda a: (str(a[2]), a[0], a[1]))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT open_account(a.id, a.asset, a.kind, a.organisation, NULL)"
            " FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::uuid[])"
            " AS a (id, asset, kind, organisation)",
            [
                [uuid7() for _ in ordered],
                [asset for asset, _, _ in ordered],
                [str(kind) for _, kind, _ in ordered],
                [organisation_id for _, _, organisation_id in ordered],
            ],
        )
        return dict(zip(ordered, (found for (found,) in cursor.fetchall()), strict=True))


def post_transfer(
    *,
    kind: TransferKind,
    reference: str,
    subject_id: UUID | None,
    actor: Actor,
    legs: Sequence[Leg],
    memo: str = "",
) -> UUID:
    """Post one transfer (see `Posting`) and return its id.

    Raises `InsufficientFunds`, `TransferAlreadyPosted` or `MemberClosed`, with nothing posted and
    the surrounding transaction still usable.
    """
    transfer = Posting(
        kind=kind,
        reference=reference,
        subject_id=subject_id,
        actor=actor,
        legs=legs,
        memo=memo,
    )
    (transfer_id,) = post_transfers([transfer])
    return transfer_id


def post_transfers(transfers: Sequence[Posting]) -> list[UUID]:
    """Post transfers in one call, all or none. Raises as `post_transfer`.

    No transfer may have two legs of one account. Legs of zero are skipped.
    """
    if not transfers:
        return []
    ids = [uuid7() for _ in transfers]
    legs = [
        (transfer_id, leg)
        for transfer_id, one in zip(ids, transfers, strict=True)
        for leg in one.legs
    ]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                _POST,
                [
                    ids,
                    [str(one.kind) for one in transfers],
                    [one.reference for one in transfers],
                    [one.subject_id for one in transfers],
                    [str(one.actor) for one in transfers],
                    [one.memo for one in transfers],
                    [transfer_id for transfer_id, _ in legs],
                    [leg.account_id for _, leg in legs],
                    [leg.amount for _, leg in legs],
                ],
            )
    except IntegrityError as error:
        constraint = violated_constraint(error) or ""
        references = ", ".join(one.reference for one in transfers[:3])
        if constraint == "account_balance_not_negative":
            raise InsufficientFunds(references) from error
        if constraint.startswith(("transfer_reference_once", *_ONCE)):
            raise TransferAlreadyPosted(references) from error
        if (closed := closed_error(error)) is not None:
            raise closed from error
        raise
    return ids


_POST = (
    "SELECT post_service_transfers(%s::uuid[], %s::text[], %s::text[], %s::uuid[], %s::text[],"
    " %s::text[], %s::uuid[], %s::uuid[], %s::numeric[])"
)


def _open(
    asset_id: str, kind: AccountKind, organisation_id: UUID | None, member_id: UUID | None
) -> UUID:
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT open_account(%s, %s, %s, %s, %s)",
                [uuid7(), asset_id, kind, organisation_id, member_id],
            )
            account_id: UUID = cursor.fetchone()[0]
    except IntegrityError as error:
        if (closed := closed_error(error)) is not None:
            raise closed from error
        raise
    return account_id
