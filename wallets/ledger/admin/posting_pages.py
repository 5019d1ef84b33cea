"""Pages of amounts that one person proposes and another one posts to the ledger."""

from typing import Any

from django.http import HttpRequest

from exchange.admin.base import Section
from exchange.admin.columns import column, money_column
from exchange.admin.confirmation import Confirmation
from exchange.admin.custom_pages import AddFormAdmin
from exchange.core.currencies import format_money
from exchange.exports.admin import Exportable
from exchange.staff.admin.proposals import ProposalAdmin, ask_to_close
from exchange.staff.models import ApprovalStatus
from wallets.ledger.admin.legs import transfer_legs_section


def amount_of(record: Any) -> str:
    """Return the amount of a proposal in its currency."""
    return format_money(record.amount, record.currency_id)


def posting_section(proposal: Any, posted: str = "posted") -> Section:
    """Return the legs of the transfer about `proposal`; `posted` is the word for its posting."""
    empty = f"Nothing was {posted}."
    if proposal.status == ApprovalStatus.PENDING:
        empty = f"Not {posted} yet. A second person must confirm it."
    return transfer_legs_section([proposal.pk], empty=empty)


class PostingAdmin(Exportable, AddFormAdmin, ProposalAdmin):
    """Base of the list and the pages of amounts with a kind, posted once confirmed."""

    # What the page of a rejection says.
    after_rejection = "Nothing is posted. It can be proposed again."

    kind_display = column("kind", lambda row: row.get_kind_display(), ordering="kind")
    amount_display = money_column("amount", "amount", ordering="amount")

    def heading(self, obj: Any) -> str:
        return f"{obj.get_kind_display()}: {amount_of(obj)}"

    def describe(self, proposal: Any) -> str:
        return f"{proposal.get_kind_display()} of {amount_of(proposal)}"

    def label_approval(self, proposal: Any) -> str:
        return f"Confirm {amount_of(proposal)}"

    def describe_posting(self, proposal: Any) -> str:
        """Return what the approval of `proposal` does, and what to check first."""
        raise NotImplementedError

    def ask_approval(self, proposal: Any) -> Confirmation:
        return Confirmation(
            title=f"Confirm {proposal.get_kind_display().lower()} of {amount_of(proposal)}?",
            text=self.describe_posting(proposal),
            submit=self.label_approval(proposal),
        )

    def ask_rejection(self, proposal: Any, *, own: bool) -> Confirmation:
        return ask_to_close(
            f"{proposal.get_kind_display().lower()} of {amount_of(proposal)}",
            self.after_rejection,
            own=own,
            submit=f"Reject {amount_of(proposal)}",
            final=True,
        )

    def sections(self, request: HttpRequest, obj: Any) -> list[Section]:
        return [posting_section(obj)]
