"""Order placement: retries, batches, and what a rejection reports and leaves."""

import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction

from exchange.core.batching import Batcher
from exchange.core.errors import DomainError, InvalidRequest, Rejected, RequestInProgress
from exchange.core.idempotency import IdempotencyClaim, StoredResponse
from exchange.core.ids import uuid7
from exchange.participants.errors import UserNotFound
from exchange.participants.models import ApiKey
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from orders.book import services as placing
from orders.book.commands import PlaceOrder
from orders.book.errors import OrderNotActive, OrderNotFound, build_rejection
from orders.book.models import Order
from tests.environment.processes import wait_until
from tests.factories.api_clients import TESTER
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import SYSTEM

NOT_NEGATIVE = "account_balance_not_negative"
FIELDS = (
    "organisation_id", "member_id", "owner_id", "owner_model", "api_key_id", "token_id", "type",
    "price", "tokens", "customer_name", "customer_email", "client_order_id", "placed_by",
)  # fmt: skip


@pytest.fixture
def trader(db: None) -> Trader:
    return make_trader(10_000)


@pytest.fixture
def token(db: None) -> Token:
    return make_trader().issue()


def place_together(commands: list[PlaceOrder]) -> list[StoredResponse | None]:
    """Return the batcher's responses to orders that arrive together."""
    return placing._enter_orders.run_batch(commands, placing._place_single)


def failing(times: float, state: str, constraint: str = "") -> Callable[[], int]:
    """A call that is rolled back so many times, then returns its attempt number."""
    attempts = itertools.count(1)

    def call() -> int:
        tried = next(attempts)
        if tried <= times:
            name = f", CONSTRAINT = '{constraint}'" if constraint else ""
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(
                    f"DO $$ BEGIN RAISE 'try {tried}' USING ERRCODE = '{state}'{name}; END $$"
                )
        return tried

    return call


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "constraint", "least"),
    [("40001", "", 0.5), ("40P01", "", 0.5), ("23514", NOT_NEGATIVE, 0)],
)
@pytest.mark.one_in(3)
def test_conflicts_are_retried_five_times_with_growing_pauses(state, constraint, least):
    begins = time.monotonic()
    with pytest.raises(DatabaseError, match="try 5"):
        placing.retry_if_rolled_back(failing(6, state, constraint))
    assert least <= time.monotonic() - begins < 5
    assert placing.retry_if_rolled_back(failing(4, state, constraint)) == 5
    assert placing.retry_if_rolled_back(failing(1, state, constraint)) == 2


@pytest.mark.django_db
@pytest.mark.parametrize(("state", "constraint"), [("XO400", ""), ("23514", "order_amount")])
def test_permanent_errors_are_not_retried(state, constraint):
    with pytest.raises(DatabaseError, match="try 1"):
        placing.retry_if_rolled_back(failing(1, state, constraint))


def test_a_refusal_leaves_the_transaction_around_it_usable(trader, token):
    with transaction.atomic():
        with pytest.raises(Rejected, match="Insufficient KES balance"):
            trader.place(token, "Buy", 100, 101)
        placed = trader.place(token, "Buy", 100, 1)
    assert Order.objects.get(token=token).id == placed


def test_a_lone_order_is_rejected_with_its_reason(trader, token):
    with pytest.raises(Rejected) as refused, transaction.atomic():
        place_together([trader.command(token, "Buy", 100, 101)])
    assert str(refused.value) == "Insufficient KES balance. Available: 10000, requested: 10100"


def test_batched_orders_get_their_own_responses(trader, token):
    for count in (2, 3):
        commands = [trader.command(token, "Buy", 100, units) for units in range(1, count + 1)]
        responses = place_together(commands)
        for one, response in zip(commands, responses, strict=True):
            assert response is not None
            assert one.created_id in (response.data or "")


def test_a_batch_with_a_rejected_order_is_placed_one_by_one(trader, token):
    commands = [trader.command(token, "Buy", 100, units) for units in (1, 101)]
    assert place_together(commands) == [None, None]
    assert not Order.objects.filter(token=token).exists()


@pytest.mark.django_db(transaction=True)
def test_only_orders_outside_a_transaction_are_batched(trader, token):
    arrived: list[str] = []

    def gather(commands: list[PlaceOrder]) -> list[StoredResponse | None]:
        arrived.extend(one.created_id for one in commands)
        return [None] * len(commands)

    # Held here, for as long as orders arrive.
    book = placing._batchers[token.id] = Batcher(gather)
    with transaction.atomic():
        trader.place(token, "Buy", 100, 1)
    assert arrived == []
    placed = trader.place(token, "Buy", 100, 1)
    assert arrived == [str(placed)]
    assert placing._batchers[token.id] is book


@pytest.mark.django_db(transaction=True)
def test_an_order_waits_some_seconds_for_the_first_under_its_key(trader, token, settings):
    settings.IDEMPOTENCY_WAIT_SECONDS = 1
    claim = IdempotencyClaim(trader.wallet.organisation.id, "POST", "/v1/orders", "k", "0" * 64)

    def ask_again() -> Any:
        try:
            return trader.submit_order(token, "Buy", 100, 1, claim=claim)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = trader.submit_order(token, "Buy", 100, 1, claim=claim)
            begins = time.monotonic()
            with pytest.raises(RequestInProgress):
                pool.submit(ask_again).result(15)
            assert 0.9 < time.monotonic() - begins < 10
        again = pool.submit(ask_again).result(15)
    assert (again.data, again.replayed, first.replayed) == (first.data, True, False)


