"""Rates of tax on income, and what of an owner they follow from: decided by two people."""

from django.db import models
from django.db.models import Q

from exchange.core.fields import choice_field, owner_column
from exchange.participants.models import HolderKind, Member, Organisation, TaxFacts
from exchange.staff.models import ProposalModel


class TaxedIncome(models.TextChoices):
    """Types of income that can be taxed: of distributions, all but the return of principal."""

    DIVIDEND = "Dividend"
    INTEREST = "Interest"
    REDEMPTION = "Redemption"
    EXIT = "Exit"


class TaxRate(ProposalModel):
    """The tax on income of a type that issuers of a country pay, in percent, from a day on (UTC).

    It holds for owners of a kind and residence, or for any, or for one owner until a day. Which of
    several holds says `credit/tax_rates/sql/tax_rate.sql`.
    """

    type = choice_field(TaxedIncome, max_length=10)
    issuer_country = models.CharField(max_length=2, help_text="ISO code")
    holder_kind = choice_field(
        HolderKind, max_length=10, blank=True, default="", help_text="Empty: any"
    )
    residence = models.CharField(
        max_length=2, blank=True, default="", help_text="ISO code; empty: any"
    )
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    owner_id = owner_column(null=True)
    percent = models.DecimalField(max_digits=7, decimal_places=4)
    valid_from = models.DateField(help_text="From the start of this day (UTC)")
    valid_until = models.DateField(
        null=True, blank=True, help_text="Of one owner: the last day (UTC)"
    )
    note = models.CharField(max_length=300, help_text="The law or certificate that it follows")

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        permissions = [
            ("propose_taxrate", "Can propose tax rates and tax details"),
            ("decide_taxrate", "Can approve and reject tax rates and tax details of others"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(percent__gte=0, percent__lte=100), name="tax_rate_percent"
            ),
            models.CheckConstraint(
                condition=Q(organisation=None, member=None, valid_until=None)
                | Q(
                    organisation__isnull=False,
                    holder_kind="",
                    residence="",
                    valid_until__gte=models.F("valid_from"),
                ),
                name="tax_rate_of_one_owner_ends",
            ),
            models.UniqueConstraint(
                fields=["type", "issuer_country", "holder_kind", "residence", "owner_id"],
                condition=Q(status="Pending"),
                nulls_distinct=False,
                name="tax_rate_pending_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["type", "issuer_country", "owner_id"],
                condition=Q(status="Approved"),
                name="tax_rate_effective",
            )
        ]

    def __str__(self) -> str:
        return f"{self.type} tax, {self.issuer_country}"

    @property
    def scope(self) -> str:
        """For whom it holds."""
        if self.organisation_id is not None:
            return str(self.member or self.organisation)
        kind = {"": "Anyone", "person": "People", "company": "Companies"}[self.holder_kind]
        return f"{kind} resident in {self.residence}" if self.residence else kind


class TaxFactsProposal(TaxFacts, ProposalModel):
    """What staff propose that an owner is for tax. Organisations state it of members themselves."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    owner_id = owner_column()
    note = models.CharField(max_length=300, help_text="The certificate or letter that it follows")

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        verbose_name = "tax details proposal"
        constraints = [
            models.UniqueConstraint(
                fields=["owner_id"],
                condition=models.Q(status="Pending"),
                name="tax_facts_pending_once",
            ),
        ]

    def __str__(self) -> str:
        return f"Tax details of {self.owner}"

    @property
    def owner(self) -> Organisation | Member:
        """The member, or the organisation."""
        return self.member or self.organisation
