"""Reads of the ledger that stay bounded however many entries there are."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Sum

from wallets.models import Account, BooksProof, Deposit, Entry, Transfer, Withdrawal

# A page adds up no more entries than these.
ADDED_AT_MOST = 100_000


@dataclass(frozen=True, slots=True)
class Total:
    """What a system account comes to; `proof` holds the part that was added up before."""

    amount: Decimal
    proof: BooksProof | None


def last_totals() -> BooksProof | None:
    """The last proof that kept the totals of the system accounts."""
    return BooksProof.objects.filter(totals_before__isnull=False).order_by("-ran_at", "-id").first()


def system_total(account: Account) -> Total | None:
    """The sum of the entries of a system account: the last proof's, and what came after.

    None when that would be more than `ADDED_AT_MOST` entries.
    """
    proof = last_totals()
    entries = Entry.objects.filter(account=account)
    before = Decimal(0)
    if proof is not None:
        entries = entries.filter(id__gte=proof.totals_before)
        before = Decimal(proof.totals.get(str(account.pk), "0"))
    counted = entries.order_by("-id").values("amount")[: ADDED_AT_MOST + 1]
    found = counted.aggregate(total=Sum("amount"), count=Count("*"))
    if found["count"] > ADDED_AT_MOST:
        return None
    return Total(before + (found["total"] or 0), proof)


def transfers_called(term: str) -> list[Transfer]:
    """Transfers by their own reference, or by that of the withdrawal or deposit they are about."""
    subjects = [
        *Withdrawal.objects.filter(reference=term).values_list("id", flat=True),
        *Deposit.objects.filter(reference=term).values_list("id", flat=True),
    ]
    about = Transfer.objects.filter(subject_id__in=subjects) if subjects else []
    return [*Transfer.objects.filter(reference=term), *about]