def test_who_owns_an_order_is_the_member_else_the_key_of_a_customer_else_the_organisation(token):
    member, own = make_trader(10_000, member=True), make_trader(10_000)
    customer = {"customer_name": "Jo", "customer_email": "jo@example.com"}
    for trader, of, owner_model in (
        (member, {}, "user"),
        (member, customer, "user"),
        (own, customer, "api_key"),
        # Whoever has a name, even none.
        (own, {"customer_name": "", "customer_email": ""}, "api_key"),
        (own, {}, "organisation"),
    ):
        key = ApiKey.objects.create(organisation=trader.wallet.organisation).id
        placed = trader.place(
            token, "Buy", "1.50", "2.0", api_key=key, client_order_id=f"{key}", **of
        )
        found = Order.objects.values(*FIELDS).get(id=placed)
        assert found == {
            "organisation_id": trader.wallet.organisation.id,
            "member_id": trader.wallet.member_id,
            "owner_id": trader.owner_id,
            "owner_model": owner_model,
            "api_key_id": key,
            "token_id": token.id,
            "type": "Buy",
            "price": Decimal("1.5"),
            "tokens": Decimal(2),
            "customer_name": of.get("customer_name", ""),
            "customer_email": of.get("customer_email", ""),
            "client_order_id": str(key),
            "placed_by": str(SYSTEM),
        }


def test_placing_and_cancelling_notify_the_event_worker(
    trader, token, task_notifications, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        order_id = trader.place(token, "Buy", 100, 1)
    wait_until(lambda: task_notifications == ["exchange.tasks.deliver_events"], "one is woken")
    with django_capture_on_commit_callbacks(execute=True):
        trader.cancel(order_id)
    wait_until(
        lambda: task_notifications == ["exchange.tasks.deliver_events"] * 2,
        "one is woken again",
        10,
    )


def test_only_the_organisation_cancels_its_order_and_only_once(trader, token):
    order_id = trader.place(token, "Buy", 100, 1)
    with pytest.raises(OrderNotFound):
        make_trader().cancel(order_id)
    with pytest.raises(OrderNotFound):
        placing.close_order(uuid7(), "over", TESTER)
    assert trader.balance("KES", "reserved") > 0
    # Without an organisation it is whoever's.
    assert placing.close_order(order_id, "over", TESTER) is True
    assert placing.close_order(order_id, "over", TESTER) is False
    with pytest.raises(OrderNotActive) as over:
        trader.cancel(order_id)
    assert str(over.value) == "Only an Active order can be cancelled: it is Cancelled"
    assert trader.balance("KES", "reserved") == 0


REFUSALS: list[tuple[str, dict[str, Any], str, str]] = [
    ("price_decimals", {"decimals": Decimal(0)}, "", "price must not have decimals"),
    ("price_decimals", {"decimals": Decimal(2)}, "", "price must not have more than 2 decimals"),
    ("tokens_decimals", {}, "", "tokens must not have more than 8 decimals"),
    (
        "below_min_trade",
        {"least": Decimal("5E+2"), "amount": Decimal("102.50"), "decimals": Decimal(0)},
        "below_min_trade",
        "A sell order must be worth at least 500: it is worth 102.5",
    ),
    (
        "insufficient_balance",
        {"currency": "KES", "available": Decimal("1.10"), "requested": Decimal("2E+3")},
        "insufficient_balance",
        "Insufficient KES balance. Available: 1.1, requested: 2000",
    ),
    (
        "price_out_of_band",
        {"lowest": Decimal("90.0"), "highest": Decimal(0)},
        "price_out_of_band",
        "The price of a sell order must be at least 90",
    ),
    (
        "price_out_of_band",
        {"lowest": Decimal(0), "highest": Decimal(110)},
        "price_out_of_band",
        "The price of a sell order must be at most 110",
    ),
    (
        "price_out_of_band",
        {"lowest": Decimal(90), "highest": Decimal(110)},
        "price_out_of_band",
        "The price of a sell order must be at least 90 and at most 110",
    ),
]


@pytest.mark.parametrize(("raised", "detail", "code", "message"), REFUSALS)
def test_a_rejection_formats_numbers_plainly(raised, detail, code, message):
    found = build_rejection(raised, detail, side="Sell")
    assert isinstance(found, Rejected)
    assert (found.code, str(found)) == (code or InvalidRequest.code, message)


@pytest.mark.parametrize(
    ("raised", "wanted"), [("token_not_found", TokenNotFound), ("user_not_found", UserNotFound)]
)
def test_unknown_tokens_and_members_are_not_found(raised, wanted: type[DomainError]):
    assert type(build_rejection(raised, {}, side="Buy")) is wanted


def test_an_unknown_code_is_no_rejection():
    assert build_rejection("loan_not_found", {}, side="Buy") is None
