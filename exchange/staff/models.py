"""Back-office users, their second factor, access records, e-mail and proposals under dual control.

Staff are never members and never hold API keys. Users with privileged access sign in with a second
factor.
"""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from exchange.core.fields import EncryptedTextField, choice_field
from exchange.core.ids import uuid7
from exchange.core.models import Record


class MailKind(models.TextChoices):
    """What staff receive e-mail about."""

    SECOND_APPROVAL = "second_approval", "Second approvals"
    ALERT = "alert", "Alerts"
    PAYOUTS_ON_HOLD = "payouts_on_hold", "Payouts on hold"
    LEDGER = "ledger", "Ledger integrity"
    DISPUTE = "dispute", "Disputes"


class StaffUser(AbstractUser):
    """A back-office user; roles are Django groups."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    # Part of the session hash: incrementing it ends all sessions.
    session_epoch = models.PositiveIntegerField(default=0, editable=False)
    # Identifies the user to organisations instead of a name; random, so it reveals nothing.
    public_id = models.UUIDField(db_default=RandomUUID(), unique=True, editable=False)
    # Last creation, reset or role change: start of the cooling-off period and of the tenure. A
    # trigger prevents it from moving back.
    access_changed_at = models.DateTimeField(default=timezone.now, editable=False)
    unwanted_mail = ArrayField(
        choice_field(MailKind, max_length=20), default=list, db_default=[], editable=False
    )

    class Meta:
        verbose_name = "staff user"
        ordering = ["username"]

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def public_reference(self) -> str:
        """The id by which organisations know the person: `staff_…`."""
        return f"staff_{self.public_id.hex}"

    def may(self, permission: str) -> bool:
        """Return whether the user is active staff with `permission` (`app.codename`)."""
        return self.is_active and self.is_staff and self.has_perm(permission)

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        # Django's hook; `secret` is a fallback key during rotation.
        return salted_hmac(
            "exchange.staff.models.session",
            f"{self.password}|{self.session_epoch}",
            secret=secret,
            algorithm="sha256",
        ).hexdigest()


class SecondFactor(models.Model):
    """The TOTP secret shared with a user's authenticator app (RFC 6238)."""

    user = models.OneToOneField(
        StaffUser, on_delete=models.CASCADE, primary_key=True, related_name="second_factor"
    )
    secret = EncryptedTextField(db_column="secret_encrypted")
    # Time step of the last accepted code; earlier codes are rejected.
    last_step = models.BigIntegerField()
    set_up_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"Second factor of {self.user}"


class Passkey(Record):
    """A WebAuthn credential of a user: a security key, or a key in a phone, computer or manager.

    Its counter moves forward only. A key whose counter went back may have a copy: it is blocked
    for good.
    """

    user = models.ForeignKey(StaffUser, on_delete=models.CASCADE, related_name="passkeys")
    name = models.CharField(max_length=60)
    credential_id = models.BinaryField(max_length=1023, unique=True)
    public_key = models.BinaryField(max_length=2048)
    # Uses, as the authenticator counts them; 0 from one that does not.
    sign_count = models.BigIntegerField()
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    blocked_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name


class RecoveryCode(Record):
    """A single-use code to sign in without the app; only its hash is stored."""

    user = models.ForeignKey(StaffUser, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["user", "code_hash"], name="recovery_code_once"),
        ]

    def __str__(self) -> str:
        return f"Recovery code of {self.user}"


class SignInAttempts(models.Model):
    """A counter of sign-in attempts for an account or address until `ends_at`.

    Written by `staff.services.lockout` only. No index but the primary key, so that updates stay
    in place (HOT).
    """

    # A keyed hash: people type passwords into the username field.
    key = models.CharField(max_length=64, primary_key=True)
    attempts = models.PositiveIntegerField()
    ends_at = models.DateTimeField()
    locked_until = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.attempts} attempts until {self.ends_at}"


