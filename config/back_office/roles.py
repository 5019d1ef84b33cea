"""Staff roles as groups with exact permissions, and the permissions that are not privileged.

Duties are separate: who enters a deposit does not confirm it, who approves payouts does not change
settings, who manages access approves no payments, and auditors only read. Back office lists tokens,
sets terms, and proposes prices and settings. Finance approves them and closes tokens, because
completing or cancelling a raise pays money. Credit officers propose and approve loan terms. Support
reads what customers ask about, and nothing about staff, keys or the exchange's own affairs.
Services require a second person regardless of role.

`manage.py migrate` applies the table, and `up` runs it where that is due.
"""

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from exchange.core.errors import InvalidRequest
from exchange.staff.models import StaffUser
from exchange.staff.services.accounts import add_person
from exchange.staff.services.privileged_access import is_privileged

FINANCE_APPROVER = "Finance approver"
BACK_OFFICE = "Back office"
CREDIT_OFFICER = "Credit officer"
AUDITOR = "Auditor"
SUPPORT = "Support"
ADMINISTRATOR = "Administrator"

_VIEWABLE = {
    "credit": (
        "closureproposal", "distribution", "income", "loan", "loanconfiguration", "shortfall",
        "taxfactsproposal", "taxrate",
    ),
    "exchange": (
        "apikey", "comment", "event", "export", "loggedrequest", "member", "organisation",
        "question", "quote", "readcount", "token", "webhookendpoint",
    ),
    "orders": ("order", "termsproposal", "tokenproposal", "trade"),
    "wallets": (
        "account", "adjustingentry", "alert", "bankaccount", "banklist", "booksproof",
        "configuration", "settingchange", "conversion", "decision", "deposit", "depositreversal",
        "entry", "freeze", "freezelift", "ownbankaccount", "payment", "paymentresolution", "payout",
        "periodclose", "proposal", "providerevent", "receivable", "receivablewriteoff",
        "reconciliation", "reconciliationbreak", "statementfile", "statementline", "transfer",
        "treasurymovement", "virtualaccount", "wallettransfer", "withdrawal",
    ),
}  # fmt: skip
# What customers ask about: themselves, their money, orders and loans.
_VIEWABLE_TO_SUPPORT = {
    "credit": (
        "closureproposal", "distribution", "income", "loan", "loanconfiguration", "shortfall",
    ),
    "exchange": (
        "comment", "event", "loggedrequest", "member", "organisation", "question", "quote",
        "readcount", "token",
    ),
    "orders": ("order", "termsproposal", "tokenproposal", "trade"),
    "wallets": (
        "account", "conversion", "decision", "deposit", "depositreversal", "entry", "freeze",
        "freezelift", "payment", "paymentresolution", "payout", "proposal", "receivable",
        "receivablewriteoff", "transfer", "virtualaccount", "wallettransfer", "withdrawal",
    ),
}  # fmt: skip


