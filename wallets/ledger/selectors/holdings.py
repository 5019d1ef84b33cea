"""Holdings of an owner, as wire documents."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from exchange.core.database import read_cursor
from exchange.tokens.models import Token
from wallets.ledger import payloads
from wallets.ledger.models import Account, AccountKind

# Unsold units of a raise are not a holding.
HOLDING_KINDS = (AccountKind.AVAILABLE, AccountKind.RESERVED, AccountKind.LIEN)


def held_tokens(owner_id: UUID) -> QuerySet[Token]:
    """Return the tokens of which the owner holds units, in any state."""
    held = Account.objects.filter(owner_id=owner_id, kind__in=HOLDING_KINDS, balance__gt=0)
    # DISTINCT makes PostgreSQL start from the owner's accounts. A plain join may scan the tokens by
    # name and read all accounts of each.
    return Token.objects.filter(id__in=held.values("asset__token_id").distinct())


def holding_documents(owner_id: UUID, token_ids: Sequence[UUID]) -> list[str]:
    """Return the documents (JSON texts) of the owner's holdings, in the order of `token_ids`."""
    with read_cursor() as cursor:
        cursor.execute(_HOLDINGS, [list(token_ids), owner_id])
        return [text for (text,) in cursor.fetchall()]


_HOLDINGS = f"""
    SELECT {payloads.HOLDING.expression("r")}
    FROM (
        SELECT t.id AS token_id, t.name, t.symbol, t.currency_id, t.next_record_at,
               t.next_payment_date, wanted.place,
               coalesce(sum(a.balance) FILTER (WHERE a.kind = 'available'), 0) AS available,
               coalesce(sum(a.balance) FILTER (WHERE a.kind = 'reserved'), 0) AS reserved,
               coalesce(sum(a.balance) FILTER (WHERE a.kind = 'lien'), 0) AS lien
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN exchange_token t ON t.id = wanted.id
        JOIN wallets_account a ON a.owner_id = %s AND a.asset_id = t.id::text
        GROUP BY t.id, wanted.place
    ) r
    ORDER BY r.place
"""  # noqa: S608 - built from the declaration in payloads
