"""Endpoint for the tax that was withheld of a member's income in a year."""

import io
import re
from dataclasses import asdict
from typing import Any

from django.http import HttpResponse, QueryDict
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from credit.distributions.models import DistributionType
from credit.distributions.withheld_tax import TaxSummary, read_tax_summary
from exchange.api.files import CSV, file_response
from exchange.api.operations import (
    NamedSchema,
    closed_object,
    number_schema,
    operation,
    text_schema,
)
from exchange.api.responses import SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.errors import InvalidRequest
from exchange.core.examples import JOINED_AT, MEMBER_ID, ORGANISATION_ID
from exchange.core.text import match_choice
from exchange.exports.sheets import CSV as CSV_FORM
from exchange.exports.sheets import write_table
from exchange.participants.errors import UserNotFound
from exchange.participants.models import HolderKind

_FORMATS = ("json", "csv")
_YEAR_PROBLEM = "year must be a year from 2020 to 2100, such as 2025"
_ID = {"type": "string", "format": "uuid"}
_TEXT_OR_NULL = {"type": ["string", "null"]}

_INCOME = closed_object(
    {
        "currency": text_schema("Currency of the amounts") | {"enum": list(WALLET_CURRENCIES)},
        "type": text_schema("What was paid") | {"enum": DistributionType.values},
        "gross": number_schema("Income before tax"),
        "tax": number_schema("Tax withheld of it"),
        "net": number_schema("What was paid"),
        "issuers": {
            "type": "array",
            "description": "The issuers who paid it",
            "items": closed_object(
                {"_id": _ID | {"description": "Organisation ID"}, "name": text_schema("Name")}
            ),
        },
    }
)
TAX_SUMMARY = NamedSchema.of(
    "TaxSummary",
    "The income that a member was paid in a year, and the tax withheld of it",
    owner=(_ID | {"description": "Member ID"}, MEMBER_ID),
    owner_name=(text_schema("Name of the member"), "Forrest Green"),
    holder_kind=(text_schema("What the member is for tax") | {"enum": HolderKind.values}, "person"),
    tax_residence=(_TEXT_OR_NULL | {"description": "Where the member pays tax, now"}, "NG"),
    tax_id=(_TEXT_OR_NULL | {"description": "Number at the tax authority"}, "20417388-0001"),
    year=({"type": "integer", "description": "Calendar year of the payments, in UTC"}, 2025),
    income=(
        {
            "type": "array",
            "description": "By currency and type; empty where nothing was paid",
            "items": _INCOME,
        },
        [
            {
                "currency": "NGN",
                "type": "Dividend",
                "gross": 1000,
                "tax": 100,
                "net": 900,
                "issuers": [{"_id": ORGANISATION_ID, "name": "Riverton Capital"}],
            }
        ],
    ),
    createdAt=(
        {"type": "string", "format": "date-time", "description": "When the summary was made"},
        JOINED_AT,
    ),
)
_PARAMETERS = [
    OpenApiParameter(
        "year",
        {"type": "integer", "minimum": 2020, "maximum": 2100},
        required=True,
        description="Calendar year in UTC",
    ),
    OpenApiParameter(
        "format",
        {"type": "string", "enum": list(_FORMATS), "default": "json"},
        description="`csv` returns a file",
    ),
]


class TaxSummaryViewSet(ApiViewSet):
    """The tax summary of a member."""

    tag = "Distributions"
    singleton = True

    @operation(
        "Tax summary retrieved",
        scope="wallets:read",
        query=_PARAMETERS,
        response=TAX_SUMMARY,
        files=[CSV],
        failures={"400": {"invalid_request": _YEAR_PROBLEM}},
    )
    def retrieve(self, request: Request, member_id: str) -> SuccessResponse | HttpResponse:
        """Fetch what was withheld of a member's income in a year. The income that was paid, by
        currency and type, its tax and its issuers: as JSON, or with `format` as a CSV file.
        """
        year, form = _read_query(request.query_params)
        found = parse_path_id(member_id, UserNotFound)
        summary = read_tax_summary(self.caller.organisation_id, found, year)
        if form == CSV_FORM:
            return file_response(_to_csv(summary), CSV, f"tax-summary-{year}-{found}.csv")
        return self.respond(_to_wire(summary))


def _read_query(parameters: QueryDict) -> tuple[int, str]:
    """Return year and format. Raises `InvalidRequest` that names both where both are wrong."""
    year = parameters.get("year", "")
    form = match_choice(parameters.get("format", "json"), _FORMATS)
    problems = {}
    if not re.fullmatch("20[2-9][0-9]|2100", year, re.ASCII):
        problems["year"] = _YEAR_PROBLEM
    if form is None:
        problems["format"] = f"format must be one of [{', '.join(_FORMATS)}]"
    if problems or form is None:
        raise InvalidRequest("; ".join(problems.values()), fields=problems)
    return int(year), form


def _to_wire(summary: TaxSummary) -> dict[str, Any]:
    member = summary.member
    return {
        "owner": member.pk,
        "owner_name": member.name,
        "holder_kind": member.holder_kind,
        "tax_residence": member.tax_residence or None,
        "tax_id": member.tax_id or None,
        "year": summary.year,
        "income": [asdict(each) for each in summary.income],
        "createdAt": timezone.now(),
    }


def _to_csv(summary: TaxSummary) -> bytes:
    member, file = summary.member, io.BytesIO()
    write_table(
        file,
        form=CSV_FORM,
        title="Tax summary",
        headings=(
            *("Year", "Member", "Holder kind", "Tax residence", "Tax ID", "Currency", "Type"),
            *("Gross", "Tax", "Net", "Issuers", "Member ID"),
        ),
        rows=(
            (
                *(summary.year, member.name, member.holder_kind, member.tax_residence),
                *(member.tax_id, each.currency, each.type, each.gross, each.tax, each.net),
                *("; ".join(issuer["name"] for issuer in each.issuers), str(member.pk)),
            )
            for each in summary.income
        ),
    )
    return file.getvalue()