class AccessEvent(models.TextChoices):
    """Events in the life of a user's access."""

    SIGNED_IN = "signed_in", "Signed in"
    SIGNED_OUT = "signed_out", "Signed out"
    REFUSED = "refused", "Failed attempt"
    LOCKED_OUT = "locked_out", "Locked out"
    UNLOCKED = "unlocked", "Unlocked"
    CONFIRMED = "confirmed", "Confirmed with a second factor"
    SECOND_FACTOR_SET_UP = "second_factor_set_up", "Set up a second factor"
    SECOND_FACTOR_RESET = "second_factor_reset", "Second factor reset"
    APP_REMOVED = "app_removed", "Removed the authenticator app"
    PASSKEY_ADDED = "passkey_added", "Added a passkey"
    PASSKEY_REMOVED = "passkey_removed", "Removed a passkey"
    PASSKEY_BLOCKED = "passkey_blocked", "Passkey blocked, possibly copied"
    RECOVERY_CODE_USED = "recovery_code_used", "Used a recovery code"
    RECOVERY_CODES_RENEWED = "recovery_codes_renewed", "Generated new recovery codes"
    PASSWORD_CHANGED = "password_changed", "Password changed"
    INVITED = "invited", "Invited"
    ROLE_CHANGED = "role_changed", "Role changed"
    DETAILS_CHANGED = "details_changed", "Details changed"
    DEACTIVATED = "deactivated", "Deactivated"
    ACTIVATED = "activated", "Activated"
    BREAK_GLASS = "break_glass", "Break-glass access"


class AccessRecord(Record):
    """An event in a user's access; append-only.

    `user` is the person concerned, `by` the person who acted if another.
    """

    at = models.DateTimeField()
    event = choice_field(AccessEvent, max_length=30)
    user = models.ForeignKey(StaffUser, on_delete=models.PROTECT, related_name="access_records")
    by = models.ForeignKey(StaffUser, null=True, on_delete=models.PROTECT, related_name="+")
    address = models.CharField(max_length=60, blank=True)
    details = models.CharField(max_length=300, blank=True)

    class Meta:
        default_permissions = ("view",)
        ordering = ["-id"]
        indexes = [models.Index(fields=["user", "-id"], name="access_record_user")]

    def __str__(self) -> str:
        return f"{self.get_event_display()}: {self.user}"


class StaffMail(Record):
    """An e-mail to a user about a record, once; `key` names the record.

    Content never changes, and the address is the user's at the time of sending. `next_attempt_at`
    is also the end of a worker's lease, and empty once the e-mail is sent or given up. `attempts`
    identifies the lease.
    """

    recipient = models.ForeignKey(
        StaffUser, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    kind = choice_field(MailKind, max_length=20)
    key = models.CharField(max_length=100)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    created_at = models.DateTimeField()
    next_attempt_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=100, blank=True, default="")

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(
                fields=["next_attempt_at"],
                condition=Q(next_attempt_at__isnull=False),
                name="staff_mail_due",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["kind", "key", "recipient"], name="staff_mail_once"),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(next_attempt_at__isnull=True),
                name="staff_mail_sent_once",
            ),
        ]

    def __str__(self) -> str:
        return self.subject


class ApprovalStatus(models.TextChoices):
    """Statuses of a proposal; a table with different ones overrides `status`."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"


class ProposalModel(Record):
    """A proposal by one person, decided by another. Override fields where a table differs."""

    status = choice_field(ApprovalStatus, max_length=10, default=ApprovalStatus.PENDING)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True, help_text="Reason of the rejection")

    class Meta:
        abstract = True
        ordering = ["-created_at", "-id"]


class ExplainedApproval(models.Model):
    """Base of proposals with a plausibility check."""

    approval_reason = models.CharField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        help_text="Why it was approved although it is beyond what is usual",
    )

    class Meta:
        abstract = True


class AccessKind(models.TextChoices):
    """Kinds of access proposals."""

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
    """Statuses of an access proposal."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    WITHDRAWN = "Withdrawn", "Cancelled by proposer"


class AccessProposal(ProposalModel):
    """A change of access under two-person approval.

    `person`, `organisation` and `key` are the subject. A proposal filed by a command has no
    proposer until a user adopts it. `break_glass` marks an immediate change by a command.
    """

    kind = choice_field(AccessKind, max_length=30)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    organisation = models.ForeignKey(
        "exchange.Organisation", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    key = models.ForeignKey(
        "exchange.ApiKey", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    payload = models.JSONField(default=dict)
    note = models.CharField(max_length=300, blank=True)
    status = choice_field(AccessProposalStatus, max_length=10, default=AccessProposalStatus.PENDING)
    break_glass = models.BooleanField(default=False)
    # Null: filed by a command and not adopted yet.
    proposed_by = models.ForeignKey(  # type: ignore[assignment]
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # When the secret was displayed to the proposer.
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
