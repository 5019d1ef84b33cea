"""Registry of exports: list or report, columns and query.

The export page, service and worker look up sources by name (`EXPORT_SOURCES`).
"""

from credit.loans.admin.export_columns import LOANS
from credit.loans.models import Loan
from exchange.exports.lists import list_source
from exchange.exports.sources import Source
from orders.book.models import Trade
from orders.trades.admin.export_columns import TRADES
from wallets.adjustments.export_columns import ADJUSTING_ENTRIES
from wallets.adjustments.models import AdjustingEntry
from wallets.conversions.export_columns import CONVERSIONS
from wallets.conversions.models import Conversion
from wallets.deposits.export_columns import DEPOSITS
from wallets.deposits.models import Deposit
from wallets.freezes.export_columns import FREEZES
from wallets.freezes.models import Freeze
from wallets.ledger.admin.export_columns import ACCOUNTS, ENTRIES, TRANSFERS
from wallets.ledger.admin.running_balances import oldest_first, statement_entries
from wallets.ledger.models import Account, Entry, Transfer
from wallets.payouts.admin.export_columns import PAYOUTS
from wallets.receivables.export_columns import RECEIVABLES
from wallets.receivables.models import Receivable
from wallets.reconciliation.admin.export_columns import REPORTS
from wallets.transfers.export_columns import WALLET_TRANSFERS
from wallets.transfers.models import WalletTransfer
from wallets.treasury.export_columns import TREASURY_MOVEMENTS
from wallets.treasury.models import TreasuryMovement
from wallets.withdrawals.admin.export_columns import WITHDRAWALS
from wallets.withdrawals.models import Payout, Withdrawal

_SOURCES = (
    # Balances are current and have no time.
    list_source(Account, ACCOUNTS, moment=""),
    list_source(
        Entry,
        ENTRIES,
        moment="transfer__created_at",
        prepare=oldest_first,
        records=statement_entries,
    ),
    list_source(Transfer, TRANSFERS),
    list_source(Deposit, DEPOSITS),
    list_source(Receivable, RECEIVABLES, moment=""),
    list_source(TreasuryMovement, TREASURY_MOVEMENTS),
    list_source(AdjustingEntry, ADJUSTING_ENTRIES),
    list_source(WalletTransfer, WALLET_TRANSFERS),
    list_source(Conversion, CONVERSIONS),
    list_source(Freeze, FREEZES),
    list_source(Withdrawal, WITHDRAWALS),
    list_source(Payout, PAYOUTS),
    REPORTS,
    list_source(Trade, TRADES),
    list_source(Loan, LOANS),
)

SOURCES: dict[str, Source] = {source.name: source for source in _SOURCES}
