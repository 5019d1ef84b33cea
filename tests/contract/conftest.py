"""Fixtures of the contract tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.access import ApiCaller, make_caller
from tests.support.borrowing import Borrowing
from tests.support.lending import make_lending
from tests.support.withdrawals import Desk, store_bank_lists
from wallets.services.banks import forget_bank_lists


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    """An organisation with a key and a member; refusals must be able to roll back."""
    return Desk()


@pytest.fixture
def bank_lists(transactional_db: None) -> Iterator[None]:
    """Fresh bank lists of every currency, so that no provider is asked for them."""
    store_bank_lists()
    yield
    forget_bank_lists()


@pytest.fixture
def lender(db: None) -> ApiCaller:
    """The key of an organisation that lends."""
    return make_caller()


@pytest.fixture
def firm(transactional_db: None) -> Borrowing:
    """The world of `Lending`, and a key of the borrower's organisation."""
    world = make_lending()
    return Borrowing(world, make_caller(organisation=world.borrower.organisation))
