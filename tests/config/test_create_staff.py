"""`manage.py create_staff`: a login with one role, its password from the standard input."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from exchange.models import StaffUser

pytestmark = pytest.mark.django_db


def create(monkeypatch: pytest.MonkeyPatch, password: str, role: str = "Auditor") -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    said = io.StringIO()
    call_command("create_staff", "ada", "--role", role, stdout=said)
    return said.getvalue()


def test_it_makes_a_login_with_one_role_and_does_not_print_the_password(monkeypatch):
    said = create(monkeypatch, "correct horse battery", "Finance approver")
    assert said == "ada may sign in at /admin/ as Finance approver.\n"
    user = StaffUser.objects.get()
    assert user.check_password("correct horse battery")
    assert user.is_staff
    assert not user.is_superuser
    assert user.has_perm("wallets.decide_withdrawal")
    assert not user.has_perm("wallets.change_configuration")


@pytest.mark.parametrize("password", ["", "short", "password123", "12345678901"])
def test_a_weak_password_makes_nobody(monkeypatch, password):
    with pytest.raises(CommandError):
        create(monkeypatch, password)
    assert StaffUser.objects.count() == 0


def test_a_taken_name_is_one_clear_line(monkeypatch):
    create(monkeypatch, "correct horse battery")
    with pytest.raises(CommandError, match="There is a member of staff called ada already"):
        create(monkeypatch, "correct horse battery")
    assert StaffUser.objects.count() == 1
