"""Edge cases of the guards of loans, repayments and closure proposals.

Each guard runs on a copy of its table, without the other guards. That the tables have them is
tested in `test_loan_attacks`.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from credit.loans.models import OPEN, ClosureProposal, Loan, LoanStatus, Repayment
from exchange.core.ids import uuid7
from tests.assertions.statement_results import ACCEPTED
from tests.environment.guarded_copy import GuardedCopy
from tests.environment.owner import without_guards
from tests.factories.bare_rows import NOON, columns_of, insert_row, loan_columns
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db

ENDED = {"LIQUIDATED": "liquidate", "WRITTEN_OFF": "write_off"}
TENTH = "0.00000001"


@pytest.fixture
def cursor() -> Iterator[Any]:
    with without_guards() as found:
        yield found


@pytest.fixture
def loans(cursor: Any) -> GuardedCopy:
    shared = ("guard_start", "guard_moves", "keep_columns")
    return GuardedCopy(
        cursor, "credit_loan", "loan_guard", "BEFORE UPDATE OR DELETE", declared=shared
    )


def test_a_loan_starts_active_and_untouched_and_is_never_removed(loans):
    assert loans.insert(loan_columns()) == ACCEPTED
    changes: list[dict[str, Any]] = [
        *({"status": status} for status in LoanStatus.values if status != "ACTIVE"),
        *({name: n} for name in ("interest_repaid", "principal_repaid") for n in (TENTH, 1)),
        {"closed_at": NOON},
    ]
    for change in changes:
        assert loans.insert(loan_columns(**change)) == "credit_loan_start"
    assert loans.delete(loan_columns()) == "RestrictViolation"
    assert loans.message == "loans are never removed"


def test_every_term_of_a_loan_stays(loans):
    made = loan_columns()
    changes = {
        name: uuid7()
        for name in (
            "id", "borrower_id", "organisation_id", "creditor_id", "configuration_id", "version_id"
        )
    } | {
        "currency_id": "KES", "amount": 101, "repayment_amount": 161,
        "repayment_date": NOON + timedelta(seconds=1), "interest_rate": "0.4",
        "collateral_ratio": "0.9", "duration": 3, "grace_period": 8, "grace_period_unit": "",
        "reason": "x", "bank_name": "x", "bank_code": "x", "account_number": "x",
        "requested_by": "x", "created_at": NOON + timedelta(seconds=1), "client_reference": "x",
        "metadata": "{}",
    }  # fmt: skip
    for name, value in changes.items():
        assert loans.update(made, **{name: value}) == "RestrictViolation", name
    assert loans.update(made, document="{}", collateral_text="[1]") == ACCEPTED
    [(at,)] = loans.rows("updated_at")
    assert at > NOON


def repaid_in_full(to: str) -> dict[str, Any]:
    """Return the amounts of a loan before it becomes `to`."""
    return {"interest_repaid": 60, "principal_repaid": 100} if to == "COMPLETED" else {}


def test_a_loan_has_only_the_allowed_transitions(cursor, loans):
    allowed = {
        ("ACTIVE", "COMPLETED"), ("ACTIVE", "OVERDUE"), ("OVERDUE", "COMPLETED"),
        ("OVERDUE", "DEFAULTED"), ("DEFAULTED", "COMPLETED"), ("DEFAULTED", "LIQUIDATED"),
        ("DEFAULTED", "WRITTEN_OFF"),
    }  # fmt: skip
    for old in LoanStatus.values:
        for new in set(LoanStatus.values) - {old}:
            made = loan_columns(
                status=old, closed_at=None if old in OPEN else NOON, **repaid_in_full(new)
            )
            if new in ENDED:
                closure_proposal(cursor, made, ENDED[new])
            found = loans.update(made, status=new, closed_at=None if new in OPEN else NOON)
            expected = ACCEPTED if (old, new) in allowed else "credit_loan_move"
            assert (old, new, found) == (old, new, expected)


def test_a_closed_loan_changes_only_its_document(loans):
    """A change of the document needs no proposal."""
    for status in set(LoanStatus.values) - set(OPEN):
        made = loan_columns(status=status, closed_at=NOON, **repaid_in_full(status))
        assert loans.update(made, document="{}") == ACCEPTED
        for change in (
            {"interest_repaid": 61},
            {"principal_repaid": 101},
            {"collateral_text": "[1]"},
            {"closed_at": NOON + timedelta(seconds=1)},
        ):
            assert loans.update(made, **change) == "loan_transition"


def test_the_repaid_amount_never_falls_and_the_last_repayment_completes_the_loan(loans):
    made = loan_columns(interest_repaid=10, principal_repaid=5)
    over = {"status": "COMPLETED", "closed_at": NOON}
    for change in (
        {"interest_repaid": "9.99999999"},
        {"principal_repaid": "4.99999999"},
        {"interest_repaid": 60, "principal_repaid": 100},
        {"interest_repaid": 165},
        over,
        {**over, "interest_repaid": 60, "principal_repaid": "99.99999999"},
        {**over, "interest_repaid": 165},
        {"closed_at": NOON},
        {"status": "OVERDUE", "closed_at": NOON},
    ):
        expected = "loan_repaid"
        if change == {"interest_repaid": 165}:  # 170 in all, and not 160
            expected = "loan_repaid_by_repayments"
        assert loans.update(made, **change) == expected, change
    full = loan_columns(interest_repaid=60, principal_repaid=100)
    assert loans.update(full, status="COMPLETED") == "loan_repaid"
    assert loans.update(full, **over) == ACCEPTED
    assert loans.update(full, document="{}") == "loan_repaid"


def test_the_repaid_amount_is_the_sum_of_the_loans_repayments(cursor, loans):
    paid, other, unpaid = (loan_columns() for _ in range(3))
    for of, interest, principal in ((paid, 10, 0), (paid, 2, 5), (other, 3, 4)):
        insert_row(
            cursor, Repayment, loan_id=of["id"], amount=interest + principal, interest=interest,
            principal=principal,
        )  # fmt: skip
    wrong = "loan_repaid_by_repayments"
    for of, interest, principal, expected in (
        (paid, 12, 5, ACCEPTED),
        (paid, 12, 4, wrong),
        (paid, 11, 5, wrong),
        (paid, 15, 9, wrong),
        (paid, 3, 4, wrong),
        (other, 3, 4, ACCEPTED),
        (unpaid, 1, 0, wrong),
        (unpaid, 0, 1, wrong),
        (unpaid, 12, 5, wrong),
    ):
        found = loans.update(of, interest_repaid=interest, principal_repaid=principal)
        assert (interest, principal, found) == (interest, principal, expected)
    # What was wrong before stays as it is while something else changes.
    assert loans.update({**paid, "interest_repaid": 9}, document="{}") == ACCEPTED
    assert loans.update({**paid, "interest_repaid": 9}, principal_repaid=5) == wrong
    assert loans.update({**paid, "interest_repaid": 9}, interest_repaid=12, principal_repaid=5) == (
        ACCEPTED
    )


def closure_proposal(
    cursor: Any,
    loan: dict[str, Any],
    action: str,
    *,
    decision: str = "Approved",
    kind: str = "",
    reference: str = "",
) -> None:
    """Insert a closure proposal for the loan, and its transfer."""
    insert_row(cursor, ClosureProposal, loan_id=loan["id"], action=action, status=decision)
    insert_row(
        cursor, Transfer, subject_id=loan["id"], kind=kind or f"loan_{action}",
        reference=reference or f"loan:{loan['id']}:end",
    )  # fmt: skip


def test_a_default_closes_with_a_confirmed_proposal_and_transfer(
    cursor: Any, loans: GuardedCopy
) -> None:
    def found(status: str, action: str, **facts: Any) -> str:
        made = loan_columns(status="DEFAULTED")
        closure_proposal(cursor, made, action, **facts)
        return loans.update(made, status=status, closed_at=NOON)

    refused = "loan_ended_by_proposal"
    for status, action in ENDED.items():
        assert found(status, action) == ACCEPTED
        for undecided in ("Pending", "Rejected", "Lapsed"):
            assert found(status, action, decision=undecided) == refused
        other = ENDED["LIQUIDATED" if status == "WRITTEN_OFF" else "WRITTEN_OFF"]
        assert found(status, other) == refused
        assert found(status, action, kind=f"loan_{other}") == refused
        assert found(status, other, kind=f"loan_{action}") == refused
        assert found(status, action, reference=f"elsewhere:{uuid7()}") == refused
    # Those of other loans are there.
    assert loans.update(loan_columns(status="DEFAULTED"), status="WRITTEN_OFF", closed_at=NOON) == (
        refused
    )
    completed = loan_columns(status="DEFAULTED", **repaid_in_full("COMPLETED"))
    assert loans.update(completed, status="COMPLETED", closed_at=NOON) == ACCEPTED
    assert loans.update(loan_columns(status="DEFAULTED"), document="{}") == ACCEPTED


def test_a_repayment_is_written_where_its_own_transfer_is_there(cursor):
    repayments = GuardedCopy(cursor, "credit_repayment", "repayment_guard", "BEFORE INSERT")
    one, two = (columns_of(Repayment, loan_id=uuid7()) for _ in range(2))
    insert_row(
        cursor, Transfer, reference=f"loan:{one['loan_id']}:repay:{one['id']}", kind="loan_repay"
    )
    insert_row(
        cursor, Transfer, reference=f"loan:{two['loan_id']}:repay:{uuid7()}", kind="loan_repay"
    )
    assert repayments.insert(one) == ACCEPTED
    assert repayments.insert(two) == "repayment_moved_money"
    assert repayments.insert({**one, "loan_id": uuid7()}) == "repayment_moved_money"


TOKEN, OTHER = str(uuid7()), str(uuid7())
PLAN = [
    {"token_id": TOKEN, "price": "10", "passed": "5", "value": "50"},
    {"token_id": OTHER, "price": "20", "passed": "1", "value": "20"},
]
PENDING = {"status": "Pending", "decided_at": None, "decided_by_id": None}
NO_FINAL_AMOUNTS = dict.fromkeys(("final_plan", "final_owed", "final_value", "final_deficiency"))


def step(token: str, passed: str, value: str, price: str | None = "10") -> dict[str, str | None]:
    return {"token_id": token, "price": price, "passed": passed, "value": value}


@pytest.fixture
def proposals(cursor: Any) -> GuardedCopy:
    return GuardedCopy(cursor, "credit_closureproposal", "closure_guard", "BEFORE INSERT OR UPDATE")


def proposal(loan: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Return a proposal: 100 owed; at most 5 units of 10 and one of 20."""
    usual = {"loan_id": loan["id"], "owed": 100, "plan": PLAN, **PENDING, **NO_FINAL_AMOUNTS}
    return columns_of(ClosureProposal, **{**usual, **given})


