"""Wire format of distributions and of the income of their holders, declared once."""

from dataclasses import replace

from credit.distributions import examples
from credit.distributions.models import DistributionStatus, DistributionType, IncomeStatus, PaidTo
from credit.distributions.schedule import YEAR
from exchange.core.documents import (
    Document,
    WireField,
    boolean,
    identifier,
    integer,
    number,
    text,
    timestamp,
)

_BASIS = Document(
    name="InterestBasis",
    table="credit_distribution",
    fields=(
        number("principal_per_unit", "What bears interest, for one unit"),
        number("rate", "Percent a year"),
        integer("days", "Days that bear interest"),
        integer("year", "Days of a year: ACT/365", str(YEAR)),
    ),
)


def _for_issuer(field: WireField) -> WireField:
    """Return the field as one that only the issuer reads; null for others."""
    return replace(field, sql=f"CASE WHEN {{r}}.own THEN {field.sql} END")


# Over the rows of `credit.distributions.selectors`, which say whether the reader is the issuer.
DISTRIBUTION = Document(
    name="Distribution",
    table="credit_distribution",
    fields=(
        identifier("_id", "Distribution ID", "{r}.id"),
        identifier("token", "Token ID", "{r}.token_id"),
        text("type", "What is paid", enum=DistributionType.values),
        text("currency", "Currency of the amounts, that of the token", "{r}.currency_id"),
        number(
            "amount_per_unit",
            "Paid for one unit; of Interest rounded down to 12 decimals, for reading",
        ),
        WireField(
            "basis",
            f"CASE WHEN {{r}}.principal_per_unit IS NOT NULL THEN {_BASIS.expression('{r}')} END",
            {
                **_BASIS.schema(),
                "type": ["object", "null"],
                "description": "Of Interest: a holder receives units * `principal_per_unit` * "
                "`rate` * `days` / (100 * `year`), divided last and rounded down; else null",
            },
        ),
        timestamp("record_at", "Who holds units at this time is paid"),
        text("payment_date", "Paid from the start of this day in UTC", format="date"),
        text("status", "Status", enum=DistributionStatus.values),
        boolean(
            "overdue",
            "Whether the issuer's wallet did not cover it on the payment date, and does not yet",
        ),
        integer("version", "Version of the terms, from 1"),
        identifier(
            "corrects",
            "The distribution that it corrects, or null",
            "{r}.corrects_id",
            nullable=True,
        ),
        boolean("final", "Whether it is the last payment of the token"),
        *map(
            _for_issuer,
            (
                integer(
                    "holders",
                    "Issuer only: owners with units at the record; null before it",
                    nullable=True,
                ),
                number("gross", "Issuer only: what all receive before tax", nullable=True),
                number("tax", "Issuer only: tax withheld of it", nullable=True),
                number("net", "Issuer only: what is paid to them", nullable=True),
            ),
        ),
        timestamp("createdAt", "When it was proposed", "{r}.created_at"),
        timestamp("updatedAt", "When it last changed", "{r}.updated_at"),
    ),
    example=examples.DISTRIBUTION,
)


# The same row for its holder's organisation, and for the issuer. `own_owner_id` is null where the
# owner is not the reader's own.
INCOME = Document(
    name="Income",
    table="credit_income",
    fields=(
        identifier("_id", "Income ID", "{r}.id"),
        identifier("distribution", "Distribution ID", "{r}.distribution_id"),
        identifier("token", "Token ID", "{r}.token_id"),
        identifier(
            "owner",
            "ID of the organisation or member; null for the issuer where it is not its own",
            "{r}.own_owner_id",
            nullable=True,
        ),
        text(
            "owner_model",
            "What `owner` is",
            "CASE WHEN {r}.member_id IS NULL THEN 'organisation' ELSE 'user' END",
            enum=["organisation", "user"],
        ),
        number("units", "Units held at the record"),
        number("gross", "Amount before tax, rounded down"),
        number("tax_rate", "Percent of tax withheld"),
        number("tax", "Tax withheld"),
        number("net", "What is paid"),
        text(
            "status",
            "`Nil`: it rounds to nothing, and nothing is paid. `Corrected`: paid, and a correction"
            " of its distribution has an income for the difference. Amounts below 0 are `Due` until"
            " all of it is taken back",
            enum=IncomeStatus.values,
        ),
        text(
            "paid_to",
            "Where it was paid to, or taken back from; null before. `loan`: to the cash collateral"
            " of an open loan, or to the claim of the creditor of a liquidated one",
            "nullif({r}.paid_to, '')",
            nullable=True,
            enum=[*PaidTo.values, None],
        ),
        timestamp("createdAt", "When the holding was recorded", "{r}.created_at"),
    ),
    example=examples.INCOME,
)

# In the list of the issuer.
PAYMENT = replace(INCOME, name="DistributionPayment")
