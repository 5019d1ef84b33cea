"""Treasury movements in the admin: one person proposes, another confirms."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import PendingDecision, Section, Tool, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin, ConfirmedAction
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import age, status_badge
from exchange.admin.fields import INTERNAL, MoneyField, ReasonField, ReasonForm, audience_help
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, day_range
from exchange.core.currencies import format_money
from exchange.core.models import Currency
from exchange.exports.admin import Exportable
from exchange.staff.admin.pending import Queue, QueueFilter, pending_decision
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.ledger.admin.legs import transfer_legs_section
from wallets.treasury import services as treasury
from wallets.treasury.models import TreasuryKind, TreasuryMovement
from wallets.treasury.selectors import treasury_balances

# What happens, by kind; read before proposing and before confirming.
_EFFECTS: dict[str, str] = {
    TreasuryKind.TOP_UP: "The payment provider holds more of the exchange's own money.",
    TreasuryKind.DRAW_DOWN: "The payment provider holds less of the exchange's own money.",
    TreasuryKind.FEE_PAYOUT: "Fee income leaves the payment provider for the exchange's bank.",
    TreasuryKind.POSITION_CLOSE: "The sold currency becomes the exchange's own money at the payment"
    " provider, ready to be drawn down; the bought one is to be topped up.",
}


class MovementForm(forms.Form):
    """A treasury movement, as it is on the bank's statement."""

    kind = forms.ChoiceField(choices=TreasuryKind.choices)
    currency = forms.ModelChoiceField(
        queryset=Currency.objects.all(), help_text="To close a position: the currency sold"
    )
    amount = MoneyField()
    charge = MoneyField(
        label="Provider's charge",
        required=False,
        help_text="In addition to the amount; of a top-up, what did not arrive",
    )
    bought_currency = forms.ModelChoiceField(
        queryset=Currency.objects.all(), required=False, help_text="To close a position only"
    )
    bought_amount = MoneyField(required=False, help_text="What the bank paid for the amount sold")
    closed_amount = MoneyField(
        required=False,
        label="Position closed",
        help_text="The part of the short position that this covers. What was bought beyond it is a"
        " gain, what is missing a loss",
    )
    reference = forms.CharField(
        max_length=100, help_text=audience_help(INTERNAL, "The bank's reference of the transfer")
    )
    note = ReasonField(max_length=300, help_text="What it is for, for the approver")

    groups = [
        (None, ["kind", "currency", "amount", "charge"]),
        ("Position", ["bought_currency", "bought_amount", "closed_amount"]),
        ("Evidence", ["reference", "note"]),
    ]


class MovementFilters(ListFilters):
    decision = QueueFilter(
        Queue(
            "Treasury movements to confirm",
            treasury.MOVE,
            lambda rows: rows.filter(status=ApprovalStatus.PENDING),
            treasury.MOVEMENTS.proposed_by,
        )
    )
    status__exact = ChoiceFilter("status", ApprovalStatus.choices, title="status")
    kind__exact = ChoiceFilter("kind", TreasuryKind.choices, title="kind")
    currency__code__exact = currency_filter()
    day_from, day_to = day_range()


