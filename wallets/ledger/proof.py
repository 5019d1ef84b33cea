"""The proof of books: equalities that hold at every instant, checked over the whole database.

All checks read one snapshot. Each is an equality, never a bound; `expected` and `found` are what
the two sides came to. Credit and orders add theirs (`config.books`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from exchange.core.ids import first_id_at, uuid7
from exchange.core.numbers import plain
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.ledger.models import BooksProof
from wallets.withdrawals import payloads


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is off: which check, about what, and the two sides that should be equal."""

    check: str
    subject: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Check:
    """One equality: `title` for people, `run` gives what is off."""

    title: str
    run: Callable[[], list[Finding]]


@dataclass(frozen=True, slots=True)
class Proof:
    """One run over all checks."""

    titles: tuple[str, ...]
    findings: tuple[Finding, ...]
    milliseconds: int

    @property
    def passed(self) -> bool:
        """Whether every equality held."""
        return not self.findings


def sql_check(title: str, sql: str) -> Check:
    """A check whose SQL gives a row (subject, expected, found) for each thing that is off."""

    def run() -> list[Finding]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            rows = cursor.fetchmany(100)
        return [Finding(title, *(_text(value) for value in row)) for row in rows]

    return Check(title, run)


def document_check() -> Check:
    """Stored wire documents equal what their mapping makes of the row."""
    title = "documents equal their records"

    def run() -> list[Finding]:
        faults = payloads.WITHDRAWAL.faults() + payloads.BANK.faults()
        return [Finding(title, fault, "the declared document", "another") for fault in faults]

    return Check(title, run)


