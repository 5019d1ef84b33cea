"""Assertions that PostgreSQL refuses what the service's login writes by plain SQL."""

from collections.abc import Mapping

import psycopg
import pytest
from psycopg import errors

from exchange.tokens.models import Token
from tests.assertions.unchanged import table_fingerprints
from tests.environment.database import session


def assert_login_refused(attacks: Mapping[tuple[str, Token], str | None], proposals: str) -> None:
    """Assert that each statement on a token fails by its constraint (None: by none that is named).

    Nothing changes, and the table `proposals` loses no row.
    """
    before = table_fingerprints()
    found = {}
    for statement, token in attacks:
        with session("runtime") as connection, pytest.raises(psycopg.Error) as refused:
            connection.execute(statement, {"id": token.id})
        found[statement, token] = refused.value.diag.constraint_name
    assert found == attacks
    with session("runtime") as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute(f"DELETE FROM {proposals}")
    assert table_fingerprints() == before
