"""Random sequences of wallet operations against a model in plain Python.

After every step, statuses and balances equal the model's. Every few steps and at the end the books
are proven. At the end the sandbox has no transfer twice.
"""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

import pytest
from django.db.models import Sum
from hypothesis import seed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from exchange.core.errors import Rejected, StateConflict
from tests.environment.property_tests import FUZZING, examples
from tests.environment.services import Sandbox
from tests.factories.payouts import (
    HALF_AN_HOUR,
    STATUS_CHECKS,
    TRANSFERS,
    advance_time,
    call_sandbox,
    return_at_bank,
    settle_at_bank,
)
from tests.factories.wallets import (
    DECLINED_ACCOUNT,
    FAILING_ACCOUNT,
    OVERRIDE,
    PAID_ACCOUNT,
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_member_wallet,
    make_staff,
    make_wallet,
    status_of,
    store_bank_list,
)
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import Entry
from wallets.payouts.models import PayoutCircuit, ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions
from wallets.withdrawals.errors import BelowMinimum
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

# A fuzz run has the time to prove the books after every step.
PROVE_EVERY = 1 if FUZZING else 20
FEE, MINIMUM = Decimal(30), Decimal(100)
OPEN = {"Pending", "Approved", "Processing", "Unknown"}
# Faults on ordering a transfer, and whether the transfer is still executed.
FAULTS = {
    "": True,
    "reset": False,
    "rate_limit": False,
    "error_5xx": False,
    "malformed": True,
    "wrong_amount": True,
}


@dataclass
class ModelWithdrawal:
    """The expected state of one withdrawal."""

    row: Withdrawal
    wallet: int
    amount: Decimal
    account: str
    status: str = "Pending"
    ordered: bool = False
    sent_again: bool = False
    not_found: int = 0
    returned: bool = False
    seen_returned: bool = False

    @property
    def ending(self) -> str:
        return "Failed" if self.account == FAILING_ACCOUNT else "Completed"

    @property
    def taken(self) -> Decimal:
        """Return the amount missing from the wallet's available balance."""
        if self.status in OPEN or self.status == "Completed":
            return self.amount
        return FEE if self.status == "Reversed" else Decimal(0)


