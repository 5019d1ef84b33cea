"""The decisions about a token's trading: which are open now, and what each would do, in words."""

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
    """Why a token is cancelled."""

    reason = ReasonField(max_length=300, help_text="Kept with every refund in the ledger")


@dataclass(frozen=True, slots=True)
class LifecycleAction:
    """One decision. `possible` says when it is offered; the service, which `decide` calls, has the
    last word. What `decide` returns tells the person what was done.

    It is confirmed on a page that tells its `consequences`: what will happen. Of these, `facts` are
    what the person relies on. The book is none of them: it moves by itself, and who closes a token
    cancels whatever stands in it then.
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
        """What is asked before it is done to `token`."""
        blocker = ""
        if token.cancelled or not self.is_available(token):
            now = state_of(token).lower()
            blocker = f"{self.label} is not possible now: the token is {now}"
        return Confirmation(
            title=self.title.format(token=token),
            facts=[
                ("Token", record_link(token)),
                ("Issuer", record_link(token.issuer)),
                ("State", state_of(token)),
                *self.facts(token),
            ],
            text=self.description,
            submit=f"Yes, {self.submit}",
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
    headings = ("In the book now", "Orders", "Goes back to their owners")
    return Section("Orders", headings, rows, right=(1, 2))


def _unchanged_section(token: Token) -> Section:
    rows = [("Units in circulation", format_units(token.supply)), ("Refunds", "none")]
    return Section("Units and money", ("What stays as it is", "How much"), rows, right=(1,))


def _proceeds_facts(token: Token) -> Facts:
    return [
        ("Proceeds, to the issuer", format_money(token.total_raised, token.currency_id)),
        ("Units not sold, to the issuer", format_units(_unsold_units(token))),
        ("Was to bring", format_money(token.raise_amount, token.currency_id)),
    ]


def _refund_facts(token: Token) -> Facts:
    """What cancelling an open raise gives back."""
    if token.completed_raise:
        return []
    found = list_refunds(token)
    bought = sum((refund.tokens for refund in found), Decimal(0))
    facts: Facts = [
        ("Buyers refunded", f"{len(found):,}"),
        (
            "Money given back, fees included",
            format_money(_total_refunded(found), token.currency_id),
        ),
        ("Units taken back from buyers", format_units(bought)),
        ("Units retired, with those not sold", format_units(bought + _unsold_units(token))),
    ]
    stuck = sum(not refund.is_possible for refund in found)
    if stuck:
        facts.append(("Buyers whose units are not free: this will be refused", f"{stuck:,}"))
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
            "yes" if refund.is_possible else f"no, only {format_units(refund.available)}",
        )
        for refund in sorted(found, key=lambda refund: refund.is_possible)[:_MAX_BUYERS]
    ]
    headings = ("Buyer", "Purchases", "Gets back", "Gives back", "Free to be taken")
    title = "Buyers" if len(found) <= _MAX_BUYERS else f"{_MAX_BUYERS} of the buyers"
    buyers = Section(title, headings, rows, right=(1, 2, 3), empty="Nobody has bought yet.")
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


def _run(decide: Callable[..., Token], words: str, token: Token, user: StaffUser) -> str:
    decide(token_id=token.pk, user=user)
    return words


def _complete(token: Token, user: StaffUser) -> str:
    lifecycle.complete_raise(token_id=token.pk, user=user, expected_version=raise_version(token))
    return "The raise is complete: its proceeds and unsold units are the issuer's."


def _cancel(token: Token, user: StaffUser, *, reason: str) -> str:
    found = list_refunds(token)
    lifecycle.cancel_token(
        token_id=token.pk, user=user, reason=reason, expected_version=raise_version(token)
    )
    refunded = ""
    if found:
        buyers = f"{len(found):,} buyers were" if len(found) > 1 else "1 buyer was"
        refunded = f" {buyers} refunded {format_money(_total_refunded(found), token.currency_id)}."
    return f"Cancelled: it is off the exchange.{refunded}"


LIFECYCLE_ACTIONS = (
    LifecycleAction(
        name="close",
        label="Close",
        description="Takes no new orders and cancels those in the book. It can be opened again.",
        title="Close {token} to new orders?",
        submit="close the token",
        is_available=lambda token: not token.closed and not token.exited,
        execute=partial(
            _run,
            lifecycle.close_token,
            "Closed: no new orders are taken, those in the book were cancelled.",
        ),
        consequences=lambda token: [_book_section(token), _unchanged_section(token)],
    ),
    LifecycleAction(
        name="reopen",
        label="Open again",
        description="Takes new orders again.",
        title="Open {token} to new orders again?",
        submit="open the token again",
        is_available=lambda token: token.closed and not token.exited,
        execute=partial(_run, lifecycle.reopen_token, "Open again: new orders are taken."),
        consequences=lambda token: [_unchanged_section(token)],
    ),
    LifecycleAction(
        name="complete",
        label="Complete the raise",
        description="Ends the raise with what it has brought: proceeds and unsold units go to the "
        "issuer. Final.",
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
        description="Holders may trade it among themselves from now on.",
        title="Let holders trade {token}?",
        submit="open secondary trading",
        is_available=lambda token: (
            token.completed_raise and not token.secondaries and not token.exited
        ),
        execute=partial(_run, lifecycle.open_secondaries, "Holders may trade it from now on."),
        consequences=lambda token: [_unchanged_section(token)],
    ),
    LifecycleAction(
        name="exit",
        label="Exit",
        description="Ends trading for good: orders are cancelled, units stay with their holders. "
        "Final.",
        title="End {token} for good?",
        submit="end its trading",
        is_available=lambda token: token.completed_raise and not token.exited,
        execute=partial(
            _run,
            lifecycle.exit_token,
            "Exited: trading has ended, units stay with their holders.",
        ),
        consequences=lambda token: [_book_section(token), _unchanged_section(token)],
        final=True,
    ),
    LifecycleAction(
        name="cancel",
        label="Cancel",
        description="Delists the token. An open raise is reversed and its buyers refunded. Final.",
        title="Cancel {token} for good?",
        submit="cancel the token",
        is_available=lambda _: True,
        execute=_cancel,
        consequences=_cancellation_sections,
        facts=_refund_facts,
        form=CancelForm,
        final=True,
    ),
)
