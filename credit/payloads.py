"""What investments, loans and loan configurations look like on the wire, declared once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Protocol
from uuid import UUID

from credit import examples
from credit.models import Access, ConfigurationStatus, LoanStatus
from exchange.core.documents import Document, Variant, WireField, identifier, moment, number, text
from exchange.core.numbers import plain
from exchange.models import InvestmentCategory
from exchange.payloads import INVESTMENT_KIND

# In the order of the interface's table. Over the rows of `credit.selectors.portfolio`.
INVESTMENT = Document(
    name="Investment",
    table="wallets_account",
    fields=(
        identifier("tokenId", "{r}.token_id", "Token id"),
        number("balance", "{r}.balance", "Units held free of lien, those in open orders included"),
        number("lien", "{r}.lien", "Units that secure loans; not part of `balance`"),
        number(
            "balance_value",
            "round_half_even({r}.balance * {r}.price_sell, {r}.decimals)",
            "`balance` at `price.sell`, rounded half-even to the currency's decimals",
        ),
        number(
            "lien_value",
            "round_half_even({r}.lien * {r}.price_sell, {r}.decimals)",
            "`lien` at `price.sell`, rounded half-even to the currency's decimals",
        ),
        text("currency", "{r}.currency_id", "What the token's prices and values are in"),
        *INVESTMENT_KIND,
        text("name", "{r}.name", "Token name"),
        text("symbol", "{r}.symbol", "Token symbol"),
        text("image", "{r}.image", "URL"),
        WireField(
            "price",
            """'{"buy":' || trim_scale({r}.price_buy) || ',"sell":' || trim_scale({r}.price_sell)"""
            """ || ',"exchange":' || trim_scale({r}.price_exchange) || '}'""",
            {
                "type": "object",
                "description": "Quotes for one unit; `exchange` is units of the currency for one"
                " USD",
                "properties": {
                    "buy": {"type": "number", "description": "For those who buy"},
                    "sell": {"type": "number", "description": "For those who sell"},
                    "exchange": {
                        "type": "number",
                        "description": "Units of the currency for one USD",
                    },
                },
                "required": ["buy", "sell", "exchange"],
            },
        ),
        number("raise_amount", "{r}.raise_amount", "What the token's raise is to bring"),
        number("interest", "{r}.interest", "Percent"),
    ),
    example=examples.INVESTMENT,
)


class Named(Protocol):
    """What collateral shows of its token."""

    @property
    def id(self) -> UUID:
        """Its id."""

    @property
    def name(self) -> str:
        """Its name."""


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

_GRACE = (
    WireField(
        "grace_period",
        "{r}.grace_period",
        {"type": "integer", "description": "From overdue to default, in `grace_period_unit`"},
    ),
    text("grace_period_unit", "{r}.grace_period_unit", "Always days", enum=["DAYS"]),
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
        *_GRACE,
        text("reason", "{r}.reason", "Why it was asked for; may be empty"),
        moment("created_at", "{r}.created_at", "When it was made"),
        moment("updated_at", "{r}.updated_at", "When it last changed"),
        _COLLATERALS,
    ),
    example=examples.LOAN,
)


def collateral_text(pledged: Iterable[tuple[Named, Decimal]]) -> str:
    """The JSON array of `collaterals`: units of tokens, in the order of liquidation."""
    items = (
        f'{{"name":{json.dumps(token.name, ensure_ascii=False)},"token_id":"{token.id}",'
        f'"quantity":{plain(quantity)}}}'
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

_COVER = (
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
    fields=(*LOAN.fields, *_COVER),
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
        *_COVER,
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
        moment("closed_at", "{r}.closed_at", "When it ended", nullable=True),
    ),
    example=examples.LOAN_DETAIL,
)


_BY_CURRENCY = """'{' || coalesce((
    SELECT string_agg('"' || l.currency_id || '":' || trim_scale(l.AMOUNT), ',' ORDER BY k.position)
    FROM credit_loanlimit l JOIN exchange_currency k ON k.code = l.currency_id
    WHERE l.version_id = {r}.version_id AND l.AMOUNT IS NOT NULL), '') || '}'"""


def _amounts(name: str, description: str) -> WireField:
    """The column `name` of the version's limits, by currency, where it is not NULL."""
    schema = {
        "type": "object",
        "description": f"{description}, by currency",
        "additionalProperties": {"type": "number"},
    }
    return WireField(name, _BY_CURRENCY.replace("AMOUNT", name), schema)


