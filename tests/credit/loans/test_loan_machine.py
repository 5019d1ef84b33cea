"""Random sequences of loan operations against a model in plain Python.

Borrowers borrow, repay, pledge, release and sell; staff move prices, exit tokens, propose and
confirm closures; time passes. After every step all loans and accounts equal the model, and closed
loans are unchanged; at the end, and every few steps, the books are proven.
"""

from collections.abc import Callable
from datetime import timedelta
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from credit.loans.models import ClosureAction, Collateral, Loan, Shortfall
from credit.loans.services import servicing
from credit.loans.services.assessing import LoanRequest
from credit.loans.services.closures import confirm_closure, decline_closure, propose_closure
from credit.loans.services.lending import create_loan
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.repaying import repay
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.tokens.models import Token
from exchange.tokens.services.quotes import Prices
from orders.book import services as placing
from orders.book.models import Order
from tests.credit.loans.loan_model import (
    ASKED,
    OPEN,
    UNIT,
    ZERO,
    LoanBook,
    Modelled,
    PendingClosure,
    Sell,
)
from tests.credit.loans.loan_steps import step_of
from tests.environment.concurrency import race_size
from tests.environment.property_tests import FUZZING, examples
from tests.factories.api_clients import TESTER
from tests.factories.lifecycle import exit_token
from tests.factories.loans import backdate_loan, backdate_proposal
from tests.factories.quotes import set_effective_quote
from tests.factories.traders import Trader
from tests.factories.wallets import Wallet, assert_books_hold
from wallets.ledger.models import Account

# After every step when fuzzing.
PROVE_EVERY = 1 if FUZZING else 20


