"""Treasury movements: proposed by one person, confirmed by another, posted once."""

from django.db import models
from django.db.models import F, Q

from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Currency
from exchange.staff.models import ApprovalStatus, ExplainedApproval, ProposalModel


class TreasuryKind(models.TextChoices):
    """What is moved, and where to."""

    TOP_UP = "top_up", "Float top-up"
    DRAW_DOWN = "draw_down", "Float draw-down"
    FEE_PAYOUT = "fee_payout", "Payout of fee income"
    POSITION_CLOSE = "position_close", "Closing of a position"
    TAX_REMITTANCE = "tax_remittance", "Remittance of tax"


class TreasuryMovement(ExplainedApproval, ProposalModel):
    """Money moved between the exchange's bank and the payment provider, or a position closed.

    Of a closed position, `amount` was sold, and `bought_amount` arrived for it. `closed_amount` is
    the part of the short position that it covers; the difference is a gain or a loss.
    """

    kind = choice_field(TreasuryKind, max_length=20)
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    amount = models.DecimalField(**AMOUNT)
    charge = models.DecimalField(
        default=0, **AMOUNT, help_text="What the payment provider kept, in addition or of a top-up"
    )
    bought_currency = models.ForeignKey(
        Currency, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    bought_amount = models.DecimalField(null=True, blank=True, **AMOUNT)
    closed_amount = models.DecimalField(null=True, blank=True, **AMOUNT)
    reference = models.CharField(max_length=100, help_text="Of the bank")
    reference_key = models.TextField(
        default="", db_default="", editable=False, help_text="How references are compared"
    )
    note = models.CharField(max_length=300)

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        permissions = [("move_treasury", "Can propose and confirm treasury movements")]
        constraints = [
            # A rejected movement can be proposed again.
            models.UniqueConstraint(
                fields=["kind", "reference"],
                condition=~Q(status="Rejected"),
                name="treasury_reference_once",
            ),
            models.UniqueConstraint(
                fields=["kind", "reference_key"],
                condition=~Q(status="Rejected") & ~Q(reference_key=""),
                name="treasury_reference_key_once",
            ),
            models.CheckConstraint(
                condition=Q(amount__gt=0, charge__gte=0)
                & (~Q(kind="top_up") | Q(charge__lt=F("amount"))),
                name="treasury_amounts_positive",
            ),
            models.CheckConstraint(
                condition=Q(
                    kind="position_close", charge=0, bought_amount__gt=0, closed_amount__gt=0
                )
                & ~Q(bought_currency=F("currency"))
                & Q(bought_currency__isnull=False)
                | ~Q(kind="position_close")
                & Q(
                    bought_currency__isnull=True,
                    bought_amount__isnull=True,
                    closed_amount__isnull=True,
                ),
                name="treasury_position_has_two_sides",
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(status=ApprovalStatus.PENDING),
                name="treasury_pending",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.reference}"
