"""What loans look like on the wire, declared once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal

from credit.models import LoanStatus
from exchange.documents import Document, WireField, identifier, moment, number, text
from exchange.models import Token
from exchange.numbers import plain

_COLLATERALS = WireField(
    "collaterals",
    "{r}.collateral_text",
    {
        "type": "array",
        "description": "Units pledged, in the order in which they would be liquidated",
        "items": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "token_id": {"type": "string", "format": "uuid"},
                "quantity": {"type": "number"},
            },
            "required": ["name", "token_id", "quantity"],
        },
    },
)

# In the order of the interface's table.
LOAN = Document(
    name="Loan",
    table="credit_loan",
    fields=(
        identifier("id", "{r}.id", "Loan id"),
        identifier("borrower", "{r}.borrower_id", "The user who received it"),
        identifier("creditor", "{r}.creditor_id", "The lending organisation"),
        number("amount", "{r}.amount", "Lent out"),
        text("currency", "{r}.currency_id"),
        number("repayment_amount", "{r}.repayment_amount", "To be paid back in all"),
        text(
            "repayment_date",
            "public.javascript_time({r}.repayment_date)",
            "As JavaScript's Date.prototype.toString() prints it in West Africa time",
        ),
        number("interest_rate", "{r}.interest_rate", "Per month, 0 to 1"),
        WireField("duration", "{r}.duration", {"type": "integer", "description": "Months"}),
        text("status", "{r}.status", enum=list(LoanStatus.values)),
        WireField("grace_period", "{r}.grace_period", {"type": "integer"}),
        text("grace_period_unit", "{r}.grace_period_unit", enum=["DAYS"]),
        text("reason", "{r}.reason"),
        moment("created_at", "{r}.created_at"),
        moment("updated_at", "{r}.updated_at"),
        _COLLATERALS,
    ),
)


def collateral_text(pledged: Iterable[tuple[Token, Decimal]]) -> str:
    """The JSON array of `collaterals`: units of tokens, in the order of liquidation."""
    items = (
        f'{{"name":{json.dumps(token.name, ensure_ascii=False)},"token_id":"{token.id}",'
        f'"quantity":{plain(quantity)}}}'
        for token, quantity in pledged
    )
    return f"[{','.join(items)}]"
