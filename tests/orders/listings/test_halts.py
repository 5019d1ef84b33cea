"""A halt keeps the book and takes no orders; one person halts, two resume."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from orders.book.models import Order
from orders.book.tasks import expire_orders
from orders.listings.models import TokenAction
from orders.listings.services.lifecycle import halt_token
from orders.listings.services.proposals import confirm_token_action, propose_token_action
from tests.factories.lifecycle import approve_only, halt, resume
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import assert_books_hold, make_staff
from tests.orders.book.sides import move_expiry

pytestmark = pytest.mark.django_db


@pytest.fixture
def officer() -> StaffUser:
    return make_staff("end_token")


@pytest.fixture
def seller() -> Trader:
    return make_trader(1_000)


@pytest.fixture
def token(seller: Trader) -> Token:
    return seller.issue(total_supply=Decimal(100))


def statuses() -> list[str]:
    return list(Order.objects.order_by("seq").values_list("status", flat=True))


def test_a_halt_keeps_the_book_and_takes_no_order(seller, token, officer):
    buyer = make_trader(10_000)
    ask, other = seller.place(token, "Sell", 100, 5), seller.place(token, "Sell", 101, 5)
    lasting = {"time_in_force": "GTD", "expires_at": timezone.now() + timedelta(hours=1)}
    expiring = seller.place(token, "Sell", 102, 5, **lasting)
    halt(token, officer)
    for side, trader in (("Buy", buyer), ("Sell", seller)):
        with pytest.raises(Conflict) as refused, transaction.atomic():
            trader.place(token, side, 100, 1)
        assert refused.value.code == "token_halted"
    seller.cancel(other)
    move_expiry(expiring, timezone.now() - timedelta(seconds=1))
    assert expire_orders() == 1
    assert statuses() == ["Active", "Cancelled", "Cancelled"]
    resume(token, officer)
    bought = buyer.place(token, "Buy", 100, 5)
    # The order in the book has kept its place.
    assert Order.objects.get(id=ask).status == Order.objects.get(id=bought).status == "Fulfilled"
    assert_books_hold()


def test_a_halted_raise_stops_selling(seller, officer):
    token = seller.issue(raise_amount=Decimal(50_000))
    buyer = make_trader(10_000)
    buyer.place(token, "Buy", 100, 1)
    halt(token, officer)
    with pytest.raises(Conflict) as refused, transaction.atomic():
        buyer.place(token, "Buy", 100, 1)
    assert refused.value.code == "token_halted"
    resume(token, officer)
    buyer.place(token, "Buy", 100, 1)


def test_one_person_halts_with_a_reason_and_two_resume(token, officer):
    with pytest.raises(InvalidRequest):
        halt(token, officer, reason=" ")
    with pytest.raises(Forbidden):
        halt(token, make_staff())
    with pytest.raises(StateConflict, match="not halted"):
        propose_token_action(
            token_id=token.id, action=TokenAction.RESUME, explanation="Over", user=officer
        )
    halted = halt(token, officer)
    assert (halted.halted_at is not None, halted.halt_reason) == (
        True,
        "A price without an explanation",
    )
    with pytest.raises(StateConflict):
        halt_token(token_id=token.id, reason="Again", user=officer)
    proposal = propose_token_action(
        token_id=token.id, action=TokenAction.RESUME, explanation="Over", user=officer
    )
    with pytest.raises(Rejected):
        confirm_token_action(proposal_id=proposal.pk, user=officer)
    done = confirm_token_action(proposal_id=proposal.pk, user=make_staff("end_token")).token
    assert (done.halted_at, done.halt_reason) == (None, "")
    kinds = Event.objects.filter(subject_id=token.id).order_by("id").values_list("type", flat=True)
    assert list(kinds) == ["token.halted", "token.resumed"]


def test_postgresql_ends_no_halt_that_two_people_have_not(token, officer):
    halt(token, officer)
    resume(token, officer)
    # That approval was for the halt before.
    since = halt(token, officer).halted_at
    assert since is not None
    found = Token.objects.filter(id=token.id)
    for changes in (
        {"halted_at": None},
        {"halted_at": since - timedelta(days=1)},
        {"halted_at": since + timedelta(days=1)},
    ):
        with pytest.raises(DatabaseError, match="not ended by two people"), transaction.atomic():
            found.update(**changes)
    found.update(halt_reason="Known by now")
    approve_only(token, TokenAction.RESUME)
    assert found.update(halted_at=None) == 1
