"""Wire format of movements, declared once. Not stored: `selectors` evaluates it for one page."""

from collections import defaultdict

from credit.movements.examples import MOVEMENT as _EXAMPLE
from exchange.core.documents import Document, identifier, number, text, timestamp
from wallets.ledger.models import TransferKind
from wallets.ledger.payloads import TRANSACTION, WALLET_OWNER

# The record that the subject of a transfer is, in words of the API; of other kinds it has none.
RECORDS: dict[str, str] = {
    TransferKind.DEPOSIT: "deposit",
    TransferKind.DEPOSIT_CLEAR: "deposit",
    TransferKind.DEPOSIT_CHARGE: "deposit",
    TransferKind.DEPOSIT_REVERSE: "deposit",
    TransferKind.DEPOSIT_HOLD: "deposit",
    TransferKind.DEPOSIT_RELEASE: "deposit",
    TransferKind.WITHDRAWAL_HOLD: "withdrawal",
    TransferKind.WITHDRAWAL_SETTLE: "withdrawal",
    TransferKind.WITHDRAWAL_RELEASE: "withdrawal",
    TransferKind.WITHDRAWAL_REVERSE: "withdrawal",
    TransferKind.WALLET_TRANSFER: "transfer",
    TransferKind.CONVERSION: "conversion",
    TransferKind.ORDER_RESERVE: "order",
    TransferKind.ORDER_RELEASE: "order",
    TransferKind.TRADE: "trade",
    TransferKind.RAISE_SALE: "trade",
    TransferKind.RAISE_REFUND: "trade",
    TransferKind.RAISE_COMPLETE: "token",
    TransferKind.LOAN_DISBURSE: "loan",
    TransferKind.LOAN_REPAY: "loan",
    TransferKind.LOAN_PLEDGE: "loan",
    TransferKind.LOAN_RELEASE: "loan",
    TransferKind.LOAN_LIQUIDATE: "loan",
    TransferKind.LOAN_WRITE_OFF: "loan",
    TransferKind.DISTRIBUTION_FUND: "distribution",
    TransferKind.DISTRIBUTION_REFUND: "distribution",
    TransferKind.DISTRIBUTION_PAY: "income",
    TransferKind.DISTRIBUTION_RECOVER: "income",
}


def _record_sql() -> str:
    kinds = defaultdict(list)
    for kind, record in RECORDS.items():
        kinds[record].append(f"'{kind}'")
    cases = (
        f"WHEN {{r}}.kind IN ({', '.join(names)}) THEN '{record}'"
        for record, names in kinds.items()
    )
    return f"CASE {' '.join(cases)} END"


_OF_ONE_WALLET = {field.name: field for field in TRANSACTION.fields}

MOVEMENT = Document(
    name="Movement",
    table=TRANSACTION.table,
    fields=(
        _OF_ONE_WALLET["_id"],
        identifier(
            "transfer",
            "What is moved together: movements of one transfer have the same, and add to zero "
            "with those of the exchange and of other organisations",
        ),
        *WALLET_OWNER,
        *(
            _OF_ONE_WALLET[name]
            for name in ("type", "currency", "account", "amount", "balance_after")
        ),
        number(
            "fee",
            "The owner's fee in the whole transfer: of a fill, a paid withdrawal or a deposit",
            nullable=True,
        ),
        _OF_ONE_WALLET["reference"],
        text(
            "client_reference",
            "Your own reference of the record, or of the order of a fill",
            nullable=True,
        ),
        text(
            "record",
            "The kind of record that `subject` is",
            _record_sql(),
            nullable=True,
            enum=list(dict.fromkeys(RECORDS.values())),
        ),
        _OF_ONE_WALLET["subject"],
        identifier("order", "The owner's order, of a fill or a reservation", nullable=True),
        _OF_ONE_WALLET["description"],
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
    ),
    example=_EXAMPLE,
)
