"""The admin of money: review of withdrawals, deposits, the ledger to read, and the figures.

Pages call services; see `exchange.admin.base`.
"""

from wallets.admin import (
    banks,
    books,
    breaks,
    configuration,
    deposits,
    figures,
    ledger,
    payouts,
    reconciliation,
    withdrawals,
)

__all__ = [
    "banks",
    "books",
    "breaks",
    "configuration",
    "deposits",
    "figures",
    "ledger",
    "payouts",
    "reconciliation",
    "withdrawals",
]
