"""Proves the books, `full` and stored or `incremental`, and prints the milliseconds as JSON."""

from __future__ import annotations

import json
import sys

import django

django.setup()

from config.books import CHECKS  # noqa: E402 - Django must be set up before its models are
from wallets.ledger.checkpoint import closed_position, renew_checkpoint  # noqa: E402
from wallets.ledger.proof import prove, prove_and_store  # noqa: E402


def main(kind: str) -> None:
    if kind == "full":
        # A full proof compares the checkpoint too.
        renew_checkpoint(closed_position())
        stored = prove_and_store(CHECKS)
        passed, milliseconds = stored.passed, stored.milliseconds
    else:
        proof = prove(CHECKS, incremental=True)
        passed, milliseconds = proof.passed and proof.since is not None, proof.milliseconds
    if not passed:
        raise RuntimeError("the books do not hold, or there is no checkpoint")
    print(json.dumps({"milliseconds": milliseconds}))


main(sys.argv[1])
