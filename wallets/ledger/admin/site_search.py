"""Transfers of the ledger in the search of the back office."""

from exchange.admin.site_search import SearchKind
from wallets.ledger.models import Transfer

LEDGER_TRANSFERS = SearchKind(
    model=Transfer,
    describe=lambda transfer: (transfer.reference,),
    texts=("reference",),
    ids=("pk", "subject_id"),
)
