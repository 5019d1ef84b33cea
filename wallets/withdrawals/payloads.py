"""Documents of withdrawals in the API.

Fields are in the order of the interface's tables. A member's withdrawal has no `gusd_amount`,
`internal_fee` and `internal_fee_type`.
"""

from dataclasses import replace

from exchange.core.currencies import PAYOUT_CURRENCIES
from exchange.core.documents import (
    Document,
    Variant,
    WireField,
    identifier,
    number,
    text,
    timestamp,
)
from exchange.core.references import OWN_REFERENCES
from wallets.banks.payloads import BANK, BANK_EXAMPLE
from wallets.ledger.payloads import WALLET_OWNER
from wallets.withdrawals import examples
from wallets.withdrawals.models import WithdrawalStatus

_ORGANISATION_ONLY = frozenset({"gusd_amount", "internal_fee", "internal_fee_type"})


_WITHDRAWAL_FIELDS = (
    identifier("_id", "Withdrawal ID", "{r}.id"),
    *WALLET_OWNER,
    text("reference", "Payout reference, also sent to the payment provider"),
    number("amount", "Requested amount"),
    number("disburse_amount", "`amount` minus `fee`: what is paid out"),
    number("fee", "Withdrawal fee effective when the request was made"),
    number("gusd_amount", "`amount` in USD, null without a rate", nullable=True),
    number("internal_fee", "Additional fee charged to the organisation"),
    text("internal_fee_type", "Type of `internal_fee`", enum=["NONE", "FLAT"]),
    text("currency", "Currency of the amounts", "{r}.currency_id", enum=list(PAYOUT_CURRENCIES)),
    identifier("bank", "ID of the bank record", "{r}.bank_id"),
    text(
        "status",
        "`Unknown`: the provider's response was lost; the status is being checked",
        enum=WithdrawalStatus.values,
    ),
    timestamp("actioned_on", "Time of the first decision", nullable=True),
    timestamp("createdAt", "Time of creation", "{r}.created_at"),
    timestamp("updatedAt", "Time of the last change", "{r}.updated_at"),
    *OWN_REFERENCES,
)


WITHDRAWAL = Document(
    name="WithdrawalRequest",
    table="wallets_withdrawal",
    fields=_WITHDRAWAL_FIELDS,
    variants=(
        Variant(
            condition="{r}.member_id IS NOT NULL",
            fields=tuple(f for f in _WITHDRAWAL_FIELDS if f.name not in _ORGANISATION_ONLY),
        ),
    ),
    example=examples.WITHDRAWAL,
)


_BANK_DETAILS = WireField(
    "bank_details",
    "(SELECT b.document FROM wallets_bankaccount b WHERE b.id = {r}.bank_id)",
    {"allOf": [BANK], "description": "The bank record"},
)


# A withdrawal as reads show it. The selectors put the stored documents together.
WITHDRAWAL_WITH_BANK = Document(
    name="WithdrawalWithBank",
    table=WITHDRAWAL.table,
    fields=(*WITHDRAWAL.fields, _BANK_DETAILS),
    variants=tuple(
        replace(variant, fields=(*variant.fields, _BANK_DETAILS)) for variant in WITHDRAWAL.variants
    ),
    example={**examples.WITHDRAWAL, "bank_details": BANK_EXAMPLE},
)
