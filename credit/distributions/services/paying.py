"""Payment: each holder of the record receives its income once, in batches that may end anywhere.

Its start sets the tax of all income, for good (`start_paying.sql`). A batch is one transaction: it
locks incomes that are Due, moves the money and marks them Paid. A killed worker leaves whole
batches; the next run goes on. One worker at a time pays a distribution, and rests after full
batches, so that orders and webhooks do not wait for a long payment. Who owes the exchange repays it
first. What pledged units receive becomes cash collateral of an open loan, pays the claim of the
creditor of a liquidated one, or goes to the wallet of its borrower (`income_target`).
A correction that paid too much is recovered instead, at once or from later income (`recovering`).
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from credit.distributions.models import (
    Distribution,
    DistributionStatus,
    Income,
    IncomeStatus,
    PaidTo,
)
from credit.distributions.services import recovering
from credit.distributions.services.transitions import (
    PAID,
    REDEEMED,
    emit_paid,
    lock_distribution,
    move,
)
from credit.loans.services.claims import receive_proceeds
from credit.loans.services.pledging import receive_income
from credit.loans.services.servicing import FAILED, for_each, revalue_loan
from exchange.core.actors import Actor
from exchange.core.audit_context import actor_parameters
from exchange.core.database import fetch_one, violated_constraint
from exchange.core.numbers import format_units
from exchange.participants.errors import MemberClosed
from wallets.ledger.errors import closed_error
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, Posting, post_transfers, system_account
from wallets.receivables.services.repayments import ATTEMPTS, OVERPAID

BATCH = 500
# The pause after a full batch, to the time that it took. Below 1, so that a second worker which
# starts in it is met in its batch: one of the two ends.
_REST = 0.5
_SYSTEM = Actor.system("pay_distributions")


@dataclass(frozen=True, slots=True)
class _DueIncome:
    """An income with the accounts that it is paid to; `debt` is what its owner owes.

    `account` is the owner's available account, or for an open `loan` that of its cash collateral;
    `creditor` that of the creditor with a claim, who receives `to_creditor` of it. `holding`, of a
    final distribution, is where its units are.
    """

    id: UUID
    net: Decimal
    tax: Decimal
    loan: UUID | None
    account: UUID
    receivable: UUID | None
    debt: Decimal
    units: Decimal
    holding: UUID | None
    creditor: UUID | None
    to_creditor: Decimal

    @property
    def to_owner(self) -> Decimal:
        """What the owner, or the loan, receives, of which a debt is repaid."""
        return self.net - self.to_creditor

    def posting(self, source: UUID, withheld: UUID, issuance: UUID, memo: str) -> Posting:
        """Return the transfer that pays it and withholds its tax; a debt is repaid first.

        The units of a final distribution go back in it.
        """
        repaid, claim = min(self.debt, self.to_owner), ""
        legs = [
            Leg(source, -self.net - self.tax),
            Leg(self.account, self.to_owner - repaid),
            Leg(withheld, self.tax),
        ]
        if self.creditor is not None:
            legs.append(Leg(self.creditor, self.to_creditor))
            claim = f", claim of loan {self.loan}"
        if self.receivable is not None:
            legs.append(Leg(self.receivable, repaid))
        if self.holding is not None:
            legs += [Leg(self.holding, -self.units), Leg(issuance, self.units)]
        return Posting(
            kind=TransferKind.DISTRIBUTION_PAY,
            reference=f"income:{self.id}",
            subject_id=self.id,
            actor=_SYSTEM,
            memo=f"{memo}, {format_units(self.units)}{claim}",
            legs=legs,
        )


def pay_due() -> int:
    """Pay what is funded and due today or before; return the number of incomes paid.

    Also what was left for a closed member, once it is reopened or another owner assigned, and the
    tax of what was recovered since.
    """
    recovering.return_tax()
    return for_each(
        list(_to_pay().order_by("payment_date", "id").values_list("pk", flat=True)),
        pay,
        "distribution_payment_failed",
    )


def pay(distribution_id: UUID, *, batch: int = BATCH) -> int:
    """Pay one distribution until nothing more can be paid; return the number of incomes paid.

    Leaves it to another worker that pays it.
    """
    with transaction.atomic():
        lock_distribution(distribution_id)
        fetch_one(
            "SELECT start_paying(%s, %s) FROM act_as(%s, %s, %s)",
            [distribution_id, str(_SYSTEM), *actor_parameters(_SYSTEM)],
        )
        distribution = Distribution.objects.select_related("token").get(pk=distribution_id)
    if distribution.status not in (DistributionStatus.PAYING, DistributionStatus.PAID):
        return 0
    paid = 0
    if (distribution.gross or 0) < 0 and distribution.status == DistributionStatus.PAYING:
        paid = recovering.recover(distribution)
    started = time.monotonic()
    while done := _pay_batch(distribution, batch):
        paid += done
        if done == batch:
            time.sleep(_REST * (time.monotonic() - started))
        started = time.monotonic()
    if distribution.status == DistributionStatus.PAYING:
        _finish(distribution_id)
    return paid


def _to_pay() -> QuerySet[Distribution]:
    due = Q(status=DistributionStatus.FUNDED, payment_date__lte=timezone.now().date())
    left = Q(status=DistributionStatus.PAID) & Q(Exists(_payable(OuterRef("pk"))))
    return Distribution.objects.filter(due | Q(status=DistributionStatus.PAYING) | left)


def _payable(distribution_id: Any) -> QuerySet[Income]:
    """Return what is Due to owners, but for closed members."""
    return Income.objects.filter(
        member__closed_at=None,
        gross__gte=0,
        distribution=distribution_id,
        status=IncomeStatus.DUE,
    )


def _pay_batch(distribution: Distribution, batch: int) -> int:
    """Pay up to `batch` incomes in one transaction; return their number, 0 if another worker pays.

    A debt that was repaid meanwhile, or a member that was closed, undoes it: it is done again.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic():
                return _post_batch(distribution, batch)
        except MemberClosed:
            if attempt == ATTEMPTS:
                raise
        except IntegrityError as error:
            changed = violated_constraint(error) == OVERPAID or closed_error(error) is not None
            if not changed or attempt == ATTEMPTS:
                raise
    return 0


