"""Income of pledged units: cash collateral of the loan, what it is worth, and where it goes."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from credit.distributions.models import DistributionAction, Income
from credit.distributions.services import funding, paying
from credit.loans.models import ClosureAction, Loan, RepaymentSource, Shortfall, Valuation
from credit.loans.services import servicing
from credit.loans.services.assessing import assess
from credit.loans.services.closures import confirm_closure, propose_closure, set_final_plan
from credit.loans.services.pledging import release_collateral
from credit.loans.services.repaying import repay
from credit.loans.services.valuation import Pledge
from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.environment.property_tests import examples
from tests.factories.api_clients import TESTER
from tests.factories.distributions import (
    decide_step,
    held_for,
    issuer_of,
    make_distribution,
    make_terms,
)
from tests.factories.lending import Lending, make_lending
from tests.factories.lifecycle import set_flags
from tests.factories.loans import backdate_loan, make_closed_loan, make_completed_loan, repay_loan
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_staff

pytestmark = pytest.mark.django_db


def pay(lending: Lending, amount: str | int, status: str = "Paid"):
    """Make a dividend of an amount on a unit, which was quoted at 10,000 an hour ago."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET quoted_at = now() - interval '1 hour' WHERE id = %s",
            [lending.token.pk],
        )
    terms = make_terms(lending.token, amount=Decimal(amount))
    return make_distribution(lending.token, status, terms)


def rows(made) -> set[tuple[object, ...]]:
    """Return the loan, net, status and target of every income."""
    found = Income.objects.filter(distribution=made)
    return set(found.values_list("loan_id", "net", "status", "paid_to"))


def cash(loan: Loan) -> tuple[Decimal | int, ...]:
    """Return the cash collateral, what is funded and what is expected."""
    loan.refresh_from_db()
    return loan.cash_collateral, loan.cash_funded, loan.cash_expected


def lien(lending: Lending) -> Decimal | int:
    return balance_of(lending.borrower.owner_id, "NGN", "lien")


def value(loan: Loan) -> Decimal | None:
    servicing.revalue_loan(loan.pk)
    return Valuation.objects.get(loan=loan).value


def release(loan: Loan, **changes) -> Loan:
    return release_collateral(
        loan_id=loan.pk, organisation_id=loan.organisation_id, actor=TESTER, **changes
    )


def apply_cash(loan: Loan, amount: str | int) -> Loan:
    return repay(
        loan_id=loan.pk,
        organisation_id=loan.organisation_id,
        amount=Decimal(amount),
        actor=TESTER,
        paid_from=RepaymentSource.CASH_COLLATERAL,
    )


@pytest.mark.parametrize(("amount", "to"), [("499.99", "wallet"), ("500", "loan")])
def test_income_of_five_percent_of_the_price_becomes_cash_collateral(amount, to):
    lending = make_lending()
    loan = lending.lend()
    before = balance_of(lending.borrower.owner_id, "NGN")
    made = pay(lending, amount)
    each = Decimal(amount)
    assert rows(made) == {
        (None, 895 * each, "Paid", "wallet"),
        (loan.pk, 105 * each, "Paid", to),
    }
    in_loan = 105 * each if to == "loan" else 0
    assert lien(lending) == in_loan
    assert cash(loan) == (in_loan, 0, 0)
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 1_000 * each - in_loan
    assert_books_hold()


def test_two_loans_of_one_holder_share_what_was_rounded_down_once():
    """1,000 units at 600.123456: 600123.45, of which the loans round down 63012.96 and 21004.32."""
    lending = make_lending()
    first, second = lending.lend(), lending.lend(amount=200_000, units=35)
    made = pay(lending, "600.123456")
    assert rows(made) == {
        (first.pk, Decimal("63012.96"), "Paid", "loan"),
        (second.pk, Decimal("21004.32"), "Paid", "loan"),
        (None, Decimal("516106.17"), "Paid", "wallet"),
    }
    assert made.holders == 1
    assert lien(lending) == Decimal("84017.28")
    assert_books_hold()


def test_without_other_units_the_newest_loan_has_what_was_rounded_down():
    """140 units at 600.129999 are 84018.19: 0.00 more than the parts, rounded down."""
    lending = make_lending(units=140)
    first, second = lending.lend(), lending.lend(amount=200_000, units=35)
    made = pay(lending, "600.129999")
    # 105 * 600.129999 = 63013.649895, 35 * 600.129999 = 21004.549965, together 84018.19986
    assert rows(made) == {
        (first.pk, Decimal("63013.64"), "Paid", "loan"),
        (second.pk, Decimal("21004.55"), "Paid", "loan"),
    }
    assert made.gross == Decimal("84018.19")
    assert_books_hold()


