"""The proof of books bites: each corruption is seen by the check made for it, and by that alone.

Corrupting takes the owner, and mostly triggers out of force; the application cannot do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from exchange.ids import uuid7
from tests.support.payouts import settle
from tests.support.services import Sandbox
from tests.support.world import (
    Wallet,
    approved,
    assert_books_hold,
    know_banks,
    make_member_wallet,
    make_wallet,
    status_of,
)
from wallets.models import Account, Alert, BooksProof, Deposit, Withdrawal
from wallets.services import books, payouts

pytestmark = pytest.mark.django_db(transaction=True)

Owner = psycopg.Connection[Any]


class World:
    """A few wallets and withdrawals, and the owner's connection to corrupt them with."""

    def __init__(self, owner: Owner, sandbox: Sandbox) -> None:
        know_banks()
        self.owner = owner
        self.wallet: Wallet = make_member_wallet(2000)
        self.other: Wallet = make_wallet(1000)
        self.third: Wallet = make_wallet(1000)
        self.pending: Withdrawal = self.wallet.request(500)
        self.approved: Withdrawal = approved(self.wallet, 300)
        self.paid = [self.pay(sandbox, self.third, amount) for amount in (400, 500)]

    @staticmethod
    def pay(sandbox: Sandbox, wallet: Wallet, amount: int) -> Withdrawal:
        withdrawal = approved(wallet, amount)
        payouts.pay(withdrawal.id)
        settle(sandbox, withdrawal)
        payouts.look_up(withdrawal.id)
        assert status_of(withdrawal) == "Completed"
        return withdrawal

    def corrupt(self, statement: str, *values: Any) -> None:
        with self.owner.transaction():
            self.owner.execute("SET LOCAL session_replication_role = replica")
            assert self.owner.execute(statement, values).rowcount > 0

    def account(self, kind: str, wallet: Wallet | None = None) -> UUID:
        owner = (wallet or self.wallet).owner_id if kind in {"available", "escrow"} else None
        found: UUID = Account.objects.get(owner_id=owner, kind=kind, asset_id="KES").id
        return found

    def post(self, source: UUID, target: UUID, amount: int, kind: str = "provider_charge") -> None:
        """A transfer that balances, but that nothing called for. About nothing, so that no check
        of what a deposit or a withdrawal moved looks at it.
        """
        made = uuid7()
        self.owner.execute(
            "SELECT post_transfer(%s, %s, %s, NULL, 'x', '', %s, %s, %s)",
            [made, kind, str(made), [uuid7(), uuid7()], [source, target], [-amount, amount]],
        )


@pytest.fixture
def world(transactional_db: None, owner_connection: Owner, provider_sandbox: Sandbox) -> World:
    return World(owner_connection, provider_sandbox)


def empty_transfer(world: World) -> None:
    world.corrupt(
        "INSERT INTO wallets_transfer (id, kind, reference, actor, memo, created_at, created_txid)"
        " VALUES (%s, 'deposit', 'x', 'x', '', now(), 0)",
        uuid7(),
    )


def stray_entry(world: World) -> None:
    world.corrupt(
        "INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount)"
        " VALUES (%s, %s, %s, 'KES', 5)",
        uuid7(),
        uuid7(),
        world.account("expenses"),
    )


def changed_balance(world: World) -> None:
    world.corrupt(
        "UPDATE wallets_account SET balance = balance + 0.01 WHERE id = %s",
        world.account("available"),
    )


def money_out_of_escrow(world: World) -> None:
    world.post(world.account("escrow"), world.account("available"), 1)


def money_from_nowhere(world: World) -> None:
    world.post(world.account("clearing"), world.account("available"), 1)


def fee_that_nobody_paid(world: World) -> None:
    world.post(world.account("expenses"), world.account("fees"), 1, "withdrawal_settle")


def hold_of_nobody(world: World) -> None:
    world.corrupt(
        "UPDATE wallets_transfer SET subject_id = NULL WHERE subject_id = %s", world.pending.id
    )


def deposits_that_differ_in_sum_by_nothing(world: World) -> None:
    for wallet, change in ((world.wallet, 1), (world.other, -1)):
        world.corrupt(
            "UPDATE wallets_deposit SET amount = amount + %s WHERE owner_id = %s",
            change,
            wallet.owner_id,
        )


def deposit_of_somebody_else(world: World) -> None:
    """Two deposits of 1000 each, and each booked to the other's wallet."""
    world.corrupt(
        "UPDATE wallets_transfer t SET subject_id = (SELECT d.id FROM wallets_deposit d"
        " WHERE d.owner_id = ANY (%s) AND d.id <> t.subject_id)"
        " WHERE t.subject_id IN (SELECT id FROM wallets_deposit WHERE owner_id = ANY (%s))",
        *[[world.other.owner_id, world.third.owner_id]] * 2,
    )


