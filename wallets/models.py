"""Models of money and units. SQL functions alone write balances and entries."""

import wallets.adjustments.models
import wallets.alerts.models
import wallets.bank_statements.models
import wallets.banks.models
import wallets.conversions.models
import wallets.deposits.models
import wallets.fees.models
import wallets.freezes.models
import wallets.ledger.models
import wallets.payouts.models
import wallets.providers.models
import wallets.receivables.models
import wallets.reconciliation.models
import wallets.transfers.models
import wallets.treasury.models
import wallets.withdrawals.models