@dataclass
class Machine(RuleBasedStateMachine):
    """The system under test and its model; `charge` is the provider's charge for a KES transfer."""

    sandbox: Sandbox
    charge: Decimal
    withdrawals: list[ModelWithdrawal] = field(default_factory=list)
    steps: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        self.sandbox.reset()
        store_bank_list()
        self.wallets: list[Wallet] = [make_wallet(), make_member_wallet()]
        self.deposited = [Decimal(0), Decimal(0)]
        self.people = [make_staff() for _ in range(2)]
        self.system_before = self.system()
        for number, wallet in enumerate(self.wallets):
            wallet.fund(3000)
            self.deposited[number] += 3000
            for account in (PAID_ACCOUNT, FAILING_ACCOUNT, DECLINED_ACCOUNT, PAID_ACCOUNT):
                row = wallet.request(400, account=account)
                self.withdrawals.append(ModelWithdrawal(row, number, Decimal(400), account))
        for number in range(7):
            self.decide(number * 4 + 1, "Approved")

    __hash__ = object.__hash__

    @staticmethod
    def system() -> dict[str, Decimal]:
        rows = Entry.objects.filter(account__owner_id=None, asset_id="KES").order_by()
        sums = dict(rows.values_list("account__kind").annotate(Sum("amount")))
        return {kind: sums.get(kind, Decimal(0)) for kind in ("clearing", "fees", "expenses")}

    def available(self, wallet: int) -> Decimal:
        taken = sum(each.taken for each in self.withdrawals if each.wallet == wallet)
        return self.deposited[wallet] - taken

    def pick(self, number: int, *wanted: str) -> ModelWithdrawal:
        """Pick a withdrawal, three times out of four one in a `wanted` status."""
        fitting = [one for one in self.withdrawals if one.status in wanted]
        some = fitting if fitting and number % 4 else self.withdrawals
        return some[number // 4 % len(some)]

    # --- Clients and finance ---------------------------------------------------------------------

    @rule(wallet=st.integers(0, 1), cents=st.integers(1, 500_000))
    def deposit(self, wallet, cents):
        amount = Decimal(cents) / 100
        self.wallets[wallet].fund(amount)
        self.deposited[wallet] += amount

    @rule(
        wallet=st.integers(0, 1),
        amount=st.decimals("1", "900", places=2) | st.sampled_from([Decimal(100), None]),
        account=st.sampled_from([PAID_ACCOUNT, PAID_ACCOUNT, DECLINED_ACCOUNT, FAILING_ACCOUNT]),
    )
    def request_withdrawal(self, wallet, amount, account):
        available = self.available(wallet)
        amount = available + Decimal("0.01") if amount is None else amount
        if amount > available:
            with pytest.raises(InsufficientBalance):
                self.wallets[wallet].request(amount, account=account)
        elif amount < MINIMUM:
            with pytest.raises(BelowMinimum):
                self.wallets[wallet].request(amount, account=account)
        else:
            row = self.wallets[wallet].request(amount, account=account)
            self.withdrawals.append(ModelWithdrawal(row, wallet, amount, account))

    @rule(
        number=st.integers(0, 99),
        verdict=st.sampled_from(["Approved", "Approved", "Approved", "Rejected", "Cancelled"]),
    )
    def decide(self, number, verdict):
        one = self.pick(number, "Pending")
        person, row = self.people[0], Withdrawal.objects.get(id=one.row.id)
        calls = {
            "Approved": lambda: decisions.approve(
                withdrawal_id=row.id, version=row.version, approver=person, override=OVERRIDE
            ),
            "Rejected": lambda: decisions.reject(
                withdrawal_id=row.id, version=row.version, approver=person, reason="no"
            ),
            "Cancelled": lambda: decisions.cancel(
                withdrawal_id=row.id, organisation_id=row.organisation_id, actor=SYSTEM
            ),
        }
        if one.status == "Pending":
            calls[verdict]()
            one.status = verdict
        else:
            with pytest.raises(StateConflict):
                calls[verdict]()

    # --- Workers and the provider ----------------------------------------------------------------

    @rule(number=st.integers(0, 99), fault=st.sampled_from(sorted(FAULTS)))
    def send_payout(self, number, fault):
        one = self.pick(number, "Approved")
        if one.status != "Approved":
            payouts.send_payout(one.row.id)
            return
        if fault:
            self.sandbox.fault(fault, match=TRANSFERS)
        # The circuit stays closed here: tests/faults/test_circuit.py tests it.
        PayoutCircuit.objects.update(failures=0, quiet_until=None)
        payouts.send_payout(one.row.id)
        self.sandbox.reset()
        before = one.ordered
        if FAULTS[fault] and one.account != DECLINED_ACCOUNT:
            one.ordered = True
        # A declined order has no amount.
        if one.account == DECLINED_ACCOUNT and fault in {"", "wrong_amount"}:
            one.status = "Failed"
        elif fault == "rate_limit":
            # Rate-limited: the status check comes later.
            one.status = "Unknown"
        elif not one.ordered:
            one.status, one.not_found = "Unknown", one.not_found + 1
        elif fault == "wrong_amount" and not before:
            one.status = "Unknown"
        else:
            one.not_found = 0
            # The sandbox may have completed the transfer before its response arrived.
            one.status = status_of(one.row)
            assert one.status in {"Processing", one.ending}

    @rule(number=st.integers(0, 99), hidden=st.booleans())
    def check_status(self, number, hidden):
        """Let half an hour pass and the bank decide, then check the status."""
        one = self.pick(number, "Processing", "Unknown", "Completed")
        if one.ordered:
            settle_at_bank(self.sandbox, one.row)
        if hidden:
            self.sandbox.fault("hidden", match=STATUS_CHECKS)
        advance_time(one.row, HALF_AN_HOUR + 1)
        payouts.check_status(one.row.id)
        self.sandbox.reset()
        if one.status in {"Processing", "Unknown"}:
            if one.ordered and not hidden:
                one.status, one.not_found = one.ending, 0
            else:
                one.status, one.not_found = "Unknown", one.not_found + 1
        elif one.status == "Completed" and one.returned and not hidden:
            one.seen_returned = True

    @rule(number=st.integers(0, 99), fault=st.sampled_from(sorted(FAULTS)))
    def send_and_check_status(self, number, fault):
        self.send_payout(number, fault)
        self.check_status(number, hidden=False)

    @rule(number=st.integers(0, 99), action=st.sampled_from(list(ProposalAction)))
    def check_status_and_resolve(self, number, action):
        self.check_status(number, hidden=False)
        self.resolve_payout(number, action)

    @rule(number=st.integers(0, 99))
    def return_payment(self, number):
        one = self.pick(number, "Completed")
        if one.status == "Completed" and not one.returned:
            return_at_bank(self.sandbox, one.row)
            one.returned = True

    @rule(number=st.integers(0, 99), action=st.sampled_from(list(ProposalAction)))
    def resolve_payout(self, number, action):
        returning = action is ProposalAction.RETURN
        one = self.pick(number, *(("Approved",) if returning else ("Unknown", "Completed")))
        if action is ProposalAction.REVERSE:
            possible = one.status == "Completed" and one.seen_returned
        elif returning:
            possible = one.status == "Approved" and not one.sent_again
        else:
            possible = one.status == "Unknown" and one.not_found >= 2
        if not possible:
            with pytest.raises(Rejected):
                self._propose(one, action)
            return
        proposal = self._propose(one, action)
        if action in {ProposalAction.SEND_AGAIN, ProposalAction.FAIL} and one.ordered:
            # The provider hid the transfer; the next status check finds it.
            with pytest.raises(Rejected):
                resolutions.confirm(proposal_id=proposal.id, resolver=self.people[1])
            resolutions.decline(proposal_id=proposal.id, resolver=self.people[1])
            one.status, one.not_found = one.ending, 0
            return
        resolutions.confirm(proposal_id=proposal.id, resolver=self.people[1])
        one.status = {
            ProposalAction.SEND_AGAIN: "Approved",
            ProposalAction.FAIL: "Failed",
            ProposalAction.REVERSE: "Reversed",
            ProposalAction.RETURN: "Rejected",
        }[action]
        one.sent_again |= action is ProposalAction.SEND_AGAIN
        one.not_found = 0

    def _propose(self, one, action):
        return resolutions.propose(
            withdrawal_id=one.row.id, action=action, reason="checked", proposer=self.people[0]
        )

    # --- Invariants ------------------------------------------------------------------------------

    @invariant()
    def books_hold(self):
        self.steps += 1
        if self.steps % PROVE_EVERY == 0:
            assert_books_hold()

    @invariant()
    def statuses_equal_the_model(self):
        modelled = {one.row.id: one.status for one in self.withdrawals}
        found = Withdrawal.objects.filter(id__in=modelled).values_list("id", "status")
        assert dict(found) == modelled

    @invariant()
    def balances_equal_the_model(self):
        for number, wallet in enumerate(self.wallets):
            held = sum(
                one.amount
                for one in self.withdrawals
                if one.wallet == number and one.status in OPEN
            )
            assert wallet.kes == (self.available(number), held)

    @invariant()
    def system_accounts_equal_the_model(self):
        paid = [one for one in self.withdrawals if one.status in {"Completed", "Reversed"}]
        out = sum(one.amount - FEE for one in paid if one.status == "Completed")
        charges = self.charge * len(paid)
        now = self.system()
        assert {kind: now[kind] - self.system_before[kind] for kind in now} == {
            "clearing": out + charges - sum(self.deposited),
            "fees": FEE * len(paid),
            "expenses": -charges,
        }

    def teardown(self):
        assert_books_hold()
        found = Counter(row["reference"] for row in call_sandbox(self.sandbox, "GET", "transfers"))
        for one in self.withdrawals:
            assert found[one.row.reference] == int(one.ordered)


# Parts run in parallel. Each has its own sequences: the same in every run of the suite, new ones
# in a fuzz.
@pytest.mark.hypothesis
@pytest.mark.parametrize(
    "part", [0, 1, 2, *(pytest.param(part, marks=pytest.mark.slow) for part in range(3, 7))]
)
@pytest.mark.one_in(3)
def test_random_sequences_agree_with_the_model(transactional_db, provider_sandbox, part):
    def machine() -> Machine:
        return Machine(provider_sandbox, Decimal(100))

    run_state_machine_as_test(
        machine if FUZZING else seed(part)(machine),  # type: ignore[arg-type]
        settings=examples("MODEL", 2, stateful_step_count=50),
    )