def deposit_that_was_rejected_but_booked(world: World) -> None:
    """The other deposit makes up for it."""
    world.corrupt(
        "UPDATE wallets_deposit SET status = 'Rejected' WHERE owner_id = %s", world.other.owner_id
    )
    world.corrupt(
        "UPDATE wallets_deposit SET amount = 2000 WHERE owner_id = %s", world.third.owner_id
    )


def deposits_booked_that_cancel_out(world: World) -> None:
    world.post(world.account("clearing"), world.account("available"), 7, "deposit")
    world.post(world.account("available"), world.account("clearing"), 7, "deposit")


def deposit_booked_in_two_parts(world: World) -> None:
    deposit = Deposit.objects.get(owner_id=world.other.owner_id)
    for leg, part in (("available", 1), ("clearing", -1)):
        world.corrupt(
            "UPDATE wallets_entry SET amount = amount - %s WHERE account_id = %s AND transfer_id ="
            " (SELECT id FROM wallets_transfer WHERE subject_id = %s)",
            part,
            world.account(leg, world.other),
            deposit.id,
        )
    world.owner.execute(
        "SELECT post_transfer(%s, 'deposit', 'rest', NULL, 'x', '', %s, %s, %s)",
        [
            uuid7(),
            [uuid7(), uuid7()],
            [world.account("clearing"), world.account("available", world.other)],
            [-1, 1],
        ],
    )
    # The rest was posted on top of the balance, which the first part had been taken out of.
    world.corrupt(
        "UPDATE wallets_account SET balance = balance - 1 WHERE id = %s",
        world.account("available", world.other),
    )
    world.corrupt(
        "UPDATE wallets_transfer SET subject_id = %s WHERE reference = 'rest'", deposit.id
    )


def shift(world: World, about: Withdrawal, kind: str, legs: dict[str, int]) -> None:
    """Changes legs of a transfer of the withdrawal `about`, by accounts."""
    wallet = world.third if about in world.paid else world.wallet
    for account, change in legs.items():
        world.corrupt(
            "UPDATE wallets_entry SET amount = amount + %s WHERE account_id = %s AND transfer_id ="
            " (SELECT id FROM wallets_transfer WHERE subject_id = %s AND kind = %s)",
            change,
            world.account(account, wallet),
            about.id,
            kind,
        )


def settlements_that_offset_each_other(world: World) -> None:
    for paid, change in zip(world.paid, (1, -1), strict=True):
        shift(world, paid, "withdrawal_settle", {"clearing": change, "fees": -change})


def settlements_of_each_others_amount(world: World) -> None:
    for paid, change in zip(world.paid, (100, -100), strict=True):
        shift(world, paid, "withdrawal_settle", {"escrow": -change, "clearing": change})


def holds_that_offset_each_other(world: World) -> None:
    for held, change in ((world.pending, 1), (world.approved, -1)):
        shift(world, held, "withdrawal_hold", {"available": -change, "escrow": change})


def charges_that_offset_each_other(world: World) -> None:
    for paid, change in zip(world.paid, (1, -1), strict=True):
        shift(world, paid, "provider_charge", {"expenses": -change, "clearing": change})


def hold_on_the_wallet_of_somebody_else(world: World) -> None:
    """The escrow of one owner for another one's withdrawal, both ways."""
    ours, theirs = world.account("escrow"), world.account("escrow", world.third)
    for held, wrong in ((world.pending, theirs), (world.paid[1], ours)):
        world.corrupt(
            "UPDATE wallets_entry SET account_id = %s WHERE amount = 500 AND transfer_id ="
            " (SELECT id FROM wallets_transfer WHERE subject_id = %s AND kind = 'withdrawal_hold')",
            wrong,
            held.id,
        )


def untold_approval(world: World) -> None:
    world.corrupt(
        "DELETE FROM exchange_event WHERE subject_id = %s AND type = 'withdrawal.approved'",
        world.approved.id,
    )


def payout_without_a_next_step(world: World) -> None:
    world.corrupt(
        "UPDATE wallets_payout SET next_step_at = NULL WHERE withdrawal_id = %s", world.approved.id
    )


def payout_that_is_not_there(world: World) -> None:
    world.corrupt("DELETE FROM wallets_payout WHERE withdrawal_id = %s", world.approved.id)


def stale_lease(world: World) -> None:
    world.corrupt(
        "UPDATE wallets_payout SET leased_until = now() - interval '25 hours'"
        " WHERE withdrawal_id = %s",
        world.approved.id,
    )


def changed_document(world: World) -> None:
    world.corrupt(
        "UPDATE wallets_withdrawal SET document = replace(document, '500', '501') WHERE id = %s",
        world.pending.id,
    )


