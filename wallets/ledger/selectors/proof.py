"""Selector of the latest proof of books."""

from __future__ import annotations

from wallets.ledger.models import BooksProof


def last_proof() -> BooksProof | None:
    """Return the latest proof of books."""
    return BooksProof.objects.order_by("-ran_at", "-id").first()
