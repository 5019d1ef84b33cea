"""Which run of the proof of books the pages show."""

from datetime import UTC, datetime, timedelta

import pytest

from wallets.ledger.models import BooksProof
from wallets.ledger.selectors import proof as selectors_proof

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def test_the_last_proof_is_the_newest_run():
    assert selectors_proof.last_proof() is None
    proofs = [
        BooksProof.objects.create(ran_at=NOW + later, passed=True, findings=[], milliseconds=1)
        for later in (timedelta(0), timedelta(hours=1), timedelta(minutes=1))
    ]
    assert selectors_proof.last_proof() == proofs[1]
