"""Staff who sign in, their sessions, and the codes of their authenticator apps."""

import time
from typing import Any

from django.test import Client

from config.back_office.signin.session_state import BACKEND
from exchange.staff.models import AccessRecord, StaffUser
from exchange.staff.services import second_factor
from tests.factories.staff import create_staff

PASSWORD = "correct horse battery"


def create_login_user(role: str, name: str = "ada") -> StaffUser:
    """Create established staff of a role with the password `PASSWORD`."""
    return create_staff(name, PASSWORD, role)


def access_events(user: StaffUser) -> list[str]:
    """Return the user's access records, oldest first."""
    return list(
        AccessRecord.objects.filter(user=user).order_by("id").values_list("event", flat=True)
    )


def is_signed_in(client: Client) -> bool:
    """Return whether the dashboard opens."""
    return client.get("/admin/").status_code == 200


def sign_in(client: Client, user: StaffUser, *, second_factor: bool = True, age: float = 0) -> None:
    """Sign `user` in `age` seconds ago, with both steps or the first only."""
    client.force_login(user, backend=BACKEND)
    then = time.time() - age
    session = client.session
    session.update({"signin_started": then, "signin_seen": then})
    if second_factor:
        session["second_factor_at"] = then
    session.save()


def backdate_session(client: Client, **ages: float) -> None:
    """Set times of the session to so many seconds ago."""
    session = client.session
    session.update({name: time.time() - age for name, age in ages.items()})
    session.save()


def current_code(secret: str, ahead: int = 0) -> str:
    """Return the code that the app shows now, or `ahead` steps later."""
    return second_factor.code_at(secret=secret, step=second_factor.current_step() + ahead)


def enter_password(client: Client, username: str, password: str, **extra: Any) -> Any:
    """Submit the form of the first step."""
    return client.post("/admin/login/", {"username": username, "password": password}, **extra)
