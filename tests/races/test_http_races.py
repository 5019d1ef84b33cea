"""Races over real HTTP: one wallet, many connections; one idempotency key, many requests."""

import json
from collections import Counter
from decimal import Decimal

import pytest

from exchange.core.models import IdempotencyRecord
from exchange.events.models import Event
from tests.environment.concurrency import Call, Reply, race_size, send_concurrently
from tests.environment.services import Service
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.wallets import BANK, PAID_ACCOUNT, Wallet, assert_books_hold, store_bank_list
from wallets.ledger.models import Transfer
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

CONNECTIONS = race_size("CONNECTIONS", 64)
WITHDRAW = "/v1/api/wallet/withdraw"


@pytest.fixture
def caller(transactional_db: None) -> ApiCaller:
    store_bank_list()
    return make_caller()


def order(amount: float = 500) -> str:
    return json.dumps(
        {
            "amount": amount,
            "bank_name": BANK,
            "account_name": "Ada Obi",
            "account_number": PAID_ACCOUNT,
            "currency": "KES",
        }
    )


def test_a_wallet_with_money_for_seven_of_a_thousand_pays_exactly_seven(
    live_service: Service, caller: ApiCaller
):
    asked = race_size("REQUESTS", 1000)
    wallet = Wallet(caller.organisation).fund("3999.99")
    calls = [Call(WITHDRAW, order(), caller.headers) for _ in range(asked)]
    replies = send_concurrently(live_service.base_url, calls, CONNECTIONS)
    assert Counter(reply.status for reply in replies) == {201: 7, 400: asked - 7}
    refusals = {reply.json["message"] for reply in replies if reply.status == 400}
    available = [Decimal("3999.99") - 500 * n for n in range(8)]
    assert refusals <= {
        f"Insufficient KES balance. Available: {left}, requested: 500" for left in available
    }
    assert "Insufficient KES balance. Available: 499.99, requested: 500" in refusals
    assert wallet.kes == (Decimal("499.99"), Decimal(3500))
    assert Withdrawal.objects.count() == 7
    assert Event.objects.filter(type="withdrawal.created").count() == 7
    assert_books_hold()


def test_different_amounts_never_overdraw_a_wallet(live_service: Service, caller: ApiCaller):
    """Accepted requests of different sizes fit the balance, and no further one would."""
    wallet = Wallet(caller.organisation).fund("5000.5")
    amounts = ["100", "250.25", "999.99", "1300", "333.33"]
    calls = [Call(WITHDRAW, order(float(amounts[n % 5])), caller.headers) for n in range(200)]
    replies = send_concurrently(live_service.base_url, calls, CONNECTIONS)
    assert {reply.status for reply in replies} == {201, 400}
    left, held = wallet.kes
    taken = sum(
        Decimal(str(reply.json["data"]["withdrawalRequest"]["amount"]))
        for reply in replies
        if reply.status == 201
    )
    assert (left + held, held) == (Decimal("5000.5"), taken)
    # The last and smallest requests were rejected, so less than the smallest amount is left.
    assert 0 <= left < 100
    assert_books_hold()


@pytest.mark.slow
def test_every_request_under_a_key_gets_the_first_response_also_after_a_restart(
    live_service: Service, caller: ApiCaller
):
    keys, each = race_size("KEYS", 80), race_size("PER_KEY", 16)
    wallet = Wallet(caller.organisation).fund(keys * 500)
    calls = [
        Call(WITHDRAW, order(), {**caller.headers, "Idempotency-Key": f"key-{key}"}, tag=key)
        for key in range(keys)
        for _ in range(each)
    ]
    replies = send_concurrently(live_service.base_url, calls, CONNECTIONS)
    live_service.restart()
    replies += send_concurrently(live_service.base_url, calls, CONNECTIONS)
    assert len(replies) == 2 * keys * each
    assert {reply.status for reply in replies} <= {201, 409}
    assert wallet.kes == (Decimal(0), Decimal(keys * 500))
    assert Withdrawal.objects.count() == keys
    assert Transfer.objects.filter(kind="withdrawal_hold").count() == keys
    assert IdempotencyRecord.objects.count() == keys
    by_key: dict[int, list[Reply]] = {}
    for reply in replies:
        by_key.setdefault(reply.tag, []).append(reply)
    made = set()
    for responses in by_key.values():
        created = [reply for reply in responses if reply.status == 201]
        assert len({reply.body for reply in created}) == 1
        assert sum("idempotent-replayed" not in reply.headers for reply in created) == 1
        # No request of the second round was in progress, so all get the response.
        assert len(created) >= each + 1
        made.add(created[0].json["data"]["withdrawalRequest"]["_id"])
    assert made == {str(found) for found in Withdrawal.objects.values_list("id", flat=True)}
    assert_books_hold()


@pytest.mark.slow
def test_one_key_with_two_bodies_has_one_effect(live_service: Service, caller: ApiCaller):
    wallet = Wallet(caller.organisation).fund(100_000)
    calls = [
        Call(WITHDRAW, order(500 + n % 2), {**caller.headers, "Idempotency-Key": f"k{n // 16}"})
        for n in range(320)
    ]
    replies = send_concurrently(live_service.base_url, calls, CONNECTIONS)
    assert {reply.status for reply in replies} <= {201, 409, 422}
    assert Withdrawal.objects.count() == 20
    assert wallet.balance("escrow") == sum(Withdrawal.objects.values_list("amount", flat=True))
    assert_books_hold()
