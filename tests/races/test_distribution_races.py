"""Trades against the record of a distribution, and workers that pay it at the same moment.

Each caller has its own database connection. Callers may see domain errors only, never a deadlock.
"""

import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from credit.distributions.models import Distribution, Income
from credit.distributions.services import drafting, funding, paying, recording
from credit.loans.services.closures import confirm_closure
from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.tokens.errors import RecordPending
from orders.freezing.services import freeze_owner
from tests.environment.concurrency import Callers, race_size
from tests.factories.claims import make_pledged, officer, propose_closing, redeem
from tests.factories.distributions import (
    held_for,
    issuer_of,
    make_distribution,
    make_due,
    make_holding,
    make_scheduled,
)
from tests.factories.tokens import give_units
from tests.factories.traders import Trader
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
)
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)

Deed = Callable[[], Any]
ROUNDS = race_size("DISTRIBUTION_ROUNDS", 4)


def units_of(owner: Any, token: Any) -> Decimal | int:
    return balance_of(owner, token) + balance_of(owner, token, "reserved")


@pytest.mark.parametrize("_round", range(ROUNDS))
@pytest.mark.one_in(3)
def test_no_trade_comes_between_a_record_and_its_time(_round):
    held = make_holding()
    sellers = [Trader(held.member), Trader(held.own_member)]
    buyer = Trader(held.organisation.fund(100_000, "NGN"))
    made = make_distribution(held.token)
    make_due(made)
    before = {
        trader.owner_id: units_of(trader.owner_id, held.token) for trader in (*sellers, buyer)
    }
    deeds: list[Deed] = [
        partial(sellers[0].submit_order, held.token, "Sell", 100, 10),
        partial(recording.record, made.pk),
        partial(buyer.submit_order, held.token, "Buy", 100, 10),
        partial(sellers[1].submit_order, held.token, "Sell", 100, 10),
        partial(recording.record, made.pk),
        partial(buyer.submit_order, held.token, "Buy", 100, 10),
    ]
    with Callers(len(deeds)) as callers:
        found = callers.at_once(deeds)
    assert [one for one in found if isinstance(one, Exception)] == [
        one for one in found if isinstance(one, RecordPending)
    ]
    assert sorted(one for one in found if isinstance(one, bool)) == [False, True]
    rows = Income.objects.filter(distribution=made)
    # What was refused before the record moved nothing, and what came after it does not count.
    assert dict(rows.values_list("owner_id", "units")) == before
    assert_books_hold()


def test_two_workers_pay_each_holder_once():
    held = make_holding()
    for _ in range(12):
        give_units(held.token, make_member_wallet(currency="NGN"), 5)
    made = make_distribution(held.token, "Funded")
    with Callers(4) as callers:
        found = callers.at_once([partial(paying.pay, made.pk, batch=2)] * 4)
    assert [one for one in found if isinstance(one, Exception)] == []
    assert sum(found) == 15
    # Whoever finds nothing left to pay, and no other worker paying, finishes.
    paying.pay_due()
    made.refresh_from_db()
    assert (made.status, held_for()) == ("Paid", 0)
    assert Transfer.objects.filter(kind="distribution_pay").count() == 15
    paid = Event.objects.filter(type="distribution.paid", subject_id=made.pk)
    assert paid.filter(organisation=held.token.issuer).count() == 1
    assert_books_hold()


def test_a_worker_leaves_a_distribution_to_the_one_that_pays_it():
    held, other = make_holding(), make_holding(currency="UGX")
    made, small = make_distribution(held.token, "Funded"), make_distribution(other.token, "Funded")
    with Callers(1) as callers:
        with transaction.atomic():
            assert paying.pay(made.pk, batch=0) == 0
        made.refresh_from_db()
        with transaction.atomic():
            assert paying._pay_batch(made, 1) == 1
            # The batch is not committed: what is left of it is not for others, another one is.
            assert callers.at_once([partial(paying.pay, made.pk)]) == [0]
            assert callers.at_once([paying.pay_due]) == [3]
        made.refresh_from_db()
        small.refresh_from_db()
        assert (made.status, small.status) == ("Paying", "Paid")
        assert callers.at_once([paying.pay_due]) == [2]
    made.refresh_from_db()
    assert made.status == "Paid"
    assert_books_hold()


@pytest.mark.parametrize("_round", range(ROUNDS))
@pytest.mark.one_in(3)
def test_two_workers_draft_a_period_once(_round):
    tokens = [make_scheduled(10).token for _ in range(3)]
    with Callers(4) as callers:
        found = callers.at_once([drafting.draft_due] * 4)
    assert sum(found) == len(tokens)
    drafted = Distribution.objects.order_by("token_id").values_list("token_id", flat=True)
    assert list(drafted) == sorted(token.pk for token in tokens)


@pytest.mark.parametrize("_round", range(ROUNDS))
@pytest.mark.one_in(3)
def test_it_is_funded_once_and_not_by_a_frozen_issuer(_round):
    held = make_holding()
    issuer = Wallet(held.token.issuer).fund(10_000, "NGN")
    made = make_distribution(held.token, "Recorded")
    fund = partial(
        funding.fund,
        distribution_id=made.pk,
        organisation_id=held.token.issuer_id,
        actor=issuer_of(held.token),
    )
    freeze = partial(
        freeze_owner,
        owner=held.token.issuer,
        currency=None,
        reason="Court order of today",
        user=make_staff("place_freeze"),
    )
    with Callers(4) as callers:
        found = callers.at_once([fund, fund, funding.fund_due, freeze])
    errors = [one for one in found if isinstance(one, Exception)]
    assert all(isinstance(one, DomainError) for one in errors), errors
    made.refresh_from_db()
    funded = made.status == "Funded"
    assert made.status in {"Funded", "Recorded"}
    assert balance_of(issuer.owner_id, "NGN") == (8_250 if funded else 10_000)
    assert held_for() == (1_750 if funded else 0)
    assert_books_hold()


@pytest.mark.parametrize("delay", range(ROUNDS))
@pytest.mark.one_in(3)
def test_proceeds_reach_the_creditor_before_or_after_the_liquidation(delay):
    """A liquidation is confirmed while two workers pay for units of its collateral.

    Paid first, the money is cash collateral, which the liquidation passes with the other units.
    Confirmed first, the units stay in lien, and what they pay goes to the creditor's claim.
    """
    made = make_pledged()
    paid = redeem(made.held)
    proposal = propose_closing(made, officer())
    before = made.money()

    def late(deed: Deed) -> Any:
        time.sleep(delay / 200)
        return deed()

    pay: Deed = partial(paying.pay, paid.pk)
    confirm: Deed = partial(confirm_closure, proposal_id=proposal.pk, user=officer())
    deeds: list[Deed] = [partial(late, pay), partial(late, pay), confirm]
    if delay % 2:
        deeds = [pay, pay, partial(late, confirm)]
    with Callers(3) as callers:
        found = callers.at_once(deeds)
    assert [one for one in found if isinstance(one, Exception)] == []
    proposal.refresh_from_db()
    passed_as_cash = proposal.final_cash
    assert passed_as_cash in {0, 1_050_000}
    assert made.claim() == (0 if passed_as_cash else 246_000)
    assert made.loan.status == "LIQUIDATED"
    assert made.received(before) == (1_050_000, 0)
    assert (made.units(), made.units(made.other)) == ((0, 0, 0), (30, 0, 0))
    assert Transfer.objects.filter(kind="distribution_pay").count() == 1
    assert_books_hold()
