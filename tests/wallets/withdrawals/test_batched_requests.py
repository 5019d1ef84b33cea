"""Withdrawal requests that go as one set: those it takes, those it leaves, and what stays of them.

`as_set` makes the set's call as the service does, `alone` that for one; both as the runtime role.
"""

from __future__ import annotations

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
from wallets.ledger.models import Account, AccountKind, Entry, Transfer, TransferKind
from wallets.ledger.posting import Leg, open_account
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import BankAccount, Withdrawal
from wallets.withdrawals.services import requests

pytestmark = pytest.mark.django_db(transaction=True)

# The fields that are ids of what a request makes.
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
    """A request whose bank is found."""
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
        given_name="Ada Obi",
    )
    return command.with_key(None if key is None else claim_of(wallet, key))


def as_set(*orders: RequestWithdrawal) -> list[str | None]:
    """What each answers; None for those that were left."""
    found = requests._function.run_batch(orders, _nobody)
    return [None if response is None else response.data for response in found]


def _nobody(order: RequestWithdrawal) -> StoredResponse:
    raise AssertionError(f"{order} went alone")


def alone(order: RequestWithdrawal) -> str:
    """What the order answers by itself. Raises `DatabaseError` with the code of a refusal."""
    return requests._function.run([order], 1000)[order.created_id].data


def held(wallet: Wallet, currency: str = "KES") -> list[tuple[str, Decimal, Decimal | None]]:
    """What requests have moved in the wallet: account, amount and balance after, as it happened."""
    return list(
        Entry.objects.filter(
            account__owner_id=wallet.owner_id,
            asset_id=currency,
            transfer__kind=TransferKind.WITHDRAWAL_HOLD,
        )
        .order_by("transfer__created_txid", "id")
        .values_list("account__kind", "amount", "balance_after")
    )


def holds(available: Decimal | int, *amounts: Decimal | str | int) -> list[Any]:
    """What `held` gives for these amounts, taken one after the other."""
    found: list[Any] = []
    left, taken = Decimal(available), Decimal(0)
    for amount in map(Decimal, amounts):
        left, taken = left - amount, taken + amount
        found += [("available", -amount, left), ("escrow", amount, taken)]
    return found


def rows_of(order: RequestWithdrawal) -> int:
    """How many rows bear one of the order's new ids."""
    models: tuple[Any, ...] = (Withdrawal, BankAccount, Transfer, Event, Account)
    found = zip(NEW_IDS, models, strict=True)
    return sum(model.objects.filter(id=getattr(order, name)).count() for name, model in found)


def keys_kept() -> set[str]:
    return set(IdempotencyRecord.objects.values_list("key", flat=True))


def test_on_one_wallet_those_are_done_that_it_can_pay_until_one_is_too_much():
    wallet = make_wallet(1000)
    amounts = ("300.5", "200", "400", "200", "100")
    orders = [command(wallet, amount, key=f"{place}") for place, amount in enumerate(amounts)]
    first, second, third, too_much, after_it = orders
    # Their ids give the order, not their places.
    found = as_set(after_it, third, first, too_much, second)
    taken = [response and json.loads(response)["withdrawalRequest"]["amount"] for response in found]
    assert taken == [None, 400, 300.5, None, 200]
    assert held(wallet) == holds(1000, "300.5", 200, 400)
    assert [rows_of(order) for order in orders] == [4, 4, 4, 0, 0]
    assert keys_kept() == {"0", "1", "2"}
    assert_books_hold()
    with assert_nothing_changes(), pytest.raises(DatabaseError, match="insufficient_balance"):
        alone(too_much)
    wallet.fund("0.5")
    alone(after_it)
    assert wallet.kes == (Decimal(0), Decimal("1000.5"))
    assert_books_hold()


def test_what_a_wallet_could_never_pay_keeps_nobody_after_it_from_being_done():
    wallet = make_wallet(1000)
    orders = [command(wallet, amount) for amount in (400, "1000.01", 600)]
    assert [response is None for response in as_set(*orders)] == [False, True, False]
    assert held(wallet) == holds(1000, 400, 600)
    with assert_nothing_changes(), pytest.raises(DatabaseError, match="insufficient_balance"):
        alone(orders[1])
    assert_books_hold()


