"""Balances of all owners of an organisation, and the holders of a token, as wire documents.

Accounts of one owner and asset are one record, that of the account with the lowest id: it stays
while others are opened.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from exchange.core.database import read_cursor
from exchange.core.documents import Document
from exchange.core.querysets import get_or_raise
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from wallets.ledger.models import Account, AccountKind
from wallets.ledger.payloads import HOLDER
from wallets.ledger.selectors.holdings import HOLDING_KINDS
from wallets.ledger.selectors.wallets import WALLET_KINDS


def balances_of(organisation_id: UUID) -> QuerySet[Account]:
    """Return an account of each currency that the organisation or one of its members ever had."""
    found = Account.objects.filter(organisation_id=organisation_id, asset__currency__isnull=False)
    return _once_per_owner(found, WALLET_KINDS)


def read_balances(document: Document, account_ids: Sequence[UUID]) -> list[str]:
    """Return `document` of the owners and currencies of accounts, in their order.

    Its row has the owner, the currency and the sum of each kind of account of a wallet.
    """
    statement = f"SELECT {document.expression('r')} {_BALANCES}"
    return _read(statement, [list(account_ids)])


def holders_of(organisation_id: UUID, token_id: UUID) -> QuerySet[Account]:
    """Return an account of each owner of units of a token that the organisation issued.

    Raises `TokenNotFound`.
    """
    own = Token.objects.filter(id=token_id, issuer_id=organisation_id)
    token = get_or_raise(own, TokenNotFound)
    found = _once_per_owner(Account.objects.filter(asset_id=str(token.pk)), HOLDING_KINDS)
    return found.filter(Exists(_siblings(HOLDING_KINDS).filter(balance__gt=0)))


def read_holders(organisation_id: UUID, account_ids: Sequence[UUID]) -> list[str]:
    """Return the documents of holders, in the order of `account_ids`.

    They name the owners of the organisation, and no others.
    """
    return _read(_HOLDERS, [organisation_id, list(account_ids)])


def _once_per_owner(accounts: QuerySet[Account], kinds: Iterable[AccountKind]) -> QuerySet[Account]:
    earlier = _siblings(kinds).filter(id__lt=OuterRef("id"))
    return accounts.filter(~Exists(earlier), kind__in=kinds)


def _siblings(kinds: Iterable[AccountKind]) -> QuerySet[Account]:
    return Account.objects.filter(
        owner_id=OuterRef("owner_id"), asset_id=OuterRef("asset_id"), kind__in=kinds
    )


def _read(statement: str, parameters: list[Any]) -> list[str]:
    with read_cursor() as cursor:
        cursor.execute(statement, parameters)
        return [text for (text,) in cursor.fetchall()]


def _sums(kinds: Iterable[AccountKind]) -> str:
    return ", ".join(
        f"coalesce(sum(a.balance) FILTER (WHERE a.kind = '{kind}'), 0) AS {kind}" for kind in kinds
    )


_GROUPED = """
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN wallets_account w ON w.id = wanted.id
        JOIN wallets_account a ON a.owner_id = w.owner_id AND a.asset_id = w.asset_id
        GROUP BY w.id, wanted.place
    ) r
    ORDER BY r.place
"""
_BALANCES = f"""
    FROM (
        SELECT w.id, w.organisation_id, w.member_id, w.asset_id, wanted.place,
               {_sums(WALLET_KINDS)}
        {_GROUPED}
"""
_HOLDERS = f"""
    SELECT {HOLDER.expression("r")}
    FROM (
        SELECT w.id, w.organisation_id, w.member_id, wanted.place,
               CASE w.organisation_id WHEN %s THEN w.owner_id END AS own_owner_id,
               {_sums(HOLDING_KINDS)}
        {_GROUPED}
"""  # noqa: S608 - built from the declaration in payloads
