"""Settings (minimums, fees, rates, approval thresholds) and the changes to them.

A setting has an initial value and changes that one person proposed and another approved. Its
effective value is that of the approved change with the latest `effective_at` not in the future.
Readers look it up at the moment they need it (`wallets/fees/sql/setting_changes.sql`), so no job
has to apply a change.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from exchange.core.fields import choice_field
from exchange.core.numbers import format_plain
from exchange.staff.models import ExplainedApproval, ProposalModel


class Configuration(models.Model):
    """A setting. Keys: `MINIMUM_WITHDRAWAL_<CUR>`, `<CUR>_WITHDRAWAL_FEE`,
    `<CUR>_USD_RATE` (units per USD), `SECOND_APPROVAL_ABOVE_<CUR>`,
    `SECOND_APPROVAL_DAILY_ABOVE_<CUR>`, `SOLE_APPROVALS_DAILY_<CUR>`, `<CUR>_INTERNAL_FEE`,
    `CONVERSION_SPREAD_<CUR>` (basis points), `CONVERSION_POSITION_LIMIT_<CUR>`,
    `DEPOSIT_FEE_BORNE_BY_OWNER`, `DEPOSIT_CLEARING_DAYS`, and `PAYOUTS_ON_HOLD`.
    """

    key = models.CharField(max_length=60, primary_key=True)
    # The initial value. Never changed.
    value = models.DecimalField(max_digits=30, decimal_places=8)
    description = models.CharField(max_length=200, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["key"]
        verbose_name = "setting"
        permissions = [
            ("propose_configuration", "Can propose settings changes"),
            ("decide_configuration", "Can approve and reject settings changes of others"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(value__gte=0), name="configuration_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.key


class SettingChangeStatus(models.TextChoices):
    """States of a settings change."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    WITHDRAWN = "Withdrawn", "Cancelled by proposer"
    CANCELLED = "Cancelled"


class SettingChange(ExplainedApproval, ProposalModel):
    """A proposed value of a setting, approved by a second person and effective from a given time.

    While approved and not yet effective it can be cancelled: one person requests, another confirms.
    A change without a proposer is a hold on payouts that a command placed; it is effective from the
    moment to which the database was restored.
    """

    configuration = models.ForeignKey(
        Configuration, on_delete=models.PROTECT, related_name="changes", db_index=False
    )
    value = models.DecimalField(max_digits=30, decimal_places=8)
    reason = models.CharField(max_length=300)
    proposed_by = models.ForeignKey(  # type: ignore[assignment]
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    effective_from = models.DateTimeField(null=True, help_text="As proposed; null: on approval")
    status = choice_field(SettingChangeStatus, max_length=10, default=SettingChangeStatus.PENDING)
    decision_note = models.CharField(max_length=300, blank=True, help_text="Reason of a rejection")
    effective_at = models.DateTimeField(
        null=True, help_text="Of an approved change: as proposed, but not before its approval"
    )
    cancellation_requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    cancellation_reason = models.CharField(max_length=300, blank=True)
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    cancelled_at = models.DateTimeField(null=True)

    class Meta(ProposalModel.Meta):
        verbose_name = "settings change"
        verbose_name_plural = "settings changes"
        # Its other permissions are those of the setting.
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(condition=Q(value__gte=0), name="setting_change_not_negative"),
            models.CheckConstraint(
                condition=~Q(status="Cancelled")
                | Q(cancelled_by__isnull=False, cancellation_requested_by__isnull=False)
                & ~Q(cancelled_by=F("cancellation_requested_by")),
                name="setting_change_cancelled_by_two",
            ),
            models.UniqueConstraint(
                fields=["configuration"],
                condition=Q(status="Pending"),
                name="setting_change_pending_once",
            ),
        ]
        indexes = [
            models.Index(
                F("configuration"),
                F("effective_at").desc(),
                F("decided_at").desc(),
                condition=Q(status="Approved"),
                include=["value"],
                name="setting_change_effective",
            ),
            models.Index(F("configuration"), F("created_at").desc(), name="setting_change_history"),
        ]

    def __str__(self) -> str:
        return f"{self.configuration_id} {format_plain(self.value)}"