WALLET_CHECKS: tuple[Check, ...] = (
    sql_check(
        "every transfer has two or more legs and sums to zero per asset",
        """
        SELECT t.reference, '2 legs or more, 0', s.legs || ' legs, ' || s.worst
        FROM wallets_transfer t
        LEFT JOIN LATERAL (
            SELECT coalesce(sum(n), 0) AS legs, coalesce(max(abs(total)), 0) AS worst FROM (
                SELECT count(*) AS n, sum(amount) AS total
                FROM wallets_entry e WHERE e.transfer_id = t.id GROUP BY e.asset_id
            ) per_asset
        ) s ON true
        WHERE s.legs < 2 OR s.worst <> 0
        """,
    ),
    sql_check(
        "the entries of every asset sum to zero",
        "SELECT asset_id, 0, sum(amount) FROM wallets_entry GROUP BY asset_id"
        " HAVING sum(amount) <> 0",
    ),
    sql_check(
        "every balance equals its entries",
        """
        SELECT a.id, coalesce(sum(e.amount), 0), a.balance
        FROM wallets_account a LEFT JOIN wallets_entry e ON e.account_id = a.id
        WHERE a.balance IS NOT NULL
        GROUP BY a.id HAVING a.balance <> coalesce(sum(e.amount), 0)
        """,
    ),
    sql_check(
        "no owner account is negative",
        "SELECT id, '0 or more', balance FROM wallets_account WHERE balance < 0",
    ),
    # Lists by day and running balances read entries by id. Those posted before `ids_ordered_since`
    # have ids of their callers, and one leg of each loan a random one: they cannot be changed.
    sql_check(
        "entries and transfers have ids in the order of time",
        """
        SELECT 'transfer ' || id, 'an id of ' || wire_time(created_at), id::text
        FROM wallets_transfer
        WHERE id NOT BETWEEN first_id_at(created_at - interval '1 hour')
                         AND first_id_at(created_at + interval '1 hour')
        UNION ALL
        SELECT 'entry ' || e.id, 'an id of ' || wire_time(t.created_at), e.id::text
        FROM wallets_entry e JOIN wallets_transfer t ON t.id = e.transfer_id
        WHERE e.id NOT BETWEEN first_id_at(t.created_at - interval '1 hour')
                           AND first_id_at(t.created_at + interval '1 hour')
          AND NOT (t.created_at < ids_ordered_since() AND t.kind = 'loan_disburse'
                   AND e.balance_after IS NULL)
        UNION ALL
        SELECT 'entry ' || id, trim_scale(before + amount)::text || ' after it', balance_after::text
        FROM (
            SELECT id, amount, balance_after,
                   lag(balance_after) OVER (PARTITION BY account_id ORDER BY id) AS before
            FROM wallets_entry
            WHERE balance_after IS NOT NULL AND id >= first_id_at(ids_ordered_since())
        ) e WHERE before + amount <> balance_after
        """,
    ),
    sql_check(
        "escrow equals open withdrawals",
        """
        SELECT coalesce(a.owner_id, w.owner_id) || ' ' || coalesce(a.asset_id, w.currency_id),
               coalesce(w.open, 0), coalesce(a.balance, 0)
        FROM (SELECT owner_id, asset_id, balance FROM wallets_account WHERE kind = 'escrow') a
        FULL JOIN (
            SELECT owner_id, currency_id, sum(amount) AS open FROM wallets_withdrawal
            WHERE status IN ('Pending', 'Approved', 'Processing', 'Unknown')
            GROUP BY owner_id, currency_id
        ) w ON w.owner_id = a.owner_id AND w.currency_id = a.asset_id
        WHERE coalesce(w.open, 0) <> coalesce(a.balance, 0)
        """,
    ),
    sql_check(
        "clearing equals deposits less payouts less the provider's charges",
        """
        SELECT c.id, coalesce(i.total, 0) - coalesce(o.total, 0), -coalesce(e.total, 0)
        FROM wallets_asset c
        LEFT JOIN (SELECT currency_id, sum(amount) AS total FROM wallets_deposit
                   WHERE status = 'Confirmed' GROUP BY currency_id) i ON i.currency_id = c.id
        LEFT JOIN (SELECT w.currency_id,
                          sum(CASE WHEN w.status = 'Completed' THEN w.disburse_amount ELSE 0 END
                              + coalesce(p.provider_fee, 0)) AS total
                   FROM wallets_withdrawal w JOIN wallets_payout p ON p.withdrawal_id = w.id
                   WHERE w.status IN ('Completed', 'Reversed')
                   GROUP BY w.currency_id) o ON o.currency_id = c.id
        LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
                   FROM wallets_entry x JOIN wallets_account a ON a.id = x.account_id
                   WHERE a.kind = 'clearing' GROUP BY x.asset_id) e ON e.asset_id = c.id
        WHERE c.currency_id IS NOT NULL
          AND coalesce(i.total, 0) - coalesce(o.total, 0) <> -coalesce(e.total, 0)
        """,
    ),
    sql_check(
        "fee income equals the fees of paid withdrawals",
        """
        SELECT c.id, coalesce(w.total, 0), coalesce(e.total, 0)
        FROM wallets_asset c
        LEFT JOIN (SELECT currency_id, sum(fee) AS total FROM wallets_withdrawal
                   WHERE status IN ('Completed', 'Reversed') GROUP BY currency_id) w
            ON w.currency_id = c.id
        LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
                   FROM wallets_entry x
                   JOIN wallets_account a ON a.id = x.account_id
                   JOIN wallets_transfer t ON t.id = x.transfer_id
                   WHERE a.kind = 'fees' AND t.kind = 'withdrawal_settle'
                   GROUP BY x.asset_id) e ON e.asset_id = c.id
        WHERE coalesce(w.total, 0) <> coalesce(e.total, 0)
        """,
    ),
    sql_check(
        "every withdrawal has the transfers its state calls for",
        """
        SELECT w.reference, x.wanted, array_to_string(x.found, ', ') FROM (
            SELECT w.id,
                   CASE WHEN w.status IN ('Pending', 'Approved', 'Processing', 'Unknown')
                            THEN 'withdrawal_hold'
                        WHEN w.status = 'Completed' THEN 'withdrawal_hold, withdrawal_settle'
                        WHEN w.status = 'Reversed'
                            THEN 'withdrawal_hold, withdrawal_reverse, withdrawal_settle'
                        ELSE 'withdrawal_hold, withdrawal_release' END AS wanted,
                   ARRAY(SELECT t.kind::text FROM wallets_transfer t
                         WHERE t.subject_id = w.id AND t.kind <> 'provider_charge'
                         ORDER BY t.kind::text) AS found
            FROM wallets_withdrawal w
        ) x JOIN wallets_withdrawal w ON w.id = x.id
        WHERE x.wanted <> array_to_string(x.found, ', ')
        """,
    ),
    sql_check(
        "every confirmed deposit was booked once, to its owner, and nothing else as a deposit",
        """
        SELECT coalesce(d.reference, f.reference), coalesce(d.wanted, 'none'),
               coalesce(f.found, 'none')
        FROM (
            SELECT id, reference,
                   '1 transfer: available of ' || owner_id || ' ' || trim_scale(amount) || ' '
                   || currency_id || ', clearing ' || trim_scale(-amount) || ' ' || currency_id
                   AS wanted
            FROM wallets_deposit WHERE status = 'Confirmed'
        ) d
        FULL JOIN (
            SELECT subject_id, min(reference) AS reference,
                   max(transfers) || ' transfer: ' || string_agg(leg, ', ' ORDER BY leg) AS found
            FROM (
                SELECT t.subject_id, coalesce(t.subject_id, t.id) AS about,
                       min(t.reference) AS reference, count(DISTINCT t.id) AS transfers,
                       a.kind || coalesce(' of ' || a.owner_id, '') || ' '
                       || trim_scale(sum(e.amount)) || ' ' || e.asset_id AS leg
                FROM wallets_transfer t
                JOIN wallets_entry e ON e.transfer_id = t.id
                JOIN wallets_account a ON a.id = e.account_id
                WHERE t.kind = 'deposit'
                GROUP BY t.subject_id, about, a.kind, a.owner_id, e.asset_id
            ) legs GROUP BY subject_id, about
        ) f ON f.subject_id = d.id
        WHERE d.wanted IS DISTINCT FROM f.found
        """,
    ),
    sql_check(
        "every transfer of a withdrawal moved what the withdrawal says",
        """
        SELECT w.reference || ' ' || t.kind, coalesce(wanted.legs, 'none'),
               coalesce(found.legs, 'none')
        FROM wallets_withdrawal w
        JOIN wallets_transfer t ON t.subject_id = w.id
        LEFT JOIN wallets_payout p ON p.withdrawal_id = w.id
        CROSS JOIN LATERAL (
            SELECT string_agg(account || ' ' || trim_scale(amount), ', ' ORDER BY account) AS legs
            FROM (VALUES
                ('withdrawal_hold', 'available', -w.amount),
                ('withdrawal_hold', 'escrow', w.amount),
                ('withdrawal_settle', 'escrow', -w.amount),
                ('withdrawal_settle', 'clearing', w.disburse_amount),
                ('withdrawal_settle', 'fees', w.fee),
                ('withdrawal_release', 'escrow', -w.amount),
                ('withdrawal_release', 'available', w.amount),
                ('withdrawal_reverse', 'clearing', -w.disburse_amount),
                ('withdrawal_reverse', 'available', w.disburse_amount),
                ('provider_charge', 'expenses', -p.provider_fee),
                ('provider_charge', 'clearing', p.provider_fee)
            ) l (kind, account, amount)
            WHERE l.kind = t.kind AND l.amount <> 0
        ) wanted
        CROSS JOIN LATERAL (
            SELECT string_agg(account || ' ' || trim_scale(amount), ', ' ORDER BY account) AS legs
            FROM (
                SELECT a.kind || CASE WHEN a.owner_id <> w.owner_id THEN ' of ' || a.owner_id
                                      ELSE '' END
                       || CASE WHEN e.asset_id <> w.currency_id THEN ' in ' || e.asset_id
                               ELSE '' END AS account,
                       sum(e.amount) AS amount
                FROM wallets_entry e JOIN wallets_account a ON a.id = e.account_id
                WHERE e.transfer_id = t.id
                GROUP BY 1
            ) l
        ) found
        WHERE wanted.legs IS DISTINCT FROM found.legs
        """,
    ),
    sql_check(
        "every state a withdrawal reached was told",
        """
        SELECT w.reference, k.type, 'no such event'
        FROM wallets_withdrawal w
        CROSS JOIN LATERAL (VALUES
            ('withdrawal.created', true),
            ('withdrawal.approved', w.status IN ('Approved', 'Processing', 'Unknown', 'Completed',
                                                 'Failed', 'Reversed')),
            ('withdrawal.rejected', w.status = 'Rejected'),
            ('withdrawal.cancelled', w.status = 'Cancelled'),
            ('withdrawal.processing', w.status IN ('Processing', 'Unknown', 'Completed', 'Failed',
                                                   'Reversed')),
            ('withdrawal.completed', w.status IN ('Completed', 'Reversed')),
            ('withdrawal.failed', w.status = 'Failed'),
            ('withdrawal.reversed', w.status = 'Reversed')
        ) k (type, due)
        WHERE k.due AND NOT EXISTS (
            SELECT FROM exchange_event e WHERE e.subject_id = w.id AND e.type = k.type)
        """,
    ),
    sql_check(
        "every payout under way has a next step, and no lease has run out unnoticed",
        """
        SELECT w.reference, 'a next step',
               CASE WHEN p.withdrawal_id IS NULL THEN 'no payout'
                    WHEN p.next_step_at IS NULL THEN 'none'
                    ELSE 'a lease that ran out at ' || wire_time(p.leased_until) END
        FROM wallets_withdrawal w LEFT JOIN wallets_payout p ON p.withdrawal_id = w.id
        WHERE w.status IN ('Approved', 'Processing', 'Unknown')
          AND (p.next_step_at IS NULL OR p.leased_until < now() - interval '1 day')
        """,
    ),
    document_check(),
)


