"""Confirmation pages of decisions about payments without a known owner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms

from exchange.admin.confirmation import Confirmation
from exchange.admin.display import format_time, record_link
from exchange.admin.fields import ReasonField
from exchange.core.currencies import currencies, format_money
from exchange.core.errors import InvalidRequest
from exchange.core.numbers import format_grouped
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from wallets.deposits.admin.owner_choice import MemberChoice
from wallets.deposits.models import Payment, PaymentAction, PaymentResolution
from wallets.deposits.services.unmatched import RESOLUTIONS, describe_action_blocker

_EXPLANATION_HELP = "What is known, and where to verify it. Read by the second person"


class ExplanationForm(forms.Form):
    """The explanation of a proposal."""

    explanation = ReasonField(max_length=500, help_text=_EXPLANATION_HELP)


class RefundedForm(ExplanationForm):
    """The provider's reference of a refund."""

    refund_reference = forms.CharField(
        label="Provider's reference", max_length=100, help_text="Of the refund, as on its pages"
    )
    field_order = ("refund_reference", "explanation")


class AssignForm(forms.Form):
    """The owner of a payment."""

    organisation = OrganisationChoiceField(
        required=False, help_text="To credit the organisation's own wallet, leave the member empty"
    )
    member = MemberChoice(required=False, help_text="To credit a member's wallet")
    explanation = ReasonField(max_length=500, help_text=_EXPLANATION_HELP)


# The label of each action's button on the page of a payment.
LABELS = {
    PaymentAction.ASSIGN: "Propose an owner",
    PaymentAction.REFUND: "Propose a refund",
    PaymentAction.REFUNDED: "Record the refund",
    PaymentAction.NOT_REFUNDED: "Record that nothing was refunded",
}


def money(amount: Any, currency: str) -> str:
    """Format an amount, also in a currency that the exchange does not keep."""
    if amount is None:
        return "Not known"
    if currency in currencies():
        return format_money(amount, currency)
    return f"{format_grouped(amount, 2)} {currency}"


def chosen_owner(data: dict[str, Any]) -> Member | Organisation:
    """Return the owner chosen in an `AssignForm`."""
    member, organisation = data["member"], data["organisation"]
    if member is not None and organisation not in (None, member.organisation):
        raise InvalidRequest.for_field("member", "The member does not belong to the organisation")
    if member is None and organisation is None:
        raise InvalidRequest("Choose an organisation or a member")
    owner: Member | Organisation = member or organisation
    return owner


def proposal_confirmation(payment: Payment, action: PaymentAction) -> Confirmation:
    """Return the page that proposes a refund, or the result of one."""
    amount = money(payment.amount, payment.currency_code)
    title = {
        PaymentAction.REFUND: f"Propose to refund {amount}?",
        PaymentAction.REFUNDED: f"Propose to record the refund of {amount}?",
        PaymentAction.NOT_REFUNDED: f"Propose to record that {amount} was not refunded?",
    }[action]
    return Confirmation(
        title=title,
        facts=payment_facts(payment),
        text="Nothing changes until a second person confirms.",
        submit=f"Propose: {action.label.lower()}",
        blocker=describe_action_blocker(payment, action),
    )


def resolution_confirmation(
    payment: Payment, proposal: PaymentResolution, user: StaffUser
) -> Confirmation:
    """Return the page on which the second person carries out a proposal."""
    amount = money(payment.amount, payment.currency_code)
    action = PaymentAction(proposal.action)
    title, text, submit = _WORDS[action](amount, str(proposal.member or proposal.organisation))
    return Confirmation(
        title=title,
        facts=[*payment_facts(payment), *resolution_facts(proposal)],
        text=text,
        submit=submit,
        blocker=RESOLUTIONS.describe_blocker(proposal, user)
        or describe_action_blocker(payment, action),
        final=action != PaymentAction.ASSIGN,
    )


def rejection_confirmation(
    payment: Payment, proposal: PaymentResolution, user: StaffUser
) -> Confirmation:
    """Return the page that rejects a proposal, or cancels one's own."""
    own = proposal.proposed_by_id == user.pk
    return Confirmation(
        title="Cancel the proposal?" if own else "Reject the proposal?",
        facts=[*payment_facts(payment), *resolution_facts(proposal)],
        text="No money moves. Another decision can be proposed.",
        submit="Cancel proposal" if own else "Reject",
        blocker=RESOLUTIONS.describe_closed(proposal),
    )


def describe_done(payment: Payment) -> str:
    """Return the message after a confirmed decision."""
    amount = money(payment.amount, payment.currency_code)
    return {
        "Credited": f"Confirmed. {amount} credited.",
        "Refunded": f"Confirmed. {amount} refunded.",
        "Unmatched": "Confirmed. The payment is unmatched again.",
    }[payment.status]


def payment_facts(payment: Payment) -> list[tuple[str, object]]:
    """Return what is known of a payment, as the confirmation pages show it."""
    return [
        ("Payment", payment.transaction_id),
        ("State", payment.status),
        ("Amount", money(payment.amount, payment.currency_code)),
        ("Payer", payment.payer_name or "Not provided by the bank"),
        ("Paid (UTC)", format_time(payment.paid_at) if payment.paid_at else "Not known"),
        ("Reference", payment.tx_ref or "None"),
        ("Unmatched because", payment.last_error or "-"),
    ]


def resolution_facts(proposal: PaymentResolution) -> list[tuple[str, object]]:
    """Return what is proposed."""
    facts: list[tuple[str, object]] = [("Action", proposal.get_action_display())]
    if proposal.organisation is not None:
        facts.append(("Owner", record_link(proposal.member or proposal.organisation)))
        facts.append(("Organisation", record_link(proposal.organisation)))
    if proposal.refund_reference:
        facts.append(("Provider's reference", proposal.refund_reference))
    return [
        *facts,
        ("Explanation", proposal.explanation),
        ("Proposed by", proposal.proposed_by),
        ("Proposed (UTC)", format_time(proposal.created_at)),
    ]


_WORDS: dict[PaymentAction, Callable[[str, str], tuple[str, str, str]]] = {
    PaymentAction.ASSIGN: lambda amount, owner: (
        f"Assign {amount} to {owner}?",
        "The amount is credited immediately and can be spent or withdrawn.",
        f"Assign {amount}",
    ),
    PaymentAction.REFUND: lambda amount, _: (
        f"Refund {amount}?",
        "The payment provider is requested once to return the payment to its payer. If its answer"
        " is lost, the payment stays Refunding until two people record the result.",
        f"Refund {amount}",
    ),
    PaymentAction.REFUNDED: lambda amount, _: (
        f"Record that {amount} was refunded?",
        "The amount leaves the unmatched payments. Find the reference on the provider's pages"
        " first.",
        "Record the refund",
    ),
    PaymentAction.NOT_REFUNDED: lambda amount, _: (
        f"Record that {amount} was not refunded?",
        "The payment is unmatched again and can be assigned or refunded. If the provider did refund"
        " it, that pays twice: check its pages first.",
        "Record that nothing was refunded",
    ),
}
