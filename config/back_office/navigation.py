"""The sidebar: groups of lists with counts of pending work.

Lists not assigned to a group appear in the last one.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

from config.back_office.roles import is_privileged_user
from exchange.admin.base import staff_of
from exchange.admin.paging import count_statement, run_counts
from exchange.staff.admin.pending import queues
from exchange.staff.models import StaffUser
from wallets.alerts.models import Alert
from wallets.deposits.admin.payments import QUEUE as PAYMENTS
from wallets.deposits.models import Payment
from wallets.deposits.selectors import unconfirmed_refunds, undecided_payments
from wallets.withdrawals.admin.saved_views import awaiting_approval_by
from wallets.withdrawals.models import Withdrawal

# Title, icon of `exchange/icons.svg`, models in order.
GROUPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Payouts",
        "out",
        (
            "wallets.withdrawal",
            "wallets.proposal",
            "wallets.decision",
            "wallets.payout",
            "wallets.providerevent",
            "wallets.bankaccount",
            "wallets.banklist",
        ),
    ),
    (
        "Deposits",
        "in",
        (
            "wallets.deposit",
            "wallets.depositreversal",
            "wallets.payment",
            "wallets.virtualaccount",
            "wallets.receivable",
            "wallets.receivablewriteoff",
        ),
    ),
    ("Transfers", "out", ("wallets.wallettransfer", "wallets.conversion")),
    (
        "Market",
        "market",
        (
            "exchange.token",
            "orders.tokenproposal",
            "orders.termsproposal",
            "exchange.quote",
            "orders.order",
            "orders.trade",
        ),
    ),
    (
        "Credit",
        "credit",
        (
            "credit.loan",
            "credit.loan/book",
            "credit.loanconfiguration",
            "credit.distribution",
            "credit.distribution/calendar",
            "credit.taxrate",
            "credit.taxfactsproposal",
            "credit.taxrate/withheld",
        ),
    ),
    (
        "Ledger",
        "ledger",
        (
            "wallets.account",
            "wallets.transfer",
            "wallets.entry",
            "wallets.account/trial_balance",
            "wallets.entry/general_ledger",
            "wallets.treasurymovement",
            "wallets.adjustingentry",
            "wallets.periodclose",
            "wallets.statementline",
            "wallets.statementfile",
            "wallets.ownbankaccount",
            "wallets.booksproof",
            "wallets.reconciliation/treasury",
            "wallets.reconciliation",
            "wallets.reconciliationbreak",
            "wallets.alert",
            "exchange.export",
        ),
    ),
    (
        "Participants",
        "people",
        ("exchange.organisation", "exchange.member", "exchange.apikey", "wallets.freeze"),
    ),
    (
        "Webhooks",
        "webhook",
        (
            "exchange.event",
            "exchange.webhookendpoint",
            "exchange.loggedrequest",
            "exchange.readcount",
        ),
    ),
    (
        "Settings",
        "settings",
        (
            "wallets.configuration",
            "wallets.configuration/by_currency",
            "wallets.configuration/rates",
            "wallets.settingchange",
        ),
    ),
    (
        "Staff and access",
        "staff",
        (
            "exchange.staffuser",
            "exchange.accessproposal",
            "exchange.accessrecord",
            "exchange.change",
        ),
    ),
)
# Titles of pages that are no lists, by the model that they belong to and the name of their URL. Who
# may view the model sees them.
PAGES = {
    "credit.loan/book": "Loan book",
    "wallets.reconciliation/treasury": "Treasury",
    "credit.distribution/calendar": "Payment calendar",
    "wallets.account/trial_balance": "Trial balance",
    "wallets.entry/general_ledger": "General ledger",
    "wallets.configuration/by_currency": "Settings by currency",
    "wallets.configuration/rates": "Rates of the day",
    "credit.taxrate/withheld": "Tax withheld",
}
# Who has one of these permissions finds the group unfolded; who has none of all, every group.
OPEN_FOR: Mapping[str, tuple[str, ...]] = {
    "Payouts": ("wallets.decide_withdrawal",),
    "Deposits": ("wallets.decide_deposit", "wallets.add_deposit"),
    "Market": ("exchange.change_token",),
    "Credit": ("credit.close_loan",),
    "Ledger": ("wallets.move_treasury",),
    "Participants": ("exchange.change_member",),
    "Settings": ("wallets.propose_configuration",),
    "Staff and access": ("exchange.change_staffuser",),
}
# Upper limit of badge counts.
BADGE_LIMIT = 99


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the sidebar groups the user may view."""
    lists = _viewable_lists(request)
    user = staff_of(request)
    counts = _counts(user, lists)
    wanted = _open_groups(user)
    here = _current_model(request)
    placed = {label for _, _, labels in GROUPS for label in labels}
    unassigned = tuple(sorted(lists.keys() - placed))
    tops = [("Dashboard", "home", _address("admin:index"))]
    if is_privileged_user(user):
        tops.append(("Awaiting my approval", "inbox", _address("admin:inbox")))
    tops.append(("Approvals by day", "staff", _address("admin:approvals")))
    groups: list[dict[str, Any]] = [
        {
            "title": "",
            "items": [
                {"title": title, "icon": icon, "link": link, "active": request.path == link}
                for title, icon, link in tops
            ],
        }
    ]
    for title, icon, labels in (*GROUPS, ("More", "other", unassigned)):
        items = [
            {
                "title": lists[label][0],
                "link": lists[label][1],
                "active": label == here,
                "badge": _badge(counts.get(label, 0)),
            }
            for label in labels
            if label in lists
        ]
        if items:
            pending = sum(counts.get(label, 0) for label in labels)
            groups.append(
                {
                    "title": title,
                    "icon": icon,
                    "items": items,
                    "badge": _badge(pending),
                    "open": title in wanted or any(item["active"] for item in items),
                }
            )
    return groups


