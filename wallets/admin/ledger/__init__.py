"""The ledger in the admin, to read only: from a balance to its entries, from an entry to its
transfer, from a transfer to what it is about, and back.

Every list stays bounded however many entries there are: ordered, searched and narrowed by columns
that have an index, and no page adds up more than the entries since the last proof of books.
"""

from wallets.admin.ledger import accounts, entries, transfers

__all__ = ["accounts", "entries", "transfers"]
