"""Fixtures: a lender and a borrower, a defaulted loan, two credit officers, a database role."""

from collections.abc import Iterator

import pytest
from django.test import Client

from config.back_office.roles import CREDIT_OFFICER
from credit.loans.models import Loan
from tests.environment.database import Connection, session
from tests.factories.back_office import signed_in_client
from tests.factories.lending import Lending, make_lending
from tests.factories.loans import make_defaulted_loan


@pytest.fixture
def lending() -> Lending:
    return make_lending()


@pytest.fixture
def runtime() -> Iterator[Connection]:
    """A connection with the application's role, in autocommit mode."""
    with session("runtime") as connection:
        connection.autocommit = True
        yield connection


@pytest.fixture
def loan(lending) -> Loan:
    """A defaulted loan: 105 units at 10,000 against 1,596,000 owed."""
    return make_defaulted_loan(lending)


@pytest.fixture
def ada() -> Client:
    return signed_in_client(CREDIT_OFFICER, "ada")


@pytest.fixture
def ben() -> Client:
    return signed_in_client(CREDIT_OFFICER, "ben")
