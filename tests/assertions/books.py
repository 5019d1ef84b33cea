"""What the proof of books finds, in full and from a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Max

from config.books import CHECKS
from tests.environment.processes import wait_until
from wallets.ledger import proof as books
from wallets.ledger.checkpoint import closed_position
from wallets.ledger.models import Transfer
from wallets.ledger.proof import Check


def failing_checks(
    checks: Sequence[Check] = CHECKS, *, compare_incremental: bool = True
) -> set[str]:
    """Return the titles of the checks with findings.

    Every check that an incremental proof has must find the same where everything is recent.
    """
    findings = books.prove(checks).findings
    if compare_incremental:
        for check in checks:
            if check.run_since:
                full = [finding for finding in findings if finding.check == check.title]
                assert sorted(check.run_since(0), key=str) == sorted(full, key=str), check.title
    return {finding.check for finding in findings}


def wait_until_closed() -> None:
    """Wait until a checkpoint covers every transfer.

    Transactions of other databases on the server and of its maintenance keep it back as well.
    """
    last = Transfer.objects.aggregate(last=Max("created_txid"))["last"] or 0
    wait_until(lambda: closed_position() > last, what="older transactions end", seconds=60)