@pytest.mark.parametrize("days", [0, 1, 30])
def test_small_income_of_pledged_units_goes_to_the_loan_from_its_default_on(days):
    lending = make_lending()
    loan = lending.lend()
    if days:
        backdate_loan(loan, days=days, minutes=1)
        servicing.age_loans()
        loan.refresh_from_db()
    status = {0: "ACTIVE", 1: "OVERDUE", 30: "DEFAULTED"}[days]
    assert loan.status == status
    made = pay(lending, 2)
    target = "loan" if status == "DEFAULTED" else "wallet"
    assert (loan.pk, Decimal(210), "Paid", target) in rows(made)
    assert cash(loan)[0] == (210 if target == "loan" else 0)
    assert_books_hold()


def test_income_of_a_loan_that_was_repaid_meanwhile_goes_to_the_wallet():
    lending = make_lending()
    lending.borrower.fund(2_000_000, "NGN")
    loan = lending.lend()
    made = pay(lending, 600, "Funded")
    assert cash(loan) == (0, 63_000, 0)
    repay_loan(loan, 1_596_000)
    paying.pay(made.pk)
    assert (loan.pk, Decimal(63_000), "Paid", "wallet") in rows(made)
    assert cash(loan) == (0, 0, 0)
    assert lien(lending) == 0
    assert_books_hold()


def test_no_step_of_a_payment_lowers_the_cover():
    """105 units at 10,000 are 1,050,000: exactly what 840,000 needs. Each step keeps the value."""
    lending = make_lending()
    loan = lending.lend(units=105)
    assert value(loan) == 1_050_000
    made = pay(lending, "600.129999", "Recorded")
    assert cash(loan) == (0, 0, Decimal("63013.64"))
    assert value(loan) == 1_050_000
    Wallet(lending.token.issuer).fund(made.gross, "NGN")
    funding.fund(
        distribution_id=made.pk,
        organisation_id=lending.token.issuer_id,
        actor=issuer_of(lending.token),
    )
    assert cash(loan) == (0, Decimal("63013.64"), 0)
    assert value(loan) == 1_050_000
    paying.pay(made.pk)
    assert cash(loan) == (Decimal("63013.64"), 0, 0)
    assert value(loan) == 1_050_000
    # The price after the record: it includes nothing of the payment.
    lending.set_price("9399.87")
    assert value(loan) == Decimal("986986.35") + Decimal("63013.64")
    assert_books_hold()


def test_a_price_after_the_record_is_no_margin_call_while_the_issuer_is_in_time():
    lending = make_lending()
    loan = lending.lend(amount=800_000, units=105)
    made = pay(lending, 600, "Recorded")
    lending.set_price(9_400)
    # 987,000 at 0.8 are 789,600, with what is expected 840,000.
    assert value(loan) == 987_000
    assert not Shortfall.objects.exists()
    # Overdue, it is expected no more.
    assert funding.fund_due() == 0
    made.refresh_from_db()
    assert made.overdue
    assert cash(loan) == (0, 0, 0)
    assert value(loan) == 987_000
    assert Shortfall.objects.filter(cured_at=None).count() == 1
    Wallet(lending.token.issuer).fund(made.gross, "NGN")
    funding.fund_due()
    assert value(loan) == 1_050_000
    assert not Shortfall.objects.filter(cured_at=None).exists()
    assert_books_hold()


def test_an_old_price_counts_less_for_new_loans_once_it_was_paid():
    lending = make_lending()
    pay(lending, 400, "Recorded")
    # To wallets: from the record on 9,600 a unit.
    found = assess(lending.request(), organisation_id=lending.borrower.organisation.id)
    assert found.collateral_value == 105 * 9_600
    assert [error.code for error in found.errors] == ["insufficient_collateral"]
    with assert_nothing_changes(), pytest.raises(Rejected):
        lending.lend()
    # Nor by PostgreSQL, whatever was assessed: 110 units are worth 1,056,000, and 109 too little.
    lending.lend(units=110)
    lending.set_price(10_000)
    lending.lend()