def prove(checks: Sequence[Check] = WALLET_CHECKS) -> Proof:
    """Runs `checks` over one snapshot of the database. Changes nothing."""
    began = time.monotonic()
    findings: list[Finding] = []
    with transaction.atomic():
        if not connection.savepoint_ids:
            # The outermost transaction is ours: one snapshot for all checks. Inside a caller's
            # transaction the caller's isolation stays, which only its first statement could set.
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for check in checks:
            findings.extend(check.run())
    milliseconds = round((time.monotonic() - began) * 1000)
    return Proof(tuple(check.title for check in checks), tuple(findings), milliseconds)


def prove_and_keep(checks: Sequence[Check]) -> BooksProof:
    """Proves the books, keeps the run, and raises or resolves the alert."""
    proof = prove(checks)
    before, totals = _system_totals()
    kept = BooksProof.objects.create(
        id=uuid7(),
        ran_at=timezone.now(),
        passed=proof.passed,
        findings=[asdict(finding) for finding in proof.findings],
        milliseconds=proof.milliseconds,
        totals=totals,
        totals_before=before,
    )
    if proof.passed:
        resolve_alert("books")
    else:
        first = proof.findings[0]
        raise_alert(
            "books",
            message=f"The books are off in {len(proof.findings)} places, first: {first.check}"
            f" ({first.subject}: expected {first.expected}, found {first.found})",
        )
    return kept


def _system_totals() -> tuple[UUID, dict[str, str]]:
    """What every system account came to an hour ago, for pages that add the rest: no transaction
    that makes ids that old is still open.
    """
    before = first_id_at(timezone.now() - timedelta(hours=1))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.id, sum(e.amount) FROM wallets_account a"
            " JOIN wallets_entry e ON e.account_id = a.id"
            " WHERE a.balance IS NULL AND e.id < %s GROUP BY a.id",
            [before],
        )
        return before, {str(account): plain(total) for account, total in cursor.fetchall()}


def _text(value: Any) -> str:
    return plain(value) if hasattr(value, "as_tuple") else str(value)
