"""The reversal of a deposit reaches the owner's open buys, as far as the wallet falls short."""

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from exchange.core.database import violated_constraint
from exchange.events.models import Event
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.tokens.models import Token
from orders.book.models import Order, Trade
from orders.freezing.services import confirm_reversal
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import make_caller, make_member
from tests.factories.deposits import Owner, arrive, make_checkout, transaction_record
from tests.factories.holds import make_paid_deposit, reverse
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_staff,
    store_bank_list,
)
from tests.races.test_hold_races import start_and_wait
from wallets.deposits.models import Deposit, DepositReversal
from wallets.deposits.services import reversals
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account, wallet_account
from wallets.receivables.services.repayments import amount_owed
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

REASON = "A deposit was taken back"


@pytest.fixture
def trader() -> Trader:
    return make_trader(member=True)


@pytest.fixture
def token() -> Token:
    """A token of KES without fees."""
    return make_token(currency="KES")


def propose(deposit: Deposit) -> tuple[DepositReversal, StaffUser]:
    """Propose the reversal; return it with the person who may confirm it."""
    proposal = reversals.propose_reversal(
        deposit_id=deposit.pk, explanation="Chargeback", user=make_staff("reverse_deposit")
    )
    return proposal, make_staff("reverse_deposit")


def states(*orders: UUID) -> list[tuple[str, str]]:
    found = {order.id: (order.status, order.reason) for order in Order.objects.all()}
    return [found[order] for order in orders]


def figures(trader: Trader) -> tuple[object, object, object]:
    """Return what the wallet has available and reserved in KES, and what it owes."""
    kes = (trader.balance("KES"), trader.balance("KES", "reserved"))
    return (*kes, amount_owed(trader.owner_id, "KES"))


def test_money_in_an_open_buy_does_not_escape_a_chargeback(trader, token):
    """The attack: an accomplice sells into the debtor's buy once the deposit is taken back."""
    deposit = make_paid_deposit(trader.wallet, "100000")
    buy = trader.place(token, "Buy", 90, 1_000)
    accomplice = make_trader()
    give_units(token, accomplice.wallet, 1_000)
    assert figures(trader) == (10_000, 90_000, 0)
    reverse(deposit)
    assert states(buy) == [("Cancelled", REASON)]
    assert figures(trader) == (0, 0, 0)
    sell = accomplice.place(token, "Sell", 90, 1_000)
    assert states(sell) == [("Active", "")]
    assert not Trade.objects.exists()
    assert accomplice.balance("KES") == 0
    assert trader.balance(token) == 0
    [event] = Event.objects.filter(type="order.cancelled")
    assert json.loads(event.body)["data"]["reason"] == REASON
    assert_books_hold()


def test_the_newest_buys_are_cancelled_until_the_wallet_covers_the_amount(trader, token):
    """Whatever their token; the oldest, and what has been bought, stay."""
    other = make_token(currency="KES")
    trader.wallet.fund(2_000)
    deposit = make_paid_deposit(trader.wallet, "1000")
    oldest = trader.place(token, "Buy", 90, 10)
    middle = trader.place(other, "Buy", 60, 10)
    newest = trader.place(token, "Buy", 100, 7)
    seller = make_trader()
    give_units(token, seller.wallet, 2)
    seller.place(token, "Sell", 100, 2)
    assert figures(trader) == (800, 2_000, 0)  # 500 of them for the newest one
    reverse(deposit)
    assert states(oldest, middle, newest) == [
        ("Active", ""),
        ("Active", ""),
        ("Cancelled", REASON),
    ]
    assert figures(trader) == (300, 1_500, 0)
    assert trader.balance(token) == 2
    assert_books_hold()


def test_no_more_buys_are_cancelled_than_cover_the_amount_exactly(trader, token):
    trader.wallet.fund(500)
    deposit = make_paid_deposit(trader.wallet, "1000")
    older = trader.place(token, "Buy", 100, 5)
    newer = trader.place(token, "Buy", 100, 10)
    assert figures(trader) == (0, 1_500, 0)
    reverse(deposit)
    assert states(older, newer) == [("Active", ""), ("Cancelled", REASON)]
    assert figures(trader) == (0, 500, 0)
    assert_books_hold()


def test_a_wallet_that_covers_the_amount_keeps_its_buys(trader, token):
    trader.wallet.fund(500)
    deposit = make_paid_deposit(trader.wallet, "1000")
    buy = trader.place(token, "Buy", 100, 5)
    reverse(deposit)
    assert states(buy) == [("Active", "")]
    assert figures(trader) == (0, 500, 0)
    assert_books_hold()


