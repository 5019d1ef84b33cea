"""Transfers that nothing called for, tried with a login that is the service's own.

All are rejected and change nothing, so all tests share the same records.
"""

from collections.abc import Callable, Iterator
from uuid import UUID

import psycopg
import pytest
from psycopg import errors

from exchange.core.ids import uuid7
from tests.assertions.ledger import (
    account_id_of,
    copy_withdrawal,
    enter_deposit,
    ledger_snapshot,
    system_account_id,
)
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.database import Connection
from tests.environment.module_database import module_rows
from tests.factories.wallets import make_wallet
from tests.wallets.ledger.attacked import LedgerRecords, make_ledger_records
from wallets.deposits.models import Deposit
from wallets.ledger.models import Account

__all__ = ["module_rows"]


@pytest.fixture(scope="module")
def attacker(module_rows: None, login: str) -> Iterator[Connection]:
    with psycopg.connect(login, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def records(attacker: Connection) -> LedgerRecords:
    return make_ledger_records(attacker)


def post_deposit(
    records: LedgerRecords, reference: str, made: UUID | None, amount: int, origin: str = "clearing"
) -> None:
    legs = (system_account_id(origin), f"-{amount}"), (account_id_of(records.wallet), f"{amount}")
    records.post("deposit", reference, made, *legs)


def deposit_of_nothing(records: LedgerRecords) -> None:
    post_deposit(records, "deposit:1", None, 9)


def deposit_that_is_pending(records: LedgerRecords) -> None:
    made = enter_deposit(records.attacker, records.wallet, "9", confirmed=False)
    post_deposit(records, f"deposit:{made}", made, 9)


def deposit_of_more(records: LedgerRecords) -> None:
    made = enter_deposit(records.attacker, records.wallet, "9")
    post_deposit(records, f"deposit:{made}", made, 10)


def deposit_to_another_owner(records: LedgerRecords) -> None:
    made = enter_deposit(records.attacker, records.other, "9")
    post_deposit(records, f"deposit:{made}", made, 9)


def deposit_booked_again(records: LedgerRecords) -> None:
    made = Deposit.objects.get(owner_id=records.wallet.owner_id).id
    post_deposit(records, f"again:{made}", made, 1000)


def deposit_out_of_fees(records: LedgerRecords) -> None:
    made = enter_deposit(records.attacker, records.wallet, "9")
    post_deposit(records, f"deposit:{made}", made, 9, "fees")


def of_the_withdrawal(
    kind: str, end: str, *legs: tuple[str, str]
) -> Callable[[LedgerRecords], None]:
    def attack(records: LedgerRecords) -> None:
        accounts = [
            (
                account_id_of(records.wallet, name)
                if name in {"available", "escrow"}
                else system_account_id(name),
                amount,
            )
            for name, amount in legs
        ]
        subject = records.withdrawal.id
        records.post(kind, f"withdrawal:{subject}:{end}", subject, *accounts)

    attack.__name__ = kind
    return attack


def release_to_another_owner(records: LedgerRecords) -> None:
    subject = records.withdrawal.id
    records.attacker.execute(
        "UPDATE wallets_withdrawal SET status = 'Cancelled', version = 2 WHERE id = %s", [subject]
    )
    records.post(
        "withdrawal_release",
        f"withdrawal:{subject}:close",
        subject,
        (account_id_of(records.wallet, "escrow"), "-500"),
        (account_id_of(records.other), "500"),
    )


def units_issued_again(records: LedgerRecords) -> None:
    token = records.lending.token
    issuance = Account.objects.get(asset_id=str(token.id), kind="issuance").id
    records.post(
        "units_issue",
        f"token:{token.id}:again",
        token.id,
        (issuance, f"-{token.total_supply}"),
        (records.units(records.lending.borrower, "available"), f"{token.total_supply}"),
    )


def loan_repaid_by_nothing(records: LedgerRecords) -> None:
    loan, lending = records.loan, records.lending
    records.post(
        "loan_repay",
        f"loan:{loan.id}:repay:{uuid7()}",
        loan.id,
        (records.money(lending.borrower), "-100"),
        (records.money(lending.creditor), "100"),
    )


def collateral_released(records: LedgerRecords) -> None:
    loan, borrower = records.loan, records.lending.borrower
    records.post(
        "loan_release",
        f"loan:{loan.id}:loan_release:{uuid7()}",
        loan.id,
        (records.units(borrower, "lien"), "-1"),
        (records.units(borrower, "available"), "1"),
    )


def collateral_passed_to_the_creditor(records: LedgerRecords) -> None:
    loan, lending = records.loan, records.lending
    theirs = records.attacker.execute(
        "SELECT open_account(%s, %s, 'available', %s, NULL)",
        [uuid7(), str(lending.token.id), lending.creditor.organisation.id],
    ).fetchone()
    assert theirs is not None
    records.post(
        "loan_liquidate",
        f"loan:{loan.id}:end",
        loan.id,
        (records.units(lending.borrower, "lien"), "-1"),
        (theirs[0], "1"),
    )


def loan_written_off(records: LedgerRecords) -> None:
    loan = records.loan
    books_of_loans = Account.objects.get(asset_id="NGN", kind="loans").id
    records.post(
        "loan_write_off",
        f"loan:{loan.id}:end",
        loan.id,
        (records.money(records.lending.creditor, "principal"), f"-{loan.amount}"),
        (books_of_loans, f"{loan.amount}"),
    )


def kind_without_a_rule(records: LedgerRecords) -> None:
    records.post(
        "gift", "gift:1", None, (system_account_id(), "-9"), (account_id_of(records.wallet), "9")
    )


def by_a_functions_kind(kind: str) -> Callable[[LedgerRecords], None]:
    def attack(records: LedgerRecords) -> None:
        subject = records.withdrawal.id
        records.post(
            kind,
            f"order:{subject}:x",
            subject,
            (account_id_of(records.other), "-9"),
            (account_id_of(records.wallet), "9"),
        )

    attack.__name__ = kind
    return attack


UNJUSTIFIED = [
    deposit_of_nothing,
    deposit_that_is_pending,
    deposit_of_more,
    deposit_to_another_owner,
    deposit_booked_again,
    deposit_out_of_fees,
    of_the_withdrawal("withdrawal_release", "close", ("escrow", "-500"), ("available", "500")),
    of_the_withdrawal(
        "withdrawal_settle", "close", ("escrow", "-500"), ("clearing", "470"), ("fees", "30")
    ),
    of_the_withdrawal("withdrawal_reverse", "reverse", ("clearing", "-470"), ("available", "470")),
    of_the_withdrawal("provider_charge", "charge", ("expenses", "-1"), ("clearing", "1")),
    release_to_another_owner,
    units_issued_again,
    loan_repaid_by_nothing,
    collateral_released,
    collateral_passed_to_the_creditor,
    loan_written_off,
]
BY_FUNCTIONS_ONLY = [
    kind_without_a_rule,
    *map(
        by_a_functions_kind,
        (
            "withdrawal_hold", "order_reserve", "order_release", "trade", "raise_sale",
            "raise_complete", "loan_disburse",
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize("attack", UNJUSTIFIED, ids=lambda attack: attack.__name__)
def test_a_transfer_that_no_record_justifies_is_refused(records, attack):
    with (
        assert_nothing_changes(),
        pytest.raises(errors.CheckViolation) as error,
        records.attacker.transaction(),
    ):
        attack(records)
    assert error.value.diag.constraint_name == "transfer_justified"


@pytest.mark.parametrize("attack", BY_FUNCTIONS_ONLY, ids=lambda attack: attack.__name__)
def test_what_functions_post_with_their_record_the_login_does_not_post(records, attack):
    with (
        assert_nothing_changes(),
        pytest.raises(errors.InsufficientPrivilege),
        records.attacker.transaction(),
    ):
        attack(records)


@pytest.mark.parametrize(
    "function",
    [
        "post_transfers('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
        "set_transfer_rule('deposit', '{}', '{}', '', '', '{}', true, 'true')",
        "write_transfer_justified()",
        "request_withdrawals_execute('{}')",
    ],
)
def test_what_only_other_functions_need_the_login_does_not_call(attacker, function):
    with pytest.raises(errors.InsufficientPrivilege):
        attacker.execute(f"SELECT {function}")


def test_a_hold_with_extra_legs_is_rejected_whoever_posts(attacker, owner_connection):
    records = make_ledger_records(attacker)
    wallet, made = records.wallet, uuid7()
    own = [(account_id_of(wallet), "-9"), (account_id_of(wallet, "escrow"), "9")]
    more = [(account_id_of(records.other), "-7"), (account_id_of(make_wallet(1000)), "7")]

    def hold(*legs: tuple[UUID, str]) -> None:
        transfer = uuid7()
        with owner_connection.transaction():
            copy_withdrawal(
                owner_connection, records.withdrawal.id, id=made, amount=9, fee=1, disburse_amount=8
            )
            owner_connection.execute(
                "SELECT post_transfers(%s, ARRAY['withdrawal_hold'], %s, %s, ARRAY['x'], ARRAY[''],"
                " %s, %s, %s::numeric[])",
                [
                    [transfer],
                    [f"withdrawal:{made}:hold"],
                    [made],
                    [transfer for _ in legs],
                    [account for account, _ in legs],
                    [amount for _, amount in legs],
                ],
            )

    before = ledger_snapshot()
    with pytest.raises(errors.CheckViolation) as error:
        hold(*own, *more)
    assert error.value.diag.constraint_name == "transfer_justified"
    assert ledger_snapshot() == before
    hold(*own)
    assert ledger_snapshot() != before
