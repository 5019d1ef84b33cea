"""Selectors of the latest proofs of books."""

from datetime import datetime, timedelta

from wallets.ledger.models import BooksProof


def last_proof() -> BooksProof | None:
    """Return the latest proof of books, full or incremental."""
    return BooksProof.objects.order_by("-ran_at", "-id").first()


def last_full_proof() -> BooksProof | None:
    """Return the latest full proof of books."""
    return BooksProof.objects.filter(incremental=False).order_by("-ran_at", "-id").first()


def full_proof_due(now: datetime, hour: int) -> bool:
    """Return whether no full proof has run since the day's `hour` (UTC) last passed."""
    due = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    if due > now:
        due -= timedelta(days=1)
    last = last_full_proof()
    return last is None or last.ran_at < due
