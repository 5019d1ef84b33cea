"""Funding: all that a record says is due moves from the issuer's wallet, at once and whole.

The worker takes it on the payment date of a distribution that the issuer proposed; the issuer may
pay earlier. Without the money the distribution is overdue until the wallet covers it.
"""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionStatus
from credit.distributions.selectors import get_own_distribution
from credit.distributions.services.recording import ALERT as RECORD_ALERT
from credit.distributions.services.transitions import (
    CANCELLED,
    OVERDUE,
    emit_to_issuer,
    lock_distribution,
    lock_loans,
    move,
    require_status,
)
from credit.loans.services.servicing import for_each
from exchange.core.actors import Actor
from exchange.core.currencies import format_money
from exchange.core.errors import DomainError
from exchange.core.task_notifier import notify_after_commit
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.freezes.errors import block_error
from wallets.freezes.selectors import find_block
from wallets.ledger.errors import InsufficientBalance
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    open_account,
    post_transfer,
    system_account,
)
from wallets.ledger.selectors.wallets import available_balance

ALERT = "distribution_overdue"
PAY_DISTRIBUTIONS = "credit.tasks.pay_distributions"
_SYSTEM = Actor.system("pay_distributions")


@dataclass(slots=True)
class _IssuerWallet:
    """The wallet of an issuer in the currency of a distribution."""

    organisation_id: UUID
    currency_id: str
    member_id: UUID | None = None


def fund(*, distribution_id: UUID, organisation_id: UUID, actor: Actor) -> Distribution:
    """Fund a recorded distribution from the wallet of its issuer, who asks for it.

    Raises `DistributionNotFound`, also for another organisation's, and as `post_funding`.
    """
    get_own_distribution(organisation_id, distribution_id)
    with transaction.atomic():
        funded = post_funding(lock_distribution(distribution_id), actor)
        notify_after_commit(PAY_DISTRIBUTIONS)
        return funded


def post_funding(distribution: Distribution, actor: Actor) -> Distribution:
    """Move what is due from the issuer's wallet, and the distribution to Funded.

    The caller has locked it with `lock_distribution`. Raises `StateConflict` unless it is Recorded,
    `InsufficientBalance`, `AccountFrozen`, `ReceivableDue`; then nothing moved.
    """
    require_status(distribution, DistributionStatus.RECORDED)
    gross = distribution.gross or Decimal(0)
    # A correction that recovers needs no money.
    if gross > 0:
        wallet = _IssuerWallet(distribution.token.issuer_id, distribution.currency_id)
        if block := block_error(find_block(wallet)):
            raise block
        try:
            _post(TransferKind.DISTRIBUTION_FUND, "fund", distribution, actor, gross)
        except InsufficientFunds as error:
            raise InsufficientBalance(
                currency=wallet.currency_id,
                available=available_balance(wallet.organisation_id, wallet.currency_id),
                requested=gross,
            ) from error
    resolve_alert(ALERT, subject=str(distribution.pk))
    return move(distribution, DistributionStatus.FUNDED, overdue=False)


def cancel_distribution(distribution: Distribution, actor: Actor) -> Distribution:
    """Cancel a distribution before it is paid; what was funded goes back to the issuer.

    The caller has locked it with `lock_distribution`. Raises `StateConflict`.
    """
    require_status(
        distribution,
        DistributionStatus.ANNOUNCED,
        DistributionStatus.RECORDED,
        DistributionStatus.FUNDED,
    )
    gross = distribution.gross or Decimal(0)
    if distribution.status == DistributionStatus.FUNDED and gross > 0:
        _post(TransferKind.DISTRIBUTION_REFUND, "refund", distribution, actor, -gross)
    for alert in (ALERT, RECORD_ALERT):
        resolve_alert(alert, subject=str(distribution.pk))
    cancelled = move(distribution, DistributionStatus.CANCELLED, overdue=False)
    emit_to_issuer(cancelled, CANCELLED)
    return cancelled


def fund_due() -> int:
    """Fund what is to be paid today or before; return how many. Alert about what is not covered.

    Runs every minute, so that an overdue one is funded soon after the wallet covers it.
    """
    due = Distribution.objects.filter(
        status=DistributionStatus.RECORDED, payment_date__lte=timezone.now().date()
    )
    ids = list(due.order_by("payment_date", "id").values_list("pk", flat=True))
    return for_each(ids, _fund_due, "distribution_funding_failed")


def _fund_due(distribution_id: UUID) -> bool:
    """Fund one distribution; where that is not possible, mark it overdue, and return False."""
    with transaction.atomic():
        distribution = lock_distribution(distribution_id)
        if distribution.status != DistributionStatus.RECORDED:
            return False
        why = "its terms are from staff, and the issuer has not funded it"
        # What needs no money needs no consent: a recovery, or a record without holders.
        if distribution.issuer_consents or (distribution.gross or 0) <= 0:
            try:
                post_funding(distribution, _SYSTEM)
            except DomainError as error:
                why = error.message
            else:
                return True
        if not distribution.overdue:
            move(distribution, DistributionStatus.RECORDED, overdue=True)
            emit_to_issuer(distribution, OVERDUE)
            raise_alert(
                ALERT,
                subject=str(distribution.pk),
                message=f"{distribution} is overdue, due"
                f" {format_money(distribution.gross, distribution.currency_id)}: {why}",
            )
    return False


def _post(
    kind: TransferKind, step: str, distribution: Distribution, actor: Actor, amount: Decimal
) -> None:
    """Move an amount from the issuer's wallet to the account of distributions; below 0, back."""
    lock_loans(distribution)
    currency, issuer = distribution.currency_id, distribution.token.issuer_id
    available = open_account(currency, AccountKind.AVAILABLE, organisation_id=issuer)
    account = system_account(currency, AccountKind.DISTRIBUTION)
    post_transfer(
        kind=kind,
        reference=f"distribution:{distribution.pk}:{step}",
        subject_id=distribution.pk,
        actor=actor,
        memo=str(distribution),
        # The payer first.
        legs=sorted([Leg(available, -amount), Leg(account, amount)], key=lambda leg: leg.amount),
    )
