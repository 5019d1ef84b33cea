"""Demo records of accountants: a bank statement, adjusting entries, and a month to close.

Each is made once, by the services that staff use.
"""

import csv
import io
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from config.local.demo.data import ORGANISATION_FUNDS, ORGANISATIONS
from config.local.demo.payments import deduct_bank_charge
from exchange.core.errors import StateConflict
from exchange.participants.models import Organisation
from exchange.staff.models import StaffUser
from wallets.adjustments.models import AdjustedAccount, AdjustmentKind, Direction
from wallets.adjustments.services import AdjustmentTerms, confirm_adjustment, propose_adjustment
from wallets.bank_statements.csv_files import Layout
from wallets.bank_statements.models import StatementLine
from wallets.bank_statements.selectors import KINDS
from wallets.bank_statements.services.accounts import add_account, save_layout
from wallets.bank_statements.services.files import import_file, upload_file
from wallets.bank_statements.services.matching import confirm_match, propose_record, set_aside
from wallets.deposits.models import Deposit
from wallets.periods.services import propose_close
from wallets.reconciliation.selectors.movements import utc_day

_CURRENCY = "NGN"
_CHARGE = Decimal(2_150)
_PAID_IN = ORGANISATION_FUNDS[_CURRENCY]
_HEADINGS = ("Date", "Reference", "Counterparty", "Details", "Amount")
_LAYOUT = Layout(
    encoding="utf-8",
    delimiter=",",
    decimal=".",
    date_format="%Y-%m-%d",
    date="Date",
    amount="Amount",
    bank_reference="Reference",
    counterparty="Counterparty",
    description="Details",
)
# By their reference at the bank. The third is the pending top-up of the cases.
_LINES = (
    ("FT26331QK7N1", ORGANISATIONS[0].name, "Opening balance", _PAID_IN),
    ("CHG/2026/11/88", "", "Charge for transfers", -_CHARGE),
    ("GTB/2026/11/0417", "Flutterwave", "Float for the end of the month", Decimal(-5_000_000)),
    ("CHG/2026/11/91", "", "Fee for the statement", Decimal(-750)),
    ("FT26332BB0417", "Kofi Asante", "Invoice 2091", Decimal(310_000)),
    ("INT/2026/11", "", "Between own accounts", Decimal("1200000")),
)


def load_statement(maker: StaffUser, checker: StaffUser) -> None:
    """Import a statement with a line in each state: matched, proposed, set aside and open."""
    account = add_account(
        name="GTBank operations NGN", number="0123456789", currency=_CURRENCY, user=maker
    )
    account = save_layout(account_id=account.pk, layout=_LAYOUT, user=maker)
    day = utc_day(timezone.now()) - timedelta(days=1)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([_HEADINGS, *((day, *line) for line in _LINES)])
    data = text.getvalue().encode()
    file = upload_file(name=f"gtbank-{day}.csv", data=data, account=account, user=maker)
    with transaction.atomic():
        import_file(file_id=file.pk, user=maker)
        lines = StatementLine.objects.filter(file=file)
        _handle({line.bank_reference: line for line in lines}, maker, checker)
    deduct_bank_charge(_CURRENCY, _CHARGE)


def _handle(lines: Mapping[str, StatementLine], maker: StaffUser, checker: StaffUser) -> None:
    paid_in, charged, _, asked, _, own = (lines[reference] for reference, *_ in _LINES)
    payer = Organisation.objects.get(email=ORGANISATIONS[0].email)
    deposit = Deposit.objects.get(reference=f"demo:{payer.pk}:{_CURRENCY}")
    confirm_match(line_id=paid_in.pk, kind=KINDS["deposit"], record_id=deposit.pk, user=maker)
    entry = propose_adjustment(
        terms=_charge(_CHARGE, "Charge for transfers in November"), user=maker
    )
    confirm_adjustment(entry_id=entry.pk, user=checker)
    confirm_match(line_id=charged.pk, kind=KINDS["adjustment"], record_id=entry.pk, user=maker)
    terms = _charge(abs(asked.amount), "Fee for the statement of November")
    propose_record(line_id=asked.pk, terms=terms, user=maker)
    set_aside(line_id=own.pk, reason="Moved between two own accounts", user=maker)


def _charge(amount: Decimal, note: str) -> AdjustmentTerms:
    return AdjustmentTerms(
        kind=AdjustmentKind.BANK_CHARGE,
        currency=_CURRENCY,
        account=AdjustedAccount.EXPENSES,
        direction=Direction.LESS,
        amount=amount,
        note=note,
    )


def propose_last_month(maker: StaffUser) -> None:
    """Propose to close the last month that ended an hour ago, or earlier.

    A later start tries again where it cannot be closed. It is not confirmed: that prints a
    document, which takes longer than all cases together.
    """
    hour_ago = timezone.now() - timedelta(hours=1)
    month = (utc_day(hour_ago).replace(day=1) - timedelta(days=1)).replace(day=1)
    with suppress(StateConflict):
        propose_close(month=month, user=maker)
