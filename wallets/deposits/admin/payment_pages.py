"""Confirmation pages of decisions about payments without a known owner."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from exchange.admin.base import staff_of
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import format_time, record_link
from exchange.admin.fields import ReasonField
from exchange.core.currencies import format_paid
from exchange.core.errors import DomainError
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.participants.models import Member, Organisation
from wallets.deposits.admin.owner_choice import MemberChoice
from wallets.deposits.admin.payer_match import assignment_warnings, payer_match
from wallets.deposits.models import Payment, PaymentAction, PaymentResolution, PaymentStatus
from wallets.deposits.services.checking import check_payment_now
from wallets.deposits.services.unmatched import describe_action_blocker
from wallets.providers.collection import BANK_TRANSFER

_EXPLANATION_HELP = "What is known, and where to verify it. Read by the second person"


class ResolutionForm(forms.Form):
    """The explanation of a proposal."""

    explanation = ReasonField(max_length=500, help_text=_EXPLANATION_HELP)


class RefundedForm(ResolutionForm):
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

    def clean(self) -> dict[str, Any]:
        """Add `owner`, the member or organisation that is chosen."""
        data = self.cleaned_data
        member, organisation = data.get("member"), data.get("organisation")
        if member is not None and organisation not in (None, member.organisation):
            self.add_error("member", "The member does not belong to the organisation")
        elif member is None and organisation is None and not self.errors:
            self.add_error(None, "Choose an organisation or a member")
        return {**data, "owner": member or organisation}


# The label of each action's button on the page of a payment.
LABELS = {
    PaymentAction.ASSIGN: "Propose an owner",
    PaymentAction.REFUND: "Propose a refund",
    PaymentAction.REFUNDED: "Record the refund",
    PaymentAction.NOT_REFUNDED: "Record that nothing was refunded",
}


def check_and_report(request: HttpRequest, payment: Payment) -> None:
    """Check the payment at the provider now, and show the result on the next page."""
    try:
        result = check_payment_now(payment_id=payment.pk, user=staff_of(request))
    except DomainError as error:
        messages.error(request, error.message)
    else:
        messages.info(request, result)


def money(amount: Any, currency: str) -> str:
    """Format an amount of a payment, a dash before the provider has reported it."""
    return "-" if amount is None else format_paid(amount, currency)


def assignment_confirmation(payment: Payment, owner: Member | Organisation | None) -> Confirmation:
    """Return the page that proposes `owner`; None before one is chosen."""
    amount = money(payment.amount, payment.currency_code)
    return Confirmation(
        title=f"Propose an owner of {amount}",
        facts=payment_facts(payment),
        live_facts=[("Owner", record_link(owner)), payer_match(payment, owner)] if owner else (),
        text="The amount is credited once a second person confirms.",
        submit="Propose owner",
        blocker=describe_action_blocker(payment, PaymentAction.ASSIGN),
        warnings=[*assignment_warnings(payment, owner)] if owner else (),
    )


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
        facts=[*payment_facts(payment), *_refund_facts(payment, action)],
        text="Nothing changes until a second person confirms.",
        submit=_SUBMIT[action],
        blocker=describe_action_blocker(payment, action),
    )


def resolution_words(proposal: PaymentResolution) -> tuple[str, str, str]:
    """Return what is proposed as a question, its effect, and the label of the button."""
    amount = money(proposal.payment.amount, proposal.payment.currency_code)
    owner = str(proposal.member or proposal.organisation)
    return _WORDS[PaymentAction(proposal.action)](amount, owner)


def resolution_confirmation(proposal: PaymentResolution) -> Confirmation:
    """Return the page on which the second person carries out a proposal."""
    payment, action = proposal.payment, PaymentAction(proposal.action)
    owner = proposal.member or proposal.organisation
    title, text, submit = resolution_words(proposal)
    return Confirmation(
        title=title,
        text=text,
        submit=submit,
        facts=[
            *payment_facts(payment),
            *_refund_facts(payment, action),
            *resolution_facts(proposal),
        ],
        blocker=describe_action_blocker(payment, action),
        final=action != PaymentAction.ASSIGN,
        warnings=[*assignment_warnings(payment, owner)] if owner else (),
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
        ("Status", payment.status),
        ("Amount", money(payment.amount, payment.currency_code)),
        ("Payer", payment.payer_name or "Not provided by the bank"),
        ("Payer's account", describe_payer_account(payment)),
        ("Paid (UTC)", format_time(payment.paid_at) if payment.paid_at else "-"),
        ("Reference", payment.tx_ref or "-"),
        (
            "Unmatched because" if payment.status == PaymentStatus.UNMATCHED else "Last error",
            payment.last_error or "-",
        ),
    ]


def describe_payer_account(payment: Payment) -> str:
    """Return the account that the payment came from, to which a refund returns."""
    if payment.payer_account:
        return f"{payment.payer_bank} {payment.payer_account}".strip()
    if payment.payment_type == BANK_TRANSFER:
        return "Not provided by the bank"
    return f"The payer's {payment_method(payment).lower()}" if payment.payment_type else "-"


def payment_method(payment: Payment) -> str:
    """Return how the payment was made: `Bank transfer`, `Card`."""
    return payment.payment_type.replace("_", " ").capitalize() or "-"


def _refund_facts(payment: Payment, action: PaymentAction) -> list[tuple[str, object]]:
    """Return what a refund costs the exchange: the provider keeps its charge."""
    if action not in {PaymentAction.REFUND, PaymentAction.REFUNDED} or not payment.booked_fee:
        return []
    lost = money(payment.booked_fee, payment.currency_code)
    return [("Lost by the exchange", f"{lost}, the provider's charge")]


def resolution_facts(proposal: PaymentResolution) -> list[tuple[str, object]]:
    """Return what is proposed, and by whom."""
    return [
        ("Action", proposal.get_action_display()),
        *proposal_facts(proposal),
        ("Proposed by", proposal.proposed_by),
        ("Proposed (UTC)", format_time(proposal.created_at)),
    ]


def proposal_facts(proposal: PaymentResolution) -> list[tuple[str, object]]:
    """Return owner or reference of a proposal, and its explanation."""
    facts: list[tuple[str, object]] = []
    if proposal.organisation is not None:
        owner = proposal.member or proposal.organisation
        facts += [
            ("Owner", record_link(owner)),
            ("Organisation", record_link(proposal.organisation)),
            payer_match(proposal.payment, owner),
        ]
    if proposal.refund_reference:
        facts.append(("Provider's reference", proposal.refund_reference))
    return [*facts, ("Explanation", proposal.explanation)]


# The button that proposes each action.
_SUBMIT = {
    PaymentAction.REFUND: "Propose refund",
    PaymentAction.REFUNDED: "Propose: record refund",
    PaymentAction.NOT_REFUNDED: "Propose: record no refund",
}
_WORDS: dict[PaymentAction, Callable[[str, str], tuple[str, str, str]]] = {
    PaymentAction.ASSIGN: lambda amount, owner: (
        f"Assign {amount} to {owner}?",
        "The amount is credited immediately and can be spent or withdrawn.",
        f"Assign {amount}",
    ),
    PaymentAction.REFUND: lambda amount, _: (
        f"Refund {amount}?",
        "The provider is asked once to return the payment to its payer. If its answer is lost, the"
        " payment stays Refunding until two people record the result.",
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
