"""What the application's own role cannot do to proposals to end loans, and what shows."""

from __future__ import annotations

import pytest
from psycopg import errors

from credit.models import EndingAction
from credit.services.endings import propose_ending
from tests.credit.attacks import off, past_the_guards, refuses
from tests.support.loans import default, ended
from tests.support.world import make_staff

pytestmark = pytest.mark.django_db(transaction=True)


def confirmed(passed: int = 105, owed: int = 1_596_000, **more: str) -> str:
    """Confirms what waits by plain SQL, with that many units at 10,000 passing."""
    value = passed * 10_000
    changes = {
        "status": "'Confirmed'",
        "decided_at": "now()",
        "decided_by_id": "(SELECT max(id::text)::uuid FROM exchange_staffuser"
        " WHERE id <> proposed_by_id)",
        "final_plan": f"jsonb_set(jsonb_set(plan, '{{0,passed}}', '\"{passed}\"'),"
        f" '{{0,value}}', '\"{value}\"')",
        "final_owed": f"{owed}",
        "final_value": f"{value}",
        "final_deficiency": f"{owed - value}",
        **more,
    }
    return ", ".join(f"{name} = {to}" for name, to in changes.items())


@pytest.mark.parametrize(
    "change",
    [
        "plan = '[]'",
        "plan = jsonb_set(plan, '{0,passed}', '\"300\"')",
        "created_at = now() + interval '1 day'",
        "note = 'another'",
        "action = 'write_off'",
        "owed = owed + 1",
        "value_passed = 1",
        "deficiency = 0",
        "loan_id = %(new)s",
        "proposed_by_id = (SELECT max(id::text)::uuid FROM exchange_staffuser)",
        "status = 'Confirmed'",
        "status = 'Confirmed', decided_at = now()",
        "status = 'Lapsed'",
        "status = 'Declined', decided_at = now()",
        "decided_at = now()",
        "final_owed = 1",
        confirmed(passed=106, owed=1_596_000),
        confirmed(owed=1_596_001),
        confirmed(final_value="1"),
        confirmed(final_deficiency="0"),
        confirmed(decided_by_id="proposed_by_id"),
        confirmed(final_plan="jsonb_set(plan, '{0,price}', '\"1\"')"),
        confirmed(final_plan="jsonb_set(plan, '{0,token_id}', to_jsonb(id::text))"),
    ],
)
def test_what_somebody_proposed_stays_and_no_more_is_confirmed(world, runtime, change):
    loan = default(world)
    first, _ = make_staff("end_loan"), make_staff("end_loan")
    propose_ending(loan_id=loan.id, action=EndingAction.LIQUIDATE, note="why", user=first)
    attack = f"UPDATE credit_endingproposal SET {change} WHERE loan_id = %(loan)s"
    refuses(runtime, attack, loan, errors.RestrictViolation, errors.CheckViolation)


def test_a_decided_proposal_never_changes(world, runtime):
    loan = ended(world, EndingAction.LIQUIDATE)
    for change in ("status = 'Pending'", "final_plan = '[]'", "decided_at = now()", "plan = '[]'"):
        attack = f"UPDATE credit_endingproposal SET {change} WHERE loan_id = %(loan)s"
        refuses(runtime, attack, loan, errors.RestrictViolation)


def test_a_proposal_starts_pending_for_a_loan_in_default(world, runtime):
    loan = world.lend()
    attack = (
        "INSERT INTO credit_endingproposal (id, loan_id, action, status, note, plan, owed,"
        " value_passed, deficiency, proposed_by_id, created_at) SELECT %(new)s, %(loan)s,"
        " 'write_off', 'Pending', 'why', '[]', 1, 0, 1, id, now() FROM exchange_staffuser LIMIT 1"
    )
    refuses(runtime, attack, loan, errors.CheckViolation)


@pytest.mark.parametrize("passed", ["104", "0"])
def test_other_units_passed_than_the_confirmed_plan_has_show(world, owner_connection, passed):
    loan = ended(world, EndingAction.LIQUIDATE)
    past_the_guards(
        owner_connection,
        "UPDATE credit_endingproposal SET final_plan ="
        f" jsonb_set(final_plan, '{{0,passed}}', '\"{passed}\"') WHERE loan_id = %s",
        loan.id,
    )
    assert off() == {"what passed to a creditor is what the confirmed plan says"}


def test_another_amount_given_up_than_was_owed_shows(world, owner_connection):
    loan = ended(world, EndingAction.WRITE_OFF)
    past_the_guards(
        owner_connection,
        "UPDATE credit_endingproposal SET final_deficiency = 1 WHERE loan_id = %s",
        loan.id,
    )
    assert off() == {"every ended loan was ended as two people decided"}