@admin.register(TreasuryMovement)
class TreasuryMovementAdmin(Exportable, AddFormAdmin, ConfirmationAdmin):
    add_permission = treasury.MOVE
    filters = MovementFilters
    list_display = (
        "reference", "kind_display", "state_display", "amount_display", "bought_display",
        "proposed_by", "decided_by", "proposed",
    )  # fmt: skip
    list_select_related = ("proposed_by", "decided_by")
    search_fields = ("reference", "note")
    search_help_text = "Reference, note, amount or ID"
    amount_fields = ("amount", "bought_amount")
    labels = {"created_at": "proposed (UTC)"}
    # Ids grow with time and have an index.
    ordering = ("-pk",)
    fields = (
        "reference", "kind_display", "state_display", "amount_display", "charge_display",
        "bought_display", "closed_display", "note", "proposed_by", "created_at", "decided_by",
        "decided_at", "reason", "approval_reason",
    )  # fmt: skip
    readonly_fields = fields

    def heading(self, obj: TreasuryMovement) -> str:
        return f"{obj.get_kind_display()}: {format_money(obj.amount, obj.currency_id)}"

    @admin.display(description="kind", ordering="kind")
    def kind_display(self, movement: TreasuryMovement) -> str:
        return movement.get_kind_display()

    @admin.display(description="status", ordering="status")
    def state_display(self, movement: TreasuryMovement) -> str:
        return status_badge(movement.status)

    @admin.display(description="amount", ordering="amount")
    def amount_display(self, movement: TreasuryMovement) -> str:
        return format_money(movement.amount, movement.currency_id)

    @admin.display(description="provider's charge")
    def charge_display(self, movement: TreasuryMovement) -> str:
        return format_money(movement.charge, movement.currency_id) if movement.charge else "-"

    @admin.display(description="bought", ordering="bought_amount")
    def bought_display(self, movement: TreasuryMovement) -> str:
        return _bought(movement, movement.bought_amount)

    @admin.display(description="position closed")
    def closed_display(self, movement: TreasuryMovement) -> str:
        return _bought(movement, movement.closed_amount)

    @admin.display(description="age", ordering="created_at")
    def proposed(self, movement: TreasuryMovement) -> str:
        return age(movement.created_at)

    def get_urls(self) -> list[URLPattern]:
        return [*self.confirmed_action_urls(_ACTIONS), *super().get_urls()]

    def decision(self, request: HttpRequest, obj: TreasuryMovement) -> PendingDecision | None:
        return pending_decision(
            obj,
            staff_of(request),
            treasury.MOVEMENTS,
            proposal=f"{obj.get_kind_display()} of {self.amount_display(obj)}",
            proposer=obj.proposed_by,
            approve=Tool(f"Confirm {self.amount_display(obj)}", self.address("confirm", obj.pk)),
            reject=Tool("Reject", self.address("reject", obj.pk)),
        )

    def warnings(self, obj: TreasuryMovement) -> list[str]:
        return treasury.notices_of(obj) if obj.status == ApprovalStatus.PENDING else []

    def sections(self, request: HttpRequest, obj: TreasuryMovement) -> list[Section]:
        empty = "Nothing was posted."
        if obj.status == ApprovalStatus.PENDING:
            empty = "Not posted yet. A second person must confirm it."
        return [transfer_legs_section([obj.pk], empty=empty)]

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Propose a movement, which a second person must confirm."""

        def act(data: dict[str, Any]) -> HttpResponse:
            made = treasury.propose_movement(terms=_terms(data), user=staff_of(request))
            messages.success(request, "Movement proposed. A second person must confirm it.")
            return self.redirect_to_record(made.pk)

        return self.form_page(
            request,
            bind_form(request, MovementForm),
            act,
            title="Propose a treasury movement",
            submit="Propose",
            note="Nothing is posted until a second person confirms. The money itself moves at the"
            " bank and at the payment provider, not here.",
            find_notices=lambda data: treasury.find_movement_notices(_terms(data)),
        )


def _terms(data: dict[str, Any]) -> treasury.MovementTerms:
    bought = data["bought_currency"]
    amounts = (data["bought_amount"], data["closed_amount"])
    closed = None
    if bought or any(amount is not None for amount in amounts):
        nothing = Decimal(0)
        closed = treasury.ClosedPosition(
            bought.code if bought else "", amounts[0] or nothing, amounts[1] or nothing
        )
    return treasury.MovementTerms(
        kind=TreasuryKind(data["kind"]),
        currency=data["currency"].code,
        amount=data["amount"],
        charge=data["charge"] or Decimal(0),
        position=closed,
        reference=data["reference"],
        note=data["note"],
    )


def _bought(movement: TreasuryMovement, amount: Decimal | None) -> str:
    return format_money(amount, movement.bought_currency_id) if movement.bought_currency_id else "-"


def _facts(movement: TreasuryMovement) -> list[tuple[str, object]]:
    facts: list[tuple[str, object]] = [
        ("Kind", movement.get_kind_display()),
        ("Amount", format_money(movement.amount, movement.currency_id)),
    ]
    if movement.charge:
        facts.append(("Provider's charge", format_money(movement.charge, movement.currency_id)))
    if movement.bought_currency_id:
        nothing = Decimal(0)
        bought, closed = movement.bought_amount or nothing, movement.closed_amount or nothing
        facts += [
            ("Bought", _bought(movement, movement.bought_amount)),
            ("Position closed", _bought(movement, movement.closed_amount)),
            (
                "Loss" if bought < closed else "Gain",
                _bought(movement, abs(bought - closed)),
            ),
        ]
    return [
        *facts,
        ("Bank's reference", movement.reference),
        ("Note", movement.note),
        ("Proposed by", movement.proposed_by),
    ]


def _held(movement: TreasuryMovement) -> list[tuple[str, object]]:
    """Return what the exchange has now; it may change while the page is open."""
    currencies = (movement.currency_id, movement.bought_currency_id)
    facts: list[tuple[str, object]] = []
    for currency in filter(None, currencies):
        held = treasury_balances(currency)
        facts += [
            (f"Own money in {currency}", format_money(held.own, currency)),
            (f"Fee income in {currency}", format_money(held.fees, currency)),
            (f"Position in {currency}", format_money(held.position, currency)),
            (f"Treasury in {currency}", format_money(held.treasury, currency)),
        ]
    return facts


def _confirmation(movement: TreasuryMovement, user: StaffUser) -> Confirmation:
    amount = format_money(movement.amount, movement.currency_id)
    notices = treasury.notices_of(movement)
    return Confirmation(
        title=f"Confirm {movement.get_kind_display().lower()} of {amount}?",
        facts=_facts(movement),
        live_facts=_held(movement),
        text=f"{_EFFECTS[movement.kind]} Check amount and reference against the bank statement"
        " first.",
        submit=f"Confirm {amount}",
        blocker=treasury.MOVEMENTS.describe_blocker(movement, user),
        warnings=notices,
        asks_reason=bool(notices),
    )


def _rejection(movement: TreasuryMovement, user: StaffUser) -> Confirmation:
    amount = format_money(movement.amount, movement.currency_id)
    own = movement.proposed_by_id == user.pk
    return Confirmation(
        title=f"{'Cancel' if own else 'Reject'} {movement.get_kind_display().lower()} of {amount}?",
        facts=_facts(movement),
        text="Nothing is posted. It can be proposed again under the same reference.",
        submit="Cancel proposal" if own else f"Reject {amount}",
        blocker=treasury.MOVEMENTS.describe_closed(movement),
        final=True,
    )


_ACTIONS = (
    ConfirmedAction(
        "confirm",
        "movement_id",
        (treasury.MOVE,),
        _confirmation,
        treasury.confirm_movement,
        lambda row: f"Confirmed. {format_money(row.amount, row.currency_id)} posted.",
    ),
    ConfirmedAction(
        "reject",
        "movement_id",
        (treasury.MOVE,),
        _rejection,
        treasury.reject_movement,
        "Proposal closed. Nothing was posted.",
        ReasonForm,
    ),
)
