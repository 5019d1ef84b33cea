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
from wallets.withdrawals import examples
from wallets.withdrawals.models import WithdrawalStatus

_ORGANISATION_ONLY = frozenset({"gusd_amount", "internal_fee", "internal_fee_type"})


_WITHDRAWAL_FIELDS = (
    identifier("_id", "{r}.id", "Withdrawal ID"),
    # Not owner_id: generated columns are not set yet when the trigger runs.
    identifier(
        "owner", "coalesce({r}.member_id, {r}.organisation_id)", "The organisation or the member"
    ),
    text(
        "owner_model",
        "CASE WHEN {r}.member_id IS NULL THEN 'organisation' ELSE 'user' END",
        "`organisation` for the organisation's wallet, `user` for a member's",
        enum=["organisation", "user"],
    ),
    text("reference", "{r}.reference", "Payout reference, also sent to the payment provider"),
    number("amount", "{r}.amount", "Requested amount"),
    number("disburse_amount", "{r}.disburse_amount", "`amount` minus `fee`: what is paid out"),
    number("fee", "{r}.fee", "Withdrawal fee effective when the request was made"),
    number("gusd_amount", "{r}.gusd_amount", "`amount` in USD, null without a rate", nullable=True),
    number("internal_fee", "{r}.internal_fee", "Additional fee charged to the organisation"),
    text(
        "internal_fee_type",
        "{r}.internal_fee_type",
        "Type of `internal_fee`",
        enum=["NONE", "FLAT"],
    ),
    text(
        "currency",
        "{r}.currency_id",
        "Currency of the amounts",
        enum=list(PAYOUT_CURRENCIES),
    ),
    identifier("bank", "{r}.bank_id", "ID of the bank record"),
    text(
        "status",
        "{r}.status",
        "`Unknown`: the provider's response was lost; the status is being checked",
        enum=list(WithdrawalStatus.values),
    ),
    timestamp("actioned_on", "{r}.actioned_on", "Time of the first decision", nullable=True),
    timestamp("createdAt", "{r}.created_at", "Time of creation"),
    timestamp("updatedAt", "{r}.updated_at", "Time of the last change"),
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
