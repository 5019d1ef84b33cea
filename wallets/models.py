"""Models of money and units. SQL functions alone write balances and entries."""

from wallets.alerts.models import Alert
from wallets.banks.models import BankAccount, BankList
from wallets.conversions.models import (
    Conversion,
    ConversionQuote,
    ConversionStatus,
)
from wallets.deposits.models import (
    Deposit,
    DepositChannel,
    DepositReversal,
    DepositStatus,
    ManualDeposit,
    Payment,
    PaymentAction,
    PaymentResolution,
    PaymentStatus,
    VirtualAccount,
)
from wallets.fees.models import Configuration, SettingChange, SettingChangeStatus
from wallets.freezes.models import Freeze, FreezeLift
from wallets.ledger.models import (
    Account,
    AccountKind,
    Asset,
    BooksProof,
    Checkpoint,
    CheckpointBalance,
    ConversionPosition,
    Entry,
    Transfer,
    TransferKind,
)
from wallets.payouts.models import (
    CircuitState,
    PayoutCircuit,
    Proposal,
    ProposalAction,
)
from wallets.providers.models import ProviderEvent
from wallets.receivables.models import Receivable, ReceivableWriteOff
from wallets.reconciliation.models import (
    BreakExplanation,
    BreakStatus,
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
    ReportStatus,
)
from wallets.transfers.models import WalletTransfer, WalletTransferStatus
from wallets.treasury.models import TreasuryKind, TreasuryMovement
from wallets.withdrawals.models import (
    Decision,
    Payout,
    Verdict,
    Withdrawal,
    WithdrawalStatus,
)

__all__ = [
    "Account",
    "AccountKind",
    "Alert",
    "Asset",
    "BankAccount",
    "BankList",
    "BooksProof",
    "BreakExplanation",
    "BreakStatus",
    "Checkpoint",
    "CheckpointBalance",
    "CircuitState",
    "Configuration",
    "Conversion",
    "ConversionPosition",
    "ConversionQuote",
    "ConversionStatus",
    "Decision",
    "Deposit",
    "DepositChannel",
    "DepositReversal",
    "DepositStatus",
    "Entry",
    "Freeze",
    "FreezeLift",
    "LineKind",
    "ManualDeposit",
    "Payment",
    "PaymentAction",
    "PaymentResolution",
    "PaymentStatus",
    "Payout",
    "PayoutCircuit",
    "Proposal",
    "ProposalAction",
    "ProviderEvent",
    "Receivable",
    "ReceivableWriteOff",
    "Reconciliation",
    "ReconciliationBreak",
    "ReconciliationLine",
    "ReportStatus",
    "SettingChange",
    "SettingChangeStatus",
    "Transfer",
    "TransferKind",
    "TreasuryKind",
    "TreasuryMovement",
    "Verdict",
    "VirtualAccount",
    "WalletTransfer",
    "WalletTransferStatus",
    "Withdrawal",
    "WithdrawalStatus",
]
