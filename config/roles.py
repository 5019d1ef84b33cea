"""The roles of staff, as groups with exact permissions, and making a member of staff.

Duties are apart: who enters money does not confirm it, who pays out sets no figures, who sets
figures and hands out keys pays nothing out, and an auditor changes nothing. The back office lists
tokens, sets their terms and proposes prices; finance approves prices and ends tokens, because
completing and cancelling a raise pays its issuer or its buyers. Credit officers propose terms of
loans and decide about them. The services demand a second person on top, whatever roles somebody
has.
"""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db import transaction

from exchange.errors import Conflict, InvalidRequest
from exchange.models import StaffUser

FINANCE_APPROVER = "Finance approver"
BACK_OFFICE = "Back office"
CREDIT_OFFICER = "Credit officer"
AUDITOR = "Auditor"
ADMINISTRATOR = "Administrator"

_SEEN = {
    "credit": ("endingproposal", "loan", "loanconfiguration", "shortfall"),
    "exchange": (
        "apikey", "event", "member", "organisation", "quote", "token", "webhookendpoint",
    ),
    "orders": ("order", "trade"),
    "wallets": (
        "account", "alert", "bankaccount", "banklist", "booksproof", "configuration", "decision",
        "deposit", "entry", "payout", "proposal", "providerevent", "transfer", "withdrawal",
    ),
}  # fmt: skip
_VIEW = frozenset(f"{app}.view_{model}" for app, models in _SEEN.items() for model in models)

ROLES: dict[str, frozenset[str]] = {
    FINANCE_APPROVER: _VIEW
    | {
        "wallets.decide_withdrawal",
        "wallets.resolve_payout",
        "wallets.decide_deposit",
        "wallets.change_alert",
        "exchange.decide_quote",
        "exchange.end_token",
    },
    BACK_OFFICE: _VIEW
    | {
        "wallets.add_deposit",
        "wallets.change_alert",
        "exchange.add_organisation",
        "exchange.change_organisation",
        "exchange.add_member",
        "exchange.change_event",
        "exchange.add_token",
        "exchange.change_token",
        "exchange.propose_quote",
    },
    CREDIT_OFFICER: _VIEW
    | {
        "credit.propose_configuration",
        "credit.decide_configuration",
        "credit.end_loan",
    },
    AUDITOR: _VIEW,
    ADMINISTRATOR: _VIEW
    | {
        "wallets.add_configuration",
        "wallets.change_configuration",
        "wallets.change_alert",
        "exchange.add_organisation",
        "exchange.change_organisation",
        "exchange.add_member",
        "exchange.add_apikey",
        "exchange.change_apikey",
        "exchange.change_event",
        "exchange.view_staffuser",
        "exchange.add_staffuser",
        "exchange.change_staffuser",
    },
}


@transaction.atomic
def ensure_roles() -> None:
    """Makes the groups, and sets their permissions to exactly what `ROLES` says."""
    known = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.select_related("content_type")
    }
    for name, permissions in ROLES.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.set([known[permission] for permission in permissions])


@transaction.atomic
def create_staff(username: str, password: str, role: str) -> StaffUser:
    """A new member of staff with one role.

    Raises `InvalidRequest` for an unknown role or a bad name, `Conflict` for a taken one.
    """
    if role not in ROLES:
        raise InvalidRequest(f"The role must be one of {', '.join(ROLES)}")
    if StaffUser.objects.filter(username=username).exists():
        raise Conflict(f"There is a member of staff called {username} already")
    ensure_roles()
    user = StaffUser(username=username, is_staff=True)
    user.set_password(password)
    try:
        user.full_clean()
    except ValidationError as error:
        raise InvalidRequest(" ".join(error.messages)) from error
    user.save()
    user.groups.add(Group.objects.get(name=role))
    return user
