"""Endpoints for loans: create, quote, list, fetch, repay, and manage collateral."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from credit.loans import shapes
from credit.loans.errors import LoanNotFound
from credit.loans.filters import LoanFilters
from credit.loans.models import Loan
from credit.loans.payloads import LISTED_LOAN, LOAN, LOAN_DETAIL
from credit.loans.selectors.loans import (
    loans_of,
    read_listed_loans,
    read_loan_detail,
    read_loan_statement,
)
from credit.loans.serializers import (
    CollateralInput,
    LoanInput,
    ReleaseInput,
    RepaymentInput,
    build_loan_request,
)
from credit.loans.services.assessing import assess
from credit.loans.services.lending import create_loan
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.repaying import repay
from exchange.api.idempotency import respond_once
from exchange.api.operations import RecordPage, operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.timestamps import javascript_time

# Shared by adding and releasing collateral.
_pledging = partial(
    operation,
    scope="credit:write",
    moves_money=True,
    response=LOAN_DETAIL,
    examples=[shapes.PLEDGE_EXAMPLE],
)


class LoanViewSet(ApiViewSet):
    """Loans to the caller's members, and loans the caller made."""

    tag = "Loans"
    lookup_url_kwarg = "loan_id"
    filterset_class = LoanFilters
    sort_fields: ClassVar = {
        "created_at": "created_at",
        "updated_at": "updated_at",
        "repayment_date": "repayment_date",
        "amount": "amount",
    }
    changing_sorts = frozenset({"updated_at", "repayment_date"})
    default_sort = "-created_at"

    def get_queryset(self) -> QuerySet[Loan]:
        """Return the loans visible to the caller."""
        return loans_of(self.caller.organisation_id)

    @operation("Loans retrieved", scope="credit:read", response=RecordPage(LISTED_LOAN, "loans"))
    def list(self, _request: Request) -> Response:
        """List loans. Those to the organisation's members and those it made, each with the value
        of its collateral.
        """
        found = self.filter_queryset(self.get_queryset())
        read = partial(read_listed_loans, self.caller.organisation_id)
        return self.paginated_response(found, read)

    @operation("Loan retrieved", scope="credit:read", response=LOAN_DETAIL)
    def retrieve(self, _request: Request, loan_id: str) -> SuccessResponse:
        """Fetch a loan. Includes its balance, repayments and collateral value."""
        found = parse_path_id(loan_id, LoanNotFound)
        return self.respond(RawJSON(read_loan_detail(self.caller.organisation_id, found)))

    @operation(
        "Loan created",
        scope="credit:write",
        moves_money=True,
        body=LoanInput,
        response=LOAN,
        status=201,
        failures=shapes.CREATE_FAILURES,
        examples=[shapes.LOAN_EXAMPLE],
    )
    def create(self, request: Request) -> SuccessResponse:
        """Create a loan. Immediately liens the units and moves the amount from the creditor's
        wallet to the member's. Emits `loan.created` to the caller and the creditor.
        """
        values = self.body()
        return respond_once(request, lambda: self._create(values))

    def _create(self, values: dict[str, Any]) -> SuccessResponse:
        caller = self.caller
        loan = create_loan(
            organisation_id=caller.organisation_id,
            request=build_loan_request(values),
            actor=caller.actor,
        )
        return self.respond(RawJSON(loan.document))

    @operation(
        "Loan quoted",
        scope="credit:read",
        body=LoanInput,
        response=shapes.QUOTE,
        failures=shapes.QUOTE_FAILURES,
        examples=[shapes.LOAN_EXAMPLE],
    )
    @action(detail=False, methods=["post"])
    def quote(self, _request: Request) -> SuccessResponse:
        """Quote a loan. Takes the same body and has no effect: returns the collateral value, the
        maximum amount and repayment, and every rule that would reject the loan. Funding is checked
        for the creditor only; others receive `not_funded` when they create the loan.
        """
        wanted = build_loan_request(self.body())
        found = assess(wanted, organisation_id=self.caller.organisation_id, quote=True)
        return self.respond(
            {
                "collateral_value": found.collateral_value,
                "max_amount": found.max_amount,
                "max_repayment_amount": found.max_repayment_amount,
                "repayment_date": found.repayment_date and javascript_time(found.repayment_date),
                "currency": wanted.currency,
                "acceptable": not found.errors,
                "refusals": [
                    {"code": refusal.code, "message": refusal.message} for refusal in found.errors
                ],
            }
        )

    @operation("Loan statement retrieved", scope="credit:read", response=shapes.STATEMENT)
    @action(detail=True)
    def statement(self, _request: Request, loan_id: str) -> SuccessResponse:
        """Fetch a loan's statement. Disbursement, repayments and closure, oldest first."""
        found = parse_path_id(loan_id, LoanNotFound)
        return self.respond(RawJSON(read_loan_statement(self.caller.organisation_id, found)))

    @operation(
        "Loan repaid",
        scope="credit:write",
        moves_money=True,
        body=RepaymentInput,
        response=LOAN_DETAIL,
        failures=shapes.REPAY_FAILURES,
        examples=[shapes.REPAYMENT_EXAMPLE],
    )
    @action(detail=True, methods=["post"])
    def repay(self, request: Request, loan_id: str) -> SuccessResponse:
        """Repay a loan. In part or in full, from the borrower's wallet or the cash collateral,
        interest first. The final payment releases the collateral and emits `loan.repaid`.
        """
        return self._change(request, loan_id, partial(repay, **self.body()))

    @_pledging(
        "Collateral added",
        id="loans_add_collateral",
        body=CollateralInput,
        failures=shapes.COLLATERAL_FAILURES,
    )
    @action(detail=True, methods=["post"])
    def collateral(self, request: Request, loan_id: str) -> SuccessResponse:
        """Add collateral to a loan. Units of the borrower move from available to lien."""
        change = partial(add_collateral, pledges=self.body()["collaterals"])
        return self._change(request, loan_id, change)

    @_pledging(
        "Collateral released",
        id="loans_release_collateral",
        body=ReleaseInput,
        failures=shapes.RELEASE_FAILURES,
    )
    @action(detail=True, methods=["post"])
    def release(self, request: Request, loan_id: str) -> SuccessResponse:
        """Release collateral of a loan. Units and cash; the rest must still cover the outstanding
        principal.
        """
        body = self.body()
        change = partial(
            release_collateral, pledges=body["collaterals"], cash=body["cash_collateral"]
        )
        return self._change(request, loan_id, change)

    def _change(
        self, request: Request, loan_id: str, change: Callable[..., Loan]
    ) -> SuccessResponse:
        """Run `change` once per idempotency key and respond with the loan."""
        found = parse_path_id(loan_id, LoanNotFound)
        caller = self.caller

        def run() -> SuccessResponse:
            change(loan_id=found, organisation_id=caller.organisation_id, actor=caller.actor)
            return self.respond(RawJSON(read_loan_detail(caller.organisation_id, found)))

        return respond_once(request, run)
