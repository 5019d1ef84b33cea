"""Wire format of loan configurations, declared once."""

from typing import Protocol
from uuid import UUID

from credit.configurations import examples
from credit.configurations.models import Access, ConfigurationStatus
from exchange.core.documents import (
    Document,
    Variant,
    WireField,
    identifier,
    integer,
    number,
    text,
    timestamp,
)
from exchange.tokens.models import InvestmentCategory


class NamedToken(Protocol):
    """The token fields shown for collateral."""

    @property
    def id(self) -> UUID:
        """Return the token id."""

    @property
    def name(self) -> str:
        """Return the token name."""


GRACE_FIELDS = (
    integer("grace_period", "From overdue to default, in `grace_period_unit`"),
    text("grace_period_unit", "Always days", enum=["DAYS"]),
)


_BY_CURRENCY = """'{' || coalesce((
    SELECT string_agg('"' || l.currency_id || '":' || trim_scale(l.AMOUNT), ',' ORDER BY k.position)
    FROM credit_loanlimit l JOIN exchange_currency k ON k.code = l.currency_id
    WHERE l.version_id = {r}.version_id AND l.AMOUNT IS NOT NULL), '') || '}'"""


def _amounts(name: str, description: str) -> WireField:
    """Return the field for column `name` of the version's limits, by currency, without NULLs."""
    schema = {
        "type": "object",
        "description": f"{description}, by currency",
        "additionalProperties": {"type": "number"},
    }
    return WireField(name, _BY_CURRENCY.replace("AMOUNT", name), schema)


_NAME = text("name", "Display name of the configuration")


_TERMS = (
    text(
        "access",
        "Whose members may borrow: the creditor's `own`, also those of named `organisations`, or "
        "those of any organisation (`public`)",
        enum=Access.values,
    ),
    WireField(
        "investment_categories",
        "array_to_json({r}.investment_categories)",
        {
            "type": "array",
            "description": "Eligible collateral",
            "items": {"type": "string", "enum": list(InvestmentCategory.values)},
        },
    ),
    _amounts("min_amount", "Minimum per loan"),
    _amounts("max_amount", "Maximum per loan"),
    _amounts("max_outstanding", "Maximum total principal of open loans, if limited"),
    number("collateral_ratio", "Maximum LTV, 0 to 1"),
    number("interest_rate", "Per month, 0 to 1"),
    integer("duration", "Maximum term in months"),
    *GRACE_FIELDS,
)


_ORGANISATIONS = WireField(
    "organisation_ids",
    """array_to_json(ARRAY(
        SELECT o.organisation_id FROM credit_configurationversion_organisations o
        WHERE o.configurationversion_id = {r}.version_id ORDER BY o.organisation_id))""",
    {
        "type": "array",
        "description": "Whose members may also borrow, where access is `organisations`; as sent, "
        "whether or not an organisation with that ID exists",
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
        timestamp("proposed_at", "When the terms were proposed", "{r}.created_at"),
    ),
    example=examples.PROPOSED_TERMS,
)


_PENDING = """(
    SELECT TERMS
    FROM (SELECT v.*, v.id AS version_id FROM credit_configurationversion v) p
    WHERE p.configuration_id = {r}.id AND p.status = 'Pending' AND {r}.status = 'Approved')"""


_CONFIGURATION_FIELDS = (
    identifier("id", "Loan configuration ID"),
    _NAME,
    WireField(
        "creditor",
        """'{"id":"' || {r}.creditor_id
            || '","name":' || to_json({r}.creditor_name)::text || '}'""",
        {
            "type": "object",
            "description": "The organisation that lends",
            "properties": {
                "id": {"type": "string", "format": "uuid", "description": "Its ID"},
                "name": {"type": "string", "description": "Its name"},
            },
            "required": ["id", "name"],
        },
    ),
    *_TERMS,
    text("status", "Only Approved ones make loans", enum=ConfigurationStatus.values),
)


# Over the rows of `credit.configurations.selectors`: a configuration with its effective terms, or
# its newest. Only the creditor sees the named organisations and the status of proposals.
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
                    "Creditor only: why the newest proposed terms were rejected",
                    "{r}.last_reason",
                    nullable=True,
                ),
                WireField(
                    "pending",
                    _PENDING.replace("TERMS", PROPOSED_TERMS.expression("p")),
                    {
                        "oneOf": [PROPOSED_TERMS, {"type": "null"}],
                        "description": "Creditor only: the change pending approval while the terms "
                        "above stay effective",
                    },
                ),
            ),
        ),
    ),
    example=examples.CONFIGURATION,
)
