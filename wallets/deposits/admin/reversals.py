"""Reversals of deposits in the admin: one person proposes, another one confirms.

`orders.freezing.admin` registers the page, with the service that confirms.
"""

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery

from exchange.admin.columns import column, link_column
from exchange.admin.confirmation import Confirmation, ConfirmedAction
from exchange.admin.display import record_link
from exchange.admin.fields import MoneyField, ReasonField, ReasonForm
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    currency_filter,
    day_range,
)
from exchange.admin.saved_views import SavedView
from exchange.core.currencies import format_money
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.participants.models import Member, Organisation
from exchange.staff.admin.pending import QueueFilter, approval_queue
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.deposits.models import Deposit, DepositReversal
from wallets.deposits.selectors import open_disputes
from wallets.deposits.services.disputes import mark_disputed
from wallets.deposits.services.reversals import (
    REVERSALS,
    REVERSE,
    describe_proposal_blocker,
    describe_reversal_blocker,
    propose_reversal,
    reject_reversal,
    split_reversal,
)
from wallets.ledger.models import Account, AccountKind
from wallets.receivables.services.repayments import amount_owed


class ReversalForm(forms.Form):
    """Why a deposit is taken back."""

    explanation = ReasonField(
        max_length=500,
        help_text="The chargeback or mistake, with the provider's reference. Read by the second"
        " person",
    )


class DisputeForm(ReversalForm):
    """What the payer's bank demands back."""

    amount = MoneyField(required=False, help_text="Leave empty for all that remains")


def _taken(reversal: DepositReversal) -> str:
    return format_money(reversal.amount, reversal.deposit.currency_id)


class ReversalFilters(ListFilters):
    decision = QueueFilter(approval_queue("Deposit reversals to confirm", REVERSALS))
    dispute = OptionFilter("dispute", ("open", "Charged back", open_disputes))
    status__exact = ChoiceFilter("status", ApprovalStatus.choices, title="status")
    currency__code__exact = currency_filter("deposit__currency")
    day_from, day_to = day_range()


class DepositReversalAdmin(ProposalAdmin, OwnedRecordAdmin):
    approval = REVERSALS
    reject_step = Step(
        "reject",
        "reversal_id",
        reject_reversal,
        "Proposal closed. Nothing was taken back.",
        ReasonForm,
    )
    filters = ReversalFilters
    saved_views = (
        SavedView(
            "Charged back",
            "The payer's bank demands the money back. Confirm the reversal, or reject it if the"
            " chargeback is won.",
            {"dispute": "open"},
        ),
    )
    list_display = (
        "proposed_time", "deposit_display", "owner", "amount_display", "left_display",
        "state_display", "proposer", "decided_by", "proposed_age",
    )  # fmt: skip
    list_select_related = (
        "deposit__organisation", "deposit__member", "proposed_by", "decided_by",
    )  # fmt: skip
    search_fields = ("deposit__reference",)
    search_help_text = "Deposit reference, amount, owner email, or an ID"
    id_fields = ("pk", "deposit_id")
    amount_fields = ("deposit__amount",)
    owner_prefixes = ("deposit__",)
    linked_columns = ("deposit_id",)
    fields = (
        ("deposit_display", "state_display"), ("owner", "amount_display"),
        ("held_display", "left_display"), "explanation",
        ("proposer", "created_at"), ("decided_by", "decided_at"), "reason",
    )  # fmt: skip

    def heading(self, obj: DepositReversal) -> str:
        return f"Reversal of {_taken(obj)} for {owner_of(obj.deposit)}"

    deposit_display = link_column("deposit", "deposit")
    owner = column("owner", lambda reversal: record_link(owner_of(reversal.deposit)))
    amount_display = column("amount", _taken)
    proposer = column("proposed by", lambda reversal: reversal.proposed_by or "the system")

    @admin.display(description="held")
    def held_display(self, reversal: DepositReversal) -> str:
        deposit, held = reversal.deposit, reversal.held
        if held is None:
            return "Not disputed"
        if reversal.status == ApprovalStatus.PENDING and deposit.is_resting:
            held = reversal.amount
        return format_money(held, deposit.currency_id)

    left_display = column(
        "left in the wallet",
        lambda reversal: format_money(
            reversal.left_available or Decimal(0), reversal.deposit.currency_id
        ),
    )

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        available = Account.objects.filter(
            kind=AccountKind.AVAILABLE,
            owner_id=OuterRef("deposit__owner_id"),
            asset_id=OuterRef("deposit__currency_id"),
        )
        left = Subquery(available.values("balance")[:1])
        rows: QuerySet[Any] = super().rows(user).annotate(left_available=left)
        return rows

    def describe(self, proposal: DepositReversal) -> str:
        return f"Reverse {_taken(proposal)} of {owner_of(proposal.deposit)}"

    def label_approval(self, proposal: DepositReversal) -> str:
        return f"Reverse {_taken(proposal)}"

    def panel_facts(self, proposal: DepositReversal) -> list[tuple[str, object]]:
        return self.field_facts(proposal, "explanation")

    def facts(self, proposal: DepositReversal) -> list[tuple[str, object]]:
        own = self.field_facts(proposal, "explanation", "proposer")
        return [*_facts(proposal.deposit), *own]

    def ask_approval(self, proposal: DepositReversal) -> Confirmation:
        deposit = proposal.deposit
        blocker = self.approval.describe_closed(proposal) or describe_reversal_blocker(deposit)
        owed = Decimal(0) if blocker else split_reversal(deposit, proposal).owed
        debt = format_money(owed, deposit.currency_id) if owed else ""
        return Confirmation(
            title=f"{self.describe(proposal)}?",
            facts=[*self.facts(proposal), *_split_facts(deposit, blocker, proposal)],
            text="The amount is taken back immediately. Where the wallet falls short, its open buy"
            " orders are cancelled, the newest first. What is still missing becomes a receivable,"
            " which later credits repay first. The organisation receives deposit.reversed.",
            submit=self.label_approval(proposal),
            blocker=blocker,
            warnings=[f"{debt} is no longer in the wallet and becomes a receivable"]
            if debt
            else [],
            final=True,
        )

    def ask_rejection(self, proposal: DepositReversal, *, own: bool) -> Confirmation:
        return ask_to_close(
            "the proposal" if own else "the reversal",
            "The deposit stays Completed. What was held of it is available again, and the"
            " organisation receives deposit.dispute_closed."
            if proposal.held is not None
            else "No money moves. The deposit stays Completed.",
            own=own,
        )


