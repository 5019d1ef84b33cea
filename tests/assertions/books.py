"""What the proof of books finds, in full and from a checkpoint."""

from collections.abc import Sequence

from config.books import CHECKS
from tests.environment.owner import without_guards
from tests.environment.processes import wait_until
from wallets.ledger import proof as books
from wallets.ledger.checkpoint import closed_position
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


def close_transfers() -> None:
    """Let the next checkpoint cover every transfer, whatever else runs on the server.

    An older transaction of any of its databases would keep the checkpoint back: its position, and
    the transfers since, get ids of transactions that ended earlier.
    """
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_checkpoint SET position = 1 + coalesce("
            "(SELECT max(created_txid) FROM wallets_transfer WHERE created_txid < position), 0)"
        )
        cursor.execute("SELECT coalesce((SELECT position FROM wallets_checkpoint), 1)")
        [position] = cursor.fetchone()
        cursor.execute(
            "UPDATE wallets_transfer SET created_txid = %s WHERE created_txid > %s",
            [position, position],
        )
    # The position itself runs only if it was the very next transaction at the last checkpoint.
    wait_until(lambda: closed_position() > position, "an older transaction ends")
