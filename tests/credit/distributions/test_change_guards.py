"""Changes of distributions and plain SQL: each condition of approvals, and of what is corrected."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from psycopg import errors

from credit.distributions.models import Distribution, DistributionAction
from credit.distributions.services import drafting, proposals
from exchange.core.ids import uuid7
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.database import Connection
from tests.environment.owner import without_guards
from tests.factories.distributions import (
    approve_unchecked,
    issuer_of,
    make_distribution,
    make_holding,
    make_scheduled,
    proposer,
    right_terms,
)
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db(transaction=True)

FORGE = """
INSERT INTO credit_distributionproposal (id, distribution_id, action, terms, explanation, status,
    proposed_by, proposed_by_label, created_at, decided_by_id, decided_at, reason)
SELECT %(new)s, d.id, 'change', jsonb_build_object('amount_per_unit', %(amount)s::text,
    'record_at', d.record_at, 'payment_date', d.payment_date), 'Agreed', 'Approved',
    'system:test', '', %(at)s, %(decider)s, %(at)s, ''
FROM credit_distribution d WHERE d.id = %(id)s
"""


def approve_change(made: Distribution, amount: int, hours: int = 0) -> None:
    """Store an approved change of the amount a unit, decided in so many hours."""
    with without_guards() as cursor:
        cursor.execute(
            FORGE,
            {
                "new": uuid7(),
                "id": made.pk,
                "amount": amount,
                "at": timezone.now() + timedelta(hours=hours),
                "decider": make_staff("decide_distribution").pk,
            },
        )


def assert_refused(runtime: Connection, made: Distribution, change: str, constraint: str) -> None:
    with assert_nothing_changes(), pytest.raises(errors.CheckViolation) as found:
        runtime.execute(f"UPDATE credit_distribution SET {change} WHERE id = %s", [made.pk])
    assert found.value.diag.constraint_name == constraint


RIGHT = "amount_per_unit = 9, version = 2"


@pytest.mark.parametrize(
    ("status", "change"),
    [
        ("Draft", f"status = 'Announced', {RIGHT}"),
        ("Announced", f"status = 'Cancelled', {RIGHT}"),
        ("Announced", "amount_per_unit = 9"),
        ("Announced", "amount_per_unit = 9, version = 3"),
        ("Announced", "amount_per_unit = 8, version = 2"),
        ("Announced", f"{RIGHT}, record_at = record_at + interval '1 hour'"),
        ("Announced", f"{RIGHT}, payment_date = payment_date + 1"),
    ],
)
@pytest.mark.one_in(3)
def test_only_what_is_announced_changes_and_as_approved(runtime, status, change):
    made = make_distribution(make_holding().token, status)
    if status == "Draft":
        approve_unchecked(made)
    approve_change(made, 9)
    assert_refused(runtime, made, change, "distribution_changed_by_two")


@pytest.mark.parametrize(
    "change",
    [
        "distribution_id = %(other)s",
        "action = 'assign'",
        "status = 'Rejected'",
        "proposed_by = 'staff:' || decided_by_id",
    ],
)
@pytest.mark.one_in(3)
def test_a_change_needs_the_approval_of_another_person(runtime, change):
    made = make_distribution(make_holding().token)
    other = make_distribution(make_holding().token, "Draft")
    approve_change(made, 9)
    with without_guards() as cursor:
        cursor.execute(
            f"UPDATE credit_distributionproposal SET {change}"
            " WHERE distribution_id = %(id)s AND action = 'change'",
            {"id": made.pk, "other": other.pk},
        )
        assert cursor.rowcount == 1
    assert_refused(runtime, made, RIGHT, "distribution_changed_by_two")


def test_the_last_approval_of_a_change_counts(runtime):
    made = make_distribution(make_holding().token)
    approve_change(made, 9)
    approve_change(made, 8, hours=1)
    assert_refused(runtime, made, RIGHT, "distribution_changed_by_two")
    runtime.execute(
        "UPDATE credit_distribution SET amount_per_unit = 8, version = 2 WHERE id = %s", [made.pk]
    )


def test_the_record_of_a_scheduled_one_moves_as_it_is_announced_only(runtime):
    make_scheduled(2)
    drafting.draft_due()
    made = Distribution.objects.get()
    later = (
        "record_at = record_at + interval '30 days', payment_date ="
        " ((record_at + interval '30 days') AT TIME ZONE 'UTC')::date"
    )
    assert_refused(runtime, made, later, "distribution_changed_by_two")
    approve_unchecked(made)
    runtime.execute("UPDATE credit_distribution SET status = 'Announced' WHERE id = %s", [made.pk])
    assert_refused(runtime, made, later, "distribution_changed_by_two")


def test_a_cancelled_one_gives_back_what_was_funded(runtime):
    made = make_distribution(make_holding().token, "Funded")
    proposals.propose_step(
        distribution_id=made.pk,
        action=DistributionAction.CANCEL,
        explanation="Agreed",
        user=proposer(),
    )
    approve_unchecked(made)
    assert_refused(runtime, made, "status = 'Cancelled'", "distribution_given_back")


@pytest.mark.parametrize(
    "change",
    [
        "status = 'Paying'",
        "corrects_id = %(new)s",
        "token_id = %(token)s",
        "type = 'Exit'",
        "currency_id = 'KES'",
        "record_at = record_at - interval '1 day'",
    ],
)
@pytest.mark.one_in(3)
def test_only_the_same_that_is_paid_is_corrected(runtime, change):
    held, other = make_holding(), make_holding()
    paid = make_distribution(held.token, "Paid")
    draft = proposals.propose_distribution(
        token_id=held.token.pk,
        terms=right_terms(paid, amount=Decimal(3)),
        actor=issuer_of(held.token),
        corrects=paid.pk,
    )
    approve_unchecked(draft)
    with without_guards() as cursor:
        cursor.execute(
            f"UPDATE credit_distribution SET {change} WHERE id = %(id)s",
            {"id": paid.pk, "new": uuid7(), "token": other.token.pk},
        )
        assert cursor.rowcount == 1
    assert_refused(runtime, draft, "status = 'Announced'", "distribution_corrects_paid")
