"""Records that take seconds to make, shared by all tests of a module."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from pytest_django import DjangoDbBlocker


@contextmanager
def module_transaction(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Open a transaction that is rolled back when the block ends.

    For a fixture of scope `module`. Each test's transaction is nested in it and rolled back as
    usual. PostgreSQL's `now()` stays at the beginning. No test of the module may commit.
    """
    with blocker.unblock(), transaction.atomic():
        # Django treats it as a test's transaction, so durable blocks run inside it.
        transaction.get_connection().atomic_blocks[-1]._from_testcase = True
        yield
        transaction.set_rollback(True)
