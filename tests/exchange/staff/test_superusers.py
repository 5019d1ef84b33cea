"""Only the owner of the database creates superusers."""

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction

from exchange.staff.models import StaffUser

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def test_only_the_owner_creates_superusers(monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long enough passphrase")
    given = {"interactive": False, "username": "root", "email": "root@example.com", "verbosity": 0}
    with pytest.raises(DatabaseError), transaction.atomic():
        call_command("createsuperuser", **given)
    assert not StaffUser.objects.exists()
    call_command("createsuperuser", database="owner", **given)
    assert StaffUser.objects.get(username="root").is_superuser


def test_staff_cannot_be_promoted_to_superuser():
    user = StaffUser.objects.create_user("ada", is_staff=True)
    with pytest.raises(DatabaseError), transaction.atomic():
        StaffUser.objects.filter(pk=user.pk).update(is_superuser=True)
    user.refresh_from_db()
    assert not user.is_superuser
