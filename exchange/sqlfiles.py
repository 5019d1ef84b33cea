"""Installs functions and triggers from readable `.sql` files, as migration operations.

Each file creates or replaces what it names, so a later migration that changes a file lists it
again. Reversing does nothing: the tables below go with their own operations.
"""

from __future__ import annotations

from pathlib import Path

from django.db.migrations.operations import RunSQL


def install(app: str, *names: str) -> list[RunSQL]:
    """One operation for each of `names` (without `.sql`) in the `sql` folder of `app`."""
    folder = Path(__file__).resolve().parent.parent / app / "sql"
    return [
        # Parameters None: the text is sent as it is, a per cent sign stays one.
        RunSQL([((folder / f"{name}.sql").read_text(), None)], reverse_sql=RunSQL.noop)
        for name in names
    ]
