"""Tables and descriptions on the pages of payments and deposits."""

from exchange.admin.base import Section
from exchange.admin.display import age, format_time, record_link, status_badge
from exchange.admin.search import recent_condition
from wallets.deposits.admin.payment_pages import money
from wallets.deposits.models import Deposit, Payment, PaymentStatus
from wallets.deposits.selectors import find_reference_owner

_SHOWN = 10


def describe_owner(payment: Payment) -> str:
    """Return the owner of the payment's deposit, or of what has its reference."""
    found = payment.deposit or find_reference_owner(payment)
    if found is None:
        return "-"
    return record_link(found.member or found.organisation)


def describe_differences(payment: Payment) -> str:
    """Return how the payment differs from the checkout that it paid."""
    if payment.deposit is not None:
        return describe_flags(payment.deposit) or "-"
    if payment.status in (PaymentStatus.UNMATCHED, PaymentStatus.REFUNDING):
        return "Not credited"
    return "-"


def describe_flags(deposit: Deposit) -> str:
    """Return how a deposit differs from what was requested; empty if it does not."""
    differences = (flag for flag in deposit.flags if flag != "assigned")
    return ", ".join(flag.replace("_", " ") for flag in differences).capitalize()


def decisions(payment: Payment) -> Section:
    """Return the proposals about a payment, the newest first."""
    found = payment.resolutions.select_related(
        "organisation", "member", "proposed_by", "decided_by"
    )
    rows = [
        (
            format_time(each.created_at),
            each.get_action_display(),
            record_link(each.member or each.organisation)
            if each.organisation
            else each.refund_reference or "-",
            each.explanation,
            each.status,
            each.proposed_by,
            each.decided_by or "-",
            each.reason or "-",
        )
        for each in found
    ]
    headings = (
        "Proposed (UTC)", "Action", "Owner or reference", "Explanation", "Status", "Proposed by",
        "Decided by", "Rejection reason",
    )  # fmt: skip
    return Section("Decisions", headings, rows, empty="No decisions yet.")


def earlier_payments(payment: Payment) -> Section:
    """Return recent payments by a payer of the same name, with the owners they were credited to."""
    others = Payment.objects.none()
    if payment.payer_name:
        others = (
            Payment.objects.filter(recent_condition(), payer_name=payment.payer_name)
            .exclude(pk=payment.pk)
            .select_related("deposit__organisation", "deposit__member")
        )
    rows = [
        (
            age(other.created_at),
            record_link(other),
            status_badge(other.status),
            money(other.amount, other.currency_code),
            record_link(other.deposit.member or other.deposit.organisation)
            if other.deposit
            else "-",
        )
        for other in others[:_SHOWN]
    ]
    return Section(
        "Payments by a payer of this name within 31 days",
        ("Ago", "Payment", "Status", "Amount", "Credited to"),
        rows,
        right=(3,),
        empty="No other payments.",
    )
