"""Justification of loan transfers, leg by leg: the functions of `transfer_rules.sql`.

Records are written without guards, so that a function is tested on its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from credit.loans.models import ClosureProposal, Collateral, Loan, Repayment
from exchange.core.ids import uuid7
from exchange.tokens.models import Token
from tests.environment.owner import without_guards
from tests.environment.sql_functions import Record, expression
from tests.factories.bare_rows import NOON, as_json, insert_row
from tests.factories.distributions import DAY
from wallets.ledger.models import Account, AccountKind, Entry, TransferKind

pytestmark = pytest.mark.django_db

Legs = set[tuple[str, str, str, int]]
CREDITOR, BORROWER, STRANGER = uuid7(), uuid7(), uuid7()
OWNERS = {"creditor": CREDITOR, "borrower": BORROWER, "stranger": STRANGER}
NAMES = {owner: name for name, owner in OWNERS.items()}
ENDS = ("loan_liquidate", "loan_write_off")


@dataclass
class Rows:
    """Writes records and calls the functions on them."""

    cursor: Any
    tokens: dict[str, UUID] = field(default_factory=dict)
    accounts: dict[tuple[str, str, str], UUID] = field(default_factory=dict)

    def loan(self, **given: Any) -> dict[str, Any]:
        usual = {"creditor_id": CREDITOR, "borrower_id": BORROWER}
        return insert_row(self.cursor, Loan, **{**usual, **given})

    def token(self, name: str, *, completed_raise: bool = True) -> UUID:
        made: UUID = insert_row(
            self.cursor, Token, name=name, symbol=name, reference=ord(name),
            completed_raise=completed_raise,
        )["id"]  # fmt: skip
        self.tokens[name] = made
        return made

    def collateral(self, loan: dict[str, Any], name: str, quantity: int) -> None:
        token = self.tokens[name]
        insert_row(self.cursor, Collateral, loan_id=loan["id"], token_id=token, quantity=quantity)

    def ask(self, function: str, transfer: dict[str, Any], *records: dict[str, Any]) -> Any:
        """Return the result of `function` for a transfer, or for a loan and one leg."""
        types = ("wallets_transfer", "credit_loan", "transfer_leg")
        arguments = map(Record, types, (transfer, *records))
        text, values = expression(function, *arguments)
        self.cursor.execute(f"SELECT {text}", values)
        return self.cursor.fetchone()[0]


@pytest.fixture
def rows() -> Iterator[Rows]:
    with without_guards() as cursor:
        yield Rows(cursor)


def money_that_fits(
    rows: Rows, kind: str, reference: str, loan: dict[str, Any]
) -> set[tuple[str, str, int]]:
    """Return the accepted legs among all account kinds, owners and some amounts."""
    amounts = [sign * amount for amount in (1, 7, 23, 30, 37, 60, 140) for sign in (1, -1)]
    rows.cursor.execute(
        "SELECT k, o, a FROM unnest(%s::text[]) k, unnest(%s::uuid[]) o, unnest(%s::int[]) a"
        " WHERE loan_money_fits(jsonb_populate_record(NULL::wallets_transfer, %s),"
        " jsonb_populate_record(NULL::credit_loan, %s),"
        " ROW(k, o, 0, 'NGN', a, true)::transfer_leg)",
        [
            AccountKind.values, list(OWNERS.values()), amounts,
            as_json({"kind": kind, "reference": reference}), as_json(loan),
        ],
    )  # fmt: skip
    return {(kind, NAMES[owner], amount) for kind, owner, amount in rows.cursor.fetchall()}


def test_a_repayment_moves_its_amount_and_each_part_to_its_account(rows):
    loan, other = rows.loan(), rows.loan()
    former, payment, elsewhere = (
        insert_row(
            rows.cursor, Repayment, loan_id=of["id"], amount=sum(parts), principal=parts[0],
            interest=parts[1],
        )["id"]
        for of, parts in ((loan, (1, 140)), (loan, (30, 7)), (other, (30, 7)))
    )  # fmt: skip

    def found(repayment: UUID, kind: str = "loan_repay") -> set[tuple[str, str, int]]:
        return money_that_fits(rows, kind, f"loan:{loan['id']}:repay:{repayment}", loan)

    assert found(payment) == {
        ("available", "borrower", -37),
        ("available", "creditor", 37),
        ("principal", "creditor", -30),
        ("interest", "creditor", 7),
        *(("loans", owner, 23) for owner in OWNERS if owner != "borrower"),
    }
    assert found(former) == {("principal", "creditor", -1), ("interest", "creditor", 140)}
    # Of another loan, of none, or of a transfer that repays nothing.
    assert found(elsewhere) == found(uuid7()) == set()
    for kind in set(TransferKind.values) - {"loan_repay", "loan_release", *ENDS}:
        assert found(payment, kind) == set()


def test_closure_removes_the_outstanding_principal_from_the_books(rows):
    loan = rows.loan(principal_repaid=40)
    for kind in TransferKind.values:
        expected = (
            {
                ("principal", "creditor", -60),
                *(("loans", owner, 60) for owner in OWNERS if owner != "borrower"),
            }
            if kind in ENDS
            else set()
        )
        if kind in {*ENDS, "loan_release"}:  # cash collateral, as much as leaves its account
            expected |= {("available", "borrower", each) for each in (1, 7, 23, 30, 37, 60, 140)}
            expected |= {
                ("lien", "borrower", sign * each)
                for each in (1, 7, 23, 30, 37, 60, 140)
                for sign in (1, -1)
            }
        assert money_that_fits(rows, kind, f"loan:{loan['id']}:end", loan) == expected
    # A liquidation of units that the closure left in lien moves none.
    assert money_that_fits(rows, ENDS[0], f"loan:{loan['id']}:end:{uuid7()}", loan) == set()


def test_units_move_between_the_borrowers_accounts_as_open_loans_hold_them(rows):
    """The loan holds 10 of A and 5 of B, of an open raise; another one 4 of A and 7 of C."""
    loan, sibling, closed, others = (
        rows.loan(), rows.loan(), rows.loan(closed_at=NOON), rows.loan(borrower_id=STRANGER)
    )  # fmt: skip
    for name in "ACD":
        rows.token(name)
    rows.token("B", completed_raise=False)
    for of, name, quantity in (
        (loan, "A", 10), (loan, "B", 5), (sibling, "A", 4), (sibling, "C", 7), (closed, "A", 100),
        (closed, "D", 0), (others, "A", 50),
    ):  # fmt: skip
        rows.collateral(of, name, quantity)

    def fits(kind: str, name: str, amount: str, balance: int, of: dict[str, Any] = loan) -> bool:
        leg = {
            "kind": kind, "owner_id": BORROWER, "balance": balance, "amount": amount,
            "asset_id": rows.tokens[name],
        }  # fmt: skip
        found: bool = rows.ask("loan_units_fit", {"kind": "loan_pledge"}, of, leg)
        return found

    # What is liened is the sum of the open loans, and nothing else.
    for balance in (0, 4, 10, 13, 15, 64, 114):
        assert not fits("lien", "A", "1", balance)
    assert fits("lien", "A", "1", 14)
    assert fits("lien", "A", "-1", 14)
    assert fits("lien", "D", "-3", 0, closed)
    # Of a closed loan, what its liquidation left there.
    rows.cursor.execute("UPDATE credit_collateral SET claimed = 3 WHERE quantity = 100")
    assert fits("lien", "A", "-1", 17)
    assert not fits("lien", "A", "-1", 14)
    assert not fits("lien", "D", "-3", 1, closed)
    # The other account may hold anything.
    assert fits("available", "A", "-1", 3)
    assert fits("available", "A", "1", 14)
    # Units that are no collateral of this loan, though of another.
    assert not fits("lien", "C", "1", 7)
    assert not fits("available", "C", "-1", 7)
    # While a raise is open its units are released and not liened.
    assert fits("lien", "B", "-1", 5)
    assert not any(fits("lien", "B", amount, 5) for amount in ("0", "0.5", "1"))
    assert fits("available", "B", "1", 5)


def test_units_pass_to_the_creditor_as_the_confirmed_liquidation_says(rows):
    loan, sibling, waiting, written_off = (rows.loan(closed_at=NOON) for _ in range(4))
    later = uuid7()
    for name in "AB":
        rows.token(name)
        for of in (loan, sibling, waiting, written_off):
            rows.collateral(of, name, 10)
    for id_, of, action, status, passed in (
        (uuid7(), loan, "liquidate", "Approved", (2, 3)),
        (later, loan, "liquidate", "Approved", (0, 5)),
        (uuid7(), sibling, "liquidate", "Approved", (7, 8)),
        (uuid7(), waiting, "liquidate", "Pending", (2, 3)),
        (uuid7(), written_off, "write_off", "Approved", (2, 3)),
    ):
        plan = [
            {"token_id": str(rows.tokens[name]), "passed": str(units)}
            for name, units in zip("AB", passed, strict=True)
        ]
        insert_row(
            rows.cursor, ClosureProposal, loan_id=of["id"], action=action, status=status,
            final_plan=plan, id=id_, created_at=NOON + DAY if id_ == later else NOON,
        )  # fmt: skip

    def fits(
        amount: int, name: str = "A", *, of: dict[str, Any] = loan, kind: str = "loan_liquidate",
        account: str = "available", owner: UUID = CREDITOR, end: str = "end",
    ) -> bool:  # fmt: skip
        leg = {
            "kind": account, "owner_id": owner, "balance": 0, "amount": amount,
            "asset_id": rows.tokens[name],
        }  # fmt: skip
        transfer = {"kind": kind, "reference": f"loan:{of['id']}:{end}"}
        return rows.ask("loan_units_fit", transfer, of, leg) is True

    assert fits(2)
    assert fits(3, "B")
    assert not any(fits(amount) for amount in (1, 3, 7, 10))
    assert fits(7, of=sibling)
    assert not fits(2, of=sibling)
    assert not fits(2, of=waiting)
    assert not fits(2, of=written_off)
    assert not fits(2, kind="loan_write_off")
    assert not fits(2, account="lien")
    assert not fits(2, owner=STRANGER)
    # One proposed since the closure has a transfer of its own.
    assert not fits(5, "B")
    assert fits(5, "B", end=f"end:{later}")
    assert not fits(3, "B", end=f"end:{later}")
    assert not fits(5, "B", end=f"end:{uuid7()}")
    assert not fits(5, "B", of=sibling, end=f"end:{later}")


def enter(rows: Rows, legs: list[tuple[str, str, str, int]], balances: dict[str, int]) -> UUID:
    """Insert a transfer with these legs; `balances` are those of accounts of a kind."""
    made = uuid7()
    for kind, owner, asset, amount in legs:
        asset_id = str(rows.tokens.get(asset, asset))
        if (kind, owner, asset) not in rows.accounts:
            account = insert_row(
                rows.cursor, Account, kind=kind, asset_id=asset_id,
                organisation_id=OWNERS[owner], balance=balances.get(kind, 0),
            )  # fmt: skip
            rows.accounts[kind, owner, asset] = account["id"]
        insert_row(
            rows.cursor, Entry, transfer_id=made, account_id=rows.accounts[kind, owner, asset],
            asset_id=asset_id, amount=amount,
        )  # fmt: skip
    return made


def justified(
    rows: Rows, loan: dict[str, Any], kind: str, end: str, legs: list[Any], **balances: int
) -> bool | None:
    """Whether the loan justifies a transfer with these legs and the reference `end`."""
    transfer = {
        "id": enter(rows, legs, balances), "kind": kind, "subject_id": loan["id"],
        "reference": f"loan:{loan['id']}:{end}",
    }  # fmt: skip
    found: bool | None = rows.ask("loan_transfer_justified", transfer)
    return found


@pytest.fixture
def disbursed(rows: Rows) -> dict[str, Any]:
    """100 NGN against 5 of A and 8 of B; C is of an open raise, and D of another loan."""
    loan, other = rows.loan(), rows.loan(amount=99)
    for name in "ABD":
        rows.token(name)
    rows.token("C", completed_raise=False)
    for of, name, quantity in ((loan, "A", 5), (loan, "B", 8), (loan, "C", 5), (other, "D", 5),
                               (other, "A", 8)):  # fmt: skip
        rows.collateral(of, name, quantity)
    return loan


def test_a_disbursement_moves_the_amount_and_the_collateral_and_nothing_else(rows, disbursed):
    # Where the rule of the kind allows every account the loan still says which.
    everywhere = "{" + ",".join(AccountKind.values) + "}"
    rows.cursor.execute(
        "UPDATE wallets_transferrule SET leaves = %s, enters = %s WHERE kind = 'loan_disburse'",
        [everywhere, everywhere],
    )
    amounts_of = {"NGN": (100,), "KES": (100,), "A": (5, 8), "B": (5, 8), "C": (5,), "D": (5,)}
    legs = [
        (kind, owner, asset, sign * amount)
        for kind in ("available", "lien", "principal", "loans")
        for owner in OWNERS
        for asset, amounts in amounts_of.items()
        for amount in amounts
        for sign in (1, -1)
    ]
    found = {leg for leg in legs if justified(rows, disbursed, "loan_disburse", "disburse", [leg])}
    assert found == {
        ("available", "creditor", "NGN", -100),
        ("available", "borrower", "NGN", 100),
        ("principal", "creditor", "NGN", 100),
        *(("loans", owner, "NGN", -100) for owner in OWNERS),
        ("available", "borrower", "A", -5),
        ("lien", "borrower", "A", 5),
        ("available", "borrower", "B", -8),
        ("lien", "borrower", "B", 8),
    }


def test_every_leg_of_a_disbursement_counts_and_so_does_its_reference(rows, disbursed):
    legs = [("available", "creditor", "NGN", -100), ("available", "borrower", "NGN", 100)]
    units = [("available", "borrower", "A", -5), ("lien", "borrower", "A", 5)]
    ask = partial(justified, rows, disbursed, "loan_disburse")
    assert ask("disburse", [*legs, *units]) is True
    assert ask("disburse", [*legs, *units, ("lien", "borrower", "A", 4)]) is False
    assert ask("disbursed", [*legs, *units]) is False
    # A kind of account that the rule does not name, with the amount of the one that it does.
    assert ask("disburse", [("lien", "borrower", "NGN", 100)]) is False
    assert ask("disburse", []) is None


def test_other_transfers_of_a_loan_are_judged_by_their_money_and_by_their_units(rows):
    loan, _other = rows.loan(principal_repaid=40, status="WRITTEN_OFF"), rows.loan(amount=1)
    rows.token("A")
    rows.collateral(loan, "A", 5)
    units = [("lien", "borrower", "A", -5), ("available", "borrower", "A", 5)]
    money = [("principal", "creditor", "NGN", -60), ("loans", "stranger", "NGN", 60)]
    ask = partial(justified, rows, loan, "loan_write_off")
    assert ask("end", [*units, *money], lien=5) is True
    assert ask("end", money) is True
    assert ask("end", units) is True
    assert ask("ended", [*units, *money]) is False
    assert ask("end", [*units, ("loans", "stranger", "NGN", 59)]) is False
    # The amount fits the loan, and the account does not fit the rule of the kind.
    assert ask("end", [("available", "creditor", "A", 5)]) is False
    # A loan that is not in the state that the rule names.
    opened = rows.loan(principal_repaid=40)
    assert justified(rows, opened, "loan_write_off", "end", money) is False
    assert ask("end", []) is None
