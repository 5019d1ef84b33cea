"""Batches of withdrawal requests: those executed, those skipped, and their records.

`run_batch` and `run_alone` call the database function as the service does, as the runtime role.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from exchange.core.database import fetch_one
from exchange.core.idempotency import IdempotencyClaim, StoredResponse
from exchange.core.ids import uuid7
from exchange.core.models import IdempotencyRecord
from exchange.events.models import Event
from exchange.participants.models import Member, Organisation
from tests.assertions.ledger import account_id_of
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.property_tests import examples
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.configuration import set_setting
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import (
    BANK,
    PAID_ACCOUNT,
    SYSTEM,
    Wallet,
    assert_books_hold,
    make_member_wallet,
    make_wallet,
)
from wallets.banks.models import BankAccount
from wallets.ledger.models import Account, AccountKind, Entry, Transfer, TransferKind
from wallets.ledger.posting import Leg, open_account
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import requests

pytestmark = pytest.mark.django_db(transaction=True)

# Ids of the rows that a request creates.
NEW_IDS = ("withdrawal", "bank", "transfer", "event", "new_escrow")


def claim_of(wallet: Wallet, key: str) -> IdempotencyClaim:
    return IdempotencyClaim(wallet.organisation.id, "POST", "/withdraw", key, "body")


def command(
    wallet: Wallet,
    amount: Decimal | str | int,
    currency: str = "KES",
    *,
    key: str | None = None,
    asked_by: Organisation | None = None,
) -> RequestWithdrawal:
    """Build a request with a known bank."""
    command = RequestWithdrawal(
        organisation=(asked_by or wallet.organisation).id,
        member=wallet.member_id,
        actor=str(SYSTEM),
        amount=Decimal(amount),
        currency=currency,
        bank_name=BANK,
        bank_code="01",
        provider_bank_id=1,
        account_number=PAID_ACCOUNT,
        account_name="Ada Obi",
        provided_name="Ada Obi",
    )
    return command.with_key(None if key is None else claim_of(wallet, key))


def run_batch(*orders: RequestWithdrawal) -> list[str | None]:
    """Run the batch and return the response of each, None for skipped ones."""
    found = requests._function.run_batch(orders, _reject_alone)
    return [None if response is None else response.data for response in found]


def _reject_alone(order: RequestWithdrawal) -> StoredResponse:
    raise AssertionError(f"{order} went alone")


def run_alone(order: RequestWithdrawal) -> str:
    """Run one request and return its response. Raises `DatabaseError` with a rejection's code."""
    return requests._function.run([order], 1000)[order.created_id].data


def read_holds(wallet: Wallet, currency: str = "KES") -> list[tuple[str, Decimal, Decimal | None]]:
    """Return the entries of holds in the wallet in order: account, amount and balance after."""
    return list(
        Entry.objects.filter(
            account__owner_id=wallet.owner_id,
            asset_id=currency,
            transfer__kind=TransferKind.WITHDRAWAL_HOLD,
        )
        .order_by("transfer__created_txid", "id")
        .values_list("account__kind", "amount", "balance_after")
    )


def expected_holds(available: Decimal | int, *amounts: Decimal | str | int) -> list[Any]:
    """Return what `read_holds` returns after holds of these amounts."""
    found: list[Any] = []
    left, taken = Decimal(available), Decimal(0)
    for amount in map(Decimal, amounts):
        left, taken = left - amount, taken + amount
        found += [("available", -amount, left), ("escrow", amount, taken)]
    return found


def count_rows(order: RequestWithdrawal) -> int:
    """Count the rows with one of the request's new ids."""
    models: tuple[Any, ...] = (Withdrawal, BankAccount, Transfer, Event, Account)
    found = zip(NEW_IDS, models, strict=True)
    return sum(model.objects.filter(id=getattr(order, name)).count() for name, model in found)


def stored_keys() -> set[str]:
    return set(IdempotencyRecord.objects.values_list("key", flat=True))


