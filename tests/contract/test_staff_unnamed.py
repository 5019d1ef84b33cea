"""Logins and names of staff never leave the house: not in an event, not in an answer."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.conf import settings as configured
from django.utils import timezone

from config.back_office.roles import BACK_OFFICE, CREDIT_OFFICER
from credit.configurations.services import configurations
from credit.distributions.models import Distribution, DistributionAction
from credit.distributions.services import funding, paying, proposals, recording
from credit.loans.models import ClosureAction
from credit.loans.services import servicing
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.actors import Actor
from exchange.events.models import Event
from exchange.events.services.endpoints import announce_disabled, send_test, set_endpoint
from exchange.events.services.expiring_keys import warn_of_expiring_keys
from exchange.participants.models import Member, Organisation
from exchange.participants.services.api_keys import issue_api_key
from exchange.questions.services import ask_customer, close_question
from exchange.tokens.services import quotes
from orders.freezing.services import confirm_reversal, freeze_owner
from orders.listings.models import TokenAction
from orders.listings.services import proposals as token_proposals
from orders.listings.services import terms
from tests.environment.services import Sandbox
from tests.factories import lifecycle
from tests.factories.api_clients import TESTER, ApiCaller, make_caller, make_member
from tests.factories.conversions import convert, set_rates
from tests.factories.deposits import (
    ACTOR,
    Owner,
    arrive,
    make_checkout,
    make_due,
    transaction_record,
)
from tests.factories.distributions import (
    interest_terms,
    make_distribution,
    make_holding,
    make_terms,
    propose,
    redemption_terms,
)
from tests.factories.distributions import make_due as make_record_due
from tests.factories.holds import owe
from tests.factories.insiders import insider
from tests.factories.lending import Lending, make_lending
from tests.factories.loan_configurations import make_configuration, pending_version
from tests.factories.loans import (
    backdate_loan,
    make_completed_loan,
    make_defaulted_loan,
    repay_loan,
)
from tests.factories.payouts import advance_time, return_at_bank, settle_at_bank
from tests.factories.terms import note
from tests.factories.traders import Trader, make_trader
from tests.factories.transfers import transfer
from tests.factories.wallets import (
    DECLINED_ACCOUNT,
    Wallet,
    make_wallet,
    status_of,
    store_bank_list,
)
from wallets.closing import services as closing
from wallets.deposits.services.crediting import clear
from wallets.deposits.services.disputes import mark_disputed
from wallets.deposits.services.reversals import propose_reversal, reject_reversal
from wallets.freezes import services as freezes
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions, settlement, sweeps
from wallets.providers.collection import TransactionStatus
from wallets.receivables.services.repayments import collect_due
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

TELLING = re.compile(r"zebulon|quartermaine|zq-\d|@house\.example", re.IGNORECASE)
# Begins every text that a form calls internal, and every one that it calls visible.
INTERNAL, VISIBLE = "hush-hush", "you may read"


def approve(withdrawal: Withdrawal, *, named: bool = True) -> Withdrawal:
    return decisions.approve(
        withdrawal_id=withdrawal.id,
        version=withdrawal.version,
        approver=insider(named=named),
        reason=f"{INTERNAL} about an approval",
    )


def withdrawals(wallet: Wallet, sandbox: Sandbox, caller: ApiCaller) -> None:
    """One of each end: cancelled, rejected, returned before it was sent, failed, reversed."""
    cancelled = wallet.request(100)
    question = ask_customer(subject=cancelled, text=f"{VISIBLE}: which invoice?", user=insider())
    close_question(question_id=question.pk, answer=f"{INTERNAL}: none", user=insider())
    assert caller.post(f"/v1/api/withdrawals/{cancelled.id}/cancel").status_code == 200
    rejected = wallet.request(110)
    decisions.reject(
        withdrawal_id=rejected.id, version=1, approver=insider(), reason=f"{VISIBLE} of a rejection"
    )
    refused = caller.post(f"/v1/api/withdrawals/{rejected.id}/cancel")
    assert (refused.status_code, TELLING.search(refused.content.decode())) == (409, None)
    returned = approve(wallet.request(120))
    declined = resolutions.propose(
        withdrawal_id=returned.id,
        action=ProposalAction.RETURN,
        reason=f"{INTERNAL} until it is confirmed",
        proposer=insider(),
    )
    resolutions.decline(
        proposal_id=declined.id, resolver=insider(), reason=f"{INTERNAL} about declining"
    )
    resolve(returned, ProposalAction.RETURN)
    failing = approve(wallet.request(130, account=DECLINED_ACCOUNT), named=False)
    payouts.send_payout(failing.id)
    assert status_of(failing) == "Failed"
    paid = approve(wallet.request(140))
    payouts.send_payout(paid.id)
    for happens in (settle_at_bank, return_at_bank):
        happens(sandbox, paid)
        advance_time(paid, 24 * 3600)
        sweeps.process_payout(paid.id)
    resolve(paid, ProposalAction.REVERSE)
    assert status_of(paid) == "Reversed"
    lost = approve(wallet.request(150))
    payouts.send_payout(lost.id)
    settlement.mark_unknown(lost.id, error=f"{INTERNAL} about the provider", not_found=False)
    assert status_of(lost) == "Unknown"


def resolve(withdrawal: Withdrawal, action: ProposalAction) -> None:
    proposal = resolutions.propose(
        withdrawal_id=withdrawal.id,
        action=action,
        reason=f"{VISIBLE} of: {action.value}",
        proposer=insider(),
    )
    resolutions.confirm(proposal_id=proposal.id, resolver=insider(named=False))


def market(trader: Trader) -> None:
    """An order is filled, and another one amended and cancelled with its halted token."""
    token = Trader(make_wallet(1000)).issue()
    trader.place(token, "Buy", 100, 1)
    issuer = Trader(Wallet(token.issuer))
    issuer.place(token, "Sell", 100, 1)
    trader.amend(trader.place(token, "Buy", 90, 1), price=Decimal(91))
    lifecycle.halt(token, insider(), reason=f"{INTERNAL} about a halt")
    lifecycle.resume(token, insider())
    lifecycle.close_token(token_id=token.id, user=insider())
    for action in (TokenAction.COMPLETE, TokenAction.CANCEL):
        sold = note(trader)
        why = f"{INTERNAL} about a raise"
        asked = token_proposals.propose_token_action(
            token_id=sold.pk, action=action, explanation=why, user=insider()
        )
        token_proposals.confirm_token_action(proposal_id=asked.pk, user=insider())


def loans(lending: Lending) -> None:
    """Repaid, overdue, defaulted and liquidated by two, and one that falls short by a quote."""
    make_completed_loan(lending)
    late = lending.lend()
    backdate_loan(late, days=1)
    servicing.age_loans()
    ended = make_defaulted_loan(lending)
    proposal = propose_closure(
        loan_id=ended.id,
        action=ClosureAction.LIQUIDATE,
        note=f"{INTERNAL} about an ending",
        user=insider(CREDIT_OFFICER),
    )
    confirm_closure(proposal_id=proposal.id, user=insider(CREDIT_OFFICER, named=False))
    forgiven = make_defaulted_loan(lending)
    proposal = propose_closure(
        loan_id=forgiven.id,
        action=ClosureAction.WRITE_OFF,
        note=f"{INTERNAL} about an ending",
        user=insider(CREDIT_OFFICER),
    )
    confirm_closure(proposal_id=proposal.id, user=insider(CREDIT_OFFICER))
    loan = repay_loan(lending.lend(), 100)
    for change in (add_collateral, release_collateral):
        change(
            loan_id=loan.pk,
            organisation_id=loan.organisation_id,
            pledges=(Pledge(lending.token.pk, Decimal(1)),),
            actor=ACTOR,
        )
    quote = quotes.propose(
        token_id=lending.token.id,
        prices=quotes.Prices(Decimal(9000), Decimal(9000)),
        user=insider("Back office"),
        note=f"{INTERNAL} about prices",
    )
    quotes.approve(quote_id=quote.id, user=insider())
    servicing.revalue_loans()


def owners(organisation: Organisation) -> None:
    """One is frozen and no longer, owes and repays, is closed and opened; a key expires soon."""
    member = make_member(organisation)
    why = f"{INTERNAL} about a freeze"
    frozen = freeze_owner(owner=member, currency=None, reason=why, user=insider())
    lift = freezes.propose_lift(freeze_id=frozen.pk, explanation=why, user=insider())
    freezes.confirm_lift(lift_id=lift.pk, user=insider())
    for change in (closing.close_member, closing.reopen_member):
        change(organisation_id=organisation.pk, member_id=member.pk, actor=ACTOR)
    owe(Wallet(organisation, member))
    collect_due(ACTOR)
    soon = timezone.now() + timedelta(days=3)
    issue_api_key(
        organisation=organisation, name="Soon", scopes=["orders:read"], expires_at=soon, actor=ACTOR
    )
    warn_of_expiring_keys()


def offers(creditor: Organisation) -> None:
    """One is approved, another rejected."""
    made = make_configuration(creditor, approved=False)
    configurations.approve(version_id=pending_version(made).id, user=insider(CREDIT_OFFICER))
    made = make_configuration(creditor, approved=False)
    configurations.reject(
        version_id=pending_version(made).id,
        user=insider(CREDIT_OFFICER),
        reason=f"{VISIBLE} of terms",
    )


def answers(caller: ApiCaller) -> dict[str, str]:
    """Every answer to a read of the organisation's own, by its path."""
    paths = [
        "/v1/api/withdrawals", "/v1/api/transfers", "/v1/api/conversions", "/v1/api/deposits",
        "/v1/api/events?limit=200", "/v1/orders", "/v1/api/credit/loans",
        "/v1/api/credit/loan-configuration", "/v1/api/wallet", "/v1/api/wallet/transactions",
        "/v1/api/wallet/tokens", "/v1/api/members", "/v1/api/tokens", "/v1/api/webhook",
    ]  # fmt: skip
    found = {path: caller.get(path) for path in paths}
    one_of = {
        "/v1/api/withdrawals/": "withdrawals",
        "/v1/api/transfers/": "transfers",
        "/v1/api/conversions/": "conversions",
        "/v1/api/deposits/": "deposits",
        "/v1/api/events/": "events",
        "/v1/orders/": "orders",
        "/v1/api/credit/loan/": "loans",
        "/v1/api/members/": "members",
        "/v1/api/token/": "tokens",
    }
    for answer in list(found.values()):
        data = answer.json()["data"]
        for prefix, plural in one_of.items():
            for row in data.get(plural, []) if isinstance(data, dict) else []:
                path = f"{prefix}{row.get('_id') or row.get('id', row.get('token'))}"
                found[path] = caller.get(path)
    for member in Member.objects.filter(organisation=caller.organisation):
        path = f"/v1/api/members/{member.id}/wallet/transactions"
        found[path] = caller.get(path)
    assert {answer.status_code for answer in found.values()} == {200}
    return {path: answer.content.decode() for path, answer in found.items()}


