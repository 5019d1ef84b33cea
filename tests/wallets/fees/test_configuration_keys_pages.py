"""Pages of settings: allowed values, upcoming changes and history."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags

from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import page, submit_confirmation, text_of
from tests.factories.configuration import set_setting
from tests.factories.configuration_pages import FEE, approve, propose
from wallets.fees.definitions import setting_definitions
from wallets.fees.models import Configuration, SettingChange
from wallets.fees.selectors import effective_setting, settings_with_values

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (FEE, "-1", "Enter a number such as 12,500.50"),
        (FEE, "1.005", "At most 2 decimals"),
        ("UGX_WITHDRAWAL_FEE", "1.5", "No decimals"),
        (FEE, "Infinity", "Enter a number such as 12,500.50"),
        (FEE, "1000000000000001", "From 0 to 1,000,000,000,000,000 NGN"),
        ("NGN_USD_RATE", "0", "From 0.00000001 to 1,000,000,000,000,000 NGN per USD"),
        ("MINIMUM_WITHDRAWAL_NGN", "0.5", "From 1 to 1,000,000,000,000,000 NGN"),
        ("SECOND_APPROVAL_ABOVE_NGN", "0", "From 0.01 to 1,000,000,000,000,000 NGN"),
    ],
)
def test_a_value_out_of_bounds_is_not_proposed(office, key, value, message):
    with assert_no_table_changes():
        response = propose(office, value, key=key)
    assert response.status_code == 200
    assert message in text_of(response)


@pytest.mark.parametrize("after", [timedelta(hours=-1), timedelta(days=400)])
def test_the_effective_date_is_within_the_next_12_months(office, after):
    with assert_no_table_changes():
        message = text_of(propose(office, after=after))
    assert "Choose a date and time within the next 12 months" in message


def test_every_defined_setting_exists():
    assert set(Configuration.objects.values_list("key", flat=True)) == set(setting_definitions())


def test_a_setting_page_shows_pending_upcoming_and_past_changes(office, finance):
    propose(office, "60")
    approve(finance, SettingChange.objects.get())
    propose(office, "70")
    rejected = SettingChange.objects.get(status="Pending")
    submit_confirmation(finance, page(rejected, "reject"), reason="Too much, checked with the bank")
    propose(office, "80", after=timedelta(hours=2))
    approve(finance, SettingChange.objects.get(status="Pending"))
    propose(office, "65")
    response = office.get(reverse("admin:wallets_configuration_change", args=[FEE]))
    ahead, history = response.context["sections"][:2]
    assert [(text(row[0]), text(row[1])) for row in ahead.rows] == [
        ("60.00 NGN → 65.00 NGN", "Pending"),
        ("60.00 NGN → 80.00 NGN", "Approved"),
    ]
    assert [[text(cell) for cell in row[1:6]] for row in history.rows] == [
        ["-", "70.00 NGN", "Rejected", "back-office", "finance-approver"],
        ["50.00 NGN", "60.00 NGN", "Effective", "back-office", "finance-approver"],
        ["-", "50.00 NGN", "Initial value", "-", "-"],
    ]
    (row,) = settings_with_values().filter(key=FEE)
    assert (row.effective_value, row.upcoming_value, row.pending_value) == (60, 80, 65)  # type: ignore[attr-defined]


def text(cell: object) -> str:
    return re.sub("<[^>]+>", "", str(cell))


def test_requests_and_pages_use_the_same_effective_values():
    for row in Configuration.objects.all():
        set_setting(row.key, row.value + 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM withdrawal_settings('KES')")
        assert cursor.fetchone() == (101, 31, 130, 500_001, 1)
    assert {row.key: row.effective_value for row in settings_with_values()} == {  # type: ignore[attr-defined]
        row.key: effective_setting(row.key) for row in Configuration.objects.all()
    }


def test_lists_take_a_constant_number_of_queries(office):
    addresses = [
        reverse(f"admin:wallets_{name}_changelist") for name in ("configuration", "settingchange")
    ]
    counts = []
    for key in ("KES_WITHDRAWAL_FEE", FEE, "GHS_WITHDRAWAL_FEE"):
        propose(office, "20", key=key)
        for address in addresses:
            with CaptureQueriesContext(connection) as made:
                office.get(address)
            counts.append(len(made))
    assert counts[2:4] == counts[4:6]
    assert max(counts[2:]) <= 10


def test_one_table_has_the_settings_of_every_currency(office):
    set_setting("KES_USD_RATE", Decimal("129.5"))
    set_setting("CONVERSION_SPREAD_USD", Decimal(150))
    propose(office, "1234567.5")
    shown = office.get(reverse("admin:wallets_configuration_by_currency"))
    (section,) = shown.context["sections"]
    assert section.headings == ("Setting", "NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD")
    rows = {name: [strip_tags(cell) for cell in cells] for name, *cells in section.rows}
    assert list(rows) == [
        "Minimum withdrawal", "Withdrawal fee", "Internal fee", "Rate to USD",
        "Second approval from", "Second approval from, 24 hours",
        "Approvals by one person, 24 hours", "Conversion spread", "Position limit",
    ]  # fmt: skip
    assert rows["Withdrawal fee"][0] == "50.001,234,567.50 pending"
    assert rows["Rate to USD"][1] == "129.5"
    assert rows["Rate to USD"][6] == "-"
    assert rows["Conversion spread"][6] == "1.50 %"
    address = reverse("admin:wallets_configuration_change", args=["KES_USD_RATE"])
    assert f'<a href="{address}">129.5</a>' in shown.content.decode()


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("Position limit, KES", ["CONVERSION_POSITION_LIMIT_KES"]),
        ("kes rate USD", ["KES_USD_RATE"]),
        (FEE, [FEE]),
        ("bears the provider's charge", ["DEPOSIT_FEE_BORNE_BY_OWNER"]),
        ("nothing like this", []),
    ],
)
def test_settings_are_found_by_what_the_list_shows(office, term, found):
    shown = office.get(reverse("admin:wallets_configuration_changelist"), {"q": term})
    assert [row.key for row in shown.context["cl"].result_list] == found
