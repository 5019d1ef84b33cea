"""Deposits and virtual accounts on the page of their owner."""

from collections.abc import Mapping

from exchange.admin.display import format_time, record_link, status_badge
from exchange.core.currencies import format_money
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from wallets.deposits.models import Deposit, VirtualAccount


class DepositsPanel(OwnerRecords):
    """The newest deposits of an owner."""

    tab = "Money"
    model = Deposit
    title = "Deposits"
    headings = ("Created (UTC)", "Reference", "Channel", "Payer", "Amount", "Status")
    right = (4,)
    timeline = TimelineColumns(
        "Deposit", text="reference", amount="amount", currency="currency_id", state="status"
    )

    def cells(self, record: Deposit, owner: Owner) -> tuple[object, ...]:
        return (
            format_time(record.created_at),
            record_link(record),
            record.channel_name,
            record.payer_name or "-",
            format_money(record.amount, record.currency_id),
            status_badge(record.state),
        )


class VirtualAccountsPanel(OwnerRecords):
    """The newest virtual accounts of an owner."""

    tab = "Money"
    model = VirtualAccount
    title = "Virtual accounts"
    headings = ("Created (UTC)", "Account number", "Bank", "Holder", "Currency", "Status")
    timeline = TimelineColumns("Virtual account", text="account_number", state="status")

    def cells(self, record: VirtualAccount, owner: Owner) -> tuple[object, ...]:
        return (
            format_time(record.created_at),
            record_link(record, record.account_number),
            record.bank_name,
            record.account_name,
            record.currency_id,
            status_badge(record.status),
        )

    def list_query(self, owner: Owner) -> Mapping[str, str]:
        return {"q": str(owner.pk)}
