"""Invariants of loan configurations that PostgreSQL enforces for every writer."""

from typing import Any

import psycopg
import pytest
from django.db import Error, IntegrityError, connection, transaction
from django.db.utils import ProgrammingError

from credit.configurations.services.configurations import propose, propose_change, reject, retire
from tests.credit.configurations.versions import make_officer, snapshot, staff_actor
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.loan_configurations import (
    approve_pending,
    make_configuration,
    make_terms,
    pending_version,
)

pytestmark = pytest.mark.django_db

VERSION = "credit_configurationversion"
CHANGED_TERMS = [
    "name = 'x'", "access = 'public'", "investment_categories = '{Art}'", "collateral_ratio = 1",
    "interest_rate = 1", "duration = 99", "grace_period = 99", "number = 9", "proposed_by = 'x'",
    "proposed_by_label = 'x'", "created_at = now()", "id = gen_random_uuid()",
]  # fmt: skip


def raw(sql: str, *values: Any) -> None:
    """Run one statement as the application's role, with its deferred checks."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def attack(sql: str, *values: Any, kind: type[Error] = IntegrityError) -> str:
    """Assert that PostgreSQL rejects the statement and nothing is written."""
    before = snapshot()
    with pytest.raises(kind) as refused:
        raw(sql, *values)
    assert snapshot() == before
    return str(refused.value)


def test_the_tests_write_as_the_role_of_the_application():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("exchange_runtime",)


@pytest.mark.parametrize("change", CHANGED_TERMS)
@pytest.mark.parametrize("approved", [False, True])
def test_the_terms_of_a_version_never_change(change, approved):
    made = make_configuration(approved=approved)
    attack(f"UPDATE {VERSION} SET {change} WHERE configuration_id = %s", made.id)


@pytest.mark.parametrize(
    ("come_from", "to"),
    [
        ("Approved", "Pending"),
        ("Approved", "Rejected"),
        ("Rejected", "Pending"),
        ("Rejected", "Approved"),
        ("Superseded", "Approved"),
        ("Superseded", "Pending"),
        ("Pending", "Superseded"),
    ],
)
def test_a_version_has_no_other_transitions(come_from, to):
    made = make_configuration()
    if come_from == "Rejected":
        propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
        reject(version_id=pending_version(made).id, user=make_officer(), reason="x")
    elif come_from in {"Superseded", "Pending"}:
        propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
        if come_from == "Superseded":
            approve_pending(made)
    version = made.versions.get(status=come_from)
    attack(
        f"UPDATE {VERSION} SET status = %s, decided_by_id = %s, decided_at = now(), reason = 'x'"
        " WHERE id = %s",
        to,
        make_officer().pk,
        version.id,
    )


def test_sql_rejects_approval_by_the_proposer():
    creator, changer = make_officer(), make_officer()
    made = propose(
        creditor_id=make_organisation().id, terms=make_terms(), actor=staff_actor(creator)
    )
    propose_change(configuration_id=made.id, terms=make_terms(), actor=staff_actor(changer))
    by_another = "another person than its proposer must approve version"
    for approver, text in (
        (creator.pk, "cannot be approved by the person who created it"),
        (changer.pk, by_another),
        (None, by_another),
    ):
        message = attack(
            f"UPDATE {VERSION} SET status = 'Approved', decided_by_id = %s, decided_at = now()"
            " WHERE id = %s",
            approver,
            pending_version(made).id,
        )
        assert text in message


@pytest.mark.parametrize(
    "change", ["decided_by_id = NULL", "decided_at = now()", "reason = 'x'", "decided_at = NULL"]
)
def test_a_decision_never_changes(change):
    made = make_configuration()
    attack(f"UPDATE {VERSION} SET {change} WHERE configuration_id = %s", made.id)


def test_a_decision_needs_a_status_and_a_rejection_a_reason():
    made = make_configuration(approved=False)
    person = make_officer().pk
    for change in (
        f"decided_by_id = '{person}'",
        "reason = 'x'",
        f"status = 'Rejected', decided_by_id = '{person}', decided_at = now()",
        f"status = 'Approved', decided_by_id = '{person}'",
    ):
        attack(f"UPDATE {VERSION} SET {change} WHERE configuration_id = %s", made.id)


def test_limits_and_organisations_of_a_version_never_change():
    named, stranger = make_organisation(), make_organisation()
    made = make_configuration(access="organisations", organisation_ids=[named.id])
    version = made.versions.get().id
    refused = {"kind": ProgrammingError}
    attack("UPDATE credit_loanlimit SET max_amount = 9e9", **refused)
    attack("DELETE FROM credit_loanlimit", **refused)
    attack("DELETE FROM credit_configurationversion_organisations", **refused)
    attack(
        "INSERT INTO credit_loanlimit (version_id, currency_id, max_amount) VALUES (%s, 'KES', 1)",
        version,
    )
    attack(
        "INSERT INTO credit_configurationversion_organisations"
        " (configurationversion_id, organisation_id) VALUES (%s, %s)",
        version,
        stranger.id,
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE credit_loanlimit SET max_amount = 9e9",
        "DELETE FROM credit_loanlimit",
        "UPDATE credit_configurationversion_organisations SET organisation_id = organisation_id",
        "DELETE FROM credit_configurationversion_organisations",
    ],
)
def test_even_the_owner_of_the_tables_does_not_change_terms(owner_connection, change):
    make_configuration(access="organisations", organisation_ids=[make_organisation().id])
    with pytest.raises(psycopg.errors.RestrictViolation):
        owner_connection.execute(change)


@pytest.mark.parametrize(
    ("come_from", "to"),
    [
        ("Pending", "Approved"),
        ("Pending", "Rejected"),
        ("Pending", "Retired"),
        ("Rejected", "Pending"),
        ("Rejected", "Approved"),
        ("Approved", "Pending"),
        ("Approved", "Rejected"),
        ("Retired", "Approved"),
        ("Retired", "Pending"),
    ],
)
def test_the_status_of_a_configuration_matches_its_versions(come_from, to):
    made = make_configuration(approved=come_from in {"Approved", "Retired"})
    if come_from == "Rejected":
        reject(version_id=pending_version(made).id, user=make_officer(), reason="x")
    elif come_from == "Retired":
        retire(configuration_id=made.id, user=make_officer())
    attack("UPDATE credit_loanconfiguration SET status = %s WHERE id = %s", to, made.id)


def test_the_creditor_never_changes_and_rows_are_never_deleted():
    made = make_configuration()
    attack(
        "UPDATE credit_loanconfiguration SET creditor_id = %s WHERE id = %s",
        make_organisation().id,
        made.id,
    )
    for table in (VERSION, "credit_loanconfiguration"):
        attack(f"DELETE FROM {table}", kind=ProgrammingError)


def test_a_version_cannot_start_approved():
    made = make_configuration(approved=False)
    columns = (
        "name, access, investment_categories, collateral_ratio, interest_rate, duration,"
        " grace_period, grace_period_unit, proposed_by, proposed_by_label, created_at"
    )
    attack(
        f"INSERT INTO {VERSION} (id, configuration_id, number, status, reason, decided_by_id,"
        f" decided_at, {columns}) SELECT gen_random_uuid(), configuration_id, 2, 'Approved', '',"
        f" %s, now(), {columns} FROM {VERSION} WHERE configuration_id = %s",
        make_officer().pk,
        made.id,
    )