def confirmed(**given: Any) -> dict[str, Any]:
    return {
        "status": "Approved", "decided_at": NOON, "decided_by_id": uuid7(), "final_plan": PLAN,
        "final_owed": 100, "final_cash": 0, "final_value": 70, "final_deficiency": 30, **given,
    }  # fmt: skip


def test_closure_is_proposed_only_for_a_loan_in_default(cursor, proposals):
    made = {status: insert_row(cursor, Loan, status=status) for status in LoanStatus.values}
    for status, loan in made.items():
        expected = ACCEPTED if status == "DEFAULTED" else "closure_of_default"
        assert proposals.insert(proposal(loan)) == expected
        # Once it is proposed it is decided about, whatever has become of the loan.
        assert proposals.update(proposal(loan), **confirmed()) == ACCEPTED
    assert proposals.insert(proposal(loan_columns())) == "closure_of_default"


def test_a_proposal_has_exactly_the_fields_of_its_status(proposals):
    """Time, person, and number of final amounts."""
    people: Any = {"nobody": None, "somebody": uuid7()}
    times: Any = {"never": None, "once": NOON}
    signs = {
        "Pending": ("never", "nobody", 0), "Lapsed": ("once", "nobody", 0),
        "Rejected": ("once", "somebody", 0), "Approved": ("once", "somebody", 4),
    }  # fmt: skip
    final_amounts = {name: confirmed()[name] for name in NO_FINAL_AMOUNTS}
    for status, right in signs.items():
        for at, time in times.items():
            for who, person in people.items():
                for many in range(5):
                    some = dict(list(final_amounts.items())[:many])
                    change = {"status": status, "decided_at": time, "decided_by_id": person}
                    found = proposals.update(
                        proposal(loan_columns()), **{**change, **NO_FINAL_AMOUNTS, **some}
                    )
                    expected = ACCEPTED if (at, who, many) == right else "closure_decision"
                    assert (status, at, who, many, found) == (status, at, who, many, expected)


