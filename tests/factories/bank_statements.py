"""Statement files made after public examples of banks, own accounts, and imported lines."""

from collections.abc import Sequence
from typing import Any

from exchange.staff.models import StaffUser
from tests.factories.wallets import make_staff
from wallets.bank_statements.csv_files import Layout
from wallets.bank_statements.models import OwnBankAccount, StatementFile, StatementLine
from wallets.bank_statements.services.accounts import add_account, save_layout
from wallets.bank_statements.services.files import import_file, upload_file

IBAN = "KE94BANK0000001234"
CAMT = "urn:iso:std:iso:20022:tech:xsd:camt.053.001."


def entry(
    amount: str,
    direction: str = "CRDT",
    *,
    day: str = "2026-11-02",
    reference: str = "",
    currency: str = "KES",
    status: str = "<Sts>BOOK</Sts>",
    more: str = "",
) -> str:
    """Return a booked entry of camt.053."""
    given = f"<AcctSvcrRef>{reference}</AcctSvcrRef>" if reference else ""
    return (
        f'<Ntry><Amt Ccy="{currency}">{amount}</Amt><CdtDbtInd>{direction}</CdtDbtInd>{status}'
        f"<BookgDt><Dt>{day}</Dt></BookgDt><ValDt><Dt>{day}</Dt></ValDt>{given}{more}</Ntry>"
    )


def balance(code: str, amount: str, direction: str = "CRDT", day: str = "2026-11-02") -> str:
    """Return a balance of camt.053: `OPBD` or `CLBD`."""
    return (
        f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="KES">{amount}</Amt>'
        f"<CdtDbtInd>{direction}</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>"
    )


def statement(*parts: str, name: str = "S-1", number: str = IBAN, currency: str = "KES") -> str:
    """Return a statement of camt.053 with balances and entries."""
    return (
        f"<Stmt><Id>{name}</Id><Acct><Id><IBAN>{number}</IBAN></Id><Ccy>{currency}</Ccy></Acct>"
        f"{''.join(parts)}</Stmt>"
    )


def document(*statements: str, version: str = "02", before: str = "") -> bytes:
    """Return a file of camt.053."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<Document xmlns="{CAMT}{version}">'
        "<BkToCstmrStmt><GrpHdr><MsgId>M-1</MsgId></GrpHdr>"
        f"{''.join(statements)}</BkToCstmrStmt></Document>"
    ).encode()


def layout(**changes: Any) -> Layout:
    """Return a layout: `Date,Reference,Details,Amount` as English banks write them."""
    values: dict[str, Any] = {
        "encoding": "utf-8",
        "delimiter": ",",
        "decimal": ".",
        "date_format": "%d/%m/%Y",
        "date": "Date",
        "amount": "Amount",
        "bank_reference": "Reference",
        "description": "Details",
    }
    return Layout(**values | changes)


def make_matcher(*more: str) -> StaffUser:
    """Return a new person who may import statements and match their lines."""
    return make_staff("match_statement", *more)


def make_account(
    name: str = "Operations KES", number: str = IBAN, currency: str = "KES", **columns: Any
) -> OwnBankAccount:
    """Return an own account with a layout of CSV."""
    account = add_account(name=name, number=number, currency=currency, user=make_matcher())
    return save_layout(account_id=account.pk, layout=layout(**columns), user=make_matcher())


def upload(data: bytes, account: OwnBankAccount | None = None) -> StatementFile:
    """Upload a file."""
    return upload_file(name="statement", data=data, account=account, user=make_matcher())


def import_camt(*entries: str, **account: str) -> Sequence[StatementLine]:
    """Import a statement, by default of the account `IBAN`; return its lines by amount."""
    file = upload(document(statement(*entries, **account)))
    import_file(file_id=file.pk, user=make_matcher())
    return list(StatementLine.objects.filter(file=file).order_by("amount"))


def make_line(amount: str = "100.00", direction: str = "CRDT", **changes: Any) -> StatementLine:
    """Return an open line of a new account."""
    if not OwnBankAccount.objects.filter(number=IBAN).exists():
        make_account()
    return import_camt(entry(amount, direction, **changes))[0]
