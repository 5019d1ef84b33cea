"""The exchange's own bank accounts, and how their banks write CSV."""

import re
from typing import Any
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.core.currencies import currencies
from exchange.core.errors import Conflict, InvalidCurrency, InvalidRequest, NotFound
from exchange.core.querysets import get_or_raise
from exchange.core.text import check_line, clean_text
from exchange.staff.models import StaffUser
from wallets.bank_statements.csv_files import (
    DATE_FORMATS,
    DECIMAL_SIGNS,
    DELIMITERS,
    ENCODINGS,
    Layout,
)
from wallets.bank_statements.models import OwnBankAccount
from wallets.bank_statements.services.permission import authorize

_NUMBER = re.compile(r"[A-Z0-9/.-]{4,34}")
_CHOICES = {
    "encoding": ENCODINGS, "delimiter": DELIMITERS, "decimal": DECIMAL_SIGNS,
    "date_format": DATE_FORMATS,
}  # fmt: skip


def add_account(*, name: str, number: str, currency: str, user: StaffUser) -> OwnBankAccount:
    """Add an account. Raises `Forbidden`, `InvalidRequest`, `InvalidCurrency`, `Conflict`."""
    authorize(user)
    if currency not in currencies():
        raise InvalidCurrency(list(currencies()))
    check_line("name", name)
    number = "".join(number.split()).upper()
    if not _NUMBER.fullmatch(number):
        raise InvalidRequest.for_field("number", "Enter the IBAN or the number of the account")
    try:
        with transaction.atomic():
            return OwnBankAccount.objects.create(
                name=clean_text(name, missing="Enter a name", max_length=100),
                number=number,
                currency_id=currency,
                created_by=user,
                created_at=timezone.now(),
            )
    except IntegrityError as error:
        raise Conflict("There is an account with this name, or this number and currency") from error


def save_layout(*, account_id: UUID, layout: Layout, user: StaffUser) -> OwnBankAccount:
    """Save how the bank of an account writes CSV. Raises `Forbidden`, `NotFound`,
    `InvalidRequest`.
    """
    authorize(user)
    for name, allowed in _CHOICES.items():
        if getattr(layout, name) not in allowed:
            raise InvalidRequest.for_field(name, "Choose one of the list")
    if not layout.date:
        raise InvalidRequest.for_field("date", "Enter the heading of the booking date")
    if bool(layout.amount) == bool(layout.debit and layout.credit) or bool(layout.debit) != bool(
        layout.credit
    ):
        raise InvalidRequest.for_field(
            "amount", "Enter the heading of the amount, or those of debit and credit"
        )
    if layout.decimal == layout.delimiter:
        raise InvalidRequest.for_field(
            "decimal", "The decimal comma needs another delimiter than the comma"
        )
    account = get_or_raise(
        OwnBankAccount.objects.filter(pk=account_id),
        lambda: NotFound("Own bank account not found", code="own_bank_account_not_found"),
    )
    account.layout = msgspec.to_builtins(layout)
    account.save(update_fields=["layout"])
    return account


def layout_of(account: OwnBankAccount | None) -> Layout | None:
    """Return the saved layout of an account, if any."""
    saved: dict[str, Any] | None = account.layout if account else None
    return msgspec.convert(saved, Layout) if saved else None
