"""Pages of resolution proposals: one person proposes, another confirms or declines."""

from decimal import Decimal
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from exchange.admin.base import staff_of
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link
from exchange.admin.fields import VISIBLE, ReasonField
from exchange.admin.forms import bind_form
from exchange.core.currencies import format_money
from exchange.staff.admin.proposals import ApprovalPages, Step
from wallets.alerts.models import Alert
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import resolutions
from wallets.payouts.services.resolutions import RESOLVE
from wallets.withdrawals.admin.review_page import ReviewPage
from wallets.withdrawals.admin.show import get_payout, status_label
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus


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


def _describe_confirmed(withdrawal: Withdrawal) -> str:
    amount = format_money(withdrawal.amount, withdrawal.currency_id)
    sent = format_money(withdrawal.disburse_amount, withdrawal.currency_id)
    return {
        WithdrawalStatus.APPROVED: f"Confirmed; {sent} queued for payout.",
        WithdrawalStatus.FAILED: f"Failure confirmed; {amount} released.",
        WithdrawalStatus.REVERSED: f"Reversal confirmed; {sent} credited.",
        WithdrawalStatus.REJECTED: f"Return confirmed; {amount} released.",
    }[WithdrawalStatus(withdrawal.status)]


class ProposalPages(ApprovalPages, ReviewPage):
    """Proposals on the page of a withdrawal."""

    record_posts = ("propose",)
    approval = resolutions.PROPOSALS
    proposals = "proposals"
    proposals_listed = True
    step_route = "<uuid:object_id>/proposals/<uuid:proposal_id>/{}/"
    approve_step = Step(
        "confirm", "proposal_id", resolutions.confirm, _describe_confirmed, person="resolver"
    )
    reject_step = Step(
        "decline",
        "proposal_id",
        resolutions.decline,
        "Proposal closed. No money moved.",
        DeclineForm,
        person="resolver",
    )

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

    def find_proposal(self, record: Withdrawal, proposal_id: UUID | None = None) -> Proposal:
        """Return the proposal. Raises `PermissionDenied` for that of another withdrawal."""
        found: Proposal | None = super().find_proposal(record, proposal_id)
        if found is None:
            raise PermissionDenied
        return found

    def describe(self, proposal: Proposal) -> str:
        return f"{proposal.action}: {_money(proposal, proposal.withdrawal.amount)}"

    def label_approval(self, proposal: Proposal) -> str:
        return f"Confirm: {proposal.action.lower()}"

    def ask_approval(self, proposal: Proposal) -> Confirmation:
        title, text, submit = _explain(proposal)
        return Confirmation(title=title, text=text, submit=submit, final=True)

    def ask_rejection(self, proposal: Proposal, *, own: bool) -> Confirmation:
        return Confirmation(
            title="Cancel the proposal?" if own else "Decline the proposal?",
            text="No money moves. The resolution can be proposed again.",
            submit="Cancel proposal" if own else "Decline proposal",
        )

    def facts(self, proposal: Proposal) -> list[tuple[str, object]]:
        return _facts(proposal.withdrawal, proposal)


def _money(proposal: Proposal, amount: Decimal) -> str:
    return format_money(amount, proposal.withdrawal.currency_id)


def _explain(proposal: Proposal) -> tuple[str, str, str]:
    """Return what is proposed as a question, its effect, and the label of the button."""
    withdrawal = proposal.withdrawal
    payee = withdrawal.bank.account_name
    amount = _money(proposal, withdrawal.amount)
    sent, fee = _money(proposal, withdrawal.disburse_amount), _money(proposal, withdrawal.fee)
    return {
        ProposalAction.SEND_AGAIN: (
            f"Send {sent} to {payee} again?",
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
            f"{fee} is not refunded. "
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
    }[ProposalAction(proposal.action)]


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