def test_units_pledged_after_the_record_count_without_its_payment():
    """Its payment goes to the wallet: no loan counts it, funded or not."""
    lending = make_lending()
    made = pay(lending, 9_000, "Recorded")
    organisation = lending.borrower.organisation.id
    assert assess(lending.request(), organisation_id=organisation).collateral_value == 105_000
    with assert_nothing_changes(), pytest.raises(Rejected):
        lending.lend()
    loan = lending.lend(amount=80_000)
    assert value(loan) == 105_000
    Wallet(lending.token.issuer).fund(made.gross, "NGN")
    funding.fund_due()
    assert value(loan) == 105_000
    paying.pay(made.pk)
    assert cash(loan) == (0, 0, 0)


def test_what_a_price_includes_is_not_expected_once_more():
    """105 units at 9,500 cover 798,000, with what the record takes off and the issuer will pay."""
    lending = make_lending()
    loan = lending.lend()
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET price_sell = 9500")
    pay(lending, 600, "Recorded")
    assert value(loan) == 997_500
    assert Shortfall.objects.filter(cured_at=None).count() == 1


def test_income_that_is_all_tax_leaves_its_loan_nothing():
    lending = make_lending()
    loan = lending.lend()
    set_tax_facts(lending.token.issuer, tax_residence="NG")
    make_rate(100)
    made = pay(lending, 600)
    assert (loan.pk, Decimal(0), "Paid", "loan") in rows(made)
    assert cash(loan) == (0, 0, 0)
    assert_books_hold()


def test_no_more_is_expected_in_an_old_price_than_it_was():
    lending = make_lending()
    loan = lending.lend()
    pay(lending, 12_000, "Recorded")
    assert value(loan) == 1_050_000
    pay(lending, 1_000, "Recorded")
    assert value(loan) == 1_050_000
    set_flags(lending.token, exited=True)
    assert value(loan) == 0


def test_an_overdue_payment_is_no_part_of_an_old_price():
    lending = make_lending()
    loan = lending.lend()
    pay(lending, 600, "Recorded")
    assert value(loan) == 1_050_000
    funding.fund_due()
    assert value(loan) == 987_000


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_distribution_leaves_the_price_as_it_was():
    lending = make_lending()
    loan = lending.lend()
    made = pay(lending, 600, "Funded")
    decide_step(made, DistributionAction.CANCEL)
    assert cash(loan) == (0, 0, 0)
    assert value(loan) == 1_050_000
    assert_books_hold()


# --- the borrower ------------------------------------------------------------------------------


def make_cash(each: str | int = 600, **changes) -> tuple[Lending, Loan]:
    """Make a loan of 840,000 against 105 units that have paid 63,000, and a price without them."""
    lending = make_lending()
    loan = lending.lend(**changes)
    pay(lending, each)
    loan.refresh_from_db()
    return lending, loan


def test_cash_collateral_repays_the_loan_in_part():
    lending, loan = make_cash()
    wallet = balance_of(lending.borrower.owner_id, "NGN")
    lender = balance_of(lending.creditor.owner_id, "NGN")
    apply_cash(loan, 60_000)
    assert cash(loan)[0] == 3_000
    assert loan.interest_repaid == 60_000
    assert lien(lending) == 3_000
    assert balance_of(lending.borrower.owner_id, "NGN") == wallet
    assert balance_of(lending.creditor.owner_id, "NGN") == lender + 60_000
    assert_books_hold()


@pytest.mark.parametrize("paid_from", ["wallet", "cash_collateral"])
def test_the_last_repayment_returns_the_cash_collateral(paid_from):
    lending, loan = make_cash()
    lending.borrower.fund(2_000_000, "NGN")
    repay_loan(loan, 1_595_000)
    before = balance_of(lending.borrower.owner_id, "NGN")
    if paid_from == "wallet":
        repay_loan(loan, 1_000)
    else:
        apply_cash(loan, 1_000)
    assert cash(loan)[0] == 0
    assert loan.status == "COMPLETED"
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 62_000
    assert lien(lending) == 0
    assert_books_hold()


def test_more_than_the_cash_collateral_is_refused():
    _lending, loan = make_cash()
    for attempt in (
        lambda: apply_cash(loan, "63000.01"),
        lambda: release(loan, cash=Decimal("63000.01")),
    ):
        with assert_nothing_changes(), pytest.raises(Rejected) as found:
            attempt()
        assert found.value.code == "insufficient_cash_collateral"


@pytest.mark.parametrize("amount", ["-1", "0.001", "0"])
def test_an_amount_of_cash_that_is_none_is_refused(amount):
    _lending, loan = make_cash()
    with assert_nothing_changes(), pytest.raises(InvalidRequest):
        release(loan, cash=Decimal(amount))


