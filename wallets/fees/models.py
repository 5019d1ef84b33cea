"""Figures that finance sets: minimums, fees, rates, thresholds, under the interface's own keys.

A key has a first figure and, after it, figures that one person proposed and another approved. The
figure in force at an instant is the approved one with the latest `effective_at` up to then: it
takes effect by itself, because whoever needs a figure asks for the one in force
(`wallets/fees/sql/setting_changes.sql`).
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from exchange.core.fields import choice_field
from exchange.core.numbers import format_plain
from exchange.staff.models import ProposalModel


class Configuration(models.Model):
    """One key. `MINIMUM_WITHDRAWAL_<CUR>`, `<CUR>_WITHDRAWAL_FEE`, `<CUR>_USD_RATE` (units per
    USD), `SECOND_APPROVAL_ABOVE_<CUR>`, `SECOND_APPROVAL_DAILY_ABOVE_<CUR>`,
    `SOLE_APPROVALS_DAILY_<CUR>`, `<CUR>_INTERNAL_FEE`.
    """

    key = models.CharField(max_length=60, primary_key=True)
    # The first figure. It never changes, and stands until another one takes effect.
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
    """States of a figure."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    TAKEN_BACK = "Taken back"
    CANCELLED = "Cancelled"


class SettingChange(ProposalModel):
    """A figure of a key: proposed by one person, approved by another, in force from an instant.

    Approved and not yet in force, it can be withdrawn: one person asks for it, another agrees.
    """

    configuration = models.ForeignKey(
        Configuration, on_delete=models.PROTECT, related_name="changes", db_index=False
    )
    value = models.DecimalField(max_digits=30, decimal_places=8)
    reason = models.CharField(max_length=300)
    effective_from = models.DateTimeField(null=True, help_text="As proposed; null: when approved")
    status = choice_field(SettingChangeStatus, max_length=10, default=SettingChangeStatus.PENDING)
    decision_note = models.CharField(max_length=300, blank=True, help_text="Why it was rejected")
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
        # The audit history refers to the table by this name.
        db_table = "wallets_configurationfigure"
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
