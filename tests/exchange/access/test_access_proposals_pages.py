"""Pages of access proposals: counts, confirmation and decision; secrets are shown once."""

import logging

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from config.back_office.roles import ADMINISTRATOR, FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from exchange.participants.models import ApiKey
from exchange.participants.services.api_keys import issue_api_key
from exchange.staff.models import AccessProposal, SecondFactor, StaffUser
from tests.factories.api_clients import TESTER
from tests.factories.back_office import (
    make_participants,
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.staff import backdate_access, create_staff

pytestmark = pytest.mark.django_db


def of(proposal: AccessProposal, page: str) -> str:
    return reverse(f"admin:exchange_accessproposal_{page}", args=[proposal.pk])


def propose_key(client: Client) -> AccessProposal:
    organisation, _ = make_participants()
    client.post(
        reverse("admin:exchange_apikey_add"),
        {
            "organisation": str(organisation.pk),
            "name": "Payouts",
            "scopes": ["wallets:withdraw"],
            "expires_at_0": "",
            "note": "Their new server, checked with the bank",
        },
    )
    return AccessProposal.objects.get()


def test_a_key_is_proposed_confirmed_and_shown_to_its_proposer_once(caplog):
    caplog.set_level(logging.DEBUG)
    admin, finance = signed_in_client(ADMINISTRATOR), signed_in_client(FINANCE_APPROVER)
    proposal = propose_key(admin)
    front = text_of(finance.get("/admin/"))
    assert "Access proposals 1" in front
    asked = text_of(finance.get(of(proposal, "confirm")))
    for words in (
        "Issue an API key",
        "Acme",
        "wallets:withdraw",
        "Their new server, checked with the bank",
        "No expiry",
    ):
        assert words in asked
    done = submit_confirmation(finance, of(proposal, "confirm"))
    assert messages_of(done)[-1] == "Confirmed. administrator can now collect the secret, once."
    assert not ApiKey.objects.exists()
    assert "Access proposals 1" not in text_of(finance.get("/admin/"))

    refused = finance.post(of(proposal, "collect"))
    assert "Only the proposer can collect the secret" in text_of(refused)
    assert admin.get(of(proposal, "collect")).status_code == 200
    assert not ApiKey.objects.exists()
    shown = admin.post(of(proposal, "collect"))
    secret = dict(shown.context["shown"])["Client secret"]
    assert shown.content.decode().count(secret) == 1
    assert "no-store" in shown["Cache-Control"]
    again = admin.post(of(proposal, "collect"))
    assert "Nothing to collect" in text_of(again)
    assert ApiKey.objects.count() == 1
    for page in ("change", "collect"):
        assert secret not in admin.get(of(proposal, page)).content.decode()
    assert secret not in caplog.text
    assert secret not in str(AccessProposal.objects.values())


def test_the_proposer_cancels_and_another_rejects_with_a_reason():
    admin, finance = signed_in_client(ADMINISTRATOR), signed_in_client(FINANCE_APPROVER)
    proposal = propose_key(admin)
    refused = submit_confirmation(admin, of(proposal, "confirm"))
    message = "Someone other than the proposer and the person concerned must confirm."
    assert messages_of(refused)[-1] == f"{message} No changes were made."
    page = text_of(admin.get(of(proposal, "change")))
    assert "Cancel proposal" in page
    assert message in page
    assert "Confirm" not in page
    assert "This field is required" in text_of(
        submit_confirmation(finance, of(proposal, "reject"), reason="")
    )
    done = submit_confirmation(
        finance, of(proposal, "reject"), reason="Not requested, checked with the bank"
    )
    assert messages_of(done)[-1] == "Proposal rejected. No changes were made."
    proposal.refresh_from_db()
    assert (proposal.status, proposal.reason) == (
        "Rejected",
        "Not requested, checked with the bank",
    )
    late = submit_confirmation(finance, of(proposal, "confirm"))
    assert messages_of(late)[-1].startswith("Already rejected by finance")


def test_a_finance_approver_restores_the_only_administrator_without_a_shell():
    admin = create_staff("samuel", "correct horse battery", ADMINISTRATOR)
    enrol_second_factor(admin)
    first = signed_in_client(FINANCE_APPROVER, "amina")
    second = signed_in_client(FINANCE_APPROVER, "kwesi")
    page = text_of(first.get(reverse("admin:exchange_staffuser_change", args=[admin.pk])))
    assert "New invitation" in page
    assert "Change role" not in page
    proposed = first.post(reverse("admin:exchange_staffuser_reset", args=[admin.pk]))
    assert messages_of(proposed) == ["Proposed. Takes effect once a second person confirms it."]
    assert SecondFactor.objects.filter(user=admin).exists()
    submit_confirmation(second, of(AccessProposal.objects.get(), "confirm"))
    assert not SecondFactor.objects.filter(user=admin).exists()

    successor = first.post(
        reverse("admin:exchange_staffuser_add"),
        {"username": "esi", "role": str(Group.objects.get(name=ADMINISTRATOR).pk)},
    )
    assert messages_of(successor)[-1].startswith("Proposed")
    proposal = AccessProposal.objects.get(kind="invite_person")
    submit_confirmation(second, of(proposal, "confirm"))
    shown = first.post(of(proposal, "collect"))
    address = dict(shown.context["shown"])["Invitation link"]
    made = StaffUser.objects.get(username="esi")
    assert [group.name for group in made.groups.all()] == [ADMINISTRATOR]
    assert Client().get(address, follow=True).status_code == 200

    # They may not propose for other users.
    other = user_of(second)
    assert (
        first.get(reverse("admin:exchange_staffuser_invitation", args=[other.pk])).status_code
        == 403
    )


def test_the_page_states_the_end_of_the_cooling_off_period(finance):
    proposal = propose_key(signed_in_client(ADMINISTRATOR))
    backdate_access(user_of(finance), hours=1)
    assert "Your access was granted or reset" in text_of(finance.get("/admin/"))
    page = text_of(finance.get(of(proposal, "change")))
    assert "Your access was granted or reset recently. You can view everything" in page
    assert of(proposal, "confirm") not in page
    refused = submit_confirmation(finance, of(proposal, "confirm"))
    assert "You can view everything, and approve from" in messages_of(refused)[-1]
    proposal.refresh_from_db()
    assert proposal.status == "Pending"


def test_activating_an_organisation_with_privileged_keys_takes_two_people(office):
    admin, finance = signed_in_client(ADMINISTRATOR), signed_in_client(FINANCE_APPROVER)
    organisation, _ = make_participants()
    issue_api_key(
        organisation=organisation, name="Payouts", scopes=["wallets:withdraw"], actor=TESTER
    )
    off, on = (
        reverse(f"admin:exchange_organisation_{page}", args=[organisation.pk])
        for page in ("deactivate", "activate")
    )
    submit_confirmation(office, off)
    assert "a second person must confirm the activation" in text_of(office.get(on))
    assert "only an administrator can propose" in text_of(submit_confirmation(office, on))
    assert not AccessProposal.objects.exists()
    messages = messages_of(submit_confirmation(admin, on, note="They changed their secrets"))
    assert messages[-1].startswith("Proposed.")
    organisation.refresh_from_db()
    assert not organisation.active
    proposal = AccessProposal.objects.get()
    asked = text_of(finance.get(of(proposal, "confirm")))
    for words in ("Acme", "Payouts (wallets:withdraw)", "They changed their secrets"):
        assert words in asked
    assert (
        messages_of(submit_confirmation(finance, of(proposal, "confirm")))[-1]
        == "Confirmed and effective."
    )
    organisation.refresh_from_db()
    assert organisation.active


def test_an_auditor_reads_them_and_decides_nothing(auditor):
    proposal = propose_key(signed_in_client(ADMINISTRATOR))
    page = text_of(auditor.get(of(proposal, "change")))
    assert "Their new server, checked with the bank" in page
    assert "wallets:withdraw" in page
