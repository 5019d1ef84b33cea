"""Figures that finance sets: minimums, fees, rates, thresholds, under the interface's own keys.

A key has a first figure and, after it, figures that one person proposed and another approved. The
figure in force at an instant is the approved one with the latest `in_force_from` up to then: it
takes effect by itself, because whoever needs a figure asks for the one in force
(`wallets/fees/sql/configuration_figures.sql`).
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
        verbose_name = "configuration key"
        permissions = [
            ("propose_configuration", "Can propose figures"),
            ("decide_configuration", "Can approve and reject figures of others"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(value__gte=0), name="configuration_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.key


class FigureStatus(models.TextChoices):
    """States of a figure."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    TAKEN_BACK = "Taken back"
    WITHDRAWN = "Withdrawn"


class ConfigurationFigure(ProposalModel):
    """A figure of a key: proposed by one person, approved by another, in force from an instant.

    Approved and not yet in force, it can be withdrawn: one person asks for it, another agrees.
    """

    configuration = models.ForeignKey(
        Configuration, on_delete=models.PROTECT, related_name="figures", db_index=False
    )
    value = models.DecimalField(max_digits=30, decimal_places=8)
    reason = models.CharField(max_length=300)
    effective_from = models.DateTimeField(null=True, help_text="As proposed; null: when approved")
    status = choice_field(FigureStatus, max_length=10, default=FigureStatus.PENDING)
    decision_note = models.CharField(max_length=300, blank=True, help_text="Why it was rejected")
    in_force_from = models.DateTimeField(
        null=True, help_text="Of an approved one: as proposed, but never before its approval"
    )
    withdrawal_asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawal_reason = models.CharField(max_length=300, blank=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True)

    class Meta(ProposalModel.Meta):
        verbose_name = "figure"
        # Its permissions are those of its key.
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(condition=Q(value__gte=0), name="figure_not_negative"),
            models.CheckConstraint(
                condition=~Q(status="Withdrawn")
                | Q(withdrawn_by__isnull=False, withdrawal_asked_by__isnull=False)
                & ~Q(withdrawn_by=F("withdrawal_asked_by")),
                name="figure_withdrawn_by_two",
            ),
            models.UniqueConstraint(
                fields=["configuration"], condition=Q(status="Pending"), name="figure_pending_once"
            ),
        ]
        indexes = [
            models.Index(
                F("configuration"),
                F("in_force_from").desc(),
                F("decided_at").desc(),
                condition=Q(status="Approved"),
                include=["value"],
                name="figure_in_force",
            ),
            models.Index(F("configuration"), F("created_at").desc(), name="figure_history"),
        ]

    def __str__(self) -> str:
        return f"{self.configuration_id} {format_plain(self.value)}"
