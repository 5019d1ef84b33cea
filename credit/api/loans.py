"""Loans: making, quoting, listing, reading, repaying, and their collateral."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from credit.api import shapes
from credit.api.serializers import CollateralInput, LoanInput, RepaymentInput, loan_request
from credit.errors import LoanNotFound
from credit.filtersets import LoanFilters
from credit.models import Loan
from credit.payloads import LISTED_LOAN, LOAN, LOAN_DETAIL
from credit.selectors.loans import listed_loans, loan_detail, loan_statement, loans_of
from credit.services.assessing import assess
from credit.services.lending import create_loan
from credit.services.pledging import add_collateral, release_collateral
from credit.services.repaying import repay
from exchange.api.answers import Answer, RawJSON
from exchange.api.idempotency import answer_once
from exchange.api.pagination import IdPages
from exchange.api.schema import Created, Operation, PageOf, Record
from exchange.api.views import ApiView, path_id
from exchange.times import javascript_time


class LoanCreateView(ApiView):
    """Making a loan."""

    operations: ClassVar = {"POST": Operation("loans", "create", "Loan created")}
    required_scopes: ClassVar = {"POST": "credit:write"}
    moves_money = True
    serializer_class = LoanInput
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.CREATE_FAILURES
    answers: ClassVar = {"POST": Created(Record(LOAN))}

    @extend_schema(examples=[shapes.LOAN_EXAMPLE])
    def post(self, request: Request) -> Answer:
        """Create a loan. Units move from available to lien and the amount from the creditor's
        wallet to the member's, at once. Emits `loan.created` to the caller and the creditor.
        """
        values = self.body()
        return answer_once(request, lambda: self._create(values))

    def _create(self, values: dict[str, Any]) -> Answer:
        caller = self.caller
        loan = create_loan(
            organisation_id=caller.organisation_id,
            request=loan_request(values),
            actor=caller.actor,
        )
        return Answer(RawJSON(loan.document), "Loan created", status=201)


class LoanQuoteView(ApiView):
    """What a loan would come to."""

    operations: ClassVar = {"POST": Operation("loans", "quote", "Loan quoted")}
    required_scopes: ClassVar = {"POST": "credit:read"}
    serializer_class = LoanInput
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.QUOTE_FAILURES
    answers: ClassVar = {"POST": shapes.QUOTE}

    @extend_schema(examples=[shapes.LOAN_EXAMPLE])
    def post(self, _request: Request) -> Answer:
        """Quote a loan. The same body, no effect: what the collateral is worth, the most that can
        be lent and is to be repaid, and every rule that would refuse. Whether the creditor has the
        money is told to the creditor alone: others learn it by `not_funded` when the loan is made.
        """
        wanted = loan_request(self.body())
        found = assess(wanted, organisation_id=self.caller.organisation_id, quote=True)
        data = {
            "collateral_value": found.collateral_value,
            "max_amount": found.most_lent,
            "max_repayment_amount": found.most_repaid,
            "repayment_date": found.repayment_date and javascript_time(found.repayment_date),
            "currency": wanted.currency,
            "acceptable": not found.refusals,
            "refusals": [
                {"code": refusal.code, "message": refusal.message} for refusal in found.refusals
            ],
        }
        return Answer(data, "Loan quoted")


class LoanPages(IdPages):
    """Pages of loans."""

    def texts(self, ids: list[UUID]) -> list[str]:
        """The documents, with what the collateral is worth."""
        return listed_loans(ids)


class LoansView(ApiView):
    """Loans of the caller's members, and those the caller made."""

    operations: ClassVar = {"GET": Operation("loans", "list", "Loans retrieved")}
    required_scopes: ClassVar = {"GET": "credit:read"}
    filterset_class = LoanFilters
    plural = "loans"
    sort_fields: ClassVar = {
        "created_at": "created_at",
        "updated_at": "updated_at",
        "repayment_date": "repayment_date",
        "amount": "amount",
    }
    default_sort = "-created_at"
    answers: ClassVar = {"GET": PageOf(LISTED_LOAN, "loans")}

    def get_queryset(self) -> QuerySet[Loan]:
        """What the caller sees."""
        return loans_of(self.caller.organisation_id)

    def get(self, request: Request) -> Answer:
        """List loans. Those of the organisation's members and those it lent, each with what its
        collateral is worth.
        """
        found = self.filter_queryset(self.get_queryset())
        page = LoanPages()
        page.paginate_queryset(found.values_list("id"), request, self)
        return page.answer(self, "Loans retrieved")


