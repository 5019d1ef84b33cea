"""Trial balances of past moments, from the entries of transfers dated before each.

The date of a transfer is `created_at`, which a trigger stamps. Ids of entries lie within an hour of
it (docs/ledger.md, Time order of ids), and are indexed. So all entries up to an hour before the
moment count, and within an hour of it those whose transfer is dated before it:

- an account of the exchange has the totals of the last proof of books that ran before the moment,
  and the entries since;
- an owner's account has the balance after its last entry up to an hour before, and the entries
  since.

Read are one entry of each owner's account, and the entries of some hours, of which a page sums at
most `MAX_SUMMED_ENTRIES`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import connection

from exchange.core.ids import first_id_at
from wallets.ledger.selectors.ledger import MAX_SUMMED_ENTRIES
from wallets.ledger.selectors.trial_balance import TrialBalance, to_trial_balance

ID_MARGIN = timedelta(hours=1)
_NO_LIMIT = 10**15


def read_trial_balances(
    moments: Sequence[datetime], *, in_full: bool = False
) -> list[TrialBalance]:
    """Return the trial balance just before each of `moments`, all from one statement.

    `in_full` sums all entries of the exchange's accounts, without limit and stored totals.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _TRIAL_BALANCES,
            {
                "moments": list(moments),
                "below": [first_id_at(moment - ID_MARGIN) for moment in moments],
                "above": [first_id_at(moment + ID_MARGIN) for moment in moments],
                "now": [first_id_at(moment) for moment in moments],
                "limit": _NO_LIMIT if in_full else MAX_SUMMED_ENTRIES,
                "in_full": in_full,
            },
        )
        rows = cursor.fetchall()
    return [
        to_trial_balance([row for number, *row in rows if number == place])
        for place in range(1, len(moments) + 1)
    ]


_TRIAL_BALANCES = """
    WITH moment AS MATERIALIZED (
        SELECT m.n, m.at, m.below, m.above, p.ran_at AS proved_at, p.totals,
               coalesce(p.totals_before, '00000000-0000-0000-0000-000000000000') AS since
        FROM unnest(%(moments)s::timestamptz[], %(below)s::uuid[], %(above)s::uuid[],
                    %(now)s::uuid[]) WITH ORDINALITY m (at, below, above, now, n)
        LEFT JOIN LATERAL (
            SELECT ran_at, totals, totals_before FROM wallets_booksproof
            WHERE NOT %(in_full)s AND id < m.now AND totals_before <= m.below
            ORDER BY id DESC LIMIT 1
        ) p ON true
    ), system AS MATERIALIZED (
        SELECT a.id, a.asset_id, a.kind
        FROM wallets_account a JOIN exchange_currency c ON c.code = a.asset_id
        WHERE a.owner_id IS NULL
    ), owned AS MATERIALIZED (
        SELECT a.id, a.asset_id, a.kind,
               CASE WHEN a.member_id IS NULL THEN 'organisation' ELSE 'user' END AS owner
        FROM wallets_account a
        WHERE a.owner_id IS NOT NULL AND a.asset_id IN (SELECT code FROM exchange_currency)
    ), earlier AS MATERIALIZED (
        SELECT m.n, s.id, e.amount, e.entries
        FROM moment m CROSS JOIN system s CROSS JOIN LATERAL (
            SELECT sum(amount) AS amount, count(*) AS entries FROM (
                SELECT amount FROM wallets_entry
                WHERE account_id = s.id AND id >= m.since AND id < m.below LIMIT %(limit)s + 1
            ) x
        ) e
    ), around AS MATERIALIZED (
        SELECT m.n, e.account_id AS id, e.amount, e.seen
        FROM moment m CROSS JOIN LATERAL (
            SELECT e.account_id, e.amount,
                   (SELECT t.created_at FROM wallets_transfer t WHERE t.id = e.transfer_id) < m.at
                       AS seen
            FROM wallets_entry e
            WHERE e.id >= m.below AND e.id < m.above LIMIT %(limit)s + 1
        ) e
    ), head AS MATERIALIZED (
        SELECT m.n, m.at, m.proved_at,
               (SELECT sum(e.entries) FROM earlier e WHERE e.n = m.n) <= %(limit)s
               AND (SELECT count(*) FROM around a WHERE a.n = m.n) <= %(limit)s AS complete
        FROM moment m
    ), part AS (
        SELECT m.n, s.asset_id, s.kind, 'exchange' AS owner,
               (m.totals ->> s.id::text)::numeric AS amount
        FROM moment m CROSS JOIN system s
        UNION ALL
        SELECT e.n, s.asset_id, s.kind, 'exchange', e.amount
        FROM earlier e JOIN system s ON s.id = e.id
        UNION ALL
        SELECT m.n, o.asset_id, o.kind, o.owner, (
            SELECT balance_after FROM wallets_entry
            WHERE account_id = o.id AND id < m.below ORDER BY id DESC LIMIT 1)
        FROM moment m CROSS JOIN owned o
        UNION ALL
        SELECT a.n, x.asset_id, x.kind, x.owner, a.amount
        FROM around a JOIN (
            SELECT id, asset_id, kind, owner FROM owned
            UNION ALL
            SELECT id, asset_id, kind, 'exchange' FROM system
        ) x ON x.id = a.id
        WHERE a.seen
    )
    SELECT h.n, h.at, h.proved_at, h.complete, b.asset_id, b.kind, b.owner, b.amount
    FROM head h
    LEFT JOIN (
        SELECT p.n, p.asset_id, p.kind, p.owner, sum(p.amount) AS amount,
               min(c.position) AS position
        FROM part p JOIN exchange_currency c ON c.code = p.asset_id
        GROUP BY 1, 2, 3, 4 HAVING sum(p.amount) <> 0
    ) b ON b.n = h.n AND h.complete
    ORDER BY h.n, b.position, b.kind, b.owner
"""
