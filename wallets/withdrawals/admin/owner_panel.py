"""Withdrawals on the page of their owner."""

from exchange.admin.display import format_time, record_link
from exchange.core.currencies import format_money
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from wallets.withdrawals.admin.show import withdrawal_badge
from wallets.withdrawals.models import Withdrawal


class WithdrawalsPanel(OwnerRecords):
    """The newest withdrawals of an owner."""

    tab = "Money"
    model = Withdrawal
    title = "Withdrawals"
    headings = ("Requested (UTC)", "Reference", "Payee", "Account number", "Amount", "Status")
    right = (4,)
    related = ("bank", "payout")
    timeline = TimelineColumns(
        "Withdrawal", text="reference", amount="amount", currency="currency_id", state="status"
    )

    def cells(self, record: Withdrawal, owner: Owner) -> tuple[object, ...]:
        return (
            format_time(record.created_at),
            record_link(record),
            record.bank.account_name,
            f"{record.bank.account_number}, {record.bank.name}",
            format_money(record.amount, record.currency_id),
            withdrawal_badge(record),
        )

    def list_query(self, owner: Owner) -> dict[str, str]:
        return {"status": "all", **super().list_query(owner)}
