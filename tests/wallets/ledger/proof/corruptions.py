"""Corruptions of the books, and the check of the proof that alone finds each."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from config.books import WALLET_CHECKS
from exchange.core.ids import first_id_at, uuid7
from tests.assertions.books import close_transfers
from tests.factories.adjustments import adjust, entry_terms
from tests.factories.treasury import make_debt, move, terms
from tests.factories.wallets import make_staff
from tests.wallets.ledger.proof.corrupted import LedgerRecords
from tests.wallets.ledger.proof.deposit_corruptions import (
    changed_deposit_document,
    deposit_booked_in_two_parts,
    deposit_that_was_rejected_but_booked,
    deposit_to_another_owner,
    deposit_whose_reversal_took_nothing,
    deposit_without_its_payment,
    deposits_booked_that_cancel_out,
    deposits_that_differ_in_sum_by_nothing,
    dispute_that_holds_nothing,
    unmatched_payment_without_its_money,
)
from wallets.ledger import proof as books
from wallets.ledger.models import AccountKind, Entry, Transfer
from wallets.ledger.posting import system_account
from wallets.receivables.services.write_offs import confirm_write_off, propose_write_off
from wallets.withdrawals.models import Withdrawal


def empty_transfer(records: LedgerRecords) -> None:
    records.corrupt(
        "INSERT INTO wallets_transfer (id, kind, reference, actor, memo, created_at, created_txid)"
        " VALUES (%s, 'deposit', 'x', 'x', '', now(), txid_current())",
        uuid7(),
    )


def stray_entry(records: LedgerRecords) -> None:
    records.corrupt(
        "INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount)"
        " VALUES (%s, %s, %s, 'KES', 5)",
        uuid7(),
        uuid7(),
        records.account("expenses"),
    )


def changed_balance(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_account SET balance = balance + 0.01 WHERE id = %s",
        records.account("available"),
    )


def money_out_of_escrow(records: LedgerRecords) -> None:
    records.post(records.account("escrow"), records.account("available"), 1)


def money_from_nowhere(records: LedgerRecords) -> None:
    records.post(records.account("clearing"), records.account("available"), 1)


def unpaid_fee(records: LedgerRecords) -> None:
    records.post(records.account("expenses"), records.account("fees"), 1, "withdrawal_settle")


def hold_without_subject(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_transfer SET subject_id = NULL WHERE subject_id = %s", records.pending.id
    )


def shift(records: LedgerRecords, about: Withdrawal, kind: str, legs: dict[str, int]) -> None:
    """Changes legs of a transfer of the withdrawal `about`, by accounts."""
    wallet = records.third if about in records.paid else records.wallet
    for account, change in legs.items():
        records.corrupt(
            "UPDATE wallets_entry SET amount = amount + %s WHERE account_id = %s AND transfer_id ="
            " (SELECT id FROM wallets_transfer WHERE subject_id = %s AND kind = %s)",
            change,
            records.account(account, wallet),
            about.id,
            kind,
        )


def settlements_that_offset_each_other(records: LedgerRecords) -> None:
    for paid, change in zip(records.paid, (1, -1), strict=True):
        shift(records, paid, "withdrawal_settle", {"clearing": change, "fees": -change})


def settlements_of_each_others_amount(records: LedgerRecords) -> None:
    for paid, change in zip(records.paid, (100, -100), strict=True):
        shift(records, paid, "withdrawal_settle", {"escrow": -change, "clearing": change})


def holds_that_offset_each_other(records: LedgerRecords) -> None:
    for held, change in ((records.pending, 1), (records.approved, -1)):
        shift(records, held, "withdrawal_hold", {"available": -change, "escrow": change})


def charges_that_offset_each_other(records: LedgerRecords) -> None:
    for paid, change in zip(records.paid, (1, -1), strict=True):
        shift(records, paid, "provider_charge", {"expenses": -change, "clearing": change})


def hold_on_another_wallet(records: LedgerRecords) -> None:
    """The escrow of one owner for another one's withdrawal, both ways."""
    ours, theirs = records.account("escrow"), records.account("escrow", records.third)
    for held, wrong in ((records.pending, theirs), (records.paid[1], ours)):
        records.corrupt(
            "UPDATE wallets_entry SET account_id = %s WHERE amount = 500 AND transfer_id ="
            " (SELECT id FROM wallets_transfer WHERE subject_id = %s AND kind = 'withdrawal_hold')",
            wrong,
            held.id,
        )


def shift_entries(records: LedgerRecords, subject: UUID, change: int) -> None:
    """Moves more of the money in KES that moved about `subject`, or less."""
    records.corrupt(
        "UPDATE wallets_entry e SET amount = amount + sign(amount) * %s FROM wallets_transfer t"
        " WHERE t.id = e.transfer_id AND t.subject_id = %s AND e.asset_id = 'KES'",
        change,
        subject,
    )


