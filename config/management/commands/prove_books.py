"""`manage.py prove_books [--json]`: runs every check of the books; exits with 1 on a failure."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from config.books import CHECKS
from wallets.ledger.proof import Proof, prove


class Command(BaseCommand):
    """Prints each check with `ok` or `OFF` and its discrepancies. Changes nothing."""

    help = "Prove the books: print every check, exit with 1 if any fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the output format."""
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the checks and print the results."""
        proof = prove(CHECKS)
        if options["json"]:
            self._print_json(proof)
        else:
            self._print_lines(proof)
        if not proof.passed:
            sys.exit(1)

    def _print_json(self, proof: Proof) -> None:
        off = {finding.check for finding in proof.findings}
        data = {
            "passed": proof.passed,
            "milliseconds": proof.milliseconds,
            "checks": [{"title": title, "ok": title not in off} for title in proof.titles],
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
        verdict = "hold" if proof.passed else f"are OFF in {len(proof.findings)} places"
        self.stdout.write(
            f"The books {verdict}: {len(proof.titles)} checks in {proof.milliseconds} ms"
        )
