"""The addresses under `/v1/sandbox`. Each sets one outcome, and returns the record after it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from rest_framework.decorators import action
from rest_framework.request import Request

from config.local.outcomes import deposits, distributions, loans, samples, withdrawals
from config.local.outcomes.once import set_once
from config.local.outcomes.people import SandboxNotPrepared
from config.local.outcomes.serializers import (
    DisputeInput,
    PaymentInput,
    RejectionInput,
    SampleInput,
)
from config.local.outcomes.settings import SCOPE
from credit.distributions.errors import DistributionNotFound
from credit.distributions.payloads import DISTRIBUTION
from credit.distributions.selectors import read_distribution
from credit.loans.errors import LoanNotFound
from credit.loans.payloads import LOAN_DETAIL
from credit.loans.selectors.loans import read_loan_detail
from exchange.api.operations import operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core.errors import NotFound, StateConflict
from exchange.events.payloads import EVENT
from exchange.events.selectors import event_document
from wallets.deposits.errors import DepositNotFound
from wallets.deposits.payloads import DEPOSIT
from wallets.deposits.selectors import deposit_document
from wallets.withdrawals.api import withdrawal_detail
from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.shapes import WITHDRAWAL_DETAIL

TAG = "Sandbox"

Action = Callable[..., SuccessResponse]

_DOWN = {"502": {"provider_unavailable": "The payment provider's sandbox did not respond"}}
_NOT_PENDING = "Only a withdrawal that is Pending allows this: it is Approved"
_NOT_APPROVED = "Only a withdrawal that is Approved, Processing or Unknown allows this"


def _outcome(
    message: str,
    conflict: str,
    *,
    url_path: str | None = None,
    failures: Mapping[str, Mapping[str, str]] | None = None,
    **declared: Any,
) -> Callable[[Action], Action]:
    """Declare the POST of an outcome that staff decide; `conflict` is a message of its refusal."""
    conflicts = {StateConflict.code: conflict, SandboxNotPrepared.code: SandboxNotPrepared.message}
    failures = {"409": conflicts, **(failures or {})}
    declare = operation(message, scope=SCOPE, idempotent=True, failures=failures, **declared)
    return lambda method: declare(action(detail=True, methods=["post"], url_path=url_path)(method))


_withdrawal = partial(_outcome, response=WITHDRAWAL_DETAIL)
_loan = partial(_outcome, response=LOAN_DETAIL)
_distribution = partial(_outcome, response=DISTRIBUTION)


class _OutcomeViewSet(ApiViewSet):
    """Sets outcomes of the records that `read` returns the caller, else raises `missing`."""

    tag = TAG
    missing: type[NotFound]
    read: Callable[[UUID, UUID], RawJSON]

    def set_outcome(
        self, request: Request, text: str, outcome: Callable[..., None], **values: Any
    ) -> SuccessResponse:
        """Set the outcome of the record whose id is `text`, and respond with the record."""
        found, caller = parse_path_id(text, self.missing), self.caller.organisation_id
        return set_once(
            request,
            lambda: outcome(found, caller, **values),
            lambda _: self.respond(self.read(caller, found)),
        )


class SandboxWithdrawalViewSet(_OutcomeViewSet):
    """Outcomes of withdrawals."""

    lookup_url_kwarg = "withdrawal_id"
    missing = WithdrawalNotFound
    read = staticmethod(withdrawal_detail)

    @_withdrawal(
        "Withdrawal approved",
        _NOT_PENDING,
        failures={
            "400": {
                "corridor_incomplete": "GHS payouts require: branch_code",
                "account_frozen": "The account is frozen. It can be approved once two people"
                " have lifted the freeze",
            },
            **_DOWN,
        },
    )
    def approve(self, request: Request, withdrawal_id: str) -> SuccessResponse:
        """Approve a Pending withdrawal. By as many people as it needs. Its payout is sent, and
        stays open at the provider until `complete` or `fail`. Emits `withdrawal.approved` and
        `withdrawal.processing`.
        """
        return self.set_outcome(request, withdrawal_id, withdrawals.approve)

    @_withdrawal("Withdrawal rejected", _NOT_PENDING, body=RejectionInput)
    def reject(self, request: Request, withdrawal_id: str) -> SuccessResponse:
        """Reject a Pending withdrawal. Its amount returns to the wallet. Emits
        `withdrawal.rejected`.
        """
        reason = self.body()["reason"]
        return self.set_outcome(request, withdrawal_id, withdrawals.reject, reason=reason)

    @_withdrawal("Withdrawal completed", _NOT_APPROVED, failures=_DOWN)
    def complete(self, request: Request, withdrawal_id: str) -> SuccessResponse:
        """Let the bank pay an approved withdrawal. Emits `withdrawal.completed`."""
        return self.set_outcome(request, withdrawal_id, withdrawals.end, paid=True)

    @_withdrawal("Withdrawal failed", _NOT_APPROVED, failures=_DOWN)
    def fail(self, request: Request, withdrawal_id: str) -> SuccessResponse:
        """Let the bank decline an approved withdrawal. Its amount returns to the wallet. Emits
        `withdrawal.failed`.
        """
        return self.set_outcome(request, withdrawal_id, withdrawals.end, paid=False)

    @_withdrawal(
        "Withdrawal returned",
        "Only a withdrawal that is Completed allows this: it is Failed",
        url_path="return",
        failures=_DOWN,
    )
    def return_money(self, request: Request, withdrawal_id: str) -> SuccessResponse:
        """Let the bank return a Completed withdrawal. The net payout is credited again; our fee
        stays. Emits `withdrawal.reversed`.
        """
        return self.set_outcome(request, withdrawal_id, withdrawals.return_money)


class SandboxDepositViewSet(_OutcomeViewSet):
    """Outcomes of deposits."""

    lookup_url_kwarg = "deposit_id"
    missing = DepositNotFound
    read = staticmethod(lambda caller, found: RawJSON(deposit_document(caller, found)))

    @operation(
        "Payment made",
        scope=SCOPE,
        idempotent=True,
        body=PaymentInput,
        response=DEPOSIT,
        status=201,
        failures={
            "404": {
                DepositNotFound.code: DepositNotFound.message,
                deposits.VirtualAccountNotFound.code: deposits.VirtualAccountNotFound.message,
            },
            "409": {StateConflict.code: "Only a Pending checkout can be paid: it is Completed"},
            **_DOWN,
        },
    )
    def create(self, request: Request) -> SuccessResponse:
        """Pay into one of your virtual accounts, or pay one of your checkouts. Emits
        `deposit.completed`, or `deposit.failed` with the status `failed`.
        """
        values, caller = self.body(), self.caller.organisation_id
        return set_once(
            request,
            lambda: _pay(caller, values),
            lambda deposit_id: self.respond(self.read(caller, deposit_id)),
        )

    @operation(
        "Deposit disputed",
        scope=SCOPE,
        idempotent=True,
        body=DisputeInput,
        response=DEPOSIT,
        failures={
            "409": {
                StateConflict.code: "Only a Completed deposit that the provider credited, and that"
                " is not disputed, can be disputed"
            },
            **_DOWN,
        },
    )
    @action(detail=True, methods=["post"])
    def dispute(self, request: Request, deposit_id: str) -> SuccessResponse:
        """Let the payer's bank demand a deposit back. The amount is held as far as the wallet has
        it. Emits `deposit.disputed`.
        """
        amount = self.body()["amount"]
        return self.set_outcome(request, deposit_id, deposits.dispute, amount=amount)


def _pay(organisation_id: UUID, values: dict[str, Any]) -> UUID:
    payer = {"name": values["payer_name"]} if values["payer_name"] else {}
    number = values["account_number"]
    if number:
        return deposits.pay_account(organisation_id, number, values["amount"], payer)
    given = {name: values[name] for name in ("amount", "payment_type", "status") if values[name]}
    checkout = parse_path_id(values["deposit"], DepositNotFound)
    return deposits.pay_checkout(organisation_id, checkout, payer=payer, **given)


class SandboxLoanViewSet(_OutcomeViewSet):
    """Outcomes of loans, for the borrower's organisation and the creditor."""

    lookup_url_kwarg = "loan_id"
    missing = LoanNotFound
    read = staticmethod(lambda caller, found: RawJSON(read_loan_detail(caller, found)))

    @_loan(
        "Loan overdue",
        "Only a loan that is ACTIVE allows this: it is OVERDUE",
        url_path="fall-due",
    )
    def fall_due(self, request: Request, loan_id: str) -> SuccessResponse:
        """Make an ACTIVE loan OVERDUE. Its repayment date stays. Emits `loan.overdue`."""
        return self.set_outcome(request, loan_id, loans.fall_due)

    @_loan("Loan defaulted", "Only a loan that is ACTIVE or OVERDUE allows this: it is COMPLETED")
    def default(self, request: Request, loan_id: str) -> SuccessResponse:
        """Make an ACTIVE or OVERDUE loan DEFAULTED. Its dates stay. Emits `loan.defaulted`, and
        `loan.overdue` first where it was ACTIVE.
        """
        return self.set_outcome(request, loan_id, loans.default)

    @_loan("Shortfall opened", "The loan has a shortfall already")
    def shortfall(self, request: Request, loan_id: str) -> SuccessResponse:
        """Open a shortfall of a loan. Its collateral is valued once at a lower price, by two quotes
        of which the second restores the former price. The next valuation of the day cures it. Emits
        `loan.shortfall`.
        """
        return self.set_outcome(request, loan_id, loans.open_shortfall)


