"""OpenAPI shapes and examples of schedules."""

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter

from exchange.api.operations import NamedSchema, RecordPage, closed_object, number_schema
from exchange.tokens.examples import TERMS as TERMS_EXAMPLE
from exchange.tokens.payloads import TERMS

_COUNT = {"type": "integer", "minimum": 1}


def _date(description: str) -> dict[str, str]:
    return {"type": "string", "format": "date", "description": description}


PERIOD = NamedSchema.of(
    "SchedulePeriod",
    "An interest period",
    period=({**_COUNT, "description": "Its number, from 1"}, 1),
    starts=(_date("First day, in UTC"), "2025-03-31"),
    ends=(_date("Record day: holders at 00:00 UTC are entitled"), "2025-04-30"),
    days=({**_COUNT, "description": "Days from start to end"}, 30),
    type=({"type": "string", "enum": ["Interest"], "description": "What is paid"}, "Interest"),
    basis=(
        closed_object(
            {
                "principal_per_unit": number_schema("Outstanding on a unit in the period"),
                "rate": number_schema("Percent a year"),
                "days": {**_COUNT, "description": "Days that count"},
                "year": {**_COUNT, "description": "Days of a year"},
            },
            description="What the amount follows from: a holder receives the product of units,"
            " `principal_per_unit`, `rate` and `days`, divided by 100 times `year`, rounded down to"
            " the currency's decimals",
        ),
        {"principal_per_unit": 100, "rate": 14.5, "days": 30, "year": 365},
    ),
    amount_per_unit=(
        number_schema("Amount of one unit, rounded down to 12 decimals; for reading"),
        1.191780821917,
    ),
)
_PAGE = RecordPage(PERIOD, "schedule")
SCHEDULE = NamedSchema(
    "Schedule",
    closed_object({**_PAGE.schema()["properties"], "terms": TERMS}),
    {**_PAGE.example, "terms": TERMS_EXAMPLE},
)
PAGE_PARAMETERS = [
    OpenApiParameter("page", {**_COUNT, "default": 1}, description="Page number, from 1"),
    OpenApiParameter(
        "limit",
        {**_COUNT, "default": settings.API_PAGE_LIMIT_DEFAULT},
        description=f"Periods on a page; a larger value counts as {settings.API_PAGE_LIMIT_MAX}",
    ),
]
