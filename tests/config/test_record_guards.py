"""Every table with a state: a row starts in its first one, and two people decide about it.

As the service's login, with a record of every model. A new table with a state is tested without a
line here, unless its rows start in another state than that of a proposal.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import Error, connection, models, transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from credit.configurations.models import ConfigurationVersion
from exchange.core.ids import uuid7
from exchange.exports.models import ExportStatus
from exchange.staff.models import ProposalModel
from tests.assertions.statement_results import ACCEPTED, violated_rule
from tests.environment.module_transaction import module_transaction
from tests.environment.owner import without_guards
from tests.factories.every_record import make_every_record
from tests.factories.wallets import make_staff
from wallets.deposits.models import Payment

pytestmark = pytest.mark.django_db

# Where others than the pending state of a proposal are the first.
FIRST_STATES = {
    "credit_distribution": {"Draft"},
    "credit_income": set(),  # by `record_distribution` only
    "credit_loan": set(),  # by `make_loan` only
    "exchange_event": set(),  # by `emit_events` only
    "exchange_eventdelivery": set(),  # by `emit_events` and `queue_deliveries` only
    "exchange_export": set(ExportStatus.values),  # carries neither money nor power
    "orders_order": set(),  # by `enter_orders` only
    "wallets_bulkapproval": {"Waiting"},
    "wallets_conversion": set(),  # by `convert_money` only
    "wallets_payment": {"Reported"},
    "wallets_reconciliation": {"Waiting"},
    "wallets_reconciliationbreak": {"Open"},
    "wallets_statementfile": {"Uploaded"},
    "wallets_statementline": {"Open"},
    "wallets_virtualaccount": {"Active", "Closed"},
    "wallets_wallettransfer": set(),  # by `transfer_money` only
    "wallets_withdrawal": set(),  # by `request_withdrawals` only
}
PENDING = ("Pending",)
APPROVED = ("Approved", "Completed")
# What a trigger or a missing right answers; keys, checks and duplicates would not do.
REFUSALS = ("_start", "_starts_pending", "_starts_open", "_status_by_explanations", "_by_two")


@pytest.fixture(scope="module", autouse=True)
def every_record(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with module_transaction(django_db_blocker):
        make_every_record()
        Payment.objects.create(
            transaction_id=1, tx_ref="x", created_at=timezone.now(), updated_at=timezone.now()
        )
        with without_guards():  # an API client proposed it
            ConfigurationVersion.objects.filter(status="Pending").update(
                proposed_by=f"staff:{make_staff().pk}"
            )
        yield


def attempt(statement: str, values: list[Any]) -> str:
    """Run a statement as the service; undo it, and return ACCEPTED or the violated rule."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            assert cursor.fetchone() == ("exchange_runtime",)
            cursor.execute(statement, values)
            transaction.set_rollback(True)
    except Error as error:
        return violated_rule(error)
    return ACCEPTED


def insert_like(row: models.Model, **changes: Any) -> str:
    """Try to insert another row like this one."""
    fields = [
        field for field in row._meta.concrete_fields if not isinstance(field, models.GeneratedField)
    ]
    given = {"id": uuid7(), **changes}
    names = [str(field.column) for field in fields]
    values = ", ".join("%s" if name in given else name for name in names)
    changed = [given[name] for name in names if name in given]
    table = row._meta.db_table
    keys = [(str(field.column), getattr(row, field.attname)) for field in row._meta.pk_fields]
    where = " AND ".join(f"{name} = %s" for name, _ in keys)
    return attempt(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {where}",
        [*changed, *(value for _, value in keys)],
    )


def tables_with_a_state() -> list[type[models.Model]]:
    return [
        model
        for model in apps.get_models()
        if model._meta.app_label in ("exchange", "wallets", "orders", "credit")
        and not model._meta.proxy
        and any(f.name == "status" for f in model._meta.concrete_fields)
    ]


def states_of(model: type[models.Model]) -> list[str]:
    field = model._meta.get_field("status")
    assert isinstance(field, models.Field)
    choices = field.choices
    return [str(value) for value, _ in choices or [("Active", ""), ("Closed", "")]]


def proposal_models() -> list[type[models.Model]]:
    return [model for model in tables_with_a_state() if "decided_by_id" in columns(model)]


def columns(model: type[models.Model]) -> set[str]:
    return {str(field.column) for field in model._meta.concrete_fields}


def proposer_of(model: type[models.Model]) -> str:
    [name] = columns(model) & {"proposed_by_id", "proposed_by", "entered_by_id"}
    return name


