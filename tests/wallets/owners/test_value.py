"""The value of all that an owner has, in USD, under the title of its page."""

from decimal import Decimal

import pytest

from config.back_office.roles import AUDITOR, SUPPORT
from exchange.participants.models import Member
from tests.factories.back_office import fund, make_participants, page, signed_in_client, text_of
from tests.factories.conversions import set_rates
from tests.factories.lending import make_lending
from tests.factories.treasury import make_debt
from wallets.owners.value import value_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _rates() -> None:
    set_rates(NGN="1500", KES="130")


def test_money_in_all_currencies_counts_at_its_rate():
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "3000")
    fund(organisation, member, "KES", "195")
    fund(organisation, member, "USD", "7.25")
    fund(organisation, None, "USD", "1000")
    # 3000 / 1500 + 195 / 130 + 7.25
    assert value_of(member.pk).total == Decimal("10.75")
    assert value_of(member.pk).uncleared == 0


def test_the_value_is_rounded_once_half_even():
    organisation, member = make_participants()
    fund(organisation, member, "KES", "0.65")  # 0.005
    assert value_of(member.pk).total == Decimal("0.00")
    fund(organisation, None, "KES", "1.95")  # 0.015
    assert value_of(organisation.pk).total == Decimal("0.02")


def test_units_count_at_their_sell_price_wherever_they_are():
    lending = make_lending(units=300)
    # 300 units at 10,000 NGN, and 100 NGN.
    assert value_of(lending.borrower.owner_id).total == Decimal("2000.07")
    lending.lend()  # 105 units are pledged, 840,000 NGN arrived
    assert value_of(lending.borrower.owner_id).total == Decimal("2560.07")


def test_what_is_owed_is_taken_off_and_the_page_shows_it():
    debt = make_debt(1300)
    member = Member.objects.get(pk=debt.owner_id)
    assert value_of(member.pk).total == Decimal(-10)
    shown = text_of(signed_in_client(AUDITOR).get(page(member)))
    assert "Total value -10.00 USD Verification Unverified Last activity (UTC) 2" in shown


def test_a_currency_without_a_rate_is_named_and_not_counted():
    set_rates(NGN="1500", KES="130", GHS="0")
    organisation, member = make_participants()
    fund(organisation, member, "GHS", "50")
    fund(organisation, member, "KES", "130")
    found = value_of(member.pk)
    assert (found.total, found.unrated) == (Decimal(1), ["GHS"])
    shown = text_of(signed_in_client(SUPPORT).get(page(member)))
    assert "Total value 1.00 USD without GHS" in shown
