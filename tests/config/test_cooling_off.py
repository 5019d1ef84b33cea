"""Cooling-off and tenure in every dual approval.

In each case one person does the first step; the case returns the second step for another person.
"""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from credit.configurations.services import configurations
from credit.loans.models import ClosureAction, LoanStatus
from credit.loans.services.closures import confirm_closure, propose_closure
from exchange.core.actors import Actor
from exchange.core.errors import DomainError, Forbidden, Rejected
from exchange.staff.models import StaffUser
from exchange.tokens.models import Quote
from exchange.tokens.services import quotes
from orders.freezing.services import confirm_reversal
from orders.listings.models import TermsProposal, TokenAction, TokenProposal
from orders.listings.services.proposals import confirm_token_action, propose_token_action
from orders.listings.services.terms import approve_terms
from tests.factories.api_clients import make_organisation
from tests.factories.breaks import make_break
from tests.factories.holds import freeze, make_paid_deposit
from tests.factories.lending import make_lending
from tests.factories.lifecycle import propose_new_terms
from tests.factories.loan_configurations import make_configuration, make_terms, pending_version
from tests.factories.loans import make_defaulted_loan
from tests.factories.staff import backdate_access, backdate_installation
from tests.factories.tokens import make_token
from tests.factories.wallets import make_staff, make_wallet, store_bank_list
from wallets.deposits.models import Deposit, DepositReversal, Payment
from wallets.deposits.services import manual as deposits
from wallets.deposits.services.reversals import REVERSALS, propose_reversal
from wallets.fees import services as fees
from wallets.fees.models import SettingChange, SettingChangeStatus
from wallets.fees.selectors import effective_setting
from wallets.freezes.services import confirm_lift, propose_lift
from wallets.ledger.models import Transfer
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import resolutions
from wallets.reconciliation.models import ReconciliationBreak
from wallets.reconciliation.services import explanations
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

FEE = "NGN_WITHDRAWAL_FEE"
# Two persons with every right.
RIGHTS = (
    "propose_quote", "decide_quote", "add_deposit", "decide_deposit", "propose_configuration",
    "decide_configuration", "decide_withdrawal", "resolve_payout", "close_loan", "decide_break",
    "lift_freeze", "reverse_deposit", "end_token", "change_token", "decide_terms",
)  # fmt: skip
Decision = Callable[[StaffUser], Any]
Case = Callable[[StaffUser], Decision]


def quote(first: StaffUser) -> Decision:
    prices = quotes.Prices(buy=Decimal(118), sell=Decimal(115))
    made = quotes.propose(token_id=make_token().id, prices=prices, user=first)
    return lambda second: quotes.approve(quote_id=made.id, user=second)


def change(first: StaffUser) -> Decision:
    made = fees.propose(key=FEE, value=Decimal(60), reason="why", user=first)
    seen = effective_setting(FEE)
    assert seen is not None
    return lambda second: fees.approve(change_id=made.id, expected_value=seen, user=second)


def cancellation(first: StaffUser) -> Decision:
    later = timezone.now() + timedelta(days=1)
    made = fees.propose(
        key=FEE, value=Decimal(75), reason="why", effective_from=later, user=make_staff(*RIGHTS)
    )
    seen = effective_setting(FEE)
    assert seen is not None
    fees.approve(change_id=made.id, expected_value=seen, user=make_staff(*RIGHTS))
    fees.request_cancellation(change_id=made.id, user=first, reason="why")
    return lambda second: fees.confirm_cancellation(change_id=made.id, user=second)


def deposit(first: StaffUser) -> Decision:
    payment = deposits.IncomingPayment(
        organisation_id=make_organisation().id,
        member_id=None,
        currency="KES",
        amount=Decimal(700),
        reference="wire 7",
    )
    made = deposits.enter(payment=payment, user=first)
    return lambda second: deposits.confirm(deposit_id=made.id, user=second)


def withdrawal(first: StaffUser) -> Decision:
    store_bank_list()
    made = make_wallet(5_000_000).request(3_000_000)
    assert made.approvals_needed == 2
    decisions.approve(withdrawal_id=made.id, version=1, approver=first)
    return lambda second: decisions.approve(withdrawal_id=made.id, version=2, approver=second)


def payout(first: StaffUser) -> Decision:
    store_bank_list()
    made = Proposal.objects.create(
        withdrawal_id=make_wallet(1000).request(500).id,
        action=ProposalAction.SEND_AGAIN,
        reason="why",
        proposed_by=first,
        created_at=timezone.now(),
    )
    return lambda second: resolutions.confirm(proposal_id=made.id, resolver=second)


def terms(first: StaffUser) -> Decision:
    made = configurations.propose(
        creditor_id=make_organisation().id,
        terms=make_terms(),
        actor=Actor.staff(first.pk, str(first)),
    )
    return lambda second: configurations.approve(version_id=pending_version(made).id, user=second)


def closure(first: StaffUser) -> Decision:
    loan = make_defaulted_loan(make_lending())
    assert loan.status == LoanStatus.DEFAULTED
    made = propose_closure(loan_id=loan.id, action=ClosureAction.WRITE_OFF, note="why", user=first)
    return lambda second: confirm_closure(proposal_id=made.id, user=second)


