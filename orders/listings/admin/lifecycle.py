"""Lifecycle actions of a token: when each is available, and its confirmation page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.html import format_html

from exchange.admin.base import Section
from exchange.admin.confirmation import Confirmation
from exchange.admin.display import record_link
from exchange.admin.fields import ReasonField
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from exchange.staff.models import StaffUser
from exchange.tokens.admin.token_page import state_of
from exchange.tokens.models import Token
from orders.listings.selectors import list_refunds, raise_version, summarise_book
from orders.listings.services import lifecycle
from wallets.ledger.models import Account, AccountKind

_MAX_BUYERS = 100
Facts = list[tuple[str, object]]


class CancelForm(forms.Form):
    """Reason for cancelling a token."""

    reason = ReasonField(max_length=300, help_text="Recorded with every refund in the ledger")


@dataclass(frozen=True, slots=True)
class LifecycleAction:
    """One action. `is_available` decides whether it is offered; the service that `execute` calls
    checks again. `execute` returns the message about the result.

    The confirmation page shows its `consequences` and `facts`. Only a change of the `facts` stops
    the action. The order book is not among them: it changes constantly, and closing a token cancels
    every order open at that moment.
    """

    name: str
    label: str
    description: str
    is_available: Callable[[Token], bool]
    execute: Callable[..., str]
    consequences: Callable[[Token], list[Section]]
    title: str
    submit: str
    facts: Callable[[Token], Facts] = lambda _: []
    form: type[forms.Form] | None = None
    final: bool = False

    def build_confirmation(self, token: Token) -> Confirmation:
        """Build the confirmation page of the action for `token`."""
        blocker = ""
        if token.cancelled or not self.is_available(token):
            now = state_of(token).lower()
            blocker = f"{self.label} is not available: the token is {now}"
        return Confirmation(
            title=self.title.format(token=token),
            facts=[
                ("Token", record_link(token)),
                ("Issuer", record_link(token.issuer)),
                ("Status", state_of(token)),
                *self.facts(token),
            ],
            text=self.description,
            submit=self.submit.capitalize(),
            blocker=blocker,
            sections=self.consequences(token),
            final=self.final,
        )


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


def _proceeds_facts(token: Token) -> Facts:
    return [
        ("Proceeds to the issuer", format_money(token.total_raised, token.currency_id)),
        ("Unsold units to the issuer", format_units(_unsold_units(token))),
        ("Raise target", format_money(token.raise_amount, token.currency_id)),
    ]


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


def _run(change: Callable[..., Token], message: str, token: Token, user: StaffUser) -> str:
    change(token_id=token.pk, user=user)
    return message


def _complete(token: Token, user: StaffUser) -> str:
    lifecycle.complete_raise(token_id=token.pk, user=user, expected_version=raise_version(token))
    return "Raise completed. Proceeds and unsold units transferred to the issuer."


def _cancel(token: Token, user: StaffUser, *, reason: str) -> str:
    found = list_refunds(token)
    lifecycle.cancel_token(
        token_id=token.pk, user=user, reason=reason, expected_version=raise_version(token)
    )
    refunded = ""
    if found:
        buyers = f"{len(found):,} buyers" if len(found) > 1 else "1 buyer"
        amount = format_money(_total_refunded(found), token.currency_id)
        refunded = f" {amount} refunded to {buyers}."
    return f"Token cancelled.{refunded}"


LIFECYCLE_ACTIONS = (
    LifecycleAction(
        name="close",
        label="Close",
        description="Stops new orders and cancels open ones. Can be reopened.",
        title="Close {token} to new orders?",
        submit="close the token",
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
        title="Reopen {token} to new orders?",
        submit="reopen the token",
        is_available=lambda token: token.closed and not token.exited,
        execute=partial(_run, lifecycle.reopen_token, "Token reopened. New orders are accepted."),
        consequences=lambda token: [_unchanged_section(token)],
    ),
    LifecycleAction(
        name="complete",
        label="Complete raise",
        description="Ends the raise. Proceeds and unsold units go to the issuer. Final.",
        title="Complete the raise of {token} now?",
        submit="complete the raise",
        is_available=lambda token: not token.completed_raise,
        execute=_complete,
        consequences=lambda _: [],
        facts=_proceeds_facts,
        final=True,
    ),
    LifecycleAction(
        name="secondaries",
        label="Open secondary trading",
        description="Allows holders to trade the token with each other.",
        title="Open secondary trading of {token}?",
        submit="open secondary trading",
        is_available=lambda token: (
            token.completed_raise and not token.secondaries and not token.exited
        ),
        execute=partial(_run, lifecycle.open_secondaries, "Secondary trading opened."),
        consequences=lambda token: [_unchanged_section(token)],
    ),
    LifecycleAction(
        name="exit",
        label="Exit",
        description="Ends trading. Open orders are cancelled; holders keep their units. Final.",
        title="Exit {token}?",
        submit="exit the token",
        is_available=lambda token: token.completed_raise and not token.exited,
        execute=partial(
            _run,
            lifecycle.exit_token,
            "Token exited. Trading has ended; holders keep their units.",
        ),
        consequences=lambda token: [_book_section(token), _unchanged_section(token)],
        final=True,
    ),
    LifecycleAction(
        name="cancel",
        label="Cancel",
        description="Delists the token. An open raise is reversed and its buyers refunded. Final.",
        title="Cancel {token}?",
        submit="cancel the token",
        is_available=lambda _: True,
        execute=_cancel,
        consequences=_cancellation_sections,
        facts=_refund_facts,
        form=CancelForm,
        final=True,
    ),
)
