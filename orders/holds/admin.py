"""Freezing an owner from its page, and the page of deposit reversals.

`wallets.holds.admin` shows and lifts freezes.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse

from exchange.admin.base import SafeAdmin, Tool, bind_form, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.display import record_link
from exchange.admin.fields import ReasonField
from exchange.admin.panels import Panel
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.participants.models import Member, Organisation
from orders.book.models import Order, OrderStatus
from orders.holds.services import confirm_reversal, freeze_owner
from wallets.deposits.admin.reversals import DepositReversalAdmin
from wallets.deposits.models import DepositReversal
from wallets.holds.selectors import active_freezes
from wallets.holds.services import LIFT, PLACE


@admin.register(DepositReversal)
class ReversalAdmin(DepositReversalAdmin):
    """Reversals of deposits, whose confirmation also cancels open buys."""

    confirm = staticmethod(confirm_reversal)


class FreezeForm(forms.Form):
    """What is frozen, and why."""

    currency = forms.ChoiceField(
        required=False,
        choices=[("", "All currencies and units"), *((code, code) for code in WALLET_CURRENCIES)],
        help_text="One currency: its money, and orders for tokens priced in it",
    )
    reason = ReasonField(max_length=500)

    def clean_currency(self) -> str | None:
        """Return the currency, None for all."""
        return self.cleaned_data["currency"] or None


class FreezePanel(Panel):
    """The page that freezes an owner."""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[Tool]:
        """Return the link to the page, unless all is frozen, and those that lift a freeze."""
        active = list(active_freezes(record))
        tools = []
        if page.may(request, PLACE) and all(freeze.currency_id for freeze in active):
            tools.append(Tool("Freeze", page.address("freeze", record.pk)))
        if page.may(request, LIFT):
            tools += [
                Tool(
                    f"Lift freeze of {freeze.currency_id}" if freeze.currency_id else "Lift freeze",
                    reverse("admin:wallets_freeze_lift", args=[freeze.pk]),
                )
                for freeze in active
            ]
        return tools

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of the page."""
        if not isinstance(page, ConfirmationAdmin):
            raise TypeError(f"{page} has no confirmation pages")
        view = partial(_freeze, page)
        return [page.action_url("<uuid:object_id>/freeze/", "freeze", view, only_post=False)]


def _freeze(page: ConfirmationAdmin, request: HttpRequest, object_id: UUID) -> HttpResponse:
    """Confirm and freeze the owner."""
    owner: Member | Organisation = page.record(request, object_id, PLACE)
    return page.confirm_page(
        request,
        owner,
        _confirmation(owner),
        partial(freeze_owner, owner=owner, user=staff_of(request)),
        "Frozen. Lifting it takes two people.",
        form=bind_form(request, FreezeForm),
    )


def _confirmation(owner: Member | Organisation) -> Confirmation:
    member = owner if isinstance(owner, Member) else None
    organisation = owner.organisation if isinstance(owner, Member) else owner
    orders = Order.objects.filter(
        Q(organisation=organisation, member=member), status=OrderStatus.ACTIVE
    )
    frozen = ", ".join(freeze.scope for freeze in active_freezes(owner)) or "None"
    whose = "" if member else " The wallets of its members are not frozen."
    return Confirmation(
        title=f"Freeze {owner}?",
        facts=[
            ("Owner", record_link(owner)),
            ("Organisation", record_link(organisation)),
            ("Current freezes", frozen),
        ],
        live_facts=[("Open orders", f"{orders.count():,}")],
        text="Withdrawals, orders, transfers to other wallets, conversions and pledges are rejected"
        " at once. Open orders are cancelled, and payouts that are not sent yet wait. Money that"
        f" arrives is credited, and loans can be repaid.{whose} Two people can lift the freeze;"
        " cancelled orders stay cancelled.",
        submit="Freeze",
        final=True,
    )
