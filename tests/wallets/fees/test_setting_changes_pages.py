"""Pages of settings changes: dual control and effective dates."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import (
    BACK_OFFICE,
)
from exchange.core.errors import Conflict
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.configuration import set_setting
from tests.factories.configuration_pages import (
    FEE,
    approve,
    button_labels,
    propose,
    upcoming_change,
)
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser
from tests.factories.wallets import store_bank_list
from wallets.fees import services as fees
from wallets.fees.models import SettingChange, SettingChangeStatus
from wallets.fees.selectors import withdrawal_fee
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


def test_one_person_proposes_and_another_approves(office, finance):
    response = propose(office)
    change = SettingChange.objects.get()
    assert messages_of(response) == ["Change proposed. It requires a second person's approval."]
    assert withdrawal_fee("NGN") == 50
    assert button_labels(office, change) == ["Cancel proposal"]
    assert button_labels(finance, change) == ["Approve 75.50 NGN", "Reject"]
    asked = text_of(finance.get(page(change, "approve")))
    for words in (
        "Approve Withdrawal fee, NGN: 75.50 NGN?",
        "Setting Withdrawal fee, NGN Description Flat fee of a withdrawal; the owner pays it"
        " Effective value 50.00 NGN",
        "Upcoming changes none New value 75.50 NGN Change +51.0 % Effective from On approval",
        "Proposed by back-office Reason Bank raised its price to 75.5, proposal",
        "Approve 75.50 NGN",
    ):
        assert words in asked, words
    approve(finance, change)
    change.refresh_from_db()
    assert (change.status, change.decided_by) == ("Approved", user_of(finance))
    assert withdrawal_fee("NGN") == Decimal("75.5")
    with assert_no_table_changes():
        again = approve(finance, change)
    assert messages_of(again)[-1] == "Already approved by finance-approver. No changes were made."


def test_a_change_takes_effect_at_its_time_and_not_before(office, finance):
    change = upcoming_change(office, finance)
    assert change.effective_at == change.effective_from
    assert withdrawal_fee("NGN") == 50
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT effective_setting(%s, at - interval '1 microsecond'), effective_setting(%s, at)"
            " FROM (SELECT %s::timestamptz AS at) instant",
            [FEE, FEE, change.effective_at],
        )
        assert cursor.fetchone() == (50, 80)


def test_a_change_approved_after_its_time_is_effective_from_approval(office, finance):
    change = SettingChange.objects.create(
        configuration_id=FEE,
        value=Decimal("75.5"),
        reason="Announced by the bank",
        effective_from=timezone.now() - timedelta(hours=1),
        proposed_by=user_of(office),
        created_at=timezone.now() - timedelta(hours=2),
    )
    approve(finance, change)
    change.refresh_from_db()
    assert change.effective_from is not None
    assert change.effective_at is not None
    assert change.effective_at > change.effective_from
    assert withdrawal_fee("NGN") == Decimal("75.5")


def test_existing_withdrawals_keep_their_fee(office, finance):
    store_bank_list()
    organisation, member = make_participants()
    fund(organisation, member, "KES", "100000")
    first = make_withdrawal(organisation, member, "KES", "1000")
    for key, value in (("KES_WITHDRAWAL_FEE", "45.5"), ("SECOND_APPROVAL_ABOVE_KES", "900")):
        propose(office, value, key=key)
        approve(finance, SettingChange.objects.get(status="Pending"))
    second = make_withdrawal(organisation, member, "KES", "1000")
    kept = Withdrawal.objects.get(pk=first.pk)
    assert (kept.fee, kept.approvals_needed) == (Decimal(30), 1)
    assert (second.fee, second.approvals_needed) == (Decimal("45.5"), 2)


def test_a_proposer_cannot_approve_even_as_superuser():
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    propose(client)
    change = SettingChange.objects.get()
    message = "Someone other than the proposer must approve this. No changes were made."
    with assert_no_table_changes():
        assert messages_of(approve(client, change))[-1] == message


def test_an_effective_value_that_changed_since_the_page_is_reported(office, finance):
    propose(office)
    change = SettingChange.objects.get()
    seen = finance.get(page(change, "approve")).context["seen"]
    # As a page that was opened before the effective value changed.
    earlier = seen.replace('"Effective value": "50.00 NGN"', '"Effective value": "40.00 NGN"')
    with assert_no_table_changes():
        refused = finance.post(page(change, "approve"), {"seen": earlier})
    assert messages_of(refused) == [
        "No changes were made. Since you opened the page: Effective value was "
        "40.00 NGN and is 50.00 NGN. Review it again."
    ]
    # The page that says so asks anew.
    why = "Compared with the letter of the bank"
    submit_confirmation(finance, page(change, "approve"), at=refused, reason=why)
    assert withdrawal_fee("NGN") == Decimal("75.5")


def test_an_effective_date_that_passed_since_the_page_is_reported(office, finance):
    when = timezone.now() + timedelta(hours=1)
    change = fees.propose(
        key=FEE,
        value=Decimal(80),
        reason="Announced by the bank",
        effective_from=when,
        user=user_of(office),
    )
    asked = finance.get(page(change, "approve"))
    passed = when - timedelta(hours=2)
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_settingchange SET effective_from = %s", [passed])
    with assert_no_table_changes():
        refused = submit_confirmation(finance, page(change, "approve"), at=asked)
        shown, past = (f"{moment:%Y-%m-%d %H:%M:%S} UTC" for moment in (when, passed))
    assert (
        f"Effective from was {shown} and is On approval ({past} has passed)"
        in messages_of(refused)[0]
    )


def test_an_effective_value_of_zero_shows_as_zero(office, finance):
    set_setting(FEE, Decimal(0))
    propose(office)
    change = SettingChange.objects.get(status="Pending")
    assert "Effective value 0.00 NGN Upcoming" in text_of(finance.get(page(change, "approve")))
    assert "0.00 NGN 75.50 NGN - on approval" in text_of(finance.get(page(change, "change")))


def test_a_proposal_against_a_changed_value_is_reported_and_keeps_the_input(office):
    address = reverse("admin:wallets_configuration_propose", args=[FEE])
    asked = office.get(address)
    assert "Effective value 50.00 NGN Upcoming changes none" in text_of(asked)
    set_setting(FEE, Decimal(40))
    with assert_no_table_changes():
        refused = submit_confirmation(
            office, address, at=asked, value="75.5", reason="Typed with care, checked with the bank"
        )
    assert "Effective value was 50.00 NGN and is 40.00 NGN" in messages_of(refused)[0]
    assert "Typed with care, checked with the bank" in text_of(refused)


@pytest.mark.parametrize(
    ("name", "meanwhile"),
    [
        ("approve", "approved by finance-approver"),
        ("reject", "rejected by finance-approver"),
        ("cancel", "withdrawn by back-office"),
    ],
)
@pytest.mark.one_in(3)
def test_a_double_click_decides_once(office, finance, name, meanwhile):
    propose(office)
    change = SettingChange.objects.get()
    client = office if name == "cancel" else finance
    asked = client.get(page(change, name))
    submit_confirmation(
        client, page(change, name), at=asked, reason="Because, checked with the bank"
    )
    with assert_no_table_changes():
        again = submit_confirmation(
            client, page(change, name), at=asked, reason="Because, checked with the bank"
        )
    assert messages_of(again)[-1] == f"Already {meanwhile}. No changes were made."


def test_opening_the_confirmation_pages_changes_nothing(office, finance):
    propose(office)
    change = SettingChange.objects.get()
    with assert_no_table_changes():
        for client, name in ((finance, "approve"), (finance, "reject"), (office, "cancel")):
            assert "No changes made yet." in text_of(client.get(page(change, name)))
            # A submission without a shown page asks too.
            assert "No changes made yet." in text_of(client.post(page(change, name)))


def test_one_change_of_a_setting_is_pending_at_a_time(office):
    propose(office)
    with assert_no_table_changes():
        message = text_of(propose(office, "60"))
    assert "Another change of Withdrawal fee, NGN is pending approval" in message


def test_two_changes_do_not_take_effect_at_the_same_time(office, finance):
    first = upcoming_change(office, finance)
    other = fees.propose(
        key=FEE,
        value=Decimal(90),
        reason="Announced by the bank",
        effective_from=first.effective_from,
        user=user_of(office),
    )
    with assert_no_table_changes(), pytest.raises(Conflict, match="at the same time"):
        fees.approve(
            change_id=other.pk,
            expected_value=Decimal(50),
            user=user_of(finance),
            reason="Announced by the bank",
        )


def test_rejecting_needs_a_reason_and_only_the_proposer_takes_back(office, finance):
    propose(office)
    change = SettingChange.objects.get()
    refused = submit_confirmation(finance, page(change, "reject"), reason=" ")
    assert "This field is required." in text_of(refused)
    submit_confirmation(finance, page(change, "reject"), reason="Not agreed, checked with the bank")
    change.refresh_from_db()
    assert (change.status, change.decision_note) == (
        "Rejected",
        "Not agreed, checked with the bank",
    )
    propose(office, "60")
    other = SettingChange.objects.get(status="Pending")
    stranger = signed_in_client(BACK_OFFICE, "stranger")
    message = "Only the proposer can cancel this proposal. No changes were made."
    with assert_no_table_changes():
        assert messages_of(submit_confirmation(stranger, page(other, "cancel"))) == [message]
    submit_confirmation(office, page(other, "cancel"))
    other.refresh_from_db()
    assert other.status == SettingChangeStatus.WITHDRAWN
    assert withdrawal_fee("NGN") == 50
