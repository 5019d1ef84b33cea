"""Movements of all wallets of an organisation."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from credit.movements.payloads import MOVEMENT
from exchange.core.database import read_cursor
from wallets.ledger.models import Entry
from wallets.ledger.selectors.wallets import WALLET_KINDS


def movements_of(organisation_id: UUID) -> QuerySet[Entry]:
    """Return the entries of the wallets of the organisation and of its members."""
    return Entry.objects.filter(
        account__organisation_id=organisation_id,
        account__kind__in=WALLET_KINDS,
        asset__currency__isnull=False,
    )


def read_movements(entry_ids: Sequence[UUID]) -> list[str]:
    """Return the documents (JSON texts) of entries, in the order of `entry_ids`."""
    with read_cursor() as cursor:
        cursor.execute(_MOVEMENTS, [list(entry_ids)])
        return [text for (text,) in cursor.fetchall()]


# The order of a fill is the one of its owner: no order is matched with another of its owner.
_MOVEMENTS = f"""
    SELECT {MOVEMENT.expression("r")}
    FROM (
        SELECT wanted.place, e.id, e.transfer_id AS transfer, a.organisation_id, a.member_id,
               t.kind, e.asset_id AS currency, a.kind AS account, e.amount, e.balance_after,
               CASE t.kind WHEN 'withdrawal_settle' THEN w.fee
                           WHEN 'deposit' THEN d.fee
                           WHEN 'trade' THEN own.fee
                           WHEN 'raise_sale' THEN own.fee END AS fee,
               coalesce(w.reference, d.reference, t.reference) AS reference,
               coalesce(w.client_reference, d.client_reference, i.client_reference,
                        o.client_reference, l.client_reference) AS client_reference,
               t.subject_id, o.id AS "order", t.memo, t.created_at
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN wallets_entry e ON e.id = wanted.id
        JOIN wallets_transfer t ON t.id = e.transfer_id
        JOIN wallets_account a ON a.id = e.account_id
        LEFT JOIN wallets_withdrawal w ON w.id = t.subject_id
        LEFT JOIN wallets_deposit d ON d.id = t.subject_id
        LEFT JOIN wallets_wallettransfer i ON i.id = t.subject_id
        LEFT JOIN credit_loan l ON l.id = t.subject_id
        LEFT JOIN LATERAL (
            SELECT side.id, side.fee
            FROM orders_trade x,
                LATERAL (VALUES (x.buy_order_id, x.buyer_fee), (x.sell_order_id, x.seller_fee))
                    AS side (id, fee)
            JOIN orders_order own_order ON own_order.id = side.id
            WHERE x.id = t.subject_id AND own_order.owner_id = a.owner_id
        ) own ON true
        LEFT JOIN orders_order o ON o.id = coalesce(own.id, t.subject_id)
    ) r
    ORDER BY r.place
"""  # noqa: S608 - of the declaration in payloads
