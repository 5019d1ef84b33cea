"""Loans and plain SQL: rejected statements, and what the proof of books finds of the others."""

from decimal import Decimal

import pytest
from psycopg import errors

from credit.loans.models import ClosureAction, LoanStatus, Outstanding
from credit.loans.services.closures import propose_closure
from exchange.core.ids import uuid7
from tests.assertions.books import failing_checks
from tests.credit.loans.attacks import assert_rejected, bypass_guards, copy_loan_sql
from tests.factories.loan_configurations import make_configuration
from tests.factories.loans import make_defaulted_loan, make_loan_with_status
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db(transaction=True)

CLOSED = [LoanStatus.COMPLETED, LoanStatus.LIQUIDATED, LoanStatus.WRITTEN_OFF]


@pytest.mark.parametrize("status", CLOSED)
@pytest.mark.one_in(3)
def test_a_closed_loan_is_not_reopened_or_changed(lending, runtime, status):
    loan = make_loan_with_status(lending, status)
    for to in LoanStatus.values:
        for closed_at in ("closed_at", "NULL"):
            if (to, closed_at) != (status, "closed_at"):
                assert_rejected(
                    runtime,
                    f"UPDATE credit_loan SET status = '{to}', closed_at = {closed_at}"
                    " WHERE id = %(loan)s",
                    loan,
                    errors.CheckViolation,
                )
    for change in (
        "principal_repaid = principal_repaid - 1",
        "principal_repaid = 0, interest_repaid = 0",
        "interest_repaid = interest_repaid + 1",
        "closed_at = now()",
        "collateral_text = '[]'",
    ):
        assert_rejected(
            runtime,
            f"UPDATE credit_loan SET {change} WHERE id = %(loan)s",
            loan,
            errors.CheckViolation,
        )


def test_a_defaulted_loan_does_not_go_back(lending, runtime):
    loan = make_loan_with_status(lending, LoanStatus.DEFAULTED)
    for status in ("ACTIVE", "OVERDUE"):
        attack = f"UPDATE credit_loan SET status = '{status}' WHERE id = %(loan)s"
        assert_rejected(runtime, attack, loan, errors.CheckViolation)


def test_no_loan_exceeds_the_configured_maximum_outstanding(lending, owner_connection):
    lending.offer = make_configuration(
        lending.creditor.organisation,
        access="public",
        max_outstanding={"NGN": Decimal(2_000_000)},
    )
    loan = lending.lend(amount=1_500_000, units=200)
    attack = copy_loan_sql(id="%(new)s")
    assert_rejected(owner_connection, attack, loan, errors.CheckViolation)
    assert Outstanding.objects.get().principal == 1_500_000


@pytest.mark.parametrize(
    ("limit", "beyond"),
    [
        (("5000", "9500"), ("4999.99", "9499.98")),
        (("2000000", "3800000"), ("2000000.01", "3800000.02")),
    ],
)
def test_no_loan_is_made_outside_the_limits_of_its_version(
    lending, owner_connection, limit, beyond
):
    lending.offer = make_configuration(
        lending.creditor.organisation, access="public", min_amount={"NGN": Decimal(5000)}
    )
    loan = lending.lend()
    wrong, right = (
        copy_loan_sql(id="%(new)s", amount=amount, repayment_amount=repaid)
        for amount, repaid in (beyond, limit)
    )
    assert_rejected(owner_connection, wrong, loan, errors.CheckViolation)
    owner_connection.execute(right, {"loan": loan.id, "new": uuid7()})


def test_a_loan_without_disbursement_is_found(lending, owner_connection):
    loan = lending.lend()
    owner_connection.execute(copy_loan_sql(id="%(new)s"), {"loan": loan.id, "new": uuid7()})
    # No transfer is about it, so an incremental proof sees only that the sums are wrong.
    assert failing_checks(compare_incremental=False) >= {
        "principal accounts equal the outstanding principal of open loans",
        "every loan has the transfers of its status",
        "every loan status has its events to both parties",
        "every loan document shows its collateral",
    }


