"""`/v1/api/token/{id}/schedule`: what a token is to pay."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request

from credit.distributions.schedule import Period
from credit.distributions.selectors import read_schedule
from credit.distributions.shapes import PAGE_PARAMETERS, SCHEDULE
from exchange.api.operations import operation
from exchange.api.pagination import Page, read_page_request
from exchange.api.responses import RawJSON, SuccessResponse, encode_json
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.tokens.errors import TokenNotFound


class ScheduleViewSet(ApiViewSet):
    """The schedule of a token."""

    tag = "Tokens"
    singleton = True

    @operation(
        "Schedule retrieved",
        scope="tokens:read",
        query=PAGE_PARAMETERS,
        response=SCHEDULE,
        failures={"404": {"token_not_found": "Token not found"}},
    )
    def retrieve(self, request: Request, token_id: str) -> SuccessResponse:
        """Fetch the schedule of a token. Its interest periods, oldest first, computed from its
        present terms; without a maturity all until today and the next 12. None while the raise is
        open, after exit or cancellation, and where the issue price or the completion is unknown.
        """
        found = parse_path_id(token_id, TokenNotFound)
        today = timezone.now().date()
        schedule = read_schedule(self.caller.organisation_id, found, today)
        window = read_page_request(request)
        page = Page(window, len(schedule.periods))
        shown = schedule.periods[window.offset : window.offset + window.limit]
        records = RawJSON(encode_json([_describe(period) for period in shown]))
        data = page.data("schedule", len(shown), records)
        return self.respond({**data, "terms": RawJSON(schedule.terms)})


def _describe(period: Period) -> dict[str, Any]:
    basis = period.basis
    return {
        "period": period.number,
        "starts": str(period.starts),
        "ends": str(period.ends),
        "days": basis.days,
        "type": "Interest",
        "basis": {
            "principal_per_unit": basis.principal_per_unit,
            "rate": basis.rate,
            "days": basis.days,
            "year": basis.year,
        },
        "amount_per_unit": basis.amount_per_unit,
    }
