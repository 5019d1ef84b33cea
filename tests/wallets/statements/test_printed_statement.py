"""The exact words and the printed page of a statement that is in no database."""

import csv
import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pypdf import PdfReader

from exchange.pdf.document import make_pdf
from wallets.ledger.selectors.wallets import WALLET_KINDS
from wallets.statements.files import to_csv, to_printout
from wallets.statements.period import Period
from wallets.statements.selectors import Balance, Movement, Statement, StatementOwner
from wallets.statements.wording import describe

pytestmark = pytest.mark.django_db

NOW = datetime(2025, 8, 1, 12, tzinfo=UTC)


def balance(**parts: str) -> Balance:
    return Balance({str(kind): Decimal(parts.get(kind, 0)) for kind in WALLET_KINDS})


def movement(kind: str, change: Balance, after: Balance, **facts: Any) -> Movement:
    values: dict[str, Any] = {
        "id": UUID(int=7),
        "created_at": datetime(2025, 7, 2, 9, 30, tzinfo=UTC),
        "reference": f"ref-{kind}",
        "client_reference": None,
        "subject_id": None,
        "memo": "",
        "units": Decimal(0),
        "fee": Decimal(0),
        "bank": "",
    }
    return Movement(kind=kind, change=change, after=after, **values | facts)


def statement(*movements: Movement) -> Statement:
    owner = StatementOwner(UUID(int=1), "user", "Ada Obi", "Acme")
    span = Period.of_days(date(2025, 7, 1), date(2025, 7, 31))
    return Statement(owner, "KES", span, NOW, balance(available="10"), movements)


MOVED = statement(
    movement(
        "deposit", balance(available="0.5"), balance(available="10.5"), subject_id=UUID(int=9)
    ),
    movement(
        "withdrawal_hold",
        balance(available="-4", escrow="4"),
        balance(available="6.5", escrow="4"),
        client_reference="INV-1",
    ),
    movement(
        "withdrawal_settle",
        balance(escrow="-0.25"),
        balance(available="6.5", escrow="3.75"),
        bank="KCB, 1234567890",
        fee=Decimal("0.05"),
    ),
)


PRINTED = [
    (51.0, "Tokenized Investment Exchange"),
    (51.0, "Account statement"),
    (51.0, "Account owner"),
    (51.0, "Ada Obi"),
    (51.0, "Member of"),
    (51.0, "Acme"),
    (51.0, "Account"),
    (51.0, "KES · 00000000-0000-0000-0000-000000000001"),
    (309.0, "Period (UTC)"),
    (309.0, "1 July 2025 to 31 July 2025"),
    (309.0, "Currency"),
    (309.0, "KES"),
    (309.0, "Made"),
    (309.0, "1 August 2025, 12:00:00 UTC"),
    (59.5, "Opening balance (KES)"),
    (59.5, "10.00"),
    (182.8, "Money in"),
    (182.8, "0.50"),
    (306.1, "Money out"),
    (306.1, "0.25"),
    (429.4, "Closing balance (KES)"),
    (429.4, "10.25"),
    (51.0, "Time (UTC)"),
    (133.2, "Details"),
    (307.3, "Money out"),
    (375.1, "Money in"),
    (447.8, "Balance"),
    (511.1, "Available"),
    # In bold, and aligned on the right.
    (51.0, "01 Jul 2025"),
    (133.2, "Opening balance"),
    (454.4, "10.00"),
    (522.4, "10.00"),
    (51.0, "02 Jul 2025 09:30"),
    (133.2, "Deposit received"),
    (391.3, "0.50"),
    (454.5, "10.50"),
    (522.5, "10.50"),
    (133.2, "ref-deposit"),
    # Without an amount: money that is set aside neither comes in nor goes out.
    (51.0, "02 Jul 2025 09:30"),
    (133.2, "Withdrawal requested: 4.00 KES set"),
    (133.2, "aside"),
    (454.5, "10.50"),
    (527.4, "6.50"),
    (133.2, "ref-withdrawal_hold"),
    (51.0, "02 Jul 2025 09:30"),
    (133.2, "Withdrawal paid to KCB,"),
    (133.2, "1234567890; fee 0.05 KES"),
    (329.0, "0.25"),
    (454.5, "10.25"),
    (527.4, "6.50"),
    (133.2, "ref-withdrawal_settle"),
    (51.0, "31 Jul 2025"),
    (133.2, "Closing balance"),
    (454.4, "10.25"),
    (527.2, "6.50"),
    (
        51.0,
        "Closing balance: 10.25 KES; available 6.50 KES, 3.75 KES set aside for open withdrawals."
        " Balance is all money of the account. Available is",
    ),
    (
        51.0,
        "what can be spent: not what is set aside for open withdrawals and orders. Times are in"
        " UTC. Each movement has its reference below it.",
    ),
    (51.0, "Tokenized Investment Exchange · Made 1 August 2025, 12:00:00 UTC"),
    (506.8, "Page 1 of 1"),
]


def test_a_page_has_every_text_at_its_distance_from_the_left():
    """In points."""
    found: list[tuple[float, str]] = []

    def visit(text: str, _page: Any, matrix: Any, _font: Any, _size: Any) -> None:
        if text.strip():
            found.append((round(matrix[4], 1), text.strip()))

    [page] = PdfReader(io.BytesIO(make_pdf(to_printout(MOVED)))).pages
    page.extract_text(visitor_text=visit)
    assert found == PRINTED


