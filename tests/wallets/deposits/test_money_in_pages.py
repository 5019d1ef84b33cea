"""Deposits with four eyes, and the ledger to read."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.core.errors import Forbidden, StateConflict
from exchange.core.models import Change
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    balances,
    fund,
    make_participants,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.deposits import Owner, make_checkout
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db


def enter(client: Client, **changes: str):
    body = {"currency": "NGN", "amount": "1500.50", "reference": "BANK-1", "note": "", **changes}
    return client.post(reverse("admin:wallets_deposit_add"), body)


def test_one_person_enters_and_another_one_confirms(office, finance):
    _, member = make_participants()
    response = enter(office, member=str(member.pk))
    deposit = Deposit.objects.get()
    assert messages_of(response) == ["Deposit entered. A second person must confirm it."]
    assert balances(member.pk, "NGN") == (Decimal(0), Decimal(0))
    assert "Confirm 1,500.50 NGN" in text_of(finance.get(page(deposit, "change")))
    assert "Confirm 1,500.50 NGN" not in text_of(office.get(page(deposit, "change")))
    asked = text_of(finance.get(page(deposit, "confirm")))
    assert "Confirm 1,500.50 NGN for Ada?" in asked
    assert "Owner Ada Organisation Acme Reference BANK-1" in asked
    finance.post(page(deposit, "confirm"))
    assert balances(member.pk, "NGN") == (Decimal(0), Decimal(0))
    submit_confirmation(finance, page(deposit, "confirm"))
    assert balances(member.pk, "NGN") == (Decimal("1500.5"), Decimal(0))
    with assert_no_table_changes():
        again = submit_confirmation(finance, page(deposit, "confirm"))
    assert messages_of(again)[-1] == (
        "Already completed by finance-approver. No changes were made."
    )


def test_the_person_who_entered_cannot_confirm_even_as_superuser():
    organisation, _ = make_participants()
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    enter(client, organisation=str(organisation.pk))
    deposit = Deposit.objects.get()
    signed_in_client(FINANCE_APPROVER, "zoe")
    assert "Eligible approvers: zoe." in text_of(client.get(page(deposit, "change")))
    with assert_no_table_changes():
        response = submit_confirmation(client, page(deposit, "confirm"))
        message = (
            "Someone other than the person who entered it must confirm this. No changes were made."
        )
    assert messages_of(response)[-1] == message


def test_a_rejected_deposit_moves_nothing_and_needs_a_reason(finance):
    organisation, _ = make_participants()
    enter(signed_in_client(BACK_OFFICE), organisation=str(organisation.pk))
    deposit = Deposit.objects.get()
    refused = submit_confirmation(finance, page(deposit, "reject"), reason=" ")
    assert "This field is required." in text_of(refused)
    assert "Amount 1,500.50 NGN Owner Acme" in text_of(refused)
    submit_confirmation(finance, page(deposit, "reject"), reason="Not on the statement")
    deposit.refresh_from_db()
    assert (deposit.status, deposit.reason) == ("Failed", "Not on the statement")
    assert Transfer.objects.count() == 0
    assert balances(organisation.pk, "NGN") == (Decimal(0), Decimal(0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"amount": "0"}, "Enter an amount above 0"),
        ({"amount": "-5"}, "Enter a number such as 12,500.50"),
        ({"amount": "NaN"}, "Enter a number such as 12,500.50"),
        ({"amount": "1.005"}, "At most 2 decimals"),
        ({"amount": "10.5", "currency": "UGX"}, "No decimals"),
        ({"currency": "EUR"}, "Select a valid choice."),
        ({"reference": ""}, "This field is required."),
        ({"organisation": ""}, "Choose an organisation or a member"),
        ({"organisation": "nonsense"}, "not a valid UUID"),
    ],
)
def test_an_invalid_deposit_is_rejected_and_the_input_is_retained(changes, message, office):
    organisation, _ = make_participants()
    with assert_no_table_changes():
        response = enter(
            office, **{"organisation": str(organisation.pk), "note": "kept", **changes}
        )
    assert response.status_code == 200
    assert message in text_of(response)
    assert b'value="kept"' in response.content


def test_a_deposit_is_not_for_another_organisations_member(office):
    organisation, _ = make_participants()
    other = type(organisation).objects.create(name="Other")
    stranger = other.members.create(name="Eve", email="eve@other.example")
    response = enter(office, organisation=str(organisation.pk), member=str(stranger.pk))
    assert "The member does not belong to the organisation" in text_of(response)
    assert Deposit.objects.count() == 0


def test_one_reference_is_booked_once(office):
    organisation, _ = make_participants()
    enter(office, organisation=str(organisation.pk))
    again = enter(office, organisation=str(organisation.pk), amount="7")
    assert "The manual deposit BANK-1 of" in text_of(again)
    assert Deposit.objects.count() == 1


def test_one_that_was_rejected_is_entered_again_and_booked_once(office, finance):
    organisation, _ = make_participants()
    enter(office, organisation=str(organisation.pk), amount="10000")
    wrong = Deposit.objects.get()
    submit_confirmation(finance, page(wrong, "reject"), reason="One nought too many")
    enter(office, organisation=str(organisation.pk), amount="1000")
    right = Deposit.objects.get(status="Pending")
    submit_confirmation(finance, page(right, "confirm"))
    again = enter(office, organisation=str(organisation.pk), amount="1000")
    assert "The manual deposit BANK-1 of" in text_of(again)
    assert (right.reference, Deposit.objects.count()) == (wrong.reference, 2)


def test_whoever_entered_a_deposit_cancels_it_and_enters_it_again(office):
    organisation, _ = make_participants()
    enter(office, organisation=str(organisation.pk), amount="10000")
    wrong = Deposit.objects.get()
    colleague, finance = (
        signed_in_client(BACK_OFFICE, "colleague"),
        signed_in_client(FINANCE_APPROVER),
    )
    message = "Only the person who entered the deposit can cancel it. No changes were made."
    with assert_no_table_changes():
        assert messages_of(submit_confirmation(colleague, page(wrong, "cancel")))[-1] == message
        with pytest.raises(
            Forbidden, match="Only the person who entered the deposit can cancel it"
        ):
            deposits.cancel(deposit_id=wrong.pk, user=user_of(colleague))
        assert page(wrong, "cancel") not in colleague.get(page(wrong, "change")).content.decode()

    assert page(wrong, "cancel") in office.get(page(wrong, "change")).content.decode()
    done = submit_confirmation(office, page(wrong, "cancel"))
    assert messages_of(done)[-1] == "Cancelled. Nothing was booked."
    wrong.refresh_from_db()
    assert (wrong.state, wrong.decided_by) == ("Cancelled", user_of(office))
    assert Transfer.objects.count() == 0
    (change,) = Change.objects.filter(record_id=str(wrong.pk), operation="UPDATE")
    assert (change.after or {})["status"] == "Failed"
    assert change.actor == f"staff:{user_of(office).pk}"
    late = submit_confirmation(finance, page(wrong, "confirm"))
    assert messages_of(late)[-1] == ("Already cancelled by back-office. No changes were made.")
    enter(office, organisation=str(organisation.pk), amount="1000")
    submit_confirmation(finance, page(Deposit.objects.get(status="Pending"), "confirm"))
    assert balances(organisation.pk, "NGN") == (Decimal(1000), Decimal(0))


def test_a_confirmed_deposit_is_not_cancelled(office):
    organisation, _ = make_participants()
    enter(office, organisation=str(organisation.pk))
    deposit = Deposit.objects.get()
    asked = office.get(page(deposit, "cancel"))
    submit_confirmation(signed_in_client(FINANCE_APPROVER), page(deposit, "confirm"))
    with assert_no_table_changes():
        late = submit_confirmation(office, page(deposit, "cancel"), at=asked)
        assert messages_of(late)[-1] == (
            "Already completed by finance-approver. No changes were made."
        )
        with pytest.raises(StateConflict):
            deposits.cancel(deposit_id=deposit.pk, user=user_of(office))


def test_an_account_leads_to_its_entries_and_a_transfer_to_its_legs(auditor):
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "1500.5")
    wallet = auditor.get(reverse("admin:wallets_account_changelist"), {"owner_id": str(member.pk)})
    found = list(wallet.context["cl"].result_list)
    assert set(found) == set(Account.objects.filter(member=member))
    (account,) = (account for account in found if account.kind == "available")
    shown = auditor.get(reverse("admin:wallets_account_change", args=[account.pk]))
    assert "1,500.50 NGN 1,500.50 NGN" in text_of(shown)
    transfer = Transfer.objects.get()
    assert reverse("admin:wallets_transfer_change", args=[transfer.pk]) in shown.content.decode()
    legs = text_of(auditor.get(reverse("admin:wallets_transfer_change", args=[transfer.pk])))
    assert "Clearing The exchange 1,500.50 NGN" in legs
    assert "Amount 1,500.50 NGN" in legs
    assert "Available Ada 1,500.50 NGN 1,500.50 NGN" in legs
    entries = auditor.get(
        reverse("admin:wallets_entry_changelist"), {"account__id__exact": str(account.pk)}
    )
    assert entries.context["cl"].result_count == 1
    about = auditor.get(
        reverse("admin:wallets_transfer_changelist"), {"q": str(transfer.subject_id)}
    )
    assert list(about.context["cl"].result_list) == [transfer]


def test_a_deposit_is_found_by_the_clients_reference():
    organisation, member = make_participants()
    for reference in ("invoice-1042", "invoice-1043"):
        make_checkout(Owner(organisation, member), client_reference=reference)
    listed = signed_in_client(AUDITOR).get(
        reverse("admin:wallets_deposit_changelist"), {"q": "invoice-1042"}
    )
    (found,) = listed.context["cl"].result_list
    assert found.client_reference == "invoice-1042"
