"""The page of a withdrawal with its payout: where it stands, and what two people do about it.

The list, the review page and the decisions are those of `wallets.withdrawals.admin`, which know
nothing of proposals. This adds them, and registers the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern

from exchange.admin.base import Section, staff_of
from exchange.admin.display import format_time, status_badge
from exchange.staff.models import StaffUser
from wallets.alerts.models import Alert
from wallets.payouts.admin.proposal_pages import ProposalPages
from wallets.payouts.models import Proposal, ProposalAction, ProposalStatus
from wallets.payouts.selectors import get_payout_hold
from wallets.payouts.services.resolutions import RESOLVE, possible_actions
from wallets.withdrawals.admin.show import RETURNED, is_returned
from wallets.withdrawals.admin.withdrawals import WithdrawalAdmin
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus


@dataclass(frozen=True, slots=True)
class PayoutNotice:
    """Where a payout stands that needs people, or may come to: a word, how it looks, and why."""

    tone: str
    word: str
    text: str


@admin.register(Withdrawal)
class WithdrawalPayoutAdmin(ProposalPages, WithdrawalAdmin):
    """Withdrawals with their payouts."""

    notice_template = "admin/wallets/payout/notice.html"
    actions_template = "admin/wallets/payout/actions.html"

    # --- the list ---

    @admin.display(description="waits for")
    def awaiting(self, withdrawal: Any) -> str:
        if withdrawal.open_proposals:
            return f"somebody else: {withdrawal.open_proposals[0].action}"
        return super().awaiting(withdrawal)

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        waiting = Proposal.objects.filter(status=ProposalStatus.OPEN)
        proposals = Prefetch("proposals", queryset=waiting, to_attr="open_proposals")
        return super().rows(user).prefetch_related(proposals)

    def get_urls(self) -> list[URLPattern]:
        return [*self.proposal_urls(), *super().get_urls()]

    # --- the review page ---

    def review(self, request: HttpRequest, withdrawal: Withdrawal) -> dict[str, Any]:
        """What the page shows, with where the payout stands and what may be proposed about it."""
        shown = super().review(request, withdrawal)
        user = staff_of(request)
        may_resolve = user.has_perm(RESOLVE)
        proposal: Proposal | None = None
        possible: list[ProposalAction] = []
        if not shown["pending"]:
            proposal = (
                withdrawal.proposals.filter(status=ProposalStatus.OPEN)
                .select_related("proposed_by")
                .first()
            )
            possible = possible_actions(withdrawal)
        # Events may have superseded a proposal; then another one may be made.
        superseded = proposal is not None and proposal.action not in possible
        mismatch = _describe_mismatch(withdrawal)
        return {
            **shown,
            "mismatch": mismatch,
            "notice": None if mismatch else _describe_notice(withdrawal, shown["payout"], possible),
            "proposal": proposal,
            "superseded": superseded,
            "own_proposal": proposal is not None and proposal.proposed_by_id == user.pk,
            "may_resolve": may_resolve,
            "possible": possible if may_resolve and (superseded or proposal is None) else [],
        }

    def decision_sections(self, withdrawal: Withdrawal) -> list[Section]:
        """What was decided about `withdrawal`, and proposals that are closed."""
        return [*super().decision_sections(withdrawal), *_closed_proposals(withdrawal)]


def _describe_mismatch(withdrawal: Withdrawal) -> str:
    """What the provider's record has otherwise than it was ordered, in words; "" if nothing."""
    if withdrawal.status != WithdrawalStatus.UNKNOWN:
        return ""
    alert = Alert.objects.filter(
        kind="payout_differs", subject=withdrawal.reference, resolved_at=None
    ).first()
    return alert.message if alert else ""


def _describe_notice(
    withdrawal: Withdrawal, payout: Payout | None, possible: Sequence[ProposalAction]
) -> PayoutNotice | None:
    """Where a payout stands whose end is not known, or that came back; None for any other."""
    if is_returned(withdrawal):
        words = "The bank sent this payout back. Two people together reverse it."
        return PayoutNotice("bad", RETURNED, words)
    if withdrawal.status == WithdrawalStatus.APPROVED and get_payout_hold(at_most=1):
        words = (
            "The payment provider fails, and no payout is sent. This one is sent once the provider"
            " accepts one again, unless two people together return it."
        )
        return PayoutNotice("waiting", "On hold", words)
    if withdrawal.status != WithdrawalStatus.UNKNOWN:
        return None
    if possible:
        words = (
            "The provider was asked twice and does not know this payout. The money stays in escrow"
            " until two people together send it again or fail it."
        )
        return PayoutNotice("bad", "Lost", words)
    at = payout.next_step_at if payout else None
    again = f", next at {at:%H:%M:%S} UTC" if at else ""
    words = f"The provider's answer was lost. It is asked again by the reference{again}."
    return PayoutNotice("waiting", "Being looked up", words)


def _closed_proposals(withdrawal: Withdrawal) -> list[Section]:
    """Closed proposals, if there are any."""
    closed = withdrawal.proposals.exclude(status=ProposalStatus.OPEN)
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
    headings = ("When (UTC)", "Proposal", "State", "By", "Decided by", "Reason")
    return [Section("Earlier proposals", headings, rows)] if rows else []
