"""Proposals about the lifecycle and the terms of a token."""

from django.db import models
from django.db.models import Q

from exchange.core.fields import AMOUNT, choice_field
from exchange.staff.models import ApprovalStatus, ProposalModel
from exchange.tokens.models import PayoutFrequency, Token


class TokenAction(models.TextChoices):
    """What two people do with a token: it moves money, opens trading or ends it."""

    COMPLETE = "complete", "Complete raise"
    SECONDARIES = "secondaries", "Open secondary trading"
    RESUME = "resume", "Resume trading"
    EXIT = "exit", "Exit"
    CANCEL = "cancel", "Cancel"


class TokenProposal(ProposalModel):
    """A lifecycle action on a token: proposed by one person, confirmed by another.

    `version` is the state of the raise that the proposer saw (`selectors.raise_version`).
    """

    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="+")
    action = choice_field(TokenAction, max_length=20)
    explanation = models.CharField(max_length=300)
    version = models.CharField(max_length=80)

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["token"],
                condition=Q(status=ApprovalStatus.PENDING),
                name="token_proposal_pending_once",
            )
        ]
        indexes = [models.Index(fields=["token", "action"], name="token_proposal_of_token")]

    def __str__(self) -> str:
        return f"{self.get_action_display()}: {self.token}"


class TermsProposal(ProposalModel):
    """New terms of a token that investors have bought, effective once a second person approves.

    `version` is the version of the terms that they become; the approved ones are their history.
    """

    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="terms_proposals")
    version = models.IntegerField()
    issue_price = models.DecimalField(**AMOUNT)
    interest = models.DecimalField(max_digits=12, decimal_places=4, help_text="Percent a year")
    tenor = models.IntegerField(help_text="Days")
    payout_frequency = choice_field(PayoutFrequency, max_length=20, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    explanation = models.CharField(max_length=300)

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        permissions = [("decide_terms", "Can approve and reject new terms of tokens")]
        verbose_name_plural = "terms proposals"
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    issue_price__gt=0,
                    interest__gte=0,
                    interest__lte=100,
                    tenor__gte=0,
                    version__gt=1,
                ),
                name="terms_proposal_in_range",
            ),
            models.UniqueConstraint(
                fields=["token"],
                condition=Q(status=ApprovalStatus.PENDING),
                name="terms_proposal_pending_once",
            ),
            models.UniqueConstraint(
                fields=["token", "version"],
                condition=Q(status=ApprovalStatus.APPROVED),
                name="terms_proposal_version_once",
            ),
        ]

    def __str__(self) -> str:
        return f"Terms {self.version}: {self.token}"
