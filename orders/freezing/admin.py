"""Freezing an owner from its page, and the page of deposit reversals.

`wallets.freezes.admin` shows and lifts freezes.
"""

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse

from exchange.admin.base import SafeAdmin, Section, Tool, staff_of
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin
from exchange.admin.display import record_link
from exchange.admin.fields import ReasonField
from exchange.admin.forms import bind_form
from exchange.admin.panels import Panel
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.participants.models import Member, Organisation
from exchange.staff.admin.proposals import Step
from orders.book.admin.owner_panel import OpenOrdersPanel
from orders.book.models import Order, OrderStatus
from orders.freezing.services import confirm_reversal, freeze_owner
from wallets.deposits.admin.reversals import DepositReversalAdmin, describe_reversed
from wallets.deposits.models import DepositReversal
from wallets.freezes.selectors import active_freezes
from wallets.freezes.services import LIFT, PLACE

_EVERYTHING = "all"
_ORDERS_SHOWN = 50


@admin.register(DepositReversal)
class ReversalAdmin(DepositReversalAdmin):
    """Reversals of deposits, whose confirmation also cancels open buys."""

    approve_step = Step("confirm", "reversal_id", confirm_reversal, describe_reversed)


class FreezeForm(forms.Form):
    """What is frozen, and why."""

    currency = forms.ChoiceField(
        label="Freeze",
        choices=[
            ("", "Choose"),
            *((code, f"{code} only") for code in WALLET_CURRENCIES),
            (_EVERYTHING, "All currencies and units"),
        ],
        help_text="One currency: its money, and orders for tokens priced in it",
    )
    reason = ReasonField(max_length=500)

    def clean_currency(self) -> str | None:
        """Return the currency, None for all."""
        chosen: str = self.cleaned_data["currency"]
        return None if chosen == _EVERYTHING else chosen


class FreezePanel(Panel):
    """The page that freezes an owner."""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[Tool]:
        """Return the link to the page, unless all is frozen, and those that lift a freeze."""
        places, lifts = page.may(request, PLACE), page.may(request, LIFT)
        active = list(active_freezes(record)) if places or lifts else []
        tools = []
        if places and all(freeze.currency_id for freeze in active):
            tools.append(Tool("Freeze", page.address("freeze", record.pk)))
        if lifts:
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
    frozen = ", ".join(freeze.scope for freeze in active_freezes(owner)) or "None"
    whose = "" if member else " The wallets of its members are not frozen."
    return Confirmation(
        title=f"Freeze {owner}?",
        facts=[
            ("Owner", record_link(owner)),
            ("Organisation", record_link(organisation)),
            ("Current freezes", frozen),
        ],
        sections=[_orders(owner, Q(organisation=organisation, member=member))],
        text="Withdrawals, orders, transfers to other wallets, conversions and pledges are rejected"
        " at once. Open orders are cancelled, and payouts that are not sent yet wait. Money that"
        f" arrives is credited, and loans can be repaid.{whose} Lifting the freeze takes two"
        " people; cancelled orders stay cancelled.",
        submit="Freeze",
        final=True,
    )


def _orders(owner: Member | Organisation, owned: Q) -> Section:
    """Return the open orders, which are cancelled where their currency is frozen."""
    panel = OpenOrdersPanel()
    orders = Order.objects.filter(owned, status=OrderStatus.ACTIVE).select_related("token")
    count = orders.count()
    shown = f", the newest {_ORDERS_SHOWN}" if count > _ORDERS_SHOWN else ""
    return Section(
        f"Orders that are cancelled ({count:,}{shown})",
        panel.headings,
        [panel.cells(order, owner) for order in orders.order_by("-pk")[:_ORDERS_SHOWN]],
        right=panel.right,
        empty="No open orders.",
        note="If you freeze one currency, only orders for tokens priced in it are cancelled.",
    )