def test_cash_is_released_as_far_as_the_rest_covers():
    """Units of 987,000 and cash of 63,000 cover 840,000 exactly."""
    lending, loan = make_cash()
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        release(loan, cash=Decimal("0.01"))
    assert found.value.code == "insufficient_collateral"
    lending.set_price(10_000)
    before = balance_of(lending.borrower.owner_id, "NGN")
    release(loan, cash=Decimal(63_000))
    assert cash(loan)[0] == 0
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 63_000
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_cash_lets_units_be_released():
    lending, loan = make_cash()
    lending.set_price(10_000)
    release(loan, pledges=(Pledge(lending.token.pk, Decimal(6)),), cash=Decimal(3_000))
    # 99 units and 60,000 are 1,050,000.
    assert cash(loan)[0] == 60_000
    with assert_nothing_changes(), pytest.raises(Rejected):
        release(loan, cash=Decimal(1))
    assert_books_hold()


# --- the creditor ------------------------------------------------------------------------------


def close(loan: Loan, action: ClosureAction):
    proposal = propose_closure(
        loan_id=loan.pk, action=action, note="No answer", user=make_staff("close_loan")
    )
    confirm_closure(proposal_id=proposal.pk, user=make_staff("close_loan"))
    loan.refresh_from_db()
    proposal.refresh_from_db()
    return proposal


def default(loan: Loan) -> None:
    backdate_loan(loan, days=30, minutes=1)
    servicing.age_loans()


def test_a_liquidation_takes_the_cash_first():
    """1,596,000 owed: 63,000 of cash, then 105 units at 9,400; 546,000 are not covered."""
    lending, loan = make_cash()
    default(loan)
    lender = balance_of(lending.creditor.owner_id, "NGN")
    done = close(loan, ClosureAction.LIQUIDATE)
    assert (done.final_cash, done.final_value, done.final_deficiency) == (
        63_000,
        1_050_000,
        546_000,
    )
    assert balance_of(lending.creditor.owner_id, "NGN") == lender + 63_000
    assert balance_of(lending.creditor.owner_id, lending.token) == 105
    assert lien(lending) == 0
    assert_books_hold()


def test_cash_beyond_what_is_owed_comes_back():
    lending, loan = make_cash(6_000, amount=100_000)
    lending.borrower.fund(90_000, "NGN")
    repay_loan(loan, 90_000)
    default(loan)
    before = balance_of(lending.borrower.owner_id, "NGN")
    # 100,000 of principal and 90,000 of interest, of which the wallet paid 90,000; 630,000 of cash.
    done = close(loan, ClosureAction.LIQUIDATE)
    assert (done.final_cash, done.final_value, done.final_deficiency) == (100_000, 100_000, 0)
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 530_000
    assert balance_of(lending.borrower.owner_id, lending.token) == 1_000
    assert_books_hold()


def test_cash_that_came_after_the_proposal_is_passed_too():
    lending, loan = make_cash()
    default(loan)
    proposal = propose_closure(
        loan_id=loan.pk,
        action=ClosureAction.LIQUIDATE,
        note="No answer",
        user=make_staff("close_loan"),
    )
    pay(lending, 1)
    confirm_closure(proposal_id=proposal.pk, user=make_staff("close_loan"))
    proposal.refresh_from_db()
    assert proposal.cash_passed == 63_000
    assert proposal.final_cash == 63_105
    assert_books_hold()


@pytest.mark.parametrize("status", ["Recorded", "Funded"])
def test_a_liquidation_waits_for_what_the_units_pay(status):
    """9,000 of the 10,000 that a unit is worth: the creditor is to have them, not the wallet."""
    lending = make_lending()
    loan = lending.lend()
    default(loan)
    made = pay(lending, 9_000, status)
    officer, second = make_staff("close_loan"), make_staff("close_loan")
    proposal = propose_closure(
        loan_id=loan.pk, action=ClosureAction.LIQUIDATE, note="No answer", user=officer
    )
    with assert_nothing_changes(), pytest.raises(StateConflict):
        confirm_closure(proposal_id=proposal.pk, user=second)
    loan.refresh_from_db()
    set_final_plan(proposal, loan)
    decided = {"decided_by": second, "decided_at": timezone.now()}
    for name, each in {"status": "Approved", **decided}.items():
        setattr(proposal, name, each)
    with pytest.raises(IntegrityError) as found, transaction.atomic():
        proposal.save()
    assert violated_constraint(found.value) == "closure_after_income"
    if status == "Recorded":
        Wallet(lending.token.issuer).fund(made.gross, "NGN")
        funding.fund_due()
    paying.pay(made.pk)
    lender = balance_of(lending.creditor.owner_id, "NGN")
    confirm_closure(proposal_id=proposal.pk, user=second)
    assert balance_of(lending.creditor.owner_id, "NGN") == lender + 945_000
    assert_books_hold()


