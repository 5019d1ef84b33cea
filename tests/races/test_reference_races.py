"""One `client_reference` sent by 16 requests at once: one succeeds, the others are refused."""

import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from credit.loans.models import Loan
from exchange.core.references import ClientReferenceTaken, OwnReferences
from exchange.events.models import Event
from orders.book.models import Order
from tests.environment.batching import batch_runner
from tests.environment.concurrency import Call, Callers, send_concurrently
from tests.environment.services import Service
from tests.factories.api_clients import make_caller
from tests.factories.lending import make_lending
from tests.factories.traders import make_trader
from tests.factories.wallets import (
    BANK,
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_wallet,
    store_bank_list,
)
from wallets.banks.models import BankAccount
from wallets.banks.services import bank_directory, clear_bank_cache
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import requests

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 16
REFERENCE = "INV-17"
WITHDRAW = "/v1/api/wallet/withdraw"


@pytest.fixture(autouse=True)
def banks(transactional_db: None) -> Iterator[None]:
    store_bank_list()
    bank_directory("KES")
    yield
    clear_bank_cache()


def assert_one_succeeded(found: list[Any], record: str) -> None:
    """Assert that all but one of the calls raised that the reference is taken."""
    refused = [error for error in found if isinstance(error, Exception)]
    expected = f"There is {record} with client_reference {REFERENCE} already"
    assert {(type(error), str(error)) for error in refused} == {(ClientReferenceTaken, expected)}
    assert len(refused) == len(found) - 1


def test_requests_over_http_hold_the_money_once(live_service: Service):
    caller = make_caller()
    wallet = Wallet(caller.organisation).fund("20000")
    body = {
        "amount": 500, "bank_name": BANK, "account_name": "Ada Obi", "currency": "KES",
        "account_number": PAID_ACCOUNT, "client_reference": REFERENCE,
    }  # fmt: skip
    calls = [
        Call(WITHDRAW, json.dumps(body), {**caller.headers, "Idempotency-Key": str(n)})
        for n in range(CALLERS)
    ]
    replies = send_concurrently(live_service.base_url, calls, CALLERS)
    assert Counter(reply.status for reply in replies) == {201: 1, 409: CALLERS - 1}
    assert {reply.json["message"] for reply in replies if reply.status == 409} == {
        f"There is a withdrawal with client_reference {REFERENCE} already"
    }
    assert wallet.kes == (Decimal(19_500), Decimal(500))
    assert Withdrawal.objects.count() == Event.objects.count() == BankAccount.objects.count() == 1
    # The repetitions: the first answer again, and the refusals.
    again = send_concurrently(live_service.base_url, calls, CALLERS)
    [made], [repeated] = ([r.json for r in each if r.status == 201] for each in (replies, again))
    assert repeated == made
    assert Withdrawal.objects.count() == 1
    assert_books_hold()


def test_a_batch_with_one_reference_twice_executes_it_once_and_all_others(
    monkeypatch: pytest.MonkeyPatch,
):
    wallet, other = make_wallet(20_000), make_wallet(20_000)
    used = make_wallet(20_000)
    used.submit_request(client_reference="used")
    references = [REFERENCE] * 8 + [None, None, "a", "b"]
    calls = [partial(wallet.submit_request, client_reference=each) for each in references]
    calls += [partial(other.submit_request, client_reference=REFERENCE)]
    calls += [partial(used.submit_request, client_reference=each) for each in ("used", "new")]
    with batch_runner(requests._batcher, CALLERS, monkeypatch) as run_as_batch:
        found = run_as_batch(*calls)
    assert run_as_batch.batch_sizes[0] == len(calls)
    assert_one_succeeded(found[:8], "a withdrawal")
    *others, taken, _new = found[8:]
    assert isinstance(taken, ClientReferenceTaken)
    assert not [each for each in (*others, _new) if isinstance(each, Exception)]
    assert wallet.kes == (Decimal(17_500), Decimal(2_500))
    assert Withdrawal.objects.count() == 8
    assert_books_hold()


def test_a_taken_reference_does_not_end_the_batch(monkeypatch: pytest.MonkeyPatch):
    wallet = make_wallet(20_000)
    wallet.submit_request(client_reference=REFERENCE)
    calls = [
        partial(wallet.submit_request, client_reference=each) for each in (REFERENCE, "a", "b")
    ]
    with batch_runner(requests._batcher, CALLERS, monkeypatch) as run_as_batch:
        taken, *others = run_as_batch(*calls)
    assert isinstance(taken, ClientReferenceTaken)
    made = Withdrawal.objects.filter(client_reference__in=["a", "b"])
    # In one transaction, as their equal times tell.
    assert len({*made.values_list("created_at", flat=True)}) == 1
    assert not [each for each in others if isinstance(each, Exception)]
    assert_books_hold()


def test_orders_for_several_tokens_reserve_once():
    trader = make_trader(100_000)
    tokens = [make_trader().issue() for _ in range(CALLERS)]
    calls = [
        partial(trader.submit_order, token, "Buy", 100, 5, client_reference=REFERENCE)
        for token in tokens
    ]
    with Callers(CALLERS) as callers:
        assert_one_succeeded(callers.at_once(calls), "an order")
    assert trader.balance("KES", "reserved") == 500
    assert Order.objects.count() == Event.objects.count() == 1
    assert_books_hold()


def test_loans_to_one_organisation_are_made_once():
    lending = make_lending(units=2_000)
    references = OwnReferences(client_reference=REFERENCE)
    with Callers(CALLERS) as callers:
        call = partial(lending.lend, references=references)
        assert_one_succeeded(callers.at_once([call] * CALLERS), "a loan")
    assert Loan.objects.count() == 1
    assert lending.creditor.balance(currency="NGN") == 5_000_000 - 840_000
    assert_books_hold()
