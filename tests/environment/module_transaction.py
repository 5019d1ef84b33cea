"""Records that all tests of a module share, for what takes seconds to make."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from pytest_django import DjangoDbBlocker


@contextmanager
def module_transaction(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Keep what is written inside until the block ends; then it is taken back.

    For a fixture of the scope `module`. Each test's own transaction becomes a part of this one, and
    is taken back as ever. PostgreSQL's `now()` stays at the beginning. No test of the module may
    commit.
    """
    with blocker.unblock(), transaction.atomic():
        # A test's own, to Django: code that must be outermost runs within it.
        transaction.get_connection().atomic_blocks[-1]._from_testcase = True
        yield
        transaction.set_rollback(True)