def test_a_wallet_executes_requests_in_order_until_one_is_too_large():
    wallet = make_wallet(1000)
    amounts = ("300.5", "200", "400", "200", "100")
    orders = [command(wallet, amount, key=f"{place}") for place, amount in enumerate(amounts)]
    first, second, third, too_much, after_it = orders
    # Executed in order of their ids, not of the list.
    found = run_batch(after_it, third, first, too_much, second)
    taken = [response and json.loads(response)["withdrawalRequest"]["amount"] for response in found]
    assert taken == [None, 400, 300.5, None, 200]
    assert read_holds(wallet) == expected_holds(1000, "300.5", 200, 400)
    assert [count_rows(order) for order in orders] == [4, 4, 4, 0, 0]
    assert stored_keys() == {"0", "1", "2"}
    assert_books_hold()
    with assert_nothing_changes(), pytest.raises(DatabaseError, match="insufficient_balance"):
        run_alone(too_much)
    wallet.fund("0.5")
    run_alone(after_it)
    assert wallet.kes == (Decimal(0), Decimal("1000.5"))
    assert_books_hold()


def test_a_request_above_the_balance_does_not_block_later_ones():
    wallet = make_wallet(1000)
    orders = [command(wallet, amount) for amount in (400, "1000.01", 600)]
    assert [response is None for response in run_batch(*orders)] == [False, True, False]
    assert read_holds(wallet) == expected_holds(1000, 400, 600)
    with assert_nothing_changes(), pytest.raises(DatabaseError, match="insufficient_balance"):
        run_alone(orders[1])
    assert_books_hold()


def test_one_batch_takes_wallets_of_all_owners_and_currencies():
    own, other = make_wallet(1000), make_wallet(5000, currency="GHS")
    member = Wallet(own.organisation, make_member(own.organisation, "Ada")).fund(1000)
    member.fund(20_000, "UGX")
    orders = [
        command(wallet, amount, currency)
        for wallet, amount, currency in (
            (member, 5000, "UGX"), (own, 600, "KES"), (other, 20, "GHS"), (member, 100, "KES"),
            (own, 400, "KES"), (member, 15_000, "UGX"), (member, 900, "KES"), (other, 4980, "GHS"),
        )
    ]  # fmt: skip
    found = [json.loads(response or "") for response in run_batch(*orders)]
    assert read_holds(own) == expected_holds(1000, 600, 400)
    assert read_holds(member) == expected_holds(1000, 100, 900)
    assert read_holds(member, "UGX") == expected_holds(20_000, 5000, 15_000)
    assert read_holds(other, "GHS") == expected_holds(5000, 20, 4980)
    for order, response in zip(orders, found, strict=True):
        request = response["withdrawalRequest"]
        assert request["_id"] == order.created_id
        assert request["owner"] == str(order.member or order.organisation)
        assert (request["currency"], response["bank"]["currency"]) == (order.currency,) * 2
        event = Event.objects.get(subject_id=order.withdrawal)
        assert event.organisation_id == order.organisation
        user = json.loads(event.body)["data"]["user"]
        assert (user and UUID(user["_id"])) == order.member
    assert_books_hold()


LEFT: dict[str, tuple[str, Callable[[Wallet], RequestWithdrawal]]] = {
    "below the minimum": ("below_minimum", lambda w: command(w, "99.99")),
    "for nothing": ("below_minimum", lambda w: command(w, 0)),
    "negative": ("below_minimum", lambda w: command(w, -100)),
    "eaten by the fee": ("fee_exceeds_amount", lambda w: command(w, 50, "GHS")),
    "too much": ("insufficient_balance", lambda w: command(w, "1000.01", "GHS")),
    "for no number": ("insufficient_balance", lambda w: command(w, "NaN")),
    "in no currency": ("insufficient_balance", lambda w: command(w, 100, "ZZZ")),
    "empty wallet": ("insufficient_balance", lambda _: command(make_wallet(), 100)),
    "of no organisation": (
        "insufficient_balance",
        lambda _: command(Wallet(Organisation(id=uuid7())), 100),
    ),
    "of no member": ("user_not_found", lambda w: command(Wallet(w.organisation, Member()), 100)),
    "on a foreign member": (
        "user_not_found",
        lambda w: command(make_member_wallet(1000), 100, asked_by=w.organisation),
    ),
}


