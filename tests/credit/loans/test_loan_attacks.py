"""Plain SQL that PostgreSQL rejects for loans and closure proposals, without any change.

All tests therefore attack the same loans. Findings about other attacks: `test_loan_guards`.
"""

import pytest
from psycopg import errors

from credit.loans.models import ClosureAction, Loan
from credit.loans.services.closures import propose_closure
from tests.credit.loans.attacks import assert_rejected, copy_loan_sql
from tests.environment.module_database import module_database, module_rows
from tests.factories.lending import Lending, make_lending
from tests.factories.loans import make_defaulted_loan, repay_loan
from tests.factories.wallets import make_staff

__all__ = ["module_database", "module_rows"]


@pytest.fixture(scope="module")
def lending(module_database: None) -> Lending:
    return make_lending()


@pytest.fixture(scope="module")
def loan(lending: Lending) -> Loan:
    """A loan without repayments."""
    return lending.lend()


@pytest.fixture(scope="module")
def paid(lending: Lending) -> Loan:
    """A loan with 50 of its interest repaid."""
    made = lending.lend()
    repay_loan(made, 50)
    return made


@pytest.fixture(scope="module")
def defaulted(module_database: None) -> Loan:
    """A defaulted loan with a proposed liquidation, and an officer who can confirm it."""
    made = make_defaulted_loan(make_lending())
    first, _ = make_staff("close_loan"), make_staff("close_loan")
    propose_closure(loan_id=made.id, action=ClosureAction.LIQUIDATE, note="why", user=first)
    return made


def confirmed(passed: int = 105, owed: int = 1_596_000, **more: str) -> str:
    """Confirm the pending proposal by plain SQL, transferring that many units at 10,000."""
    value = passed * 10_000
    changes = {
        "status": "'Approved'",
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
        "status = 'COMPLETED'",
        "status = 'COMPLETED', closed_at = now()",
        "status = 'COMPLETED', closed_at = now(), interest_repaid = 756000",
        "status = 'COMPLETED', closed_at = now(), principal_repaid = 840000",
        "status = 'COMPLETED', closed_at = now(), interest_repaid = 756000,"
        " principal_repaid = 840000",
        "interest_repaid = 60",
        "interest_repaid = 756000, principal_repaid = 840000",
        "interest_repaid = 756000.01",
        "principal_repaid = 840000.01",
        "interest_repaid = -1",
        "interest_repaid = 49.99",
        "principal_repaid = principal_repaid - 0.00000001, interest_repaid = 60",
        "closed_at = now()",
        "status = 'DEFAULTED'",
        "status = 'LIQUIDATED', closed_at = now()",
        "status = 'WRITTEN_OFF', closed_at = now()",
        "status = 'PAID'",
        "status = ''",
    ],
)
def test_transitions_of_an_open_loan_need_their_records(paid, runtime, change):
    attack = f"UPDATE credit_loan SET {change} WHERE id = %(loan)s"
    assert_rejected(runtime, attack, paid, errors.CheckViolation)


@pytest.mark.parametrize(
    "change",
    [
        "id = %(new)s",
        "amount = 1",
        "repayment_amount = 840000",
        "repayment_date = repayment_date + interval '1 year'",
        "interest_rate = 0",
        "collateral_ratio = 1",
        "duration = 12",
        "grace_period = 365",
        "grace_period_unit = ''",
        "currency_id = 'KES'",
        "creditor_id = organisation_id",
        "organisation_id = creditor_id",
        "borrower_id = %(new)s",
        "configuration_id = %(new)s",
        "version_id = %(new)s",
        "reason = 'another'",
        "bank_name = 'Another Bank'",
        "bank_code = '044'",
        "account_number = '0690000031'",
        "requested_by = ''",
        "created_at = now()",
    ],
)
def test_the_terms_of_a_loan_are_immutable(loan, runtime, change):
    attack = f"UPDATE credit_loan SET {change} WHERE id = %(loan)s"
    assert_rejected(runtime, attack, loan, errors.RestrictViolation)