def test_a_table_has_every_column_of_a_movement():
    heading, opening, *lines, closing = csv.reader(io.StringIO(to_csv(MOVED).decode("utf-8-sig")))
    assert heading == [
        *("Time (UTC)", "Details", "Reference", "Type", "Currency", "Amount"),
        *("Change of available", "Balance", "Available", "Subject ID", "Movement ID"),
        "Client reference",
    ]
    for line, moment, words, total, available in (
        (opening, "2025-07-01T00:00:00.000Z", "Opening balance", "10", "10"),
        (closing, "2025-07-31T23:59:59.999Z", "Closing balance", "10.25", "6.5"),
    ):
        assert line == [moment, words, "", "", "KES", "", "", total, available, "", "", ""]
    at, subject, movement_id = "2025-07-02T09:30:00.000Z", str(UUID(int=9)), str(UUID(int=7))
    hold, paid = (
        "Withdrawal requested: 4.00 KES set aside",
        "Withdrawal paid to KCB, 1234567890; fee 0.05 KES",
    )
    assert lines == [
        [
            *(at, "Deposit received", "ref-deposit", "deposit", "KES"),
            *("0.5", "0.5", "10.5", "10.5", subject, movement_id, ""),
        ],
        [
            *(at, hold, "ref-withdrawal_hold", "withdrawal_hold", "KES"),
            *("0", "-4", "10.5", "6.5", "", movement_id, "INV-1"),
        ],
        [
            *(at, paid, "ref-withdrawal_settle", "withdrawal_settle", "KES"),
            *("-0.25", "0", "10.25", "6.5", "", movement_id, ""),
        ],
    ]


IN, OUT = balance(available="2.5"), balance(available="-2.5")
HALF_IN, HALF_OUT = balance(available="0.5"), balance(available="-0.5")
SET_ASIDE = balance(available="-2.5", reserved="2.5")
RELEASED = balance(available="2.5", reserved="-2.5")


@pytest.mark.parametrize(
    ("kind", "change", "facts", "words"),
    [
        ("deposit", IN, {}, "Deposit received"),
        ("deposit_clear", RELEASED, {}, "Deposit cleared: 2.50 KES available"),
        ("deposit_charge", OUT, {}, "Fee of the payment provider for a deposit"),
        ("deposit_reverse", OUT, {}, "Deposit taken back by the payer's bank"),
        ("deposit_hold", OUT, {}, "Deposit disputed by the payer's bank: 2.50 KES held"),
        ("deposit_release", IN, {}, "Dispute of a deposit closed: 2.50 KES available again"),
        ("receivable_repay", SET_ASIDE, {}, "Debt repaid: 2.50 KES"),
        ("receivable_write_off", IN, {}, "Debt written off"),
        ("withdrawal_hold", SET_ASIDE, {}, "Withdrawal requested: 2.50 KES set aside"),
        ("withdrawal_settle", OUT, {}, "Withdrawal paid"),
        (
            "withdrawal_settle",
            OUT,
            {"bank": "KCB, 123", "fee": Decimal("0.05")},
            "Withdrawal paid to KCB, 123; fee 0.05 KES",
        ),
        ("withdrawal_release", RELEASED, {}, "Withdrawal not paid: 2.50 KES available again"),
        ("withdrawal_reverse", IN, {}, "Withdrawal returned by the bank"),
        ("wallet_transfer", HALF_IN, {}, "Transfer received"),
        ("wallet_transfer", HALF_OUT, {}, "Transfer sent"),
        ("conversion", HALF_IN, {}, "Converted from another currency"),
        ("conversion", HALF_OUT, {}, "Converted to another currency"),
        ("order_reserve", SET_ASIDE, {"memo": "ABC"}, "Order for ABC: 2.50 KES set aside"),
        ("order_release", RELEASED, {}, "Order closed or amended: 2.50 KES available again"),
        ("trade", OUT, {"memo": "ABC", "units": Decimal("0.5")}, "Bought 0.5 units of ABC"),
        ("trade", IN, {"memo": "ABC", "units": Decimal("-0.5")}, "Sold 0.5 units of ABC"),
        (
            "raise_sale",
            OUT,
            {"memo": "ABC", "units": Decimal(2)},
            "Bought 2 units of ABC from the issuer",
        ),
        ("raise_complete", IN, {"memo": "ABC"}, "Proceeds of the raise of ABC"),
        ("raise_refund", IN, {}, "Purchase refunded: the raise was cancelled"),
        ("loan_disburse", HALF_IN, {}, "Loan received"),
        ("loan_disburse", HALF_OUT, {}, "Loan paid out to a borrower"),
        ("loan_repay", HALF_IN, {}, "Loan repayment received"),
        ("loan_repay", HALF_OUT, {}, "Loan repaid"),
        # Without words of its own.
        ("treasury", IN, {}, "Treasury movement"),
    ],
)
def test_each_movement_is_described_in_its_own_words(kind, change, facts, words):
    one = movement(kind, change, change, **facts)
    assert describe(statement(one), one) == words
