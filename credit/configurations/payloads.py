"""What loan configurations look like on the wire, declared once."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from credit.configurations import examples
from credit.configurations.models import Access, ConfigurationStatus
from exchange.core.documents import (
    Document,
    Variant,
    WireField,
    identifier,
    number,
    text,
    timestamp,
)
from exchange.tokens.models import InvestmentCategory


class NamedToken(Protocol):
    """What collateral shows of its token."""

    @property
    def id(self) -> UUID:
        """Its id."""

    @property
    def name(self) -> str:
        """Its name."""


GRACE_FIELDS = (
    WireField(
        "grace_period",
        "{r}.grace_period",
        {"type": "integer", "description": "From overdue to default, in `grace_period_unit`"},
    ),
    text("grace_period_unit", "{r}.grace_period_unit", "Always days", enum=["DAYS"]),
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
    *GRACE_FIELDS,
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
        timestamp("proposed_at", "{r}.created_at", "When they were proposed"),
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


# Over the rows of `credit.configurations.selectors`: a configuration with the terms in force, or
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
