"""Tables of the guide for API clients say what the code declares: none missing, none too many."""

import re

from django.conf import settings

from config.api_docs.guide import CHAPTERS
from config.event_types import EVENT_TYPES
from credit.loans.models import LoanStatus
from credit.movements.payloads import RECORDS
from wallets.deposits.event_types import EVENT_TYPES as DEPOSIT_EVENTS
from wallets.ledger.models import TransferKind

_CODE = re.compile(r"`([^`]+)`")


def rows(chapter: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, without the table's own head."""
    text = (CHAPTERS / chapter).read_text()
    _, found, section = text.partition(f"\n## {heading}\n")
    assert found, heading
    [table, *_] = re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert len(lines) > 3
    return lines[2:]


def codes(cell: str) -> list[str]:
    return _CODE.findall(cell)


def full_names(cell: str) -> list[str]:
    """Return the event types of a cell, in which `.failed` follows `deposit.completed`."""
    names: list[str] = []
    for name in codes(cell):
        names.append(names[-1].partition(".")[0] + name if name.startswith(".") else name)
    return names


def test_scopes_are_those_of_the_service():
    named = [scope for row in rows("02-authentication.md", "Scopes") for scope in codes(row[0])]
    assert sorted(named) == sorted({*settings.SCOPES, "sandbox"})


def test_each_type_of_movement_of_a_wallet_has_its_record():
    said = {codes(row[0])[0]: row[2].strip("` ") for row in rows(
        "10-wallets-and-withdrawals.md", "Types of movements"
    )}  # fmt: skip
    without = (TransferKind.RECEIVABLE_REPAY, TransferKind.RECEIVABLE_WRITE_OFF)
    assert said == {str(kind): record for kind, record in RECORDS.items()} | {
        str(kind): "null" for kind in without
    }


def test_statuses_of_loans_lead_where_the_database_lets_them():
    said = {codes(row[0])[0]: set(codes(row[2])) for row in rows("09-loans.md", "Status")}
    guard = (settings.BASE_DIR / "credit/loans/sql/loan_guard.sql").read_text()
    allowed = guard.partition("guard_moves('credit_loan'")[2].partition(";")[0]
    pairs = re.findall(r"([A-Z_]+)>([A-Z_]+)", allowed)
    assert len(pairs) == 7
    assert said == {
        status: {after for before, after in pairs if before == status}
        for status in LoanStatus.values
    }


def test_events_of_deposits_and_of_everything_are_named():
    of_deposits = [name for row in rows("13-deposits.md", "Events") for name in codes(row[0])]
    assert of_deposits == [name for name in of_deposits if name in DEPOSIT_EVENTS]
    assert sorted(of_deposits) == sorted(DEPOSIT_EVENTS)
    named = [
        name for row in rows("11-webhooks-and-events.md", "Events") for name in full_names(row[0])
    ]
    assert sorted(named) == sorted(EVENT_TYPES)
