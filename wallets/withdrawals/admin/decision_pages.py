"""Approval and rejection of withdrawals, single from the review page or in bulk from the list.

A confirmation page shows amount, payee and flags and changes nothing; its button decides exactly
the version and flags shown. A withdrawal with critical flags is approved only on its own page, with
a written reason. A bulk decision runs one transaction per withdrawal and reports each result. A
repeated POST carries outdated versions, so nothing is decided twice. Confirmations and results are
answers to GET, so the browser's Back and Reload show them again, or lead to the record once it is
decided.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.html import format_html

from exchange.admin.base import staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.fields import VISIBLE, ReasonField
from exchange.staff.models import StaffUser
from wallets.withdrawals.admin.bulk_rows import (
    APPROVE,
    REJECT,
    BulkDecision,
    ChosenRow,
    build_rows,
    decide_row,
    describe_decision,
    describe_stale,
    exclude_from_approval,
    exclude_from_rejection,
    excluded_results,
    parse_seen_flags,
    parse_version,
    parse_versions,
    total_by_currency,
)
from wallets.withdrawals.admin.review import (
    current_flags,
    decision_flags,
    describe_approval,
    describe_blocker,
    payment_summary,
)
from wallets.withdrawals.admin.review_page import ReviewPage
from wallets.withdrawals.admin.saved_views import actions_of_view
from wallets.withdrawals.admin.second_approval import explain_second_approval, is_first_of_two
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.review_flags import ReviewFlag
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.decisions import DECIDE

MAX_BULK = 100
_RESULTS = "bulk_results"
_SERVICES: dict[str, Callable[..., Withdrawal]] = {
    APPROVE: decisions.approve,
    REJECT: decisions.reject,
}
_REASON_REQUIRED = "Enter a reason for the rejection"
_MAX_REASON = 500
_INCOMPLETE = "The form is incomplete"


class ApprovalForm(forms.Form):
    """An optional note."""

    reason = ReasonField(label="Note", max_length=500, required=False)


class OverrideForm(ApprovalForm):
    """The written reason that an approval despite critical flags requires."""

    override = ReasonField(
        label="Reason for approving despite critical flags",
        help_text="Stored with your approval and shown on this withdrawal's page. Each approver"
        " enters their own",
        max_length=500,
        error_messages={"required": "Flagged as critical. Enter a reason to approve it anyway."},
    )
    field_order = ("override", "reason")


class RejectionForm(forms.Form):
    """The reason of a rejection."""

    reason = ReasonField(
        audience=VISIBLE, max_length=500, error_messages={"required": _REASON_REQUIRED}
    )


def _approve(row: ChosenRow) -> Withdrawal:
    return decisions.approve(
        withdrawal_id=row.withdrawal_id,
        version=row.version,
        approver=row.user,
        reason=row.reason,
        seen_flags=row.flags,
    )


def _reject(row: ChosenRow) -> Withdrawal:
    return decisions.reject(
        withdrawal_id=row.withdrawal_id,
        version=row.version,
        approver=row.user,
        reason=row.reason,
    )


class DecisionPages(ConfirmationAdmin, ReviewPage):
    """Approval and rejection pages of the withdrawals admin."""

    actions: Any = ("approve_selected", "reject_selected")
    # Decisions from the list, by their name in its URLs; `wallets.payouts` adds one.
    bulk_decisions: ClassVar[Mapping[str, BulkDecision]] = {
        APPROVE: BulkDecision(
            verb="Approve",
            noun="approval",
            word="Approved",
            permission=DECIDE,
            find_exclusion=exclude_from_approval,
            decide=_approve,
            final=False,
        ),
        REJECT: BulkDecision(
            verb="Reject",
            noun="rejection",
            word="Rejected",
            permission=DECIDE,
            reason_required=_REASON_REQUIRED,
            find_exclusion=exclude_from_rejection,
            decide=_reject,
        ),
    }

    def decision_urls(self) -> list[URLPattern]:
        """Return the URLs of this module's pages."""
        one = "<uuid:object_id>"
        return [
            self.action_url(route, name, view, only_post=False)
            for route, name, view in (
                ("decide/", "bulk", self.bulk),
                ("decided/", "decided", self.decided),
                (f"{one}/approve/", "approve", self.approve),
                (f"{one}/reject/", "reject", self.reject),
            )
        ]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Return whether the user sees the bulk actions of the list."""
        return self.may(request, DECIDE)

    # --- one, from its page ---

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
            messages.error(request, f"{_INCOMPLETE}. No changes were made.")
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

    # --- many, from the list ---

    @admin.action(description="Approve…", permissions=["decide"])
    def approve_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Lead to the confirmation page for approving the selected rows."""
        return self.select_rows(request, queryset, APPROVE)

    @admin.action(description="Reject…", permissions=["decide"])
    def reject_selected(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal]
    ) -> HttpResponse | None:
        """Lead to the confirmation page for rejecting the selected rows."""
        return self.select_rows(request, queryset, REJECT)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the actions that the rows of the list's view may take."""
        found = super().get_actions(request)
        names = actions_of_view(request.GET)
        return {name: action for name, action in found.items() if name in names}

    def select_rows(
        self, request: HttpRequest, queryset: QuerySet[Withdrawal], name: str
    ) -> HttpResponse | None:
        """Redirect to the confirmation page of the decision `name` on the selected rows."""
        found = queryset.order_by("created_at", "pk")[: MAX_BULK + 1]
        if len(found) > MAX_BULK:
            messages.error(request, f"Select at most {MAX_BULK} withdrawals. No changes were made.")
            return None
        rows = [f"{row.pk}:{row.version}" for row in found]
        query = urlencode({"decision": name, "row": rows}, doseq=True)
        filters = self.get_preserved_filters(request)
        return HttpResponseRedirect(f"{self.address('bulk')}?{query}&{filters}".rstrip("&"))

    def _bulk_page(
        self, request: HttpRequest, name: str, chosen: QuerySet[Any], error: str
    ) -> HttpResponse:
        decision = self.bulk_decisions[name]
        rows = build_rows(list(chosen.order_by("created_at", "pk")), decision, staff_of(request))
        ready = [row for row in rows if not row.exclusion]
        noun = "withdrawal" if len(ready) == 1 else "withdrawals"
        decided = [row.withdrawal for row in ready]
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_confirm.html",
            f"{decision.verb} {len(ready)} {noun}?" if ready else "No withdrawals to decide",
            name=name,
            decision=decision,
            rows=ready,
            excluded=[row for row in rows if row.exclusion],
            totals=total_by_currency((row.currency_id, row.amount) for row in decided),
            payments=total_by_currency((row.currency_id, row.disburse_amount) for row in decided),
            decide_at=self.address("bulk"),
            back=self.address("changelist"),
            error=error,
        )

    def bulk(self, request: HttpRequest) -> HttpResponse:
        """Show the confirmation page; decide each of its rows when it is confirmed."""
        posted = request.method == "POST"
        data = request.POST if posted else request.GET
        name, reason = data.get("decision", ""), data.get("reason", "").strip()
        decision, wanted = self.bulk_decisions.get(name), parse_versions(data.getlist("row"))
        self.require(request, decision.permission if decision else DECIDE)
        fits = 0 < len(wanted) <= MAX_BULK and len(reason) <= _MAX_REASON
        if decision is None or not fits:
            messages.error(request, f"{_INCOMPLETE}. No changes were made.")
            return HttpResponseRedirect(self.address("changelist"))
        user = staff_of(request)
        chosen: QuerySet[Any] = self.get_queryset(request).filter(pk__in=wanted)
        if not posted or (decision.reason_required and not reason):
            error = decision.reason_required if posted else ""
            return self._bulk_page(request, name, chosen, error)
        flags = parse_seen_flags(request.POST.getlist("seen"))
        known = {row.pk: row for row in chosen}
        outcomes = [
            decide_row(
                decision, ChosenRow(pk, version, flags.get(pk, set()), reason, user), known.get(pk)
            )
            for pk, version in wanted.items()
        ]
        decided = [one.decided for one in outcomes if one.decided is not None]
        final = [row for row in decided if row.status != WithdrawalStatus.PENDING]
        out = [pk for pk in parse_seen_flags(request.POST.getlist("left_out")) if pk not in wanted]
        others = self.get_queryset(request).filter(pk__in=out[:MAX_BULK])
        omitted = excluded_results(list(others.order_by("created_at", "pk")), decision, user)
        # In the session, so that the results are an answer to GET.
        request.session[_RESULTS] = {
            "outcomes": [asdict(replace(one, decided=None)) for one in (*outcomes, *omitted)],
            "decided": len(decided),
            "refused": len(outcomes) - len(decided),
            "left_out": len(omitted),
            "totals": total_by_currency((row.currency_id, row.amount) for row in final),
            "word": decision.word,
        }
        return HttpResponseRedirect(self.address("decided"))

    def decided(self, request: HttpRequest) -> HttpResponse:
        """Show the results of the latest bulk decision in this session."""
        self.require(request, *(each.permission for each in self.bulk_decisions.values()))
        results = request.session.get(_RESULTS)
        if results is None:
            return HttpResponseRedirect(self.address("changelist"))
        return self.page(
            request,
            "admin/wallets/withdrawal/bulk_results.html",
            f"{results['decided']} of {results['decided'] + results['refused']} decided",
            back=self.address("changelist"),
            **results,
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