def _open_groups(user: StaffUser) -> set[str]:
    """Return the titles of the groups that are unfolded for `user`."""
    found = {title for title, needed in OPEN_FOR.items() if any(map(user.has_perm, needed))}
    return found or {title for title, _, _ in GROUPS}


def _viewable_lists(request: HttpRequest) -> dict[str, tuple[str, str]]:
    """Return title and URL of every list the user may view, by model label."""
    found = {}
    for model, model_admin in admin.site._registry.items():
        if model_admin.has_view_permission(request):
            meta = model._meta
            name = f"admin:{meta.app_label}_{meta.model_name}_changelist"
            title = capfirst(str(meta.verbose_name_plural))
            found[meta.label_lower] = (title, _address(name))
    for page, title in PAGES.items():
        model_label, name = page.split("/")
        if model_label in found:
            found[page] = (title, _address(f"admin:{model_label.replace('.', '_')}_{name}"))
    return found


# Every page has the same seventy addresses at its side.
@cache
def _address(name: str) -> str:
    return reverse(name)


def _current_model(request: HttpRequest) -> str:
    """Return the model label, or the key in `PAGES`, of the current page; empty for other pages."""
    match = request.resolver_match
    parts = (match.url_name or "").split("_", 2) if match else []
    if len(parts) < 3:
        return ""
    label = ".".join(parts[:2])
    page = f"{label}/{parts[2]}"
    return page if page in PAGES else label


def _counts(user: StaffUser, lists: Mapping[str, object]) -> dict[str, int]:
    """Count open alerts and what `user` can decide, in one query over partial indexes."""
    labels, statement, parameters = _count_statement(
        user, frozenset(lists), frozenset(user.get_all_permissions())
    )
    found = run_counts(Alert.objects.db, statement, parameters) if labels else []
    return dict(zip(labels, found, strict=True))


def _badge(count: int) -> str:
    """Return a count as shown, empty for 0."""
    return (str(count) if count <= BADGE_LIMIT else f"{BADGE_LIMIT}+") if count else ""


# Building these queries took a third of the time of a page.
@lru_cache(maxsize=256)
def _count_statement(
    user: StaffUser,
    lists: frozenset[str],
    _permissions: frozenset[str],
) -> tuple[tuple[str, ...], str, list[Any]]:
    """Return the lists with a count, and the query with its parameters.

    Built again when `user` has other permissions.
    """
    pending: dict[str, QuerySet[Any]] = {
        "wallets.alert": Alert.objects.filter(resolved_at__isnull=True)
    }
    if user.has_perm("wallets.decide_withdrawal"):
        pending["wallets.withdrawal"] = Withdrawal.objects.filter(awaiting_approval_by(user))
    for model, queue in queues().items():
        if user.has_perm(queue.permission):
            pending[model._meta.label_lower] = queue.awaiting_approval_by(
                model._default_manager.all(), user
            )
    if user.has_perm(PAYMENTS.permission):
        payments = Payment.objects.all()
        pending["wallets.payment"] = (
            PAYMENTS.awaiting_approval_by(payments, user)
            | undecided_payments(payments)
            | unconfirmed_refunds(payments)
        )
    shown = {label: rows for label, rows in pending.items() if label in lists}
    return tuple(shown), *count_statement(list(shown.values()), BADGE_LIMIT + 1)