def _post_batch(distribution: Distribution, batch: int) -> int:
    with connection.cursor() as cursor:
        lock = f"distribution {distribution.pk}"
        cursor.execute(_LOCK_DUE, [distribution.pk, lock, batch])
        ids = [income_id for (income_id,) in cursor.fetchall()]
        cursor.execute(_LOCK_LOANS, [ids])
        cursor.execute(_TARGETS, [ids])
        found = [_DueIncome(*row) for row in cursor.fetchall()]
    # One to an account at a time: a second one of its owner finds the debt repaid.
    due = list({each.account: each for each in found}.values())
    if not due:
        return 0
    owed = recovering.owed_by_owners(ids, distribution)
    corrections = Distribution.objects.select_related("token").in_bulk(
        {each.distribution_id for each in owed}
    )
    source = system_account(distribution.currency_id, AccountKind.DISTRIBUTION)
    withheld = system_account(distribution.currency_id, AccountKind.TAX)
    issuance = system_account(str(distribution.token_id), AccountKind.ISSUANCE)
    taken = _recoveries(due, owed)
    released: list[Posting] = []
    for each in due:
        if each.loan is None:
            continue
        token_id, units = distribution.token_id, each.units if distribution.final else Decimal(0)
        if each.creditor is None:
            receive_income(each.loan, each.net, token_id=token_id, units=units)
        else:
            released += receive_proceeds(
                each.loan, each.to_creditor, token_id=token_id, units=units, actor=_SYSTEM
            )
    post_transfers(
        [
            *(each.posting(source, withheld, issuance, str(distribution)) for each in due),
            *(each.posting(amount, corrections[each.distribution_id]) for each, amount in taken),
            *released,
        ]
    )
    for each_owed, amount in taken:
        recovering.store_recovered(each_owed.id, amount)
    targets: dict[tuple[PaidTo, Decimal], list[UUID]] = defaultdict(list)
    for each in due:
        to = PaidTo.WALLET if each.loan is None else PaidTo.LOAN
        targets[to, each.to_creditor].append(each.id)
    for (to, to_creditor), ids in targets.items():
        Income.objects.filter(pk__in=ids, status=IncomeStatus.DUE).update(
            status=IncomeStatus.PAID, paid_to=to, to_creditor=to_creditor
        )
    return len(due)


