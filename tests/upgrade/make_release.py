"""`make dump`: writes this version's database with rows in every table, and its OpenAPI document.

Run once for each release: the databases of a release no longer change. Uses the oldest supported
server, because dumps can only be restored on the same or later ones. The suite does not collect
this module, because its name is not that of a test.
"""

from tests.assertions.openapi import document_with_events
from tests.environment.database import Connection
from tests.environment.services import Sandbox
from tests.upgrade.dumps import OLDEST_SERVER, dump_path, version, write_dump
from tests.upgrade.openapi_changes import document_path, write_document
from tests.upgrade.records import make_rows_in_every_table
from tests.upgrade.rows import empty_tables


def test_write_the_database_of_this_version_to_a_file(
    provider_sandbox: Sandbox, transactional_db: None, owner_connection: Connection
) -> None:
    path = dump_path(version())
    server = owner_connection.info.server_version
    assert server // 10_000 == OLDEST_SERVER, (
        f"DATABASE_URL is to name a PostgreSQL {OLDEST_SERVER}"
    )
    assert not path.exists(), f"{path.name} is there: a release is dumped once"
    credentials = make_rows_in_every_table()
    assert empty_tables(owner_connection) == []
    write_dump(path, credentials)
    write_document(document_path(version()), document_with_events())
