"""Links from alerts to the record or list they are about."""

from typing import Any

from django.db.models import BigIntegerField, Case, CharField, OuterRef, Subquery, When
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from credit.distributions.models import Distribution
from exchange.admin.display import list_url
from wallets.deposits.models import Deposit, DepositStatus, Payment
from wallets.reconciliation.models import Reconciliation
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

_AWAITING_PAYOUT = {"status": WithdrawalStatus.APPROVED.value}
# Their subject is the provider's number of a payment.
_OF_PAYMENTS = (
    "payment_unmatched",
    "payment_disproved",
    "refund_unconfirmed",
    "payment_charged_back",
    "chargeback_withdrawn",
)
# Pages of the records that `annotate_subjects` finds, by the name of the annotation.
_PAGES = {
    "withdrawal_id": "wallets_withdrawal",
    "payment_id": "wallets_payment",
    "deposit_id": "wallets_deposit",
    "report_id": "wallets_reconciliation",
    "distribution_id": "credit_distribution",
}


def annotate_subjects(alerts: Any) -> Any:
    """Annotate `alerts` with the id of the record named as subject, of a day the latest report."""
    withdrawals = Withdrawal.objects.filter(reference=OuterRef("subject"))
    deposits = Deposit.objects.exclude(status=DepositStatus.FAILED).filter(
        reference=OuterRef("subject")
    )
    payments = Payment.objects.filter(transaction_id=OuterRef("transaction_id"))
    reports = (
        Reconciliation.objects.annotate(named=Cast("day", CharField()))
        .filter(named=OuterRef("subject"))
        .order_by("-created_at", "-id")
    )
    distributions = Distribution.objects.annotate(named=Cast("pk", CharField())).filter(
        named=OuterRef("subject")
    )
    number = Case(
        When(
            kind__in=_OF_PAYMENTS,
            subject__regex=r"^\d{1,18}$",
            then=Cast("subject", BigIntegerField()),
        )
    )
    return alerts.annotate(transaction_id=number).annotate(
        withdrawal_id=Subquery(withdrawals.values("pk")[:1]),
        payment_id=Subquery(payments.values("pk")[:1]),
        deposit_id=Subquery(deposits.values("pk")[:1]),
        report_id=Subquery(reports.values("pk")[:1]),
        distribution_id=Subquery(distributions.values("pk")[:1]),
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
    for name, model in _PAGES.items():
        if record_id := getattr(alert, name):
            return reverse(f"admin:{model}_change", args=[record_id])
    if alert.kind not in _LISTS:
        return ""
    model, narrowed = _LISTS[alert.kind]
    query = {name: value.replace("{}", alert.subject) for name, value in narrowed.items()}
    return list_url(model, **query)
