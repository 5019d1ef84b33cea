"""Two people cancel an approved settings change before it takes effect."""

import pytest
from django.db import connection

from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import messages_of, page, submit_confirmation, text_of, user_of
from tests.factories.configuration_pages import (
    FEE,
    approve,
    button_labels,
    propose,
    upcoming_change,
)
from wallets.fees.models import SettingChange

pytestmark = pytest.mark.django_db


def test_two_people_cancel_an_upcoming_change(office, finance):
    change = upcoming_change(office, finance)
    assert button_labels(office, change) == ["Request cancellation"]
    asked = submit_confirmation(
        office, page(change, "request_cancellation"), reason="The bank took it back"
    )
    assert messages_of(asked)[-1].startswith(
        "Cancellation requested. The change takes effect unless"
    )
    assert button_labels(office, change) == ["Keep the change"]
    assert button_labels(finance, change) == ["Confirm cancellation", "Keep the change"]
    question = finance.get(page(change, "confirm_cancellation"))
    requested = "Cancellation requested by back-office Cancellation reason The bank took it back"
    assert requested in text_of(question)
    submit_confirmation(finance, page(change, "confirm_cancellation"), at=question)
    change.refresh_from_db()
    assert (change.status, change.cancelled_by) == ("Cancelled", user_of(finance))
    with connection.cursor() as cursor:
        cursor.execute("SELECT effective_setting(%s, now() + interval '1 day')", [FEE])
        assert cursor.fetchone() == (50,)
    with assert_no_table_changes():
        again = submit_confirmation(finance, page(change, "confirm_cancellation"), at=question)
    assert (
        messages_of(again)[-1]
        == "The settings change is Cancelled, not Approved. No changes were made."
    )


def test_a_request_made_anew_is_not_confirmed_from_an_older_page(office, finance):
    change = upcoming_change(office, finance)
    submit_confirmation(
        office, page(change, "request_cancellation"), reason="The bank took it back"
    )
    question = finance.get(page(change, "confirm_cancellation"))
    submit_confirmation(office, page(change, "dismiss_cancellation"))
    submit_confirmation(
        office,
        page(change, "request_cancellation"),
        reason="A slip of the pen, checked with the bank",
    )
    with assert_no_table_changes():
        refused = submit_confirmation(finance, page(change, "confirm_cancellation"), at=question)
        message = "Cancellation reason was The bank took it back and is A slip of the pen"
    assert message in messages_of(refused)[-1]


def test_a_requester_cannot_confirm_and_can_dismiss_the_request(office, finance):
    change = upcoming_change(office, finance)
    submit_confirmation(
        finance,
        page(change, "request_cancellation"),
        reason="Changed my mind, checked with the bank",
    )
    with assert_no_table_changes():
        refused = submit_confirmation(finance, page(change, "confirm_cancellation"))
        message = (
            "Someone other than the requester must confirm the cancellation. No changes were made."
        )
    assert messages_of(refused)[-1] == message
    submit_confirmation(finance, page(change, "dismiss_cancellation"))
    change.refresh_from_db()
    assert (change.status, change.cancellation_requested_by) == ("Approved", None)


def test_an_effective_change_cannot_be_cancelled(office, finance):
    propose(office)
    change = SettingChange.objects.get()
    approve(finance, change)
    with assert_no_table_changes():
        message = messages_of(
            submit_confirmation(
                office, page(change, "request_cancellation"), reason="no, checked with the bank"
            )
        )
    assert message[-1].startswith("The settings change is already effective. Propose a new one.")