class Machine(RuleBasedStateMachine):
    """Predict the result of each step with the model, then run it."""

    @initialize(currency=st.sampled_from(["NGN", "UGX"]))
    def begin(self, currency):
        self.model, self.steps, self.looks = LoanBook(currency), 0, 0
        for borrower, offer in ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 2)):
            self.borrow(borrower, offer, {0: Decimal(5), 1: Decimal(2)}, 100, 2, "most")
        for number in (1, 25):
            self.advance_due_date(number, 30)
        assert [loan.status for loan in self.model.loans].count("DEFAULTED") == 2

    def pick(self, number: int, *wanted: str) -> Modelled:
        """Seven times out of eight, pick a loan in a `wanted` status if there is one."""
        fitting = [loan for loan in self.model.loans if loan.status in wanted]
        some = fitting if fitting and number % 8 else self.model.loans
        return some[number // 8 % len(some)]

    @staticmethod
    def attempt(expected: str | None, call: Callable[[], Any]) -> Any:
        """Return the result of `call`, or None if it was rejected with the expected code."""
        if expected is None:
            return call()
        with pytest.raises(DomainError) as refused:
            call()
        assert refused.value.code == expected
        return None

    def pledges(self, units: dict[int, Decimal]) -> tuple[Pledge, ...]:
        return tuple(
            Pledge(self.model.tokens[number].row.id, each) for number, each in units.items()
        )

    @staticmethod
    def of(loan: Modelled) -> dict[str, Any]:
        """Return the loan and the caller."""
        organisation = loan.row.organisation_id
        return {"loan_id": loan.row.id, "organisation_id": organisation, "actor": TESTER}

    @rule(seed=st.integers(0, 2**32 - 1))
    def step(self, seed):
        # Hypothesis often repeats a seed; the number of the step makes it unique.
        self.steps += 1
        name, arguments = step_of(f"{self.steps} {seed}")
        note(f"{name}: {arguments}")
        getattr(self, name)(**arguments)

    # --- Borrowers -------------------------------------------------------------------------------

    def borrow(self, borrower, offer, units, share, months, asked):
        model = self.model
        terms, wallet = model.offers[offer], model.borrowers[borrower]
        base = model.value(units) or Decimal(5000)
        amount = (base * terms.ratio * share / 100).quantize(model.step, ROUND_DOWN) or model.step
        most = model.most(terms, amount, months)
        repayment = {"most": most, "amount": amount, "above": most + model.step}[asked]
        request = LoanRequest(
            user_id=wallet.member_id,
            configuration_id=terms.row.id,
            currency=model.currency,
            amount=amount,
            repayment_amount=repayment,
            interest_rate=terms.rate,
            duration=Decimal(months),
            collaterals=self.pledges(units),
        )
        made = self.attempt(
            model.loan_refusal(borrower, terms, units, amount, repayment, most),
            lambda: create_loan(
                organisation_id=wallet.organisation.id, request=request, actor=TESTER
            ),
        )
        if made is not None:
            model.record_loan(Modelled(made, borrower, terms, amount, repayment, dict(units)))

    def deposit(self, borrower, amount):
        self.model.borrowers[borrower].fund(amount, self.model.currency)
        self.model.add_money(self.model.borrowers[borrower], amount)

    def repay_loan(self, number, percent):
        loan = self.pick(number, *OPEN)
        step = self.model.step
        amount = (loan.owed * percent / 100).quantize(step, ROUND_UP) or step
        expected = None
        if not loan.is_open:
            expected = "state_conflict"
        elif amount > loan.owed:
            expected = "amount_above_due"
        elif amount > self.model.cash(self.model.borrowers[loan.borrower]):
            expected = "insufficient_balance"
        if self.attempt(expected, lambda: repay(amount=amount, **self.of(loan))):
            self.model.record_repayment(loan, amount)

    def deposit_and_repay(self, number, percent):
        loan = self.pick(number, *OPEN)
        self.deposit(loan.borrower, int(loan.owed) + 1)
        self.repay_loan(number, percent)

    def pledge_more(self, number, token, units):
        loan = self.pick(number, *OPEN)
        expected: str | None = "state_conflict"
        if loan.is_open:
            expected = self.model.pledge_refusal(
                loan.borrower, {token: units}, loan.offer.categories
            )
        pledges = self.pledges({token: units})
        if self.attempt(expected, lambda: add_collateral(pledges=pledges, **self.of(loan))):
            self.model.record_pledge(loan, token, units)

    def release_pledge(self, number, token, part):
        loan = self.pick(number, *OPEN)
        held = loan.pledged.get(token, ZERO)
        spare = self.model.spare(loan, token)
        units = {
            "all": held,
            "unit": UNIT,
            "half": (held / 2).quantize(UNIT),
            "spare": spare,
            "spare+": spare + UNIT,
        }[part]
        units = max(units, UNIT)
        expected = None
        if not loan.is_open or (loan.closure is not None and loan.closure.liquidates):
            expected = "state_conflict"
        elif held < units:
            expected = "not_pledged"
        elif (value := self.model.value({**loan.pledged, token: held - units})) is None:
            expected = "price_unavailable"
        elif value * loan.offer.ratio < loan.principal_owed:
            expected = "insufficient_collateral"
        pledges = self.pledges({token: units})
        if self.attempt(expected, lambda: release_collateral(pledges=pledges, **self.of(loan))):
            self.model.record_pledge(loan, token, -units)

    def offer_units(self, borrower, token, units):
        """Offered units cannot be pledged."""
        quoted, units = self.model.tokens[token], Decimal(units)
        expected: str | None = "token_exited" if quoted.exited else None
        if expected is None and units > self.model.free(borrower, token):
            expected = "insufficient_units"
        wallet = self.model.borrowers[borrower]
        if self.attempt(expected, lambda: self._place(wallet, quoted.row, "Sell", units)):
            order = Order.objects.filter(token=quoted.row).latest("seq")
            self.model.record_offer(Sell(order.id, borrower, token, units))

    def buy_units(self, token, units):
        offered = [sell.left for sell in self.model.sells if sell.token == token]
        units = min(Decimal(units), sum(offered, ZERO))
        if units:
            self._place(self.model.buyer, self.model.tokens[token].row, "Buy", units)
            self.model.record_sale(token, units)

    def cancel_offer(self, number):
        if not self.model.sells:
            return
        sell = self.model.sells[number % len(self.model.sells)]
        organisation = self.model.borrowers[sell.borrower].organisation.id
        self.attempt(
            None if sell.left else "state_conflict",
            lambda: placing.cancel_order(
                order_id=sell.order_id, organisation_id=organisation, actor=TESTER
            ),
        )
        self.model.withdraw_offers([sell])

    @staticmethod
    def _place(wallet: Wallet, token: Token, side: str, units: Decimal) -> Any:
        return Trader(wallet).submit_order(token, side, ASKED, units)

    # --- Staff and time --------------------------------------------------------------------------

    def change_quote(self, token, price):
        quoted = self.model.tokens[token]
        set_effective_quote(token_id=quoted.row.id, prices=Prices(price, price), note="")
        quoted.price, quoted.stale = price, False

    def expire_quote(self, token):
        long_ago = timezone.now() - timedelta(days=400)
        Token.objects.filter(id=self.model.tokens[token].row.id).update(quoted_at=long_ago)
        self.model.tokens[token].stale = True

    def exit_market(self, token):
        if self.model.tokens[token].exited:
            return
        exit_token(token_id=self.model.tokens[token].row.id, user=self.model.staff[0])
        self.model.tokens[token].exited = True
        self.model.withdraw_offers([sell for sell in self.model.sells if sell.token == token])

    def revalue_all(self):
        servicing.revalue_loans(force=True)
        for loan in self.model.loans:
            self.model.review(loan)

    def advance_due_date(self, number, days):
        """Move the due date of one loan; the workers visit all."""
        loan = self.pick(number, "ACTIVE", "OVERDUE")
        if loan.is_open:
            loan.days_past = max(days, loan.days_past or 0)
            backdate_loan(loan.row, days=loan.days_past)
        servicing.age_loans()
        self.model.age_loans()

    def propose_loan_closure(self, number, action):
        loan = self.pick(number, "DEFAULTED")
        liquidates = action == ClosureAction.LIQUIDATE
        expected = None
        if loan.status != "DEFAULTED":
            expected = "state_conflict"
        elif liquidates and self.model.value(loan.pledged) is None:
            expected = "price_unavailable"
        elif loan.closure is not None:
            expected = "proposal_pending"
        found = self.attempt(
            expected,
            lambda: propose_closure(
                loan_id=loan.row.id, action=action, note="why", user=self.model.staff[0]
            ),
        )
        if found is not None:
            passed, covered = self.model.plan(loan) if liquidates else ({}, ZERO)
            loan.closure = PendingClosure(found, passed, self.model.prices(loan))
            assert (found.value_passed, found.deficiency) == (covered, loan.owed - covered)

    def confirm_loan_closure(self, number, person):
        waiting = [loan for loan in self.model.loans if loan.closure is not None]
        if not waiting:
            return
        loan = waiting[number % len(waiting)]
        closure = loan.closure
        assert closure is not None
        expected = None
        if person == 0:
            expected = "approver_not_independent"
        elif closure.liquidates and closure.old:
            expected = "prices_expired"
        user = self.model.staff[person]
        if self.attempt(expected, lambda: confirm_closure(proposal_id=closure.row.id, user=user)):
            self.model.record_closure(loan, closure)

    def decline_or_expire_closure(self, number, old):
        waiting = [loan for loan in self.model.loans if loan.closure is not None]
        if not waiting:
            return
        loan = waiting[number % len(waiting)]
        assert loan.closure is not None
        if old:
            backdate_proposal(loan.closure.row)
            loan.closure.old = True
        else:
            decline_closure(proposal_id=loan.closure.row.id, user=self.model.staff[1])
            loan.closure = None

    # --- Invariants ------------------------------------------------------------------------------

    @invariant()
    def books_hold(self):
        self.looks += 1
        if self.looks % PROVE_EVERY == 0:
            assert_books_hold()

    def teardown(self):
        assert_books_hold()

    @invariant()
    def loans_equal_the_model(self):
        """Closed loans also equal every column at closure."""
        rows = Loan.objects.in_bulk([loan.row.id for loan in self.model.loans])
        for loan in self.model.loans:
            row = rows[loan.row.id]
            found = row.status, row.interest_repaid, row.principal_repaid
            assert found == (loan.status, loan.interest_paid, loan.principal_paid)
            pledged = Collateral.objects.filter(loan=row).values_list("token_id", "quantity")
            assert tuple(pledged) == tuple(
                (each.token_id, each.quantity) for each in self.pledges(loan.pledged)
            )
            if loan.closed is not None:
                assert Loan.objects.values().get(id=row.id) == loan.closed

    @invariant()
    def shortfalls_equal_the_model(self):
        found = Shortfall.objects.filter(
            loan__in=[loan.row.id for loan in self.model.loans], cured_at__isnull=True
        )
        assert set(found.values_list("loan_id", flat=True)) == {
            loan.row.id for loan in self.model.loans if loan.short
        }

    @invariant()
    def accounts_equal_the_model(self):
        model = self.model
        owners = [wallet.owner_id for wallet in (*model.lenders, *model.borrowers, model.buyer)]
        rows = Account.objects.filter(owner_id__in=owners).exclude(balance=0)
        found = {(row.owner_id, row.asset_id, row.kind): row.balance for row in rows}
        assert found == model.accounts()


@pytest.mark.hypothesis
@pytest.mark.slow
def test_no_sequence_of_steps_leads_a_loan_away_from_the_model(transactional_db):
    run_state_machine_as_test(
        Machine, settings=examples("LOAN", 2, stateful_step_count=race_size("LOAN_STEPS", 40))
    )
