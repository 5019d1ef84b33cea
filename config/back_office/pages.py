"""The modules that register back-office pages."""

from __future__ import annotations

PAGES = (
    "exchange.staff.admin.accounts",
    "exchange.participants.admin.participants",
    "exchange.participants.admin.api_keys",
    "exchange.access.admin",
    "exchange.tokens.admin.quotes",
    "exchange.events.admin.events",
    "exchange.exports.admin",
    "exchange.audit.admin.changes",
    "wallets.ledger.admin.accounts",
    "wallets.ledger.admin.entries",
    "wallets.ledger.admin.transfers",
    "wallets.ledger.admin.books",
    "wallets.fees.admin.configuration",
    "wallets.fees.admin.setting_changes",
    "wallets.banks.admin.banks",
    "wallets.payouts.admin.withdrawals",
    "wallets.payouts.admin.payouts",
    "wallets.deposits.admin",
    "wallets.reconciliation.admin.reports",
    "wallets.reconciliation.admin.breaks",
    "orders.trades.admin.orders",
    "orders.trades.admin.trades",
    "orders.listings.admin.tokens",
    "credit.loans.admin.configurations",
    "credit.loans.admin.loans",
    "credit.loans.admin.owner_facts",
    "config.back_office.alerts",
    "config.back_office.transfers",
)
