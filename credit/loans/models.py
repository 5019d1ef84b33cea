"""Loans: collateral, repayments, valuation, shortfalls and closure proposals."""

from django.db import models
from django.db.models import F, Q

from credit.configurations.models import ConfigurationVersion, LoanConfiguration
from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Currency, Record
from exchange.core.references import ReferencedModel, reference_once
from exchange.participants.models import Member, Organisation
from exchange.staff.models import ProposalModel
from exchange.tokens.models import Token


class LoanStatus(models.TextChoices):
    """Statuses of a loan."""

    ACTIVE = "ACTIVE"
    OVERDUE = "OVERDUE"
    DEFAULTED = "DEFAULTED"
    COMPLETED = "COMPLETED"
    LIQUIDATED = "LIQUIDATED"
    WRITTEN_OFF = "WRITTEN_OFF"


OPEN = (LoanStatus.ACTIVE, LoanStatus.OVERDUE, LoanStatus.DEFAULTED)


class Loan(ReferencedModel, Record):
    """A loan to a member against token units, on the terms of one configuration version."""

    borrower = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="loans", db_constraint=False
    )
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="+", help_text="The borrower's"
    )
    creditor = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="loans_made")
    configuration = models.ForeignKey(
        LoanConfiguration, on_delete=models.PROTECT, related_name="loans"
    )
    version = models.ForeignKey(ConfigurationVersion, on_delete=models.PROTECT, related_name="+")
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    amount = models.DecimalField(help_text="Principal", **AMOUNT)
    repayment_amount = models.DecimalField(
        help_text="Total repayment: principal and interest", **AMOUNT
    )
    repayment_date = models.DateTimeField()
    interest_rate = models.DecimalField(max_digits=9, decimal_places=8)
    collateral_ratio = models.DecimalField(max_digits=9, decimal_places=8)
    duration = models.PositiveSmallIntegerField()
    grace_period = models.PositiveSmallIntegerField()
    grace_period_unit = models.CharField(max_length=4)
    status = choice_field(LoanStatus, max_length=11, default=LoanStatus.ACTIVE)
    interest_repaid = models.DecimalField(default=0, **AMOUNT)
    principal_repaid = models.DecimalField(default=0, **AMOUNT)
    cash_collateral = models.DecimalField(
        default=0, db_default=0, help_text="What its pledged units paid", **AMOUNT
    )
    # Still to come of its pledged units: paid in by the issuer, and due in time.
    cash_funded = models.DecimalField(default=0, db_default=0, editable=False, **AMOUNT)
    cash_expected = models.DecimalField(default=0, db_default=0, editable=False, **AMOUNT)
    claim = models.DecimalField(
        default=0,
        db_default=0,
        help_text="Still owed to the creditor after a liquidation that left units in lien",
        **AMOUNT,
    )
    reason = models.CharField(max_length=500, blank=True)
    bank_name = models.CharField(max_length=200, blank=True)
    bank_code = models.CharField(max_length=40, blank=True)
    account_number = models.CharField(max_length=40, blank=True)
    requested_by = models.CharField(max_length=80, help_text="The actor")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    # Collateral in wire format, stored in this row for the document trigger.
    collateral_text = models.TextField(default="[]", editable=False)
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    amount__gt=0,
                    repayment_amount__gte=F("amount"),
                    interest_repaid__gte=0,
                    principal_repaid__gte=0,
                    principal_repaid__lte=F("amount"),
                    interest_repaid__lte=F("repayment_amount") - F("amount"),
                ),
                name="loan_amounts",
            ),
            models.CheckConstraint(
                condition=Q(cash_collateral=0) | Q(cash_collateral__gt=0, closed_at=None),
                name="loan_cash_collateral",
            ),
            models.CheckConstraint(
                condition=Q(claim=0) | Q(claim__gt=0, status="LIQUIDATED"), name="loan_claim"
            ),
            reference_once("loan_client_reference_once"),
        ]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="loan_of_borrower"),
            models.Index(fields=["creditor", "-created_at", "-id"], name="loan_of_creditor"),
            models.Index(
                fields=["repayment_date"],
                condition=Q(status__in=["ACTIVE", "OVERDUE", "DEFAULTED"]),
                name="loan_open",
            ),
        ]

    def __str__(self) -> str:
        return f"loan {self.id}"


class Collateral(models.Model):
    """Units of one token pledged for a loan; `quantity` is what is in lien while it is open.

    `claimed` is what a liquidation left in lien, and has neither been paid for nor released since.
    """

    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="collaterals")
    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField(help_text="Order of liquidation")
    quantity = models.DecimalField(**AMOUNT)
    claimed = models.DecimalField(default=0, db_default=0, **AMOUNT)
    pledged_price = models.DecimalField(help_text="price.sell at pledge", **AMOUNT)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["loan", "token"], name="collateral_once"),
            models.CheckConstraint(condition=Q(quantity__gte=0), name="collateral_not_negative"),
            models.CheckConstraint(
                condition=Q(claimed__gte=0, claimed__lte=F("quantity")), name="collateral_claimed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} of {self.token_id}"


class RepaymentSource(models.TextChoices):
    """Where a repayment is taken from."""

    WALLET = "wallet"
    CASH_COLLATERAL = "cash_collateral"


class Repayment(Record):
    """One payment of a borrower, interest first. Append-only."""

    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="repayments")
    amount = models.DecimalField(**AMOUNT)
    interest = models.DecimalField(**AMOUNT)
    principal = models.DecimalField(**AMOUNT)
    outstanding = models.DecimalField(help_text="Balance after the payment", **AMOUNT)
    paid_from = choice_field(
        RepaymentSource, max_length=15, default=RepaymentSource.WALLET, db_default="wallet"
    )
    paid_by = models.CharField(max_length=80)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount__gt=0, amount=F("interest") + F("principal")),
                name="repayment_parts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} for {self.loan_id}"