def _recoveries(
    due: Sequence[_DueIncome], owed: Sequence[recovering.Owed]
) -> list[tuple[recovering.Owed, Decimal]]:
    """Return how much of each payment is taken at once for what its owner was paid too much."""
    left = {each.account: each.to_owner - min(each.debt, each.to_owner) for each in due}
    taken = []
    for each in owed:
        if amount := min(each.left, left.get(each.account, Decimal(0))):
            left[each.account] -= amount
            taken.append((each, amount))
    return taken


def _finish(distribution_id: UUID) -> None:
    """Mark the distribution Paid unless another worker is paying a part of it."""
    with transaction.atomic():
        distribution = lock_distribution(distribution_id)
        if distribution.status != DistributionStatus.PAYING or _payable(distribution_id).exists():
            return
        paid = move(distribution, DistributionStatus.PAID)
        emit_paid(paid, PAID)
        if paid.final:
            emit_paid(paid, REDEEMED)
    loans = Income.objects.filter(distribution=distribution_id, paid_to=PaidTo.LOAN)
    loan_ids = sorted(set(loans.values_list("loan_id", flat=True)))
    for_each(loan_ids, revalue_loan, FAILED)


# None while another worker pays a batch of it. In the order of owners, so that the workers of two
# distributions do not wait for each other.
_LOCK_DUE = """
    SELECT i.id
    FROM credit_income i
    LEFT JOIN exchange_member m ON m.id = i.member_id
    WHERE i.distribution_id = %s AND i.status = 'Due' AND i.gross >= 0 AND m.closed_at IS NULL
        AND (SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0)))
    ORDER BY i.owner_id, i.loan_id LIMIT %s
    FOR NO KEY UPDATE OF i SKIP LOCKED
"""
# The state of a loan says where its income goes.
_LOCK_LOANS = """
    SELECT l.id FROM credit_loan l
    WHERE l.id IN (SELECT i.loan_id FROM credit_income i WHERE i.id = ANY (%s))
    ORDER BY l.id FOR NO KEY UPDATE
"""
# Opens missing accounts. The units of a claim are in lien, its money is not.
_TARGETS = """
    SELECT i.id, i.net, i.tax, l.id,
           coalesce(a.id, open_account(
               new_id(), d.currency_id, t.kind, i.organisation_id, i.member_id)),
           r.id, coalesce(- r.balance, 0), i.units, h.id, c.id,
           CASE WHEN c.id IS NULL THEN 0 ELSE least(i.net, l.claim) END
    FROM credit_income i
    JOIN credit_distribution d ON d.id = i.distribution_id
    LEFT JOIN credit_loan l ON l.id = i.loan_id AND income_target(i) = 'loan'
    CROSS JOIN LATERAL (
        SELECT CASE WHEN l.id IS NOT NULL AND l.closed_at IS NULL THEN 'lien'
                    ELSE 'available' END AS kind) t
    LEFT JOIN wallets_account a ON a.owner_id = i.owner_id AND a.asset_id = d.currency_id
        AND a.kind = t.kind
    LEFT JOIN wallets_account r ON r.owner_id = i.owner_id AND r.asset_id = d.currency_id
        AND r.kind = 'receivable' AND r.balance < 0 AND t.kind = 'available'
    LEFT JOIN wallets_account h ON h.owner_id = i.owner_id AND h.asset_id = d.token_id::text
        AND h.kind = CASE WHEN l.id IS NULL THEN 'available' ELSE 'lien' END AND d.final
    LEFT JOIN wallets_account c ON c.owner_id = l.creditor_id AND c.asset_id = d.currency_id
        AND c.kind = 'available' AND l.closed_at IS NOT NULL
    WHERE i.id = ANY (%s)
    ORDER BY i.owner_id, i.loan_id
"""
