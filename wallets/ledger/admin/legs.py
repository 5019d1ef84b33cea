"""Section with the ledger legs of a record, for its admin page."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from uuid import UUID

from exchange.admin.base import Section, Tool
from exchange.admin.display import format_time, kind_label, record_link
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped
from wallets.ledger.admin.signs import SIGN, natural_amount
from wallets.ledger.models import Entry, Transfer

_TRANSFERS_SHOWN = 50


def transfer_legs_section(
    subjects: Collection[UUID],
    *,
    symbols: Mapping[str, str] = MappingProxyType({}),
    empty: str = "No transfers.",
    more: Tool | None = None,
    note: str = SIGN,
) -> Section:
    """Return a section with the legs of the transfers about `subjects`, oldest first.

    `symbols` maps assets that are token units to the symbol shown after the amount.
    """

    def amount(entry: Entry) -> str:
        if entry.asset_id in symbols:
            return f"{format_grouped(entry.amount)} {symbols[entry.asset_id]}".rstrip()
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
    headings = ("Time (UTC)", "Transfer", "Owner", "Account", "Amount")
    return Section(
        "Ledger transfers", headings, rows, right=(4,), empty=empty, more=more, note=note
    )
