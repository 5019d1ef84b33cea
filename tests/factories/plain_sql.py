"""Rows made by plain SQL, in the owner's transaction, which is rolled back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.db.models import Model

from exchange.core.ids import uuid7
from tests.assertions.statement_results import rolled_back
from tests.environment.database import Connection
from tests.factories.bare_rows import insert_row

SYSTEM_KINDS = frozenset(
    ("clearing", "fees", "expenses", "issuance", "loans", "treasury", "position", "unmatched")
)


@dataclass
class Books:
    """The owner's connection, and an organisation."""

    owner: Connection
    organisation: UUID

    def value(self, statement: str, values: Any = ()) -> Any:
        """Return the only value of the only row."""
        [(value,)] = self.owner.execute(statement, values).fetchall()
        return value

    def rows(self, statement: str, values: Any = ()) -> list[Any]:
        return self.owner.execute(statement, values).fetchall()

    def account(
        self, kind: str = "available", asset: str = "KES", organisation: UUID | None = None
    ) -> UUID:
        """Return the organisation's account, or the system account of that kind."""
        owner = None if kind in SYSTEM_KINDS else organisation or self.organisation
        found: UUID = self.value(
            "SELECT open_account(%s, %s, %s, %s, NULL)", [uuid7(), asset, kind, owner]
        )
        return found

    def post(self, kind: str, *legs: tuple[UUID, str], subject: UUID | None = None) -> UUID:
        """Post one transfer; its record is checked only with the deferred constraints."""
        made = uuid7()
        self.post_set([(made, kind, subject)], [(made, *leg) for leg in legs])
        return made

    def post_set(
        self,
        transfers: list[tuple[UUID, str, UUID | None]],
        legs: list[tuple[UUID, UUID, str]],
        function: str = "post_transfers",
    ) -> None:
        self.owner.execute(
            f"SELECT {function}(%s::uuid[], %s::text[], %s::text[], %s::uuid[], %s::text[],"
            " %s::text[], %s::uuid[], %s::uuid[], %s::numeric[])",
            [
                [made for made, _, _ in transfers],
                [kind for _, kind, _ in transfers],
                [f"{kind}:{made}" for made, kind, _ in transfers],
                [subject for _, _, subject in transfers],
                ["system:test" for _ in transfers],
                ["" for _ in transfers],
                [transfer for transfer, _, _ in legs],
                [account for _, account, _ in legs],
                [amount for _, _, amount in legs],
            ],
        )

    def insert(self, table: str, **given: Any) -> UUID:
        """Insert a row past all guards; return its id if that is a UUID."""
        with self.unguarded():
            made: Any = insert_row(self.owner, _models()[table], **given).get("id")
        found: UUID = made
        return found

    @contextmanager
    def unguarded(self) -> Iterator[None]:
        """Disable triggers and foreign keys inside the block."""
        self.owner.execute("SET LOCAL session_replication_role = replica")
        yield
        self.owner.execute("SET LOCAL session_replication_role = origin")


@cache
def _models() -> dict[str, type[Model]]:
    """Return the models by table name."""
    return {each._meta.db_table: each for each in apps.get_models(include_auto_created=True)}


def make_organisation(owner: Connection) -> UUID:
    made = uuid7()
    owner.execute(
        "INSERT INTO exchange_organisation (id, name, email, active, created_at, updated_at)"
        " VALUES (%s, 'One', '', true, now(), now())",
        [made],
    )
    return made


@pytest.fixture
def books(owner_connection: Connection) -> Iterator[Books]:
    """Books that the owner writes to; rolled back after the test."""
    with rolled_back(owner_connection) as owner:
        yield Books(owner, make_organisation(owner))
