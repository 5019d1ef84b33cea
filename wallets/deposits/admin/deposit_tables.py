"""What the page of a deposit says about it: findings, its checkout, payer, owner and history."""

from collections.abc import Callable, Iterator

from django.db.models import Q, QuerySet
from django.urls import reverse

from exchange.admin.base import Section, Tool
from exchange.admin.display import age, kind_label, record_link, status_badge
from exchange.admin.search import recent_condition
from exchange.core.currencies import format_money
from wallets.deposits.admin.payment_pages import money
from wallets.deposits.models import Deposit, Payment
from wallets.ledger.models import Account, AccountKind

_SHOWN = 10


def findings(deposit: Deposit) -> Iterator[str]:
    """Yield how the payment differs from the checkout, as warnings."""
    requested = money(deposit.requested_amount, deposit.requested_currency)
    paid = format_money(deposit.amount, deposit.currency_id)
    texts = {
        "amount_differs": f"Another amount: the checkout requested {requested}, {paid} was paid",
        "currency_differs": f"Another currency: {requested} was requested, {paid} was paid"
        if deposit.requested_currency
        else f"{paid} was paid into a virtual account of another currency",
        "paid_after_failure": "It was paid after the checkout had failed",
    }
    for flag in deposit.flags:
        if flag in texts:
            yield texts[flag]


def payment_of(deposit: Deposit) -> Payment | None:
    """Return the payment at the provider behind the deposit."""
    return Payment.objects.filter(deposit=deposit).first()


def comparison(deposit: Deposit, payment: Payment) -> Section:
    """Return what the checkout requested next to what was paid."""
    code = payment.currency_code
    requested = money(deposit.requested_amount, deposit.requested_currency)
    rows = [
        ("Amount", requested if deposit.requested_currency else "-", money(payment.amount, code)),
        ("Charged to the payer", "-", money(payment.charged_amount, code)),
        ("Provider's charge", "-", money(payment.provider_fee, code)),
        ("Settled to the exchange", "-", money(payment.settled_amount, code)),
        ("Reference", deposit.reference, payment.tx_ref),
    ]
    return Section(
        "Checkout and payment" if deposit.requested_currency else "Payment",
        ("", "Requested", "Paid"),
        rows,
        right=(1, 2),
        more=Tool("Open the payment", reverse("admin:wallets_payment_change", args=[payment.pk])),
    )


def wallet(deposit: Deposit) -> Section:
    """Return the balances of the owner in the deposit's currency."""
    accounts = Account.objects.filter(owner_id=deposit.owner_id, asset_id=deposit.currency_id)
    found = list(accounts.order_by("pk"))
    rows = [
        (kind_label(account), format_money(account.balance, deposit.currency_id))
        for account in found
    ]
    return Section(
        f"Wallet of {deposit.member or deposit.organisation}, {deposit.currency_id}",
        ("Account", "Balance"),
        rows,
        right=(1,),
        empty="No money has arrived yet.",
        note="The receivable is what the owner owes."
        if any(account.kind == AccountKind.RECEIVABLE for account in found)
        else "",
    )


def earlier_of_owner(deposit: Deposit) -> Section:
    """Return other deposits of the owner, the latest first."""
    others = Deposit.objects.filter(
        organisation_id=deposit.organisation_id, owner_id=deposit.owner_id
    )
    newest = others.exclude(pk=deposit.pk).order_by("-created_at", "-pk")
    rows = _rows(newest, lambda other: other.payer_name or "-")
    address = reverse("admin:wallets_deposit_changelist")
    more = Tool("View all", f"{address}?owner_id={deposit.owner_id}") if rows else None
    headings = ("Ago", "Deposit", "Status", "Amount", "Payer")
    return Section("Other deposits of this owner", headings, rows, (3,), "No other deposits.", more)


def earlier_of_payer(deposit: Deposit) -> Section:
    """Return recent deposits by the same payer, to any owner."""
    others = Deposit.objects.none()
    if deposit.payer_account:
        same = Q(payer_account=deposit.payer_account, payer_bank=deposit.payer_bank)
        others = Deposit.objects.filter(recent_condition(), same)
    elif deposit.payer_name:
        others = Deposit.objects.filter(recent_condition(), payer_name=deposit.payer_name)
    found = others.exclude(pk=deposit.pk).order_by("-pk").select_related("organisation", "member")
    rows = _rows(found, lambda other: record_link(other.member or other.organisation))
    headings = ("Ago", "Deposit", "Status", "Amount", "Owner")
    return Section(
        "Deposits by this payer within 31 days", headings, rows, (3,), "No other deposits."
    )


def reversals(deposit: Deposit) -> list[Section]:
    """Return the table of proposed reversals, if there are any."""
    rows = [
        (
            record_link(each, f"{each.created_at:%Y-%m-%d %H:%M:%S}"),
            format_money(each.amount, deposit.currency_id),
            each.explanation,
            each.status,
            each.proposed_by or "the system",
            each.decided_by or "-",
            each.reason or "-",
        )
        for each in deposit.reversals.select_related("proposed_by", "decided_by")
    ]
    headings = (
        "Proposed (UTC)", "Amount", "Explanation", "Status", "Proposed by", "Decided by",
        "Rejection reason",
    )  # fmt: skip
    return [Section("Reversals", headings, rows, right=(1,))] if rows else []


def _rows(
    deposits: QuerySet[Deposit], last: Callable[[Deposit], object]
) -> list[tuple[object, ...]]:
    return [
        (
            age(other.created_at),
            record_link(other),
            status_badge(other.state),
            format_money(other.amount, other.currency_id),
            last(other),
        )
        for other in deposits[:_SHOWN]
    ]
