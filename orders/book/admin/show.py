"""How the admin writes owners of orders, and what moved for orders and trades."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.admin.base import Section, Tool
from exchange.admin.show import kind, moment, page_of
from exchange.core.currencies import money
from exchange.core.numbers import units
from exchange.tokens.models import Token
from orders.book.models import Order
from wallets.ledger.admin.show import held
from wallets.ledger.models import Transfer

_TRANSFERS_SHOWN = 50


def wallet_of(order: Order) -> SafeString:
    """The owner's name, leading to their accounts."""
    return format_html(
        '<a href="{}?owner_id={}">{}</a>',
        reverse("admin:wallets_account_changelist"),
        order.owner_id,
        order.member or order.organisation,
    )


def transfers_about(subjects: Sequence[UUID], token: Token) -> Section:
    """Legs of the ledger's transfers about any of `subjects`, in the order they happened."""
    found = (
        Transfer.objects.filter(subject_id__in=subjects)
        .order_by("created_at", "id")
        .prefetch_related("entries__account__organisation", "entries__account__member")
    )
    rows = [
        (
            moment(transfer.created_at),
            page_of(transfer, kind(transfer)),
            entry.account.member or entry.account.organisation or "The exchange",
            page_of(entry.account, kind(entry.account)),
            units(entry.amount)
            if entry.asset_id == str(token.pk)
            else money(held(entry.amount, entry.account.kind), entry.asset_id),
        )
        for transfer in found[:_TRANSFERS_SHOWN]
        for entry in sorted(transfer.entries.all(), key=lambda e: e.pk)
    ]
    headings = ("When (UTC)", "Transfer", "Owner", "Account", "Amount")
    return Section("In the ledger", headings, rows, right=(4,), empty="Nothing moved.")


def list_of(name: str, term: object, label: str) -> Tool:
    """The list called `name` (`orders_order`), searched for `term`."""
    return Tool(label, f"{reverse(f'admin:{name}_changelist')}?q={term}")
