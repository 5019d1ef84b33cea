"""`manage.py doctor [--json]`: examines the installation; exit 1 on a problem."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connections

from config.doctor.database import check_database
from config.doctor.findings import Diagnosis, Level, run_checks
from config.doctor.machine import (
    check_metrics_address,
    check_settings,
    check_static_files,
)
from config.doctor.services import check_broker, check_cache, check_mail, check_provider

_CHECKS = (
    check_settings,
    check_static_files,
    check_metrics_address,
    check_database,
    check_broker,
    check_cache,
    check_mail,
    check_provider,
)


class Command(BaseCommand):
    """Prints what is missing or unsafe and seen nowhere else, with remedies. Changes no row."""

    help = "Examine the installation: print findings with remedies, exit with 1 on a problem."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the output format."""
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the checks and print the findings."""
        found = []
        for finding in run_checks(_CHECKS):
            found.append(finding)
            if not options["json"]:
                self._print(finding)
        connections.close_all()
        counts = {level: sum(each.level == level for each in found) for level in Level}
        problems, warnings = counts[Level.PROBLEM], counts[Level.WARNING]
        if options["json"]:
            data = {
                "passed": not problems,
                "counts": counts,
                "findings": [asdict(each) for each in found],
            }
            self.stdout.write(json.dumps(data, indent=2, ensure_ascii=False))
        else:
            self.stdout.write(f"{len(found)} findings: {problems} problems, {warnings} warnings.")
        self.stdout.flush()
        if problems:
            sys.exit(1)

    def _print(self, finding: Diagnosis) -> None:
        styles = {Level.WARNING: self.style.WARNING, Level.PROBLEM: self.style.ERROR}
        line = f"{finding.level:8} {finding.check}: {finding.seen}"
        self.stdout.write(styles[finding.level](line) if finding.level in styles else line)
        if finding.remedy:
            self.stdout.write(f"         → {finding.remedy}")
