"""Readings of the database: one prepared database, and the value of every metric it gives."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import models

from config.metrics.readings import READINGS
from exchange.core.ids import uuid7
from exchange.core.models import ScheduledRun
from exchange.events.models import Event, EventDelivery
from exchange.exports.models import Export
from tests.environment.owner import as_owner
from tests.factories.bare_rows import insert_row
from wallets.alerts.models import Alert
from wallets.freezes.models import Freeze
from wallets.ledger.models import BooksProof
from wallets.reconciliation.models import (
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
)
from wallets.withdrawals.models import OPEN_STATUSES, Payout, Withdrawal

pytestmark = pytest.mark.django_db

# Values that depend on the server and on other sessions.
OF_THE_SERVER = {"locks", "connections", "replica"}


def read_all(cursor: Any) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the samples of each metric by its labels, in whole thousandths."""
    samples: dict[str, dict[tuple[str, ...], float]] = {}
    for reading in READINGS:
        if reading.name in OF_THE_SERVER:
            continue
        cursor.execute(reading.sql, reading.parameters())
        for row in cursor.fetchall():
            labels = tuple(row[: len(reading.labels)])
            values = row[len(reading.labels) :]
            for (metric, _), value in zip(reading.metrics, values, strict=True):
                samples.setdefault(metric, {})[labels] = round(float(value), 3)
    return samples


def test_the_withdrawals_that_are_counted_are_the_open_ones() -> None:
    [reading] = [each for each in READINGS if each.name == "withdrawals"]
    listed = ", ".join(f"'{status}'" for status in OPEN_STATUSES)
    assert f"ARRAY[{listed}]" in reading.sql


def test_every_reading_gives_the_values_of_the_database() -> None:
    with as_owner(rollback=True) as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("SELECT now()")
        [now] = cursor.fetchone()
        rows = Rows(cursor, now)
        rows.insert_withdrawals()
        rows.insert_events()
        rows.insert_books()
        rows.insert_reconciliations()
        rows.insert_others()
        samples = read_all(cursor)
    assert samples == {
        "exchange_withdrawals": {
            ("Pending", "KES"): 2,
            ("Approved", "NGN"): 2,
            ("Unknown", "UGX"): 1,
        },
        "exchange_withdrawals_net_amount": {
            ("Pending", "KES"): 30,
            ("Approved", "NGN"): 300,
            ("Unknown", "UGX"): 7,
        },
        # The payout that has waited longest is that of a frozen owner.
        "exchange_withdrawals_oldest_seconds": {
            ("Pending", "KES"): 90,
            ("Approved", "NGN"): 60,
            ("Unknown", "UGX"): 5,
        },
        "exchange_payout_circuit": {("Closed",): 0, ("Open",): 1, ("Half-open",): 0},
        "exchange_outbox_pending": {(): 3},
        "exchange_outbox_lag_seconds": {(): 40},
        "exchange_outbox_oldest_seconds": {(): 500},
        "exchange_events_undelivered": {("Exhausted",): 2, ("Unsent",): 1},
        "exchange_books_passed": {("full",): 0, ("incremental",): 1},
        "exchange_books_findings": {("full",): 2, ("incremental",): 0},
        "exchange_books_proof_seconds": {("full",): 7.5, ("incremental",): 0.25},
        "exchange_books_age_seconds": {("full",): 7200, ("incremental",): 600},
        # The balance that was read last belongs to an earlier day that was reconciled again.
        "exchange_float": {("NGN",): 250, ("KES",): 40},
        "exchange_float_age_seconds": {("NGN",): 100, ("KES",): 100},
        "exchange_reconciliation_age_seconds": {(): 900},
        "exchange_reconciliation_breaks": {(): 2},
        "exchange_alerts_open": {("float",): 2, ("books",): 1},
        "exchange_leases": {("payout",): 1, ("export",): 0, ("reconciliation",): 2},
        "exchange_leases_expired": {("payout",): 2, ("export",): 1, ("reconciliation",): 0},
        "exchange_schedule_age_seconds": {("first",): 30, ("second",): 70},
    }


