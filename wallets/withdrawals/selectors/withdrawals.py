"""Withdrawals of an organisation, and lookups by reference and ledger subject."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from exchange.core.database import fetch_one, read_cursor
from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import Withdrawal


def organisation_withdrawals(organisation_id: UUID) -> QuerySet[Withdrawal]:
    """Return all withdrawals of an organisation and its members."""
    return Withdrawal.objects.filter(organisation_id=organisation_id)


# `WITHDRAWAL_WITH_BANK` of the stored documents.
_WITH_BANK = """left(w.document, -1) || ',"bank_details":' || b.document || '}'"""
_READ = f"""
    SELECT {_WITH_BANK}, w.reason
    FROM wallets_withdrawal w JOIN wallets_bankaccount b ON b.id = w.bank_id
    WHERE w.id = %s AND w.organisation_id = %s
"""  # noqa: S608 - a constant
_READ_PAGE = f"""
    SELECT {_WITH_BANK}
    FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
    JOIN wallets_withdrawal w ON w.id = wanted.id
    JOIN wallets_bankaccount b ON b.id = w.bank_id
    ORDER BY wanted.place
"""  # noqa: S608 - a constant


def read_withdrawal(organisation_id: UUID, withdrawal_id: UUID) -> tuple[str, str]:
    """Return the withdrawal with its bank, as JSON, and its reason. Raises `WithdrawalNotFound`."""
    row = fetch_one(_READ, [withdrawal_id, organisation_id], retryable=True)
    if row is None:
        raise WithdrawalNotFound
    document, reason = row
    return document, reason


def read_withdrawals(withdrawal_ids: Sequence[UUID]) -> list[str]:
    """Return withdrawals with their banks, as JSON, in the order of `withdrawal_ids`."""
    with read_cursor() as cursor:
        cursor.execute(_READ_PAGE, [list(withdrawal_ids)])
        return [text for (text,) in cursor.fetchall()]


def find_by_reference(reference: str) -> list[UUID]:
    """Return the ids of withdrawals with this reference."""
    return list(Withdrawal.objects.filter(reference=reference).values_list("pk", flat=True))


def payee_subquery(column: str) -> Subquery:
    """Return a subquery for the payee of the withdrawal whose id is in `column`."""
    about = Withdrawal.objects.filter(pk=OuterRef(column)).order_by()
    return Subquery(about.values("bank__account_name"))
