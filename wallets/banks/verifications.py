"""Verifications of destination accounts by staff: evidence for decisions; every check remains."""

from django.db.models import QuerySet
from django.utils import timezone

from exchange.core.text import clean_reason
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from wallets.banks.models import AccountVerification, BankAccount

VERIFY = "wallets.add_accountverification"


def verifications_of(record: BankAccount) -> QuerySet[AccountVerification]:
    """Return the verifications of the account of a bank record with their people, newest first."""
    return AccountVerification.objects.filter(
        account_number=record.account_number, code=record.code
    ).select_related("verified_by")


def verify_account(*, record: BankAccount, how: str, user: StaffUser) -> AccountVerification:
    """Record that `user` verified the name of the account, and how.

    Raises `Forbidden`, and `InvalidRequest` unless `how` is a reason.
    """
    authorize_staff(user, VERIFY, "You may not verify accounts")
    return AccountVerification.objects.create(
        account_number=record.account_number,
        code=record.code,
        account_name=record.account_name,
        how=clean_reason(how, missing="Enter how the account was verified", max_length=300),
        verified_by=user,
        created_at=timezone.now(),
    )