class SandboxDistributionViewSet(_OutcomeViewSet):
    """Outcomes of distributions of the caller's tokens."""

    lookup_url_kwarg = "distribution_id"
    missing = DistributionNotFound
    read = staticmethod(lambda caller, found: RawJSON(read_distribution(caller, found)))

    @_distribution(
        "Distribution recorded",
        "Only a distribution that is Draft or Announced allows this: it is Recorded",
    )
    def record(self, request: Request, distribution_id: str) -> SuccessResponse:
        """Make the record of a distribution of your own token now. A Draft is announced first. An
        announced one with a later record gets an earlier one by two people. Emits
        `distribution.announced`, `distribution.updated` and `distribution.recorded`.
        """
        return self.set_outcome(request, distribution_id, distributions.record)

    @_distribution(
        "Distribution paid",
        "Only a distribution that is Recorded or Funded or Paying allows this: it is Draft",
        failures={"400": {"insufficient_balance": "Insufficient USD balance. Available: 0, "
                          "requested: 34.5"}},
    )  # fmt: skip
    def pay(self, request: Request, distribution_id: str) -> SuccessResponse:
        """Pay a recorded distribution of your own token now. It is funded from your wallet. Emits
        `distribution.paid`.
        """
        actor = self.caller.actor
        return self.set_outcome(request, distribution_id, distributions.pay, actor=actor)


class SandboxEventViewSet(ApiViewSet):
    """Sample events."""

    tag = TAG

    @operation(
        "Sample event queued for delivery",
        scope=SCOPE,
        idempotent=True,
        body=SampleInput,
        response=EVENT,
        status=201,
    )
    def create(self, request: Request) -> SuccessResponse:
        """Send a sample event of any type. Its `data` is the example of the webhook reference. It
        is stored, numbered, signed and delivered as any event.
        """
        event_type, caller = self.body()["type"], self.caller.organisation_id
        return set_once(
            request,
            lambda: samples.emit_sample(caller, event_type),
            lambda event_id: self.respond(RawJSON(event_document(caller, event_id))),
        )
