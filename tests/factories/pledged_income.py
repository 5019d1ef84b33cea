"""Income of units that are pledged for loans, and the cash collateral that it becomes."""

from decimal import Decimal

from django.db import connection

from credit.distributions.models import Income
from credit.loans.models import ClosureAction, Loan, RepaymentSource, Valuation
from credit.loans.services import servicing
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.pledging import release_collateral
from credit.loans.services.repaying import repay
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.distributions import make_distribution, make_terms
from tests.factories.lending import Lending, make_lending
from tests.factories.loans import backdate_loan
from tests.factories.wallets import balance_of, make_staff


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


def make_cash(each: str | int = 600, **changes) -> tuple[Lending, Loan]:
    """Make a loan of 840,000 against 105 units that have paid 63,000, and a price without them."""
    lending = make_lending()
    loan = lending.lend(**changes)
    pay(lending, each)
    loan.refresh_from_db()
    return lending, loan


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


def set_cash(loan: Loan, amount: int) -> None:
    Loan.objects.filter(pk=loan.pk).update(cash_collateral=Decimal(amount))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS cash_collateral_guard IMMEDIATE")