def test_what_still_rests_is_taken_before_open_buys(trader, token):
    owner = Owner(trader.wallet.organisation, trader.wallet.member)
    resting = make_checkout(owner, "1000", "KES")
    arrive(
        transaction_record(resting.reference, "1000", currency="KES", payment_type="card"),
    )
    trader.wallet.fund(500)
    buy = trader.place(token, "Buy", 100, 5)
    reverse(Deposit.objects.get(pk=resting.pk))
    assert states(buy) == [("Active", "")]
    assert figures(trader) == (0, 500, 0)
    assert_books_hold()


def test_only_what_both_lack_is_owed_and_other_orders_stay(trader, token):
    """Sells, buys in another currency and those of others stay, however much is owed."""
    store_bank_list()
    wallet = trader.wallet
    ngn = make_token(currency="NGN")
    wallet.fund(1_000, "NGN")
    give_units(token, wallet, 5)
    deposit = make_paid_deposit(wallet, "1000")
    wallet.request(500)
    colleague = make_trader(1_000, organisation=wallet.organisation)
    kept = [
        trader.place(ngn, "Buy", 100, 10),
        trader.place(token, "Sell", 150, 5),
        colleague.place(token, "Buy", 80, 5),
    ]
    buys = [trader.place(token, "Buy", price, 2) for price in (100, 90)]
    assert figures(trader) == (120, 380, 0)
    reverse(deposit)
    assert states(*buys) == [("Cancelled", REASON)] * 2
    assert states(*kept) == [("Active", "")] * 3
    assert figures(trader) == (0, 0, 500)
    assert trader.balance("NGN", "reserved") == 1_000
    assert_books_hold()


def test_the_buys_of_an_organisation_include_those_for_outside_customers(token):
    key = make_caller().key
    organisation = Wallet(key.organisation)
    trader = Trader(organisation, api_key_id=key.id)
    member = Trader(Wallet(key.organisation, make_member(key.organisation)).fund(1_000))
    deposit = make_paid_deposit(organisation, "1000")
    own = trader.place(token, "Buy", 100, 10)
    members = member.place(token, "Buy", 80, 5)
    reverse(deposit)
    assert states(own, members) == [("Cancelled", REASON), ("Active", "")]
    assert figures(trader) == (0, 0, 0)
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_no_way_to_a_debt_passes_by_open_buys(trader, token):
    """The database refuses a debt while orders reserve money, whoever opens it."""
    deposit = make_paid_deposit(trader.wallet, "1000")
    trader.place(token, "Buy", 100, 10)
    proposal, user = propose(deposit)
    with assert_no_table_changes():

        @transaction.atomic
        def take_back() -> None:
            reversals.REVERSALS.close(proposal, ApprovalStatus.APPROVED, user)
            Deposit.objects.filter(pk=deposit.pk).update(status="Reversed")
            post_transfer(
                kind=TransferKind.DEPOSIT_REVERSE,
                reference=f"deposit:{deposit.pk}:reverse",
                subject_id=deposit.pk,
                actor=SYSTEM,
                legs=[
                    Leg(wallet_account(deposit, AccountKind.RECEIVABLE), Decimal(-1000)),
                    Leg(system_account("KES", AccountKind.CLEARING), Decimal(1000)),
                ],
            )

        with pytest.raises(IntegrityError) as caught:
            take_back()
        assert violated_constraint(caught.value) == "receivable_after_reserved"
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_an_order_that_waits_for_a_reversal_is_refused(trader, token):
    store_bank_list()
    deposit = make_paid_deposit(trader.wallet, "1000")
    withdrawal = trader.wallet.request(500)
    proposal, user = propose(deposit)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            confirm_reversal(reversal_id=proposal.pk, user=user)
            decisions.cancel(
                withdrawal_id=withdrawal.id,
                organisation_id=trader.wallet.organisation.id,
                actor=SYSTEM,
            )
            future = start_and_wait(partial(trader.place, token, "Buy", 100, 5), threads)
        assert future.result().code == "receivable_due"
    assert not Order.objects.exists()
    assert figures(trader) == (500, 0, 500)
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_a_reversal_waits_for_an_order_that_is_placed_and_cancels_it(trader, token):
    deposit = make_paid_deposit(trader.wallet, "1000")
    proposal, user = propose(deposit)
    confirm = partial(confirm_reversal, reversal_id=proposal.pk, user=user)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            order = trader.place(token, "Buy", 100, 10)
            future = start_and_wait(confirm, threads)
        assert future.result().status == "Reversed"
    assert states(order) == [("Cancelled", REASON)]
    assert figures(trader) == (0, 0, 0)
    assert_books_hold()
