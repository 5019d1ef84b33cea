"""A figure that is coming is withdrawn by two people before it takes effect."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import confirm, said, text_of, user_of
from tests.factories.configuration_pages import FEE, approve, coming, labels, page, propose
from wallets.fees.models import SettingChange

pytestmark = pytest.mark.django_db


def test_what_is_coming_is_withdrawn_by_two(office, finance):
    change = coming(office, finance)
    assert labels(office, change) == ["Ask to withdraw it"]
    asked = confirm(office, page(change, "request_cancellation"), reason="The bank took it back")
    assert said(asked)[-1].startswith("Asked. It takes effect all the same")
    assert labels(office, change) == ["Keep it"]
    assert labels(finance, change) == ["Agree to withdraw it", "Keep it"]
    question = finance.get(page(change, "confirm_cancellation"))
    assert "withdrawn by back-office Why withdraw The bank took it back" in text_of(question)
    confirm(finance, page(change, "confirm_cancellation"), at=question)
    change.refresh_from_db()
    assert (change.status, change.cancelled_by) == ("Cancelled", user_of(finance))
    with connection.cursor() as cursor:
        cursor.execute("SELECT effective_setting(%s, now() + interval '1 day')", [FEE])
        assert cursor.fetchone() == (50,)
    before = table_fingerprints()
    again = confirm(finance, page(change, "confirm_cancellation"), at=question)
    assert said(again)[-1] == "The figure is Cancelled, not Approved. Nothing was done."
    assert table_fingerprints() == before


def test_what_was_asked_for_anew_meanwhile_is_not_agreed_to(office, finance):
    change = coming(office, finance)
    confirm(office, page(change, "request_cancellation"), reason="The bank took it back")
    question = finance.get(page(change, "confirm_cancellation"))
    confirm(office, page(change, "dismiss_cancellation"))
    confirm(office, page(change, "request_cancellation"), reason="A slip of the pen")
    before = table_fingerprints()
    refused = confirm(finance, page(change, "confirm_cancellation"), at=question)
    told = "Why withdraw was The bank took it back and is A slip of the pen"
    assert told in said(refused)[-1]
    assert table_fingerprints() == before


def test_nobody_agrees_to_what_they_asked_for_and_keeping_ends_the_asking(office, finance):
    change = coming(office, finance)
    confirm(finance, page(change, "request_cancellation"), reason="Changed my mind")
    before = table_fingerprints()
    refused = confirm(finance, page(change, "confirm_cancellation"))
    told = "Somebody else must agree to what you asked for. Nothing was done."
    assert said(refused)[-1] == told
    assert table_fingerprints() == before
    confirm(finance, page(change, "dismiss_cancellation"))
    change.refresh_from_db()
    assert (change.status, change.cancellation_requested_by) == ("Approved", None)


def test_what_is_in_force_is_not_withdrawn(office, finance):
    propose(office)
    change = SettingChange.objects.get()
    approve(finance, change)
    before = table_fingerprints()
    told = said(confirm(office, page(change, "request_cancellation"), reason="no"))
    assert told[-1].startswith("The figure is in force already. Please propose another one.")
    assert table_fingerprints() == before