def _view(models_by_app: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return the permissions to view models."""
    return frozenset(
        f"{app}.view_{model}" for app, models in models_by_app.items() for model in models
    )


_VIEW = _view(_VIEWABLE)
_VIEW_PEOPLE = _view({"exchange": ("accessproposal", "accessrecord", "change", "staffuser")})

ROLES: dict[str, frozenset[str]] = {
    FINANCE_APPROVER: _VIEW
    | {
        "wallets.decide_withdrawal",
        "wallets.resolve_payout",
        "wallets.decide_break",
        "wallets.decide_deposit",
        "wallets.resolve_payment",
        "wallets.reverse_deposit",
        "wallets.move_treasury",
        "wallets.adjust_books",
        "wallets.close_period",
        "wallets.match_statement",
        "wallets.add_accountverification",
        "wallets.write_off_receivable",
        "wallets.place_freeze",
        "wallets.lift_freeze",
        "wallets.decide_configuration",
        "wallets.change_alert",
        "wallets.run_reconciliation",
        "exchange.add_comment",
        "exchange.add_question",
        "exchange.add_export",
        "credit.decide_distribution",
        "credit.propose_distribution",
        "credit.decide_taxrate",
        "credit.propose_taxrate",
        "exchange.decide_quote",
        "exchange.end_token",
        "orders.decide_terms",
        "exchange.view_accessproposal",
        "exchange.view_staffuser",
        "exchange.decide_accessproposal",
        "exchange.restore_administrator",
    },
    BACK_OFFICE: _VIEW
    | {
        "wallets.add_deposit",
        "wallets.match_statement",
        "wallets.add_accountverification",
        "wallets.place_freeze",
        "wallets.propose_configuration",
        "wallets.change_banklist",
        "wallets.change_alert",
        "wallets.run_reconciliation",
        "exchange.add_comment",
        "exchange.add_question",
        "exchange.add_export",
        "exchange.add_organisation",
        "exchange.change_organisation",
        "exchange.add_member",
        "exchange.change_member",
        "exchange.change_event",
        "exchange.change_webhookendpoint",
        "exchange.add_token",
        "exchange.change_token",
        "exchange.propose_quote",
        "credit.propose_distribution",
        "credit.propose_taxrate",
    },
    CREDIT_OFFICER: _VIEW
    | {
        "credit.propose_configuration",
        "credit.decide_configuration",
        "credit.close_loan",
        "exchange.add_comment",
        "exchange.add_export",
    },
    AUDITOR: _VIEW
    | _VIEW_PEOPLE
    | {
        "exchange.add_export",
        "exchange.read_every_export",
    },
    SUPPORT: _view(_VIEWABLE_TO_SUPPORT) | {"exchange.add_comment"},
    ADMINISTRATOR: _VIEW
    | _VIEW_PEOPLE
    | {
        "wallets.change_alert",
        "exchange.add_comment",
        "exchange.add_organisation",
        "exchange.change_organisation",
        "exchange.add_member",
        "exchange.change_member",
        "exchange.add_apikey",
        "exchange.change_apikey",
        "exchange.change_event",
        "exchange.change_webhookendpoint",
        "exchange.add_staffuser",
        "exchange.change_staffuser",
        "exchange.decide_accessproposal",
    },
}


# Changes that neither move money nor grant access. All others are privileged: they require a second
# factor and a recent code.
UNPRIVILEGED_PERMISSIONS = frozenset(
    {
        "exchange.add_comment",
        "exchange.add_export",
        "exchange.add_member",
        "exchange.add_organisation",
        "exchange.add_question",
        "exchange.change_event",
        "exchange.change_member",
        "exchange.change_organisation",
        "exchange.change_webhookendpoint",
        "exchange.read_every_export",
        "wallets.change_alert",
        "wallets.change_banklist",
        "wallets.run_reconciliation",
    }
)


def is_privileged_user(user: StaffUser) -> bool:
    """Return whether the user has a privileged permission."""
    return user.is_superuser or any(map(is_privileged, user.get_all_permissions()))


def apply_roles(using: str = "default") -> bool:
    """Set the permissions of each role to exactly those of `ROLES`; return whether any changed."""
    if are_roles_applied(using):
        return False
    with transaction.atomic(using=using):
        known = {
            f"{permission.content_type.app_label}.{permission.codename}": permission
            for permission in Permission.objects.using(using).select_related("content_type")
        }
        for name, wanted in ROLES.items():
            group, _ = Group.objects.using(using).get_or_create(name=name)
            group.permissions.set([known[permission] for permission in sorted(wanted)])
    return True


def are_roles_applied(using: str = "default") -> bool:
    """Return whether each role has exactly its permissions."""
    rows = Group.objects.using(using).filter(name__in=ROLES)
    held = rows.values_list("name", "permissions__content_type__app_label", "permissions__codename")
    applied = {(name, f"{app}.{codename}") for name, app, codename in held}
    return applied == {(name, one) for name, wanted in ROLES.items() for one in wanted}


def create_staff(username: str, password: str, role: str) -> StaffUser:
    """Create a user with one role immediately, without a second person.

    For the first users of an installation, and for demo data. Raises `InvalidRequest` for an
    unknown role or a bad name, `Conflict` for a taken one.
    """
    return add_person(username=username, password=password, role=get_role(role), by=None)


def get_role(name: str) -> Group:
    """Return the group of a role. Raises `InvalidRequest` for an unknown one."""
    if name not in ROLES:
        raise InvalidRequest(f"The role must be one of {', '.join(ROLES)}")
    return Group.objects.get(name=name)
