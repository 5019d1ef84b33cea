"""Wire format of loans, declared once."""

import json
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from credit.configurations.payloads import GRACE_FIELDS, NamedToken
from credit.loans import examples
from credit.loans.models import LoanStatus
from exchange.core.documents import (
    Document,
    WireField,
    identifier,
    integer,
    number,
    text,
    timestamp,
)
from exchange.core.numbers import format_plain
from exchange.core.references import OWN_REFERENCES

_COLLATERALS = WireField(
    "collaterals",
    "{r}.collateral_text",
    {
        "type": "array",
        "description": "Pledged units, in the order of liquidation",
        "items": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Token name"},
                "token_id": {"type": "string", "format": "uuid", "description": "Token ID"},
                "quantity": {"type": "number", "description": "Units pledged"},
            },
            "required": ["name", "token_id", "quantity"],
        },
    },
)


def _references(condition: str) -> tuple[WireField, ...]:
    """Return the references where the organisation that reads the loan sent them."""
    return tuple(
        replace(field, sql=f"CASE WHEN {condition} THEN {field.sql} END")
        for field in OWN_REFERENCES
    )


# In the order of the interface's table.
LOAN = Document(
    name="Loan",
    table="credit_loan",
    fields=(
        identifier("id", "Loan ID"),
        identifier("borrower", "The borrowing user", "{r}.borrower_id"),
        identifier("creditor", "The lending organisation", "{r}.creditor_id"),
        number("amount", "Principal"),
        text("currency", "Currency of the amounts", "{r}.currency_id"),
        number("repayment_amount", "Total repayment: principal and interest"),
        text(
            "repayment_date",
            "As JavaScript's Date.prototype.toString() prints it in West Africa time",
            "public.javascript_time({r}.repayment_date)",
        ),
        number("interest_rate", "Per month, 0 to 1"),
        integer("duration", "Term in months"),
        text("status", "Status of the loan", enum=LoanStatus.values),
        *GRACE_FIELDS,
        text("reason", "Purpose of the loan; may be empty"),
        timestamp("created_at", "When it was disbursed"),
        timestamp("updated_at", "When it last changed"),
        _COLLATERALS,
        # Both parties read the stored document: `with_references` adds the references for the
        # organisation that sent them.
        *_references("NULL"),
    ),
    example=examples.LOAN,
)


def collateral_text(pledged: Iterable[tuple[NamedToken, Decimal]]) -> str:
    """Return the JSON array of `collaterals`, in the order of liquidation."""
    items = (
        f'{{"name":{json.dumps(token.name, ensure_ascii=False)},"token_id":"{token.id}",'
        f'"quantity":{format_plain(quantity)}}}'
        for token, quantity in pledged
    )
    return f"[{','.join(items)}]"


_REPAYMENT = Document(
    name="LoanRepayment",
    table="credit_repayment",
    fields=(
        identifier("id", "Repayment ID"),
        number("amount", "Amount paid"),
        number("interest", "Part paid towards interest"),
        number("principal", "Part paid towards principal"),
        number("outstanding", "Balance after the payment"),
        timestamp("createdAt", "When it was paid", "{r}.created_at"),
    ),
)
_REPAYMENTS = f"""(
    SELECT '[' || coalesce(string_agg(
        {_REPAYMENT.expression("p")}, ',' ORDER BY p.created_at, p.id), '') || ']'
    FROM credit_repayment p WHERE p.loan_id = {{r}}.id)"""  # noqa: S608 - built from a declaration


_SHORTFALL = Document(
    name="LoanShortfall",
    table="credit_shortfall",
    fields=(
        identifier("id", "Shortfall ID"),
        text("cause", "Cause of the shortfall"),
        number("collateral_value", "Collateral value when it opened", "{r}.value"),
        number(
            "required_value",
            "Collateral value required for the outstanding principal",
            "{r}.required",
        ),
        timestamp("openedAt", "When it opened", "{r}.opened_at"),
    ),
)
_OPEN_SHORTFALL = f"""(
    SELECT {_SHORTFALL.expression("s")}
    FROM credit_shortfall s WHERE s.loan_id = {{r}}.id AND s.cured_at IS NULL)"""  # noqa: S608 - built from a declaration


