"""Lifecycle actions of a token, and their effect on money, units and orders."""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from exchange.core.errors import DomainError, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from orders.book.models import Order, Trade
from orders.listings.models import TokenAction
from orders.listings.services.listing import Listing, list_token
from orders.listings.services.proposals import (
    confirm_token_action,
    propose_token_action,
    reject_token_action,
)
from tests.assertions.unchanged import table_fingerprints
from tests.factories import lifecycle
from tests.factories.traders import Trader
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_member_wallet,
    make_staff,
    make_wallet,
)
from wallets.ledger.models import Account, AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account

pytestmark = pytest.mark.django_db


def held(wallet: Wallet, asset: object, kind: str = "available") -> Decimal | int:
    """Return the balance of one account of the owner of `wallet`."""
    found = Account.objects.filter(owner_id=wallet.owner_id, asset_id=str(asset), kind=kind)
    return found.values_list("balance", flat=True).first() or 0


def make_listed(issuer: Wallet, **more: Any) -> Token:
    """Make a token of `issuer` in KES: 1,000 units at 100, tradable unless it has a raise."""
    facts: dict[str, Any] = {
        "name": "Rift Valley Tea",
        "symbol": "RVT",
        "currency": "KES",
        "investment_type": "Debt",
        "investment_category": "Debt Note",
        "total_supply": Decimal(1000),
        "price_buy": Decimal(100),
        "price_sell": Decimal(98),
        "buy_fee": Decimal(1),
        "sell_fee": Decimal("0.5"),
        "secondaries": "raise_amount" not in more,
    }
    listing = Listing(**{**facts, **more})
    return list_token(issuer_id=issuer.organisation.id, listing=listing, actor=SYSTEM)


def make_raise(issuer: Wallet, **more: Any) -> Token:
    """Make a token in its primary raise: 1,000 units at 100, target 100,000."""
    return make_listed(issuer, raise_amount=Decimal(100_000), **more)


def place(
    wallet: Wallet, token: Token, side: str, tokens: str | int, price: str | int = 100
) -> Order:
    """Return the order of `wallet` after placement."""
    with transaction.atomic():  # a refusal ends no more than this
        Trader(wallet).submit_order(token, side, price, tokens)
    return Order.objects.order_by("-seq")[0]


@pytest.fixture
def issuer() -> Wallet:
    return make_wallet(1000)


@pytest.fixture
def buyer() -> Wallet:
    return make_member_wallet(50_000)


@pytest.fixture
def officer() -> StaffUser:
    return make_staff("end_token")


def test_closing_cancels_the_book_and_releases_reservations(issuer, buyer, officer):
    token = make_listed(issuer)
    ask = place(issuer, token, "Sell", 10, 120)
    bid = place(buyer, token, "Buy", 5, 90)
    assert (held(issuer, token.id, "reserved"), held(buyer, "KES", "reserved")) == (
        10,
        Decimal("454.5"),
    )
    lifecycle.close_token(token_id=token.id, user=officer)
    for order in (ask, bid):
        order.refresh_from_db()
        assert (order.status, order.reason) == ("Cancelled", "The token was closed")
        assert order.reserved == 0
        assert Event.objects.filter(subject_id=order.id, type="order.cancelled").count() == 1
    assert (held(issuer, token.id), held(buyer, "KES")) == (1000, 50_000)
    with pytest.raises(Rejected, match="closed to new orders"):
        place(buyer, token, "Buy", 5, 90)
    lifecycle.reopen_token(token_id=token.id, user=officer)
    place(buyer, token, "Buy", 5, 90)
    assert_books_hold()


def test_an_exited_token_keeps_its_holders_and_takes_no_orders(issuer, buyer, officer):
    token = make_listed(issuer)
    place(issuer, token, "Sell", 10)
    place(buyer, token, "Buy", 4)
    lifecycle.exit_token(token_id=token.id, user=officer)
    assert held(buyer, token.id) == 4
    assert not Order.objects.filter(status="Active").exists()
    with pytest.raises(Rejected, match="has exited"):
        place(buyer, token, "Sell", 1)
    with pytest.raises(StateConflict):
        lifecycle.exit_token(token_id=token.id, user=officer)
    assert_books_hold()


def test_cancelling_an_open_raise_gives_every_buyer_all_of_it_back(issuer, buyer, officer):
    token = make_raise(issuer)
    other = make_member_wallet(10_000)
    place(buyer, token, "Buy", "12.5")
    place(other, token, "Buy", 3)
    assert (held(buyer, "KES"), held(issuer, "KES", "raise")) == (Decimal("48737.5"), 1550)
    lifecycle.cancel_token(token_id=token.id, user=officer, reason="The issuer withdrew")
    assert (held(buyer, "KES"), held(other, "KES")) == (50_000, 10_000)
    assert (held(buyer, token.id), held(issuer, "KES", "raise")) == (0, 0)
    assert held(issuer, token.id, "unsold") == 0
    token.refresh_from_db()
    assert (token.cancelled, token.supply, token.total_raised) == (True, 0, 0)
    assert_books_hold()


