"""Pages of conversions: every number has its unit."""

from decimal import Decimal

import pytest
from django.urls import reverse

from tests.factories.api_clients import make_organisation
from tests.factories.back_office import text_of
from tests.factories.configuration import set_setting
from tests.factories.conversions import convert, set_rates
from tests.factories.wallets import Wallet

pytestmark = pytest.mark.django_db


def test_rates_and_spreads_of_a_conversion_have_their_units(auditor):
    set_rates(NGN=1290, KES=129)
    set_setting("CONVERSION_SPREAD_NGN", Decimal(0))
    set_setting("CONVERSION_SPREAD_KES", Decimal(150))
    done = convert(Wallet(make_organisation()).fund(5000, "NGN"), 1000, "NGN", "KES")
    shown = text_of(auditor.get(reverse("admin:wallets_conversion_change", args=[done.pk])))
    assert "Rate 0.0985 KES per NGN" in shown
    assert "Rates 1,290 NGN, 129 KES per USD" in shown
    assert "Spreads 0.00 % NGN, 1.50 % KES" in shown
    assert "0.0985 KES per NGN" in text_of(
        auditor.get(reverse("admin:wallets_conversion_changelist"))
    )