def test_a_write_off_returns_the_cash():
    lending, loan = make_cash()
    default(loan)
    before = balance_of(lending.borrower.owner_id, "NGN")
    close(loan, ClosureAction.WRITE_OFF)
    assert balance_of(lending.borrower.owner_id, "NGN") == before + 63_000
    assert cash(loan)[0] == 0
    assert_books_hold()


@pytest.mark.parametrize("state", ["COMPLETED", "LIQUIDATED", "WRITTEN_OFF"])
def test_a_closed_loan_has_no_part_in_a_distribution(state):
    lending = make_lending()
    match state:
        case "COMPLETED":
            make_completed_loan(lending)
        case "LIQUIDATED":
            make_closed_loan(lending, ClosureAction.LIQUIDATE)
        case _:
            make_closed_loan(lending, ClosureAction.WRITE_OFF)
    made = pay(lending, 600)
    assert {loan_id for loan_id, *_ in rows(made)} == {None}
    assert_books_hold()


# --- what PostgreSQL refuses -------------------------------------------------------------------


def test_cash_collateral_changes_only_with_its_money():
    _lending, loan = make_cash()
    with pytest.raises(IntegrityError) as found, transaction.atomic():
        set_cash(loan, 70_000)
    assert violated_constraint(found.value) == "loan_cash_in_account"
    for column in ("cash_funded", "cash_expected"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Loan.objects.filter(pk=loan.pk).update(**{column: Decimal(1)})


def test_income_is_paid_where_it_belongs():
    lending = make_lending()
    loan = lending.lend()
    made = pay(lending, 600, "Funded")
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET to_collateral = false WHERE id = %s", [made.pk]
        )
    paying.pay(made.pk)
    assert (loan.pk, Decimal(63_000), "Paid", "wallet") in rows(made)
    income = Income.objects.get(distribution=made, loan=loan)
    with pytest.raises(IntegrityError), transaction.atomic():
        Income.objects.filter(pk=income.pk).update(paid_to="loan")


def set_cash(loan: Loan, amount: int) -> None:
    Loan.objects.filter(pk=loan.pk).update(cash_collateral=Decimal(amount))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS cash_collateral_guard IMMEDIATE")


# --- random pledges ----------------------------------------------------------------------------


def floor(units: int, amount: Decimal) -> Decimal:
    """Return units times an amount, rounded down to kobo, in exact fractions."""
    return Decimal(math.floor(Fraction(units) * Fraction(amount) * 100)) / 100


@pytest.mark.standalone
@examples("PLEDGES", 6)
@given(
    pledges=st.lists(st.integers(1, 60), max_size=3),
    amount=st.decimals("0.001", "9000", places=5),
    kind=st.sampled_from(["Dividend", "Redemption", "Exit"]),
    final=st.booleans(),
)
def test_random_pledges_are_paid_exactly(pledges, amount, kind, final):
    """Of 200 units: each loan what its units pay, the wallet the rest of what all pay."""
    with transaction.atomic():
        lending = make_lending(units=200)
        loans = [lending.lend(amount=1_000, units=units) for units in pledges]
        if kind == "Exit":
            set_flags(lending.token, exited=True)
        if kind == "Redemption":
            amount, final = amount + 10_000, True
        final = final and kind != "Dividend"
        owner = lending.borrower.owner_id
        before = balance_of(owner, "NGN")
        terms = make_terms(lending.token, type=kind, amount=amount, final=final)
        made = make_distribution(lending.token, "Funded", terms)
        total, parts = floor(200, amount), [floor(units, amount) for units in pledges]
        assert held_for() == made.gross == total
        paying.pay(made.pk)
        kept = kind != "Dividend" or amount >= 500
        for loan, part in zip(loans, parts, strict=True):
            assert cash(loan) == (part if kept else 0, 0, 0)
        assert lien(lending) == (sum(parts) if kept else 0)
        assert balance_of(owner, "NGN") == before + total - (sum(parts) if kept else 0)
        left = [balance_of(owner, lending.token, each) for each in ("available", "lien")]
        assert left == ([0, 0] if final else [200 - sum(pledges), sum(pledges)])
        made.refresh_from_db()
        assert (made.status, held_for()) == ("Paid", 0)
        assert_books_hold()
        transaction.set_rollback(True)
