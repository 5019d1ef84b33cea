"""Links from alerts to the record or list they are about."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.db.models import CharField, OuterRef, Subquery
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallets.reconciliation.models import Reconciliation
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

_AWAITING_PAYOUT = {"status": WithdrawalStatus.APPROVED.value}


def annotate_subjects(alerts: Any) -> Any:
    """Annotate `alerts` with the ids of the withdrawal and the latest report named as subject."""
    withdrawals = Withdrawal.objects.filter(reference=OuterRef("subject"))
    reports = (
        Reconciliation.objects.annotate(named=Cast("day", CharField()))
        .filter(named=OuterRef("subject"))
        .order_by("-created_at", "-id")
    )
    return alerts.annotate(
        withdrawal_id=Subquery(withdrawals.values("pk")[:1]),
        report_id=Subquery(reports.values("pk")[:1]),
    )


def subject_link(alert: Any) -> SafeString | str:
    """Return the subject of an annotated alert as a link; a dash if it has none."""
    address = _subject_url(alert)
    label = alert.subject or _LABELS.get(alert.kind, "")
    if not address or not label:
        return label or "-"
    return format_html('<a href="{}">{}</a>', address, label)


_LABELS = {
    "books": "Ledger integrity",
    "provider_outage": "Payouts on hold",
    "collateral_prices": "Open loans",
}
# Filtered lists for alerts without a single record; `{}` is the subject.
_LISTS: dict[str, tuple[str, dict[str, str]]] = {
    "bank_list": ("wallets_banklist", {}),
    "books": ("wallets_booksproof", {"passed__exact": "0"}),
    "collateral_prices": ("credit_loan", {}),
    "float": ("wallets_withdrawal", {**_AWAITING_PAYOUT, "currency__code__exact": "{}"}),
    "provider_outage": ("wallets_withdrawal", _AWAITING_PAYOUT),
}


def _subject_url(alert: Any) -> str:
    if alert.withdrawal_id:
        return reverse("admin:wallets_withdrawal_change", args=[alert.withdrawal_id])
    if alert.report_id:
        return reverse("admin:wallets_reconciliation_change", args=[alert.report_id])
    if alert.kind not in _LISTS:
        return ""
    model, narrowed = _LISTS[alert.kind]
    query = {name: value.replace("{}", alert.subject) for name, value in narrowed.items()}
    address = reverse(f"admin:{model}_changelist")
    return f"{address}?{urlencode(query)}" if query else address
