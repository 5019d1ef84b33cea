"""Distributions, the income of each holder, and the proposals that two people decide."""

import datetime as dt

from django.db import models
from django.db.models import F, Q

from credit.distributions.schedule import Basis
from credit.loans.models import Loan
from exchange.core.fields import AMOUNT, UNCHECKED, choice_field, owner_column
from exchange.core.models import Currency, Record
from exchange.participants.models import Member, Organisation
from exchange.staff.models import ProposalModel
from exchange.tokens.models import Token


class DistributionType(models.TextChoices):
    """What is paid."""

    DIVIDEND = "Dividend"
    INTEREST = "Interest"
    PRINCIPAL = "Principal"
    # Both pay for the units: a redemption at once, an exit in parts, of which the last takes them.
    REDEMPTION = "Redemption"
    EXIT = "Exit"


class DistributionStatus(models.TextChoices):
    """Statuses of a distribution, in their order; it may be cancelled before Paying."""

    DRAFT = "Draft"
    ANNOUNCED = "Announced"
    RECORDED = "Recorded"
    FUNDED = "Funded"
    PAYING = "Paying"
    PAID = "Paid"
    CANCELLED = "Cancelled"


# Of those whose holders are known.
RECORDED = (
    DistributionStatus.RECORDED,
    DistributionStatus.FUNDED,
    DistributionStatus.PAYING,
    DistributionStatus.PAID,
)


class Distribution(Record):
    """A payment by the issuer of a token to those who hold it at the record.

    One that `corrects` another pays or recovers what its holders received too little or too much:
    its terms are those that were right, its income and sums the differences.

    Sums are set by the record. Interest has `principal_per_unit`, `rate` (percent a year) and
    `days`, from which a holder's income is computed; its `amount_per_unit` is for reading.
    """

    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="distributions")
    type = choice_field(DistributionType, max_length=10)
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    amount_per_unit = models.DecimalField(max_digits=38, decimal_places=12)
    principal_per_unit = models.DecimalField(
        max_digits=38, decimal_places=8, null=True, blank=True, help_text="Of interest"
    )
    rate = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, help_text="Percent a year"
    )
    days = models.PositiveIntegerField(null=True, blank=True, help_text="Days that bear interest")
    record_at = models.DateTimeField(help_text="Who holds units then is paid")
    payment_date = models.DateField(help_text="Paid from the start of this day (UTC)")
    period_end = models.DateField(
        null=True, blank=True, help_text="Of the schedule: the end of its period; else null"
    )
    status = choice_field(DistributionStatus, max_length=10, default=DistributionStatus.DRAFT)
    overdue = models.BooleanField(
        default=False, help_text="Whether it was not funded on its payment date, and is not yet"
    )
    version = models.PositiveIntegerField(default=1)
    corrects = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="corrections"
    )
    final = models.BooleanField(
        default=False, help_text="Whether it takes the units back: a redemption, or the last exit"
    )
    to_collateral = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether what pledged units receive becomes cash collateral of their loans",
    )
    holders = models.PositiveIntegerField(null=True, help_text="Owners at the record")
    units = models.DecimalField(null=True, help_text="Units that they held", **AMOUNT)
    gross = models.DecimalField(null=True, **AMOUNT)
    tax = models.DecimalField(null=True, **AMOUNT)
    net = models.DecimalField(null=True, **AMOUNT)
    proposed_by = models.CharField(max_length=80, help_text="The actor who proposed it")
    proposed_by_label = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        ordering = ["-created_at", "-id"]
        permissions = [
            ("propose_distribution", "Can propose distributions, their funding and cancellation"),
            ("decide_distribution", "Can approve and reject what is proposed about distributions"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount_per_unit__gte=0)
                & (
                    ~Q(type="Interest") & Q(principal_per_unit=None, rate=None, days=None)
                    | Q(
                        type="Interest",
                        principal_per_unit__gt=0,
                        rate__gte=0,
                        rate__lte=100,
                        days__gt=0,
                    )
                ),
                name="distribution_terms",
            ),
            models.CheckConstraint(
                condition=Q(type="Redemption", final=True)
                | Q(type="Exit", corrects=None)
                | ~Q(type__in=["Redemption", "Exit"]) & Q(final=False)
                | Q(corrects__isnull=False, final=False),
                name="distribution_final",
            ),
            models.CheckConstraint(
                condition=Q(holders=None, units=None, gross=None, tax=None, net=None)
                | Q(holders__gte=0, units__gte=0, gross=F("tax") + F("net"))
                & (Q(tax__gte=0, net__gte=0) | Q(corrects__isnull=False, tax__lte=0, net__lte=0)),
                name="distribution_sums",
            ),
            models.CheckConstraint(
                condition=Q(corrects=None) | ~Q(type="Principal") & Q(period_end=None),
                name="distribution_corrects",
            ),
            models.UniqueConstraint(
                fields=["token", "type", "record_at"],
                condition=~Q(status="Cancelled") & Q(corrects=None),
                name="distribution_once",
            ),
            models.UniqueConstraint(
                fields=["token", "period_end"],
                condition=~Q(status="Cancelled"),
                name="distribution_of_period",
            ),
        ]
        indexes = [
            models.Index(
                fields=["record_at"], condition=Q(status="Announced"), name="distribution_to_record"
            ),
            models.Index(
                fields=["payment_date"],
                condition=Q(status__in=["Recorded", "Funded", "Paying"]),
                name="distribution_to_pay",
            ),
        ]

    def __str__(self) -> str:
        named = self.corrects or self
        day = named.period_end or named.record_at.astimezone(dt.UTC).date()
        days = f"{self.days} days to " if self.days else ""
        return f"{self.kind} of {self.token.symbol}, {days}{day.day} {day:%B %Y}"

    @property
    def kind(self) -> str:
        """Its type, or that it corrects one of it."""
        return f"Correction of {self.type}" if self.corrects_id else self.type

    @property
    def basis(self) -> Basis | None:
        """What interest is computed from; None for other types."""
        if self.principal_per_unit is None or self.rate is None or self.days is None:
            return None
        return Basis(self.principal_per_unit, self.rate, self.days)

    @property
    def issuer_consents(self) -> bool:
        """Whether the terms are the issuer's or the schedule's, which needs no further word."""
        return self.version == 1 and not self.proposed_by.startswith("staff:")


