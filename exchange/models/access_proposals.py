"""Proposals to give somebody, or an API key, power over money.

One person proposes, another confirms; `services.access_proposals` writes the table. What a proposal
asks for is in `payload`, by kind; no secret is ever in it. Where a confirmed proposal leads to a
secret, its proposer makes and collects the secret once.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from exchange.models.access import ApiKey
from exchange.models.approvals import ProposalModel
from exchange.models.participants import Organisation


class AccessKind(models.TextChoices):
    """What is proposed."""

    INVITE_PERSON = "invite_person", "Invite a person"
    RESET_PASSWORD = "reset_password", "Reset a password"
    RESET_SECOND_FACTOR = "reset_second_factor", "Reset a second factor"
    CHANGE_ROLE = "change_role", "Change a role"
    ACTIVATE_PERSON = "activate_person", "Activate a person"
    ISSUE_KEY = "issue_key", "Issue an API key"
    ROTATE_KEY = "rotate_key", "Rotate an API key"
    ISSUE_TOKEN = "issue_token", "Issue an access token"
    ACTIVATE_ORGANISATION = "activate_organisation", "Activate an organisation"


class AccessProposalStatus(models.TextChoices):
    """States of a proposal."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    WITHDRAWN = "Withdrawn"


class AccessProposal(ProposalModel):
    """One change of access that takes two people.

    `person` is whom it concerns; `organisation` and `key` what it is about. One filed by a command
    has no proposer until somebody in the back office takes it up. With `break_glass` a command
    acted at once, without a second person.
    """

    kind = models.CharField(max_length=30, choices=AccessKind.choices)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    key = models.ForeignKey(
        ApiKey, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    payload = models.JSONField(default=dict)
    note = models.CharField(max_length=300, blank=True)
    status = models.CharField(
        max_length=10,
        choices=AccessProposalStatus.choices,
        default=AccessProposalStatus.PENDING,
    )
    break_glass = models.BooleanField(default=False)
    # Null: filed by a command, and taken up by nobody yet.
    proposed_by = models.ForeignKey(  # type: ignore[assignment]
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # When the secret that a confirmed proposal leads to was shown to its proposer.
    collected_at = models.DateTimeField(null=True, blank=True)

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        permissions = [
            ("decide_accessproposal", "Can confirm and reject access proposals"),
            ("restore_administrator", "Can propose to restore the access of administrators"),
        ]
        indexes = [
            models.Index(
                fields=["created_at"], condition=Q(status="Pending"), name="access_proposal_pending"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~Q(status="Approved")
                | Q(break_glass=True)
                | Q(decided_by__isnull=False, proposed_by__isnull=False),
                name="access_proposal_approved_by_two",
            ),
            models.CheckConstraint(
                condition=~Q(status="Approved")
                | Q(decided_by__isnull=True)
                | Q(person__isnull=True)
                | ~Q(decided_by=F("person")),
                name="access_proposal_not_about_oneself",
            ),
            models.CheckConstraint(
                condition=Q(collected_at__isnull=True) | Q(status="Approved"),
                name="access_proposal_collected_once_approved",
            ),
            models.UniqueConstraint(
                fields=["kind", "person"],
                condition=Q(status="Pending", person__isnull=False),
                name="access_proposal_pending_once",
            ),
        ]

    def __str__(self) -> str:
        return self.get_kind_display()
