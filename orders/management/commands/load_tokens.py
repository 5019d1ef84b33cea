"""`manage.py load_tokens FILE --issuer ORG`: lists the tokens of an issuer's spreadsheet."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exchange.core.actors import Actor
from exchange.core.errors import DomainError
from orders.listings.services.catalogue_files import read_catalogue
from orders.listings.services.catalogues import LoadResult, find_organisation, load_catalogue

_BAR_WIDTH = 30
_REDRAW_SECONDS = 0.1


class Command(BaseCommand):
    """All or nothing, unless bad rows are to be skipped; exit 1 when any row is bad.

    Columns are named like the API's fields of a token, `price.buy` or `price_buy` alike. An empty
    cell is the field's default. docs/catalogues.md has the format.
    """

    help = (
        "List the tokens of a CSV or JSON file. Every bad row is reported with its number and all"
        " that is wrong with it; then nothing is loaded, or with --skip-bad the good rows."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to load, for whom, and how."""
        parser.add_argument("file", type=Path, help="CSV (UTF-8) or JSON file")
        parser.add_argument(
            "--issuer",
            default="",
            metavar="ORG",
            help="id, email or name of the organisation that issues the tokens, where the file"
            " has no issuer in a row",
        )
        parser.add_argument(
            "--skip-bad",
            "--continue-on-error",
            action="store_true",
            help="load the good rows even if there are bad ones",
        )
        parser.add_argument("--dry-run", action="store_true", help="check only, load nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Reads, checks, lists and reports."""
        path: Path = options["file"]
        if options["issuer"]:
            issuer = find_organisation(options["issuer"])
            if isinstance(issuer, str):
                raise CommandError(issuer)
        try:
            file = read_catalogue(path)
        except DomainError as error:
            raise CommandError(f"{path}: {error.message}") from error
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror or error}") from error
        if file.ignored:
            self._say(f"Without effect, the service keeps these itself: {', '.join(file.ignored)}")
        result = load_catalogue(
            file=file,
            issuer=options["issuer"],
            actor=Actor.system("load_tokens"),
            skip_invalid=options["skip_bad"],
            dry_run=options["dry_run"],
            progress=self._progress(),
        )
        for bad in result.invalid:
            symbol = f" ({bad.symbol})" if bad.symbol else ""
            self._say(f"{file.row_label} {bad.number}{symbol}: {'; '.join(bad.errors)}")
        summary = _summarise(result, dry_run=options["dry_run"])
        if result.invalid:
            raise CommandError(summary)
        self.stdout.write(summary)

    def _say(self, line: str) -> None:
        self.stderr.write(line, style_func=str)

    def _progress(self) -> Callable[[str, int, int], None]:
        """Draws a bar on the standard error when that is a terminal; otherwise nothing."""
        if not self.stderr.isatty():
            return lambda _doing, _done, _of: None
        drawn_at = 0.0

        def draw(doing: str, done: int, of: int) -> None:
            nonlocal drawn_at
            now = time.monotonic()
            if done < of and now - drawn_at < _REDRAW_SECONDS:
                return
            drawn_at = now
            bar = "#" * (_BAR_WIDTH * done // of)
            line = f"\r{doing:<8} [{bar:<{_BAR_WIDTH}}] {done}/{of}"
            self.stderr.write(line, style_func=str, ending="\n" if done == of else "")
            self.stderr.flush()

        return draw


def _summarise(result: LoadResult, *, dry_run: bool) -> str:
    """One line about the whole file."""
    total = result.valid + len(result.invalid)
    rows = "1 row" if total == 1 else f"{total} rows"
    bad = f"{len(result.invalid)} of {rows} bad" if result.invalid else ""
    if dry_run:
        return f"{bad}; nothing was loaded" if bad else f"{rows} good; nothing was loaded"
    listed = "1 token" if result.listed == 1 else f"{result.listed} tokens"
    if not bad:
        return f"{listed} loaded"
    return f"{bad}; {f'{listed} loaded' if result.listed else 'nothing was loaded'}"