def test_pledged_units_block_the_cancellation_of_a_raise(issuer, buyer, officer):
    token = make_raise(issuer)
    place(buyer, token, "Buy", 10)
    units = [
        open_account(
            str(token.id), kind, organisation_id=buyer.organisation.id, member_id=buyer.member_id
        )
        for kind in (AccountKind.AVAILABLE, AccountKind.UNSOLD)
    ]
    post_unjustified(
        kind=TransferKind.ORDER_RESERVE,
        reference="away",
        subject_id=None,
        actor=SYSTEM,
        legs=[Leg(units[0], Decimal(-1)), Leg(units[1], Decimal(1))],
    )
    with pytest.raises(Rejected) as refused:
        lifecycle.cancel_token(token_id=token.id, user=officer, reason="no")
    assert refused.value.code == "units_pledged"
    token.refresh_from_db()
    assert not token.cancelled
    assert held(issuer, "KES", "raise") == 1000


def test_a_raise_completes_by_itself_and_its_proceeds_are_the_issuers(issuer, buyer):
    token = make_listed(
        issuer,
        raise_amount=Decimal(10_000),
        min_trade_buy=Decimal(500),
        total_supply=Decimal(100),
    )
    order = place(buyer, token, "Buy", 96)  # 400 are left, less than one trade
    token.refresh_from_db()
    assert (order.status, token.completed_raise) == ("Fulfilled", True)
    assert (held(issuer, "KES"), held(issuer, "KES", "raise")) == (10_600, 0)
    assert (held(issuer, token.id), held(issuer, token.id, "unsold")) == (4, 0)
    with pytest.raises(Rejected, match="does not trade in the secondary market"):
        place(buyer, token, "Buy", 5)
    assert_books_hold()


def test_staff_complete_a_raise_and_open_the_secondary_market(issuer, buyer, officer):
    token = make_raise(issuer)
    place(buyer, token, "Buy", 10)
    with pytest.raises(Rejected):
        lifecycle.open_secondaries(token_id=token.id, user=officer)
    lifecycle.complete_raise(token_id=token.id, user=officer)
    lifecycle.open_secondaries(token_id=token.id, user=officer)
    assert (held(issuer, "KES"), held(issuer, token.id)) == (2000, 990)
    place(issuer, token, "Sell", 5)
    place(make_member_wallet(1000), token, "Buy", 5)
    assert Trade.objects.filter(token=token).count() == 2
    assert_books_hold()


@pytest.mark.parametrize("action", [TokenAction.COMPLETE, TokenAction.CANCEL])
def test_a_raise_that_changed_since_the_proposal_is_neither_completed_nor_cancelled(
    issuer, buyer, officer, action
):
    token = make_raise(issuer)
    stale = lifecycle.propose(token.id, action)
    place(buyer, token, "Buy", 10)
    before = table_fingerprints()
    with pytest.raises(StateConflict, match="has changed since this was proposed"):
        confirm_token_action(proposal_id=stale.id, user=officer)
    assert table_fingerprints() == before
    reject_token_action(proposal_id=stale.id, reason="Sold since", user=officer)
    lifecycle.complete_raise(token_id=token.id, user=officer)
    assert held(issuer, "KES") == 2000
    assert_books_hold()


def test_one_raise_of_an_issuer_does_not_pay_out_another_ones_proceeds(issuer, buyer, officer):
    first, second = make_raise(issuer), make_raise(issuer, symbol="RVU")
    place(buyer, first, "Buy", 10)
    place(buyer, second, "Buy", 20)
    lifecycle.complete_raise(token_id=first.id, user=officer)
    assert (held(issuer, "KES"), held(issuer, "KES", "raise")) == (2000, 2000)
    assert_books_hold()


@pytest.mark.parametrize("field", ["completed_raise", "cancelled"])
def test_a_completed_raise_and_a_cancelled_token_stay_so_whoever_writes(issuer, officer, field):
    token = make_raise(issuer)
    lifecycle.complete_raise(token_id=token.id, user=officer)
    lifecycle.cancel_token(token_id=token.id, user=officer, reason="over")
    with pytest.raises(IntegrityError, match=r"is final|never changes"):
        Token.objects.filter(id=token.id).update(**{field: False})


def test_only_those_who_may_decide_about_trading(issuer):
    token, stranger = make_raise(issuer), make_staff("propose_quote")
    proposal = lifecycle.propose(token.id, TokenAction.COMPLETE)
    before = table_fingerprints()
    for decide in (
        partial(lifecycle.close_token, token_id=token.id),
        partial(lifecycle.reopen_token, token_id=token.id),
        partial(
            propose_token_action,
            token_id=token.id,
            action=TokenAction.CANCEL,
            explanation="As agreed",
        ),
        partial(confirm_token_action, proposal_id=proposal.id),
        partial(reject_token_action, proposal_id=proposal.id, reason="No"),
    ):
        with pytest.raises(Forbidden):
            decide(user=stranger)
    assert table_fingerprints() == before


def test_cancelling_needs_a_reason_and_happens_once(issuer, officer):
    token = make_raise(issuer)
    with pytest.raises(InvalidRequest):
        lifecycle.cancel_token(token_id=token.id, user=officer, reason=" ")
    lifecycle.cancel_token(token_id=token.id, user=officer, reason="over")
    with pytest.raises(DomainError, match="cancelled"):
        lifecycle.cancel_token(token_id=token.id, user=officer, reason="again")
