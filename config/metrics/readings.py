"""The statements of `config.metrics.database`, and the metrics of their columns.

Rows beyond a limit are not counted: alerts need no more, and a reading must stay cheap.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from exchange.events.pending import WAITING, pending_ids

# `wallets.withdrawals.models.OPEN_STATUSES`, which this module does not import: the metrics need it
# before the apps are loaded.
_OPEN = "'Pending', 'Approved', 'Processing', 'Unknown'"


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement whose columns are the `labels`, then the value of each of `metrics`.

    `parameters` returns those of the statement.
    """

    name: str
    labels: tuple[str, ...]
    metrics: tuple[tuple[str, str], ...]
    sql: str
    database: str = "default"
    parameters: Callable[[], Mapping[str, Any]] = dict


READINGS = (
    Reading(
        name="withdrawals",
        labels=("status", "currency"),
        metrics=(
            ("exchange_withdrawals", "Open withdrawals, up to 10,000 of a status"),
            ("exchange_withdrawals_net_amount", "The net amount of open withdrawals"),
            (
                "exchange_withdrawals_oldest_seconds",
                "Time since the last change of the open withdrawal that waits longest; payouts of"
                " owners who are frozen or owe are left out",
            ),
        ),
        sql=f"""
            SELECT w.status, w.currency_id, count(*), sum(w.disburse_amount),
                   coalesce(extract(epoch FROM now() - min(w.updated_at) FILTER (
                       WHERE w.status <> 'Approved'
                           OR owner_block(w.organisation_id, w.member_id, w.currency_id) IS NULL
                   )), 0)
            FROM unnest(ARRAY[{_OPEN}]) s (status)
            CROSS JOIN LATERAL (
                SELECT status, organisation_id, member_id, currency_id, disburse_amount, updated_at
                FROM wallets_withdrawal
                WHERE status = s.status
                    AND status IN ({_OPEN})
                ORDER BY created_at LIMIT 10000
            ) w GROUP BY 1, 2
        """,  # noqa: S608 - a constant
    ),
    Reading(
        name="circuit",
        labels=("state",),
        metrics=(("exchange_payout_circuit", "1 for the state of the payout circuit, else 0"),),
        sql="""
            SELECT s.state, (c.state = s.state)::integer
            FROM wallets_payoutcircuit c, unnest(ARRAY['Closed', 'Open', 'Half-open']) s (state)
        """,
    ),
    Reading(
        name="outbox",
        labels=(),
        metrics=(
            ("exchange_outbox_pending", "Pending deliveries of events, up to 10,000"),
            ("exchange_outbox_lag_seconds", "How long the next attempt of an event is overdue"),
            (
                "exchange_outbox_oldest_seconds",
                "Age of the oldest event among the next 100 of each webhook endpoint",
            ),
        ),
        parameters=pending_ids,
        sql=f"""
            WITH RECURSIVE {WAITING}
            SELECT (
                       SELECT count(*) FROM (
                           SELECT FROM exchange_eventdelivery
                           WHERE status = 'Pending' AND event_id BETWEEN %(oldest)s AND %(newest)s
                           LIMIT 10000
                       ) pending
                   ),
                   greatest(0, coalesce(extract(epoch FROM now() - min(d.next_attempt_at)), 0)),
                   coalesce(extract(epoch FROM now() - min(e.created_at)), 0)
            FROM waiting w CROSS JOIN LATERAL (
                SELECT event_id, next_attempt_at FROM exchange_eventdelivery
                WHERE endpoint_id = w.endpoint_id AND status = 'Pending'
                    AND event_id BETWEEN %(oldest)s AND %(newest)s
                ORDER BY next_attempt_at LIMIT 100
            ) d
            JOIN exchange_event e ON e.id = d.event_id
        """,  # noqa: S608 - constants
    ),
    Reading(
        name="undelivered",
        labels=("status",),
        metrics=(("exchange_events_undelivered", "Undelivered events, up to 10,000"),),
        sql="""
            SELECT s.status, count(e.id)
            FROM unnest(ARRAY['Exhausted', 'Unsent']) s (status)
            LEFT JOIN LATERAL (
                SELECT id FROM exchange_event
                WHERE status = s.status AND status IN ('Exhausted', 'Unsent')
                LIMIT 10000
            ) e ON true GROUP BY 1
        """,
    ),
    Reading(
        name="books",
        labels=("kind",),
        metrics=(
            ("exchange_books_passed", "1 if the last proof of books of the kind passed, else 0"),
            ("exchange_books_findings", "Findings of the last proof of books"),
            ("exchange_books_proof_seconds", "Duration of the last proof of books"),
            ("exchange_books_age_seconds", "Time since the last proof of books"),
        ),
        sql="""
            SELECT DISTINCT ON (incremental)
                   CASE WHEN incremental THEN 'incremental' ELSE 'full' END, passed::integer,
                   jsonb_array_length(findings), milliseconds / 1000.0,
                   extract(epoch FROM now() - ran_at)
            FROM wallets_booksproof ORDER BY incremental, ran_at DESC, id DESC
        """,
    ),
    Reading(
        name="float",
        labels=("currency",),
        metrics=(
            ("exchange_float", "Balance at the provider when it was last reconciled"),
            ("exchange_float_age_seconds", "Time since that balance was read"),
        ),
        sql="""
            SELECT l.currency_id, l.their_amount, extract(epoch FROM now() - r.balances_at)
            FROM (
                SELECT id, balances_at FROM wallets_reconciliation
                WHERE balances_at IS NOT NULL ORDER BY balances_at DESC LIMIT 1
            ) r
            JOIN wallets_reconciliationline l ON l.report_id = r.id
            WHERE l.kind = 'Provider balance' AND l.their_amount IS NOT NULL
        """,
    ),
    Reading(
        name="reconciliation",
        labels=(),
        metrics=(
            ("exchange_reconciliation_age_seconds", "Time since the last complete report"),
            ("exchange_reconciliation_breaks", "Breaks that two people have not closed"),
        ),
        sql="""
            SELECT coalesce((
                       SELECT extract(epoch FROM now() - finished_at) FROM wallets_reconciliation
                       WHERE status IN ('Matched', 'Differs')
                       ORDER BY day DESC, created_at DESC LIMIT 1
                   ), 'NaN'::numeric),
                   (SELECT count(*) FROM wallets_reconciliationbreak WHERE status <> 'Closed')
        """,
    ),
    Reading(
        name="alerts",
        labels=("kind",),
        metrics=(("exchange_alerts_open", "Open alerts of the back office"),),
        sql="SELECT kind, count(*) FROM wallets_alert WHERE resolved_at IS NULL GROUP BY 1",
    ),
    Reading(
        name="leases",
        labels=("kind",),
        metrics=(
            ("exchange_leases", "Leases that workers hold"),
            ("exchange_leases_expired", "Expired leases that no worker has taken over"),
        ),
        sql=f"""
            SELECT kind, count(*) FILTER (WHERE until > now()),
                   count(*) FILTER (WHERE until <= now())
            FROM (
                SELECT 'payout' AS kind, p.leased_until AS until
                FROM unnest(ARRAY['Approved', 'Processing', 'Unknown']) s (status)
                CROSS JOIN LATERAL (
                    SELECT id FROM wallets_withdrawal
                    WHERE status = s.status
                        AND status IN ({_OPEN})
                    ORDER BY created_at LIMIT 1000
                ) w
                JOIN wallets_payout p ON p.withdrawal_id = w.id
                UNION ALL
                SELECT 'export', leased_until FROM exchange_export
                WHERE status IN ('Waiting', 'Running')
                UNION ALL
                SELECT 'reconciliation', leased_until FROM wallets_reconciliation
                WHERE status IN ('Waiting', 'Running')
            ) leases GROUP BY 1
        """,  # noqa: S608 - a constant
    ),
    Reading(
        name="schedule",
        labels=("task",),
        metrics=(("exchange_schedule_age_seconds", "Time since beat published the task"),),
        sql="""
            SELECT task, extract(epoch FROM now() - published_at) FROM exchange_scheduledrun
        """,
    ),
    Reading(
        name="locks",
        labels=(),
        metrics=(
            ("exchange_lock_waits", "Sessions that wait for a lock"),
            ("exchange_lock_wait_oldest_seconds", "The longest of these waits"),
        ),
        sql="""
            SELECT count(*), coalesce(max(extract(epoch FROM now() - waitstart)), 0)
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE NOT l.granted AND a.datname = current_database()
        """,
    ),
    Reading(
        name="connections",
        labels=(),
        metrics=(
            ("exchange_database_connections", "Connections to the database"),
            ("exchange_database_connections_limit", "The server's limit of connections"),
            ("exchange_database_deadlocks", "Deadlocks since the statistics were reset"),
            ("exchange_database_standbys", "Standbys that are connected to this server"),
        ),
        sql="""
            SELECT (SELECT sum(numbackends) FROM pg_stat_database),
                   current_setting('max_connections')::integer, deadlocks,
                   (SELECT count(*) FROM pg_stat_replication)
            FROM pg_stat_database WHERE datname = current_database()
        """,
    ),
    Reading(
        name="replica",
        database="replica",
        labels=(),
        metrics=(
            ("exchange_replica_connected", "1 if the replica receives changes, else 0"),
            (
                "exchange_replica_lag_seconds",
                "Age of the last transaction applied; 0 if connected and all received is applied",
            ),
        ),
        sql="""
            SELECT connected,
                CASE WHEN connected > 0
                    AND pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
                ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0) END
            FROM (SELECT count(*) AS connected FROM pg_stat_wal_receiver) receiver
        """,
    ),
)
