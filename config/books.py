"""All equalities of the proof of books: every app's checks, in the order they are printed."""

from __future__ import annotations

from credit.services.books import CREDIT_CHECKS
from orders.services.books import ORDER_CHECKS
from wallets.services.books import WALLET_CHECKS, Check

CHECKS: tuple[Check, ...] = WALLET_CHECKS + ORDER_CHECKS + CREDIT_CHECKS