def transfers_that_offset_each_other(records: LedgerRecords) -> None:
    for moved, change in zip(records.transfers, (1, -1), strict=True):
        shift_entries(records, moved.id, change)


def transfer_without_a_record(records: LedgerRecords) -> None:
    records.post(
        records.account("available"), records.account("available", records.other), 1,
        "wallet_transfer",
    )  # fmt: skip


def transfer_of_another_kind(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_transfer SET kind = 'order_release' WHERE subject_id = %s",
        records.transfers[0].id,
    )


def conversions_that_offset_each_other(records: LedgerRecords) -> None:
    for converted, change in zip(records.conversions, (1, -1), strict=True):
        shift_entries(records, converted.id, change)


def position_from_nowhere(records: LedgerRecords) -> None:
    records.post(records.account("expenses"), records.account("position"), 1)
    records.corrupt(
        "UPDATE wallets_conversionposition SET amount = amount + 1 WHERE currency_id = 'KES'"
    )


def position_that_is_not_the_accounts(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_conversionposition SET amount = amount + 1 WHERE currency_id = 'KES'"
    )


def treasury_movements_that_offset_each_other(records: LedgerRecords) -> None:
    for number, change in enumerate((1, -1)):
        moved = move(terms("top_up", 100, reference=f"BANK-{number}"))
        shift_entries(records, moved.pk, change)


def adjusting_entries_that_offset_each_other(records: LedgerRecords) -> None:
    for change in (1, -1):
        shift_entries(records, adjust(entry_terms()).pk, change)


def treasury_from_nowhere(records: LedgerRecords) -> None:
    records.post(records.account("expenses"), system_account("KES", AccountKind.TREASURY), 1)


def write_offs_that_offset_each_other(records: LedgerRecords) -> None:
    debt = make_debt(100)
    for change in (1, -1):
        written_off = propose_write_off(
            account_id=debt.pk,
            amount=Decimal(40),
            explanation="Bankrupt",
            user=make_staff("write_off_receivable"),
        )
        confirm_write_off(write_off_id=written_off.pk, user=make_staff("write_off_receivable"))
        shift_entries(records, written_off.pk, change)
    records.carry_balances_on()


def unpublished_transfer(records: LedgerRecords) -> None:
    records.corrupt("DELETE FROM exchange_event WHERE subject_id = %s", records.transfers[0].id)


def unpublished_conversion(records: LedgerRecords) -> None:
    records.corrupt("DELETE FROM exchange_event WHERE subject_id = %s", records.conversions[0].id)


def changed_transfer_document(records: LedgerRecords) -> None:
    records.corrupt("UPDATE wallets_wallettransfer SET document = '{}'")


def changed_conversion_document(records: LedgerRecords) -> None:
    records.corrupt("UPDATE wallets_conversion SET document = '{}'")


def unpublished_approval(records: LedgerRecords) -> None:
    records.corrupt(
        "DELETE FROM exchange_event WHERE subject_id = %s AND type = 'withdrawal.approved'",
        records.approved.id,
    )


def payout_without_a_next_step(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_payout SET next_step_at = NULL WHERE withdrawal_id = %s",
        records.approved.id,
    )


def payout_that_is_not_there(records: LedgerRecords) -> None:
    records.corrupt("DELETE FROM wallets_payout WHERE withdrawal_id = %s", records.approved.id)


def stale_lease(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_payout SET leased_until = now() - interval '25 hours'"
        " WHERE withdrawal_id = %s",
        records.approved.id,
    )


def changed_document(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_withdrawal SET document = replace(document, '500', '501') WHERE id = %s",
        records.pending.id,
    )


def changed_bank_document(records: LedgerRecords) -> None:
    records.corrupt("UPDATE wallets_bankaccount SET document = '{}'")


def overdrawn_wallet(records: LedgerRecords) -> None:
    # Only without its CHECK; the fixture below puts that back.
    records.owner.execute(
        "ALTER TABLE wallets_account DROP CONSTRAINT account_balance_not_negative"
    )
    records.post(records.account("available", records.other), records.account("available"), 1001)


def entry_with_a_random_id(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_entry SET id = gen_random_uuid() WHERE id ="
        " (SELECT min(id::text)::uuid FROM wallets_entry WHERE account_id = %s)",
        records.account("clearing"),
    )


def transfer_with_an_id_of_another_day(records: LedgerRecords) -> None:
    transfer = Transfer.objects.get(subject_id=records.pending.id)
    made = first_id_at(transfer.created_at - timedelta(days=1))
    records.corrupt("UPDATE wallets_transfer SET id = %s WHERE id = %s", made, transfer.id)
    records.corrupt(
        "UPDATE wallets_entry SET transfer_id = %s WHERE transfer_id = %s", made, transfer.id
    )