def test_wallets_of_all_owners_and_currencies_go_together():
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
    found = [json.loads(response or "") for response in as_set(*orders)]
    assert held(own) == holds(1000, 600, 400)
    assert held(member) == holds(1000, 100, 900)
    assert held(member, "UGX") == holds(20_000, 5000, 15_000)
    assert held(other, "GHS") == holds(5000, 20, 4980)
    for order, response in zip(orders, found, strict=True):
        request = response["withdrawalRequest"]
        assert request["_id"] == order.created_id
        assert request["owner"] == str(order.member or order.organisation)
        assert (request["currency"], response["bank"]["currency"]) == (order.currency,) * 2
        reported = Event.objects.get(subject_id=order.withdrawal)
        assert reported.organisation_id == order.organisation
        user = json.loads(reported.body)["data"]["user"]
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
    "of nobody": ("insufficient_balance", lambda _: command(Wallet(Organisation(id=uuid7())), 100)),
    "of no member": ("user_not_found", lambda w: command(Wallet(w.organisation, Member()), 100)),
    "on somebody else's member": (
        "user_not_found",
        lambda w: command(make_member_wallet(1000), 100, asked_by=w.organisation),
    ),
}


@pytest.mark.parametrize("kind", LEFT)
def test_an_order_that_is_left_leaves_no_trace_and_is_refused_by_itself(kind):
    wallet = make_wallet(1000).fund(1000, "GHS")
    set_setting("GHS_WITHDRAWAL_FEE", 50)
    refusal, make = LEFT[kind]
    bad = make(wallet).with_key(claim_of(wallet, "bad"))
    orders = [command(wallet, 100, key="a"), bad, command(wallet, 200, key="c")]
    found = as_set(*orders)
    assert [response is None for response in found] == [False, True, False]
    assert [rows_of(order) for order in orders] == [4, 0, 4]
    assert keys_kept() == {"a", "c"}
    assert held(wallet) == holds(1000, 100, 200)
    with assert_nothing_changes(), pytest.raises(DatabaseError, match=refusal):
        alone(bad)


def test_a_wallet_without_an_escrow_account_is_left_and_then_gets_one():
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
    assert [response is None for response in as_set(*orders)] == [True, False, True]
    assert [rows_of(order) for order in orders] == [0, 4, 0]
    alone(orders[0])
    assert account_id_of(new, "escrow") == orders[0].new_escrow
    assert None not in as_set(command(rich, 100), orders[2])
    assert held(new) == holds(300, 100, 200)
    assert_books_hold()


def test_an_order_on_somebody_elses_member_does_not_show_in_the_members_statement():
    wallet, stranger = make_member_wallet(1000), make_wallet(1000)
    orders = [command(wallet, 300, asked_by=stranger.organisation), command(wallet, 500)]
    assert [response is None for response in as_set(*orders)] == [True, False]
    assert held(wallet) == holds(1000, 500)
    # Nor does it keep the member's own request from being done with the others.
    orders = [command(wallet, 500, asked_by=stranger.organisation), command(wallet, 100)]
    assert [response is None for response in as_set(*orders)] == [True, False]


def test_digits_that_no_account_keeps_do_not_add_up_to_money():
    """The edges refuse such an amount; the runtime role could still send it."""
    wallet = make_wallet(1000)
    as_set(*(command(wallet, "100.000000004") for _ in range(3)))
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
def test_an_order_that_cannot_be_written_undoes_the_set_and_harms_no_other(kind):
    wallet = make_wallet(1000)
    first, second = command(wallet, 100, key="a"), command(wallet, 200)
    bad = replace(command(wallet, 300), **IMPOSSIBLE[kind](first))
    with assert_nothing_changes():
        assert as_set(first, bad, second) == [None] * 3
    alone(first)
    with assert_nothing_changes(), pytest.raises(DatabaseError):
        alone(bad)
    alone(second)
    assert held(wallet) == holds(1000, 100, 200)
    assert_books_hold()


