"""All checks of the proof of books, in the order of the report."""

from credit.distributions.proof import DISTRIBUTION_CHECKS
from credit.loans.proof import CREDIT_CHECKS
from orders.book.proof import BOOK_CHECKS, RESERVE_CHECKS
from orders.listings.proof import DOCUMENT_CHECKS, RAISE_CHECKS
from orders.trades.proof import TRADE_CHECKS
from wallets.adjustments import proof as adjustments
from wallets.conversions import proof as conversions
from wallets.deposits import proof as deposits
from wallets.ledger.proof import LEDGER_CHECKS, Check
from wallets.payouts import proof as payouts
from wallets.receivables import proof as receivables
from wallets.transfers import proof as transfers
from wallets.treasury import proof as treasury
from wallets.withdrawals import proof as withdrawals

WALLET_CHECKS: tuple[Check, ...] = (
    *LEDGER_CHECKS,
    withdrawals.ESCROW,
    payouts.CLEARING,
    payouts.FEE_INCOME,
    withdrawals.TRANSFERS,
    deposits.BOOKED,
    deposits.PAID,
    deposits.UNCLEARED,
    deposits.TAKEN_BACK,
    deposits.UNMATCHED,
    deposits.DOCUMENTS,
    receivables.WRITTEN_OFF,
    withdrawals.AMOUNTS_MOVED,
    withdrawals.EVENTS,
    payouts.NEXT_STEPS,
    withdrawals.DOCUMENTS,
    transfers.MOVED,
    transfers.EVENTS,
    transfers.DOCUMENTS,
    conversions.MOVED,
    payouts.POSITIONS,
    conversions.KEPT_POSITIONS,
    conversions.EVENTS,
    conversions.DOCUMENTS,
    treasury.MOVED,
    treasury.TREASURY,
    adjustments.MOVED,
)
CHECKS: tuple[Check, ...] = (
    *WALLET_CHECKS,
    *RESERVE_CHECKS,
    *TRADE_CHECKS,
    *RAISE_CHECKS,
    *BOOK_CHECKS,
    *DOCUMENT_CHECKS,
    *CREDIT_CHECKS,
    *DISTRIBUTION_CHECKS,
)
