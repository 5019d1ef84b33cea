"""Loan configurations: listing and reading those one may use, proposing terms and changes."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from credit.api.terms import (
    CURRENCY_PARAMETER,
    FAILURES,
    STATUS_PARAMETER,
    TERMS_EXAMPLE,
    TermsInput,
    terms_of,
)
from credit.errors import ConfigurationNotFound
from credit.filtersets import ConfigurationFilters
from credit.models import LoanConfiguration
from credit.payloads import LOAN_CONFIGURATION
from credit.selectors.configurations import (
    configuration_text,
    configuration_texts,
    usable_by,
)
from credit.services.configurations import propose, propose_change
from exchange.api.answers import Answer, RawJSON, documents
from exchange.api.idempotency import answer_once
from exchange.api.schema import Created, Operation, Record, Records
from exchange.api.views import ApiView, path_id


class ConfigurationsView(ApiView):
    """The configurations that the caller may use or owns."""

    operations: ClassVar = {
        "GET": Operation("loan_configurations", "list", "Loan configurations retrieved"),
        "POST": Operation("loan_configurations", "create", "Loan configuration proposed"),
    }
    required_scopes: ClassVar = {"GET": "credit:read", "POST": "credit:write"}
    takes_idempotency_key = True
    serializer_class = TermsInput
    filterset_class = ConfigurationFilters
    answers: ClassVar = {
        "GET": Records(LOAN_CONFIGURATION),
        "POST": Created(Record(LOAN_CONFIGURATION)),
    }

    @property
    def failures(self) -> dict[str, dict[str, str]]:
        """Messages of a refused proposal."""
        return {"400": FAILURES["400"]} if self.request.method == "POST" else {}

    def get_queryset(self) -> QuerySet[LoanConfiguration]:
        """What the caller may use or owns, newest first."""
        return usable_by(self.caller.organisation_id)

    @extend_schema(parameters=[STATUS_PARAMETER, CURRENCY_PARAMETER])
    def get(self, _request: Request) -> Answer:
        """List loan configurations. Those your members may borrow on, and your own in any state,
        newest first, with the terms in force, or the newest where none are.
        """
        found = self.filter_queryset(self.get_queryset())
        texts = configuration_texts(self.caller.organisation_id, found)
        return Answer(documents(texts), "Loan configurations retrieved")

    @extend_schema(examples=[TERMS_EXAMPLE])
    def post(self, request: Request) -> Answer:
        """Propose a loan configuration. You are its creditor. It is Pending, and makes loans once
        it is Approved; emits `loan_configuration.approved` or `loan_configuration.rejected` then.
        """
        values = self.body()
        return answer_once(request, lambda: self._propose(values))

    def _propose(self, values: dict[str, Any]) -> Answer:
        caller = self.caller
        made = propose(
            creditor_id=caller.organisation_id, terms=terms_of(values), actor=caller.actor
        )
        text = configuration_text(caller.organisation_id, made.id)
        return Answer(RawJSON(text), "Loan configuration proposed", status=201)


class ConfigurationView(ApiView):
    """One configuration."""

    operations: ClassVar = {
        "GET": Operation("loan_configurations", "retrieve", "Loan configuration retrieved"),
        "PUT": Operation("loan_configurations", "update", "Loan configuration change proposed"),
    }
    required_scopes: ClassVar = {"GET": "credit:read", "PUT": "credit:write"}
    serializer_class = TermsInput
    answers: ClassVar = {"GET": Record(LOAN_CONFIGURATION), "PUT": Record(LOAN_CONFIGURATION)}

    @property
    def failures(self) -> dict[str, dict[str, str]]:
        """Messages of a refused change; reading only fails to find."""
        return FAILURES if self.request.method == "PUT" else {"404": FAILURES["404"]}

    def get(self, _request: Request, configuration_id: str) -> Answer:
        """Fetch a loan configuration. One your members may borrow on, or your own."""
        found = path_id(configuration_id, ConfigurationNotFound())
        return self._answer(found, "Loan configuration retrieved")

    @extend_schema(examples=[TERMS_EXAMPLE])
    def put(self, _request: Request, configuration_id: str) -> Answer:
        """Propose new terms of your own loan configuration. All of them: what is left out takes
        its default. Terms in force stay so, and the new ones are `pending`, until they are
        approved; loans keep the terms they were made on. Where none are in force yet, the new
        terms take the place of the old ones, and a Rejected configuration is Pending again.
        """
        found = path_id(configuration_id, ConfigurationNotFound())
        propose_change(configuration_id=found, terms=terms_of(self.body()), actor=self.caller.actor)
        return self._answer(found, "Loan configuration change proposed")

    def _answer(self, configuration_id: UUID, message: str) -> Answer:
        text = configuration_text(self.caller.organisation_id, configuration_id)
        return Answer(RawJSON(text), message)
