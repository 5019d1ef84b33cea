"""`manage.py create_staff`: a login with one role, its password from the standard input."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.staff.models import AccessProposal, AccessRecord, StaffUser
from exchange.staff.services.privileged_access import access_notices, is_cooling_off
from tests.factories.back_office import text_of
from tests.factories.logins import sign_in
from tests.factories.staff import create_staff

pytestmark = pytest.mark.django_db


def create(monkeypatch: pytest.MonkeyPatch, password: str, role: str = "Auditor") -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    said = io.StringIO()
    call_command("create_staff", "ada", "--role", role, stdout=said)
    return said.getvalue()


def test_it_creates_a_user_with_one_role_and_does_not_print_the_password(monkeypatch):
    said = create(monkeypatch, "correct horse battery", "Finance approver")
    assert said == "ada can sign in at /admin/ as Finance approver.\n"
    user = StaffUser.objects.get()
    assert user.check_password("correct horse battery")
    assert user.is_staff
    assert not user.is_superuser
    assert user.has_perm("wallets.decide_withdrawal")
    assert not user.has_perm("wallets.change_configuration")


@pytest.mark.parametrize("password", ["", "short", "password123", "12345678901"])
def test_a_weak_password_creates_no_user(monkeypatch, password):
    with pytest.raises(CommandError):
        create(monkeypatch, password)
    assert StaffUser.objects.count() == 0


def test_a_taken_username_is_reported_in_one_line(monkeypatch):
    create(monkeypatch, "correct horse battery")
    with pytest.raises(CommandError, match="The username ada is taken"):
        create(monkeypatch, "correct horse battery")
    assert StaffUser.objects.count() == 1


def test_once_privileged_users_exist_it_files_a_proposal_for_two_people(monkeypatch):
    settled("root", ADMINISTRATOR)
    said = create(monkeypatch, "correct horse battery", FINANCE_APPROVER)
    assert said.startswith("Proposed: ada as Finance approver.")
    assert not StaffUser.objects.filter(username="ada").exists()
    proposal = AccessProposal.objects.get()
    assert (proposal.status, proposal.proposed_by, proposal.payload["role"]) == (
        "Pending",
        None,
        FINANCE_APPROVER,
    )
    with pytest.raises(CommandError, match="already proposed"):
        create(monkeypatch, "correct horse battery", FINANCE_APPROVER)
    assert "correct horse" not in str(AccessProposal.objects.values())


def test_an_installation_never_becomes_new_again(monkeypatch):
    settled("root", ADMINISTRATOR)
    StaffUser.objects.update(is_active=False)
    assert create(monkeypatch, "correct horse battery").startswith("Proposed")


def test_break_glass_acts_immediately_and_notifies_privileged_users(monkeypatch):
    finance = settled("kwesi", FINANCE_APPROVER)
    office = settled("office", BACK_OFFICE)
    reader = settled("reader", AUDITOR)
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    call_command("create_staff", "ada", "--role", ADMINISTRATOR, "--break-glass")
    made = StaffUser.objects.get(username="ada")
    assert made.check_password("correct horse battery")
    assert is_cooling_off(made)
    for user in (finance, office):
        assert any("Break-glass access was used" in notice.text for notice in access_notices(user))
        client = Client()
        sign_in(client, user)
        assert "Break-glass access was used" in text_of(client.get("/admin/"))
    assert access_notices(reader) == []
    proposal = AccessProposal.objects.get()
    assert (proposal.break_glass, proposal.status, proposal.person) == (True, "Approved", made)
    assert AccessRecord.objects.filter(user=made, event="break_glass").exists()


def test_other_commands_cannot_bypass_dual_control(monkeypatch):
    finance = settled("kwesi", FINANCE_APPROVER)
    before = finance.password
    # `changepassword` without a name is about the account of the operating system.
    monkeypatch.setenv("LOGNAME", "kwesi")
    monkeypatch.setattr("getpass.getpass", lambda *_args, **_options: "another long password")
    superuser = ["--noinput", "--username", "owner", "--email", ""]
    for command, arguments, refusal in (
        ("changepassword", ["kwesi"], "This account has privileged access"),
        ("changepassword", [], "This account has privileged access"),
        ("createsuperuser", superuser, "Accounts with privileged access exist already"),
        ("createapplication", [], "Use issue_api_key to issue API keys"),
    ):
        with pytest.raises(CommandError, match=refusal):
            call_command(command, *arguments, stdout=io.StringIO())
    finance.refresh_from_db()
    assert finance.password == before
    assert StaffUser.objects.count() == 1


def settled(name: str, role: str) -> StaffUser:
    return create_staff(name, "correct horse battery", role)
