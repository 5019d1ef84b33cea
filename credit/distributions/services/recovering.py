"""Recovery of what a distribution paid too much: the issuer receives what its holders have.

At the start it is taken from what is available in each holder's wallet, and the rest from later
income of the same issuer as it is paid. The exchange advances nothing, and opens no debt.
Nothing leaves the wallet of an owner who is frozen or owes the exchange. The tax that was withheld
of it follows once all is recovered, out of tax that is not yet remitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F

from credit.distributions.models import Distribution, Income, IncomeStatus, PaidTo
from credit.loans.services.servicing import for_each
from exchange.core.actors import Actor
from exchange.core.database import fetch_one
from wallets.freezes.services import lock_owners
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    Posting,
    open_account,
    post_transfers,
    system_account,
)
from wallets.receivables.services.repayments import ATTEMPTS
from wallets.treasury.selectors import lock_treasury, treasury_balances

_SYSTEM = Actor.system("pay_distributions")
_FROZEN = "account_frozen"


@dataclass(frozen=True, slots=True)
class Owed:
    """An income to be recovered, locked: what is `left` of its net, and what its owner has.

    `block` says why nothing may leave the owner's wallet.
    """

    id: UUID
    distribution_id: UUID
    account: UUID
    available: Decimal
    left: Decimal
    recovered: Decimal
    block: str | None

    def posting(self, amount: Decimal, distribution: Distribution) -> Posting:
        """Return the transfer of an amount to the issuer."""
        suffix = f"{self.recovered.normalize():f}"
        return _posting(self.id, suffix, Leg(self.account, -amount), distribution)


def recover(distribution: Distribution) -> int:
    """Take what the owners of a correction have; return of how many it was anything."""
    due = Income.objects.filter(distribution=distribution, status=IncomeStatus.DUE)
    ids = list(due.order_by("owner_id", "loan_id").values_list("pk", flat=True))
    taken = for_each(ids, _recover_available, "distribution_recovery_failed")
    return_tax()
    return taken


def return_tax() -> int:
    """Give issuers the tax of what is recovered, as far as tax is held; return of how many."""
    whole = Income.objects.filter(status=IncomeStatus.DUE, gross__lt=0, recovered=-F("net"))
    ids = list(whole.order_by("id").values_list("pk", flat=True))
    return for_each(ids, _return_tax, "distribution_recovery_failed")


def owed_by_owners(income_ids: Sequence[UUID], distribution: Distribution) -> list[Owed]:
    """Return, locked, what is to be recovered of the owners of income that is being paid."""
    with connection.cursor() as cursor:
        cursor.execute(
            _OF_OWNERS, [list(income_ids), distribution.currency_id, distribution.token.issuer_id]
        )
        found = [Owed(*row) for row in cursor.fetchall()]
    return [owed for owed in found if owed.block != _FROZEN]


def store_recovered(income_id: UUID, amount: Decimal) -> None:
    """Store what a posted transfer took. Without tax to give back, it may be the last."""
    row = Income.objects.filter(pk=income_id)
    row.update(recovered=F("recovered") + amount)
    row.filter(recovered=-F("net"), tax=0).update(status=IncomeStatus.PAID, paid_to=PaidTo.WALLET)


def _recover_available(income_id: UUID) -> bool:
    """Take what the owner has, again if that changed meanwhile; return whether it was anything."""
    for _ in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return _take_available(income_id)
        except InsufficientFunds:
            continue
    return False


def _take_available(income_id: UUID) -> bool:
    found = Income.objects.select_related("distribution__token").get(pk=income_id)
    lock_owners(found.owner_id)
    row = fetch_one(_ONE, [income_id])
    owed = Owed(*row) if row else None
    if owed is None or owed.block or not (amount := min(owed.left, owed.available)):
        return False
    post_transfers([owed.posting(amount, found.distribution)])
    store_recovered(income_id, amount)
    return True


@transaction.atomic
def _return_tax(income_id: UUID) -> bool:
    lock_treasury()
    row = Income.objects.filter(pk=income_id, status=IncomeStatus.DUE, recovered=-F("net"))
    found = row.select_related("distribution__token").select_for_update(of=("self",)).first()
    if found is None:
        return False
    distribution = found.distribution
    if treasury_balances(distribution.currency_id).tax < -found.tax:
        return False
    withheld = system_account(distribution.currency_id, AccountKind.TAX)
    post_transfers([_posting(found.pk, "tax", Leg(withheld, found.tax), distribution)])
    row.update(status=IncomeStatus.PAID, paid_to=PaidTo.WALLET)
    return True


def _posting(income_id: UUID, suffix: str, leg: Leg, distribution: Distribution) -> Posting:
    """Return the transfer of a leg to the issuer's wallet."""
    issuer = open_account(
        distribution.currency_id,
        AccountKind.AVAILABLE,
        organisation_id=distribution.token.issuer_id,
    )
    return Posting(
        kind=TransferKind.DISTRIBUTION_RECOVER,
        reference=f"income:{income_id}:recover:{suffix}",
        subject_id=income_id,
        actor=_SYSTEM,
        memo=str(distribution),
        legs=[leg, Leg(issuer, -leg.amount)],
    )


# What is to be recovered, with the account of its owner. A closed member's wallet is at rest.
_OWED = """
    SELECT i.id, d.id, a.id, a.balance, - i.net - i.recovered, i.recovered,
           CASE WHEN m.closed_at IS NOT NULL THEN 'account_frozen'
                ELSE owner_block(i.organisation_id, i.member_id, d.currency_id) END
    FROM credit_income i
    JOIN credit_distribution d ON d.id = i.distribution_id
    JOIN exchange_token t ON t.id = d.token_id
    JOIN wallets_account a ON a.owner_id = i.owner_id AND a.asset_id = d.currency_id
        AND a.kind = 'available'
    LEFT JOIN exchange_member m ON m.id = i.member_id
    WHERE i.status = 'Due' AND i.gross < 0 AND i.recovered < - i.net AND {which}
    ORDER BY i.id
    FOR NO KEY UPDATE OF i
"""
_ONE = _OWED.format(which="i.id = %s")
_OF_OWNERS = _OWED.format(
    which="i.owner_id IN (SELECT s.owner_id FROM credit_income s WHERE s.id = ANY (%s))"
    " AND d.status = 'Paid' AND d.currency_id = %s AND t.issuer_id = %s"
)
