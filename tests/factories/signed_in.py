"""Fixtures: signed-in browsers of the roles that most tests of pages need."""

import pytest
from django.test import Client

from config.back_office.roles import AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from tests.factories.back_office import signed_in_client


@pytest.fixture
def office() -> Client:
    return signed_in_client(BACK_OFFICE)


@pytest.fixture
def finance() -> Client:
    return signed_in_client(FINANCE_APPROVER)


@pytest.fixture
def auditor() -> Client:
    return signed_in_client(AUDITOR)


@pytest.fixture
def maker() -> Client:
    """A finance approver who proposes."""
    return signed_in_client(FINANCE_APPROVER, "maker")


@pytest.fixture
def checker() -> Client:
    """A finance approver who decides about what the maker proposes."""
    return signed_in_client(FINANCE_APPROVER, "checker")