def pending(model: type[models.Model]) -> models.Model:
    row = (
        model._default_manager.filter(status__in=PENDING)
        .exclude(**{proposer_of(model): None})
        .order_by("-pk")
        .first()
    )
    assert row is not None, f"a record of {model.__name__} waits for a decision"
    return row


def person_of(row: models.Model) -> str:
    """Return the id of the person who proposed it."""
    return str(getattr(row, proposer_of(type(row)))).removeprefix("staff:")


def test_every_row_starts_in_its_first_state():
    proposals = proposal_models()
    wrong = []
    for model in tables_with_a_state():
        table = model._meta.db_table
        first = FIRST_STATES.get(table)
        rows = model._default_manager.all()
        started = rows.filter(status__in=first or PENDING).first() or rows.first()
        row = pending(model) if model in proposals else started
        assert row is not None, f"a record of {model.__name__}"
        for state in states_of(model):
            found = insert_like(row, status=state)
            if state in (PENDING if first is None else first):
                fits = not found.endswith(REFUSALS) and found != "InsufficientPrivilege"
            else:
                fits = found.endswith(REFUSALS) or found == "InsufficientPrivilege"
            if not fits:
                wrong.append((table, state, found))
    assert wrong == []


def test_no_proposal_starts_decided_or_without_a_proposer():
    decided = {"decided_by_id": make_staff().pk, "decided_at": timezone.now()}
    found: dict[str, set[str]] = {}
    for model in proposal_models():
        row, table = pending(model), model._meta.db_table
        for state in set(states_of(model)):
            outcome = insert_like(row, status=state, **decided)
            assert outcome.endswith(REFUSALS), (table, state, outcome)
            unproposed = insert_like(row, status=state, **{proposer_of(model): None})
            if not unproposed.endswith((*REFUSALS, "NotNullViolation")):
                found.setdefault(table, set()).add(state)
    # By commands. Only a hold on payouts starts decided, and an access proposal that says
    # break-glass.
    assert found == {
        "wallets_deposit": {"Pending"},
        "exchange_accessproposal": {"Pending"},
        "wallets_settingchange": {"Approved"},
    }


def test_every_proposal_takes_another_person():
    tables = {model._meta.db_table for model in proposal_models()}
    guards = []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger t JOIN pg_proc p"
            " ON p.oid = t.tgfoid WHERE p.proname = 'two_person_guard'"
        )
        assert {name for (name,) in cursor.fetchall()} == tables
    for model in proposal_models():
        row, table = pending(model), model._meta.db_table
        [approved] = set(states_of(model)) & set(APPROVED)
        statement = (
            f"UPDATE {table} SET status = %s, decided_by_id = %s, decided_at = now() WHERE id = %s"
        )
        found = attempt(statement, [approved, person_of(row), row.pk])
        assert found.endswith(f"_{approved.lower()}_by_another"), (table, found)
        guards.append(found)
        undecided = attempt(statement, [approved, None, row.pk])
        assert undecided.endswith(("_by_another", "_by_two")), table
        stranger = attempt(statement, [approved, uuid7(), row.pk])
        assert stranger == found.replace(f"{approved.lower()}_by_another", "by_staff"), table
    # Each names its own table.
    assert len(set(guards)) == len(tables)


def test_only_active_staff_propose_and_decide():
    gone, guest = make_staff(), make_staff()
    type(gone).objects.filter(pk=gone.pk).update(is_active=False)
    type(guest).objects.filter(pk=guest.pk).update(is_staff=False)
    for model in proposal_models():
        row, column = pending(model), proposer_of(model)
        assert issubclass(model, ProposalModel)
        for person in (gone, guest):
            proposer = f"staff:{person.pk}" if column == "proposed_by" else person.pk
            assert insert_like(row, **{column: proposer}).endswith("_by_staff")
            decided = attempt(
                f"UPDATE {model._meta.db_table} SET status = %s, decided_by_id = %s,"
                " decided_at = now() WHERE id = %s",
                [states_of(model)[-1], person.pk, row.pk],
            )
            assert decided.endswith("_by_staff"), model


def test_a_payment_is_only_moved_on_as_it_may():
    payments = apps.get_model("wallets", "Payment")
    row = payments._default_manager.get(status="Unmatched")
    for state in ("Reported", "Pending", "Failed", "Disproved", "Refunded"):
        found = attempt("UPDATE wallets_payment SET status = %s WHERE id = %s", [state, row.pk])
        assert found == "wallets_payment_move", state