def explanation(first: StaffUser) -> Decision:
    made = explanations.explain_break(break_id=make_break().pk, explanation="why", user=first)
    return lambda second: explanations.close_break(explanation_id=made.id, user=second)


def frozen_owner(first: StaffUser) -> Decision:
    made = propose_lift(freeze_id=freeze(make_organisation()).pk, explanation="Cleared", user=first)
    return lambda second: confirm_lift(lift_id=made.id, user=second)


def reversal(first: StaffUser) -> Decision:
    deposit = make_paid_deposit(make_wallet(), "700")
    made = propose_reversal(deposit_id=deposit.pk, explanation="why", user=first)
    return lambda second: confirm_reversal(reversal_id=made.pk, user=second)


def token_action(first: StaffUser) -> Decision:
    token = make_token(raise_amount=Decimal(50_000))
    made = propose_token_action(
        token_id=token.pk, action=TokenAction.CANCEL, explanation="why", user=first
    )
    return lambda second: confirm_token_action(proposal_id=made.pk, user=second)


def token_terms(first: StaffUser) -> Decision:
    made = propose_new_terms(make_token(), first)
    return lambda second: approve_terms(proposal_id=made.pk, user=second)


CASES = [
    quote, change, cancellation, deposit, withdrawal, payout, terms, closure, explanation,
    frozen_owner, reversal, token_action, token_terms,
]  # fmt: skip


def picture() -> list[tuple[object, ...]]:
    models = (
        Quote, SettingChange, Deposit, Withdrawal, Proposal, Transfer, ReconciliationBreak,
        DepositReversal, TokenProposal, TermsProposal,
    )  # fmt: skip
    return [row for model in models for row in model.objects.order_by("pk").values_list()]


def refuses(decide: Callable[[], Any], kind: type[DomainError], code: str) -> None:
    before = picture()
    with pytest.raises(kind) as refusal:
        decide()
    assert refusal.value.code == code
    assert picture() == before


def decides(case: Case, decide: Callable[[], Any]) -> None:
    """Nothing about the people refuses it; the payout of the test is not lost, which is checked
    after them.
    """
    if case is payout:
        refuses(decide, Rejected, "payout_not_lost")
    else:
        decide()


@pytest.mark.parametrize("case", CASES)
def test_new_access_cannot_approve_for_a_day(case):
    first, second = make_staff(*RIGHTS), make_staff(*RIGHTS)
    decide = partial(case(first), second)
    backdate_access(second, hours=23)
    refuses(decide, Forbidden, "cooling_off")
    backdate_access(second, hours=25)
    decides(case, decide)


@pytest.mark.parametrize("case", CASES)
def test_one_of_two_approvers_needs_a_week_of_tenure(case):
    first, second = make_staff(*RIGHTS), make_staff(*RIGHTS)
    backdate_installation(days=60)
    decide = partial(case(first), second)
    for person in (first, second):
        backdate_access(person, days=6)
    refuses(decide, Rejected, "approvers_too_new")
    backdate_access(first, days=8)
    decides(case, decide)


def test_the_approver_with_tenure_may_be_the_second():
    first, second = make_staff(*RIGHTS), make_staff(*RIGHTS)
    backdate_installation(days=60)
    decide = partial(deposit(first), second)
    backdate_access(first, days=2)
    decide()
    assert Deposit.objects.get().status == "Completed"


def test_the_only_person_of_a_chargeback_needs_a_week_of_tenure():
    """The provider proposes it, so there is no first person."""
    person = make_staff(*RIGHTS)
    backdate_installation(days=60)
    deposit = make_paid_deposit(make_wallet(), "700")
    Payment.objects.filter(deposit=deposit).update(charged_back_amount=700)
    made = DepositReversal.objects.create(
        deposit=deposit, amount=700, explanation="Charged back", created_at=timezone.now()
    )
    decide = partial(confirm_reversal, reversal_id=made.pk, user=person)
    backdate_access(person, days=6)
    refuses(decide, Rejected, "approvers_too_new")
    assert REVERSALS.describe_blocker(made, person).startswith("One of the two approvers must")
    backdate_access(person, days=8)
    decide()
    deposit.refresh_from_db()
    assert deposit.status == "Reversed"


def test_new_access_cannot_give_a_first_approval_either():
    new = make_staff(*RIGHTS)
    backdate_access(new, hours=23)
    for case in (quote, change, deposit, withdrawal, terms, closure):
        with pytest.raises(Forbidden) as refusal:
            case(new)
        assert refusal.value.code == "cooling_off"
    assert not Quote.objects.exists()
    assert not SettingChange.objects.filter(status=SettingChangeStatus.PENDING).exists()
    assert not Deposit.objects.filter(entered_by=new).exists()
    assert not Withdrawal.objects.exclude(first_approver=None).exists()


def test_one_approval_is_enough_where_one_is_needed_or_a_client_proposed():
    """Without a proposal by staff there is one approval, and no tenure is needed."""
    person = make_staff(*RIGHTS)
    backdate_installation(days=60)
    backdate_access(person, days=2)
    store_bank_list()
    small = make_wallet(1000).request(500)
    decisions.approve(withdrawal_id=small.id, version=1, approver=person)
    offered = make_configuration(approved=False)
    configurations.approve(version_id=pending_version(offered).id, user=person)
    offered.refresh_from_db()
    small.refresh_from_db()
    assert (offered.status, small.status) == ("Approved", "Approved")
