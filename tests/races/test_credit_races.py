"""Races for units, money and loans, each caller with its own database connection.

Callers may see domain errors only, never a deadlock.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from credit.configurations.models import Access, LoanConfiguration
from credit.loans.models import (
    OPEN,
    ClosureAction,
    ClosureProposal,
    Collateral,
    Loan,
    LoanStatus,
    Repayment,
)
from credit.loans.services import servicing
from credit.loans.services.closures import confirm_closure, decline_closure, propose_closure
from credit.loans.services.lending import create_loan
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.tokens.models import Token
from tests.environment.concurrency import Callers, race_size
from tests.environment.lock_barrier import LockBarrier
from tests.factories.api_clients import TESTER
from tests.factories.lending import Lending, make_lending
from tests.factories.loan_configurations import make_configuration
from tests.factories.loans import make_defaulted_loan, repay_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
    make_wallet,
)

pytestmark = pytest.mark.django_db(transaction=True)

Deed = Callable[[], Any]
ROUNDS = race_size("CREDIT_ROUNDS", 5)
DUE = 1_596_000  # of the loan that `Lending.lend` makes


@pytest.fixture
def lending() -> Lending:
    lending = make_lending(units=1)
    lending.creditor.fund(100_000_000, "NGN")
    return lending


def another(
    lending: Lending, *, units: int = 105, token: Token | None = None, **more: Any
) -> Lending:
    """Return the same lender with another borrower, who has that many units of a new token."""
    borrower = make_member_wallet()
    token = token or priced_token()
    give_units(token, borrower, units)
    return Lending(lending.creditor, borrower, more.get("offer", lending.offer), token)


def priced_token() -> Token:
    return make_token(
        price_buy=Decimal(10_000), price_sell=Decimal(10_000), total_supply=Decimal(10_000)
    )


def codes(results: Sequence[Any]) -> Counter[str]:
    """Return how many calls succeeded, and how many were rejected by code. Raises anything else."""
    found: Counter[str] = Counter()
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, DomainError):
            raise result
        found[result.code if isinstance(result, DomainError) else "done"] += 1
    return found


def sell(wallet: Wallet, token: Token, units: int | Decimal, price: int = 100) -> Any:
    return order(wallet, token, "Sell", units, price)


def order(wallet: Wallet, token: Token, side: str, units: int | Decimal, price: int) -> Any:
    return Trader(wallet).submit_order(token, side, price, units)


def change(loan: Loan, call: Callable[..., Loan], *pledges: tuple[Token, Decimal | int]) -> Loan:
    """`add_collateral` or `release_collateral`."""
    return call(
        loan_id=loan.id,
        organisation_id=loan.organisation_id,
        pledges=tuple(Pledge(token.id, Decimal(units)) for token, units in pledges),
        actor=TESTER,
    )


@pytest.mark.parametrize("offers", [1, 2])
@pytest.mark.one_in(2)
def test_the_same_units_are_pledged_once(lending, offers):
    """Two requests at once, under one offer or under offers of two lenders."""
    lender = make_wallet(100_000_000, currency="NGN").organisation
    other = make_configuration(lender, access=Access.PUBLIC)
    with Callers(2) as callers:
        for _ in range(ROUNDS):
            one = another(lending)
            two = Lending(
                one.creditor, one.borrower, other if offers == 2 else one.offer, one.token
            )
            results = callers.at_once([one.lend, two.lend])
            assert codes(results) == {"done": 1, "insufficient_units": 1}
            assert balance_of(one.borrower.owner_id, one.token.id, "lien") == 105
    assert_books_hold()


@pytest.mark.parametrize("bought", [False, True])
@pytest.mark.one_in(2)
def test_units_are_sold_or_pledged(lending, bought):
    """The order rests in the book, or trades with a resting one."""
    buyer = make_wallet(10_000_000, currency="NGN")
    outcomes: Counter[bool] = Counter()
    with Callers(2) as callers:
        for number in range(ROUNDS):
            one = another(lending)
            if bought:
                order(buyer, one.token, "Buy", 105, 100)
            both: list[Deed] = [one.lend, partial(sell, one.borrower, one.token, 105)]
            results = callers.at_once(both if number % 2 else both[::-1])
            assert codes(results) == {"done": 1, "insufficient_units": 1}
            lien = balance_of(one.borrower.owner_id, one.token.id, "lien")
            assert lien in {0, 105}
            assert balance_of(one.borrower.owner_id, one.token.id) == 0
            outcomes[lien == 0] += 1
    assert outcomes.total() == ROUNDS
    assert_books_hold()


def test_the_last_payment_is_made_once(lending):
    with Callers(3) as callers, LockBarrier("credit_loan", runners=2) as barrier:
        for _ in range(ROUNDS):
            one = another(lending)
            loan = one.lend()
            one.borrower.fund(2 * DUE, "NGN")
            barrier.hold()
            *results, released = callers.at_once(
                [partial(repay_loan, loan, DUE)] * 2 + [barrier.release]
            )
            assert released is None
            assert codes(results) == {"done": 1, "state_conflict": 1}
            assert any(
                str(result) == "The loan is no longer open: it is COMPLETED" for result in results
            )
            assert Repayment.objects.filter(loan=loan).count() == 1
            assert balance_of(one.borrower.owner_id, "NGN") == 840_000 + DUE
            assert balance_of(one.borrower.owner_id, one.token.id) == 105
            events = Event.objects.filter(subject_id=loan.id, type="loan.repaid")
            assert events.count() == 2  # to both sides, once
    assert_books_hold()


@pytest.mark.slow
def test_payments_at_once_add_up_to_no_more_than_is_due(lending):
    """Of five payments of three tenths each, three fit."""
    part = Decimal(DUE) * 3 / 10
    with Callers(6) as callers, LockBarrier("credit_loan", runners=5) as barrier:
        for _ in range(ROUNDS):
            one = another(lending)
            loan = one.lend()
            one.borrower.fund(2 * DUE, "NGN")
            barrier.hold()
            *results, released = callers.at_once(
                [partial(repay_loan, loan, part)] * 5 + [barrier.release]
            )
            assert released is None
            assert codes(results) == {"done": 3, "amount_above_due": 2}
            loan.refresh_from_db()
            assert loan.interest_repaid + loan.principal_repaid == 3 * part
    assert_books_hold()


@pytest.mark.parametrize("action", list(ClosureAction))
@pytest.mark.parametrize("amount", [DUE, 1000])
@pytest.mark.one_in(3)
def test_a_loan_is_closed_or_repaid_once(lending, action, amount):
    first, second = make_staff("close_loan"), make_staff("close_loan")
    outcomes: Counter[str] = Counter()
    with Callers(3) as callers, LockBarrier("credit_loan", runners=2) as barrier:
        for number in range(ROUNDS):
            one = another(lending)
            loan = make_defaulted_loan(one)
            one.borrower.fund(DUE, "NGN")
            proposal = propose_closure(loan_id=loan.id, action=action, note="why", user=first)
            barrier.hold()
            both: list[Deed] = [
                partial(repay_loan, loan, amount),
                partial(confirm_closure, proposal_id=proposal.id, user=second),
            ]
            *results, released = callers.at_once(
                [*(both if number % 2 else both[::-1]), barrier.release]
            )
            assert released is None
            loan.refresh_from_db()
            outcomes[loan.status] += 1
            ended = loan.status in {LoanStatus.LIQUIDATED, LoanStatus.WRITTEN_OFF}
            paid = Repayment.objects.filter(loan=loan).count()
            # A payment in part that comes first does not hold up the end.
            both_done = ended and paid == 1
            assert codes(results) == (
                {"done": 2} if both_done else {"done": 1, "state_conflict": 1}
            )
            assert ended or (paid == 1 and amount == DUE)
            assert not both_done or amount < DUE
            assert balance_of(one.creditor.owner_id, "NGN", "principal") == sum(
                row.amount - row.principal_repaid for row in Loan.objects.filter(status__in=OPEN)
            )
    assert outcomes.total() == ROUNDS
    assert_books_hold()


def test_a_proposal_is_confirmed_or_declined_once(lending):
    people = [make_staff("close_loan") for _ in range(4)]
    with Callers(4) as callers:
        for number in range(ROUNDS):
            loan = make_defaulted_loan(another(lending))
            proposal = propose_closure(
                loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="why", user=people[0]
            )
            calls: list[Deed] = [
                partial(confirm_closure, proposal_id=proposal.id, user=people[1]),
                partial(decline_closure, proposal_id=proposal.id, user=people[2]),
                partial(confirm_closure, proposal_id=proposal.id, user=people[3]),
            ]
            results = callers.at_once(calls[number % 3 :] + calls[: number % 3])
            assert codes(results) == {"done": 1, "state_conflict": 2}
            proposal.refresh_from_db()
            loan.refresh_from_db()
            assert (loan.status == LoanStatus.LIQUIDATED) == (proposal.status == "Approved")
    assert_books_hold()


def test_one_of_two_concurrent_proposals_is_pending(lending):
    people = [make_staff("close_loan") for _ in range(4)]
    loan = make_defaulted_loan(another(lending))
    calls = [
        partial(propose_closure, loan_id=loan.id, action=action, note="why", user=person)
        for person, action in zip(people, list(ClosureAction) * 2, strict=True)
    ]
    with Callers(4) as callers:
        assert codes(callers.at_once(calls)) == {"done": 1, "proposal_pending": 3}
    assert ClosureProposal.objects.filter(loan=loan).count() == 1


def test_of_sixteen_loans_at_once_the_three_that_the_limit_allows_are_made(lending):
    lender = make_wallet(100_000_000, currency="NGN")
    offer = make_configuration(
        lender.organisation,
        access=Access.PUBLIC,
        max_amount={"NGN": Decimal(1_000_000)},
        max_outstanding={"NGN": Decimal(840_000 * 4 - 1)},
    )
    tokens = [priced_token() for _ in range(4)]
    asking = [another(lending, token=tokens[n % 4], offer=offer) for n in range(16)]
    with Callers(16) as callers:
        results = callers.at_once([one.lend for one in asking])
    assert codes(results) == {"done": 3, "outstanding_above_maximum": 13}
    assert balance_of(lender.owner_id, "NGN", "principal") == 3 * 840_000
    assert_books_hold()


def offers_of(lender: Wallet, count: int) -> list[LoanConfiguration]:
    """Make offers that each lend one loan at a time."""
    amount = Decimal(840_000)
    return [
        make_configuration(
            lender.organisation,
            access=Access.PUBLIC,
            max_amount={"NGN": amount},
            max_outstanding={"NGN": amount},
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("count", [1, 10])
@pytest.mark.one_in(2)
def test_of_ten_loans_at_once_the_two_that_the_lender_can_pay_are_made(lending, count):
    """Under one offer they come one after the other. Under ten, and with ten tokens, nothing is
    between them but the lender's wallet, which all have found full.
    """
    lender = make_wallet(840_000 * 3 - 1, currency="NGN")
    offers = (
        offers_of(lender, 10)
        if count == 10
        else [make_configuration(lender.organisation, access=Access.PUBLIC)] * 10
    )
    asking = [another(lending, offer=offer) for offer in offers]
    calls: list[Deed] = [one.lend for one in asking]
    with Callers(11) as callers, LockBarrier("wallets_account", runners=10) as barrier:
        if count == 10:
            barrier.hold()
            *results, released = callers.at_once([*calls, barrier.release])
            assert released is None
        else:
            results = callers.at_once(calls)
    assert codes(results) == {"done": 2, "not_funded": 8}
    assert balance_of(lender.owner_id, "NGN") == 840_000 - 1
    assert Loan.objects.filter(creditor=lender.organisation).count() == 2
    assert_books_hold()


@pytest.mark.slow
def test_collateral_that_is_added_and_released_at_once_adds_up(lending):
    one = another(lending, units=200)
    other = priced_token()
    give_units(other, one.borrower, 100)
    loan = one.lend()  # covered by 105 units to the last
    add = partial(change, loan, add_collateral)
    release = partial(change, loan, release_collateral)
    mine = (one.token, 1), (other, 1)
    with Callers(12) as callers:
        for _ in range(ROUNDS):
            results = callers.at_once(
                [partial(add, *mine), partial(add, *mine[::-1]), partial(release, *mine)] * 2
                + [partial(release, *mine[::-1]), partial(release, mine[0])] * 3
            )
            counts = codes(results)
            assert set(counts) <= {"done", "insufficient_collateral", "not_pledged"}
            assert isinstance(results[0], Loan), results[0]
            units = dict(Collateral.objects.filter(loan=loan).values_list("token_id", "quantity"))
            assert sum(units.values()) >= 105
            for token in (one.token, other):
                lien = balance_of(one.borrower.owner_id, token.id, "lien")
                assert lien == units.get(token.id, 0)
    assert_books_hold()


@pytest.mark.slow
def test_units_needed_for_a_loan_are_not_released_twice(lending):
    """210 units, 105 needed: of eight releases of 60 at once one fits."""
    with Callers(9) as callers, LockBarrier("credit_loan", runners=1) as barrier:
        for _ in range(ROUNDS):
            one = another(lending, units=210)
            loan = one.lend(units=210)
            barrier.hold()
            # The first to lock the token comes to the line; the others wait behind it.
            *results, released = callers.at_once(
                [partial(change, loan, release_collateral, (one.token, 60))] * 8 + [barrier.release]
            )
            assert released is None
            assert codes(results) == {"done": 1, "insufficient_collateral": 7}
    assert_books_hold()


def test_loans_are_aged_once_by_concurrent_workers(lending):
    """Ten loans are past their grace; four workers and a borrower meet over them."""
    amount = Decimal(1000)
    asking = [another(lending) for _ in range(10)]
    loans = [
        create_loan(
            organisation_id=one.borrower.organisation.id,
            request=one.request(amount=amount),
            actor=TESTER,
            made_at=timezone.now() - timedelta(days=200),
        )
        for one in asking
    ]
    payments: list[Deed] = [partial(repay_loan, loan, 1) for loan in loans[:2]]
    with Callers(7) as callers, LockBarrier("credit_loan", runners=6) as barrier:
        barrier.hold()
        calls: list[Deed] = [*[servicing.age_loans] * 4, *payments]
        *results, released = callers.at_once([*calls, barrier.release])
        assert released is None
    aged = results[:4]
    assert codes(results) == {"done": 6}
    assert sum(aged) + servicing.age_loans() == 10
    events = Counter(
        Event.objects.filter(subject_id__in=[loan.id for loan in loans]).values_list(
            "subject_id", "organisation_id", "type"
        )
    )
    assert set(events.values()) == {1}
    # Created, overdue and defaulted, and two payments, each to both sides.
    assert len(events) == 2 * (10 * 3 + 2)
    assert set(Loan.objects.values_list("status", flat=True)) == {LoanStatus.DEFAULTED}
    assert_books_hold()