class IncomeStatus(models.TextChoices):
    """Statuses of a holder's income.

    Nil: rounded to nothing, and no units are taken back. Corrected: paid, and a correction of it
    has been paid or recovered. What is to be recovered is Due until all of it is.
    """

    DUE = "Due"
    PAID = "Paid"
    NIL = "Nil"
    CORRECTED = "Corrected"


class PaidTo(models.TextChoices):
    """Where income went, or was recovered from. Of a closed loan: to the claim of its creditor."""

    WALLET = "wallet"
    LOAN = "loan"


class Income(Record):
    """What one holder receives of a distribution, written by its record.

    Units pledged for a loan have a row of their own, with `loan`. Amounts below 0 are recovered:
    `recovered` is what was taken of `net` so far. `to_creditor` is what of `net` paid a claim.
    """

    distribution = models.ForeignKey(
        Distribution, on_delete=models.PROTECT, related_name="incomes", db_index=False
    )
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    # A composite foreign key in SQL would be checked for every row: accounts have it.
    member = models.ForeignKey(Member, null=True, blank=True, related_name="+", **UNCHECKED)
    owner_id = owner_column()
    assigned_from = models.ForeignKey(
        Member,
        null=True,
        blank=True,
        related_name="+",
        **UNCHECKED,
        help_text="Who held the units, if it was closed and two people decided who is paid instead",
    )
    loan = models.ForeignKey(Loan, null=True, blank=True, related_name="incomes", **UNCHECKED)
    units = models.DecimalField(**AMOUNT)
    gross = models.DecimalField(**AMOUNT)
    tax_rate = models.DecimalField(max_digits=7, decimal_places=4, default=0, help_text="Percent")
    tax = models.DecimalField(default=0, **AMOUNT)
    net = models.DecimalField(**AMOUNT)
    recovered = models.DecimalField(default=0, **AMOUNT)
    to_creditor = models.DecimalField(default=0, db_default=0, **AMOUNT)
    status = choice_field(IncomeStatus, max_length=10, default=IncomeStatus.DUE)
    paid_to = choice_field(PaidTo, max_length=10, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        ordering = ["-id"]
        verbose_name_plural = "income"
        constraints = [
            models.UniqueConstraint(
                fields=["distribution", "owner_id", "assigned_from", "loan"],
                nulls_distinct=False,
                name="income_once",
            ),
            models.CheckConstraint(
                condition=Q(units__gt=0, gross=F("tax") + F("net"))
                & (
                    Q(tax__gte=0, net__gte=0, recovered=0)
                    | Q(tax__lte=0, net__lte=0, recovered__gte=0, recovered__lte=-F("net"))
                ),
                name="income_amounts",
            ),
            models.CheckConstraint(
                condition=Q(status="Nil", gross=0, paid_to="")
                | Q(status="Due", paid_to="")
                | Q(status="Paid") & ~Q(paid_to="")
                | Q(status="Corrected"),
                name="income_status",
            ),
            models.CheckConstraint(
                condition=~Q(paid_to="loan") | Q(loan__isnull=False), name="income_to_loan"
            ),
            models.CheckConstraint(
                condition=Q(to_creditor=0)
                | Q(to_creditor__gt=0, to_creditor__lte=F("net"), paid_to="loan"),
                name="income_to_creditor",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="income_of"),
            models.Index(fields=["owner_id"], name="income_of_owner"),
            models.Index(
                fields=["distribution", "owner_id"], condition=Q(status="Due"), name="income_due"
            ),
            models.Index(
                fields=["loan"],
                condition=Q(status="Due", loan__isnull=False),
                name="income_due_to_loan",
            ),
            models.Index(fields=["loan"], condition=Q(to_creditor__gt=0), name="income_of_claim"),
            models.Index(
                fields=["owner_id"],
                condition=Q(status="Due", gross__lt=0),
                name="income_to_recover",
            ),
        ]

    def __str__(self) -> str:
        return f"income {self.id}"


class DistributionAction(models.TextChoices):
    """What two people decide about a distribution."""

    ANNOUNCE = "announce", "Announce"
    CHANGE = "change", "Change terms"
    FUND = "fund", "Fund"
    CANCEL = "cancel", "Cancel"
    ASSIGN = "assign", "Assign income"


class DistributionProposal(ProposalModel):
    """A step of a distribution that another person of staff decides.

    The issuer, too, proposes a distribution: `proposed_by` is an actor. `terms` are those of a
    change, decimals as strings, or name the `income` and `owner` of an assignment.
    """

    distribution = models.ForeignKey(
        Distribution, on_delete=models.PROTECT, related_name="proposals"
    )
    action = choice_field(DistributionAction, max_length=10)
    terms = models.JSONField(null=True, blank=True)
    explanation = models.CharField(max_length=300, blank=True)
    proposed_by = models.CharField(  # type: ignore[assignment]
        max_length=80, help_text="The actor who proposed it"
    )
    proposed_by_label = models.CharField(max_length=200, blank=True)

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["distribution"],
                condition=Q(status="Pending"),
                name="distribution_proposal_once",
            ),
            models.CheckConstraint(
                condition=Q(action__in=["change", "assign"], terms__isnull=False)
                | ~Q(action__in=["change", "assign"]) & Q(terms=None),
                name="distribution_proposal_terms",
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(status="Pending"),
                name="distribution_pending",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()}: {self.distribution}"
