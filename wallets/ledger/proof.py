"""Proof of books: equalities that hold at any time, checked over the whole database.

All checks read one snapshot. Each compares two sides, `expected` and `found`. Every subject adds
its own checks; `config.books` lists them all.

A full proof reads everything from the first entry. An incremental one starts from the checkpoint
that the last proof to pass took (`wallets.ledger.checkpoint`); a check says with `recent` what it
then reads.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from exchange.core.documents import Document
from exchange.core.ids import first_id_at, uuid7
from exchange.core.numbers import format_plain
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.ledger.checkpoint import (
    CHECKPOINT_AND_RECENT_ENTRIES,
    ENTRIES_SINCE_RECENT,
    TRANSFERS_OF_RECENT_SUBJECTS,
    Recent,
    StoredCheckpoint,
    advance_checkpoint,
    closed_position,
    limit_to_recent,
    read_checkpoint,
)
from wallets.ledger.models import BooksProof
from wallets.ledger.selectors.ledger import last_totals
from wallets.ledger.selectors.proof import last_full_proof


@dataclass(frozen=True, slots=True)
class Finding:
    """A failed equality: check, subject, and the two sides."""

    check: str
    subject: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Check:
    """An equality: `run` and `run_since`, after a position of the checkpoint, return its findings.

    Without `run_since`, only a full proof has it.
    """

    title: str
    run: Callable[[], list[Finding]]
    run_since: Callable[[int], list[Finding]] | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """Result of one run: the checks that ran, and those left to a full proof.

    `since` is the checkpoint an incremental proof started from; `checkpoint` is the stored one, and
    `position` the one to advance to.
    """

    titles: tuple[str, ...]
    findings: tuple[Finding, ...]
    milliseconds: int
    left_out: tuple[str, ...]
    since: StoredCheckpoint | None
    checkpoint: StoredCheckpoint | None
    position: int

    @property
    def passed(self) -> bool:
        """Return whether there are no findings."""
        return not self.findings


def sql_check(title: str, sql: str, *, recent: Recent | None = None) -> Check:
    """Return a check whose SQL selects (subject, expected, found) for each finding.

    An incremental proof runs the same SQL with the rows that `recent` gives for its tables. An
    empty `recent` reads them whole: accounts, and open records. None leaves it to a full proof.
    """

    def run(statement: str) -> list[Finding]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            rows = cursor.fetchmany(100)
        return [Finding(title, *(_text(value) for value in row)) for row in rows]

    def run_since(position: int) -> list[Finding]:
        if not recent:
            return run(sql)
        rows = limit_to_recent(recent, position)
        return run(f"{rows} SELECT * FROM ({sql}) findings")  # noqa: S608 - constants

    return Check(title, lambda: run(sql), None if recent is None else run_since)


def balance_check(title: str, kind: str, expected: str, *, recent: Recent | None = None) -> Check:
    """Return a check that the owners' accounts of `kind` have the expected balances.

    `expected` is the query of them: owner_id, asset_id, amount.
    """
    sql = f"""
        SELECT coalesce(a.owner_id, x.owner_id) || ' ' || coalesce(a.asset_id, x.asset_id),
               coalesce(x.amount, 0), coalesce(a.balance, 0)
        FROM (SELECT owner_id, asset_id, balance FROM wallets_account WHERE kind = '{kind}') a
        FULL JOIN ({expected}) x ON x.owner_id = a.owner_id AND x.asset_id = a.asset_id
        WHERE coalesce(x.amount, 0) <> coalesce(a.balance, 0)
    """  # noqa: S608 - constants
    return sql_check(title, sql, recent=recent)


def transfer_check(
    title: str,
    kind: str,
    expected: str,
    *,
    recent: Recent,
    account: str = "a.kind || coalesce(' of ' || a.owner_id, '')",
    only: str = "true",
) -> Check:
    """Return a check that transfers of `kind` moved what records say, each once, and nothing else.

    `expected` is the query of the legs: id, subject, account, asset_id, amount. `account` names the
    account `a` of an entry `e`; entries that are not `only` count for nothing.
    """
    legs = (
        "string_agg(account || ' ' || trim_scale(amount) || ' ' || asset_id, ', '"
        " ORDER BY account, asset_id)"
    )
    sql = f"""
        SELECT coalesce(w.subject, f.reference), coalesce(w.legs, 'none'), coalesce(f.legs, 'none')
        FROM (
            SELECT id, subject, '1 transfer: ' || {legs} AS legs
            FROM ({expected}) x WHERE amount <> 0 GROUP BY id, subject
        ) w
        FULL JOIN (
            SELECT subject_id, min(reference) AS reference,
                   max(transfers) || ' transfer: ' || {legs} AS legs
            FROM (
                SELECT t.subject_id, coalesce(t.subject_id, t.id) AS about,
                       min(t.reference) AS reference, count(DISTINCT t.id) AS transfers,
                       x.account, e.asset_id, sum(e.amount) AS amount
                FROM wallets_transfer t
                JOIN wallets_entry e ON e.transfer_id = t.id
                JOIN wallets_account a ON a.id = e.account_id
                CROSS JOIN LATERAL (SELECT {account} AS account) x
                WHERE t.kind = '{kind}' AND {only}
                GROUP BY t.subject_id, about, x.account, e.asset_id
            ) moved GROUP BY subject_id, about
        ) f ON f.subject_id = w.id
        WHERE w.legs IS DISTINCT FROM f.legs
    """  # noqa: S608 - constants
    return sql_check(
        title, sql, recent={**recent, "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS}
    )


def document_check(title: str, *documents: Document, recent: Recent) -> Check:
    """Return a check that stored documents equal their declared mapping."""

    def run(rows: str = "") -> list[Finding]:
        faults = (fault for document in documents for fault in document.find_mismatches(rows))
        return [Finding(title, fault, "the declared document", "another") for fault in faults]

    return Check(title, run, lambda position: run(limit_to_recent(recent, position)))


_TRANSFERS: Recent = {"wallets_transfer": "SELECT * FROM recent_transfer"}
_SUMS: Recent = {"wallets_entry": CHECKPOINT_AND_RECENT_ENTRIES}
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
        recent=_TRANSFERS,
    ),
    sql_check(
        "the entries of every asset sum to zero",
        "SELECT asset_id, 0, sum(amount) FROM wallets_entry GROUP BY asset_id"
        " HAVING sum(amount) <> 0",
        recent=_SUMS,
    ),
    sql_check(
        "every balance equals its entries",
        """
        SELECT a.id, coalesce(sum(e.amount), 0), a.balance
        FROM wallets_account a LEFT JOIN wallets_entry e ON e.account_id = a.id
        WHERE a.balance IS NOT NULL
        GROUP BY a.id HAVING a.balance <> coalesce(sum(e.amount), 0)
        """,
        recent=_SUMS,
    ),
    sql_check(
        "no owner account is negative, and no receivable positive",
        "SELECT id, CASE kind WHEN 'receivable' THEN '0 or less' ELSE '0 or more' END, balance"
        " FROM wallets_account WHERE CASE kind WHEN 'receivable' THEN balance > 0"
        " ELSE balance < 0 END",
        recent={},
    ),
    # Lists by day and running balances read entries by id.
    sql_check(
        "entries and transfers have ids in the order of time",
        """
        SELECT 'transfer ' || id, 'an id of ' || wire_time(created_at), id::text
        FROM wallets_transfer
        WHERE NOT id_is_of(id, created_at)
        UNION ALL
        SELECT 'entry ' || e.id, 'an id of ' || wire_time(t.created_at), e.id::text
        FROM wallets_entry e JOIN wallets_transfer t ON t.id = e.transfer_id
        WHERE NOT id_is_of(e.id, t.created_at)
        UNION ALL
        SELECT 'entry ' || id, trim_scale(before + amount)::text || ' after it', balance_after::text
        FROM (
            SELECT id, amount, balance_after,
                   lag(balance_after) OVER (PARTITION BY account_id ORDER BY id) AS before
            FROM wallets_entry
            WHERE balance_after IS NOT NULL
        ) e WHERE before + amount <> balance_after
        """,
        recent={**_TRANSFERS, "wallets_entry": ENTRIES_SINCE_RECENT},
    ),
    sql_check(
        "the checkpoint equals the entries that it stands for",
        """
        SELECT 'account ' || coalesce(c.account_id, e.account_id),
               coalesce(e.entries || ' entries, sum ' || trim_scale(e.total)
                        || ', digest ' || e.digest, 'none'),
               coalesce(c.entries || ' entries, sum ' || trim_scale(c.total)
                        || ', digest ' || c.digest, 'none')
        FROM wallets_checkpointbalance c
        FULL JOIN (
            SELECT x.* FROM wallets_checkpoint p
            CROSS JOIN LATERAL entries_by_account(0, p.position) x
        ) e ON e.account_id = c.account_id
        WHERE (c.total, c.entries, c.digest) IS DISTINCT FROM (e.total, e.entries, e.digest)
        """,
    ),
    # Of another server, whose transactions have other ids: entries since would be left out.
    sql_check(
        "the checkpoint is of this database server",
        """
        SELECT 'checkpoint of ' || wire_time(taken_at),
               'transaction ' || pg_snapshot_xmin(pg_current_snapshot()) || ' or earlier', position
        FROM wallets_checkpoint
        WHERE position > pg_snapshot_xmin(pg_current_snapshot())::text::bigint
        """,
        recent={},
    ),
)
CHECKPOINT_CHECKS = LEDGER_CHECKS[-2:]


def prove(checks: Sequence[Check], *, incremental: bool = False) -> Proof:
    """Run `checks` over one snapshot of the database. Read only.

    An incremental proof needs a checkpoint, and a last full proof that passed; else it is full.
    """
    began = time.monotonic()
    findings: list[Finding] = []
    with transaction.atomic():
        if not connection.savepoint_ids:
            # One snapshot for all checks. In a caller's transaction its isolation level stays: only
            # the first statement can set it.
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        position = closed_position()
        checkpoint = read_checkpoint()
        full = last_full_proof()
        since = checkpoint if incremental and full and full.passed else None
        ran = [check for check in checks if not since or check.run_since]
        for check in ran:
            if since and check.run_since:
                findings.extend(check.run_since(since.position))
            else:
                findings.extend(check.run())
    milliseconds = round((time.monotonic() - began) * 1000)
    return Proof(
        tuple(check.title for check in ran),
        tuple(findings),
        milliseconds,
        tuple(check.title for check in checks if check not in ran),
        since,
        checkpoint,
        position,
    )


def prove_and_store(checks: Sequence[Check], *, incremental: bool = False) -> BooksProof:
    """Prove the books and store the run: raise the alert, or resolve it and advance the checkpoint.

    The checkpoint stays where it is if another proof has advanced it meanwhile.
    """
    proof = prove(checks, incremental=incremental)
    before, totals = _system_totals(last_totals() if proof.since else None)
    stored = BooksProof.objects.create(
        id=uuid7(),
        ran_at=timezone.now(),
        incremental=proof.since is not None,
        passed=proof.passed,
        findings=[asdict(finding) for finding in proof.findings],
        milliseconds=proof.milliseconds,
        totals=totals,
        totals_before=before,
    )
    if proof.passed:
        resolve_alert("books")
        advance_checkpoint(proof.checkpoint, proof.position)
    else:
        first = proof.findings[0]
        raise_alert(
            "books",
            message=f"Ledger integrity failed: {len(proof.findings)} findings, first:"
            f" {first.check} ({first.subject}: expected {first.expected}, found {first.found})",
        )
    return stored


def _system_totals(since: BooksProof | None) -> tuple[UUID, dict[str, str]]:
    """Return the totals of system accounts as of an hour ago; pages add the entries since.

    Adds to the totals of an earlier proof. No open transaction can still write entries that old.
    """
    before = first_id_at(timezone.now() - timedelta(hours=1))
    totals = {key: Decimal(total) for key, total in since.totals.items()} if since else {}
    start = since.totals_before if since else None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.id::text, sum(e.amount) FROM wallets_account a"
            " JOIN wallets_entry e ON e.account_id = a.id"
            " WHERE a.balance IS NULL AND e.id >= %s AND e.id < %s GROUP BY a.id",
            [start or UUID(int=0), before],
        )
        for account, total in cursor.fetchall():
            totals[account] = totals.get(account, Decimal(0)) + total
    return before, {account: format_plain(total) for account, total in totals.items()}


def _text(value: Any) -> str:
    return format_plain(value) if hasattr(value, "as_tuple") else str(value)
