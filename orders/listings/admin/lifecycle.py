"""Lifecycle actions of a token: when each is available, and its confirmation page.

One person closes, reopens and halts a token. The other actions are proposed here, and confirmed in
`proposals`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import capfirst

from exchange.admin.base import Section
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import format_time, record_link
from exchange.admin.fields import ReasonField
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from exchange.staff.models import StaffUser
from exchange.tokens.admin.token_page import state_of
from exchange.tokens.models import Token
from orders.listings.admin.issuing import count_holders
from orders.listings.models import TokenAction
from orders.listings.selectors import list_refunds, summarise_book
from orders.listings.services import lifecycle
from orders.listings.services.proposals import PROPOSALS, TokenProposalPending
from wallets.ledger.models import Account, AccountKind

_MAX_BUYERS = 100
Facts = list[tuple[str, object]]


class LifecycleForm(forms.Form):
    """Why two people should do it."""

    explanation = ReasonField(
        max_length=300,
        help_text="Read by the second person. That of a cancellation is recorded with every refund"
        " in the ledger",
    )


class HaltForm(forms.Form):
    """Why trading is halted."""

    reason = ReasonField(max_length=300, help_text="Shown on the token's page")


@dataclass(frozen=True, slots=True)
class LifecycleAction:
    """One action. `is_available` decides whether it is offered; the service checks again.

    `phrase` says what is done, with %s for the token. `execute` does it, with the values of `form`
    if there is one, and returns the message; without it the action takes two people. The
    confirmation page shows its `consequences` and `facts`. Only a change of the `facts` stops the
    action. The order book is not among them: it
    changes constantly, and closing a token cancels every order open at that moment.
    """

    name: str
    label: str
    description: str
    is_available: Callable[[Token], bool]
    consequences: Callable[[Token], list[Section]]
    phrase: str
    execute: Callable[..., str] | None = None
    form: type[forms.Form] | None = None
    facts: Callable[[Token], Facts] = lambda _: []
    final: bool = False

    def build_confirmation(self, token: Token) -> Confirmation:
        """Build the page that does the action on `token`, or proposes it."""
        found = self.build_execution(token)
        if self.execute:
            return found
        blocker = found.blocker
        if not blocker and PROPOSALS.pending_records().filter(token=token).exists():
            blocker = TokenProposalPending.message
        return replace(
            found,
            title=f"Propose to {self.phrase % token}?",
            text=f"{self.description} Nothing changes until a second person confirms.",
            submit=f"Propose to {self.phrase % 'the token'}",
            blocker=blocker,
            final=False,
        )

    def build_execution(self, token: Token) -> Confirmation:
        """Build the page that does the action on `token`."""
        blocker = ""
        if token.cancelled or not self.is_available(token):
            now = state_of(token).lower()
            blocker = f"{self.label} is not available: the token is {now}"
        return Confirmation(
            title=f"{capfirst(self.phrase % token)}?",
            facts=[
                ("Token", record_link(token)),
                ("Issuer", record_link(token.issuer)),
                ("Status", state_of(token)),
                *self.facts(token),
            ],
            text=self.description,
            submit=capfirst(self.phrase % "the token"),
            blocker=blocker,
            sections=self.consequences(token),
            final=self.final,
        )


def _possible(action: TokenAction) -> Callable[[Token], bool]:
    return lambda token: lifecycle.find_obstacle(token, action) is None


def _book_section(token: Token) -> Section:
    book = summarise_book(token)
    rows = [
        (
            "Buy orders cancelled",
            f"{book.buys:,}",
            format_money(book.reserved_money, token.currency_id),
        ),
        ("Sell orders cancelled", f"{book.sells:,}", format_units(book.reserved_units)),
    ]
    headings = ("Open orders", "Orders", "Released to owners")
    return Section("Orders", headings, rows, right=(1, 2))


def _unchanged_section(token: Token) -> Section:
    rows = [("Units in circulation", format_units(token.supply)), ("Refunds", "none")]
    return Section("Units and money", ("Unchanged", "Amount"), rows, right=(1,))


def _raise_facts(token: Token) -> Facts:
    if token.completed_raise:
        return []
    share = token.total_raised / token.raise_amount * 100
    return [
        ("Raise target", format_money(token.raise_amount, token.currency_id)),
        ("Raised", f"{format_money(token.total_raised, token.currency_id)} ({share:.1f} %)"),
        ("Buyers", f"{len(list_refunds(token)):,}"),
        ("Proceeds to the issuer", format_money(token.total_raised, token.currency_id)),
        ("Unsold units to the issuer", format_units(_unsold_units(token))),
    ]


def _holder_facts(token: Token) -> Facts:
    return [("Holders", f"{count_holders(token):,}")]


def _refund_facts(token: Token) -> Facts:
    """Return the totals that cancelling an open raise refunds."""
    if token.completed_raise:
        return []
    found = list_refunds(token)
    bought = sum((refund.tokens for refund in found), Decimal(0))
    facts: Facts = [
        ("Buyers refunded", f"{len(found):,}"),
        (
            "Refunded, fees included",
            format_money(_total_refunded(found), token.currency_id),
        ),
        ("Units returned by buyers", format_units(bought)),
        ("Units retired, unsold units included", format_units(bought + _unsold_units(token))),
    ]
    stuck = sum(not refund.is_possible for refund in found)
    if stuck:
        facts.append(("Buyers with unavailable units: cancellation will fail", f"{stuck:,}"))
    return facts


def _cancellation_sections(token: Token) -> list[Section]:
    if token.completed_raise:
        return [_book_section(token), _unchanged_section(token)]
    found = list_refunds(token)
    rows = [
        (
            format_html(
                '<a href="{}?owner_id={}">{}</a>',
                reverse("admin:wallets_account_changelist"),
                refund.owner_id,
                refund.owner,
            ),
            f"{refund.purchases:,}",
            format_money(refund.amount, token.currency_id),
            format_units(refund.tokens),
            "Yes" if refund.is_possible else f"No, only {format_units(refund.available)}",
        )
        for refund in sorted(found, key=lambda refund: refund.is_possible)[:_MAX_BUYERS]
    ]
    headings = ("Buyer", "Purchases", "Refund", "Units returned", "Units available")
    title = "Buyers" if len(found) <= _MAX_BUYERS else f"Buyers (first {_MAX_BUYERS})"
    buyers = Section(title, headings, rows, right=(1, 2, 3), empty="No purchases yet.")
    return [buyers, _book_section(token)]


def _total_refunded(found: Sequence[Any]) -> Decimal:
    return sum((refund.amount for refund in found), Decimal(0))


def _unsold_units(token: Token) -> Decimal:
    balance = (
        Account.objects.filter(
            asset_id=str(token.pk), owner_id=token.issuer_id, kind=AccountKind.UNSOLD
        )
        .values_list("balance", flat=True)
        .first()
    )
    return balance or Decimal(0)


def _run(
    change: Callable[..., Token], message: str, token: Token, user: StaffUser, **values: str
) -> str:
    change(token_id=token.pk, user=user, **values)
    return message


def _halt_facts(token: Token) -> Facts:
    if token.halted_at is None:
        return []
    return [("Halted (UTC)", format_time(token.halted_at)), ("Reason", token.halt_reason)]


LIFECYCLE_ACTIONS = (
    LifecycleAction(
        name="close",
        label="Close",
        description="Stops new orders and cancels open ones. Can be reopened.",
        phrase="close %s to new orders",
        is_available=lambda token: not token.closed and not token.exited,
        execute=partial(
            _run,
            lifecycle.close_token,
            "Token closed. Open orders cancelled; no new orders are accepted.",
        ),
        consequences=lambda token: [_book_section(token), _unchanged_section(token)],
    ),
    LifecycleAction(
        name="reopen",
        label="Reopen",
        description="Accepts new orders again.",
        phrase="reopen %s to new orders",
        is_available=lambda token: token.closed and not token.exited,
        execute=partial(_run, lifecycle.reopen_token, "Token reopened. New orders are accepted."),
        consequences=lambda token: [_unchanged_section(token)],
    ),
    LifecycleAction(
        name="halt",
        label="Halt trading",
        description="Accepts no orders, and a raise stops selling. Open orders stay in the book and"
        " can be cancelled. Two people resume trading.",
        phrase="halt trading of %s",
        is_available=lambda token: not token.halted_at and not token.exited,
        execute=partial(
            _run, lifecycle.halt_token, "Trading halted. The holders' organisations are notified."
        ),
        form=HaltForm,
        consequences=lambda token: [_unchanged_section(token)],
    ),
    LifecycleAction(
        name=TokenAction.RESUME,
        label="Resume trading",
        description="Accepts orders again. The orders in the book are as they were, but for those"
        " cancelled or expired meanwhile.",
        phrase="resume trading of %s",
        is_available=_possible(TokenAction.RESUME),
        consequences=lambda token: [_unchanged_section(token)],
        facts=_halt_facts,
    ),
    LifecycleAction(
        name=TokenAction.COMPLETE,
        label="Complete raise",
        description="Ends the raise. Proceeds and unsold units go to the issuer. Final.",
        phrase="complete the raise of %s",
        is_available=_possible(TokenAction.COMPLETE),
        consequences=lambda _: [],
        facts=_raise_facts,
        final=True,
    ),
    LifecycleAction(
        name=TokenAction.SECONDARIES,
        label="Open secondary trading",
        description="Allows holders to trade the token with each other.",
        phrase="open secondary trading of %s",
        is_available=_possible(TokenAction.SECONDARIES),
        consequences=lambda token: [_unchanged_section(token)],
        facts=_holder_facts,
    ),
    LifecycleAction(
        name=TokenAction.EXIT,
        label="Exit",
        description="Ends trading. Open orders are cancelled; holders keep their units. Final.",
        phrase="exit %s",
        is_available=_possible(TokenAction.EXIT),
        consequences=lambda token: [_book_section(token), _unchanged_section(token)],
        facts=_holder_facts,
        final=True,
    ),
    LifecycleAction(
        name=TokenAction.CANCEL,
        label="Cancel",
        description="Delists the token. An open raise is reversed and its buyers refunded. Final.",
        phrase="cancel %s",
        is_available=_possible(TokenAction.CANCEL),
        consequences=_cancellation_sections,
        facts=_refund_facts,
        final=True,
    ),
)

ACTIONS_BY_NAME = {action.name: action for action in LIFECYCLE_ACTIONS}
