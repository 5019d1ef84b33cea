"""Payments at the provider, decided by two people where unmatched, and virtual accounts."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils import timezone

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column, link_column, status_column, time_column
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import age
from exchange.admin.fields import ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    currency_filter,
    day_range,
)
from exchange.admin.saved_views import SavedView
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.staff.admin.pending import AWAITING_MY_APPROVAL, QueueFilter, approval_queue
from exchange.staff.admin.proposals import ApprovalPages, Step, ask_to_close
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.deposits.admin import payment_tables
from wallets.deposits.admin.payment_pages import (
    LABELS,
    AssignForm,
    RefundedForm,
    ResolutionForm,
    assignment_confirmation,
    check_and_report,
    describe_done,
    describe_payer_account,
    money,
    payment_facts,
    payment_method,
    proposal_confirmation,
    proposal_facts,
    resolution_confirmation,
    resolution_facts,
    resolution_words,
)
from wallets.deposits.admin.payment_tables import describe_differences, describe_owner
from wallets.deposits.models import (
    Payment,
    PaymentAction,
    PaymentResolution,
    PaymentStatus,
    VirtualAccount,
)
from wallets.deposits.selectors import (
    unconfirmed_refunds,
    undecided_payments,
    with_pending_resolution,
)
from wallets.deposits.services.unmatched import (
    RESOLUTIONS,
    RESOLVE,
    confirm_resolution,
    describe_action_blocker,
    propose_resolution,
    reject_resolution,
)
from wallets.ledger.admin.legs import transfer_legs_section

_PROPOSED = "Proposed. A second person must confirm it."
_AWAITING = {
    PaymentStatus.REPORTED: "Status check",
    PaymentStatus.PENDING: "Status check",
    PaymentStatus.UNMATCHED: "Decision",
    PaymentStatus.REFUNDING: "Result of the refund",
}


def _older_than(days: int, rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.filter(created_at__lt=timezone.now() - timedelta(days=days))


QUEUE = replace(
    approval_queue("Payment decisions to confirm", RESOLUTIONS, "payment"),
    filter_pending=with_pending_resolution,
)


class PaymentFilters(ListFilters):
    decision = QueueFilter(QUEUE)
    work = OptionFilter(
        "open work",
        ("undecided", "Awaiting a decision", undecided_payments),
        ("refund", "Refund not confirmed", unconfirmed_refunds),
    )
    status__exact = ChoiceFilter("status", PaymentStatus.choices, title="status")
    currency_code = currency_filter("currency_code")
    age = OptionFilter(
        "reported",
        *(
            (f"{days}d", f"More than {days} day{'s' * (days > 1)} ago", partial(_older_than, days))
            for days in (1, 3, 7)
        ),
    )
    day_from, day_to = day_range()


@admin.register(Payment)
class PaymentAdmin(ApprovalPages):
    approval = RESOLUTIONS
    proposals = "resolutions"
    proposals_related = ("organisation", "member", "proposed_by", "decided_by")
    step_route = "<uuid:object_id>/proposals/<uuid:proposal_id>/{}/"
    approve_step = Step("confirm", "resolution_id", confirm_resolution, describe_done)
    reject_step = Step(
        "reject",
        "resolution_id",
        reject_resolution,
        "Proposal closed. No money moved.",
        ReasonForm,
    )
    filters = PaymentFilters
    saved_views = (
        SavedView(
            "Awaiting my approval",
            "You can confirm these now.",
            {"decision": AWAITING_MY_APPROVAL},
            RESOLVE,
        ),
        SavedView(
            "Awaiting a decision",
            "Unmatched payments without a proposal.",
            {"work": "undecided"},
        ),
        SavedView(
            "Refund not confirmed",
            "The provider's answer was lost. Find the result and record it.",
            {"work": "refund"},
        ),
        SavedView("Unmatched", "All unmatched payments.", {"status__exact": "Unmatched"}),
    )
    list_display = (
        "transaction_id", "state_display", "amount_display", "payer_name", "method",
        "deposit_display", "awaiting", "reported",
    )  # fmt: skip
    list_select_related = ("deposit",)
    search_fields = ("tx_ref", "provider_reference", "payer_name")
    search_help_text = "Our or the provider's reference, payer, amount or ID"
    id_fields = ("pk", "deposit_id")
    amount_fields = ("amount",)
    labels = {
        "created_at": "reported (UTC)",
        "last_error": "last error",
        "lookups": "status checks",
        "tx_ref": "reference",
    }
    ordering = ("-pk",)
    fields = (
        ("transaction_id", "state_display"), ("amount_display", "charged_display"),
        ("fee_display", "settled_display"), ("payer_name", "payer_account_display"), "method",
        ("tx_ref", "provider_reference"), ("paid_display", "owner"),
        ("differences", "booked"), "charged_back", ("deposit_display", "refund_reference"),
        "last_error", ("lookups", "next_check"), ("created_at", "updated_at"),
    )  # fmt: skip

    def heading(self, obj: Payment) -> str:
        return f"Payment {obj.transaction_id} of {money(obj.amount, obj.currency_code)}"

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        pending = Prefetch(
            "resolutions",
            queryset=PaymentResolution.objects.filter(status=ApprovalStatus.PENDING),
            to_attr="open_proposals",
        )
        return super().rows(user).prefetch_related(pending)

    state_display = status_column()
    amount_display = column("amount", lambda p: money(p.amount, p.currency_code), ordering="amount")
    charged_display = column("charged", lambda p: money(p.charged_amount, p.currency_code))
    settled_display = column("settled", lambda p: money(p.settled_amount, p.currency_code))
    fee_display = column("provider's charge", lambda p: money(p.provider_fee, p.currency_code))
    paid_display = time_column("paid (UTC)", "paid_at")
    next_check = time_column("next status check (UTC)", "next_lookup_at")
    deposit_display = link_column("deposit", "deposit")
    method = column("method", payment_method, ordering="payment_type")
    payer_account_display = column("payer's account", describe_payer_account)
    reported = column("age", lambda p: age(p.created_at), ordering="created_at")
    owner = column("owner", describe_owner)
    differences = column("differences", describe_differences)
    charged_back = column(
        "charged back",
        lambda p: money(p.charged_back_amount, p.currency_code) if p.charged_back_amount else "No",
    )

    @admin.display(description="held as unmatched")
    def booked(self, payment: Payment) -> str:
        if payment.booked_fee is None or payment.amount is None:
            return "-"
        fee = money(payment.booked_fee, payment.currency_code)
        return f"{money(payment.amount, payment.currency_code)} (provider's charge {fee})"

    @admin.display(description="awaiting")
    def awaiting(self, payment: Any) -> str:
        if payment.open_proposals:
            return f"Second person: {payment.open_proposals[0].get_action_display().lower()}"
        return _AWAITING.get(payment.status, "-")

    def get_urls(self) -> list[URLPattern]:
        one = "<uuid:object_id>"
        proposals = (
            self.action_url(
                f"{one}/{action.name.lower().replace('_', '-')}/",
                f"propose_{action.name.lower()}",
                partial(self.propose, action=action),
                only_post=False,
            )
            for action in (
                PaymentAction.REFUND, PaymentAction.REFUNDED, PaymentAction.NOT_REFUNDED
            )
        )  # fmt: skip
        return [
            self.action_url(f"{one}/check/", "check", self.check_now),
            self.action_url(f"{one}/assign/", "propose_assign", self.assign, only_post=False),
            *proposals,
            *super().get_urls(),
        ]

    def tools(self, request: HttpRequest, obj: Payment) -> list[Tool]:
        if not self.may(request, RESOLVE):
            return []
        shown = [Tool("Check at the provider now", self.address("check", obj.pk), post=True)]
        if obj.resolutions.filter(status=ApprovalStatus.PENDING).exists():
            return shown
        return shown + [
            Tool(label, self.address(f"propose_{action.name.lower()}", obj.pk))
            for action, label in LABELS.items()
            if not describe_action_blocker(obj, action)
            and not (action == PaymentAction.ASSIGN and obj.booked_fee is None)
        ]

    def describe(self, proposal: PaymentResolution) -> str:
        return resolution_words(proposal)[0]

    def label_approval(self, proposal: PaymentResolution) -> str:
        return f"Confirm: {proposal.get_action_display().lower()}"

    def panel_facts(self, proposal: PaymentResolution) -> list[tuple[str, object]]:
        return proposal_facts(proposal)

    def facts(self, proposal: PaymentResolution) -> list[tuple[str, object]]:
        return [*payment_facts(proposal.payment), *resolution_facts(proposal)]

    def ask_approval(self, proposal: PaymentResolution) -> Confirmation:
        return resolution_confirmation(proposal)

    def ask_rejection(self, proposal: PaymentResolution, *, own: bool) -> Confirmation:
        text = "No money moves. Another decision can be proposed."
        return ask_to_close("the proposal", text, own=own)

    def sections(self, request: HttpRequest, obj: Payment) -> list[Section]:
        return [
            payment_tables.decisions(obj),
            payment_tables.earlier_payments(obj),
            transfer_legs_section([obj.pk], empty="Nothing was booked to unmatched payments."),
        ]

    # --- actions ---

    def check_now(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Check the payment at the provider now."""
        payment: Payment = self.record(request, object_id, RESOLVE)
        check_and_report(request, payment)
        return self.redirect_to_record(payment.pk)

    def assign(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Propose the owner of the payment."""
        payment: Payment = self.record(request, object_id, RESOLVE)

        form = bind_form(request, AssignForm)
        owner = form.cleaned_data["owner"] if form.is_bound and form.is_valid() else None

        def act(owner: Any, explanation: str, **_chosen: object) -> None:
            propose_resolution(
                payment_id=payment.pk,
                action=PaymentAction.ASSIGN,
                owner=owner,
                explanation=explanation,
                user=staff_of(request),
            )

        confirmation = assignment_confirmation(payment, owner)
        return self.confirm_page(request, payment, confirmation, act, _PROPOSED, form=form)

    def propose(
        self, request: HttpRequest, object_id: UUID, *, action: PaymentAction
    ) -> HttpResponse:
        """Propose a refund, or the result of one."""
        payment: Payment = self.record(request, object_id, RESOLVE)
        form = RefundedForm if action == PaymentAction.REFUNDED else ResolutionForm
        return self.confirm_page(
            request,
            payment,
            proposal_confirmation(payment, action),
            partial(
                propose_resolution, payment_id=payment.pk, action=action, user=staff_of(request)
            ),
            _PROPOSED,
            form=bind_form(request, form),
        )


class VirtualAccountFilters(ListFilters):
    currency__code__exact = currency_filter()
    organisation_name = OrganisationNameFilter()


@admin.register(VirtualAccount)
class VirtualAccountAdmin(OwnedRecordAdmin):
    filters = VirtualAccountFilters
    list_display = ("account_number", "bank_name", "owner", "currency", "created_at")
    list_select_related = ("organisation", "member", "currency")
    search_fields = ("account_number", "account_name", "reference", "organisation__name")
    search_help_text = "Account number, holder, reference, organisation, email or ID"
    id_fields = ("pk", "owner_id", "organisation_id")
    ordering = ("-pk",)
    fields = (
        "account_number", "bank_name", "account_name", "owner", "organisation", "currency",
        "status", "reference", "order_reference", "created_at",
    )  # fmt: skip
