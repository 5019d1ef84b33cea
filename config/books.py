"""All equalities of the proof of books: every app's checks, in the order they are printed."""

from __future__ import annotations

from credit.loans.proof import CREDIT_CHECKS
from orders.book.proof import ORDER_CHECKS
from wallets.ledger.proof import WALLET_CHECKS, Check

CHECKS: tuple[Check, ...] = WALLET_CHECKS + ORDER_CHECKS + CREDIT_CHECKS