@pytest.mark.parametrize(
    ("changes", "passes"),
    [
        ({}, True),
        ({"final_owed": "99.99", "final_deficiency": "29.99"}, True),
        ({"final_owed": "100.01", "final_deficiency": "30.01"}, False),
        ({"final_deficiency": "29.99"}, False),
        ({"final_deficiency": "30.01"}, False),
        ({"final_deficiency": 170}, False),
        ({"final_value": 71, "final_deficiency": 29}, False),
        ({"final_value": 69, "final_deficiency": 31}, False),
        # Nothing passes, which is worth nothing.
        ({"final_plan": [], "final_value": 0, "final_deficiency": 100}, True),
        ({"final_plan": [], "final_value": 1, "final_deficiency": 99}, False),
        # Cash, as much as is owed at most.
        ({"final_plan": [], "final_cash": 1, "final_value": 1, "final_deficiency": 99}, True),
        ({"final_plan": [], "final_cash": 100, "final_value": 100, "final_deficiency": 0}, True),
        ({"final_plan": [], "final_cash": 101, "final_value": 101, "final_deficiency": -1}, False),
        ({"final_cash": 1}, False),
        # As many units as were proposed, or fewer, of the same token at the same price.
        ({"final_plan": [step(TOKEN, "5", "70")]}, True),
        ({"final_plan": [step(TOKEN, "4.99999999", "70")]}, True),
        ({"final_plan": [step(TOKEN, "5.00000001", "70")]}, False),
        ({"final_plan": [step(TOKEN, "5", "70", "20")]}, False),
        ({"final_plan": [step(TOKEN, "5", "70", None)]}, False),
        ({"final_plan": [step(OTHER, "1", "70", "20")]}, True),
        ({"final_plan": [step(OTHER, "5", "70", "20")]}, False),
        ({"final_plan": [step(OTHER, "1", "70", "10")]}, False),
        # A token that was not proposed: none of it, with or without a price.
        ({"final_plan": [step("x", "1", "70", None)]}, False),
        ({"final_plan": [step("x", "0.5", "70", None)]}, False),
        ({"final_plan": [step("x", "0", "70", None)]}, True),
        ({"final_plan": [step("x", "0", "70")]}, False),
    ],
)
def test_no_more_is_confirmed_than_was_proposed(proposals, changes, passes):
    found = proposals.update(proposal(loan_columns()), **confirmed(**changes))
    assert found == (ACCEPTED if passes else "closure_within_plan")
