"""Transfers that nothing called for, tried with a login that is the service's own.

All are refused and change nothing, so all tests attack one world.
"""

from __future__ import annotations

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
from tests.wallets.ledger.attacked import World, make_world
from wallets.deposits.models import Deposit
from wallets.ledger.models import Account

__all__ = ["module_rows"]


@pytest.fixture(scope="module")
def attacker(module_rows: None, login: str) -> Iterator[Connection]:
    with psycopg.connect(login, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def world(attacker: Connection) -> World:
    return make_world(attacker)


def deposit_of_nothing(world: World) -> None:
    world.post(
        "deposit",
        "deposit:1",
        None,
        (system_account_id(), "-9"),
        (account_id_of(world.wallet), "9"),
    )


def deposit_that_is_pending(world: World) -> None:
    made = enter_deposit(world.attacker, world.wallet, "9", confirmed=False)
    world.post(
        "deposit",
        f"deposit:{made}",
        made,
        (system_account_id(), "-9"),
        (account_id_of(world.wallet), "9"),
    )


def deposit_of_more(world: World) -> None:
    made = enter_deposit(world.attacker, world.wallet, "9")
    world.post(
        "deposit",
        f"deposit:{made}",
        made,
        (system_account_id(), "-10"),
        (account_id_of(world.wallet), "10"),
    )


def deposit_of_somebody_else(world: World) -> None:
    made = enter_deposit(world.attacker, world.other, "9")
    world.post(
        "deposit",
        f"deposit:{made}",
        made,
        (system_account_id(), "-9"),
        (account_id_of(world.wallet), "9"),
    )


def deposit_booked_again(world: World) -> None:
    made = Deposit.objects.get(owner_id=world.wallet.owner_id).id
    world.post(
        "deposit",
        f"again:{made}",
        made,
        (system_account_id(), "-1000"),
        (account_id_of(world.wallet), "1000"),
    )


def deposit_out_of_fees(world: World) -> None:
    made = enter_deposit(world.attacker, world.wallet, "9")
    world.post(
        "deposit",
        f"deposit:{made}",
        made,
        (system_account_id("fees"), "-9"),
        (account_id_of(world.wallet), "9"),
    )


def of_the_withdrawal(kind: str, end: str, *legs: tuple[str, str]) -> Callable[[World], None]:
    def attack(world: World) -> None:
        accounts = [
            (
                account_id_of(world.wallet, name)
                if name in {"available", "escrow"}
                else system_account_id(name),
                amount,
            )
            for name, amount in legs
        ]
        subject = world.withdrawal.id
        world.post(kind, f"withdrawal:{subject}:{end}", subject, *accounts)

    attack.__name__ = kind
    return attack


def release_to_somebody_else(world: World) -> None:
    subject = world.withdrawal.id
    world.attacker.execute(
        "UPDATE wallets_withdrawal SET status = 'Cancelled', version = 2 WHERE id = %s", [subject]
    )
    world.post(
        "withdrawal_release",
        f"withdrawal:{subject}:close",
        subject,
        (account_id_of(world.wallet, "escrow"), "-500"),
        (account_id_of(world.other), "500"),
    )


def units_issued_again(world: World) -> None:
    token = world.lending.token
    issuance = Account.objects.get(asset_id=str(token.id), kind="issuance").id
    world.post(
        "units_issue",
        f"token:{token.id}:again",
        token.id,
        (issuance, f"-{token.total_supply}"),
        (world.units(world.lending.borrower, "available"), f"{token.total_supply}"),
    )


def loan_repaid_by_nothing(world: World) -> None:
    loan, lending = world.loan, world.lending
    world.post(
        "loan_repay",
        f"loan:{loan.id}:repay:{uuid7()}",
        loan.id,
        (world.money(lending.borrower), "-100"),
        (world.money(lending.creditor), "100"),
    )


def collateral_released(world: World) -> None:
    loan, borrower = world.loan, world.lending.borrower
    world.post(
        "loan_release",
        f"loan:{loan.id}:loan_release:{uuid7()}",
        loan.id,
        (world.units(borrower, "lien"), "-1"),
        (world.units(borrower, "available"), "1"),
    )


def collateral_passed_to_the_creditor(world: World) -> None:
    loan, lending = world.loan, world.lending
    theirs = world.attacker.execute(
        "SELECT open_account(%s, %s, 'available', %s, NULL)",
        [uuid7(), str(lending.token.id), lending.creditor.organisation.id],
    ).fetchone()
    assert theirs is not None
    world.post(
        "loan_liquidate",
        f"loan:{loan.id}:end",
        loan.id,
        (world.units(lending.borrower, "lien"), "-1"),
        (theirs[0], "1"),
    )


def loan_written_off(world: World) -> None:
    loan = world.loan
    books_of_loans = Account.objects.get(asset_id="NGN", kind="loans").id
    world.post(
        "loan_write_off",
        f"loan:{loan.id}:end",
        loan.id,
        (world.money(world.lending.creditor, "principal"), f"-{loan.amount}"),
        (books_of_loans, f"{loan.amount}"),
    )


def kind_without_a_rule(world: World) -> None:
    world.post(
        "gift", "gift:1", None, (system_account_id(), "-9"), (account_id_of(world.wallet), "9")
    )


def by_a_functions_kind(kind: str) -> Callable[[World], None]:
    def attack(world: World) -> None:
        subject = world.withdrawal.id
        world.post(
            kind,
            f"order:{subject}:x",
            subject,
            (account_id_of(world.other), "-9"),
            (account_id_of(world.wallet), "9"),
        )

    attack.__name__ = kind
    return attack


UNJUSTIFIED = [
    deposit_of_nothing,
    deposit_that_is_pending,
    deposit_of_more,
    deposit_of_somebody_else,
    deposit_booked_again,
    deposit_out_of_fees,
    of_the_withdrawal("withdrawal_release", "close", ("escrow", "-500"), ("available", "500")),
    of_the_withdrawal(
        "withdrawal_settle", "close", ("escrow", "-500"), ("clearing", "470"), ("fees", "30")
    ),
    of_the_withdrawal("withdrawal_reverse", "reverse", ("clearing", "-470"), ("available", "470")),
    of_the_withdrawal("provider_charge", "charge", ("expenses", "-1"), ("clearing", "1")),
    release_to_somebody_else,
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
def test_a_transfer_that_no_record_justifies_is_refused(world, attack):
    with (
        assert_nothing_changes(),
        pytest.raises(errors.CheckViolation) as error,
        world.attacker.transaction(),
    ):
        attack(world)
    assert error.value.diag.constraint_name == "transfer_justified"


@pytest.mark.parametrize("attack", BY_FUNCTIONS_ONLY, ids=lambda attack: attack.__name__)
def test_what_functions_post_with_their_record_the_login_does_not_post(world, attack):
    with (
        assert_nothing_changes(),
        pytest.raises(errors.InsufficientPrivilege),
        world.attacker.transaction(),
    ):
        attack(world)


@pytest.mark.parametrize(
    "function",
    [
        "post_transfers('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
        "set_transfer_rule('deposit', '{}', '{}', '', '', '{}', true)",
        "hold_withdrawals('{}')",
    ],
)
def test_what_only_other_functions_need_the_login_does_not_call(attacker, function):
    with pytest.raises(errors.InsufficientPrivilege):
        attacker.execute(f"SELECT {function}")


def test_a_hold_with_legs_beside_its_own_is_refused_whoever_posts(attacker, owner_connection):
    world = make_world(attacker)
    wallet, made = world.wallet, uuid7()
    own = [(account_id_of(wallet), "-9"), (account_id_of(wallet, "escrow"), "9")]
    more = [(account_id_of(world.other), "-7"), (account_id_of(make_wallet(1000)), "7")]

    def hold(*legs: tuple[UUID, str]) -> None:
        transfer = uuid7()
        with owner_connection.transaction():
            copy_withdrawal(
                owner_connection, world.withdrawal.id, id=made, amount=9, fee=1, disburse_amount=8
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
