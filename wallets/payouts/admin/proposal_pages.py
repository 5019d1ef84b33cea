"""Payouts that are lost, came back or wait: one person proposes what to do, another one decides."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import bind_form, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.fields import VISIBLE, ReasonField, audience_help
from exchange.core.currencies import format_money
from exchange.staff.models import StaffUser
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import resolutions
from wallets.payouts.services.resolutions import RESOLVE
from wallets.withdrawals.admin.review_page import ReviewPage
from wallets.withdrawals.admin.show import status_label
from wallets.withdrawals.models import Withdrawal


class ProposalForm(forms.Form):
    """What to do about a lost or returned payout, and why."""

    action = forms.ChoiceField(choices=ProposalAction.choices)
    reason = forms.CharField(
        max_length=500,
        help_text=audience_help(
            VISIBLE,
            "It reads the reason of a payout that is failed, reversed or returned. "
            "The reason to send one again stays internal",
        ),
    )


class DeclineForm(forms.Form):
    """Why not, if they say so."""

    reason = ReasonField(label="Why not", max_length=500, required=False)


class ProposalPages(ConfirmationAdmin, ReviewPage):
    """The proposals of a withdrawal's admin."""

    def proposal_urls(self) -> list[URLPattern]:
        """Addresses of this module's pages."""
        one = "<uuid:object_id>"
        proposal = f"{one}/proposals/<uuid:proposal_id>"
        return [
            self.action_url(f"{one}/propose/", "propose", self.propose),
            self.action_url(f"{proposal}/confirm/", "confirm", self.confirm, only_post=False),
            self.action_url(f"{proposal}/decline/", "decline", self.decline, only_post=False),
        ]

    def propose(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Opens a proposal."""
        withdrawal = self.record(request, object_id, RESOLVE)
        form = bind_form(request, ProposalForm)
        if not form.is_valid():
            messages.error(
                request, "A proposal needs an action and a reason. No changes were made."
            )
            wrong = {f"propose_{name}": texts[0] for name, texts in form.errors.items()}
            return self.record_page(request, withdrawal, wrong=wrong)
        self.attempt(
            request,
            lambda: resolutions.propose(
                withdrawal_id=object_id,
                action=ProposalAction(form.cleaned_data["action"]),
                reason=form.cleaned_data["reason"],
                proposer=staff_of(request),
            ),
            "Proposed. Another person must confirm it.",
        )
        return self.redirect_to_record(object_id)

    def confirm(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Asks, and carries a proposal out."""
        withdrawal, proposal = self._proposal(request, object_id, proposal_id)
        return self.confirm_page(
            request,
            withdrawal,
            _build_confirmation(withdrawal, proposal, staff_of(request)),
            partial(resolutions.confirm, proposal_id=proposal_id, resolver=staff_of(request)),
            "Confirmed and carried out.",
        )

    def decline(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Closes a proposal; nothing else happens."""
        withdrawal, proposal = self._proposal(request, object_id, proposal_id)
        user = staff_of(request)
        return self.confirm_page(
            request,
            withdrawal,
            _build_decline(withdrawal, proposal, user),
            partial(resolutions.decline, proposal_id=proposal_id, resolver=user),
            "Declined. Nothing else happened.",
            form=bind_form(request, DeclineForm),
        )

    def _proposal(
        self, request: HttpRequest, object_id: UUID, proposal_id: UUID
    ) -> tuple[Withdrawal, Proposal]:
        withdrawal = self.record(request, object_id, RESOLVE)
        found = (
            Proposal.objects.filter(pk=proposal_id, withdrawal_id=object_id)
            .select_related("proposed_by")
            .first()
        )
        if found is None:
            raise PermissionDenied
        return withdrawal, found


def _build_confirmation(
    withdrawal: Withdrawal, proposal: Proposal, user: StaffUser
) -> Confirmation:
    action = ProposalAction(proposal.action)
    code, bank = withdrawal.currency_id, withdrawal.bank
    amount, sent = (
        format_money(withdrawal.amount, code),
        format_money(withdrawal.disburse_amount, code),
    )
    what, words, answer = {
        ProposalAction.SEND_AGAIN: (
            f"Send {sent} to {bank.account_name} again?",
            f"The provider is asked once more. If it still does not know the payout, {sent} is "
            "ordered again under the same reference, which the provider pays once at most.",
            f"Yes, send {sent} again",
        ),
        ProposalAction.FAIL: (
            f"Fail the payout and give {amount} back?",
            f"The provider is asked once more. If it still does not know the payout, {amount}, fee "
            "included, goes back to the wallet, the withdrawal is Failed for good, and the "
            "organisation reads the reason.",
            f"Yes, fail it: give {amount} back",
        ),
        ProposalAction.REVERSE: (
            f"Reverse the payout: {sent} came back?",
            f"The bank returned the payout: {sent} goes back to the wallet, the fee of "
            f"{format_money(withdrawal.fee, code)} stays with us, and the organisation reads the "
            "reason. Final.",
            f"Yes, reverse it: give {sent} back",
        ),
        ProposalAction.RETURN: (
            f"Return {amount} to the wallet?",
            f"The payout was not sent to the provider. {amount}, fee included, goes back to the "
            "wallet, the withdrawal is Rejected for good, and the organisation reads the reason.",
            f"Yes, return it: give {amount} back",
        ),
    }[action]
    return Confirmation(
        title=what,
        facts=_facts(withdrawal, proposal),
        text=words,
        submit=answer,
        blocker=resolutions.PROPOSALS.describe_blocker(proposal, user),
        final=True,
    )


def _build_decline(withdrawal: Withdrawal, proposal: Proposal, user: StaffUser) -> Confirmation:
    own = proposal.proposed_by_id == user.pk
    return Confirmation(
        title="Take the proposal back?" if own else "Decline the proposal?",
        facts=_facts(withdrawal, proposal),
        text="Nothing else happens: no money moves, and it can be proposed again.",
        submit="Yes, take it back" if own else "Yes, decline it",
        blocker=resolutions.PROPOSALS.describe_closed(proposal),
    )


def _facts(withdrawal: Withdrawal, proposal: Proposal) -> list[tuple[str, object]]:
    code, bank = withdrawal.currency_id, withdrawal.bank
    return [
        ("Withdrawal", withdrawal.reference),
        ("State", status_label(withdrawal)),
        ("Amount", format_money(withdrawal.amount, code)),
        ("Fee", format_money(withdrawal.fee, code)),
        ("Ordered to be paid", format_money(withdrawal.disburse_amount, code)),
        ("Payee", bank.account_name),
        ("Bank", f"{bank.name} {bank.account_number}"),
        ("Wallet of", withdrawal.member or withdrawal.organisation),
        ("Proposed", proposal.action),
        ("Proposed by", proposal.proposed_by),
        ("Why", proposal.reason),
    ]
