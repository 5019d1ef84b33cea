"""Rates, spreads, fees and limits beyond their band: red for both people, with two reasons."""

from decimal import Decimal
from functools import partial

import pytest
from django.urls import reverse

from exchange.core.errors import InvalidRequest
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import messages_of, page, submit_confirmation, text_of
from tests.factories.configuration import set_setting
from tests.factories.wallets import make_staff
from wallets.fees import services
from wallets.fees.models import SettingChange
from wallets.fees.selectors import effective_setting

pytestmark = pytest.mark.django_db

WHY = "Confirmed by the treasury of the bank"
APPROVED = "Compared with two published sources"
# The last value within the band of the value before, and what is beyond it.
KINDS = [
    ("KES_USD_RATE", "129.5", "155.4", "12.95", "129.5 KES per USD → 12.95 KES per USD (-90.00 %)"),
    ("CONVERSION_SPREAD_GHS", "100", "1.5", "1.51", "1.00 % → 1.51 % (+51.00 %)"),
    ("NGN_WITHDRAWAL_FEE", "50", "75", "75.01", "50.00 NGN → 75.01 NGN (+50.02 %)"),
    ("MINIMUM_WITHDRAWAL_NGN", "100", "50", "49.99", "100.00 NGN → 49.99 NGN (-50.01 %)"),
    ("SECOND_APPROVAL_ABOVE_NGN", "1000", "1,500", "10,000", "(+900.00 %)"),
    ("CONVERSION_POSITION_LIMIT_USD", "100000", "150000", "1,000,000", "(+900.00 %)"),
]


@pytest.mark.parametrize(("key", "now", "within", "beyond", "shown"), KINDS)
@pytest.mark.one_in(3)
def test_a_value_beyond_the_band_needs_a_reason_of_both(
    office, finance, key, now, within, beyond, shown
):
    set_setting(key, now)
    address = reverse("admin:wallets_configuration_propose", args=[key])
    asked = submit_confirmation(office, address, value=beyond, reason=WHY)
    red = 'class="errornote" role="alert">'
    assert shown in text_of(asked)
    assert red in asked.content.decode()
    short = submit_confirmation(office, address, at=asked, value=beyond, reason="x")
    assert "A reason has at least 15 letters and two words" in text_of(short)
    assert not SettingChange.objects.filter(status="Pending").exists()
    submit_confirmation(office, address, at=asked, value=beyond, reason=WHY)
    change = SettingChange.objects.get(status="Pending")

    for name in ("change", "approve"):
        opened = finance.get(page(change, name))
        assert shown in text_of(opened)
        assert red in opened.content.decode()
    with assert_no_table_changes():
        asked = finance.get(page(change, "approve"))
        for reason in ("", "x"):
            submit_confirmation(finance, page(change, "approve"), at=asked, reason=reason)
    done = submit_confirmation(finance, page(change, "approve"), at=asked, reason=APPROVED)
    assert messages_of(done)[-1].startswith("Approved. ")
    change.refresh_from_db()
    assert (change.status, change.approval_reason) == ("Approved", APPROVED)
    assert effective_setting(key) == change.value


@pytest.mark.parametrize(("key", "now", "within", "beyond", "shown"), KINDS)
@pytest.mark.one_in(3)
def test_a_value_within_the_band_is_not_remarkable(
    office, finance, key, now, within, beyond, shown
):
    set_setting(key, now)
    address = reverse("admin:wallets_configuration_propose", args=[key])
    done = submit_confirmation(office, address, value=within, reason=WHY)
    assert messages_of(done) == ["Change proposed. It requires a second person's approval."]
    change = SettingChange.objects.get(status="Pending")
    asked = finance.get(page(change, "approve"))
    assert "errornote" not in asked.content.decode()
    assert b'name="reason"' not in asked.content
    submit_confirmation(finance, page(change, "approve"), at=asked)
    change.refresh_from_db()
    assert (change.status, change.approval_reason) == ("Approved", "")


def test_a_setting_that_is_a_choice_has_words_and_no_band(office):
    address = reverse("admin:wallets_configuration_propose", args=["PAYOUTS_ON_HOLD"])
    asked = office.get(address)
    assert "Payouts are sent" in text_of(asked)
    assert "Applies to every payout that is not sent yet." in text_of(asked)
    done = submit_confirmation(office, address, value="1", reason="The provider reports an outage")
    assert messages_of(done) == ["Change proposed. It requires a second person's approval."]
    assert SettingChange.objects.get().value == 1


def test_the_last_reason_is_not_given_again(office, finance):
    for key in ("NGN_WITHDRAWAL_FEE", "KES_WITHDRAWAL_FEE"):
        address = reverse("admin:wallets_configuration_propose", args=[key])
        shown = submit_confirmation(office, address, value="40", reason=f"  {WHY.upper()}")
    assert "This is your last reason again" in text_of(shown)
    assert SettingChange.objects.filter(status="Pending").count() == 1
    other = submit_confirmation(office, address, value="40", reason=f"{WHY}, Nairobi branch")
    assert messages_of(other) == ["Change proposed. It requires a second person's approval."]


def test_the_service_itself_wants_both_reasons():
    set_setting("KES_USD_RATE", "129.5")
    maker, decider = make_staff("propose_configuration"), make_staff("decide_configuration")
    change = services.propose(key="KES_USD_RATE", value=Decimal("12.95"), reason=WHY, user=maker)
    approve = partial(
        services.approve, change_id=change.pk, expected_value=Decimal("129.5"), user=decider
    )
    for reason in ("", "x"):
        with pytest.raises(InvalidRequest):
            approve(reason=reason)
    assert approve(reason=APPROVED).approval_reason == APPROVED
