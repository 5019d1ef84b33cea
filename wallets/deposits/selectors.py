"""Selectors of deposits."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQueryCombinable, SearchVectorExact
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from exchange.staff.models import ApprovalStatus
from wallets.deposits.errors import DepositNotFound
from wallets.deposits.models import (
    PAYER_WORDS,
    UNMATCHED_PAYMENTS,
    Deposit,
    DepositChannel,
    DepositReversal,
    DepositStatus,
    Payment,
    PaymentResolution,
    PaymentStatus,
    VirtualAccount,
)

# Longer than the call of a refund may take: until then its answer may still arrive.
REFUND_ANSWER_DUE = timedelta(minutes=2)


def organisation_deposits(organisation_id: UUID) -> QuerySet[Deposit]:
    """Return the deposits of an organisation and its members.

    Without manual ones that are not confirmed: they are drafts of the back office.
    """
    draft = Q(
        channel=DepositChannel.MANUAL, status__in=(DepositStatus.PENDING, DepositStatus.FAILED)
    )
    return Deposit.objects.filter(~draft, organisation_id=organisation_id)


def deposit_document(organisation_id: UUID, deposit_id: UUID) -> str:
    """Return the document (JSON text) of a deposit. Raises `DepositNotFound`."""
    found = organisation_deposits(organisation_id).filter(pk=deposit_id)
    document = found.values_list("document", flat=True).first()
    if document is None:
        raise DepositNotFound
    return document


def open_disputes(rows: QuerySet[DepositReversal] | None = None) -> QuerySet[DepositReversal]:
    """Return the reversals of disputed deposits that await a decision."""
    found = DepositReversal.objects.all() if rows is None else rows
    return found.filter(status=ApprovalStatus.PENDING, held__isnull=False)


def has_reference(condition: Q) -> tuple[Q, Q]:
    """Return `condition` on the reference of deposits as two, each served by an index."""
    failed = Q(status=DepositStatus.FAILED)
    return ~failed & condition, failed & condition


def paid_by(names: SearchQueryCombinable) -> QuerySet[Payment]:
    """Return the payments with the words `names` in the names of the payer and the payer's bank."""
    return Payment.objects.filter(SearchVectorExact(PAYER_WORDS, names))


def find_deposit_ids(reference: str) -> list[UUID]:
    """Return the ids of the deposits with this reference."""
    valid, failed = has_reference(Q(reference=reference))
    return list(Deposit.objects.filter(valid | failed).values_list("pk", flat=True))


def organisation_virtual_accounts(organisation_id: UUID) -> QuerySet[VirtualAccount]:
    """Return the virtual accounts of an organisation and its members."""
    return VirtualAccount.objects.filter(organisation_id=organisation_id)


def virtual_account_document(account_id: UUID) -> str:
    """Return the document (JSON text) of a virtual account."""
    document: str = VirtualAccount.objects.values_list("document", flat=True).get(pk=account_id)
    return document


def virtual_account_documents(owner_id: UUID) -> list[str]:
    """Return the documents of the owner's virtual accounts, by currency."""
    rows = VirtualAccount.objects.filter(owner_id=owner_id).order_by("currency__position")
    return list(rows.values_list("document", flat=True))


def pending_resolutions() -> QuerySet[PaymentResolution]:
    """Return the pending proposals about the payment of the outer query."""
    return PaymentResolution.objects.filter(payment=OuterRef("pk"), status=ApprovalStatus.PENDING)


def with_pending_resolution(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the payments about which a proposal is pending."""
    # Only these may have one, and they have an index.
    return rows.filter(Exists(pending_resolutions()), status__in=UNMATCHED_PAYMENTS)


def undecided_payments(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the unmatched payments about which nothing is proposed."""
    return rows.filter(~Exists(pending_resolutions()), status=PaymentStatus.UNMATCHED)


def unconfirmed_refunds(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the refunds whose result is not known, and about which nothing is proposed."""
    # The database's clock: the query may be built once and run later.
    late = Q(updated_at__lt=Now() - REFUND_ANSWER_DUE)
    return rows.filter(
        late | ~Q(last_error=""),
        ~Exists(pending_resolutions()),
        status=PaymentStatus.REFUNDING,
    )


def find_reference_owner(payment: Payment) -> Deposit | VirtualAccount | None:
    """Return the checkout or virtual account that has the payment's reference."""
    if not payment.tx_ref:
        return None
    checkout = Deposit.objects.filter(
        reference=payment.tx_ref, channel=DepositChannel.CHECKOUT
    ).select_related("organisation", "member")
    account = VirtualAccount.objects.filter(reference=payment.tx_ref).select_related(
        "organisation", "member"
    )
    return checkout.first() or account.first()
