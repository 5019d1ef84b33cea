"""Deposits in the admin: one person enters a deposit, another confirms it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.columns import column, money_column
from exchange.admin.confirmation import Confirmation
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import age, format_time, record_link, status_badge
from exchange.admin.fields import INTERNAL, VISIBLE, MoneyField, ReasonForm, audience_help
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    currency_filter,
    day_range,
    id_filter,
)
from exchange.admin.saved_views import SavedView
from exchange.core.currencies import format_money
from exchange.core.errors import InvalidRequest
from exchange.core.models import Currency
from exchange.events.admin.links import events_section
from exchange.exports.admin import Exportable
from exchange.participants.admin.name_filters import OrganisationNameFilter
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.questions.admin import WaitingList
from exchange.questions.selectors import waiting_since
from exchange.staff.admin.pending import AWAITING_MY_APPROVAL, Queue, QueueFilter
from exchange.staff.admin.proposals import ProposalAdmin, Step, decision_of
from exchange.staff.models import ApprovalStatus
from wallets.deposits.admin import deposit_tables
from wallets.deposits.admin.owner_choice import MemberChoice
from wallets.deposits.admin.payment_pages import check_and_report
from wallets.deposits.admin.payment_tables import describe_flags
from wallets.deposits.admin.reversals import (
    MARK_DISPUTED,
    PROPOSE_REVERSAL,
    owner_of,
)
from wallets.deposits.models import Deposit, DepositChannel, DepositStatus
from wallets.deposits.services import manual as deposits
from wallets.deposits.services.reversals import REVERSE, describe_proposal_blocker
from wallets.deposits.services.unmatched import RESOLVE
from wallets.ledger.admin.legs import transfer_legs_section


class DepositForm(forms.Form):
    """An incoming payment."""

    organisation = OrganisationChoiceField(
        required=False, help_text="To credit the organisation's own wallet, leave the member empty"
    )
    member = MemberChoice(required=False, help_text="To credit a member's wallet")
    currency = forms.ModelChoiceField(queryset=Currency.objects.all())
    amount = MoneyField()
    reference = forms.CharField(
        max_length=100,
        help_text=audience_help(VISIBLE, "The bank's reference of the incoming payment"),
    )
    note = forms.CharField(
        max_length=300,
        required=False,
        help_text=audience_help(INTERNAL, "Required as a reason where the payment is not usual"),
    )


def _amount(deposit: Deposit) -> str:
    return format_money(deposit.amount, deposit.currency_id)


class DepositListFilters(ListFilters):
    decision = QueueFilter(
        Queue(
            "Deposits to confirm",
            deposits.DECIDE,
            lambda rows: rows.filter(status=DepositStatus.PENDING, channel=DepositChannel.MANUAL),
            deposits.DEPOSITS.proposed_by,
            waiting_since("created_at"),
        )
    )
    status__exact = ChoiceFilter("status", DepositStatus.choices, title="status")
    channel__exact = ChoiceFilter("channel", DepositChannel.choices, title="channel")
    currency__code__exact = currency_filter()
    clearing = OptionFilter(
        "clearing",
        (
            "uncleared",
            "Uncleared",
            # As the index of uncleared deposits says.
            lambda rows: rows.filter(
                status=DepositStatus.COMPLETED, available_at__isnull=False, cleared_at__isnull=True
            ),
        ),
    )
    organisation_name = OrganisationNameFilter()
    day_from, day_to = day_range()
    owner_id = id_filter("owner_id")


@admin.register(Deposit)
class DepositAdmin(Exportable, AddFormAdmin, ProposalAdmin, OwnedRecordAdmin):
    confirmed_actions = (PROPOSE_REVERSAL, MARK_DISPUTED)
    approval = deposits.DEPOSITS
    approve_step = Step(
        "confirm",
        "deposit_id",
        deposits.confirm,
        lambda row: f"Confirmed. {_amount(row)} credited.",
    )
    reject_step = Step(
        "reject", "deposit_id", deposits.reject, "Rejected. Nothing was booked.", ReasonForm
    )
    cancel_step = Step(
        "cancel",
        "deposit_id",
        deposits.cancel,
        "Cancelled. Nothing was booked.",
        permission=deposits.ENTER,
    )
    only_proposer_cancels = "Only the person who entered the deposit can cancel it"
    add_permission = deposits.ENTER
    filters = DepositListFilters
    saved_views = (
        SavedView(
            "Awaiting my approval",
            "Entered by hand. Compare with the bank statement and confirm.",
            {"decision": AWAITING_MY_APPROVAL},
            deposits.DECIDE,
        ),
        SavedView("Pending", "Entered by hand, or to be paid.", {"status__exact": "Pending"}),
        SavedView(
            "Uncleared",
            "Arrived by card or mobile money, and not available yet.",
            {"clearing": "uncleared"},
        ),
    )
    list_display = (
        "reference", "state_display", "channel_display", "owned_by", "amount_display",
        "entered_by_display", "decided_by_display", "proposed_age",
    )  # fmt: skip
    list_select_related = ("organisation", "member", "entered_by", "decided_by")
    search_fields = ("reference", "client_reference", "organisation__name", "member__name")
    search_help_text = "Reference, client reference, organisation, member, amount, email or ID"
    id_fields = ("pk", "owner_id", "organisation_id")
    amount_fields = ("amount",)
    labels = {"created_at": "entered (UTC)"}
    fields = (
        ("reference", "state_display"), ("owner", "organisation"),
        ("channel_display", "amount_display"),
        ("fee_display", "provider_reference"), ("payer", "differences"),
        ("available_at", "cleared_at"), ("disputed", "reversed_display"),
        "client_reference", "note",
        ("entered_by_display", "created_at"), ("decided_by_display", "decided_at"), "reason",
        "approval_reason",
    )  # fmt: skip

    proposed_age = column("age", lambda row: age(row.waiting_since), ordering="created_at")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[WaitingList]:
        return WaitingList

    def heading(self, obj: Deposit) -> str:
        return f"{_amount(obj)} for {owner_of(obj)}"

    def warnings(self, obj: Deposit) -> Sequence[str]:
        notices = super().warnings(obj) if self.find_proposal(obj) else ()
        return [*notices, *deposit_tables.findings(obj)]

    def tools(self, request: HttpRequest, obj: Deposit) -> list[Tool]:
        shown = []
        if self.may(request, RESOLVE) and deposit_tables.payment_of(obj) is not None:
            shown.append(
                Tool("Check at the provider now", self.address("check", obj.pk), post=True)
            )
        if not self.may(request, REVERSE) or describe_proposal_blocker(obj):
            return shown
        return [
            *shown,
            Tool("Mark disputed", self.address("dispute", obj.pk)),
            Tool("Propose reversal", self.address("reverse", obj.pk)),
        ]

    state_display = column("status", lambda row: status_badge(row.state), ordering="status")
    amount_display = column("amount", _amount, ordering="amount")
    reversed_display = money_column("taken back", "taken_back")
    differences = column("checkout difference", lambda row: describe_flags(row) or "-")
    channel_display = column("channel", lambda row: row.channel_name, ordering="channel")
    entered_by_display = column(
        "entered by", lambda row: str(row.entered_by or "System"), ordering="entered_by__username"
    )

    @admin.display(description="provider's charge")
    def fee_display(self, deposit: Deposit) -> str:
        if not deposit.provider_fee:
            return "-"
        bearer = "borne by the owner" if deposit.fee else "borne by the exchange"
        return f"{format_money(deposit.provider_fee, deposit.currency_id)}, {bearer}"

    @admin.display(description="charged back")
    def disputed(self, deposit: Deposit) -> str:
        if deposit.disputed_at is None or deposit.disputed_amount is None:
            return "No"
        amount = format_money(deposit.disputed_amount, deposit.currency_id)
        return f"{amount} on {format_time(deposit.disputed_at)} UTC"

    @admin.display(description="payer")
    def payer(self, deposit: Deposit) -> str:
        known = (deposit.payer_name, deposit.payer_bank, deposit.payer_account)
        missing = "-" if deposit.channel == DepositChannel.MANUAL else "Not provided by the bank"
        return ", ".join(part for part in known if part) or missing

    @admin.display(description="decided by", ordering="decided_by__username")
    def decided_by_display(self, deposit: Deposit) -> str:
        if deposit.decided_by is not None:
            return str(deposit.decided_by)
        return "System" if deposit.decided_at else "-"

    def get_urls(self) -> list[URLPattern]:
        return [
            self.action_url("<uuid:object_id>/check/", "check", self.check_now),
            *super().get_urls(),
        ]

    def check_now(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Check the deposit's payment at the provider now."""
        deposit: Deposit = self.record(request, object_id, RESOLVE)
        payment = deposit_tables.payment_of(deposit)
        if payment is None:
            messages.error(request, "No payment at the provider belongs to this deposit.")
        else:
            check_and_report(request, payment)
        return self.redirect_to_record(deposit.pk)

    # --- the approval of a deposit that was entered by hand ---

    def find_proposal(self, record: Deposit, proposal_id: UUID | None = None) -> Deposit | None:
        """Return the deposit, if it was entered by hand."""
        return record if record.channel == DepositChannel.MANUAL else None

    def proposer_of(self, proposal: Deposit) -> object:
        return proposal.entered_by or "the system"

    def decision(self, request: HttpRequest, obj: Deposit) -> PendingDecision | None:
        """Return the panel of the entry, or of the reversal of a completed deposit."""
        if obj.status != DepositStatus.COMPLETED:
            return super().decision(request, obj)
        reversal = obj.reversals.filter(status=ApprovalStatus.PENDING).first()
        return decision_of(request, reversal, reversal) if reversal else None

    def describe(self, proposal: Deposit) -> str:
        return f"Credit {self.heading(proposal)}"

    def find_notices(self, proposal: Deposit) -> list[str]:
        return deposits.notices_of(proposal)

    def facts(self, proposal: Deposit) -> list[tuple[str, object]]:
        return [
            ("Amount", _amount(proposal)),
            ("Owner", record_link(owner_of(proposal))),
            ("Organisation", record_link(proposal.organisation)),
            ("Reference", proposal.reference),
            ("Note", proposal.note or "-"),
            ("Entered by", self.proposer_of(proposal)),
            ("Entered (UTC)", f"{proposal.created_at:%Y-%m-%d %H:%M:%S}"),
        ]

    def ask_approval(self, proposal: Deposit) -> Confirmation:
        return Confirmation(
            title=f"Confirm {self.heading(proposal)}?",
            text="Funds are credited immediately and can be spent or withdrawn. Check amount and "
            "reference against the bank statement first.",
            submit=f"Confirm {_amount(proposal)}",
        )

    def ask_rejection(self, proposal: Deposit, *, own: bool) -> Confirmation:
        return self._ask_to_fail("Reject", proposal)

    def ask_cancellation(self, proposal: Deposit) -> Confirmation:
        return self._ask_to_fail("Cancel", proposal)

    def _ask_to_fail(self, word: str, deposit: Deposit) -> Confirmation:
        return Confirmation(
            title=f"{word} {self.heading(deposit)}?",
            text="Nothing is booked. The deposit can be entered again under the same reference.",
            submit=f"{word} {_amount(deposit)}",
            final=True,
        )

    def sections(self, request: HttpRequest, obj: Deposit) -> list[Section]:
        empty = "Not booked yet. A second person must confirm it."
        if obj.status == DepositStatus.FAILED:
            empty = "Nothing was booked."
        elif obj.channel != DepositChannel.MANUAL:
            empty = "Not paid yet."
        payment = deposit_tables.payment_of(obj)
        return [
            *([deposit_tables.comparison(obj, payment)] if payment else []),
            deposit_tables.wallet(obj),
            deposit_tables.earlier_of_owner(obj),
            *([deposit_tables.earlier_of_payer(obj)] if payment else []),
            *deposit_tables.reversals(obj),
            events_section(obj.pk),
            transfer_legs_section([obj.pk], empty=empty),
        ]

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Enter a deposit, which a second person must confirm."""
        return self.form_page(
            request,
            bind_form(request, DepositForm),
            lambda data: deposits.enter(payment=incoming_payment(data), user=staff_of(request)),
            title="Enter a deposit",
            submit="Enter",
            done="Deposit entered. A second person must confirm it.",
            note="Funds are credited once a second person confirms.",
            find_notices=lambda data: deposits.find_payment_notices(incoming_payment(data)),
        )


def incoming_payment(data: dict[str, Any]) -> deposits.IncomingPayment:
    member, organisation = data["member"], data["organisation"]
    if member is None and organisation is None:
        raise InvalidRequest("Choose an organisation or a member")
    return deposits.IncomingPayment(
        organisation_id=organisation.pk if organisation else member.organisation_id,
        member_id=member.pk if member else None,
        currency=data["currency"].code,
        amount=data["amount"],
        reference=data["reference"],
        note=data["note"],
    )
