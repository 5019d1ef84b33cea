"""Fixtures of the contract tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

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
