"""The rows of the growth benchmark are those of a ledger: the proof of books passes on them."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from exchange.core.ids import uuid7
from tests.benchmarks.growth_dataset import fill
from tests.environment.database import extra_database, server_url
from tests.environment.processes import CHECKOUT


@pytest.mark.slow
@pytest.mark.usefixtures("django_db_setup")
def test_the_proof_of_books_passes_on_the_rows_and_their_indexes_are_back(tmp_path: Path) -> None:
    with extra_database("growth", migrated=True) as name:
        url, organisation = server_url(name), str(uuid7())
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO exchange_organisation"
                " (id, name, email, created_at, updated_at, active)"
                " VALUES (%s, 'Growth', '', now(), now(), true)",
                [organisation],
            )
            indexes = connection.execute("SELECT count(*) FROM pg_indexes").fetchone()
            entries = fill(url, organisation, 19_000, members=450)
            assert connection.execute("SELECT count(*) FROM wallets_entry").fetchone() == (entries,)
            assert connection.execute("SELECT count(*) FROM pg_indexes").fetchone() == indexes
            invalid = connection.execute("SELECT FROM pg_index WHERE NOT indisvalid").fetchall()
            assert invalid == []
        proven = subprocess.run(
            [sys.executable, "manage.py", "prove_books"],
            cwd=CHECKOUT,
            env={
                **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
                "DJANGO_SETTINGS_MODULE": "config.settings.local",
                "DATA_DIR": str(tmp_path),
                "DATABASE_URL": url,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert proven.returncode == 0, proven.stdout + proven.stderr
