"""Proposals about the lifecycle of a token."""

from django.db import models
from django.db.models import Q

from exchange.core.fields import choice_field
from exchange.staff.models import ApprovalStatus, ProposalModel
from exchange.tokens.models import Token


class TokenAction(models.TextChoices):
    """What two people do with a token: it moves money, opens trading or ends it."""

    COMPLETE = "complete", "Complete raise"
    SECONDARIES = "secondaries", "Open secondary trading"
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