_NAME = text("name", "{r}.name", "Name of the configuration, for people")
_TERMS = (
    text(
        "access",
        "{r}.access",
        "Whose members may borrow: the creditor's `own`, also those of named `organisations`, or "
        "everybody's (`public`)",
        enum=list(Access.values),
    ),
    WireField(
        "investment_categories",
        "array_to_json({r}.investment_categories)",
        {
            "type": "array",
            "description": "What may be pledged",
            "items": {"type": "string", "enum": list(InvestmentCategory.values)},
        },
    ),
    _amounts("min_amount", "Least that one loan lends"),
    _amounts("max_amount", "Most that one loan lends"),
    _amounts("max_outstanding", "Most principal of all open loans, where bound"),
    number("collateral_ratio", "{r}.collateral_ratio", "Of the collateral's value, 0 to 1"),
    number("interest_rate", "{r}.interest_rate", "Per month, 0 to 1"),
    WireField("duration", "{r}.duration", {"type": "integer", "description": "Longest, in months"}),
    *_GRACE,
)
_ORGANISATIONS = WireField(
    "organisation_ids",
    """array_to_json(ARRAY(
        SELECT o.organisation_id FROM credit_configurationversion_organisations o
        WHERE o.configurationversion_id = {r}.version_id ORDER BY o.organisation_id))""",
    {
        "type": "array",
        "description": "Who may borrow besides the creditor, where access is `organisations`; as "
        "they were sent, whether or not there is an organisation of that id",
        "items": {"type": "string", "format": "uuid"},
    },
)
PROPOSED_TERMS = Document(
    name="ProposedTerms",
    table="credit_configurationversion",
    fields=(
        _NAME,
        *_TERMS,
        _ORGANISATIONS,
        moment("proposed_at", "{r}.created_at", "When they were proposed"),
    ),
    example=examples.PROPOSED_TERMS,
)
_PENDING = """(
    SELECT TERMS
    FROM (SELECT v.*, v.id AS version_id FROM credit_configurationversion v) p
    WHERE p.configuration_id = {r}.id AND p.status = 'Pending' AND {r}.status = 'Approved')"""
_CONFIGURATION_FIELDS = (
    identifier("id", "{r}.id", "Loan configuration id"),
    _NAME,
    WireField(
        "creditor",
        """'{"id":"' || {r}.creditor_id
            || '","name":' || to_json({r}.creditor_name)::text || '}'""",
        {
            "type": "object",
            "description": "The organisation that lends",
            "properties": {
                "id": {"type": "string", "format": "uuid", "description": "Its id"},
                "name": {"type": "string", "description": "Its name"},
            },
            "required": ["id", "name"],
        },
    ),
    *_TERMS,
    text(
        "status",
        "{r}.status",
        "Only Approved ones make loans",
        enum=list(ConfigurationStatus.values),
    ),
)
# Over the rows of `credit.selectors.configurations`: a configuration with the terms in force, or
# the newest where none are. The creditor alone sees whom it named, and what became of proposals.
LOAN_CONFIGURATION = Document(
    name="LoanConfiguration",
    table="credit_loanconfiguration",
    fields=_CONFIGURATION_FIELDS,
    variants=(
        Variant(
            condition="{r}.own",
            fields=(
                *_CONFIGURATION_FIELDS,
                _ORGANISATIONS,
                text(
                    "reason",
                    "{r}.last_reason",
                    "The creditor's view only: why the newest terms proposed were rejected",
                    nullable=True,
                ),
                WireField(
                    "pending",
                    _PENDING.replace("TERMS", PROPOSED_TERMS.expression("p")),
                    {
                        "oneOf": [PROPOSED_TERMS, {"type": "null"}],
                        "description": "The creditor's view only: the change that waits for "
                        "approval while the terms above stay in force",
                    },
                ),
            ),
        ),
    ),
    example=examples.CONFIGURATION,
)
