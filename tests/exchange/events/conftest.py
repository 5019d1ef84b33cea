"""The organisation that most tests of events need."""

import pytest

from exchange.participants.models import Organisation
from tests.factories.api_clients import make_organisation


@pytest.fixture
def owner() -> Organisation:
    return make_organisation()