@pytest.mark.parametrize("kind", LEFT)
def test_a_skipped_request_leaves_no_trace_and_is_rejected_alone(kind):
    wallet = make_wallet(1000).fund(1000, "GHS")
    set_setting("GHS_WITHDRAWAL_FEE", 50)
    refusal, make = LEFT[kind]
    bad = make(wallet).with_key(claim_of(wallet, "bad"))
    orders = [command(wallet, 100, key="a"), bad, command(wallet, 200, key="c")]
    found = run_batch(*orders)
    assert [response is None for response in found] == [False, True, False]
    assert [count_rows(order) for order in orders] == [4, 0, 4]
    assert stored_keys() == {"a", "c"}
    assert read_holds(wallet) == expected_holds(1000, 100, 200)
    with assert_nothing_changes(), pytest.raises(DatabaseError, match=refusal):
        run_alone(bad)


def test_a_wallet_without_an_escrow_account_is_skipped_and_then_gets_one():
    rich, new = make_wallet(1000), make_wallet()
    mine = open_account("KES", AccountKind.AVAILABLE, organisation_id=new.organisation.id)
    post_unjustified(
        kind=TransferKind.PROVIDER_CHARGE,
        reference="tests:1",
        subject_id=None,
        actor=SYSTEM,
        legs=[Leg(account_id_of(rich), Decimal(-300)), Leg(mine, Decimal(300))],
    )
    orders = [command(new, 100), command(rich, 100), command(new, 200)]
    assert [response is None for response in run_batch(*orders)] == [True, False, True]
    assert [count_rows(order) for order in orders] == [0, 4, 0]
    run_alone(orders[0])
    assert account_id_of(new, "escrow") == orders[0].new_escrow
    assert None not in run_batch(command(rich, 100), orders[2])
    assert read_holds(new) == expected_holds(300, 100, 200)
    assert_books_hold()


def test_a_request_on_a_foreign_member_does_not_touch_the_members_wallet():
    wallet, stranger = make_member_wallet(1000), make_wallet(1000)
    orders = [command(wallet, 300, asked_by=stranger.organisation), command(wallet, 500)]
    assert [response is None for response in run_batch(*orders)] == [True, False]
    assert read_holds(wallet) == expected_holds(1000, 500)
    # It does not block the member's own request in the same batch.
    orders = [command(wallet, 500, asked_by=stranger.organisation), command(wallet, 100)]
    assert [response is None for response in run_batch(*orders)] == [True, False]


def test_digits_beyond_the_currency_do_not_add_up_to_money():
    """The API rejects such an amount; the runtime role could still send it."""
    wallet = make_wallet(1000)
    run_batch(*(command(wallet, "100.000000004") for _ in range(3)))
    assert sum(wallet.kes) == 1000
    assert_books_hold()


IMPOSSIBLE: dict[str, Callable[[RequestWithdrawal], dict[str, Any]]] = {
    "too many decimals": lambda first: {"amount": Decimal("100.001")},
    "too long a name": lambda first: {"account_name": "x" * 201},
    "a zero byte": lambda first: {"reference": "payout\0"},
    "a key without its path": lambda first: {"key": "k"},
    "the ids of another": lambda first: {"withdrawal": first.withdrawal},
    "a member as organisation": lambda _: {"organisation": make_member_wallet(900).member_id},
}


@pytest.mark.parametrize("kind", IMPOSSIBLE)
@pytest.mark.one_in(3)
def test_an_invalid_request_rolls_back_the_batch_and_harms_no_other(kind):
    wallet = make_wallet(1000)
    first, second = command(wallet, 100, key="a"), command(wallet, 200)
    bad = replace(command(wallet, 300), **IMPOSSIBLE[kind](first))
    with assert_nothing_changes():
        assert run_batch(first, bad, second) == [None] * 3
    run_alone(first)
    with assert_nothing_changes(), pytest.raises(DatabaseError):
        run_alone(bad)
    run_alone(second)
    assert read_holds(wallet) == expected_holds(1000, 100, 200)
    assert_books_hold()


@pytest.mark.parametrize(
    "function", ["request_withdrawals_execute('{}')", "reject_withdrawal(NULL, 1, 1)"]
)
def test_the_application_cannot_call_the_inner_functions(function):
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        fetch_one(f"SELECT {function}")


_NORMALISED = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}"), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)"), "<time>"),
    (re.compile(r"payout_[0-9a-z]{26}"), "<reference>"),
)
_TABLES = (
    "to_jsonb(x) FROM wallets_account x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) FROM wallets_withdrawal x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) FROM wallets_bankaccount x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) FROM exchange_event x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) - 'id' FROM exchange_idempotencyrecord x WHERE organisation_id = %s"
    " ORDER BY key, month",
    "to_jsonb(t) - 'created_txid', to_jsonb(e), a.kind, a.owner_id::text FROM wallets_entry e"
    " JOIN wallets_account a ON a.id = e.account_id JOIN wallets_transfer t ON t.id = e.transfer_id"
    " WHERE a.organisation_id = %s AND t.kind = 'withdrawal_hold' ORDER BY e.id",
)


