"""The sidebar of the back office: what staff do, and how much of it waits.

A page that nobody placed here still shows, in the last group, so that a new one is never lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db.models import CharField, QuerySet, Value
from django.http import HttpRequest
from django.urls import reverse

from exchange.admin.base import staff_of
from exchange.staff.admin.pending import queues
from exchange.staff.models import StaffUser
from wallets.alerts.models import Alert
from wallets.withdrawals.admin.saved_views import awaiting_approval_by
from wallets.withdrawals.models import Withdrawal

# Title, icon of `exchange/icons.svg`, models in order.
GROUPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Money out",
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
    ("Money in", "in", ("wallets.deposit",)),
    ("Market", "market", ("exchange.token", "exchange.quote", "orders.order", "orders.trade")),
    ("Credit", "credit", ("credit.loan", "credit.loanconfiguration")),
    (
        "Ledger",
        "ledger",
        (
            "wallets.account",
            "wallets.transfer",
            "wallets.entry",
            "wallets.booksproof",
            "wallets.reconciliation",
            "wallets.reconciliationbreak",
            "wallets.alert",
            "exchange.export",
        ),
    ),
    ("Participants", "people", ("exchange.organisation", "exchange.member", "exchange.apikey")),
    ("Webhooks", "webhook", ("exchange.event", "exchange.webhookendpoint")),
    ("Settings", "settings", ("wallets.configuration", "wallets.settingchange")),
    (
        "People",
        "staff",
        (
            "exchange.staffuser",
            "exchange.accessproposal",
            "exchange.accessrecord",
            "exchange.change",
        ),
    ),
)
# A badge counts no further: whoever sees it knows enough.
BADGE_LIMIT = 99


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """The groups of links to what the person may see, for the settings of the theme."""
    seen = _viewable_lists(request)
    badges = _badges(staff_of(request), seen)
    here = _current_model(request)
    placed = {label for _, _, labels in GROUPS for label in labels}
    others = tuple(sorted(seen.keys() - placed))
    groups: list[dict[str, Any]] = [
        {
            "title": "",
            "items": [
                {
                    "title": "Overview",
                    "icon": "home",
                    "link": reverse("admin:index"),
                    "active": request.path == reverse("admin:index"),
                }
            ],
        }
    ]
    for title, icon, labels in (*GROUPS, ("More", "other", others)):
        items = [
            {
                "title": seen[label][0],
                "link": seen[label][1],
                "active": label == here,
                "badge": badges.get(label),
            }
            for label in labels
            if label in seen
        ]
        if items:
            groups.append({"title": title, "icon": icon, "items": items})
    return groups


def _viewable_lists(request: HttpRequest) -> dict[str, tuple[str, str]]:
    """Title and list of every model that the person may see, by its label."""
    found = {}
    for model, model_admin in admin.site._registry.items():
        if model_admin.has_view_permission(request):
            meta = model._meta
            name = f"admin:{meta.app_label}_{meta.model_name}_changelist"
            title = str(meta.verbose_name_plural)
            found[meta.label_lower] = (title[:1].upper() + title[1:], reverse(name))
    return found


def _current_model(request: HttpRequest) -> str:
    """The label of the model whose page this is; empty on other pages."""
    match = request.resolver_match
    parts = (match.url_name or "").split("_") if match else []
    return ".".join(parts[:2]) if len(parts) > 2 else ""


def _badges(user: StaffUser, seen: Mapping[str, object]) -> dict[str, str]:
    """What `user` may decide, and open alerts, in one statement; each part has a partial index to
    count by.
    """
    waiting: dict[str, QuerySet[Any]] = {
        "wallets.alert": Alert.objects.filter(resolved_at__isnull=True)
    }
    if user.has_perm("wallets.decide_withdrawal"):
        waiting["wallets.withdrawal"] = Withdrawal.objects.filter(awaiting_approval_by(user))
    for model, queue in queues().items():
        if user.has_perm(queue.permission):
            waiting[model._meta.label_lower] = queue.awaiting_approval_by(
                model._default_manager.all(), user
            )
    parts = [
        rows.order_by()
        .annotate(of=Value(label, output_field=CharField()))
        .values_list("of", flat=True)[: BADGE_LIMIT + 1]
        for label, rows in waiting.items()
        if label in seen
    ]
    if not parts:
        return {}
    counts: dict[str, int] = {}
    for label in parts[0].union(*parts[1:], all=True):
        counts[label] = counts.get(label, 0) + 1
    return {label: str(n) if n <= BADGE_LIMIT else f"{BADGE_LIMIT}+" for label, n in counts.items()}
