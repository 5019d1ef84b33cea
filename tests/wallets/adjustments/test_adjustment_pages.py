"""Adjusting entries in the back office."""

import pytest
from django.urls import reverse

from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.adjustments import WHY, adjust, break_terms, make_explained_break
from tests.factories.back_office import messages_of, page, submit_confirmation, text_of
from tests.factories.breaks import make_break
from tests.factories.treasury import system_balance
from wallets.adjustments.models import AdjustingEntry

pytestmark = pytest.mark.django_db

ADD = "admin:wallets_adjustingentry_add"


def body(**changes: str) -> dict[str, str]:
    values = {"kind": "bank_charge", "currency": "NGN", "direction": "less", "amount": "26.88"}
    return values | {"account": "expenses", "note": WHY, **changes}


def test_one_person_proposes_and_another_one_confirms(maker, checker):
    response = maker.post(reverse(ADD), body())
    entry = AdjustingEntry.objects.get()
    assert messages_of(response) == ["Entry proposed. A second person must confirm it."]
    asked = text_of(checker.get(page(entry, "confirm")))
    assert "Confirm bank charge of 26.88 NGN?" in asked
    assert "Clearing falls to what the payment provider holds, against expenses." in asked
    refused = submit_confirmation(maker, page(entry, "confirm"))
    assert messages_of(refused)[-1] == (
        "Someone other than the proposer must approve this. No changes were made."
    )
    assert system_balance("expenses", "NGN") == 0
    done = submit_confirmation(checker, page(entry, "confirm"))
    assert messages_of(done)[-1] == "Confirmed. 26.88 NGN posted."
    assert str(system_balance("expenses", "NGN")) == "-26.88000000"
    assert "Adjusting entry" in text_of(checker.get(page(entry, "change")))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"note": ""}, "This field is required"),
        ({"note": "Bank fee"}, "at least 15 letters and two words"),
        ({"account": "available"}, "not one of the available choices"),
        ({"kind": "explained_break"}, "not one of the available choices"),
        ({"account": "fees"}, "A bank charge is an expense"),
        ({"amount": "0"}, "Enter an amount above 0"),
    ],
)
@pytest.mark.one_in(3)
def test_errors_stay_in_the_form(finance, changes, words):
    with assert_no_table_changes():
        shown = text_of(finance.post(reverse(ADD), body(**changes)))
    assert words in shown


def test_an_explained_break_is_booked_from_its_page(maker, checker):
    found = make_explained_break("-100")
    adjust(break_terms(found, 30))
    assert "Propose adjusting entry" in text_of(maker.get(page(found, "change")))
    address = page(found, "adjust")
    assert 'value="70' in maker.get(address).content.decode()
    assert "are left to be booked" in text_of(
        maker.post(address, {"account": "expenses", "amount": "70.01", "note": WHY})
    )
    maker.post(address, {"account": "treasury", "amount": "70", "note": WHY})
    entry = AdjustingEntry.objects.get(status="Pending")
    submit_confirmation(checker, page(entry, "confirm"))
    assert system_balance("treasury", "NGN") == -70
    shown = text_of(checker.get(page(found, "change")))
    assert "Propose adjusting entry" not in shown
    assert "Treasury 70.00 NGN Approved" in shown


def test_an_open_break_cannot_be_booked(finance):
    found = make_break("-100")
    assert "Propose adjusting entry" not in text_of(finance.get(page(found, "change")))
    with assert_no_table_changes():
        shown = finance.post(
            page(found, "adjust"), {"account": "expenses", "amount": "1", "note": WHY}
        )
    assert "Only a variance that is explained, closed" in text_of(shown)
