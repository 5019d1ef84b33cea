"""Fixtures of the contract tests."""

from collections.abc import Iterator

import pytest

from tests.environment.module_database import module_database, module_rows
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.borrower_api import BorrowerApi
from tests.factories.lending import make_lending
from tests.factories.withdrawals import WithdrawalApi, store_bank_lists
from wallets.banks.services import clear_bank_cache

__all__ = ["module_database", "module_rows"]


@pytest.fixture
def withdrawal_api(transactional_db: None) -> WithdrawalApi:
    """An organisation with a key and a member; refusals must be able to roll back."""
    return WithdrawalApi()


@pytest.fixture
def bank_lists(transactional_db: None) -> Iterator[None]:
    """Fresh bank lists of every currency, so that no provider is asked for them."""
    store_bank_lists()
    yield
    clear_bank_cache()


@pytest.fixture(scope="module")
def module_bank_lists(module_database: None) -> None:
    """The same for all tests of a module."""
    store_bank_lists()


@pytest.fixture
def lender(db: None) -> ApiCaller:
    """The key of an organisation that lends."""
    return make_caller()


@pytest.fixture
def firm(transactional_db: None) -> BorrowerApi:
    """The world of `Lending`, and a key of the borrower's organisation."""
    lending = make_lending()
    return BorrowerApi(lending, make_caller(organisation=lending.borrower.organisation))
