"""Organisations, their members, and their API keys."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower, Upper
from django.utils import timezone
from oauth2_provider.models import AbstractApplication

from exchange.core.fields import choice_field
from exchange.core.ids import uuid7
from exchange.core.models import Record
from exchange.core.words import BeforeAt, FoldedWords

_ORIGIN = RegexValidator(
    r"https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?\Z",
    "Enter addresses such as https://example.com, without a path, one on each line",
)


# What a member is searched by: the words of the name and of the email before the "@".
MEMBER_WORDS = FoldedWords("name", BeforeAt("email"))


class HolderKind(models.TextChoices):
    """What an owner is for tax."""

    PERSON = "person", "Person"
    COMPANY = "company", "Company"


class TaxFacts(models.Model):
    """Base of owners: what tax on their income follows from."""

    holder_kind = choice_field(
        HolderKind,
        max_length=10,
        default=HolderKind.PERSON,
        db_default="person",
        help_text="What the owner is for tax",
    )
    tax_residence = models.CharField(
        max_length=2,
        blank=True,
        default="",
        db_default="",
        help_text="ISO code of the country, such as NG; empty: not known",
    )
    tax_id = models.CharField(
        max_length=50,
        blank=True,
        default="",
        db_default="",
        help_text="Of its tax authority",
    )

    class Meta:
        abstract = True


class Organisation(TaxFacts, Record):
    """A firm that integrates with the exchange. Owns keys, wallets, members and a webhook."""

    name = models.CharField(max_length=200)
    email = models.EmailField(blank=True)
    holder_kind = choice_field(
        HolderKind,
        max_length=10,
        default=HolderKind.COMPANY,
        db_default="company",
        help_text="What the owner is for tax",
    )
    active = models.BooleanField(
        default=True,
        help_text="Inactive: every API key of the organisation stops working immediately",
    )
    redirect_origins = ArrayField(
        models.CharField(max_length=200, validators=[_ORIGIN]),
        default=list,
        db_default=[],
        blank=True,
        size=20,
        help_text="Where a payer may return after a checkout, such as https://example.com",
    )
    verification_required_for_deposits = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Members that are not verified can open no virtual account or checkout",
    )
    verification_required_for_withdrawals = models.BooleanField(
        default=False, db_default=False, help_text="Members that are not verified cannot withdraw"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Verification(models.TextChoices):
    """What the organisation says of its member's identity."""

    UNVERIFIED = "unverified", "Unverified"
    VERIFIED = "verified", "Verified"


class MemberStatus(models.TextChoices):
    """Whether the member takes part. A closed one has nothing left, and nothing can be added."""

    ACTIVE = "active", "Active"
    CLOSED = "closed", "Closed"


class Member(TaxFacts, Record):
    """A person an organisation acts for: the `user` of the interface."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="members")
    name = models.CharField(max_length=200)
    email = models.EmailField()
    external_id = models.CharField(
        max_length=100, blank=True, help_text="The organisation's own ID for the member"
    )
    verification = choice_field(
        Verification,
        max_length=10,
        default=Verification.UNVERIFIED,
        db_default="unverified",
        help_text="Set by the organisation",
    )
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            # The target of composite foreign keys, which hold a member to its organisation.
            models.UniqueConstraint(fields=["id", "organisation"], name="member_organisation"),
            models.UniqueConstraint(
                "organisation", Lower("email"), name="member_email_once_per_organisation"
            ),
            models.UniqueConstraint(
                fields=["organisation", "external_id"],
                condition=~models.Q(external_id=""),
                name="member_external_id_once_per_organisation",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="member_listed"),
            # The back office searches these in all organisations.
            GinIndex(MEMBER_WORDS, name="member_folded_words"),
            models.Index(Upper("email"), name="member_email"),
            models.Index(
                fields=["external_id"], condition=~models.Q(external_id=""), name="member_external"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def status(self) -> MemberStatus:
        """Active, or closed."""
        return MemberStatus.ACTIVE if self.closed_at is None else MemberStatus.CLOSED


class ApiKey(AbstractApplication):  # type: ignore[misc] # the library has no types
    """A credential of an organisation: client id, hashed secret, scopes, optional expiry."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="api_keys"
    )
    scopes = ArrayField(models.CharField(max_length=40), default=list)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    # The key issued in its place.
    rotated_to = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="rotated_from",
    )

    class Meta(AbstractApplication.Meta):  # type: ignore[misc] # as above
        swappable = "OAUTH2_PROVIDER_APPLICATION_MODEL"
        verbose_name = "API key"
        ordering = ["-created", "-id"]
        constraints = [
            # The target of composite foreign keys, which hold a key to its organisation.
            models.UniqueConstraint(fields=["id", "organisation"], name="api_key_organisation"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.client_id})"

    @property
    def usable(self) -> bool:
        """Whether the key may get and use access tokens."""
        expired = self.expires_at is not None and self.expires_at <= timezone.now()
        return self.revoked_at is None and not expired and self.organisation.active
