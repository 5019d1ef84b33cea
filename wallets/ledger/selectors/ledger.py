"""Ledger queries of the admin, bounded whatever the number of entries."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import Sum

from exchange.core.database import read_cursor
from wallets.ledger.models import Account, Asset, BooksProof, Entry, Transfer

# Maximum number of entries that a page sums.
MAX_SUMMED_ENTRIES = 100_000


@dataclass(frozen=True, slots=True)
class SystemBalance:
    """Balance of a system account, from the totals of `proof` and the entries since.

    `complete` is False where too many entries follow the proof: `amount` is then the balance at the
    proof, or None without one.
    """

    amount: Decimal | None
    proof: BooksProof | None
    complete: bool = True


def last_totals() -> BooksProof | None:
    """Return the last proof with totals of system accounts."""
    return BooksProof.objects.filter(totals_before__isnull=False).order_by("-ran_at", "-id").first()


def system_balances(accounts: Collection[Account]) -> dict[UUID, SystemBalance]:
    """Return the balances of system accounts by id.

    Runs two statements, which sum at most `MAX_SUMMED_ENTRIES` entries.
    """
    if not accounts:
        return {}
    proof = last_totals()
    since = proof.totals_before if proof else None
    with read_cursor() as cursor:
        cursor.execute(
            "SELECT account_id, sum(amount), count(*) FROM (SELECT account_id, amount"
            " FROM wallets_entry WHERE account_id = ANY(%s) AND id >= %s LIMIT %s) e"
            " GROUP BY account_id",
            [[account.pk for account in accounts], since or UUID(int=0), MAX_SUMMED_ENTRIES + 1],
        )
        rows = cursor.fetchall()
    complete = sum(count for _, _, count in rows) <= MAX_SUMMED_ENTRIES
    after = {account_id: amount for account_id, amount, _ in rows}
    found = {}
    for account in accounts:
        before = Decimal(proof.totals.get(str(account.pk), "0")) if proof else None
        if complete:
            found[account.pk] = SystemBalance(
                (before or 0) + after.get(account.pk, Decimal(0)), proof
            )
        else:
            found[account.pk] = SystemBalance(before, proof, complete=False)
    return found


def amounts_moved(transfers: Collection[Transfer]) -> dict[UUID, list[tuple[Decimal, Asset]]]:
    """Return the amount received of every asset, by transfer id."""
    rows = (
        Entry.objects.filter(transfer__in=transfers, amount__gt=0)
        .order_by("asset_id")
        .values_list("transfer_id", "asset_id")
        .annotate(Sum("amount"))
    )
    moved = list(rows)
    assets = Asset.objects.select_related("token").in_bulk({asset_id for _, asset_id, _ in moved})
    found: dict[UUID, list[tuple[Decimal, Asset]]] = {}
    for transfer_id, asset_id, amount in moved:
        found.setdefault(transfer_id, []).append((amount, assets[asset_id]))
    return found


def find_transfers(reference: str, subject_ids: Collection[UUID]) -> list[Transfer]:
    """Return the transfers with this reference, and those about the given subjects."""
    about = Transfer.objects.filter(subject_id__in=subject_ids) if subject_ids else []
    return [*Transfer.objects.filter(reference=reference), *about]