@dataclass(frozen=True)
class Rows:
    """Rows of the tables that are read, with ages before `now`."""

    cursor: Any
    now: datetime

    def insert(self, model: type[models.Model], **given: Any) -> dict[str, Any]:
        return insert_row(self.cursor, model, **given)

    def replace(self, model: type[models.Model], rows: list[dict[str, Any]]) -> None:
        self.cursor.execute(f"DELETE FROM {model._meta.db_table}")
        for row in rows:
            self.insert(model, **row)

    def ago(self, seconds: float) -> datetime:
        return self.now - timedelta(seconds=seconds)

    def insert_withdrawal(self, status: str, currency: str, net: int, age: int) -> dict[str, Any]:
        return self.insert(
            Withdrawal,
            status=status,
            currency_id=currency,
            amount=net,
            disburse_amount=net,
            created_at=self.ago(1000),
            updated_at=self.ago(age),
        )

    def insert_withdrawals(self) -> None:
        self.insert_withdrawal("Pending", "KES", 10, 90)
        self.insert_withdrawal("Pending", "KES", 20, 50)
        self.insert_withdrawal("Completed", "KES", 40, 95)
        approved = self.insert_withdrawal("Approved", "NGN", 100, 60)
        frozen = self.insert_withdrawal("Approved", "NGN", 200, 80)
        unknown = self.insert_withdrawal("Unknown", "UGX", 7, 5)
        owner = {name: frozen[name] for name in ("organisation_id", "member_id")}
        self.insert(Freeze, **owner, currency_id=None, lifted_at=None)
        for withdrawal, seconds in ((approved, -9), (frozen, 9), (unknown, 1)):
            self.insert(Payout, withdrawal_id=withdrawal["id"], leased_until=self.ago(seconds))

    def insert_events(self) -> None:
        events = (
            ("Pending", 40, 500),
            ("Pending", -30, 100),
            ("Pending", 10, 50),
            ("Delivered", 900, 900),
            ("Exhausted", 0, 10),
            ("Exhausted", 0, 10),
            ("Unsent", 0, 10),
        )
        self.replace(EventDelivery, [])
        self.replace(Event, [])
        for status, due, age in events:
            event = self.insert(Event, status=status, created_at=self.ago(age))
            self.insert(
                EventDelivery,
                event_id=event["id"],
                endpoint_id=uuid7(),
                status=status,
                next_attempt_at=self.ago(due),
            )

    def insert_books(self) -> None:
        proofs: tuple[tuple[Any, ...], ...] = (
            (False, 7200, False, ["a", "b"], 7500),
            (False, 9000, True, [], 1000),
            (True, 600, True, [], 250),
            (True, 4200, False, ["a"], 100),
        )
        names = ("incremental", "ran_at", "passed", "findings", "milliseconds")
        self.replace(
            BooksProof,
            [dict(zip(names, (i, self.ago(age), *rest), strict=True)) for i, age, *rest in proofs],
        )

    def insert_reconciliations(self) -> None:
        for day, read, finished, ngn in ((5, 300, 900, 111), (4, 100, 1200, 250)):
            report = self.insert(
                Reconciliation,
                day=f"2026-11-0{day}",
                status="Matched",
                reason="",
                created_at=self.ago(finished + 10),
                balances_at=self.ago(read),
                finished_at=self.ago(finished),
            )
            lines = (
                ("Provider balance", "NGN", ngn),
                ("Provider balance", "KES", 40),
                ("Provider balance", "GHS", None),
                ("Variance", "NGN", 5),
            )
            for position, (kind, currency, theirs) in enumerate(lines):
                self.insert(
                    ReconciliationLine,
                    report_id=report["id"],
                    position=position,
                    kind=kind,
                    currency_id=currency,
                    their_amount=theirs,
                )
        for day in (6, 7):
            self.insert(
                Reconciliation,
                day=f"2026-11-0{day}",
                status="Running",
                created_at=self.now,
                leased_until=self.ago(-9),
            )
        self.replace(ReconciliationBreak, [{"status": s} for s in ("Open", "Explained", "Closed")])

    def insert_others(self) -> None:
        self.cursor.execute(
            "UPDATE wallets_payoutcircuit"
            " SET state = 'Open', opened_at = now(), next_probe_at = now()"
        )
        alerts = (("float", None), ("float", None), ("books", None), ("books", self.now))
        self.replace(Alert, [{"kind": kind, "resolved_at": at} for kind, at in alerts])
        self.insert(Export, status="Running", leased_until=self.ago(1))
        self.insert(Export, status="Ready")
        self.replace(
            ScheduledRun,
            [
                {"task": task, "published_at": self.ago(age)}
                for task, age in (("first", 30), ("second", 70))
            ],
        )