def normalise(wallets: Sequence[Wallet], found: Any) -> str:
    """Return `found` as text, without ids and times."""
    text = json.dumps(found)
    for number, wallet in enumerate(wallets):
        text = text.replace(str(wallet.owner_id), f"<wallet {number}>")
    for pattern, name in _NORMALISED:
        text = pattern.sub(name, text)
    return text


def read_records(wallets: Sequence[Wallet]) -> list[str]:
    """Return all rows about the wallets of one organisation."""
    found = []
    with connection.cursor() as cursor:
        for query in _TABLES:
            cursor.execute(f"SELECT {query}", [wallets[0].organisation.id])
            found.append(normalise(wallets, cursor.fetchall()))
    return found


def outcome(order: RequestWithdrawal) -> str:
    try:
        return run_alone(order)
    except DatabaseError as error:
        return str(error).splitlines()[0]


def organisation_with_members(funds: dict[tuple[int, str], Decimal]) -> list[Wallet]:
    owner = make_organisation("Kopa")
    members = [make_member(owner, name, email=f"{name}@example.com") for name in ("ada", "obi")]
    wallets = [Wallet(owner), *(Wallet(owner, member) for member in members)]
    for (number, currency), amount in funds.items():
        wallets[number].fund(amount, currency)
    return wallets


_amounts = st.decimals("1", "900", places=2) | st.sampled_from([Decimal("99.99"), Decimal(100)])
_orders = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["KES", "KES", "GHS"]), _amounts, st.booleans()),
    min_size=2,
    max_size=12,
)


def commands_of(wallets: Sequence[Wallet], orders: Sequence[Any]) -> list[RequestWithdrawal]:
    return [
        command(wallets[number], amount, currency, key=f"{place:02}" if keyed else None)
        for place, (number, currency, amount, keyed) in enumerate(orders)
    ]


def run_together(orders: list[RequestWithdrawal]) -> list[str]:
    """Run a batch, then the skipped requests one by one."""
    found = run_batch(*orders)
    return [response or outcome(order) for response, order in zip(found, orders, strict=True)]


@pytest.mark.standalone
@examples("PARITY", 20)
@given(orders=_orders)
@pytest.mark.slow
def test_affordable_requests_give_the_same_batched_as_one_by_one(orders):
    funds: dict[tuple[int, str], Decimal] = {}
    for number, currency, amount, _ in orders:
        funds[number, currency] = funds.get((number, currency), Decimal(0)) + amount
    one, other = organisation_with_members(funds), organisation_with_members(funds)
    apart = [outcome(order) for order in commands_of(one, orders)]
    found = run_together(commands_of(other, orders))
    assert [normalise(other, text) for text in found] == [normalise(one, text) for text in apart]
    assert read_records(other) == read_records(one)


@pytest.fixture
def books_hold_after(transactional_db: None) -> Iterator[None]:
    """Check the books once, after all examples."""
    yield
    assert_books_hold()


@pytest.mark.standalone
@pytest.mark.usefixtures("books_hold_after")
@examples("PARITY", 20)
@given(
    orders=_orders,
    funds=st.dictionaries(
        st.tuples(st.integers(0, 2), st.sampled_from(["KES", "GHS"])),
        st.decimals("1", "2000", places=2),
    ),
)
def test_batches_never_overdraw_a_wallet(orders, funds):
    wallets = organisation_with_members(funds)
    found = run_together(commands_of(wallets, orders))
    done = [order for order, response in zip(orders, found, strict=True) if response[0] == "{"]
    for number, wallet in enumerate(wallets):
        for currency in ("KES", "GHS"):
            fund = funds.get((number, currency), Decimal(0))
            moved = read_holds(wallet, currency)
            taken = [amount for kind, amount, _ in moved if kind == "escrow"]
            assert moved == expected_holds(fund, *taken)
            assert sorted(taken) == sorted(o[2] for o in done if o[:2] == (number, currency))
            assert wallet.balance("available", currency) == fund - sum(taken) >= 0
