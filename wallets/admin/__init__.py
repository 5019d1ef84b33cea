"""The admin of money: review of withdrawals, deposits, the ledger to read, and the figures.

Pages call services; see `exchange.admin.base`.
"""

from wallets.admin import books, configuration, deposits, ledger, payouts, withdrawals

__all__ = ["books", "configuration", "deposits", "ledger", "payouts", "withdrawals"]
