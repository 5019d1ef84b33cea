"""`manage.py doctor [--json] [--processes N]`: examines the installation; exit 1 on a problem."""

from __future__ import annotations

import json
import sys
import textwrap
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from config.doctor import (
    capacity,
    configuration,
    database,
    metrics,
    provider,
    replica,
    services,
    session,
    staff,
)
from config.doctor.findings import Diagnosis, Level, run_checks

# Two of the web server, a worker and beat.
_PROCESSES = 4
_WIDTH = 100


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise ArgumentTypeError("a whole number from 1 to 10000")
    return int(text)


class Command(BaseCommand):
    """Prints what is configured, missing, unsafe and slow, with remedies. Changes no row."""

    help = "Examine the installation: print findings with remedies, exit with 1 on a problem."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the output format and the size of the installation."""
        parser.add_argument(
            "--json", action="store_true", help="one JSON object instead of a table"
        )
        parser.add_argument(
            "--processes",
            type=_count,
            default=_PROCESSES,
            help="processes of web, worker and beat on all machines (default: %(default)s)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the checks and print the findings."""
        session.register()
        connections = capacity.check_connections_for(options["processes"])
        found = run_checks(
            {
                "Configuration": configuration.CHECKS,
                "Database": (*database.CHECKS, connections, *capacity.DATABASE_CHECKS),
                "Replica": replica.CHECKS,
                "Broker": services.BROKER_CHECKS,
                "Cache": services.CACHE_CHECKS,
                "Provider": provider.CHECKS,
                "Staff": staff.CHECKS,
                "Metrics": metrics.CHECKS,
                "Disk & clock": capacity.MACHINE_CHECKS,
            }
        )
        counts = {
            level: sum(each.level == level for findings in found.values() for each in findings)
            for level in Level
        }
        if options["json"]:
            self._print_json(found, counts)
        else:
            self._print_table(found, counts)
        self.stdout.flush()
        if counts[Level.PROBLEM]:
            sys.exit(1)

    def _print_json(self, found: dict[str, list[Diagnosis]], counts: dict[Level, int]) -> None:
        data = {
            "passed": not counts[Level.PROBLEM],
            "counts": counts,
            "findings": [
                {"group": group, **asdict(finding)}
                for group, findings in found.items()
                for finding in findings
            ],
        }
        self.stdout.write(json.dumps(data, indent=2, ensure_ascii=False))

    def _print_table(self, found: dict[str, list[Diagnosis]], counts: dict[Level, int]) -> None:
        width = max(len(each.check) for findings in found.values() for each in findings)
        indent = " " * (12 + width)
        for group, findings in found.items():
            if not findings:
                continue
            self.stdout.write(self.style.MIGRATE_HEADING(group))
            for finding in findings:
                level = finding.level if finding.level != Level.PROBLEM else "PROBLEM"
                line = f"  {level:7}  {finding.check:{width}} {finding.seen}"
                self._write(finding.level, textwrap.fill(line, _WIDTH, subsequent_indent=indent))
                if finding.remedy:
                    remedy = f"{indent}→ {finding.remedy}"
                    self.stdout.write(
                        textwrap.fill(remedy, _WIDTH, subsequent_indent=f"{indent}  ")
                    )
        self.stdout.write("")
        total = sum(counts.values())
        self.stdout.write(
            f"{total} findings: {counts[Level.PROBLEM]} problems, {counts[Level.WARNING]} warnings."
        )

    def _write(self, level: Level, line: str) -> None:
        styles = {Level.WARNING: self.style.WARNING, Level.PROBLEM: self.style.ERROR}
        self.stdout.write(styles[level](line) if level in styles else line)