class LoanView(ApiView):
    """One loan."""

    operations: ClassVar = {"GET": Operation("loans", "retrieve", "Loan retrieved")}
    required_scopes: ClassVar = {"GET": "credit:read"}
    answers: ClassVar = {"GET": Record(LOAN_DETAIL)}

    def get(self, _request: Request, loan_id: str) -> Answer:
        """Fetch a loan. With what is outstanding, its repayments and its collateral's value."""
        found = path_id(loan_id, LoanNotFound())
        return Answer(RawJSON(loan_detail(self.caller.organisation_id, found)), "Loan retrieved")


class LoanStatementView(ApiView):
    """What moved for a loan."""

    operations: ClassVar = {"GET": Operation("loans", "statement", "Loan statement retrieved")}
    required_scopes: ClassVar = {"GET": "credit:read"}
    answers: ClassVar = {"GET": shapes.STATEMENT}

    def get(self, _request: Request, loan_id: str) -> Answer:
        """Fetch a loan's statement. Disbursement, repayments and its end, oldest first."""
        found = path_id(loan_id, LoanNotFound())
        text = loan_statement(self.caller.organisation_id, found)
        return Answer(RawJSON(text), "Loan statement retrieved")


class _LoanActionView(ApiView):
    """What the borrower's organisation does to an open loan."""

    required_scopes: ClassVar = {"POST": "credit:write"}
    moves_money = True
    answers: ClassVar = {"POST": Record(LOAN_DETAIL)}

    def act(
        self, request: Request, loan_id: str, message: str, change: Callable[..., Loan], **what: Any
    ) -> Answer:
        """The loan after the service `change` of it, once for one idempotency key."""
        found = path_id(loan_id, LoanNotFound())
        caller = self.caller

        def done() -> Answer:
            change(
                loan_id=found,
                organisation_id=caller.organisation_id,
                actor=caller.actor,
                **what,
            )
            return Answer(RawJSON(loan_detail(caller.organisation_id, found)), message)

        return answer_once(request, done)


class LoanRepayView(_LoanActionView):
    """Repaying."""

    operations: ClassVar = {"POST": Operation("loans", "repay", "Loan repaid")}
    serializer_class = RepaymentInput
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.REPAY_FAILURES

    @extend_schema(examples=[shapes.REPAYMENT_EXAMPLE])
    def post(self, request: Request, loan_id: str) -> Answer:
        """Repay a loan. In part or in full, from the borrower's wallet, interest first. The last
        payment releases the collateral and emits `loan.repaid`.
        """
        return self.act(request, loan_id, "Loan repaid", repay, amount=self.body()["amount"])


class LoanCollateralView(_LoanActionView):
    """Pledging more."""

    operations: ClassVar = {"POST": Operation("loans", "add_collateral", "Collateral added")}
    serializer_class = CollateralInput
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.COLLATERAL_FAILURES

    @extend_schema(examples=[shapes.PLEDGE_EXAMPLE])
    def post(self, request: Request, loan_id: str) -> Answer:
        """Add collateral to a loan. Units of the borrower move from available to lien."""
        pledges = self.body()["collaterals"]
        return self.act(request, loan_id, "Collateral added", add_collateral, pledges=pledges)


class LoanReleaseView(_LoanActionView):
    """Taking back what is not needed."""

    operations: ClassVar = {"POST": Operation("loans", "release_collateral", "Collateral released")}
    serializer_class = CollateralInput
    failures: ClassVar[dict[str, dict[str, str]]] = shapes.RELEASE_FAILURES

    @extend_schema(examples=[shapes.PLEDGE_EXAMPLE])
    def post(self, request: Request, loan_id: str) -> Answer:
        """Release collateral of a loan. As long as the rest covers the principal owed."""
        pledges = self.body()["collaterals"]
        return self.act(
            request, loan_id, "Collateral released", release_collateral, pledges=pledges
        )
