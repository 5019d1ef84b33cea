"""Review facts of a withdrawal: payee history, velocity and deposits of its owner."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db import connection
from django.db.models import Count, Sum
from django.utils import timezone

from wallets.deposits.models import Deposit, DepositStatus
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus

DAY = timedelta(hours=24)
MONTH = timedelta(days=30)
MAX_NAMED_OWNERS = 5

# The amount was released or credited back, so these do not count as outflow.
_REFUNDED = (
    WithdrawalStatus.REJECTED,
    WithdrawalStatus.CANCELLED,
    WithdrawalStatus.FAILED,
    WithdrawalStatus.REVERSED,
)

# For each withdrawal: the use of its account, the owner's requests within 24 hours (withdrawals,
# transfers to other wallets and conversions), the largest previous payout, and what blocks the
# owner. A payout returned by the bank does not count as paid, reversed or not.
_FACTS = """
SELECT w.id, used.*, asked.*, paid.largest, (
    SELECT f.reason FROM wallets_freeze f
    WHERE f.owner_id = w.owner_id AND f.lifted_at IS NULL
        AND (f.currency_id IS NULL OR f.currency_id = w.currency_id)
    ORDER BY f.id DESC LIMIT 1
), coalesce((
    SELECT - a.balance FROM wallets_account a
    WHERE a.owner_id = w.owner_id AND a.asset_id = w.currency_id AND a.kind = 'receivable'
), 0)
FROM wallets_withdrawal w
JOIN wallets_bankaccount b ON b.id = w.bank_id
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE earlier),
        count(*) FILTER (WHERE earlier AND o.status = 'Completed' AND NOT returned),
        count(*) FILTER (WHERE earlier AND (o.status IN ('Failed', 'Reversed') OR returned)),
        count(DISTINCT o.owner_id) FILTER (WHERE o.owner_id <> w.owner_id),
        count(DISTINCT o.organisation_id) FILTER (WHERE o.organisation_id <> w.organisation_id),
        (array_agg(same.account_name ORDER BY o.created_at DESC)
            FILTER (WHERE same.name_resolved AND o.created_at < w.created_at))[1]
    FROM wallets_bankaccount same
    JOIN wallets_withdrawal o ON o.bank_id = same.id AND o.id <> w.id
    LEFT JOIN wallets_payout p ON p.withdrawal_id = o.id
    CROSS JOIN LATERAL (
        SELECT o.owner_id = w.owner_id AND o.created_at < w.created_at AS earlier,
            coalesce(o.status = 'Completed' AND p.provider_status = 'FAILED'
                AND p.settled_at IS NOT NULL, false) AS returned
    ) AS facts
    WHERE same.account_number = b.account_number AND same.code = b.code
) AS used
CROSS JOIN LATERAL (
    SELECT count(*), coalesce(sum(amount), 0) FROM (
        SELECT o.amount FROM wallets_withdrawal o
        WHERE o.owner_id = w.owner_id AND o.currency_id = w.currency_id
            AND o.created_at > now() - interval '24 hours'
            AND (o.status <> ALL(%(given_back)s) OR o.id = w.id)
        UNION ALL
        SELECT t.amount FROM wallets_wallettransfer t
        WHERE t.payer_id = w.owner_id AND t.currency_id = w.currency_id
            AND t.created_at > now() - interval '24 hours'
        UNION ALL
        SELECT c.amount FROM wallets_conversion c
        WHERE c.owner_id = w.owner_id AND c.from_currency_id = w.currency_id
            AND c.created_at > now() - interval '24 hours'
    ) requests
) AS asked
CROSS JOIN LATERAL (
    SELECT max(o.amount) AS largest
    FROM wallets_withdrawal o
    WHERE o.owner_id = w.owner_id AND o.currency_id = w.currency_id AND o.id <> w.id
        AND o.status = 'Completed' AND o.created_at < w.created_at
) AS paid
WHERE w.id = ANY(%(ids)s)
"""

# Count and amount of the requests of the owner and of the organisation, in a day and in a month.
# The withdrawal itself counts in any status.
_VELOCITY = """
SELECT count(*) FILTER (WHERE own AND day), coalesce(sum(amount) FILTER (WHERE own AND day), 0),
    count(*) FILTER (WHERE own), coalesce(sum(amount) FILTER (WHERE own), 0),
    count(*) FILTER (WHERE leaves AND day),
    coalesce(sum(amount) FILTER (WHERE leaves AND day), 0),
    count(*) FILTER (WHERE leaves), coalesce(sum(amount) FILTER (WHERE leaves), 0)
