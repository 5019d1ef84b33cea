"""All equalities of the proof of books: every app's checks, in the order they are printed."""

from __future__ import annotations

from orders.services.books import ORDER_CHECKS
from wallets.services.books import WALLET_CHECKS, Check

CHECKS: tuple[Check, ...] = WALLET_CHECKS + ORDER_CHECKS