class Outstanding(models.Model):
    """Total principal of open loans by configuration and currency, maintained by a trigger."""

    configuration = models.ForeignKey(
        LoanConfiguration, on_delete=models.PROTECT, related_name="outstanding"
    )
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    principal = models.DecimalField(**AMOUNT)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["configuration", "currency"], name="outstanding_once"),
            models.CheckConstraint(condition=Q(principal__gte=0), name="outstanding_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.principal} {self.currency_id} of {self.configuration_id}"


class Valuation(models.Model):
    """Last valuation of a loan's collateral; NULL amounts if a price was missing or stale."""

    loan = models.OneToOneField(
        Loan, on_delete=models.PROTECT, primary_key=True, related_name="valuation"
    )
    value = models.DecimalField(null=True, help_text="Collateral value at price.sell", **AMOUNT)
    loan_to_value = models.DecimalField(
        max_digits=20, decimal_places=8, null=True, help_text="Outstanding principal / value"
    )
    problem = models.CharField(
        max_length=300, blank=True, help_text="Why the collateral could not be valued"
    )
    valued_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.value} for {self.loan_id}"


class PriceDeduction(models.Model):
    """What a distribution takes off the price of a unit that was quoted before its record.

    The distributions write it, since they know loans and not the other way round.
    """

    id = models.UUIDField(primary_key=True, help_text="The distribution")
    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="+")
    record_at = models.DateTimeField()
    amount_per_unit = models.DecimalField(max_digits=38, decimal_places=12)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.amount_per_unit} off {self.token_id}"


class Shortfall(Record):
    """Period during which the collateral does not cover its loan (margin call)."""

    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="shortfalls")
    cause = models.CharField(max_length=300)
    required = models.DecimalField(
        help_text="Collateral value required for the outstanding principal", **AMOUNT
    )
    value = models.DecimalField(**AMOUNT)
    opened_at = models.DateTimeField()
    cured_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-opened_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["loan"], condition=Q(cured_at__isnull=True), name="shortfall_open_once"
            ),
        ]

    def __str__(self) -> str:
        return f"shortfall of {self.loan_id}"


class ClosureAction(models.TextChoices):
    """How a defaulted loan can be closed under dual control."""

    LIQUIDATE = "liquidate", "Liquidate"
    WRITE_OFF = "write_off", "Write off"

    @property
    def noun(self) -> str:
        """The action in a sentence: `Propose liquidation`."""
        return "liquidation" if self == ClosureAction.LIQUIDATE else "write-off"


class ClosureStatus(models.TextChoices):
    """Statuses of a closure proposal."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    # The loan was repaid before a decision.
    LAPSED = "Lapsed"


class ClosureProposal(ProposalModel):
    """A proposal to liquidate or write off a loan, confirmed by a second person.

    `plan` freezes prices and maximum units: [{token_id, symbol, price, quoted_at, quantity, passed,
    value, left}], decimals as strings; `left` units stay in lien. Payments received until
    confirmation reduce it: `final_plan` and the final amounts are what was executed.
    """

    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="closure_proposals")
    action = choice_field(ClosureAction, max_length=9)
    status = choice_field(ClosureStatus, max_length=9, default=ClosureStatus.PENDING)
    reason = None  # type: ignore[assignment]
    note = models.CharField(max_length=500)
    plan = models.JSONField(default=list)
    owed = models.DecimalField(help_text="Outstanding at proposal", **AMOUNT)
    cash_passed = models.DecimalField(
        default=0, db_default=0, help_text="Cash collateral to the creditor", **AMOUNT
    )
    value_passed = models.DecimalField(
        default=0, help_text="Cash and value of units to the creditor", **AMOUNT
    )
    deficiency = models.DecimalField(
        default=0, help_text="Outstanding amount not covered", **AMOUNT
    )
    final_plan = models.JSONField(null=True, blank=True, help_text="Executed plan, once confirmed")
    final_owed = models.DecimalField(null=True, blank=True, **AMOUNT)
    final_cash = models.DecimalField(default=0, db_default=0, **AMOUNT)
    final_value = models.DecimalField(null=True, blank=True, **AMOUNT)
    final_deficiency = models.DecimalField(null=True, blank=True, **AMOUNT)

    class Meta(ProposalModel.Meta):
        permissions = [("close_loan", "Can propose and confirm liquidations and write-offs")]
        constraints = [
            models.UniqueConstraint(
                fields=["loan"], condition=Q(status="Pending"), name="closure_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.loan_id}"
