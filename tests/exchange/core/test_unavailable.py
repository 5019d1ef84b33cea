"""Which errors of the database mean that it is unavailable."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import RequestFactory

from config.error_views import server_error
from exchange.api.exceptions import handle_exception
from exchange.core.database import is_unavailable

pytestmark = pytest.mark.django_db


def error_of(*statements: str) -> DatabaseError:
    """Return the error that one of the statements raises, in a transaction of their own."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
    except DatabaseError as error:
        return error
    raise AssertionError("no statement failed")


def read_only_error() -> DatabaseError:
    """Return the error of a write to a standby, such as a primary that was demoted."""
    return error_of(
        "SET LOCAL transaction_read_only = on",
        "INSERT INTO exchange_scheduledrun (task, published_at) VALUES ('a', now())",
    )


def failed_statement() -> DatabaseError:
    return error_of("SELECT 1/0")


def test_a_demoted_primary_is_unavailable_and_a_failed_statement_is_not():
    assert is_unavailable(read_only_error())
    assert not is_unavailable(failed_statement())
    assert not is_unavailable(None)


def test_the_api_responds_503_to_a_write_that_a_demoted_primary_rejected():
    response = handle_exception(read_only_error(), {})
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert handle_exception(failed_statement(), {}).status_code == 500


def test_pages_respond_503_to_a_write_that_a_demoted_primary_rejected():
    try:
        raise read_only_error()
    except DatabaseError:
        assert server_error(RequestFactory().get("/admin/")).status_code == 503
