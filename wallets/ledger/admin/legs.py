"""The legs of transfers about a record, as its page in the admin shows them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from exchange.admin.base import Section, Tool
from exchange.admin.display import format_time, kind_label, record_link
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from wallets.ledger.admin.signs import natural_amount
from wallets.ledger.models import Entry, Transfer

_TRANSFERS_SHOWN = 50


def transfer_legs_section(
    subjects: Collection[UUID],
    *,
    symbols: Mapping[str, str],
    more: Tool | None = None,
    note: str = "",
) -> Section:
    """List the legs of the transfers about any of `subjects`, in the order they happened.

    `symbols` say by asset which amounts are units of a token, and what is written after them.
    """

    def amount(entry: Entry) -> str:
        if entry.asset_id in symbols:
            return f"{format_units(entry.amount)} {symbols[entry.asset_id]}".rstrip()
        return format_money(natural_amount(entry.amount, entry.account.kind), entry.asset_id)

    found = (
        Transfer.objects.filter(subject_id__in=subjects)
        .order_by("created_at", "id")
        .prefetch_related("entries__account__organisation", "entries__account__member")
    )
    rows = [
        (
            format_time(transfer.created_at),
            record_link(transfer, kind_label(transfer)),
            entry.account.member or entry.account.organisation or "The exchange",
            record_link(entry.account, kind_label(entry.account)),
            amount(entry),
        )
        for transfer in found[:_TRANSFERS_SHOWN]
        for entry in sorted(transfer.entries.all(), key=lambda e: e.pk)
    ]
    headings = ("When (UTC)", "Transfer", "Owner", "Account", "Amount")
    return Section(
        "In the ledger", headings, rows, right=(4,), empty="Nothing moved.", more=more, note=note
    )