FROM (
    SELECT amount, owner_id = %(owner)s AS own, true AS leaves, created_at > %(day)s AS day
    FROM wallets_withdrawal
    WHERE organisation_id = %(organisation)s AND currency_id = %(currency)s
        AND created_at > %(month)s AND created_at <= %(until)s
        AND (status <> ALL(%(given_back)s) OR id = %(id)s)
    UNION ALL
    SELECT amount, owner_id = %(owner)s, true, created_at > %(day)s
    FROM wallets_conversion
    WHERE organisation_id = %(organisation)s AND from_currency_id = %(currency)s
        AND created_at > %(month)s AND created_at <= %(until)s
    UNION ALL
    SELECT amount, true, false, created_at > %(day)s
    FROM wallets_wallettransfer
    WHERE payer_id = %(owner)s AND currency_id = %(currency)s
        AND created_at > %(month)s AND created_at <= %(until)s
) requests
"""


@dataclass(frozen=True, slots=True)
class AccountUse:
    """Other uses of the bank account (number and bank) of a withdrawal.

    `earlier`, `paid` and `bounced` (failed or returned) count earlier requests of the same owner.
    `earlier_name` is what the bank called the account at the latest earlier request of anybody.
    """

    earlier: int
    paid: int
    bounced: int
    other_owners: int
    other_organisations: int
    earlier_name: str | None = None


@dataclass(frozen=True, slots=True)
class RequestTotals:
    """Count and total of requests in one currency."""

    count: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """Account use, requests of the owner within 24 hours (including this one), the largest previous
    payout from the wallet in the currency (None: never), why it is frozen (None: it is not), and
    what the owner owes in the currency.
    """

    use: AccountUse
    owner_day: RequestTotals
    largest_paid: Decimal | None
    freeze_reason: str | None = None
    owed: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Velocity:
    """Requests up to `until`, including this one, without those whose amount was released.

    Those of the owner are withdrawals, transfers to other wallets and conversions. Those of the
    organisation are without transfers, which stay within it.
    """

    until: datetime
    owner_day: RequestTotals
    owner_month: RequestTotals
    organisation_day: RequestTotals
    organisation_month: RequestTotals


@dataclass(frozen=True, slots=True)
class RecentDeposits:
    """Confirmed deposits to the wallet within 30 days, newest first; `count` and `amount` cover
    all of them.
    """

    deposits: tuple[Deposit, ...]
    count: int
    amount: Decimal


def load_review_facts(withdrawal_ids: Collection[UUID]) -> dict[UUID, ReviewFacts]:
    """Return the current facts of withdrawals, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(_FACTS, {"ids": list(withdrawal_ids), "given_back": list(_REFUNDED)})
        return {
            row[0]: ReviewFacts(AccountUse(*row[1:7]), RequestTotals(*row[7:9]), *row[9:])
            for row in cursor.fetchall()
        }


def find_owners_sharing_account(withdrawal: Withdrawal) -> list[tuple[str, str]]:
    """Return up to `MAX_NAMED_OWNERS` other owners that use the same account: organisation, member
    ("" for the organisation's own wallet).
    """
    bank = withdrawal.bank
    named = (
        Withdrawal.objects.filter(bank__account_number=bank.account_number, bank__code=bank.code)
        .exclude(owner_id=withdrawal.owner_id)
        .order_by("organisation__name", "member__name")
        .values_list("organisation__name", "member__name")
        .distinct()[:MAX_NAMED_OWNERS]
    )
    return [(organisation, member or "") for organisation, member in named]


def request_velocity(withdrawal: Withdrawal) -> Velocity:
    """Return the requests of the owner, and of the organisation with its members, in the currency.

    Up to now while the withdrawal is Pending, else up to its first decision.
    """
    until = timezone.now()
    if withdrawal.status != WithdrawalStatus.PENDING and withdrawal.actioned_on:
        until = withdrawal.actioned_on
    with connection.cursor() as cursor:
        cursor.execute(
            _VELOCITY,
            {
                "id": withdrawal.pk,
                "owner": withdrawal.owner_id,
                "organisation": withdrawal.organisation_id,
                "currency": withdrawal.currency_id,
                "until": until,
                "day": until - DAY,
                "month": until - MONTH,
                "given_back": list(_REFUNDED),
            },
        )
        found = cursor.fetchone()
    return Velocity(until, *(RequestTotals(*found[n : n + 2]) for n in range(0, 8, 2)))


def recent_deposits(withdrawal: Withdrawal, shown: int) -> RecentDeposits:
    """Return the deposits to the withdrawal's wallet within 30 days, at most `shown` as records."""
    rows = Deposit.objects.filter(
        organisation_id=withdrawal.organisation_id,
        member=withdrawal.member,
        currency_id=withdrawal.currency_id,
        status=DepositStatus.COMPLETED,
        decided_at__gt=timezone.now() - MONTH,
    )
    total = rows.aggregate(count=Count("pk"), amount=Sum("amount"))
    return RecentDeposits(
        deposits=tuple(rows.order_by("-decided_at", "-pk")[:shown]),
        count=total["count"],
        amount=total["amount"] or Decimal(0),
    )
