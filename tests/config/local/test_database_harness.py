"""The database harness of the tests."""

import os
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from config.local.embedded.layout import postgres_dir
from tests.environment import run_order, template_cache

pytestmark = pytest.mark.django_db


def test_tests_act_as_the_runtime_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("exchange_runtime",)


@pytest.mark.django_db(transaction=True)
def test_flush_removes_what_tests_wrote_and_restores_what_migrations_wrote(
    owner_connection: psycopg.Connection[Any],
) -> None:
    seeded = "SELECT array_agg(c ORDER BY c.key) FROM wallets_configuration c"
    before = owner_connection.execute(seeded).fetchone()
    assert before is not None
    assert before[0]
    owner_connection.execute("SET session_replication_role = replica")
    owner_connection.execute("DELETE FROM wallets_configuration")
    owner_connection.execute("INSERT INTO django_content_type (app_label, model) VALUES ('a', 'b')")

    call_command("flush", interactive=False)

    assert owner_connection.execute(seeded).fetchone() == before
    left = "SELECT count(*) FROM django_content_type WHERE app_label = 'a'"
    assert owner_connection.execute(left).fetchone() == (0,)


def test_the_stored_template_is_named_by_migrations_sql_and_what_they_import() -> None:
    names = {str(path.relative_to(template_cache.CHECKOUT)) for path in template_cache.sources()}

    for pattern in ("*/migrations/*.py", "*/*/sql/*.sql", "*/*/models.py", "*/apps.py"):
        for path in template_cache.CHECKOUT.glob(pattern):
            assert str(path.relative_to(template_cache.CHECKOUT)) in names
    assert {
        "config/back_office/roles.py",
        "exchange/core/sqlfiles.py",
        "wallets/withdrawals/payloads.py",
    } <= names
    assert not any("/admin" in name or "/api" in name for name in names)


def test_one_changed_letter_gives_another_template(tmp_path: Path) -> None:
    (tmp_path / "rules.sql").write_text("SELECT 1")
    before = template_cache.template_hash([tmp_path / "rules.sql"])
    assert template_cache.template_hash([tmp_path / "rules.sql"]) == before

    (tmp_path / "rules.sql").write_text("SELECT 2")

    assert template_cache.template_hash([tmp_path / "rules.sql"]) != before


def test_a_template_is_stored_completely_and_the_oldest_are_dropped(tmp_path: Path) -> None:
    made = tmp_path / "made"
    (postgres_dir(made) / "data").mkdir(parents=True)
    (postgres_dir(made) / "data" / "PG_VERSION").write_text("18")
    cache_dir = tmp_path / "kept"

    for age, name in enumerate(("a", "b", "c", "d")):
        template_cache.store_template(name, made, cache_dir)
        os.utime(cache_dir / f"template-{name}", (age, age))
    template_cache.store_template("d", made, cache_dir)

    assert sorted(path.name for path in cache_dir.iterdir()) == [
        "template-b", "template-c", "template-d"
    ]  # fmt: skip
    assert not template_cache.restore_template("a", tmp_path / "run", cache_dir)
    assert template_cache.restore_template("d", tmp_path / "run", cache_dir)
    assert (postgres_dir(tmp_path / "run") / "data" / "PG_VERSION").read_text() == "18"


def test_a_seed_gives_one_order_of_all_tests_whatever_they_were_collected_in() -> None:
    """Modules stay together, since their fixtures are built once."""
    items: list[Any] = [
        SimpleNamespace(path=Path(module), nodeid=f"{module}::{test}")
        for module in "abcdefgh"
        for test in range(9)
    ]
    order = run_order.shuffled(items, "7")
    assert order == run_order.shuffled(reversed(items), "7")
    assert order != run_order.shuffled(items, "8")
    assert sorted(item.nodeid for item in order) == [item.nodeid for item in items]
    assert len(list(groupby(order, lambda item: item.path))) == 8
    assert [item.nodeid for item in order if item.path == Path("a")] != [
        f"a::{test}" for test in range(9)
    ]


def test_modules_that_start_first_exist() -> None:
    named = run_order.WAITING.keys() | run_order.COMPUTING.keys()
    tests = template_cache.CHECKOUT / "tests"
    assert [name for name in sorted(named) if not (tests / name).is_file()] == []