def entries_in_another_order(records: LedgerRecords) -> None:
    """The hold of the first withdrawal seems to come after that of the second."""
    entries = Entry.objects.filter(account_id=records.account("available")).order_by("id")
    _, first, second, *_ = entries.values_list("id", flat=True)
    other = uuid7()
    for old, new in ((first, other), (second, first), (other, second)):
        records.corrupt("UPDATE wallets_entry SET id = %s WHERE id = %s", new, old)


def changed_checkpoint(records: LedgerRecords) -> None:
    close_transfers()
    books.prove_and_store(WALLET_CHECKS)
    records.corrupt(
        "UPDATE wallets_checkpointbalance SET digest = digest + 1 WHERE account_id = %s",
        records.account("escrow"),
    )


def checkpoint_of_another_server(records: LedgerRecords) -> None:
    close_transfers()
    books.prove_and_store(WALLET_CHECKS)
    records.corrupt("UPDATE wallets_checkpoint SET position = position + 1000000")


TRANSFERRED = "every transfer between wallets moved its amount once, and nothing else moved as one"
NEXT_STEP = "every payout in flight has a next step and no stale lease"
DEPOSITS = "every completed deposit was booked once, to its owner, and nothing else as a deposit"
IN_ORDER = "entries and transfers have ids in the order of time"
MOVED = "every transfer of a withdrawal matches its amounts"
CORRUPTIONS: dict[Callable[[LedgerRecords], None], str] = {
    empty_transfer: "every transfer has two or more legs and sums to zero per asset",
    stray_entry: "the entries of every asset sum to zero",
    changed_balance: "every balance equals its entries",
    overdrawn_wallet: "no owner account is negative, and no receivable positive",
    money_out_of_escrow: "escrow equals open withdrawals",
    money_from_nowhere: (
        "clearing equals deposits and treasury movements less payouts less the provider's charges"
    ),
    unpaid_fee: "fee income equals the fees of paid withdrawals",
    hold_without_subject: "every withdrawal has the transfers of its status",
    deposits_that_differ_in_sum_by_nothing: DEPOSITS,
    deposit_to_another_owner: DEPOSITS,
    deposit_that_was_rejected_but_booked: DEPOSITS,
    deposits_booked_that_cancel_out: DEPOSITS,
    deposit_booked_in_two_parts: DEPOSITS,
    deposit_without_its_payment: (
        "every deposit by a payment has the amount of one payment of its own"
    ),
    dispute_that_holds_nothing: (
        "uncleared money equals the deposits that rest, and what disputes hold"
    ),
    deposit_whose_reversal_took_nothing: "every deposit was taken back as people decided",
    unmatched_payment_without_its_money: "money without an owner equals the unmatched payments",
    changed_deposit_document: "documents of deposits equal their records",
    settlements_that_offset_each_other: MOVED,
    settlements_of_each_others_amount: MOVED,
    holds_that_offset_each_other: MOVED,
    charges_that_offset_each_other: MOVED,
    hold_on_another_wallet: MOVED,
    transfers_that_offset_each_other: TRANSFERRED,
    transfer_without_a_record: TRANSFERRED,
    transfer_of_another_kind: TRANSFERRED,
    conversions_that_offset_each_other: (
        "every conversion moved its amounts once, and nothing else moved as one"
    ),
    position_from_nowhere: (
        "positions equal conversions less treasury movements, and fee income their spreads"
    ),
    position_that_is_not_the_accounts: (
        "the position kept for limits equals the entries of its account"
    ),
    treasury_movements_that_offset_each_other: (
        "every confirmed treasury movement moved its amounts once, and nothing else moved as one"
    ),
    adjusting_entries_that_offset_each_other: (
        "every confirmed adjusting entry moved its amount once, and nothing else moved as one"
    ),
    treasury_from_nowhere: (
        "treasury equals top-ups less draw-downs and the money of closed positions"
    ),
    write_offs_that_offset_each_other: (
        "every confirmed write-off was booked once, to its debt, and nothing else as one"
    ),
    unpublished_transfer: "every transfer between wallets has its event",
    unpublished_conversion: "every conversion has its event",
    changed_transfer_document: "documents of transfers between wallets equal their records",
    changed_conversion_document: "documents of conversions equal their records",
    unpublished_approval: "every status of a withdrawal has its event",
    payout_without_a_next_step: NEXT_STEP,
    payout_that_is_not_there: NEXT_STEP,
    stale_lease: NEXT_STEP,
    changed_document: "documents equal their records",
    changed_bank_document: "documents equal their records",
    entry_with_a_random_id: IN_ORDER,
    transfer_with_an_id_of_another_day: IN_ORDER,
    entries_in_another_order: IN_ORDER,
    changed_checkpoint: "the checkpoint equals the entries that it stands for",
    checkpoint_of_another_server: "the checkpoint is of this database server",
}
