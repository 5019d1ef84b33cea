"""What somebody who decides about a withdrawal wants to know of its account and its owner."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from wallets.models import Deposit, DepositStatus, Withdrawal, WithdrawalStatus

DAY = timedelta(hours=24)
MONTH = timedelta(days=30)
OTHERS_NAMED = 5

# The owner has the money back: these say nothing of what leaves the wallet.
_GIVEN_BACK = (
    WithdrawalStatus.REJECTED,
    WithdrawalStatus.CANCELLED,
    WithdrawalStatus.FAILED,
    WithdrawalStatus.REVERSED,
)
_BOUNCED = (WithdrawalStatus.FAILED, WithdrawalStatus.REVERSED)


@dataclass(frozen=True, slots=True)
class AccountUse:
    """How the bank account (number and bank) of a withdrawal was used besides.

    `earlier`, `paid` and `bounced` (failed or returned) count earlier requests of the same owner.
    `others` names up to `OTHERS_NAMED` other owners: organisation, member ("" for the
    organisation's own wallet).
    """

    earlier: int
    paid: int
    bounced: int
    other_owners: int
    other_organisations: int
    others: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one currency: how many, and what they add up to."""

    count: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Velocity:
    """Requests up to `until`, apart from those whose money went back; this one counts too."""

    until: datetime
    owner_day: Requests
    owner_month: Requests
    organisation_day: Requests
    organisation_month: Requests


@dataclass(frozen=True, slots=True)
class Inflow:
    """Confirmed deposits to the wallet within 30 days, newest first, and those of the currency."""

    deposits: tuple[Deposit, ...]
    count: int
    amount: Decimal


def account_use(withdrawal: Withdrawal) -> AccountUse:
    """How often, and by whom else, money was asked for to the same bank account."""
    same = _to_the_same_account(withdrawal.bank.account_number, withdrawal.bank.code).exclude(
        pk=withdrawal.pk
    )
    own = Q(owner_id=withdrawal.owner_id, created_at__lt=withdrawal.created_at)
    foreign = ~Q(owner_id=withdrawal.owner_id)
    counts = same.aggregate(
        earlier=Count("pk", filter=own),
        paid=Count("pk", filter=own & Q(status=WithdrawalStatus.COMPLETED)),
        bounced=Count("pk", filter=own & Q(status__in=_BOUNCED)),
        other_owners=Count("owner_id", filter=foreign, distinct=True),
        other_organisations=Count(
            "organisation",
            filter=~Q(organisation_id=withdrawal.organisation_id),
            distinct=True,
        ),
    )
    others: tuple[tuple[str, str], ...] = ()
    if counts["other_owners"]:
        named = (
            same.filter(foreign)
            .order_by("organisation__name", "member__name")
            .values_list("organisation__name", "member__name")
            .distinct()[:OTHERS_NAMED]
        )
        others = tuple((organisation, member or "") for organisation, member in named)
    return AccountUse(**counts, others=others)


def with_account_use(rows: QuerySet[Withdrawal]) -> QuerySet[Withdrawal]:
    """`rows` with `paid_before` (the owner to this account) and `shared` (with other owners)."""
    same = _to_the_same_account(OuterRef("bank__account_number"), OuterRef("bank__code"))
    before = same.filter(
        owner_id=OuterRef("owner_id"),
        created_at__lt=OuterRef("created_at"),
        status=WithdrawalStatus.COMPLETED,
    )
    return rows.annotate(
        paid_before=Exists(before), shared=Exists(same.exclude(owner_id=OuterRef("owner_id")))
    )


def velocity(withdrawal: Withdrawal) -> Velocity:
    """Requests of the owner, and of the organisation with its members, in the same currency.

    Up to now while the withdrawal is Pending, else up to its first decision: what whoever decided
    saw.
    """
    until = timezone.now()
    if withdrawal.status != WithdrawalStatus.PENDING and withdrawal.actioned_on:
        until = withdrawal.actioned_on
    owner = Q(owner_id=withdrawal.owner_id)
    day = Q(created_at__gt=until - DAY)
    found = (
        Withdrawal.objects.filter(
            organisation_id=withdrawal.organisation_id,
            currency_id=withdrawal.currency_id,
            created_at__gt=until - MONTH,
            created_at__lte=until,
        )
        # This one counts, whatever has become of it.
        .exclude(Q(status__in=_GIVEN_BACK) & ~Q(pk=withdrawal.pk))
        .aggregate(
            owner_day=Count("pk", filter=owner & day),
            owner_day_amount=Sum("amount", filter=owner & day),
            owner_month=Count("pk", filter=owner),
            owner_month_amount=Sum("amount", filter=owner),
            organisation_day=Count("pk", filter=day),
            organisation_day_amount=Sum("amount", filter=day),
            organisation_month=Count("pk"),
            organisation_month_amount=Sum("amount"),
        )
    )

    def requests(name: str) -> Requests:
        return Requests(found[name], found[f"{name}_amount"] or Decimal(0))

    return Velocity(
        until=until,
        owner_day=requests("owner_day"),
        owner_month=requests("owner_month"),
        organisation_day=requests("organisation_day"),
        organisation_month=requests("organisation_month"),
    )


def largest_paid(withdrawal: Withdrawal) -> Decimal | None:
    """The largest amount of the currency that was paid out of this wallet before; None: never."""
    found: Decimal | None = (
        Withdrawal.objects.filter(
            owner_id=withdrawal.owner_id,
            currency_id=withdrawal.currency_id,
            status=WithdrawalStatus.COMPLETED,
            created_at__lt=withdrawal.created_at,
        )
        .exclude(pk=withdrawal.pk)
        .aggregate(largest=Max("amount"))["largest"]
    )
    return found


def inflow(withdrawal: Withdrawal, shown: int) -> Inflow:
    """Deposits to the same wallet within the last 30 days; at most `shown` of them as records."""
    rows = Deposit.objects.filter(
        organisation_id=withdrawal.organisation_id,
        member=withdrawal.member,
        status=DepositStatus.CONFIRMED,
        decided_at__gt=timezone.now() - MONTH,
    )
    ours = Q(currency_id=withdrawal.currency_id)
    total = rows.aggregate(count=Count("pk", filter=ours), amount=Sum("amount", filter=ours))
    return Inflow(
        deposits=tuple(rows.order_by("-decided_at", "-pk")[:shown]),
        count=total["count"],
        amount=total["amount"] or Decimal(0),
    )


def _to_the_same_account(account_number: object, code: object) -> QuerySet[Withdrawal]:
    return Withdrawal.objects.filter(bank__account_number=account_number, bank__code=code)
