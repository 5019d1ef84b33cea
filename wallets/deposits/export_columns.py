"""Columns of exported deposits."""

from exchange.exports.sheets import SheetColumn
from wallets.ledger.admin.export_columns import kind_of_owner, name_of, owner_of

DEPOSITS: tuple[SheetColumn, ...] = (
    SheetColumn("Reference", lambda d: d.reference),
    SheetColumn("Status", lambda d: d.state),
    SheetColumn("Channel", lambda d: d.channel_name),
    SheetColumn("Entered (UTC)", lambda d: d.created_at),
    SheetColumn("Entered by", lambda d: name_of(d.entered_by)),
    SheetColumn("Organisation", lambda d: d.organisation.name),
    SheetColumn("Owner", owner_of),
    SheetColumn("Owner type", kind_of_owner),
    SheetColumn("Owner ID", lambda d: str(d.owner_id)),
    SheetColumn("Currency", lambda d: d.currency_id),
    SheetColumn("Amount", lambda d: d.amount),
    SheetColumn("Provider's charge", lambda d: d.provider_fee),
    SheetColumn("Net amount", lambda d: d.net_amount),
    SheetColumn("Payer", lambda d: d.payer_name),
    SheetColumn("Provider's reference", lambda d: d.provider_reference),
    SheetColumn("Client reference", lambda d: d.client_reference or ""),
    SheetColumn("Note", lambda d: d.note),
    SheetColumn("Decided (UTC)", lambda d: d.decided_at),
    SheetColumn("Decided by", lambda d: name_of(d.decided_by)),
    SheetColumn("Reason", lambda d: d.reason),
    SheetColumn("Deposit ID", lambda d: str(d.pk)),
)
