"""Pages of resolution proposals: one person proposes, another confirms or declines."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.display import record_link
from exchange.admin.fields import VISIBLE, ReasonField
from exchange.admin.forms import bind_form
from exchange.core.currencies import format_money
from exchange.staff.models import StaffUser
from wallets.alerts.models import Alert
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import resolutions
from wallets.payouts.services.resolutions import RESOLVE
from wallets.withdrawals.admin.review_page import ReviewPage
from wallets.withdrawals.admin.show import get_payout, status_label
from wallets.withdrawals.models import Payout, Withdrawal


class ProposalForm(forms.Form):
    """Proposed resolution of a payout, with its reason."""

    action = forms.ChoiceField(choices=ProposalAction.choices)
    reason = ReasonField(
        audience=VISIBLE,
        max_length=500,
        help_text="It sees the reason for failing, reversing or returning a payout. "
        "The reason for sending it again is internal",
    )


class DeclineForm(forms.Form):
    """Optional reason for declining."""

    reason = ReasonField(label="Reason", max_length=500, required=False)


class ProposalPages(ConfirmationAdmin, ReviewPage):
    """Proposals on the page of a withdrawal."""

    def proposal_urls(self) -> list[URLPattern]:
        """Return the URLs of this module's pages."""
        one = "<uuid:object_id>"
        proposal = f"{one}/proposals/<uuid:proposal_id>"
        return [
            self.action_url(f"{one}/propose/", "propose", self.propose),
            self.action_url(f"{proposal}/confirm/", "confirm", self.confirm, only_post=False),
            self.action_url(f"{proposal}/decline/", "decline", self.decline, only_post=False),
        ]

    def propose(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Open a proposal."""
        withdrawal = self.record(request, object_id, RESOLVE)
        form = bind_form(request, ProposalForm)
        if not form.is_valid():
            messages.error(request, "Choose an action and enter a reason. No changes were made.")
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
            "Proposed. A second person must confirm it.",
        )
        return self.redirect_to_record(object_id)

    def confirm(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Show the confirmation page; on its POST confirm and execute the proposal."""
        withdrawal, proposal = self._proposal(request, object_id, proposal_id)
        return self.confirm_page(
            request,
            withdrawal,
            _build_confirmation(withdrawal, proposal, staff_of(request)),
            partial(resolutions.confirm, proposal_id=proposal_id, resolver=staff_of(request)),
            _describe_confirmed(withdrawal, ProposalAction(proposal.action)),
            decided=proposal,
        )

    def decline(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Show the confirmation page; on its POST decline the proposal."""
        withdrawal, proposal = self._proposal(request, object_id, proposal_id)
        user = staff_of(request)
        return self.confirm_page(
            request,
            withdrawal,
            _build_decline(withdrawal, proposal, user),
            partial(resolutions.decline, proposal_id=proposal_id, resolver=user),
            "Proposal closed. No money moved.",
            form=bind_form(request, DeclineForm),
            decided=proposal,
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
    title, text, submit = {
        ProposalAction.SEND_AGAIN: (
            f"Send {sent} to {bank.account_name} again?",
            "The payout's status is checked once more. If the provider still does not find it, "
            f"{sent} is sent again under the same reference, which the provider pays at most once.",
            f"Send {sent} again",
        ),
        ProposalAction.FAIL: (
            f"Fail the payout and release {amount}?",
            "The payout's status is checked once more. If the provider still does not find it, "
            f"{amount} including the fee is released to the wallet and the withdrawal is Failed. "
            "The reason is visible to the organisation.",
            f"Fail the payout and release {amount}",
        ),
        ProposalAction.REVERSE: (
            f"Reverse the payout and credit {sent}?",
            f"The bank returned this payout. {sent} is credited to the wallet; the fee of "
            f"{format_money(withdrawal.fee, code)} is not refunded. "
            "The reason is visible to the organisation.",
            f"Reverse and credit {sent}",
        ),
        ProposalAction.RETURN: (
            f"Return {amount} to the wallet?",
            f"The payout was not sent to the provider. {amount} including the fee is released to "
            "the wallet and the withdrawal is Rejected. "
            "The reason is visible to the organisation.",
            f"Return {amount}",
        ),
    }[action]
    return Confirmation(
        title=title,
        facts=_facts(withdrawal, proposal),
        text=text,
        submit=submit,
        blocker=resolutions.PROPOSALS.describe_blocker(proposal, user),
        final=True,
    )


def _describe_confirmed(withdrawal: Withdrawal, action: ProposalAction) -> str:
    amount = format_money(withdrawal.amount, withdrawal.currency_id)
    sent = format_money(withdrawal.disburse_amount, withdrawal.currency_id)
    return {
        ProposalAction.SEND_AGAIN: f"Confirmed; {sent} queued for payout.",
        ProposalAction.FAIL: f"Failure confirmed; {amount} released.",
        ProposalAction.REVERSE: f"Reversal confirmed; {sent} credited.",
        ProposalAction.RETURN: f"Return confirmed; {amount} released.",
    }[action]


def _build_decline(withdrawal: Withdrawal, proposal: Proposal, user: StaffUser) -> Confirmation:
    own = proposal.proposed_by_id == user.pk
    return Confirmation(
        title="Cancel the proposal?" if own else "Decline the proposal?",
        facts=_facts(withdrawal, proposal),
        text="No money moves. The resolution can be proposed again.",
        submit="Cancel proposal" if own else "Decline proposal",
        blocker=resolutions.PROPOSALS.describe_closed(proposal),
    )


def _facts(withdrawal: Withdrawal, proposal: Proposal) -> list[tuple[str, object]]:
    code, bank = withdrawal.currency_id, withdrawal.bank
    payout = get_payout(withdrawal)
    return [
        ("Withdrawal", record_link(withdrawal)),
        ("Status", status_label(withdrawal)),
        ("Amount", format_money(withdrawal.amount, code)),
        ("Fee", format_money(withdrawal.fee, code)),
        ("Net payout", format_money(withdrawal.disburse_amount, code)),
        ("Payee", bank.account_name),
        ("Bank", f"{bank.name} {bank.account_number}"),
        ("Owner", withdrawal.member or withdrawal.organisation),
        ("Action", proposal.action),
        *(_provider_facts(withdrawal, payout) if payout else ()),
        ("Proposed by", proposal.proposed_by),
        ("Reason", proposal.reason),
    ]


def _provider_facts(withdrawal: Withdrawal, payout: Payout) -> list[tuple[str, object]]:
    """Return what the provider says about the payout, and when it was paid and returned."""
    if not payout.provider_status:
        return []
    facts: list[tuple[str, object]] = [
        ("Provider status", payout.provider_status),
        ("Provider message", payout.provider_message or "None"),
    ]
    if payout.settled_at:
        facts.append(("Paid (UTC)", f"{payout.settled_at:%Y-%m-%d %H:%M:%S}"))
    returned = Alert.objects.filter(kind="payout_returned", subject=withdrawal.reference).first()
    if returned:
        facts.append(("Return reported (UTC)", f"{returned.raised_at:%Y-%m-%d %H:%M:%S}"))
    return facts
