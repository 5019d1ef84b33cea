"""Endpoints for loan configurations: list, fetch, propose and change."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.request import Request

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.filters import ConfigurationFilters
from credit.configurations.models import LoanConfiguration
from credit.configurations.payloads import LOAN_CONFIGURATION
from credit.configurations.selectors import read_configuration, read_configurations, usable_by
from credit.configurations.serializers import (
    CURRENCY_PARAMETER,
    FAILURES,
    STATUS_PARAMETER,
    TERMS_EXAMPLE,
    TermsInput,
    build_terms,
)
from credit.configurations.services.configurations import propose, propose_change
from exchange.api.idempotency import respond_once
from exchange.api.operations import RecordList, operation
from exchange.api.responses import RawJSON, SuccessResponse, join_documents
from exchange.api.viewsets import ApiViewSet, parse_path_id


class ConfigurationViewSet(ApiViewSet):
    """The loan configurations that the caller may use or owns."""

    tag = "Loan configurations"
    lookup_url_kwarg = "configuration_id"
    filterset_class = ConfigurationFilters

    def get_queryset(self) -> QuerySet[LoanConfiguration]:
        """Return what the caller may use or owns, newest first."""
        return usable_by(self.caller.organisation_id)

    @operation(
        "Loan configurations retrieved",
        scope="credit:read",
        query=[STATUS_PARAMETER, CURRENCY_PARAMETER],
        response=RecordList(LOAN_CONFIGURATION),
    )
    def list(self, _request: Request) -> SuccessResponse:
        """List loan configurations. Those your members may borrow on, and your own in any state,
        newest first, with the effective terms, or the newest if none are effective.
        """
        found = self.filter_queryset(self.get_queryset())
        return self.respond(join_documents(read_configurations(self.caller.organisation_id, found)))

    @operation(
        "Loan configuration retrieved",
        scope="credit:read",
        response=LOAN_CONFIGURATION,
        failures={"404": FAILURES["404"]},
    )
    def retrieve(self, _request: Request, configuration_id: str) -> SuccessResponse:
        """Fetch a loan configuration. One your members may borrow on, or your own."""
        return self._respond(parse_path_id(configuration_id, ConfigurationNotFound))

    @operation(
        "Loan configuration proposed",
        scope="credit:write",
        idempotent=True,
        body=TermsInput,
        response=LOAN_CONFIGURATION,
        status=201,
        failures={"400": FAILURES["400"]},
        examples=[TERMS_EXAMPLE],
    )
    def create(self, request: Request) -> SuccessResponse:
        """Propose a loan configuration. You are its creditor. It is Pending and makes loans once
        Approved. Emits `loan_configuration.approved` or `loan_configuration.rejected` when decided.
        """
        values = self.body()
        return respond_once(request, lambda: self._propose(values))

    @operation(
        "Loan configuration change proposed",
        scope="credit:write",
        body=TermsInput,
        response=LOAN_CONFIGURATION,
        failures=FAILURES,
        examples=[TERMS_EXAMPLE],
    )
    def update(self, _request: Request, configuration_id: str) -> SuccessResponse:
        """Propose new terms of your own loan configuration. Send all terms: omitted ones take
        their default. The effective terms apply until the new ones, shown as `pending`, are
        approved; existing loans keep their terms. If no terms are effective yet, the new ones
        replace the proposed ones, and a Rejected configuration becomes Pending again.
        """
        found = parse_path_id(configuration_id, ConfigurationNotFound)
        propose_change(
            configuration_id=found, terms=build_terms(self.body()), actor=self.caller.actor
        )
        return self._respond(found)

    def _propose(self, values: dict[str, Any]) -> SuccessResponse:
        caller = self.caller
        made = propose(
            creditor_id=caller.organisation_id, terms=build_terms(values), actor=caller.actor
        )
        return self._respond(made.id)

    def _respond(self, configuration_id: UUID) -> SuccessResponse:
        text = read_configuration(self.caller.organisation_id, configuration_id)
        return self.respond(RawJSON(text))
