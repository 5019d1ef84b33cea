"""Closure proposals: changes the application's role cannot make, and findings of the proof."""

import pytest
from psycopg import errors

from credit.loans.models import ClosureAction
from tests.assertions.books import failing_checks
from tests.credit.loans.attacks import assert_rejected, bypass_guards
from tests.factories.loans import make_closed_loan

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_decided_proposal_never_changes(lending, runtime):
    loan = make_closed_loan(lending, ClosureAction.LIQUIDATE)
    for change in ("status = 'Pending'", "final_plan = '[]'", "decided_at = now()", "plan = '[]'"):
        attack = f"UPDATE credit_closureproposal SET {change} WHERE loan_id = %(loan)s"
        assert_rejected(runtime, attack, loan, errors.RestrictViolation)


def test_a_proposal_starts_pending_for_a_loan_in_default(lending, runtime):
    loan = lending.lend()
    attack = (
        "INSERT INTO credit_closureproposal (id, loan_id, action, status, note, plan, owed,"
        " value_passed, deficiency, proposed_by_id, created_at) SELECT %(new)s, %(loan)s,"
        " 'write_off', 'Pending', 'why', '[]', 1, 0, 1, id, now() FROM exchange_staffuser LIMIT 1"
    )
    assert_rejected(runtime, attack, loan, errors.CheckViolation)


@pytest.mark.parametrize("passed", ["104", "0"])
def test_units_other_than_in_the_confirmed_plan_are_found(lending, owner_connection, passed):
    loan = make_closed_loan(lending, ClosureAction.LIQUIDATE)
    bypass_guards(
        owner_connection,
        "UPDATE credit_closureproposal SET final_plan ="
        f" jsonb_set(final_plan, '{{0,passed}}', '\"{passed}\"') WHERE loan_id = %s",
        loan.id,
    )
    assert failing_checks() == {"units and cash transferred to a creditor equal the confirmed plan"}


def test_an_amount_other_than_owed_is_found(lending, owner_connection):
    loan = make_closed_loan(lending, ClosureAction.WRITE_OFF)
    bypass_guards(
        owner_connection,
        "UPDATE credit_closureproposal SET final_deficiency = 1 WHERE loan_id = %s",
        loan.id,
    )
    assert failing_checks() == {"every closed loan has its confirmed proposal"}