@pytest.mark.parametrize("function", ["hold_withdrawals('{}')", "reject_withdrawal(NULL, 1, 1)"])
def test_the_parts_of_it_are_not_called_by_the_application(function):
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        fetch_one(f"SELECT {function}")


_SAME = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}"), "<id>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)"), "<time>"),
    (re.compile(r"payout_[0-9a-z]{26}"), "<reference>"),
)
_TABLES = (
    "to_jsonb(x) FROM wallets_account x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) FROM wallets_withdrawal x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) FROM wallets_bankaccount x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) FROM exchange_event x WHERE organisation_id = %s ORDER BY id",
    "to_jsonb(x) - 'id' FROM exchange_idempotencyrecord x WHERE organisation_id = %s ORDER BY key",
    "to_jsonb(t) - 'created_txid', to_jsonb(e), a.kind, a.owner_id::text FROM wallets_entry e"
    " JOIN wallets_account a ON a.id = e.account_id JOIN wallets_transfer t ON t.id = e.transfer_id"
    " WHERE a.organisation_id = %s AND t.kind = 'withdrawal_hold' ORDER BY e.id",
)


def same(wallets: Sequence[Wallet], found: Any) -> str:
    """`found` as text, without the ids and times that no two runs share."""
    text = json.dumps(found)
    for number, wallet in enumerate(wallets):
        text = text.replace(str(wallet.owner_id), f"<wallet {number}>")
    for pattern, name in _SAME:
        text = pattern.sub(name, text)
    return text


def book(wallets: Sequence[Wallet]) -> list[str]:
    """All that is written about the wallets of one organisation."""
    found = []
    with connection.cursor() as cursor:
        for query in _TABLES:
            cursor.execute(f"SELECT {query}", [wallets[0].organisation.id])
            found.append(same(wallets, cursor.fetchall()))
    return found


def outcome(order: RequestWithdrawal) -> str:
    try:
        return alone(order)
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


def carry_out_together(orders: list[RequestWithdrawal]) -> list[str]:
    """As a set, then those it left one by one."""
    found = as_set(*orders)
    return [response or outcome(order) for response, order in zip(found, orders, strict=True)]


@examples("PARITY", 40)
@given(orders=_orders)
def test_what_wallets_can_pay_is_the_same_together_as_one_by_one(orders):
    funds: dict[tuple[int, str], Decimal] = {}
    for number, currency, amount, _ in orders:
        funds[number, currency] = funds.get((number, currency), Decimal(0)) + amount
    one, other = organisation_with_members(funds), organisation_with_members(funds)
    apart = [outcome(order) for order in commands_of(one, orders)]
    found = carry_out_together(commands_of(other, orders))
    assert [same(other, text) for text in found] == [same(one, text) for text in apart]
    assert book(other) == book(one)


@pytest.fixture
def books_hold_after(transactional_db: None) -> Iterator[None]:
    """Once for all examples, which stand beside one another."""
    yield
    assert_books_hold()


@pytest.mark.usefixtures("books_hold_after")
@examples("PARITY", 40)
@given(
    orders=_orders,
    funds=st.dictionaries(
        st.tuples(st.integers(0, 2), st.sampled_from(["KES", "GHS"])),
        st.decimals("1", "2000", places=2),
    ),
)
def test_what_wallets_cannot_pay_they_do_not_pay(orders, funds):
    wallets = organisation_with_members(funds)
    found = carry_out_together(commands_of(wallets, orders))
    done = [order for order, response in zip(orders, found, strict=True) if response[0] == "{"]
    for number, wallet in enumerate(wallets):
        for currency in ("KES", "GHS"):
            fund = funds.get((number, currency), Decimal(0))
            moved = held(wallet, currency)
            taken = [amount for kind, amount, _ in moved if kind == "escrow"]
            assert moved == holds(fund, *taken)
            assert sorted(taken) == sorted(o[2] for o in done if o[:2] == (number, currency))
            assert wallet.balance("available", currency) == fund - sum(taken) >= 0
