"""Proof of books: equalities that hold at any time, checked over the whole database.

All checks read one snapshot. Each compares two sides, `expected` and `found`. Every subject adds
its own checks; `config.books` lists them all.
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

from exchange.core.documents import Document
from exchange.core.ids import first_id_at, uuid7
from exchange.core.numbers import format_plain
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.ledger.models import BooksProof


@dataclass(frozen=True, slots=True)
class Finding:
    """A failed equality: check, subject, and the two sides."""

    check: str
    subject: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Check:
    """An equality; `run` returns its findings."""

    title: str
    run: Callable[[], list[Finding]]


@dataclass(frozen=True, slots=True)
class Proof:
    """Result of one run over all checks."""

    titles: tuple[str, ...]
    findings: tuple[Finding, ...]
    milliseconds: int

    @property
    def passed(self) -> bool:
        """Return whether there are no findings."""
        return not self.findings


def sql_check(title: str, sql: str) -> Check:
    """Return a check whose SQL selects (subject, expected, found) for each finding."""

    def run() -> list[Finding]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            rows = cursor.fetchmany(100)
        return [Finding(title, *(_text(value) for value in row)) for row in rows]

    return Check(title, run)


def document_check(title: str, *documents: Document) -> Check:
    """Return a check that stored documents equal their declared mapping."""

    def run() -> list[Finding]:
        faults = (fault for document in documents for fault in document.find_mismatches())
        return [Finding(title, fault, "the declared document", "another") for fault in faults]

    return Check(title, run)


LEDGER_CHECKS: tuple[Check, ...] = (
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
    # Lists by day and running balances read entries by id. Entries from before `ids_ordered_since`
    # have ids made by their callers, one per loan random; entries never change, so they stay.
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
)


def prove(checks: Sequence[Check]) -> Proof:
    """Run `checks` over one snapshot of the database. Read only."""
    began = time.monotonic()
    findings: list[Finding] = []
    with transaction.atomic():
        if not connection.savepoint_ids:
            # One snapshot for all checks. In a caller's transaction its isolation level stays: only
            # the first statement can set it.
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for check in checks:
            findings.extend(check.run())
    milliseconds = round((time.monotonic() - began) * 1000)
    return Proof(tuple(check.title for check in checks), tuple(findings), milliseconds)


def prove_and_store(checks: Sequence[Check]) -> BooksProof:
    """Prove the books, store the run, and raise or resolve the alert."""
    proof = prove(checks)
    before, totals = _system_totals()
    stored = BooksProof.objects.create(
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
            message=f"Ledger integrity failed: {len(proof.findings)} findings, first:"
            f" {first.check} ({first.subject}: expected {first.expected}, found {first.found})",
        )
    return stored


def _system_totals() -> tuple[UUID, dict[str, str]]:
    """Return the totals of system accounts as of an hour ago; pages add the entries since.

    No open transaction can still write entries that old.
    """
    before = first_id_at(timezone.now() - timedelta(hours=1))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.id, sum(e.amount) FROM wallets_account a"
            " JOIN wallets_entry e ON e.account_id = a.id"
            " WHERE a.balance IS NULL AND e.id < %s GROUP BY a.id",
            [before],
        )
        return before, {str(account): format_plain(total) for account, total in cursor.fetchall()}


def _text(value: Any) -> str:
    return format_plain(value) if hasattr(value, "as_tuple") else str(value)
