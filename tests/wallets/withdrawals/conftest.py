"""Fixtures of withdrawals: who requests them."""

import pytest

from exchange.participants.models import Member, Organisation
from tests.factories.back_office import fund, make_participants


@pytest.fixture
def owners() -> tuple[Organisation, Member]:
    """An organisation and its member, each with money in four currencies."""
    organisation, member = make_participants()
    for currency, amount in (
        ("NGN", "9000000"),
        ("KES", "1000000"),
        ("GHS", "5000"),
        ("ZAR", "900"),
    ):
        fund(organisation, member, currency, amount)
        fund(organisation, None, currency, amount)
    return organisation, member
