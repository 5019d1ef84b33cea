"""Scheduled tasks exist, and the daily proof has the checks of every app."""

import inspect
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config import tasks
from config.books import CHECKS
from config.celery import SCHEDULE, app
from tests.factories.wallets import make_wallet, store_bank_list
from wallets.alerts.models import Alert
from wallets.ledger.models import Account, BooksProof
from wallets.ledger.proof import Check, prove_and_store
from wallets.ledger.selectors.proof import full_proof_due

DOMAIN_APPS = ("exchange", "wallets", "credit", "orders")


def checks_of(app_name: str) -> list[Check]:
    """Return every check that the app's `proof` modules declare."""
    folder = Path(import_module(app_name).__path__[0])
    modules = [import_module(f"{app_name}.{path.parent.name}.proof")
               for path in folder.glob("*/proof.py")]  # fmt: skip
    values = [value for module in modules for value in vars(module).values()]
    checks = [one for value in values for one in (value if isinstance(value, tuple) else [value])]
    return list({id(check): check for check in checks if isinstance(check, Check)}.values())


@pytest.mark.parametrize("name", SCHEDULE)
def test_every_task_of_the_schedule_is_registered(name: str) -> None:
    app.loader.import_default_modules()
    assert name in app.tasks


def test_the_books_are_proved_every_hour() -> None:
    proofs = {name: every for name, every in SCHEDULE.items() if "prove" in name}
    assert proofs == {"config.tasks.prove_books": timedelta(hours=1)}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("last", "due"),
    [(None, True), ((9, 2, 59), True), ((9, 3, 0), False), ((10, 2, 0), False)],
)
def test_the_full_proof_is_due_once_a_day_from_its_hour(
    last: tuple[int, int, int] | None, due: bool
) -> None:
    """By incremental ones it is not done. The hour of today is still to come."""
    now = datetime(2026, 3, 10, 2, 30, tzinfo=UTC)
    made: dict[str, Any] = {"passed": True, "findings": [], "milliseconds": 1}
    BooksProof.objects.create(ran_at=now, incremental=True, **made)
    if last:
        BooksProof.objects.create(ran_at=datetime(2026, 3, *last, tzinfo=UTC), **made)
    assert full_proof_due(now, 3) == due
    assert full_proof_due(now.replace(hour=3, minute=0), 3)


@pytest.mark.django_db(transaction=True)
def test_the_task_is_full_once_and_incremental_afterwards() -> None:
    store_bank_list()
    wallet = make_wallet(1000)
    tasks.prove_books()
    wallet.request(500)
    tasks.prove_books()
    kinds = BooksProof.objects.order_by("ran_at").values_list("incremental", "passed")
    assert list(kinds) == [(False, True), (True, True)]


def test_the_checks_are_those_of_every_app() -> None:
    declared = [check for app_name in DOMAIN_APPS for check in checks_of(app_name)]
    assert len(declared) > 0
    assert sorted(check.title for check in CHECKS) == sorted(check.title for check in declared)


def test_a_stored_proof_names_its_checks() -> None:
    assert (
        inspect.signature(prove_and_store).parameters["checks"].default is inspect.Parameter.empty
    )


@pytest.mark.django_db(transaction=True)
def test_the_daily_proof_is_stored_and_alerts_on_a_failure(
    owner_connection: psycopg.Connection[Any],
) -> None:
    store_bank_list()
    wallet = make_wallet(1000)
    wallet.request(500)
    tasks.prove_books()
    assert BooksProof.objects.get().passed
    assert not Alert.objects.exists()
    escrow = Account.objects.get(owner_id=wallet.owner_id, kind="escrow")
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute(
            "UPDATE wallets_account SET balance = 499 WHERE id = %s", [escrow.id]
        )
    tasks.prove_books()
    found = BooksProof.objects.latest("ran_at")
    assert [finding["check"] for finding in found.findings] == [
        "every balance equals its entries",
        "escrow equals open withdrawals",
    ]
    assert [alert.kind for alert in Alert.objects.filter(resolved_at=None)] == ["books"]
