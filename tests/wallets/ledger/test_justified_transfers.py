"""Which rows justify a transfer of wallets: the condition of its rule, over altered rows.

Each case changes one thing with triggers disabled, asks the condition and is rolled back.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from exchange.core.ids import uuid7
from tests.assertions.ledger import (
    account_id_of,
    insert_entries,
    justification,
    system_account_id,
)
from tests.environment.database import Connection, session
from tests.factories.tokens import make_token
from tests.factories.wallets import Wallet, make_staff, make_wallet, store_bank_list

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Judge:
    """A withdrawal of 500 (30 of them fee), a confirmed deposit, a token, and their wallet."""

    owner: Connection
    wallet: Wallet
    values: dict[str, Any]
    accounts: dict[str, UUID]

    def posting_result(
        self, kind: str, legs: dict[str, str], *alterations: str, subject: str, end: str
    ) -> bool:
        """Whether a transfer of these legs is justified after the alterations."""
        values = self.values | {"kind": kind, "made": uuid7(), "subject": self.values[subject]}
        prefix = "withdrawal" if subject == "w" else subject
        values["reference"] = f"{prefix}:{values['subject']}{end}"
        asset = values["asset"] if subject == "token" else "KES"
        with self.owner.transaction(force_rollback=True):
            self.owner.execute("SET LOCAL session_replication_role = replica")
            # The transfer that is there makes way for this one.
            self.owner.execute(
                "UPDATE wallets_transfer SET reference = 'earlier' WHERE reference = %(reference)s",
                values,
            )
            self.owner.execute(
                "INSERT INTO wallets_transfer (id, kind, reference, subject_id, actor, memo,"
                " created_at, created_txid) VALUES (%(made)s, %(kind)s, %(reference)s,"
                " %(subject)s, 'system:x', '', now(), 0)",
                values,
            )
            pairs = [(self.accounts[name], amount) for name, amount in legs.items()]
            insert_entries(self.owner, values["made"], *pairs, asset=asset)
            for alteration in alterations:
                self.owner.execute(alteration, values)
            row = self.owner.execute(
                f"SELECT {justification(self.owner, kind)} FROM wallets_transfer t"
                " WHERE id = %(made)s",
                values,
            ).fetchone()
        assert row is not None
        return row[0] is True


@pytest.fixture
def judge() -> Iterator[Judge]:
    store_bank_list()
    wallet, other = make_wallet(1000), make_wallet(1000)
    made = wallet.request(500)
    other.request(500)
    token = make_token(wallet.organisation)
    make_token(other.organisation)
    with session("owner") as owner:
        accounts = {name: account_id_of(wallet, name) for name in ("available", "escrow")}
        accounts |= {
            f"other {name}": account_id_of(other, name) for name in ("available", "escrow")
        }
        accounts |= {name: system_account_id(name) for name in ("clearing", "fees", "expenses")}
        rows = owner.execute(
            "SELECT 'token ' || kind, id FROM wallets_account WHERE asset_id = %s", [str(token.id)]
        ).fetchall()
        accounts |= dict(rows)
        deposit = owner.execute(
            "SELECT id FROM wallets_deposit WHERE owner_id = %s", [wallet.owner_id]
        ).fetchone()
        assert deposit is not None
        values = {
            "w": made.id, "deposit": deposit[0], "token": token.id, "asset": str(token.id),
            "other": other.owner_id, "a": make_staff().pk, "b": make_staff().pk,
        }  # fmt: skip
        owner.rollback()
        yield Judge(owner, wallet, values, accounts)
        owner.rollback()


def state(name: str) -> str:
    return f"UPDATE wallets_withdrawal SET status = '{name}' WHERE id = %(w)s"


def elsewhere(table: str, column: str = "subject") -> tuple[str, ...]:
    """The record is of another owner, of another currency, or not there."""
    return (
        f"UPDATE {table} SET organisation_id = %(other)s WHERE id = %({column})s",
        f"UPDATE {table} SET currency_id = 'NGN' WHERE id = %({column})s",
        f"DELETE FROM {table} WHERE id = %({column})s",
    )


REFERENCE = "UPDATE wallets_transfer SET reference = 'other' WHERE id = %(made)s"


def test_a_hold_is_of_its_withdrawal_to_the_last_digit(judge):
    def ask(legs: dict[str, str], *alterations: str) -> bool:
        return bool(
            judge.posting_result("withdrawal_hold", legs, *alterations, subject="w", end=":hold")
        )

    right = {"available": "-500", "escrow": "500"}
    assert ask(right)
    for wrong in (
        {"available": "-501", "escrow": "500"}, {"available": "-500", "escrow": "501"},
        {"available": "500", "escrow": "-500"}, {"other available": "-500", "escrow": "500"},
        {"available": "-500", "other escrow": "500"}, {"clearing": "-500", "escrow": "500"},
        {**right, "clearing": "1"},
    ):  # fmt: skip
        assert (wrong, ask(wrong)) == (wrong, False)
    for alteration in (REFERENCE, *elsewhere("wallets_withdrawal")):
        assert (alteration, ask(right, alteration)) == (alteration, False)


PAYOUT = (
    "INSERT INTO wallets_payout SELECT (jsonb_populate_record(NULL::wallets_payout,"
    " jsonb_build_object('withdrawal_id', {}::uuid, 'provider_fee', 7, 'claimed_by', '',"
    " 'attempts', 0, 'provider_id', '', 'provider_status', '', 'provider_message', '',"
    " 'last_error', '', 'status_checks', 0, 'not_found_count', 0, 'created_at', now(),"
    " 'updated_at', now()))).*"
)


def proposal(action: str, status: str, decider: str = "b", of: str = "%(w)s") -> str:
    return (
        "INSERT INTO wallets_proposal (id, withdrawal_id, action, reason, status,"
        f" proposed_by_id, decided_by_id, created_at) VALUES (gen_random_uuid(), {of},"
        f" '{action}', 'why', '{status}', %(a)s,"
        f" {'NULL' if status == 'Pending' else f'%({decider})s'}, now())"
    )


APPROVED = proposal("Reverse", "Approved")
# Kind, end of the reference, the right legs, a state and a record it needs, and a state too early.
OF_WITHDRAWALS: list[tuple[str, str, dict[str, str], str, tuple[str, ...], str]] = [
    ("withdrawal_settle", "close", {"escrow": "-500", "clearing": "470", "fees": "30"},
     "Completed", (), "Processing"),
    ("withdrawal_release", "close", {"escrow": "-500", "available": "500"}, "Failed", (),
     "Pending"),
    ("withdrawal_reverse", "reverse", {"clearing": "-470", "available": "470"}, "Reversed",
     (APPROVED,), "Completed"),
    ("provider_charge", "charge", {"expenses": "-7", "clearing": "7"}, "Completed",
     (PAYOUT.format("%(w)s"),), "Processing"),
]  # fmt: skip


def test_what_ends_a_withdrawal_is_of_it_to_the_last_digit(judge):
    for kind, end, legs, status, records, early in OF_WITHDRAWALS:

        def ask(legs: dict[str, str], *alterations: str, kind: str = kind, end: str = end) -> bool:
            return bool(judge.posting_result(kind, legs, *alterations, subject="w", end=f":{end}"))

        ready = (state(status), *records)
        assert (kind, ask(legs, *ready)) == (kind, True)
        assert (kind, ask(legs, state(early), *records)) == (kind, False)
        for name, amount in legs.items():
            more = {**legs, name: str(int(amount) + (1 if amount[0] != "-" else -1))}
            assert (kind, more, ask(more, *ready)) == (kind, more, False)
            turned = {**legs, name: str(-int(amount))}
            assert (kind, turned, ask(turned, *ready)) == (kind, turned, False)
            if name in {"available", "escrow"}:
                others = {k if k != name else f"other {k}": v for k, v in legs.items()}
                assert (kind, others, ask(others, *ready)) == (kind, others, False)
        for alteration in (REFERENCE, *elsewhere("wallets_withdrawal")[1:]):
            found = ask(legs, *ready, alteration)
            assert (kind, alteration, found) == (kind, alteration, False)


def test_a_reversal_is_confirmed_by_two_people(judge):
    kind, end, legs, status, _, _ = OF_WITHDRAWALS[2]
    for record in (
        proposal("Reverse", "Rejected"),
        proposal("Reverse", "Pending"),
        proposal("Return", "Approved"),
        proposal("Reverse", "Approved", "a"),
        proposal("Reverse", "Approved", of="gen_random_uuid()"),
        "SELECT 1",
    ):
        found = judge.posting_result(kind, legs, state(status), record, subject="w", end=f":{end}")
        assert (record, found) == (record, False)
    kind, end, legs, status, _, _ = OF_WITHDRAWALS[3]
    for record in (PAYOUT.format("gen_random_uuid()"), "SELECT 1"):
        found = judge.posting_result(kind, legs, state(status), record, subject="w", end=f":{end}")
        assert (record, found) == (record, False)
    # Another payout makes no difference.
    records = (PAYOUT.format("%(w)s"), PAYOUT.format("gen_random_uuid()"))
    assert judge.posting_result(kind, legs, state(status), *records, subject="w", end=f":{end}")


def test_a_deposit_is_booked_to_its_owner_to_the_last_digit(judge):
    def ask(legs: dict[str, str], *alterations: str) -> bool:
        return bool(judge.posting_result("deposit", legs, *alterations, subject="deposit", end=""))

    right = {"clearing": "-1000", "available": "1000"}
    assert ask(right)
    for wrong in (
        {"clearing": "-1001", "available": "1000"}, {"clearing": "-1000", "available": "1001"},
        {"clearing": "1000", "available": "-1000"}, {"clearing": "-1000", "escrow": "1000"},
        {"clearing": "-1000", "other available": "1000"}, {"fees": "-1000", "available": "1000"},
    ):  # fmt: skip
        assert (wrong, ask(wrong)) == (wrong, False)
    pending = "UPDATE wallets_deposit SET status = 'Pending' WHERE id = %(subject)s"
    for alteration in (REFERENCE, pending, *elsewhere("wallets_deposit")):
        assert (alteration, ask(right, alteration)) == (alteration, False)


def test_units_are_issued_once_and_whole_and_retired_of_a_cancelled_token(judge):
    def ask(kind: str, legs: dict[str, str], *alterations: str) -> bool:
        end = f":{kind.removeprefix('units_')}"
        return bool(judge.posting_result(kind, legs, *alterations, subject="token", end=end))

    right = {"token issuance": "-1000", "token available": "1000"}
    assert ask("units_issue", right)
    assert not ask("units_issue", right | {"token issuance": "-999"})
    judge.accounts["the same"] = judge.accounts["token available"]
    assert ask("units_issue", right | {"token available": "999", "the same": "1"})
    for alteration in (
        REFERENCE,
        "UPDATE exchange_token SET issuer_id = %(other)s WHERE id = %(subject)s",
        "DELETE FROM exchange_token WHERE id = %(subject)s",
        "UPDATE wallets_entry SET asset_id = 'KES' WHERE transfer_id = %(made)s",
        "UPDATE wallets_transfer SET kind = 'gift' WHERE id = %(made)s",
    ):
        assert (alteration, ask("units_issue", right, alteration)) == (alteration, False)
    unsold = (
        "UPDATE wallets_account SET kind = 'unsold'"
        " WHERE asset_id = %(asset)s AND kind = 'available'"
    )
    cancelled = "UPDATE exchange_token SET cancelled = true WHERE id = %(subject)s"
    some = {"token available": "-7", "token issuance": "7"}
    assert ask("units_retire", some, unsold, cancelled)
    assert not ask("units_retire", some, unsold)
    assert not ask("units_retire", some, cancelled)
