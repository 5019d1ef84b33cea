"""API keys, events and participants in the admin: secrets show once, roles have their limits."""

import logging
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import ProgrammingError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    FINANCE_APPROVER,
)
from config.local.demo.loader import enrol_second_factor
from exchange.events.models import Event, WebhookEndpoint
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.staff.models import AccessRecord, RecoveryCode, SecondFactor, StaffUser
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.factories.back_office import (
    make_participants,
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.events import emit_event, exhaust_attempts
from tests.factories.logins import enter_password, sign_in
from tests.factories.staff import confirm_latest, create_staff, create_superuser

pytestmark = pytest.mark.django_db

# Not privileged: a privileged key requires two people (tests/browser/test_privileged_access.py).
KEY = {"name": "Payouts", "scopes": ["wallets:read", "members:read"], "expires_at_0": ""}


def issue(client: Client, organisation: Organisation):
    return client.post(
        reverse("admin:exchange_apikey_add"), {**KEY, "organisation": str(organisation.pk)}
    )


def key_pages(key: ApiKey) -> list[str]:
    return [
        reverse("admin:exchange_apikey_change", args=[key.pk]),
        reverse("admin:exchange_apikey_changelist"),
        reverse("admin:exchange_apikey_token", args=[key.pk]),
        reverse("admin:index"),
    ]


def test_a_secret_shows_once_and_is_stored_nowhere(caplog):
    caplog.set_level(logging.DEBUG)
    organisation, _ = make_participants()
    client = signed_in_client(ADMINISTRATOR)
    response = issue(client, organisation)
    secret = dict(response.context["shown"])["Client secret"]
    key = ApiKey.objects.get()
    assert len(secret) >= 40
    assert response.content.decode().count(secret) == 1
    assert "no-store" in response["Cache-Control"]
    assert key.scopes == ["wallets:read", "members:read"]
    for address in key_pages(key):
        later = client.get(address)
        assert later.status_code == 200
        assert secret not in later.content.decode()
        assert key.client_secret not in later.content.decode()
    assert secret not in caplog.text
    assert secret not in str(dict(client.session))
    assert secret not in str(client.cookies)
    assert secret not in key.client_secret


def test_sending_the_form_twice_issues_one_key():
    organisation, _ = make_participants()
    client = signed_in_client(ADMINISTRATOR)
    issue(client, organisation)
    again = issue(client, organisation)
    assert "Acme already has an API key with this name" in text_of(again)
    assert ApiKey.objects.count() == 1


def test_a_long_lived_token_shows_once_and_is_revoked_with_its_key(caplog):
    caplog.set_level(logging.DEBUG)
    organisation, _ = make_participants()
    client = signed_in_client(ADMINISTRATOR)
    issue(client, organisation)
    key = ApiKey.objects.get()
    response = client.post(reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": "90"})
    token = dict(response.context["shown"])["Access token"]
    assert response.content.decode().count(token) == 1
    stored = get_access_token_model().objects.get()
    assert token not in str(vars(stored))
    assert 89 <= (stored.expires - timezone.now()).days <= 90
    for address in key_pages(key):
        assert token not in client.get(address).content.decode()
    assert token not in caplog.text

    revoke = reverse("admin:exchange_apikey_revoke", args=[key.pk])
    asked = client.get(revoke)
    revoked = submit_confirmation(client, revoke)
    assert messages_of(revoked) == ["Payouts and its access tokens revoked."]
    assert get_access_token_model().objects.count() == 0
    with assert_no_table_changes():
        again = submit_confirmation(client, revoke, at=asked)
        assert messages_of(again)[-1] == "The API key is already revoked. No changes were made."
        refused = client.post(reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": "90"})
    assert "The API key was revoked" in text_of(refused)


@pytest.mark.parametrize("days", ["0", "-1", "3651", "x", ""])
def test_a_token_is_valid_for_one_day_to_ten_years(days):
    organisation, _ = make_participants()
    client = signed_in_client(ADMINISTRATOR)
    issue(client, organisation)
    key = ApiKey.objects.get()
    response = client.post(reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": days})
    assert response.status_code == 200
    assert "shown" not in response.context
    assert get_access_token_model().objects.count() == 0


def test_an_organisation_is_created_renamed_and_deactivated(office):
    office.post(
        reverse("admin:exchange_organisation_add"), {"name": "Baobab", "email": "a@baobab.example"}
    )
    made = Organisation.objects.get()
    edit = reverse("admin:exchange_organisation_edit", args=[made.pk])
    assert "Enter a valid email" in text_of(office.post(edit, {"name": "Baobab", "email": "x"}))
    office.post(edit, {"name": "Baobab Ltd", "email": ""})
    off = submit_confirmation(
        office, reverse("admin:exchange_organisation_deactivate", args=[made.pk])
    )
    made.refresh_from_db()
    assert (made.name, made.email, made.active) == ("Baobab Ltd", "", False)
    assert messages_of(off)[-1] == "Baobab Ltd deactivated: its API keys no longer work."
    submit_confirmation(office, reverse("admin:exchange_organisation_activate", args=[made.pk]))
    made.refresh_from_db()
    assert made.active


def test_a_member_is_added_once_for_each_email(office):
    organisation, _ = make_participants()
    body = {"organisation": str(organisation.pk), "name": "Bo", "email": "ADA@acme.example"}
    refused = office.post(reverse("admin:exchange_member_add"), body)
    assert "A member with this email exists already" in text_of(refused)
    assert Member.objects.count() == 1
    office.post(reverse("admin:exchange_member_add"), {**body, "email": "bo@acme.example"})
    assert Member.objects.filter(organisation=organisation, name="Bo").count() == 1


def exhausted_event(organisation: Organisation) -> Event:
    return exhaust_attempts(emit_event(organisation))


def test_an_event_is_sent_again_once_there_is_an_enabled_endpoint(office):
    organisation, _ = make_participants()
    event = exhausted_event(organisation)
    again = reverse("admin:exchange_event_redeliver", args=[event.pk])
    assert messages_of(office.post(again)) == [
        "No webhook endpoint is enabled. Enable one and try again"
    ]
    event.refresh_from_db()
    assert (event.status, event.attempts) == ("Exhausted", 10)
    WebhookEndpoint.objects.create(
        organisation=organisation,
        url="https://acme.example/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
    )
    assert messages_of(office.post(again))[-1] == "Event queued for delivery."
    event.refresh_from_db()
    assert (event.status, event.attempts) == ("Pending", 0)


def test_the_secret_of_a_webhook_never_shows():
    organisation, _ = make_participants()
    endpoint = WebhookEndpoint.objects.create(
        organisation=organisation,
        url="https://acme.example/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
    )
    client = signed_in_client(ADMINISTRATOR)
    for name, arguments in (("changelist", []), ("change", [endpoint.pk])):
        page = client.get(reverse(f"admin:exchange_webhookendpoint_{name}", args=arguments))
        assert page.status_code == 200
        assert "whsec_" not in page.content.decode()


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (AUDITOR, set()),
        (FINANCE_APPROVER, set()),
        (BACK_OFFICE, {"organisation", "switch", "member", "event"}),
        (
            ADMINISTRATOR,
            {"organisation", "switch", "member", "event", "key", "token", "revoke", "staff"},
        ),
    ],
)
@pytest.mark.one_in(3)
def test_each_role_can_do_what_it_is_allowed_and_nothing_else(role, allowed):
    organisation, member = make_participants()
    event = exhausted_event(organisation)
    WebhookEndpoint.objects.create(
        organisation=organisation,
        url="https://acme.example/hook",
        secret="whsec_c2VjcmV0IHNlY3JldA==",
    )
    issue(signed_in_client(ADMINISTRATOR, "root-of-it"), organisation)
    key = ApiKey.objects.get()
    client = signed_in_client(role)
    org = str(organisation.pk)
    actions: dict[str, tuple[str, dict[str, Any]]] = {
        "organisation": (reverse("admin:exchange_organisation_add"), {"name": "New"}),
        "member": (
            reverse("admin:exchange_member_add"),
            {"organisation": org, "name": "N", "email": "n@example.com"},
        ),
        "event": (reverse("admin:exchange_event_redeliver", args=[event.pk]), {}),
        "token": (reverse("admin:exchange_apikey_token", args=[key.pk]), {"days": "1"}),
        "key": (
            reverse("admin:exchange_apikey_add"),
            {"organisation": org, "name": "Two", "scopes": ["tokens:read"]},
        ),
        "revoke": (reverse("admin:exchange_apikey_revoke", args=[key.pk]), {}),
        "staff": (
            reverse("admin:exchange_staffuser_add"),
            {"username": "newcomer", "role": str(Group.objects.get(name=AUDITOR).pk)},
        ),
        "switch": (reverse("admin:exchange_organisation_deactivate", args=[org]), {}),
    }
    for name, (address, body) in actions.items():
        before = table_fingerprints()
        if name in {"revoke", "switch"}:
            asked = client.get(address)
            body["seen"] = asked.context["seen"] if asked.status_code == 200 else "{}"
        response = client.post(address, body)
        if name in allowed:
            assert response.status_code in {200, 302}, name
            assert table_fingerprints() != before, name
        else:
            # Finance approvers have the form, to propose administrators only.
            expected = 200 if (role, name) == (FINANCE_APPROVER, "staff") else 403
            assert response.status_code == expected, name
            assert table_fingerprints() == before, name
    assert member.organisation == organisation


def invite(client: Client, username: str = "newcomer", role: str = AUDITOR):
    role_id = str(Group.objects.get(name=role).pk)
    body = {"username": username, "first_name": "Nia", "email": "nia@example.com", "role": role_id}
    return client.post(reverse("admin:exchange_staffuser_add"), body)


def staff_page(user: StaffUser, page: str) -> str:
    return reverse(f"admin:exchange_staffuser_{page}", args=[user.pk])


def test_an_invitation_lets_a_person_choose_a_password_once(caplog):
    caplog.set_level(logging.DEBUG)
    client = signed_in_client(ADMINISTRATOR)
    shown = invite(client)
    address = dict(shown.context["shown"])["Invitation link"]
    user = StaffUser.objects.get(username="newcomer")
    assert [group.name for group in user.groups.all()] == [AUDITOR]
    assert not user.has_usable_password()
    assert not user.is_superuser
    token = address.rstrip("/").rpartition("/")[2]
    assert token not in client.get(staff_page(user, "change")).content.decode()
    assert token not in caplog.text
    newcomer = Client()
    page = newcomer.get(address, follow=True)
    assert token not in page.redirect_chain[-1][0]
    form = page.redirect_chain[-1][0]
    chosen = {"new_password1": "quite a long one", "new_password2": "quite a long one"}
    weak = newcomer.post(form, {"new_password1": "password", "new_password2": "password"})
    assert weak.status_code == 200
    assert newcomer.post(form, chosen)["Location"] == reverse("admin:login")
    assert enter_password(newcomer, "newcomer", "quite a long one")["Location"] == "/admin/"
    late = Client().get(address, follow=True)
    assert "was already used or has expired" in text_of(late)
    happened = AccessRecord.objects.filter(user=user).order_by("id")
    assert [(row.event, row.by) for row in happened] == [
        ("invited", user_of(client)),
        ("invited", user_of(client)),
        ("password_changed", None),
        ("signed_in", None),
    ]


def test_an_invitation_of_a_deactivated_person_does_not_work():
    client = signed_in_client(ADMINISTRATOR)
    address = dict(invite(client).context["shown"])["Invitation link"]
    user = StaffUser.objects.get(username="newcomer")
    client.post(staff_page(user, "deactivate"))
    assert "was already used or has expired" in text_of(Client().get(address, follow=True))


def test_administrators_cannot_change_their_own_access():
    client = signed_in_client(ADMINISTRATOR)
    me = user_of(client)
    enrol_second_factor(me)
    sign_in(client, me)
    finance = str(Group.objects.get(name=FINANCE_APPROVER).pk)
    with assert_no_table_changes():
        for page, body in (
            ("role", {"role": finance, "expected_role": ADMINISTRATOR}),
            ("reset", {}),
            ("unlock", {}),
            ("deactivate", {}),
            ("invitation", {}),
        ):
            refused = client.post(staff_page(me, page), body)
            assert refused.status_code == 200
            assert "another administrator" in text_of(refused), page


def test_only_a_superuser_changes_a_superuser():
    client = signed_in_client(ADMINISTRATOR)
    superuser = create_superuser("owner", password="x")
    enrol_second_factor(superuser)
    with assert_no_table_changes():
        for page in ("details", "role", "reset", "unlock", "deactivate", "activate", "invitation"):
            assert client.get(staff_page(superuser, page)).status_code == 403
            assert (
                client.post(staff_page(superuser, page), {"email": "x@example.com"}).status_code
                == 403
            )
        assert client.post(staff_page(superuser, "change"), {"is_superuser": "on"}).status_code in {
            403,
            405,
        }


def test_finance_manages_administrators_only(finance):
    colleague = create_staff("colleague", "correct horse battery", AUDITOR)
    enrol_second_factor(colleague)
    with assert_no_table_changes():
        refused = invite(finance)
        for page in ("details", "role", "reset", "unlock", "deactivate", "activate", "invitation"):
            assert finance.post(staff_page(colleague, page), {}).status_code == 403
    assert "You are not allowed to add users" in text_of(refused)


def test_a_role_change_names_the_current_role():
    auditor = create_staff("auditor", "correct horse battery", AUDITOR)
    client = signed_in_client(ADMINISTRATOR)
    finance = str(Group.objects.get(name=FINANCE_APPROVER).pk)
    stale = client.post(
        staff_page(auditor, "role"), {"role": finance, "expected_role": BACK_OFFICE}
    )
    assert "Reload the page and try again" in text_of(stale)
    assert not StaffUser.objects.get(pk=auditor.pk).has_perm("wallets.decide_withdrawal")
    done = client.post(staff_page(auditor, "role"), {"role": finance, "expected_role": AUDITOR})
    assert messages_of(done) == ["Proposed. Takes effect once a second person confirms it."]
    assert not StaffUser.objects.get(pk=auditor.pk).has_perm("wallets.decide_withdrawal")
    confirm_latest()
    assert StaffUser.objects.get(pk=auditor.pk).has_perm("wallets.decide_withdrawal")
    record = AccessRecord.objects.filter(user=auditor).first()
    assert record is not None
    assert (record.event, record.by) == ("role_changed", user_of(client))
    assert record.details == "Auditor → Finance approver. Confirmed by second-person"
    page = text_of(client.get(staff_page(auditor, "change")))
    assert "Auditor → Finance approver" in page


def test_a_lost_second_factor_is_reset_and_enrolled_again():
    approver = create_staff("approver", "correct horse battery", FINANCE_APPROVER)
    enrol_second_factor(approver)
    client = signed_in_client(ADMINISTRATOR)
    client.post(staff_page(approver, "reset"))
    assert SecondFactor.objects.exists()
    confirm_latest()
    assert not SecondFactor.objects.exists()
    assert not RecoveryCode.objects.exists()
    reply = enter_password(Client(), "approver", "correct horse battery")
    assert "/enrol/" in reply["Location"]
    again = client.post(staff_page(approver, "reset"))
    assert "has no second factor" in text_of(again)


def test_access_records_are_append_only():
    create_staff("auditor", "correct horse battery", AUDITOR)
    for statement in (
        "UPDATE exchange_accessrecord SET details = ''",
        "DELETE FROM exchange_accessrecord",
    ):
        with (
            pytest.raises(ProgrammingError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_no_page_shows_a_password_a_secret_or_a_hash():
    approver = create_staff("approver", "correct horse battery", FINANCE_APPROVER)
    secret = enrol_second_factor(approver)
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret_encrypted FROM exchange_secondfactor")
        (stored,) = cursor.fetchone()
    client = signed_in_client(ADMINISTRATOR)
    for page in ("change", "details", "role", "reset"):
        text = client.get(staff_page(approver, page)).content.decode()
        for hidden in (secret, stored, approver.password.rpartition("$")[2]):
            assert hidden not in text
