"""Endpoints for schedules, distributions and income."""

from dataclasses import asdict
from functools import partial
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from credit.distributions import shapes
from credit.distributions.errors import DistributionNotFound
from credit.distributions.filters import DistributionFilters, IncomeFilters, PaymentFilters
from credit.distributions.models import Distribution, Income
from credit.distributions.payloads import DISTRIBUTION, INCOME, PAYMENT
from credit.distributions.schedule import Period
from credit.distributions.selectors import (
    get_own_distribution,
    income_of_organisation,
    read_distribution,
    read_distributions,
    read_income,
    read_schedule,
    visible_distributions,
)
from credit.distributions.serializers import DistributionInput, build_terms
from credit.distributions.services.funding import fund
from credit.distributions.services.proposals import propose_distribution
from credit.distributions.shapes import PAGE_PARAMETERS, SCHEDULE
from exchange.api.idempotency import respond_once
from exchange.api.operations import RecordPage, operation
from exchange.api.pagination import Page, read_page_request
from exchange.api.responses import RawJSON, SuccessResponse, encode_json
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.timestamps import wire_time
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
        With the next record and payment: of what is announced, else of the present period.
        """
        found = parse_path_id(token_id, TokenNotFound)
        today = timezone.now().date()
        schedule = read_schedule(self.caller.organisation_id, found, today)
        window = read_page_request(request)
        page = Page(window, len(schedule.periods))
        shown = schedule.periods[window.offset : window.offset + window.limit]
        records = RawJSON(encode_json([_describe(period) for period in shown]))
        data = page.data("schedule", len(shown), records)
        following = {
            "next_record_at": schedule.next_record_at and wire_time(schedule.next_record_at),
            "next_payment_date": schedule.next_payment_date and str(schedule.next_payment_date),
        }
        return self.respond({**data, **following, "terms": RawJSON(schedule.terms)})


def _describe(period: Period) -> dict[str, Any]:
    basis = period.basis
    return {
        "period": period.number,
        "starts": str(period.starts),
        "ends": str(period.ends),
        "days": basis.days,
        "type": "Interest",
        "basis": asdict(basis),
        "amount_per_unit": basis.amount_per_unit,
    }


_INCOME_SORT = {"createdAt": "created_at", "gross": "gross"}


class TokenDistributionViewSet(ApiViewSet):
    """Proposals of distributions by the issuer of a token."""

    tag = "Distributions"

    @operation(
        "Distribution proposed",
        scope="tokens:write",
        idempotent=True,
        body=DistributionInput,
        response=DISTRIBUTION,
        status=201,
        failures=shapes.PROPOSE_FAILURES,
        examples=[shapes.DIVIDEND_EXAMPLE, shapes.INTEREST_EXAMPLE],
    )
    def create(self, request: Request, token_id: str) -> SuccessResponse:
        """Propose a distribution. You are the issuer of the token. It is a Draft until staff
        approve it. Emits `distribution.announced` then, or `distribution.cancelled`. With
        `corrects` it has the right terms of a distribution that was paid wrong, and pays each
        holder the difference, or takes it back.
        """
        token, values = parse_path_id(token_id, TokenNotFound), self.body()

        corrects = values["corrects"] and parse_path_id(values["corrects"], DistributionNotFound)

        def propose() -> SuccessResponse:
            made = propose_distribution(
                token_id=token,
                terms=build_terms(values),
                actor=self.caller.actor,
                corrects=corrects or None,
            )
            return self.respond(RawJSON(read_distribution(self.caller.organisation_id, made.pk)))

        return respond_once(request, propose)


class DistributionViewSet(ApiViewSet):
    """Distributions of tokens that the caller issued or sees."""

    tag = "Distributions"
    lookup_url_kwarg = "distribution_id"
    filterset_class = DistributionFilters
    sort_fields: ClassVar = {
        "createdAt": "created_at",
        "updatedAt": "updated_at",
        "record_at": "record_at",
        "payment_date": "payment_date",
    }
    changing_sorts = frozenset({"updatedAt", "record_at", "payment_date"})
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Distribution]:
        """Return the distributions visible to the caller."""
        return visible_distributions(self.caller.organisation_id)

    @operation(
        "Distributions retrieved",
        scope="tokens:read",
        response=RecordPage(DISTRIBUTION, "distributions"),
    )
    def list(self, _request: Request) -> Response:
        """List distributions. Those of your own tokens in any state, and announced ones of tokens
        that you see.
        """
        found = self.filter_queryset(self.get_queryset())
        read = partial(read_distributions, self.caller.organisation_id)
        return self.paginated_response(found, read)

    @operation("Distribution retrieved", scope="tokens:read", response=DISTRIBUTION)
    def retrieve(self, _request: Request, distribution_id: str) -> SuccessResponse:
        """Fetch a distribution."""
        found = parse_path_id(distribution_id, DistributionNotFound)
        return self.respond(RawJSON(read_distribution(self.caller.organisation_id, found)))

    @operation(
        "Distribution funded",
        scope="tokens:write",
        moves_money=True,
        response=DISTRIBUTION,
        failures=shapes.FUND_FAILURES,
    )
    @action(detail=True, methods=["post"])
    def fund(self, request: Request, distribution_id: str) -> SuccessResponse:
        """Fund a distribution of your own token. Moves all that its record says is due out of your
        wallet, before the payment date or after. Without it, what you proposed is taken on the
        payment date.
        """
        found, caller = parse_path_id(distribution_id, DistributionNotFound), self.caller

        def run() -> SuccessResponse:
            fund(distribution_id=found, organisation_id=caller.organisation_id, actor=caller.actor)
            return self.respond(RawJSON(read_distribution(caller.organisation_id, found)))

        return respond_once(request, run)


class PaymentViewSet(ApiViewSet):
    """What the holders receive of a distribution of the caller's own token."""

    tag = "Distributions"
    filterset_class = PaymentFilters
    sort_fields: ClassVar = _INCOME_SORT
    default_sort = "-createdAt"
    queryset = Income.objects.none()

    @operation("Payments retrieved", scope="tokens:read", response=RecordPage(PAYMENT, "payments"))
    def list(self, _request: Request, distribution_id: str) -> Response:
        """List the payments of a distribution of your own token. Known once it is Recorded;
        `owner` names your own organisation and members, and no others.
        """
        organisation = self.caller.organisation_id
        own = get_own_distribution(
            organisation, parse_path_id(distribution_id, DistributionNotFound)
        )
        found = self.filter_queryset(Income.objects.filter(distribution=own))
        return self.paginated_response(found, partial(read_income, organisation))


class IncomeViewSet(ApiViewSet):
    """The income of the organisation and its members."""

    tag = "Distributions"
    filterset_class = IncomeFilters
    sort_fields: ClassVar = _INCOME_SORT
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Income]:
        """Return the caller's income."""
        return income_of_organisation(self.caller.organisation_id)

    @operation("Income retrieved", scope="wallets:read", response=RecordPage(INCOME, "income"))
    def list(self, _request: Request) -> Response:
        """List income. What your organisation and its members receive of distributions, from
        their record on.
        """
        found = self.filter_queryset(self.get_queryset())
        read = partial(read_income, self.caller.organisation_id)
        return self.paginated_response(found, read)
