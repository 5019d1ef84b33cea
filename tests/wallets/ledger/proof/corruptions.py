"""Corruptions of the books, and the check of the proof that alone finds each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from exchange.core.ids import first_id_at, uuid7
from tests.wallets.ledger.proof.corrupted import World
from wallets.deposits.models import Deposit
from wallets.ledger.models import Entry, Transfer
from wallets.withdrawals.models import Withdrawal


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
    world.post_legs(
        (world.account("clearing"), "-1"),
        (world.account("available", world.other), "1"),
        kind="deposit",
        reference="rest",
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


def entry_with_a_random_id(world: World) -> None:
    world.corrupt(
        "UPDATE wallets_entry SET id = gen_random_uuid() WHERE id ="
        " (SELECT min(id::text)::uuid FROM wallets_entry WHERE account_id = %s)",
        world.account("clearing"),
    )


def transfer_with_an_id_of_another_day(world: World) -> None:
    transfer = Transfer.objects.get(subject_id=world.pending.id)
    made = first_id_at(transfer.created_at - timedelta(days=1))
    world.corrupt("UPDATE wallets_transfer SET id = %s WHERE id = %s", made, transfer.id)
    world.corrupt(
        "UPDATE wallets_entry SET transfer_id = %s WHERE transfer_id = %s", made, transfer.id
    )


def entries_in_another_order(world: World) -> None:
    """The hold of the first withdrawal seems to come after that of the second."""
    entries = Entry.objects.filter(account_id=world.account("available")).order_by("id")
    _, first, second = entries.values_list("id", flat=True)
    other = uuid7()
    for old, new in ((first, other), (second, first), (other, second)):
        world.corrupt("UPDATE wallets_entry SET id = %s WHERE id = %s", new, old)


NEXT_STEP = "every payout under way has a next step, and no lease has run out unnoticed"
DEPOSITS = "every confirmed deposit was booked once, to its owner, and nothing else as a deposit"
IN_ORDER = "entries and transfers have ids in the order of time"
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
    entry_with_a_random_id: IN_ORDER,
    transfer_with_an_id_of_another_day: IN_ORDER,
    entries_in_another_order: IN_ORDER,
}
