"""Who takes, explains and closes a break: two people, in the service and in the database."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from psycopg import errors

from exchange.core.errors import (
    DomainError,
    Forbidden,
    InvalidRequest,
    NotFound,
    Rejected,
    StateConflict,
)
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from tests.environment.concurrency import Callers
from tests.environment.database import Connection, session
from tests.factories.breaks import make_break
from tests.factories.wallets import make_staff
from tests.wallets.reconciliation.harness import approver
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.reconciliation.models import BreakExplanation, BreakStatus, ReconciliationBreak
from wallets.reconciliation.services import explanations

pytestmark = pytest.mark.django_db

# What others than the test see, on connections of their own.
committed = pytest.mark.django_db(transaction=True)

WHY = "The bank collected its yearly fee; statement of 3 March, line 12"


@pytest.fixture
def found() -> ReconciliationBreak:
    return make_break()


@pytest.fixture
def runtime() -> Iterator[Connection]:
    with session("runtime") as connection:
        connection.autocommit = True
        yield connection


def explain(found: ReconciliationBreak, user: StaffUser | None = None) -> BreakExplanation:
    return explanations.explain_break(break_id=found.pk, explanation=WHY, user=user or approver())


def picture() -> list[tuple[object, ...]]:
    return [
        *ReconciliationBreak.objects.order_by("pk").values_list(),
        *BreakExplanation.objects.order_by("pk").values_list(),
        *Alert.objects.order_by("pk").values_list(),
    ]


def refuses(kind: type[DomainError], act: Any, **values: Any) -> str:
    """What it says; nothing changed."""
    before = picture()
    with pytest.raises(kind) as refusal:
        act(**values)
    assert picture() == before
    return refusal.value.message


def status_of(found: ReconciliationBreak) -> str:
    found.refresh_from_db()
    return found.status


def test_one_explains_and_another_closes(found):
    first, second = approver(), approver()
    proposed = explain(found, first)
    assert status_of(found) == "Explained"
    message = refuses(Rejected, explanations.close_break, explanation_id=proposed.pk, user=first)
    assert message == "Someone other than the person who explained it must close the break"
    explanations.close_break(explanation_id=proposed.pk, user=second)
    assert status_of(found) == "Closed"
    kept = BreakExplanation.objects.get()
    assert (kept.explanation, kept.proposed_by, kept.decided_by) == (WHY, first, second)
    assert kept.decided_at is not None
    for act in (
        explanations.close_break,
        partial(explanations.reject_explanation, reason="No"),
    ):
        refuses(StateConflict, act, explanation_id=proposed.pk, user=second)
    refuses(
        StateConflict, explanations.explain_break, break_id=found.pk, explanation="x", user=first
    )


def test_a_refused_explanation_opens_the_break_again(found):
    first, second = approver(), approver()
    proposed = explain(found, first)
    refuses(StateConflict, explain, found=found, user=second)
    for reason in ("", "  "):
        refuses(
            InvalidRequest,
            explanations.reject_explanation,
            explanation_id=proposed.pk,
            user=second,
            reason=reason,
        )
    explanations.reject_explanation(
        explanation_id=proposed.pk, user=second, reason="Not on the statement"
    )
    assert status_of(found) == "Open"
    # Whoever explained may take it back, too.
    explanations.reject_explanation(
        explanation_id=explain(found, first).pk, user=first, reason="Mistaken"
    )
    assert status_of(found) == "Open"
    explanations.close_break(explanation_id=explain(found, second).pk, user=first)
    assert status_of(found) == "Closed"
    assert BreakExplanation.objects.count() == 3


@pytest.mark.parametrize("words", ["", " \n", "x" * 501])
def test_an_explanation_is_in_writing(found, words):
    refuses(
        InvalidRequest,
        explanations.explain_break,
        break_id=found.pk,
        explanation=words,
        user=approver(),
    )


def test_only_those_who_decide_about_breaks_may_do_anything(found):
    proposed, stranger = explain(found), make_staff("run_reconciliation")
    refuses(Forbidden, explanations.close_break, explanation_id=proposed.pk, user=stranger)
    refuses(
        Forbidden,
        explanations.reject_explanation,
        explanation_id=proposed.pk,
        user=stranger,
        reason="No",
    )
    other = make_break(currency="KES")
    refuses(Forbidden, explain, found=other, user=stranger)
    assign_break = partial(explanations.assign_break, break_id=other.pk)
    refuses(Forbidden, assign_break, owner=approver(), user=stranger)
    refuses(InvalidRequest, assign_break, owner=stranger, user=approver())


def test_a_break_is_taken_and_handed_over_until_it_is_closed(found):
    first, second = approver(), approver()
    assign_break = partial(explanations.assign_break, break_id=found.pk)
    assert assign_break(owner=first, user=first).owner == first
    assert assign_break(owner=second, user=first).owner == second
    assert ReconciliationBreak.objects.get().owner == second
    explanations.close_break(explanation_id=explain(found, first).pk, user=second)
    refuses(StateConflict, assign_break, owner=first, user=first)


def test_a_refusal_has_three_hundred_characters_at_most(found):
    proposed = explain(found)
    refuse = partial(explanations.reject_explanation, explanation_id=proposed.pk, user=approver())
    message = refuses(InvalidRequest, refuse, reason="x" * 301)
    assert message == "The text must have at most 300 characters, not 301"
    assert refuse(reason="x" * 300).reason == "x" * 300


def test_a_break_that_is_no_longer_what_it_was_is_not_moved(found):
    with pytest.raises(StateConflict, match=r"^The break is no longer Explained$"):
        explanations._set_status(found, BreakStatus.EXPLAINED, BreakStatus.CLOSED)
    assert status_of(found) == "Open"


@committed
def test_a_break_is_locked_before_its_explanation_and_comparisons_before_both(
    found, owner_connection
):
    look = "SELECT id FROM wallets_reconciliationbreak FOR {} SKIP LOCKED"
    for act in (
        partial(explanations.reject_explanation, reason="No"),
        explanations.close_break,
    ):
        decide = partial(act, explanation_id=explain(found).pk, user=approver())
        with CaptureQueriesContext(connection) as made, transaction.atomic():
            decide()
            # Who writes about the break does not wait for the decision.
            assert owner_connection.execute(look.format("SHARE")).fetchall() == []
            assert len(owner_connection.execute(look.format("KEY SHARE")).fetchall()) == 1
        locks = [
            re.findall(r'pg_advisory_xact_lock|FROM "(\w+)" .* FOR [A-Z ]*UPDATE', query["sql"])
            for query in made.captured_queries
        ]
        both = [["wallets_reconciliationbreak"], ["wallets_breakexplanation"]]
        comparisons = [[""]] if act is explanations.close_break else []
        assert [each for each in locks if each] == [*comparisons, *both]


def test_an_unknown_break_is_not_found():
    missing, user = uuid7(), approver()
    refuses(NotFound, explanations.explain_break, break_id=missing, explanation=WHY, user=user)
    refuses(NotFound, explanations.close_break, explanation_id=missing, user=user)
    refuses(
        NotFound, explanations.reject_explanation, explanation_id=missing, user=user, reason="No"
    )
    refuses(NotFound, explanations.assign_break, break_id=missing, owner=user, user=user)


@committed
def test_of_many_who_explain_close_and_refuse_at_once_one_does():
    people = [approver() for _ in range(4)]
    with Callers(4) as callers:
        for _ in range(4):
            found = make_break()
            results = callers.at_once([partial(explain, found, person) for person in people])
            [proposed] = [made for made in results if isinstance(made, BreakExplanation)]
            assert sum(isinstance(made, StateConflict) for made in results) == 3
            others = [person for person in people if person.pk != proposed.proposed_by_id]
            results = callers.at_once(
                [
                    partial(explanations.close_break, explanation_id=proposed.pk, user=others[0]),
                    partial(explanations.close_break, explanation_id=proposed.pk, user=others[1]),
                    partial(
                        explanations.reject_explanation,
                        explanation_id=proposed.pk,
                        user=others[2],
                        reason="No",
                    ),
                ]
            )
            assert sum(isinstance(made, StateConflict) for made in results) == 2
            proposed.refresh_from_db()
            wanted = {"Approved": "Closed", "Rejected": "Open"}
            assert status_of(found) == wanted[proposed.status]


@committed
def test_the_last_breaks_of_a_day_that_are_closed_at_once_end_its_alert():
    """Each of the two would still see the other one open."""
    with Callers(2) as callers:
        for _ in range(5):
            pair = [make_break(), make_break(currency="KES")]
            raise_alert("reconciliation", subject=str(pair[0].day), message="Look")
            proposed = [explain(found) for found in pair]
            people = [approver(), approver()]
            callers.at_once(
                [
                    partial(explanations.close_break, explanation_id=each.pk, user=person)
                    for each, person in zip(proposed, people, strict=True)
                ]
            )
            assert not Alert.objects.filter(resolved_at=None).exists()


# --- what the database holds ---


def is_refused(
    connection: Connection, kind: type[psycopg.Error], statement: str, *values: object
) -> str:
    before = picture()
    with pytest.raises(kind) as refusal:
        connection.execute(statement, values)
    assert picture() == before
    return refusal.value.diag.constraint_name or ""


@committed
def test_the_database_wants_two_people(runtime, found):
    proposed = explain(found)
    approve = (
        "UPDATE wallets_breakexplanation SET status = 'Approved', decided_by_id = %s,"
        " decided_at = now() WHERE id = %s"
    )
    for person in (None, proposed.proposed_by_id):
        broken = is_refused(runtime, errors.CheckViolation, approve, person, proposed.pk)
        assert broken == "explanation_approved_by_another"
    edit = "UPDATE wallets_breakexplanation SET explanation = 'y' WHERE id = %s"
    is_refused(runtime, errors.RestrictViolation, edit, proposed.pk)
    blank = (
        "INSERT INTO wallets_breakexplanation (id, subject_id, explanation, status, reason,"
        " proposed_by_id, created_at) VALUES (%s, %s, '  ', 'Pending', '', %s, now())"
    )
    other = make_break(currency="KES")
    broken = is_refused(
        runtime, errors.CheckViolation, blank, uuid7(), other.pk, proposed.proposed_by_id
    )
    assert broken == "explanation_in_writing"


@committed
def test_the_database_closes_no_break_without_an_explanation(runtime, found):
    change = "UPDATE wallets_reconciliationbreak SET status = %s WHERE id = %s"
    for status in ("Explained", "Closed"):
        broken = is_refused(runtime, errors.CheckViolation, change, status, found.pk)
        assert broken == "break_status_by_explanations"
    proposed = explain(found)
    for status in ("Open", "Closed"):
        is_refused(runtime, errors.CheckViolation, change, status, found.pk)
    explanations.close_break(explanation_id=proposed.pk, user=approver())
    for status in ("Open", "Explained"):
        is_refused(runtime, errors.RestrictViolation, change, status, found.pk)


@committed
def test_the_database_rejects_changes_of_a_breaks_subject(runtime, found):
    for column, value in (("difference", 0), ("day", timezone.now().date()), ("kind", "Amount")):
        change = f"UPDATE wallets_reconciliationbreak SET {column} = %s WHERE id = %s"
        is_refused(runtime, errors.InsufficientPrivilege, change, value, found.pk)
    remove = "DELETE FROM wallets_reconciliationbreak WHERE id = %s"
    is_refused(runtime, errors.InsufficientPrivilege, remove, found.pk)
    closed = (
        "INSERT INTO wallets_reconciliationbreak (id, day, kind, our_text, their_text, reference,"
        " provider_id, status, first_report_id, latest_report_id, in_latest_report, created_at)"
        " SELECT %s, day, kind, '', '', 'x', '', 'Closed', first_report_id, latest_report_id, true,"
        " now() FROM wallets_reconciliationbreak WHERE id = %s"
    )
    is_refused(runtime, errors.CheckViolation, closed, uuid7(), found.pk)
