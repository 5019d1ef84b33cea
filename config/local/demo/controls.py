"""The first proof of books and the first reconciliation; later ones are scheduled."""

from contextlib import suppress
from datetime import timedelta

from django.utils import timezone

from config.books import CHECKS
from exchange.core.actors import Actor
from exchange.core.errors import Conflict
from wallets.ledger.models import BooksProof
from wallets.ledger.proof import prove_and_store
from wallets.reconciliation.models import Reconciliation
from wallets.reconciliation.selectors.movements import utc_day
from wallets.reconciliation.services import reports


def run_first_controls(*, actor: Actor, provider_available: bool) -> None:
    """Prove the books and reconcile yesterday with the provider, unless done before.

    Without the provider, the daily run reconciles once it responds.
    """
    if not BooksProof.objects.exists():
        prove_and_store(CHECKS)
    if provider_available and not Reconciliation.objects.exists():
        with suppress(Conflict):  # a worker has started it
            reports.request_report(day=utc_day(timezone.now()) - timedelta(days=1), actor=actor)
        reports.run_next_report()
