"""Attempts to forge the rules and records behind transfers, with the service's own login.

What still passes is found, by the proof of books or in the audit.
"""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from psycopg import errors
from psycopg.types.json import Jsonb

from config.books import WALLET_CHECKS
from credit.loans.models import Loan
from exchange.core.ids import uuid7
from exchange.core.models import Change
from exchange.tokens.models import Token
from tests.assertions.ledger import enter_deposit, ledger_snapshot, post_deposit
from tests.factories.payouts import settle_at_bank
from tests.factories.wallets import (
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    make_wallet,
    status_of,
    store_bank_list,
)
from tests.wallets.ledger.attacked import LedgerRecords
from wallets.ledger import proof as books
from wallets.ledger.models import TransferKind
from wallets.payouts.services.execution import check_status, send_payout

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "attack",
    [
        "INSERT INTO wallets_transferrule SELECT 'gift', leaves, enters, reference, record, states,"
        " by_service FROM wallets_transferrule WHERE kind = 'deposit'",
        "UPDATE wallets_transferrule SET by_service = true",
        "DELETE FROM wallets_transferrule",
    ],
)
def test_the_login_changes_no_rule(runtime, attack):
    with pytest.raises(errors.InsufficientPrivilege):
        runtime.execute(attack)


def test_a_rule_stands_for_every_kind_of_transfer(runtime):
    rows = runtime.execute("SELECT kind FROM wallets_transferrule").fetchall()
    assert {kind for (kind,) in rows} == set(TransferKind.values)


def test_the_record_does_not_change_once_its_transfer_was_checked(records):
    with records.attacker.transaction():
        post_deposit(records.attacker, records.wallet, "9")
        records.attacker.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(errors.RestrictViolation), records.attacker.transaction():
            records.attacker.execute("UPDATE wallets_deposit SET amount = 1 WHERE amount = 9")
    assert_books_hold()


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ("status", "'Completed'"),
        ("decided_by_id, status", "(SELECT id FROM exchange_staffuser LIMIT 1), 'Pending'"),
    ],
)
def test_a_deposit_is_not_entered_decided(records, django_user_model, columns, values):
    django_user_model.objects.create_user("somebody")
    with pytest.raises(errors.CheckViolation):
        records.attacker.execute(
            "INSERT INTO wallets_deposit (id, organisation_id, currency_id, amount, reference,"
            f" note, reason, created_at, {columns}) VALUES (%s, %s, 'KES', 9, 'x', '', '', now(),"
            f" {values})",
            [uuid7(), records.wallet.organisation.id],
        )


def test_one_person_cannot_confirm_a_deposit_without_an_entry(records, django_user_model):
    made = enter_deposit(records.attacker, records.wallet, "9", confirmed=False)
    user = django_user_model.objects.create_user("somebody", is_staff=True)
    with pytest.raises(errors.CheckViolation):
        records.attacker.execute(
            "UPDATE wallets_deposit SET status = 'Completed', decided_by_id = %s WHERE id = %s",
            [user.id, made],
        )


def forged(loan: Loan, **changes: Any) -> dict[str, Any]:
    """The columns of another loan like this one."""
    columns = {field.attname: getattr(loan, field.attname) for field in Loan._meta.concrete_fields}
    columns |= {"id": uuid7(), **changes}
    return {name: str(value) for name, value in columns.items() if value is not None}


def make_loan(records: LedgerRecords, units: int, **changes: Any) -> UUID:
    """Call the function that writes loans, past the rules of the service."""
    columns = forged(records.loan, **changes)
    records.attacker.execute(
        "SELECT make_loan(%s, %s, %s, %s, %s)",
        [
            Jsonb(columns),
            [records.lending.token.id],
            [Decimal(units)],
            [Decimal(10_000)],
            [uuid7() for _ in range(3)],
        ],
    )
    return UUID(columns["id"])


@pytest.mark.parametrize(
    ("changes", "units", "constraint"),
    [
        ({"interest_rate": "0", "repayment_amount": "840000"}, 105, "loan_by_terms"),
        ({"collateral_ratio": "1"}, 105, "loan_by_terms"),
        ({"amount": "4000000", "repayment_amount": "7600000"}, 105, "loan_by_terms"),
        ({"repayment_amount": "840000"}, 105, "loan_by_terms"),
        ({"duration": "60"}, 105, "loan_by_terms"),
        ({}, 1, "loan_covered"),
    ],
)
@pytest.mark.one_in(3)
def test_a_loan_is_made_by_the_terms_in_force_whoever_calls(records, changes, units, constraint):
    before = ledger_snapshot()
    with pytest.raises(errors.CheckViolation) as error:
        make_loan(records, units, **changes)
    assert error.value.diag.constraint_name == constraint
    assert ledger_snapshot() == before


