"""`manage.py load_tokens FILE --issuer ORG`: list the tokens of an issuer's spreadsheet."""

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
    """List all rows or none, unless invalid rows are skipped; exit 1 when any row is invalid.

    Columns are named like the API's token fields, `price.buy` or `price_buy`. An empty cell is the
    field's default. The format is described in docs/catalogues.md.
    """

    help = (
        "List the tokens of a CSV or JSON file. Every invalid row is reported with its number and"
        " all its errors. Then nothing is loaded, or with --skip-bad only the valid rows."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the arguments."""
        parser.add_argument("file", type=Path, help="CSV (UTF-8) or JSON file")
        parser.add_argument(
            "--issuer",
            default="",
            metavar="ORG",
            help="id, email or name of the organisation that issues the tokens of rows without"
            " an issuer",
        )
        parser.add_argument(
            "--skip-bad",
            "--continue-on-error",
            action="store_true",
            help="load the valid rows even if others are invalid",
        )
        parser.add_argument("--dry-run", action="store_true", help="validate only, load nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Read, validate, list and report."""
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
            self._write_line(f"Ignored columns, managed by the exchange: {', '.join(file.ignored)}")
        result = load_catalogue(
            file=file,
            issuer=options["issuer"],
            actor=Actor.system("load_tokens"),
            skip_invalid=options["skip_bad"],
            dry_run=options["dry_run"],
            progress=self._progress(),
        )
        for row in result.invalid:
            symbol = f" ({row.symbol})" if row.symbol else ""
            self._write_line(f"{file.row_label} {row.number}{symbol}: {'; '.join(row.errors)}")
        summary = _summarise(result, dry_run=options["dry_run"])
        if result.invalid:
            raise CommandError(summary)
        self.stdout.write(summary)

    def _write_line(self, line: str) -> None:
        self.stderr.write(line, style_func=str)

    def _progress(self) -> Callable[[str, int, int], None]:
        """Return a progress bar on standard error if that is a terminal, else a no-op."""
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
    """Return one line about the whole file."""
    total = result.valid + len(result.invalid)
    rows = "1 row" if total == 1 else f"{total} rows"
    invalid = f"{len(result.invalid)} of {rows} invalid" if result.invalid else ""
    if dry_run:
        return f"{invalid or f'{rows} valid'}; nothing loaded (dry run)"
    listed = "1 token" if result.listed == 1 else f"{result.listed} tokens"
    if not invalid:
        return f"{listed} loaded"
    return f"{invalid}; {f'{listed} loaded' if result.listed else 'nothing loaded'}"
