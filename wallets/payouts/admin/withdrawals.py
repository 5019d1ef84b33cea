"""Withdrawal pages with their payout: its state, and resolutions under dual control.

List, review page and decisions come from `wallets.withdrawals.admin`, which does not depend on
proposals. This module adds them and registers the admin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from exchange.admin.base import Section, staff_of
from exchange.admin.display import format_duration, format_time, status_badge
from exchange.api.files import PDF, file_response
from exchange.core.currencies import format_money
from exchange.pdf.printer import PrinterBusy, take_printer
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.alerts.models import Alert
from wallets.freezes.errors import AccountFrozen, ReceivableDue
from wallets.freezes.selectors import block_expression, find_block, find_freeze
from wallets.payouts.admin.bulk_reversals import exclude_from_reversal, propose_reversal
from wallets.payouts.admin.proposal_pages import ProposalPages
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.selectors import get_payout_hold
from wallets.payouts.services.resolutions import RESOLVE, possible_actions
from wallets.receivables.services.repayments import amount_owed
from wallets.withdrawals.admin.bulk_rows import BulkDecision
from wallets.withdrawals.admin.show import RETURNED, get_payout, is_returned
from wallets.withdrawals.admin.withdrawals import WithdrawalAdmin
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus
from wallets.withdrawals.receipt import build_receipt, describe_payment

# By what blocks the owner.
_AWAITING = {
    AccountFrozen.code: "Lift of the freeze",
    ReceivableDue.code: "Repayment of the amount owed",
}
_SENT = "The payout is sent once"
_UNLESS = ", unless it is returned by dual approval"


@dataclass(frozen=True, slots=True)
class PayoutNotice:
    """Notice about a payout that needs attention: tone, label and explanation."""

    tone: str
    word: str
    text: str


@admin.register(Withdrawal)
class WithdrawalPayoutAdmin(ProposalPages, WithdrawalAdmin):
    """Withdrawals with their payouts."""

    record_pages = (*WithdrawalAdmin.record_pages, "receipt")
    actions = (*WithdrawalAdmin.actions, "reverse_selected")
    bulk_decisions = {
        **WithdrawalAdmin.bulk_decisions,
        "reverse": BulkDecision(
            verb="Propose reversal of",
            noun="proposal",
            word="Proposed",
            permission=RESOLVE,
            reason_required="Enter a reason for the reversal",
            find_exclusion=exclude_from_reversal,
            decide=propose_reversal,
        ),
    }
    notice_template = "admin/wallets/payout/notice.html"
    actions_template = "admin/wallets/payout/actions.html"

    # --- the list ---

    @admin.display(description="awaiting")
    def awaiting(self, withdrawal: Any) -> str:
        if withdrawal.open_proposals:
            return f"Confirmation: {withdrawal.open_proposals[0].action}"
        if withdrawal.status == WithdrawalStatus.APPROVED and withdrawal.block:
            return _AWAITING[withdrawal.block]
        return super().awaiting(withdrawal)

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        queryset = Proposal.objects.filter(status=ApprovalStatus.PENDING)
        proposals = Prefetch("proposals", queryset=queryset, to_attr="open_proposals")
        rows: QuerySet[Any] = super().rows(user).annotate(block=block_expression())
        return rows.prefetch_related(proposals)

    def has_resolve_permission(self, request: HttpRequest) -> bool:
        """Return whether the user sees the bulk action of the list."""
        return self.may(request, RESOLVE)

    @admin.action(description="Propose reversal…", permissions=["resolve"])
    def reverse_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Lead to the confirmation page for proposing to reverse the selected rows."""
        return self.select_rows(request, queryset, "reverse")

    # --- the review page ---

    def review(self, request: HttpRequest, withdrawal: Withdrawal) -> dict[str, Any]:
        """Return the context of the page, with the payout's notice, proposal and actions."""
        context = super().review(request, withdrawal)
        user = staff_of(request)
        may_resolve = user.has_perm(RESOLVE)
        proposal: Proposal | None = None
        possible: list[ProposalAction] = []
        if not context["pending"]:
            proposal = (
                withdrawal.proposals.filter(status=ApprovalStatus.PENDING)
                .select_related("proposed_by")
                .first()
            )
            possible = possible_actions(withdrawal)
        # A proposal that is no longer possible may be replaced.
        superseded = proposal is not None and proposal.action not in possible
        mismatch = _describe_mismatch(withdrawal)
        return {
            **context,
            "mismatch": mismatch,
            "notice": None
            if mismatch
            else _describe_notice(withdrawal, context["payout"], possible),
            "receipt": describe_payment(withdrawal, context["payout"])
            if _is_paid(withdrawal)
            else "",
            "proposal": proposal,
            "superseded": superseded,
            "own_proposal": proposal is not None and proposal.proposed_by_id == user.pk,
            "may_resolve": may_resolve,
            "possible": possible if may_resolve and (superseded or proposal is None) else [],
        }

    @method_decorator(require_safe)
    def receipt(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Return the receipt of a completed withdrawal as PDF."""
        withdrawal: Withdrawal = self.record(request, object_id)
        if not _is_paid(withdrawal):
            messages.error(request, "Only a completed withdrawal has a receipt.")
            return self.redirect_to_record(object_id)
        try:
            with take_printer() as printer:
                pdf = printer.print(build_receipt(withdrawal, withdrawal.payout, timezone.now()))
        except PrinterBusy as error:
            messages.error(request, f"{error.message}.")
            return self.redirect_to_record(object_id)
        return file_response(pdf, PDF, f"receipt-{withdrawal.reference}.pdf")

    def decision_sections(self, withdrawal: Withdrawal) -> list[Section]:
        """Return the tables of decisions and closed proposals."""
        # Proposals are about payouts, which the approval makes.
        pending = withdrawal.status == WithdrawalStatus.PENDING
        closed = [] if pending else _closed_proposals(withdrawal)
        return [*super().decision_sections(withdrawal), *closed]


def _is_paid(withdrawal: Withdrawal) -> bool:
    """Return whether the payee has the money, as far as the provider says."""
    paid = withdrawal.status == WithdrawalStatus.COMPLETED and not is_returned(withdrawal)
    return paid and get_payout(withdrawal) is not None


def _describe_mismatch(withdrawal: Withdrawal) -> str:
    """Return how the provider's record differs from the payment instruction, or ""."""
    if withdrawal.status != WithdrawalStatus.UNKNOWN:
        return ""
    alert = Alert.objects.filter(
        kind="payout_differs", subject=withdrawal.reference, resolved_at=None
    ).first()
    return alert.message if alert else ""


def _describe_notice(
    withdrawal: Withdrawal, payout: Payout | None, possible: Sequence[ProposalAction]
) -> PayoutNotice | None:
    """Return the notice of a payout that is returned, on hold or unresolved, if it is."""
    if is_returned(withdrawal):
        return PayoutNotice("bad", "Returned", f"{RETURNED}. Reversal requires dual approval.")
    approved = withdrawal.status == WithdrawalStatus.APPROVED
    if approved and (block := _describe_block(withdrawal)):
        return PayoutNotice("waiting", "On hold", block)
    if approved and (hold := get_payout_hold(at_most=1)):
        cause = hold.reason if hold.until_released else "The payment provider is failing"
        words = (
            f"{cause}, so no payouts are sent. This one is sent {hold.ends}, unless it is returned"
            " by dual approval."
        )
        return PayoutNotice("waiting", "On hold", words)
    if withdrawal.status != WithdrawalStatus.UNKNOWN:
        return None
    if possible:
        words = (
            "Two status checks did not find this payout. The amount stays in escrow until dual"
            " approval sends it again or fails it."
        )
        return PayoutNotice("bad", "Unresolved", words)
    at = payout.next_step_at if payout else None
    again = f", next at {at:%H:%M:%S} UTC" if at else ""
    words = (
        f"The outcome is unknown. The provider is queried again by reference{again}."
        f" {_describe_decidable(payout)}"
    )
    return PayoutNotice("waiting", "Checking status", words)


def _describe_decidable(payout: Payout | None) -> str:
    """Return when two people may decide about an Unknown payout."""
    apart = timedelta(seconds=settings.PAYOUT_UNKNOWN_AFTER_SECONDS)
    since = payout.first_not_found_at if payout else None
    if since is None:
        return (
            "It can be sent again or failed by dual approval once two status checks,"
            f" {format_duration(apart)} apart, do not find it."
        )
    return (
        "One status check did not find it. If another one does not find it from"
        f" {since + apart:%Y-%m-%d %H:%M:%S} UTC on, it can be sent again or failed by dual"
        " approval."
    )


def _describe_block(withdrawal: Withdrawal) -> str:
    """Return why the owner's payouts wait, or ""."""
    block = find_block(withdrawal)
    if block == AccountFrozen.code:
        freeze = find_freeze(withdrawal.owner_id, withdrawal.currency_id)
        why = f": {freeze.reason.rstrip('.')}" if freeze else ""
        return f"The account is frozen{why}. {_SENT} two people have lifted the freeze{_UNLESS}."
    if block == ReceivableDue.code:
        owed = format_money(
            amount_owed(withdrawal.owner_id, withdrawal.currency_id), withdrawal.currency_id
        )
        return f"The owner owes {owed} after a chargeback. {_SENT} it is repaid{_UNLESS}."
    return ""


def _closed_proposals(withdrawal: Withdrawal) -> list[Section]:
    """Return the table of closed proposals, if there are any."""
    closed = withdrawal.proposals.exclude(status=ApprovalStatus.PENDING)
    rows = [
        (
            format_time(p.created_at),
            p.action,
            status_badge(p.status),
            p.proposed_by,
            p.decided_by,
            p.reason,
        )
        for p in closed.select_related("proposed_by", "decided_by")
    ]
    headings = ("Proposed (UTC)", "Action", "Status", "Proposed by", "Decided by", "Reason")
    return [Section("Earlier proposals", headings, rows, tab="History")] if rows else []