def _proposal(deposit: Deposit, _user: StaffUser) -> Confirmation:
    blocker = describe_proposal_blocker(deposit)
    return Confirmation(
        title=f"Propose to reverse {_remaining(deposit)} of {owner_of(deposit)}?",
        facts=[*_facts(deposit), *_split_facts(deposit, blocker)],
        text="Nothing changes until a second person confirms.",
        submit="Propose to reverse",
        blocker=blocker,
    )


def _dispute(deposit: Deposit, _user: StaffUser) -> Confirmation:
    blocker = describe_proposal_blocker(deposit)
    return Confirmation(
        title=f"Mark {_remaining(deposit)} of {owner_of(deposit)} as disputed?",
        facts=[*_facts(deposit), *_split_facts(deposit, blocker)],
        text="What the wallet has of the amount is held immediately, until a second person confirms"
        " or rejects the reversal that this proposes. The organisation receives deposit.disputed.",
        submit="Mark disputed",
        blocker=blocker,
    )


def describe_reversed(deposit: Deposit) -> str:
    """Return the message after a confirmed reversal."""
    owed = amount_owed(deposit.owner_id, deposit.currency_id)
    debt = f" {owner_of(deposit)} owes {format_money(owed, deposit.currency_id)}." if owed else ""
    taken = format_money(deposit.taken_back, deposit.currency_id)
    return f"Reversal confirmed; {taken} taken back.{debt}"


def _facts(deposit: Deposit) -> list[tuple[str, object]]:
    return [
        ("Deposit", record_link(deposit)),
        ("Status", deposit.state),
        ("Amount", format_money(deposit.amount, deposit.currency_id)),
        ("Credited", format_money(deposit.net_amount, deposit.currency_id)),
        ("Owner", record_link(owner_of(deposit))),
        ("Organisation", record_link(deposit.organisation)),
        ("Payer", deposit.payer_name or "Not provided by the bank"),
    ]


def _split_facts(
    deposit: Deposit, blocker: str, reversal: DepositReversal | None = None
) -> list[tuple[str, object]]:
    """Return what the owner has of the deposit, and what would be owed; none where blocked."""
    if blocker:
        return []
    split = split_reversal(deposit, reversal)
    sources = (
        ("uncleared", split.uncleared),
        ("available", split.available),
        ("open buy orders", split.reserved),
    )
    return [
        *(
            (f"Taken from {name}", format_money(amount, deposit.currency_id))
            for name, amount in sources
            if amount or (name == "available" and not split.uncleared)
        ),
        ("Becomes a receivable", format_money(split.owed, deposit.currency_id)),
    ]


def _remaining(deposit: Deposit) -> str:
    return format_money(deposit.remaining, deposit.currency_id)


def owner_of(deposit: Deposit) -> Member | Organisation:
    """Return the member or organisation that the deposit is for."""
    return deposit.member or deposit.organisation


PROPOSE_REVERSAL = ConfirmedAction(
    "reverse",
    "deposit_id",
    (REVERSE,),
    _proposal,
    propose_reversal,
    "Proposed. A second person must confirm the reversal.",
    ReversalForm,
)
MARK_DISPUTED = ConfirmedAction(
    "dispute",
    "deposit_id",
    (REVERSE,),
    _dispute,
    mark_disputed,
    "Marked as disputed. A second person must confirm or reject the reversal.",
    DisputeForm,
)