def test_units_of_an_open_raise_are_not_liened_whoever_calls(records, owner_connection):
    token = records.lending.token.id
    loan = make_loan(records, 105)
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute(
            "UPDATE exchange_token SET completed_raise = false WHERE id = %s", [token]
        )
    before = ledger_snapshot()
    with pytest.raises(errors.CheckViolation) as error:
        make_loan(records, 105)
    assert error.value.diag.constraint_name == "transfer_justified"
    assert ledger_snapshot() == before

    def move(kind: str, sign: int) -> None:
        """Pledge one more unit of the loan that is there, or release one."""
        lien, available = (
            records.units(records.lending.borrower, account) for account in ("lien", "available")
        )
        with records.attacker.transaction():
            records.attacker.execute(
                "UPDATE credit_collateral SET quantity = quantity + %s WHERE loan_id = %s",
                [sign, loan],
            )
            records.post(
                f"loan_{kind}",
                f"loan:{loan}:loan_{kind}:{uuid7()}",
                loan,
                (lien, str(sign)),
                (available, str(-sign)),
            )

    with pytest.raises(errors.CheckViolation) as error:
        move("pledge", 1)
    assert error.value.diag.constraint_name == "transfer_justified"
    assert ledger_snapshot() == before
    move("release", -1)
    assert ledger_snapshot() != before


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE exchange_token SET price_sell = price_sell * 100",
        "UPDATE exchange_token SET price_buy = price_buy / 2",
        "UPDATE exchange_token SET price_exchange = 1",
        "UPDATE exchange_token SET quoted_at = now() + interval '1 year'",
    ],
)
@pytest.mark.one_in(3)
def test_prices_change_with_a_quote_only(records, attack):
    before = list(Token.objects.values_list("price_buy", "price_sell", "quoted_at"))
    with pytest.raises(errors.CheckViolation) as error:
        records.attacker.execute(attack)
    assert error.value.diag.constraint_name == "token_price_by_quote"
    assert list(Token.objects.values_list("price_buy", "price_sell", "quoted_at")) == before


def test_an_old_quote_does_not_bring_its_prices_back(records):
    old = records.lending.token.price_sell
    records.lending.set_price(20_000)
    records.lending.set_price(old)
    records.lending.set_price(20_000)
    with pytest.raises(errors.CheckViolation):
        records.attacker.execute("UPDATE exchange_token SET price_sell = %s", [old])


def test_the_login_makes_no_superuser(records, django_user_model):
    user = django_user_model.objects.create_user("somebody")
    with pytest.raises(errors.InsufficientPrivilege):
        records.attacker.execute(
            "UPDATE exchange_staffuser SET is_superuser = true WHERE id = %s", [user.id]
        )
    user.refresh_from_db()
    assert not user.is_superuser


# What still passes is found, by the proof of books or in the audit (docs/ledger.md).


def found_by_proof(check: str) -> bool:
    return check in {finding.check for finding in books.prove(WALLET_CHECKS).findings}


def test_a_deposit_that_was_confirmed_and_never_booked_is_found(records):
    enter_deposit(records.attacker, records.wallet, "9")
    assert found_by_proof(
        "every completed deposit was booked once, to its owner, and nothing else as a deposit"
    )


def test_a_withdrawal_that_was_moved_on_without_its_money_is_found(records):
    records.attacker.execute(
        "UPDATE wallets_withdrawal SET status = 'Cancelled', version = 2 WHERE id = %s",
        [records.withdrawal.id],
    )
    assert found_by_proof("every withdrawal has the transfers of its status")
    assert found_by_proof("escrow equals open withdrawals")


def test_a_charge_that_was_raised_after_it_was_booked_is_found(runtime, provider_sandbox):
    """The login may write what the provider charged; the charge that was booked stays as it was."""
    store_bank_list()
    paid = make_approved_withdrawal(make_wallet(1000))
    send_payout(paid.id)
    settle_at_bank(provider_sandbox, paid)
    check_status(paid.id)
    assert status_of(paid) == "Completed"
    assert_books_hold()
    runtime.execute(
        "UPDATE wallets_payout SET provider_fee = provider_fee + 9 WHERE withdrawal_id = %s",
        [paid.id],
    )
    assert not books.prove(WALLET_CHECKS).passed


@pytest.mark.parametrize("table", ["wallets_deposit", "exchange_quote"])
def test_a_record_that_the_login_made_up_stays_in_the_audit(records, table):
    with records.attacker.transaction():
        if table == "wallets_deposit":
            post_deposit(records.attacker, records.wallet, "9")
        else:
            # In the name of two people.
            records.attacker.execute(
                "INSERT INTO exchange_quote (id, token_id, buy, sell, exchange, status, note,"
                " reason, created_at, proposed_by_id)"
                " VALUES (%s, %s, 99, 99, 0, 'Pending', '', '', now(), %s)",
                [uuid7(), records.lending.token.id, make_staff().pk],
            )
            records.attacker.execute(
                "UPDATE exchange_quote SET status = 'Approved', decided_at = now(),"
                " decided_by_id = %s WHERE status = 'Pending'",
                [make_staff().pk],
            )
            records.attacker.execute(
                "UPDATE exchange_token SET price_buy = 99, price_sell = 99, price_exchange = 0"
                " WHERE id = %s",
                [records.lending.token.id],
            )
    assert Change.objects.filter(
        table=table, operation="INSERT", database_user__startswith="login_"
    ).exists()
    with pytest.raises(errors.InsufficientPrivilege):
        records.attacker.execute("DELETE FROM exchange_change")