def money_in(owner: Owner) -> None:
    """A deposit of each outcome; a dispute is closed, and the last one is taken back by two."""
    failed, rested, paid = (make_checkout(owner) for _ in range(3))
    arrive(transaction_record(failed.reference, status=TransactionStatus.FAILED))
    arrive(transaction_record(rested.reference, payment_type="card"))
    make_due(rested)
    assert clear(rested.pk, ACTOR)
    arrive(transaction_record(paid.reference))
    why = f"{INTERNAL} about a chargeback"
    dispute = mark_disputed(deposit_id=rested.pk, explanation=why, user=insider())
    reject_reversal(reversal_id=dispute.pk, reason=why, user=insider())
    proposal = propose_reversal(deposit_id=paid.pk, explanation=why, user=insider())
    confirm_reversal(reversal_id=proposal.pk, user=insider())


def distributions(issuer: Organisation) -> None:
    """One that is changed, overdue and paid, one that is cancelled, and a redemption."""
    held = make_holding(issuer=issuer)

    def decide(distribution: Distribution) -> None:
        found = distribution.proposals.get(status="Pending")
        proposals.approve(proposal_id=found.pk, user=insider())

    changed, cancelled = propose(held.token), propose(held.token, interest_terms(held.token))
    for made in (changed, cancelled):
        decide(made)
    proposals.propose_change(
        distribution_id=changed.pk,
        terms=make_terms(held.token, amount=Decimal(3), record_at=changed.record_at),
        explanation=f"{INTERNAL} about a change",
        user=insider(BACK_OFFICE),
    )
    decide(changed)
    proposals.propose_step(
        distribution_id=cancelled.pk,
        action=DistributionAction.CANCEL,
        explanation=f"{INTERNAL} about a cancellation",
        user=insider(BACK_OFFICE),
    )
    decide(cancelled)
    recording.record(make_record_due(changed).pk)
    funding.fund_due()
    Wallet(issuer).fund(changed.gross or 10_000, "NGN")
    proposals.propose_step(
        distribution_id=changed.pk,
        action=DistributionAction.FUND,
        explanation=f"{INTERNAL} about funding",
        user=insider(BACK_OFFICE),
    )
    decide(changed)
    paying.pay(changed.pk)
    redeemed = make_holding(issuer=issuer).token
    make_distribution(redeemed, "Paid", redemption_terms(redeemed))


