"""What loans look like on the wire, declared once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal

from credit.configurations.payloads import GRACE_FIELDS, NamedToken
from credit.loans import examples
from credit.loans.models import LoanStatus
from exchange.core.documents import Document, WireField, identifier, number, text, timestamp
from exchange.core.numbers import format_plain

_COLLATERALS = WireField(
    "collaterals",
    "{r}.collateral_text",
    {
        "type": "array",
        "description": "Units pledged, in the order in which they would be liquidated",
        "items": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Token name"},
                "token_id": {"type": "string", "format": "uuid", "description": "Token id"},
                "quantity": {"type": "number", "description": "Units pledged"},
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
        text("currency", "{r}.currency_id", "What the amounts are in"),
        number("repayment_amount", "{r}.repayment_amount", "To be paid back in all"),
        text(
            "repayment_date",
            "public.javascript_time({r}.repayment_date)",
            "As JavaScript's Date.prototype.toString() prints it in West Africa time",
        ),
        number("interest_rate", "{r}.interest_rate", "Per month, 0 to 1"),
        WireField("duration", "{r}.duration", {"type": "integer", "description": "Months"}),
        text("status", "{r}.status", "State of the loan", enum=list(LoanStatus.values)),
        *GRACE_FIELDS,
        text("reason", "{r}.reason", "Why it was asked for; may be empty"),
        timestamp("created_at", "{r}.created_at", "When it was made"),
        timestamp("updated_at", "{r}.updated_at", "When it last changed"),
        _COLLATERALS,
    ),
    example=examples.LOAN,
)


def collateral_text(pledged: Iterable[tuple[NamedToken, Decimal]]) -> str:
    """The JSON array of `collaterals`: units of tokens, in the order of liquidation."""
    items = (
        f'{{"name":{json.dumps(token.name, ensure_ascii=False)},"token_id":"{token.id}",'
        f'"quantity":{format_plain(quantity)}}}'
        for token, quantity in pledged
    )
    return f"[{','.join(items)}]"


_REPAYMENT_OBJECT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "format": "uuid", "description": "Repayment id"},
        "amount": {"type": "number", "description": "What was paid"},
        "interest": {"type": "number", "description": "The part that went to interest, first"},
        "principal": {"type": "number", "description": "The part that went to principal"},
        "outstanding": {"type": "number", "description": "Still to be paid after it"},
        "createdAt": {
            "type": "string",
            "format": "date-time",
            "description": "When it was paid",
        },
    },
    "required": ["id", "amount", "interest", "principal", "outstanding", "createdAt"],
}


_REPAYMENTS = """(
    SELECT '[' || coalesce(string_agg(
        '{"id":"' || p.id || '","amount":' || trim_scale(p.amount) || ',"interest":'
        || trim_scale(p.interest) || ',"principal":' || trim_scale(p.principal)
        || ',"outstanding":' || trim_scale(p.outstanding) || ',"createdAt":"'
        || wire_time(p.created_at) || '"}', ',' ORDER BY p.created_at, p.id), '') || ']'
    FROM credit_repayment p WHERE p.loan_id = {r}.id)"""


_SHORTFALL = """(
    SELECT '{"id":"' || s.id || '","cause":' || to_json(s.cause)::text || ',"collateral_value":'
        || trim_scale(s.value) || ',"required_value":' || trim_scale(s.required)
        || ',"openedAt":"' || wire_time(s.opened_at) || '"}'
    FROM credit_shortfall s WHERE s.loan_id = {r}.id AND s.cured_at IS NULL)"""


# Of the last valuation. Before the first one a loan is as it was made: at the prices of then.
_VALUATION = """(
    SELECT CASE WHEN v.loan_id IS NOT NULL THEN trim_scale(v.COLUMN) ELSE (
        SELECT trim_scale(round_half_even(MADE))
        FROM (SELECT sum(c.quantity * c.pledged_price) AS value
              FROM credit_collateral c WHERE c.loan_id = {r}.id) w
        JOIN exchange_currency k ON k.code = {r}.currency_id) END
    FROM (SELECT) one LEFT JOIN credit_valuation v ON v.loan_id = {r}.id)"""


_VALUE = _VALUATION.replace("COLUMN", "value").replace("MADE", "w.value, k.decimals")


# Divided to 40 places: rounding a quotient that is rounded already could round the wrong way.
_LOAN_TO_VALUE = _VALUATION.replace("COLUMN", "loan_to_value").replace(
    "MADE", "{r}.amount::numeric(80, 40) / w.value, 8"
)


_COVERAGE = (
    number(
        "collateral_value",
        _VALUE,
        "At the last valuation (when the loan is made, then daily, and when its collateral "
        "changes); null where a price was missing or stale",
        nullable=True,
    ),
    number(
        "loan_to_value",
        _LOAN_TO_VALUE,
        "Principal owed by the collateral's value, at the last valuation",
        nullable=True,
    ),
)


# A loan in a list: the record and what its collateral is worth. Made when read.
LISTED_LOAN = Document(
    name="ListedLoan",
    table="credit_loan",
    fields=(*LOAN.fields, *_COVERAGE),
    example=examples.LISTED_LOAN,
)


# The single loan: the record and what became of it. Made when read.
LOAN_DETAIL = Document(
    name="LoanDetail",
    table="credit_loan",
    fields=(
        *LOAN.fields,
        identifier(
            "loan_configuration_id", "{r}.configuration_id", "The configuration it was made on"
        ),
        number(
            "outstanding",
            "CASE WHEN {r}.closed_at IS NULL THEN {r}.repayment_amount - {r}.principal_repaid"
            " - {r}.interest_repaid ELSE 0 END",
            "Still to be paid in all",
        ),
        number(
            "outstanding_principal",
            "CASE WHEN {r}.closed_at IS NULL THEN {r}.amount - {r}.principal_repaid ELSE 0 END",
            "The part of it that is principal",
        ),
        number(
            "outstanding_interest",
            "CASE WHEN {r}.closed_at IS NULL THEN {r}.repayment_amount - {r}.amount"
            " - {r}.interest_repaid ELSE 0 END",
            "The part of it that is interest",
        ),
        number("repaid", "{r}.principal_repaid + {r}.interest_repaid", "Paid back so far"),
        *_COVERAGE,
        WireField(
            "shortfall",
            _SHORTFALL,
            {
                "type": ["object", "null"],
                "description": "The collateral no longer covers the principal owed; null while it"
                " does",
                "properties": {
                    "id": {"type": "string", "format": "uuid", "description": "Shortfall id"},
                    "cause": {"type": "string", "description": "What brought it about"},
                    "collateral_value": {"type": "number", "description": "When it was found"},
                    "required_value": {
                        "type": "number",
                        "description": "What would cover the principal owed",
                    },
                    "openedAt": {
                        "type": "string",
                        "format": "date-time",
                        "description": "When it was found",
                    },
                },
                "required": ["id", "cause", "collateral_value", "required_value", "openedAt"],
            },
        ),
        text("bank_name", "nullif({r}.bank_name, '')", "Bank to repay to", nullable=True),
        text("bank_code", "nullif({r}.bank_code, '')", "Its code", nullable=True),
        text(
            "account_number",
            "nullif({r}.account_number, '')",
            "Account to repay to",
            nullable=True,
        ),
        WireField(
            "repayments",
            _REPAYMENTS,
            {
                "type": "array",
                "description": "What was paid back, oldest first",
                "items": _REPAYMENT_OBJECT,
            },
        ),
        timestamp("closed_at", "{r}.closed_at", "When it ended", nullable=True),
    ),
    example=examples.LOAN_DETAIL,
)