@pytest.mark.parametrize(
    "attack",
    [
        "DELETE FROM credit_loan",
        "DELETE FROM credit_collateral",
        "DELETE FROM credit_repayment",
        "DELETE FROM credit_shortfall",
        "DELETE FROM credit_closureproposal",
        "DELETE FROM credit_loanconfiguration",
        "DELETE FROM credit_configurationversion",
        "DELETE FROM credit_loanlimit",
        "UPDATE credit_repayment SET amount = 1, principal = 1, interest = 0",
        "UPDATE credit_outstanding SET principal = 0",
        "DELETE FROM credit_outstanding",
        "INSERT INTO credit_loan SELECT * FROM credit_loan",
        "INSERT INTO credit_outstanding (configuration_id, currency_id, principal)"
        " SELECT configuration_id, 'KES', 1 FROM credit_loan",
        "UPDATE credit_loanlimit SET max_outstanding = NULL",
        "TRUNCATE credit_loan CASCADE",
        "TRUNCATE credit_collateral",
        "TRUNCATE credit_repayment",
        "ALTER TABLE credit_loan DISABLE TRIGGER loan_guard",
        "DROP TRIGGER loan_guard ON credit_loan",
    ],
)
def test_nothing_of_loans_is_removed_or_rewritten(paid, runtime, attack):
    assert_rejected(runtime, attack, paid, errors.InsufficientPrivilege)


def test_the_owner_does_not_remove_loans_and_repayments_either(paid, owner_connection):
    for attack in (
        "DELETE FROM credit_loan WHERE id = %(loan)s",
        "DELETE FROM credit_repayment",
        "UPDATE credit_repayment SET paid_by = ''",
        "TRUNCATE credit_repayment",
        "UPDATE credit_loan SET interest_repaid = 0",
    ):
        assert_rejected(
            owner_connection, attack, paid, errors.RestrictViolation, errors.CheckViolation
        )


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "'OVERDUE'"},
        {"status": "'COMPLETED'", "closed_at": "now()"},
        {"interest_repaid": "756000"},
        {"principal_repaid": "1"},
        {"closed_at": "now()"},
        {"amount": "0"},
        {"repayment_amount": "amount - 1"},
        {"organisation_id": "creditor_id"},
    ],
)
def test_a_loan_starts_active_with_nothing_repaid_of_a_member_of_its_organisation(
    loan, owner_connection, changes
):
    attack = copy_loan_sql(**{"id": "%(new)s", **changes})
    assert_rejected(
        owner_connection, attack, loan, errors.CheckViolation, errors.ForeignKeyViolation
    )


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE credit_collateral SET quantity = -1",
        "INSERT INTO credit_collateral (loan_id, token_id, position, quantity, pledged_price)"
        " SELECT loan_id, token_id, 2, quantity, 1 FROM credit_collateral",
        "INSERT INTO credit_repayment (id, loan_id, amount, interest, principal, outstanding,"
        " paid_by, created_at) SELECT %(new)s, %(loan)s, 10, 10, 10, 0, '', now()",
        "INSERT INTO credit_repayment (id, loan_id, amount, interest, principal, outstanding,"
        " paid_by, created_at) SELECT %(new)s, %(loan)s, 0, 0, 0, 0, '', now()",
        # For which no money moved.
        "INSERT INTO credit_repayment (id, loan_id, amount, interest, principal, outstanding,"
        " paid_by, created_at) SELECT %(new)s, %(loan)s, 10, 10, 0, 1595990, '', now()",
    ],
)
def test_collateral_and_repayments_make_sense(loan, runtime, attack):
    assert_rejected(runtime, attack, loan, errors.CheckViolation, errors.UniqueViolation)


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
        "status = 'Approved'",
        "status = 'Approved', decided_at = now()",
        "status = 'Lapsed'",
        "status = 'Rejected', decided_at = now()",
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
def test_a_proposal_is_immutable_and_limits_its_confirmation(defaulted, runtime, change):
    attack = f"UPDATE credit_closureproposal SET {change} WHERE loan_id = %(loan)s"
    assert_rejected(runtime, attack, defaulted, errors.RestrictViolation, errors.CheckViolation)
