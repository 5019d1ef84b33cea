"""OpenAPI shapes, errors and examples of schedules and distributions."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from credit.distributions.errors import CorrectionPending, DistributionNotFound, NotIssuer
from exchange.api.operations import NamedSchema, RecordPage, closed_object, number_schema
from exchange.core.errors import RequestInProgress
from exchange.tokens.examples import TERMS as TERMS_EXAMPLE
from exchange.tokens.payloads import TERMS
from wallets.freezes.errors import BLOCKED_FAILURES

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
_NEXT: dict[str, Any] = {
    "next_record_at": {
        "type": ["string", "null"],
        "format": "date-time",
        "description": "Record of the next payment; null: none is known",
    },
    "next_payment_date": {
        "type": ["string", "null"],
        "format": "date",
        "description": "Day of the next payment, in UTC",
    },
}
_NEXT_EXAMPLE = {"next_record_at": "2025-04-30T00:00:00.000Z", "next_payment_date": "2025-04-30"}
_PAGE = RecordPage(PERIOD, "schedule", by_cursor=False)
SCHEDULE = NamedSchema(
    "TokenSchedule",
    closed_object({**_PAGE.schema()["properties"], **_NEXT, "terms": TERMS}),
    {**_PAGE.example, **_NEXT_EXAMPLE, "terms": TERMS_EXAMPLE},
)
PAGE_PARAMETERS = [
    OpenApiParameter("page", {**_COUNT, "default": 1}, description="Page number, from 1"),
    OpenApiParameter(
        "limit",
        {**_COUNT, "default": settings.API_PAGE_LIMIT_DEFAULT},
        description=f"Periods on a page; a larger value counts as {settings.API_PAGE_LIMIT_MAX}",
    ),
]

PROPOSE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "type must be one of [Dividend, Interest, Principal, Redemption, Exit]",
        "invalid_currency": "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]",
        "currency_differs": "The token is priced in NGN: it pays in no other currency",
        "token_cancelled": "The token is cancelled",
        "raise_open": "The token is in its primary raise: it pays nothing yet",
        "record_in_past": "The record must not be in the past",
        "record_after_payment": "The record must not be after the payment",
        "notice_too_short": "The record is too early for the notice: it can be from"
        " 2025-07-04T08:12:11.000Z on",
        "too_far_ahead": "The record must be within two years, and the payment within a year of it",
        "amount_too_large": "It would pay more than 1,000,000,000,000,000 for all units of the"
        " token",
        "principal_unknown": "The issue price or the completion of the token is not known",
        "not_period_end": "The record of a Principal must be the end of an interest period, at"
        " 00:00 UTC",
        "principal_exceeded": "Only 40 NGN of principal is outstanding on a unit",
        "below_principal": "40 NGN of principal is outstanding on a unit",
        "not_exited": "The token has not exited",
        "token_exited": "The token has exited",
        "token_redeemed": "Redemption of BAO, 2025-07-08 takes the units back",
        "coupon_due": "The interest of the period that ended on 2025-07-08 is not announced",
        "not_correctable": "Correct the distribution itself, not a correction of it",
        "correction_differs": "It corrects Dividend of BAO, 2025-07-08: a Dividend in NGN, recorded"
        " at 2025-07-08T00:00:00.000Z",
        "not_paid": "Only what is paid to all its holders is corrected",
        "corrects_nothing": "These terms pay each holder what it received",
        "pays_nothing": "The amount rounds to nothing for each of 48 holders",
    },
    "403": {NotIssuer.code: NotIssuer.message},
    "404": {
        "token_not_found": "Token not found",
        DistributionNotFound.code: DistributionNotFound.message,
    },
    "409": {
        CorrectionPending.code: CorrectionPending.message,
        "period_taken": "Another Dividend of this token, recorded on 2025-07-08T00:00:00.000Z, pays"
        " for the same day or period",
        RequestInProgress.code: RequestInProgress().message,
    },
}
FUND_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "insufficient_balance": "Insufficient NGN balance. Available: 100.5, requested: 1398904.1"
    },
    "409": {
        "state_conflict": "Only a distribution that is Recorded allows this: it is Announced",
        **BLOCKED_FAILURES,
        RequestInProgress.code: RequestInProgress().message,
    },
}
DIVIDEND_EXAMPLE = OpenApiExample(
    "Dividend",
    value={
        "type": "Dividend",
        "currency": "NGN",
        "amount_per_unit": 12.5,
        "record_at": "2025-07-08T00:00:00Z",
        "payment_date": "2025-07-10",
    },
    request_only=True,
)
INTEREST_EXAMPLE = OpenApiExample(
    "Interest for 92 days",
    value={
        "type": "Interest",
        "currency": "NGN",
        "basis": {"principal_per_unit": 10000, "rate": 18.5, "days": 92},
        "record_at": "2025-07-08T00:00:00Z",
        "payment_date": "2025-07-10",
    },
    request_only=True,
)
