"""`manage.py prove_books`: runs the checks of the books; exits with 1 on a failure."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from config.books import CHECKS
from exchange.core.timestamps import wire_time
from wallets.ledger.checkpoint import renew_checkpoint
from wallets.ledger.proof import CHECKPOINT_CHECKS, Proof, prove


class Command(BaseCommand):
    """Prints each check with `ok` or `OFF` and its discrepancies."""

    help = "Prove the books: print every check, exit with 1 if any fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the extent of the proof and the output format."""
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
        extent = parser.add_mutually_exclusive_group()
        extent.add_argument(
            "--incremental",
            action="store_true",
            help="start from the checkpoint; in full without one, or if the last full proof failed",
        )
        extent.add_argument(
            "--new-checkpoint",
            action="store_true",
            help="prove in full without the present checkpoint, and replace it if the books hold",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the checks and print the results."""
        renewed = options["new_checkpoint"]
        checks = [check for check in CHECKS if not (renewed and check in CHECKPOINT_CHECKS)]
        proof = prove(checks, incremental=options["incremental"])
        if options["json"]:
            self._print_json(proof)
        else:
            self._print_lines(proof)
        if not proof.passed:
            sys.exit(1)
        if renewed:
            renew_checkpoint(proof.position)

    def _print_json(self, proof: Proof) -> None:
        off = {finding.check for finding in proof.findings}
        data = {
            "passed": proof.passed,
            "since": wire_time(proof.since.taken_at) if proof.since else None,
            "milliseconds": proof.milliseconds,
            "checks": [{"title": title, "ok": title not in off} for title in proof.titles],
            "left_to_full_proof": list(proof.left_out),
            "findings": [asdict(finding) for finding in proof.findings],
        }
        self.stdout.write(json.dumps(data, indent=2, ensure_ascii=False))

    def _print_lines(self, proof: Proof) -> None:
        for title in proof.titles:
            found = [finding for finding in proof.findings if finding.check == title]
            self.stdout.write(f"{'OFF' if found else 'ok '} {title}")
            for finding in found:
                self.stdout.write(
                    f"      {finding.subject}: expected {finding.expected}, found {finding.found}"
                )
        for title in proof.left_out:
            self.stdout.write(f"--  {title} (full proof only)")
        verdict = "hold" if proof.passed else f"are OFF in {len(proof.findings)} places"
        since = f" since {wire_time(proof.since.taken_at)}" if proof.since else ""
        self.stdout.write(
            f"The books {verdict}{since}: {len(proof.titles)} checks in {proof.milliseconds} ms"
        )
