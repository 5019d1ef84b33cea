"""Tables of money and units. Balances and entries are written by SQL functions only."""

from wallets.models.banks import BankAccount, BankList
from wallets.models.books import Alert, BooksProof
from wallets.models.circuit import CircuitState, PayoutCircuit
from wallets.models.configuration import Configuration, ConfigurationFigure, FigureStatus
from wallets.models.deposits import Deposit, DepositStatus
from wallets.models.ledger import Account, AccountKind, Asset, Entry, Transfer, TransferKind
from wallets.models.payouts import Payout, Proposal, ProposalAction, ProposalStatus, ProviderEvent
from wallets.models.reconciliation import (
    BreakExplanation,
    BreakStatus,
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
    ReportStatus,
)
from wallets.models.withdrawals import Decision, Verdict, Withdrawal, WithdrawalStatus

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
    "CircuitState",
    "Configuration",
    "ConfigurationFigure",
    "Decision",
    "Deposit",
    "DepositStatus",
    "Entry",
    "FigureStatus",
    "LineKind",
    "Payout",
    "PayoutCircuit",
    "Proposal",
    "ProposalAction",
    "ProposalStatus",
    "ProviderEvent",
    "Reconciliation",
    "ReconciliationBreak",
    "ReconciliationLine",
    "ReportStatus",
    "Transfer",
    "TransferKind",
    "Verdict",
    "Withdrawal",
    "WithdrawalStatus",
]
