"""The lifecycle of a loan after disbursement, as worked examples with exact amounts."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from credit.loans.models import Collateral, LoanStatus, Repayment, Shortfall, Valuation
from credit.loans.services import servicing
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError, Rejected, StateConflict
from exchange.tokens.models import Token
from tests.factories.api_clients import TESTER
from tests.factories.lifecycle import set_flags
from tests.factories.loans import backdate_loan, loan_event_types, repay_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold, balance_of
from wallets.alerts.models import Alert
from wallets.ledger.errors import InsufficientBalance

pytestmark = pytest.mark.django_db(transaction=True)


def test_interest_is_repaid_first_then_principal_and_the_last_payment_releases_the_units(lending):
    loan = lending.lend()  # 840,000 lent, 756,000 interest
    lending.borrower.fund(1_000_000, "NGN")
    repay_loan(loan, 700_000)
    repay_loan(loan, 100_000)
    loan = repay_loan(loan, 796_000)
    parts = Repayment.objects.filter(loan=loan).values_list("interest", "principal", "outstanding")
    assert [tuple(map(int, part)) for part in parts] == [
        (700_000, 0, 896_000),
        (56_000, 44_000, 796_000),
        (0, 796_000, 0),
    ]
    assert loan.status == LoanStatus.COMPLETED
    borrower, creditor = lending.borrower.owner_id, lending.creditor.owner_id
    assert balance_of(borrower, "NGN") == 840_100 + 1_000_000 - 1_596_000
    assert (
        balance_of(borrower, lending.token.id),
        balance_of(borrower, lending.token.id, "lien"),
    ) == (1000, 0)
    assert balance_of(creditor, "NGN") == 5_756_000
    assert (balance_of(creditor, "NGN", "principal"), balance_of(creditor, "NGN", "interest")) == (
        0,
        756_000,
    )
    assert loan_event_types(loan) == [
        "loan.created",
        *["loan.partially_repaid"] * 2,
        "loan.repaid",
    ]
    assert_books_hold()


def test_a_payment_is_limited_by_the_amount_due_and_the_balance(lending):
    loan = lending.lend()
    with pytest.raises(Rejected) as refused:
        repay_loan(loan, "1596000.01")
    assert refused.value.code == "amount_above_due"
    with pytest.raises(InsufficientBalance):
        repay_loan(loan, 840_101)
    for wrong in ("0", "-1", "0.001"):
        with pytest.raises(DomainError):
            repay_loan(loan, wrong)
    assert not Repayment.objects.exists()
    assert_books_hold()


def test_a_closed_loan_accepts_no_operation(lending):
    loan = lending.lend()
    lending.borrower.fund(1_000_000, "NGN")
    loan = repay_loan(loan, 1_596_000)
    with pytest.raises(StateConflict, match="COMPLETED"):
        repay_loan(loan, 1)
    pledge = (Pledge(lending.token.id, Decimal(1)),)
    for change in (add_collateral, release_collateral):
        with pytest.raises(StateConflict):
            change(
                loan_id=loan.id,
                organisation_id=loan.organisation_id,
                pledges=pledge,
                actor=TESTER,
            )


def test_collateral_is_added_and_only_excess_collateral_is_released(lending):
    loan = lending.lend()
    who = {"loan_id": loan.id, "organisation_id": loan.organisation_id, "actor": TESTER}
    add_collateral(pledges=(Pledge(lending.token.id, Decimal("10.5")),), **who)
    assert balance_of(loan.borrower_id, lending.token.id, "lien") == Decimal("115.5")
    release_collateral(pledges=(Pledge(lending.token.id, Decimal("10.5")),), **who)
    with pytest.raises(Rejected) as refused:
        release_collateral(pledges=(Pledge(lending.token.id, Decimal("0.00000001")),), **who)
    assert refused.value.code == "insufficient_collateral"
    with pytest.raises(Rejected) as refused:
        release_collateral(pledges=(Pledge(lending.token.id, Decimal(106)),), **who)
    assert refused.value.code == "not_pledged"
    lending.borrower.fund(1_000_000, "NGN")
    repay_loan(loan, 756_000 + 420_000)  # half of the principal is left
    loan = release_collateral(pledges=(Pledge(lending.token.id, Decimal("52.5")),), **who)
    assert '"quantity":52.5}' in loan.document
    assert_books_hold()


def test_a_loan_past_its_date_is_overdue_and_past_its_grace_defaulted(lending):
    loan = lending.lend()
    assert servicing.age_loans() == 0
    backdate_loan(loan, days=1)
    servicing.age_loans()
    loan.refresh_from_db()
    assert loan.status == LoanStatus.OVERDUE
    servicing.age_loans()
    loan.refresh_from_db()
    assert loan.status == LoanStatus.OVERDUE
    backdate_loan(loan, days=7, seconds=1)
    servicing.age_loans()
    loan.refresh_from_db()
    assert loan.status == LoanStatus.DEFAULTED
    assert loan_event_types(loan) == ["loan.created", "loan.overdue", "loan.defaulted"]
    lending.borrower.fund(1_000_000, "NGN")
    assert repay_loan(loan, 1_596_000).status == LoanStatus.COMPLETED
    assert_books_hold()


def test_a_fall_in_price_opens_one_shortfall_that_more_collateral_cures(lending):
    loan = lending.lend()
    lending.set_price(9_999)
    servicing.revalue_loans(force=True)
    servicing.revalue_loans(force=True)
    shortfall = Shortfall.objects.get()
    assert (shortfall.value, shortfall.required) == (Decimal(1_049_895), Decimal(1_050_000))
    assert Valuation.objects.get().loan_to_value == Decimal("0.80008001")
    assert loan_event_types(loan) == ["loan.created", "loan.shortfall"]
    add_collateral(
        loan_id=loan.id,
        organisation_id=loan.organisation_id,
        pledges=(Pledge(lending.token.id, Decimal(1)),),
        actor=TESTER,
    )
    shortfall.refresh_from_db()
    assert shortfall.cured_at is not None
    loan.refresh_from_db()
    assert loan.status == LoanStatus.ACTIVE
    assert_books_hold()


def test_added_collateral_must_be_of_a_category_in_the_terms(lending):
    loan = lending.lend()
    art = make_token(price_sell=Decimal(10_000), investment_category="Art")
    give_units(art, lending.borrower, 5)
    with pytest.raises(Rejected) as refused:
        add_collateral(
            loan_id=loan.id,
            organisation_id=loan.organisation_id,
            pledges=(Pledge(art.id, Decimal(1)),),
            actor=TESTER,
        )
    assert refused.value.code == "category_not_allowed"
    assert balance_of(loan.borrower_id, art.id) == 5
    assert balance_of(loan.borrower_id, art.id, "lien") == 0
    assert not Collateral.objects.filter(loan=loan, token=art).exists()
    assert_books_hold()


def test_collateral_that_exits_opens_a_shortfall(lending):
    lending.lend()
    set_flags(lending.token, exited=True)
    servicing.revalue_loans(force=True)
    shortfall = Shortfall.objects.get()
    assert shortfall.value == 0
    assert lending.token.symbol in shortfall.cause


def test_a_missing_or_stale_price_blocks_and_never_counts_as_zero(lending):
    loan = lending.lend()
    for change in (
        {"quoted_at": timezone.now() - timedelta(days=400)},
        {"quoted_at": None},
    ):
        Token.objects.filter(id=lending.token.id).update(**change)
        servicing.revalue_loans(force=True)
        valuation = Valuation.objects.get()
        assert valuation.value is None
        assert valuation.loan_to_value is None
        assert lending.token.symbol in valuation.problem
        assert not Shortfall.objects.exists()
    assert Alert.objects.filter(kind="collateral_prices", resolved_at__isnull=True).count() == 1
    with pytest.raises(Rejected) as refused:
        release_collateral(
            loan_id=loan.id,
            organisation_id=loan.organisation_id,
            pledges=(Pledge(lending.token.id, Decimal(1)),),
            actor=TESTER,
        )
    assert refused.value.code == "price_unavailable"
    lending.set_price(10_000)
    servicing.revalue_loans(force=True)
    assert not Alert.objects.filter(kind="collateral_prices", resolved_at__isnull=True).exists()