# One movement of a statement, over the rows of `credit.loans.selectors.loans`.
STATEMENT_LINE = Document(
    name="LoanStatementLine",
    table="credit_loan",
    fields=(
        identifier("_id", "ID of the movement", "{r}.id"),
        text(
            "type",
            "Type of the movement",
            "{r}.kind",
            enum=["disbursement", "repayment", "liquidation", "write_off"],
        ),
        number("amount", "Negative if it lowers the balance"),
        number("principal", "Principal part"),
        number("interest", "Interest part"),
        number("outstanding", "Balance after the movement"),
        timestamp("createdAt", "Time of the movement", "{r}.created_at"),
    ),
)


# From the last valuation. Before the first one, at the prices at pledge.
_VALUATION = """(
    SELECT CASE WHEN v.loan_id IS NOT NULL THEN trim_scale(v.COLUMN) ELSE (
        SELECT trim_scale(round_half_even(MADE))
        FROM (SELECT sum(c.quantity * c.pledged_price) AS value
              FROM credit_collateral c WHERE c.loan_id = {r}.id) w
        JOIN exchange_currency k ON k.code = {r}.currency_id) END
    FROM (SELECT) one LEFT JOIN credit_valuation v ON v.loan_id = {r}.id)"""


_VALUE = _VALUATION.replace("COLUMN", "value").replace("MADE", "w.value, k.decimals")


# Divided to 40 places, since rounding an already rounded quotient could be wrong.
_LOAN_TO_VALUE = _VALUATION.replace("COLUMN", "loan_to_value").replace(
    "MADE", "{r}.amount::numeric(80, 40) / w.value, 8"
)


_COVERAGE = (
    number(
        "cash_collateral",
        "What its pledged units paid: it can repay the loan, or be released",
    ),
    number(
        "collateral_value",
        "Units and cash, at the last valuation (at disbursement, daily, and when collateral"
        " changes); null if a price was missing or stale",
        _VALUE,
        nullable=True,
    ),
    number(
        "loan_to_value",
        "Outstanding principal divided by the collateral value, at the last valuation",
        _LOAN_TO_VALUE,
        nullable=True,
    ),
)


# Rendered on read by the organisation `caller.id`.
_OWN = _references("{r}.organisation_id = caller.id")
_SHARED = tuple(field for field in LOAN.fields if not field.optional)


# A loan in a list: the record and its collateral value.
LISTED_LOAN = Document(
    name="ListedLoan",
    table="credit_loan",
    fields=(*_SHARED, *_COVERAGE, *_OWN),
    example=examples.LISTED_LOAN,
)


# A single loan: the record, its balance, repayments and shortfall.
LOAN_DETAIL = Document(
    name="LoanDetail",
    table="credit_loan",
    fields=(
        *_SHARED,
        identifier(
            "loan_configuration_id", "The loan configuration of the loan", "{r}.configuration_id"
        ),
        number(
            "outstanding",
            "Outstanding balance",
            "CASE WHEN {r}.closed_at IS NULL THEN {r}.repayment_amount - {r}.principal_repaid"
            " - {r}.interest_repaid ELSE 0 END",
        ),
        number(
            "outstanding_principal",
            "Outstanding principal",
            "CASE WHEN {r}.closed_at IS NULL THEN {r}.amount - {r}.principal_repaid ELSE 0 END",
        ),
        number(
            "outstanding_interest",
            "Outstanding interest",
            "CASE WHEN {r}.closed_at IS NULL THEN {r}.repayment_amount - {r}.amount"
            " - {r}.interest_repaid ELSE 0 END",
        ),
        number("repaid", "Total repaid", "{r}.principal_repaid + {r}.interest_repaid"),
        *_COVERAGE,
        number(
            "claim",
            "After a liquidation that left units in lien: what is still owed to the creditor of"
            " what they pay; else 0",
        ),
        WireField(
            "shortfall",
            _OPEN_SHORTFALL,
            {
                **_SHORTFALL.schema(),
                "type": ["object", "null"],
                "description": "Set while the collateral does not cover the principal, else null",
            },
        ),
        text("bank_name", "Bank for repayments", "nullif({r}.bank_name, '')", nullable=True),
        text("bank_code", "Code of the bank", "nullif({r}.bank_code, '')", nullable=True),
        text(
            "account_number",
            "Account for repayments",
            "nullif({r}.account_number, '')",
            nullable=True,
        ),
        WireField(
            "repayments",
            _REPAYMENTS,
            {
                "type": "array",
                "description": "Repayments, oldest first",
                "items": _REPAYMENT.schema(),
            },
        ),
        timestamp("closed_at", "When it was closed", nullable=True),
        *_OWN,
    ),
    example=examples.LOAN_DETAIL,
)
