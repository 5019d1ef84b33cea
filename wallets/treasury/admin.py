"""Treasury movements in the admin: one person proposes, another confirms."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from exchange.admin.base import staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation
from exchange.admin.fields import INTERNAL, MoneyField, ReasonField, ReasonForm, audience_help
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, currency_filter, day_range
from exchange.core.currencies import format_money
from exchange.core.models import Currency
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import Step
from wallets.ledger.admin.posting_pages import PostingAdmin, amount_of
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
    TreasuryKind.TAX_REMITTANCE: "Tax that was withheld leaves the payment provider for the tax"
    " authority.",
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


def _bought(movement: TreasuryMovement, amount: Decimal | None) -> str:
    return format_money(amount, movement.bought_currency_id) if movement.bought_currency_id else "-"


def _held(movement: TreasuryMovement) -> list[tuple[str, object]]:
    """Return what the exchange has now; it may change while the page is open."""
    facts: list[tuple[str, object]] = []
    for currency in filter(None, (movement.currency_id, movement.bought_currency_id)):
        held = treasury_balances(currency)
        facts += [
            (f"Own money in {currency}", format_money(held.own, currency)),
            (f"Fee income in {currency}", format_money(held.fees, currency)),
            (f"Position in {currency}", format_money(held.position, currency)),
            (f"Treasury in {currency}", format_money(held.treasury, currency)),
            (f"Tax withheld in {currency}", format_money(held.tax, currency)),
        ]
    return facts


class MovementFilters(ListFilters):
    decision, status__exact = approval_filters("Treasury movements to confirm", treasury.MOVEMENTS)
    kind__exact = ChoiceFilter("kind", TreasuryKind.choices, title="kind")
    currency__code__exact = currency_filter()
    day_from, day_to = day_range()


@admin.register(TreasuryMovement)
class TreasuryMovementAdmin(PostingAdmin):
    approval = treasury.MOVEMENTS
    approve_step = Step(
        "confirm",
        "movement_id",
        treasury.confirm_movement,
        lambda row: f"Confirmed. {amount_of(row)} posted.",
    )
    reject_step = Step(
        "reject",
        "movement_id",
        treasury.reject_movement,
        "Proposal closed. Nothing was posted.",
        ReasonForm,
    )
    add_permission = treasury.MOVE
    after_rejection = "Nothing is posted. It can be proposed again under the same reference."
    filters = MovementFilters
    list_display = (
        "reference", "kind_display", "state_display", "amount_display", "bought_display",
        "proposed_by", "decided_by", "proposed_age",
    )  # fmt: skip
    search_fields = ("reference", "note")
    search_help_text = "Reference, note, amount or ID"
    amount_fields = ("amount", "bought_amount")
    fields = (
        "reference", "kind_display", "state_display", "amount_display", "charge_display",
        "bought_display", "closed_display", "note", "proposed_by", "created_at", "decided_by",
        "decided_at", "reason", "approval_reason",
    )  # fmt: skip

    charge_display = column(
        "provider's charge",
        lambda row: format_money(row.charge, row.currency_id) if row.charge else "-",
    )
    bought_display = column(
        "bought", lambda row: _bought(row, row.bought_amount), ordering="bought_amount"
    )
    closed_display = column("position closed", lambda row: _bought(row, row.closed_amount))

    def describe_posting(self, proposal: TreasuryMovement) -> str:
        check = "Check amount and reference against the bank statement first."
        return f"{_EFFECTS[proposal.kind]} {check}"

    def ask_approval(self, proposal: TreasuryMovement) -> Confirmation:
        return replace(super().ask_approval(proposal), live_facts=_held(proposal))

    def find_notices(self, proposal: TreasuryMovement) -> list[str]:
        return treasury.notices_of(proposal)

    def facts(self, proposal: TreasuryMovement) -> list[tuple[str, object]]:
        facts = self.field_facts(proposal, "kind_display", "amount_display")
        if proposal.charge:
            facts += self.field_facts(proposal, "charge_display")
        if proposal.bought_currency_id:
            nothing = Decimal(0)
            bought, closed = proposal.bought_amount or nothing, proposal.closed_amount or nothing
            facts += [
                *self.field_facts(proposal, "bought_display", "closed_display"),
                ("Loss" if bought < closed else "Gain", _bought(proposal, abs(bought - closed))),
            ]
        return [
            *facts,
            ("Bank's reference", proposal.reference),
            *self.field_facts(proposal, "note", "proposed_by"),
        ]

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Propose a movement, which a second person must confirm."""
        return self.form_page(
            request,
            bind_form(request, MovementForm),
            lambda data: treasury.propose_movement(
                terms=movement_terms(data), user=staff_of(request)
            ),
            title="Propose a treasury movement",
            submit="Propose",
            done="Movement proposed. A second person must confirm it.",
            note="Nothing is posted until a second person confirms. The money itself moves at the"
            " bank and at the payment provider, not here.",
            find_notices=lambda data: treasury.find_movement_notices(movement_terms(data)),
        )


def movement_terms(data: dict[str, Any]) -> treasury.MovementTerms:
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