def test_a_loan_repaid_only_in_its_record_is_found(lending, owner_connection):
    loan = lending.lend()
    bypass_guards(
        owner_connection,
        "UPDATE credit_loan SET status = 'COMPLETED', closed_at = now(), interest_repaid = 756000,"
        " principal_repaid = 840000 WHERE id = %s",
        loan.id,
    )
    assert failing_checks() >= {
        "lien equals open collateral",
        "principal accounts equal the outstanding principal of open loans",
        "interest income equals the interest repaid",
        "repaid amounts of every loan equal its repayments",
        "every loan status has its events to both parties",
    }


def test_a_repayment_without_a_transfer_is_found(lending, owner_connection):
    loan = lending.lend()
    bypass_guards(
        owner_connection,
        "INSERT INTO credit_repayment (id, loan_id, amount, interest, principal, outstanding,"
        " paid_by, created_at) VALUES (%s, %s, 10, 10, 0, 1595990, '', now())",
        uuid7(),
        loan.id,
    )
    assert failing_checks() == {
        "repaid amounts of every loan equal its repayments",
        "every loan has the transfers of its status",
    }


def test_a_wrong_outstanding_total_is_found(lending, owner_connection):
    lending.lend()
    owner_connection.execute("UPDATE credit_outstanding SET principal = principal - 1")
    assert failing_checks() == {
        "outstanding principal of every configuration equals its open loans"
    }


LIENS = {
    "lien equals open collateral",
    "liens of every loan equal its open collateral",
    "every loan document shows its collateral",
}


def test_units_pledged_only_in_a_row_are_found(lending, runtime):
    loan = lending.lend()
    token = make_token()
    give_units(token, lending.borrower, 5)
    runtime.execute(
        "INSERT INTO credit_collateral (loan_id, token_id, position, quantity, pledged_price)"
        " VALUES (%s, %s, 2, 5, 100)",
        [loan.id, token.id],
    )
    assert failing_checks() == LIENS


@pytest.mark.parametrize("quantity", ["0", "104.99999999", "105.00000001"])
def test_units_changed_only_in_a_row_are_found(lending, runtime, quantity):
    lending.lend()
    runtime.execute(f"UPDATE credit_collateral SET quantity = {quantity}")
    assert failing_checks() == LIENS


def test_collateral_moved_to_another_lender_is_found(lending, runtime):
    """The borrower's lien is unchanged: only the ledger knows its loan."""
    first = lending.lend()
    lending.offer = make_configuration(lending.creditor.organisation, access="public")
    second = lending.lend()
    runtime.execute(
        "UPDATE credit_collateral SET quantity = CASE WHEN loan_id = %s THEN 1 ELSE 209 END",
        [first.id],
    )
    for loan, units in ((first, 1), (second, 209)):
        runtime.execute(
            "UPDATE credit_loan SET collateral_text ="
            " replace(collateral_text, '\"quantity\":105', %s) WHERE id = %s",
            [f'"quantity":{units}', loan.id],
        )
    assert failing_checks() == {"liens of every loan equal its open collateral"}


def test_a_wrong_collateral_document_is_found(lending, runtime):
    lending.lend()
    runtime.execute("UPDATE credit_loan SET collateral_text = '[]'")
    assert failing_checks() == {"every loan document shows its collateral"}


@pytest.mark.parametrize("status", ["LIQUIDATED", "WRITTEN_OFF"])
def test_a_defaulted_loan_is_not_closed_by_a_record_alone(
    lending, runtime, owner_connection, status
):
    loan = make_defaulted_loan(lending)
    propose_closure(
        loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="why", user=make_staff("close_loan")
    )
    attack = f"UPDATE credit_loan SET status = '{status}', closed_at = now() WHERE id = "
    assert_rejected(runtime, f"{attack}%(loan)s", loan, errors.CheckViolation)
    bypass_guards(owner_connection, f"{attack}%s", loan.id)
    assert failing_checks() >= {
        "lien equals open collateral",
        "principal accounts equal the outstanding principal of open loans",
        "every loan has the transfers of its status",
        "every closed loan has its confirmed proposal",
    }