def changed_bank_document(world: World) -> None:
    world.corrupt("UPDATE wallets_bankaccount SET document = '{}'")


def overdrawn_wallet(world: World) -> None:
    # Only without its CHECK; the fixture below puts that back.
    world.owner.execute("ALTER TABLE wallets_account DROP CONSTRAINT account_balance_not_negative")
    world.post(world.account("available", world.other), world.account("available"), 1001)


NEXT_STEP = "every payout under way has a next step, and no lease has run out unnoticed"
DEPOSITS = "every confirmed deposit was booked once, to its owner, and nothing else as a deposit"
MOVED = "every transfer of a withdrawal moved what the withdrawal says"
CORRUPTIONS: dict[Callable[[World], None], str] = {
    empty_transfer: "every transfer has two or more legs and sums to zero per asset",
    stray_entry: "the entries of every asset sum to zero",
    changed_balance: "every balance equals its entries",
    overdrawn_wallet: "no owner account is negative",
    money_out_of_escrow: "escrow equals open withdrawals",
    money_from_nowhere: "clearing equals deposits less payouts less the provider's charges",
    fee_that_nobody_paid: "fee income equals the fees of paid withdrawals",
    hold_of_nobody: "every withdrawal has the transfers its state calls for",
    deposits_that_differ_in_sum_by_nothing: DEPOSITS,
    deposit_of_somebody_else: DEPOSITS,
    deposit_that_was_rejected_but_booked: DEPOSITS,
    deposits_booked_that_cancel_out: DEPOSITS,
    deposit_booked_in_two_parts: DEPOSITS,
    settlements_that_offset_each_other: MOVED,
    settlements_of_each_others_amount: MOVED,
    holds_that_offset_each_other: MOVED,
    charges_that_offset_each_other: MOVED,
    hold_on_the_wallet_of_somebody_else: MOVED,
    untold_approval: "every state a withdrawal reached was told",
    payout_without_a_next_step: NEXT_STEP,
    payout_that_is_not_there: NEXT_STEP,
    stale_lease: NEXT_STEP,
    changed_document: "documents equal their records",
    changed_bank_document: "documents equal their records",
}


@pytest.fixture
def constraint_kept(owner_connection: Owner) -> Iterator[None]:
    """Whatever a test drops of the account's constraints is there again afterwards."""
    row = owner_connection.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conname = 'account_balance_not_negative'"
    ).fetchone()
    assert row is not None
    yield
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute("UPDATE wallets_account SET balance = 0 WHERE balance < 0")
        owner_connection.execute(
            "ALTER TABLE wallets_account DROP CONSTRAINT IF EXISTS account_balance_not_negative"
        )
        owner_connection.execute(
            f"ALTER TABLE wallets_account ADD CONSTRAINT account_balance_not_negative {row[0]}"
        )


@pytest.mark.parametrize(
    ("corruption", "check"),
    CORRUPTIONS.items(),
    ids=[corruption.__name__ for corruption in CORRUPTIONS],
)
def test_a_corruption_is_found_by_its_check_and_by_no_other(
    constraint_kept: None, world: World, corruption: Callable[[World], None], check: str
):
    assert_books_hold()
    corruption(world)
    proof = books.prove()
    assert not proof.passed
    assert {finding.check for finding in proof.findings} == {check}


def test_every_check_has_a_corruption_that_it_alone_finds():
    assert set(CORRUPTIONS.values()) == {check.title for check in books.WALLET_CHECKS}


def test_a_finding_names_both_sides(world):
    money_out_of_escrow(world)
    (finding,) = books.prove().findings
    assert finding.subject == f"{world.wallet.owner_id} KES"
    assert (finding.expected, finding.found) == ("800", "799")


def test_a_failing_proof_is_kept_and_alerts_until_one_holds(world):
    money_out_of_escrow(world)
    kept = books.prove_and_keep(books.WALLET_CHECKS)
    assert (kept.passed, len(kept.findings)) == (False, 1)
    alert = Alert.objects.get(kind="books")
    assert alert.resolved_at is None
    assert "escrow equals open withdrawals" in alert.message
    world.post(world.account("available"), world.account("escrow"), 1)
    assert books.prove_and_keep(books.WALLET_CHECKS).passed
    assert Alert.objects.get(kind="books").resolved_at is not None
    assert BooksProof.objects.count() == 2


def test_a_proof_over_a_hundred_faults_ends(world):
    for _ in range(120):
        empty_transfer_named(world)
    assert len(books.prove().findings) == 100


def empty_transfer_named(world: World) -> None:
    world.corrupt(
        "INSERT INTO wallets_transfer (id, kind, reference, actor, memo, created_at, created_txid)"
        " VALUES (%s, 'deposit', %s, 'x', '', now(), 0)",
        uuid7(),
        str(uuid7()),
    )
