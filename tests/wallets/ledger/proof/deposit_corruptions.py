"""Corruptions of deposits, their reversals and payments."""

from exchange.core.ids import uuid7
from tests.wallets.ledger.proof.corrupted import LedgerRecords
from wallets.deposits.models import Deposit
from wallets.deposits.payloads import DEPOSIT


def rewrite_deposits(records: LedgerRecords) -> None:
    """Make the documents of deposits equal their corrupted records."""
    document = DEPOSIT.expression("wallets_deposit")
    records.corrupt(f"UPDATE wallets_deposit SET document = {document}")


def deposit_without_its_payment(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_deposit SET channel = 'checkout' WHERE owner_id = %s",
        records.other.owner_id,
    )
    rewrite_deposits(records)


def dispute_that_holds_nothing(records: LedgerRecords) -> None:
    records.corrupt(
        "INSERT INTO wallets_depositreversal (id, deposit_id, amount, held, explanation, status,"
        " reason, created_at) SELECT %s, id, 1, 1, 'x', 'Pending', '', now()"
        " FROM wallets_deposit WHERE owner_id = %s",
        uuid7(),
        records.other.owner_id,
    )


def deposit_whose_reversal_took_nothing(records: LedgerRecords) -> None:
    records.corrupt(
        "INSERT INTO wallets_depositreversal (id, deposit_id, amount, explanation, status, reason,"
        " created_at, decided_at) SELECT %s, id, 1, 'x', 'Approved', '', now(), now()"
        " FROM wallets_deposit WHERE owner_id = %s",
        uuid7(),
        records.other.owner_id,
    )


def unmatched_payment_without_its_money(records: LedgerRecords) -> None:
    """The provider's fee makes up for it in clearing."""
    records.corrupt(
        "INSERT INTO wallets_payment (id, transaction_id, tx_ref, status, provider_reference,"
        " currency_code, amount, booked_fee, payment_type, payer_name, last_error, lookups,"
        " created_at, updated_at) VALUES (%s, 7, '', 'Unmatched', '', 'KES', 5, 5, '', '', '', 0,"
        " now(), now())",
        uuid7(),
    )


def changed_deposit_document(records: LedgerRecords) -> None:
    records.corrupt(
        "UPDATE wallets_deposit SET document = '{}' WHERE owner_id = %s", records.other.owner_id
    )


def deposits_that_differ_in_sum_by_nothing(records: LedgerRecords) -> None:
    for wallet, change in ((records.wallet, 1), (records.other, -1)):
        records.corrupt(
            "UPDATE wallets_deposit SET amount = amount + %s WHERE owner_id = %s",
            change,
            wallet.owner_id,
        )
    rewrite_deposits(records)


def deposit_to_another_owner(records: LedgerRecords) -> None:
    """Two deposits of 1000 each, and each booked to the other's wallet."""
    records.corrupt(
        "UPDATE wallets_transfer t SET subject_id = (SELECT d.id FROM wallets_deposit d"
        " WHERE d.owner_id = ANY (%s) AND d.id <> t.subject_id)"
        " WHERE t.subject_id IN (SELECT id FROM wallets_deposit WHERE owner_id = ANY (%s))",
        *[[records.other.owner_id, records.third.owner_id]] * 2,
    )


def deposit_that_was_rejected_but_booked(records: LedgerRecords) -> None:
    """The other deposit makes up for it."""
    records.corrupt(
        "UPDATE wallets_deposit SET status = 'Failed' WHERE owner_id = %s", records.other.owner_id
    )
    records.corrupt(
        "UPDATE wallets_deposit SET amount = 2000 WHERE owner_id = %s", records.third.owner_id
    )
    rewrite_deposits(records)


def deposits_booked_that_cancel_out(records: LedgerRecords) -> None:
    records.post(records.account("clearing"), records.account("available"), 7, "deposit")
    records.post(records.account("available"), records.account("clearing"), 7, "deposit")


def deposit_booked_in_two_parts(records: LedgerRecords) -> None:
    deposit = Deposit.objects.get(owner_id=records.other.owner_id)
    for leg, part in (("available", 1), ("clearing", -1)):
        records.corrupt(
            "UPDATE wallets_entry SET amount = amount - %s WHERE account_id = %s AND transfer_id ="
            " (SELECT id FROM wallets_transfer WHERE subject_id = %s)",
            part,
            records.account(leg, records.other),
            deposit.id,
        )
    records.post_legs(
        (records.account("clearing"), "-1"),
        (records.account("available", records.other), "1"),
        kind="deposit",
        reference="rest",
    )
    # The rest was posted on top of the balance, which the first part had been taken out of.
    records.corrupt(
        "UPDATE wallets_account SET balance = balance - 1 WHERE id = %s",
        records.account("available", records.other),
    )
    records.corrupt(
        "UPDATE wallets_transfer SET subject_id = %s WHERE reference = 'rest'", deposit.id
    )
