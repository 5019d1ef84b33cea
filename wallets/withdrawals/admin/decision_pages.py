"""Approval and rejection of a withdrawal, from its review page.

A confirmation page shows amount, payee and flags and changes nothing; its button decides exactly
the version and flags shown. A withdrawal with critical flags needs a written reason. A repeated
POST carries an outdated version, so nothing is decided twice. Confirmations are answers to GET, so
the browser's Back shows them again, or leads to the record once it is decided.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from exchange.admin.base import staff_of
from exchange.admin.confirmation import Confirmation
from exchange.admin.fields import VISIBLE, ReasonField
from exchange.staff.models import StaffUser
from wallets.withdrawals.admin.bulk_pages import INCOMPLETE, MAX_REASON, REASON_REQUIRED, BulkPages
from wallets.withdrawals.admin.bulk_rows import (
    APPROVE,
    REJECT,
    describe_decision,
    describe_stale,
    parse_version,
)
from wallets.withdrawals.admin.review import (
    current_flags,
    decision_flags,
    describe_approval,
    describe_blocker,
    payment_summary,
)
from wallets.withdrawals.admin.second_approval import explain_second_approval, is_first_of_two
from wallets.withdrawals.models import (
    Withdrawal,
)
from wallets.withdrawals.selectors.review_flags import ReviewFlag
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.decisions import DECIDE

_SERVICES: dict[str, Callable[..., Withdrawal]] = {
    APPROVE: decisions.approve,
    REJECT: decisions.reject,
}


class ApprovalForm(forms.Form):
    """An optional note."""

    reason = ReasonField(label="Note", max_length=MAX_REASON, required=False)


class OverrideForm(ApprovalForm):
    """The written reason that an approval despite critical flags requires."""

    override = ReasonField(
        label="Reason for approving despite critical flags",
        help_text="Stored with your approval and shown on this withdrawal's page. Each approver"
        " enters their own",
        max_length=MAX_REASON,
        error_messages={"required": "Flagged as critical. Enter a reason to approve it anyway."},
    )
    field_order = ("override", "reason")


class RejectionForm(forms.Form):
    """The reason of a rejection."""

    reason = ReasonField(
        audience=VISIBLE, max_length=MAX_REASON, error_messages={"required": REASON_REQUIRED}
    )


class DecisionPages(BulkPages):
    """Approval and rejection pages of the withdrawals admin."""

    record_pages: Sequence[str] = ("approve", "reject")

    def approve(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and approve the version shown."""
        return self._decide(request, object_id, APPROVE)

    def reject(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Confirm and reject the version shown; a reason is required."""
        return self._decide(request, object_id, REJECT)

    def _decide(self, request: HttpRequest, object_id: UUID, decision: str) -> HttpResponse:
        withdrawal: Withdrawal = self.record(request, object_id, DECIDE)
        user, posted = staff_of(request), request.POST if request.method == "POST" else None
        version = parse_version((posted or request.GET).get("version", ""))
        if posted is not None and version is None:
            messages.error(request, f"{INCOMPLETE}. No changes were made.")
            return self.redirect_to_record(object_id)
        found = current_flags(withdrawal)
        form: type[forms.Form] = RejectionForm
        shown: dict[str, Any] = {}
        if decision == APPROVE:
            form = OverrideForm if found["stop"] else ApprovalForm
            shown = {"seen_flags": set(request.POST.getlist("flag"))}
        return self.confirm_page(
            request,
            withdrawal,
            build_confirmation(withdrawal, decision, user, version, found["flags"]),
            partial(
                _SERVICES[decision],
                withdrawal_id=object_id,
                version=version,
                approver=user,
                **shown,
            ),
            describe_decision,
            form=form(posted),
            template="admin/wallets/withdrawal/confirm.html",
            decision_flags=decision_flags(withdrawal),
            **found,
        )


def build_confirmation(
    withdrawal: Withdrawal,
    decision: str,
    user: StaffUser,
    version: int | None,
    flags: Sequence[ReviewFlag],
) -> Confirmation:
    """Return the page that confirms `decision` on the `version` shown."""
    paid = payment_summary(withdrawal)
    amount, payee = paid["amount"], withdrawal.bank.account_name
    blocker, approval = describe_stale(withdrawal, version, decision), ""
    if decision == REJECT:
        title = f"Reject {amount} to {payee}?"
        text, submit = "The amount is released to the wallet.", f"Reject and release {amount}"
    else:
        blocker = blocker or describe_blocker(withdrawal, user, flags)
        why_two = explain_second_approval(withdrawal, user)
        submit = describe_approval(withdrawal, why_two)
        title = f"{submit}?"
        text = "It is sent to the provider immediately and cannot be cancelled."
        approval = "Second of two" if why_two else "The only one required"
        if is_first_of_two(withdrawal, why_two):
            approval = "First of two"
            text = f"{why_two} Nothing is paid until a second person approves it too."
    bank = withdrawal.bank
    provided = format_html(
        '{} <span class="state state-{}">{}</span>',
        bank.provided_name,
        paid["match_tone"],
        paid["match"],
    )
    return Confirmation(
        title=title,
        facts=[
            ("Amount", amount),
            ("Fee", paid["fee"]),
            ("Net payout", paid["arrives"]),
            ("Payee", payee),
            ("Name provided", provided),
            ("Bank", f"{bank.name} ({bank.code})"),
            ("Account number", bank.account_number),
            ("Owner", withdrawal.member or withdrawal.organisation),
            ("Reference", withdrawal.reference),
            *([("Approval", approval)] if decision == APPROVE else []),
        ],
        text=text,
        submit=submit,
        blocker=blocker,
        final=decision == REJECT,
    )
