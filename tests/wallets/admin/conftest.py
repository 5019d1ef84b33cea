"""Who works in the back office."""

from __future__ import annotations

import pytest
from django.test import Client

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from tests.factories.back_office import signed_in


@pytest.fixture
def office() -> Client:
    return signed_in(BACK_OFFICE)


@pytest.fixture
def finance() -> Client:
    return signed_in(FINANCE_APPROVER)
