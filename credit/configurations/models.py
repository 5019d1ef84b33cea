"""Loan configurations: a creditor's lending terms, in versions approved under dual control.

A configuration keeps its id while its terms change: each change is a version. New loans use the
effective version; a loan keeps the version it was made with.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Currency, Record
from exchange.participants.models import Organisation
from exchange.staff.models import ExplainedApproval, ProposalModel
from exchange.tokens.models import InvestmentCategory


class Access(models.TextChoices):
    """Whose members may borrow: the creditor's, those of named organisations, or all."""

    OWN = "own"
    ORGANISATIONS = "organisations"
    PUBLIC = "public"


class ConfigurationStatus(models.TextChoices):
    """Statuses of a configuration. Only Approved ones make loans."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    RETIRED = "Retired"


class VersionStatus(models.TextChoices):
    """Statuses of a version. At most one is Approved, and at most one Pending."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    SUPERSEDED = "Superseded"


class GraceUnit(models.TextChoices):
    """Unit of a grace period."""

    DAYS = "DAYS"


class LoanConfiguration(Record):
    """A lending offer of a creditor."""

    creditor = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="loan_configurations"
    )
    status = choice_field(ConfigurationStatus, max_length=10, default=ConfigurationStatus.PENDING)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [
            ("propose_configuration", "Can propose loan configurations"),
            ("decide_configuration", "Can approve, reject and retire loan configurations"),
        ]

    def __str__(self) -> str:
        return f"configuration {self.id}"


class ConfigurationVersion(ExplainedApproval, ProposalModel):
    """The terms of a configuration from one approval to the next. Rates are 0 to 1."""

    configuration = models.ForeignKey(
        LoanConfiguration, on_delete=models.PROTECT, related_name="versions"
    )
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    access = choice_field(Access, max_length=13, default=Access.OWN)
    organisations = models.ManyToManyField(
        Organisation,
        blank=True,
        related_name="+",
        # Unknown ids are stored like any other, so that callers cannot probe which ids exist.
        db_constraint=False,
        help_text="Who may borrow, where access is `organisations`",
    )
    investment_categories = ArrayField(
        choice_field(InvestmentCategory, max_length=20),
        help_text="Eligible collateral",
    )
    collateral_ratio = models.DecimalField(
        max_digits=9,
        decimal_places=8,
        help_text="Maximum LTV: share of the collateral's value that may be lent",
    )
    interest_rate = models.DecimalField(
        max_digits=9, decimal_places=8, help_text="Per month, 0 to 1"
    )
    duration = models.PositiveSmallIntegerField(help_text="Maximum term in months")
    grace_period = models.PositiveSmallIntegerField(default=0)
    grace_period_unit = choice_field(GraceUnit, max_length=4, default=GraceUnit.DAYS)
    status = choice_field(VersionStatus, max_length=10, default=VersionStatus.PENDING)
    proposed_by = models.CharField(  # type: ignore[assignment]
        max_length=80, help_text="The actor who entered it"
    )
    proposed_by_label = models.CharField(max_length=200, blank=True)
    note = models.CharField(
        max_length=300, blank=True, default="", db_default="", help_text="Why staff propose it"
    )
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["configuration", "number"], name="version_number"),
            models.UniqueConstraint(
                fields=["configuration"],
                condition=Q(status="Pending"),
                name="version_pending_once",
            ),
            models.UniqueConstraint(
                fields=["configuration"],
                condition=Q(status="Approved"),
                name="version_in_force_once",
            ),
            models.CheckConstraint(
                condition=Q(
                    collateral_ratio__gt=0,
                    collateral_ratio__lte=1,
                    interest_rate__gte=0,
                    interest_rate__lte=1,
                    duration__gte=1,
                ),
                name="version_rates",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.number}"


class LoanLimit(models.Model):
    """Limits of one version in one currency. NULL `max_outstanding`: no limit."""

    version = models.ForeignKey(
        ConfigurationVersion, on_delete=models.CASCADE, related_name="limits"
    )
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    min_amount = models.DecimalField(help_text="Per loan", **AMOUNT)
    max_amount = models.DecimalField(help_text="Per loan", **AMOUNT)
    max_outstanding = models.DecimalField(
        null=True,
        blank=True,
        help_text="Total principal of open loans of the configuration",
        **AMOUNT,
    )

    class Meta:
        ordering = ["currency__position"]
        constraints = [
            models.UniqueConstraint(fields=["version", "currency"], name="limit_once"),
            models.CheckConstraint(condition=Q(max_amount__gt=0), name="limit_positive"),
            models.CheckConstraint(
                condition=Q(min_amount__gt=0, min_amount__lte=F("max_amount")),
                name="limit_minimum",
            ),
            models.CheckConstraint(
                condition=Q(max_outstanding__gte=F("max_amount")), name="limit_outstanding"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.max_amount} {self.currency_id}"