def new_terms(issuer: Organisation) -> None:
    """Terms of a token that a member of the issuer holds."""
    token = make_holding(issuer=issuer).token
    assert token.completed_at is not None
    proposal = terms.propose_terms(
        token_id=token.pk,
        terms=terms.NewTerms(
            issue_price=Decimal(100),
            interest=Decimal(9),
            tenor=365,
            payout_frequency="Monthly",
            completed_on=token.completed_at.date(),
        ),
        explanation=f"{INTERNAL} about terms",
        user=insider(BACK_OFFICE),
    )
    terms.approve_terms(proposal_id=proposal.pk, user=insider())


@pytest.mark.parametrize("whose", ["borrower", "creditor"])
@pytest.mark.one_in(2)
def test_no_event_and_no_answer_tells_who_of_staff_did_it(provider_sandbox, whose):
    store_bank_list()
    lending = make_lending()
    organisation = getattr(lending, whose).organisation
    caller = make_caller(organisation=organisation)
    made = set_endpoint(
        organisation_id=organisation.id, url="https://hooks.example.com/x", actor=TESTER
    )
    assert made.secret
    person = insider()
    send_test(organisation_id=organisation.id, actor=Actor.staff(person.pk, str(person)))
    announce_disabled(made.endpoint.pk)
    wallet = Wallet(organisation, make_member(organisation)).fund(10_000)
    withdrawals(wallet, provider_sandbox, caller)
    set_rates()
    transfer(wallet, Wallet(organisation), 200)
    convert(wallet, 129, "KES", "USD")
    market(make_trader(10_000, organisation=organisation))
    loans(lending)
    offers(organisation)
    owners(organisation)
    money_in(Owner(organisation))
    distributions(organisation)
    new_terms(organisation)

    bodies = list(Event.objects.values_list("type", "body"))
    assert {kind for kind, _ in bodies} == set(configured.EVENT_TYPES)
    told = {kind: TELLING.findall(body) for kind, body in bodies}
    assert {kind: found for kind, found in told.items() if found} == {}
    texts = answers(caller)
    shown = {path: TELLING.findall(text) for path, text in texts.items()}
    assert len(shown) > 40
    assert {path: found for path, found in shown.items() if found} == {}
    read = " ".join([*texts.values(), *(body for _, body in bodies)])
    assert INTERNAL not in read
    for visible in ("of a rejection", "of: Return", "of: Reverse", "of terms"):
        assert f"{VISIBLE} {visible}" in read
