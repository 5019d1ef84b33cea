"""Loans with units that a final distribution pays for, and their liquidation."""

from dataclasses import dataclass
from decimal import Decimal

from credit.distributions.models import Distribution
from credit.loans.models import ClosureAction, ClosureProposal, Loan
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.valuation import Pledge
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from tests.factories.distributions import exit_terms, make_distribution, redemption_terms
from tests.factories.lending import Lending, make_lending
from tests.factories.pledged_income import close, default
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import balance_of, make_staff


@dataclass
class Pledged:
    """A defaulted loan against units of `held`, and of `other`, which nothing is to be paid for."""

    lending: Lending
    loan: Loan
    other: Token

    @property
    def held(self) -> Token:
        return self.lending.token

    def money(self) -> tuple[Decimal | int, Decimal | int]:
        """Return the money of the creditor and of the borrower."""
        owners = self.lending.creditor.owner_id, self.lending.borrower.owner_id
        return balance_of(owners[0], "NGN"), balance_of(owners[1], "NGN")

    def received(
        self, before: tuple[Decimal | int, Decimal | int]
    ) -> tuple[Decimal | int, Decimal | int]:
        """Return what creditor and borrower received since."""
        now = self.money()
        return now[0] - before[0], now[1] - before[1]

    def units(self, token: Token | None = None) -> tuple[Decimal | int, ...]:
        """Return the creditor's units, and the borrower's available and in lien."""
        lender, borrower = self.lending.creditor.owner_id, self.lending.borrower.owner_id
        token = token or self.held
        return (
            balance_of(lender, token),
            balance_of(borrower, token),
            balance_of(borrower, token, "lien"),
        )

    def pledge(self) -> tuple[Decimal | int, ...]:
        """Return the units of `held` that were pledged, and that are left in lien."""
        row = self.loan.collaterals.get(token=self.held)
        return row.quantity, row.claimed

    def claim(self) -> Decimal:
        self.loan.refresh_from_db()
        return self.loan.claim


def make_pledged(*, units: int = 105, others: int = 30, **changes) -> Pledged:
    """Make the records of `Pledged`; the borrower has the pledged units and no others."""
    lending = make_lending(units=units)
    other = make_token(price_sell=Decimal(10_000))
    give_units(other, lending.borrower, others)
    pledges = [Pledge(lending.token.pk, Decimal(units)), Pledge(other.pk, Decimal(others))]
    loan = lending.lend(collaterals=tuple(pledges), **changes)
    default(loan)
    loan.refresh_from_db()
    return Pledged(lending, loan, other)


def redeem(token: Token, amount: str | int = 10_000, status: str = "Funded") -> Distribution:
    return make_distribution(token, status, redemption_terms(token, amount=Decimal(amount)))


def pay_exit(token: Token, amount: str | int, *, final: bool = False) -> Distribution:
    return make_distribution(token, "Paid", exit_terms(token, amount=Decimal(amount), final=final))


def liquidate(pledged: Pledged) -> ClosureProposal:
    done: ClosureProposal = close(pledged.loan, ClosureAction.LIQUIDATE)
    return done


def officer() -> StaffUser:
    return make_staff("close_loan")


def propose_closing(
    pledged: Pledged, user: StaffUser, action: ClosureAction = ClosureAction.LIQUIDATE
) -> ClosureProposal:
    return propose_closure(loan_id=pledged.loan.pk, action=action, note="No answer", user=user)


def confirm(proposal: ClosureProposal, user: StaffUser) -> ClosureProposal:
    confirm_closure(proposal_id=proposal.pk, user=user)
    proposal.refresh_from_db()
    return proposal


def steps(proposal: ClosureProposal) -> list[tuple[str, str]]:
    """Return the units passed and left, of each step."""
    return [(step["passed"], step["left"]) for step in proposal.final_plan or []]


def covered(proposal: ClosureProposal) -> tuple[Decimal | int | None, ...]:
    """Return what was owed, the value that was passed, and what is left."""
    return proposal.final_owed, proposal.final_value, proposal.final_deficiency
