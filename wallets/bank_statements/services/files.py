"""Statement files: read when they are uploaded, shown, and imported or discarded."""

import hashlib
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.utils import timezone

from exchange.core.currencies import currencies
from exchange.core.errors import Conflict, NotFound, StateConflict
from exchange.core.numbers import count_decimals
from exchange.core.querysets import get_or_raise
from exchange.staff.models import StaffUser
from wallets.bank_statements.entries import (
    MAX_BYTES,
    BookedEntry,
    Statement,
    check_count,
    clean,
)
from wallets.bank_statements.errors import UnreadableStatement
from wallets.bank_statements.models import (
    FileKind,
    FileStatus,
    OwnBankAccount,
    StatementFile,
    StatementLine,
)
from wallets.bank_statements.reading import read_file
from wallets.bank_statements.services.accounts import layout_of
from wallets.bank_statements.services.permission import authorize

TOO_LARGE = f"The file is larger than {MAX_BYTES // 1024 // 1024} MB. Export fewer days"
# Files whose content is kept at a time.
MAX_UPLOADED = 20
_BATCH = 2000
_DETAILS = ("payment_reference", "counterparty", "description", "is_reversal")
Numbered = tuple[BookedEntry, int]
Identity = tuple[date, Decimal, str]


class AccountEntries(msgspec.Struct):
    """The entries of an account in a file."""

    account: UUID
    entries: list[BookedEntry]


def upload_file(
    *, name: str, data: bytes, account: OwnBankAccount | None, user: StaffUser
) -> StatementFile:
    """Read a file and keep what it says until it is imported; `account` is that of a CSV file.

    Raises `Forbidden`, `Conflict` while too many files are kept, and `UnreadableStatement` for a
    file that is damaged, incomplete, of another kind, or of an account that is not known.
    """
    authorize(user)
    if len(data) > MAX_BYTES:
        raise UnreadableStatement(TOO_LARGE)
    if StatementFile.objects.filter(status=FileStatus.UPLOADED).count() >= MAX_UPLOADED:
        raise Conflict(f"{MAX_UPLOADED} files are uploaded. Import or discard them first")
    kind, statements = read_file(data, layout_of(account))
    found = _assign(statements, account if kind == FileKind.CSV else None)
    days = [entry.booked_on for each in found for entry in each.entries]
    if not days:
        raise UnreadableStatement("The file has no booked entries")
    check_count(len(days))
    return StatementFile.objects.create(
        name=clean(name)[:150] or "Unnamed",
        kind=kind,
        sha256=hashlib.sha256(data).hexdigest(),
        account=account if kind == FileKind.CSV else None,
        content=zlib.compress(msgspec.json.encode(found)),
        lines=len(days),
        first_day=min(days),
        last_day=max(days),
        has_balances=all(statement.balanced for statement in statements),
        uploaded_by=user,
        created_at=timezone.now(),
    )


def import_file(*, file_id: UUID, user: StaffUser) -> StatementFile:
    """Add the lines of a file that are not known yet. Raises `Forbidden`, `NotFound`,
    `StateConflict`.

    Locks: the file, then its accounts in the order of their ids, so that of two files with the same
    line one adds it.
    """
    authorize(user)
    with transaction.atomic():
        file = _lock_uploaded(file_id)
        new = [
            StatementLine(
                account=account,
                file=file,
                currency_id=account.currency_id,
                number=number,
                **msgspec.structs.asdict(entry),
            )
            for account, numbered in find_new(file, lock=True)
            for entry, number in numbered
        ]
        StatementLine.objects.bulk_create(new, batch_size=_BATCH)
        return _close(file, FileStatus.IMPORTED, user, new_lines=len(new))


def discard_file(*, file_id: UUID, user: StaffUser) -> StatementFile:
    """Remove the content of a file that was not imported. Raises as `import_file`."""
    authorize(user)
    with transaction.atomic():
        return _close(_lock_uploaded(file_id), FileStatus.DISCARDED, user)


def entries_of(file: StatementFile) -> list[AccountEntries]:
    """Return the entries of a file that is neither imported nor discarded."""
    content = zlib.decompress(bytes(file.content or b""))
    return msgspec.json.decode(content, type=list[AccountEntries])


def find_new(
    file: StatementFile, *, lock: bool = False
) -> list[tuple[OwnBankAccount, list[Numbered]]]:
    """Return, for each account of a file, the entries that are not known yet, with their numbers.

    Of equal entries of a day as many are known as there are lines; those with the same details
    come first.
    """
    found = sorted(entries_of(file), key=lambda each: each.account)
    accounts = OwnBankAccount.objects.filter(pk__in=[each.account for each in found])
    if lock:
        accounts = accounts.order_by("pk").select_for_update(no_key=True)
    by_id = {account.pk: account for account in accounts}
    return [(by_id[each.account], _number(by_id[each.account], each.entries)) for each in found]


def _number(account: OwnBankAccount, entries: Sequence[BookedEntry]) -> list[Numbered]:
    days = [entry.booked_on for entry in entries]
    known: dict[Identity, Counter[tuple[Any, ...]]] = defaultdict(Counter)
    rows = StatementLine.objects.filter(
        account=account, booked_on__range=(min(days), max(days))
    ).values_list("booked_on", "amount", "bank_reference", *_DETAILS)
    for booked_on, amount, reference, *details in rows.iterator():
        known[booked_on, amount, reference][tuple(details)] += 1
    groups: dict[Identity, list[BookedEntry]] = defaultdict(list)
    for entry in entries:
        groups[entry.identity].append(entry)
    numbered: list[Numbered] = []
    for identity, equal in groups.items():
        lines = known[identity].copy()
        count = lines.total()
        unknown = []
        for entry in equal:
            details = tuple(getattr(entry, name) for name in _DETAILS)
            if lines[details]:
                lines[details] -= 1
            else:
                unknown.append(entry)
        new = unknown[: max(0, len(equal) - count)]
        numbered += [(entry, count + place) for place, entry in enumerate(new, start=1)]
    return sorted(numbered, key=lambda each: each[0].booked_on)


def _assign(
    statements: Sequence[Statement], account: OwnBankAccount | None
) -> list[AccountEntries]:
    """Return the entries by own account; statements of the same account together."""
    found: dict[UUID, AccountEntries] = {}
    for statement in statements:
        own = account or _find_account(statement)
        decimals = currencies()[own.currency_id].decimals
        for entry in statement.entries:
            if count_decimals(entry.amount) > decimals:
                raise UnreadableStatement(
                    f"The amount {entry.amount} of {entry.booked_on} has more decimals than"
                    f" {own.currency_id}"
                )
        found.setdefault(own.pk, AccountEntries(own.pk, [])).entries.extend(statement.entries)
    return [each for each in found.values() if each.entries]


def _find_account(statement: Statement) -> OwnBankAccount:
    number = "".join(statement.number.split())
    return get_or_raise(
        OwnBankAccount.objects.filter(number=number, currency_id=statement.currency),
        lambda: UnreadableStatement(
            f"The account …{clean(number)[-4:]} in {clean(statement.currency)[:3]} is not one of"
            " the exchange's. Add it first"
        ),
    )


def _lock_uploaded(file_id: UUID) -> StatementFile:
    rows = StatementFile.objects.filter(pk=file_id).select_for_update(no_key=True)
    file = get_or_raise(
        rows, lambda: NotFound("Statement file not found", code="statement_file_not_found")
    )
    if file.status != FileStatus.UPLOADED:
        raise StateConflict(f"The file is {file.status.lower()} already")
    return file


def _close(
    file: StatementFile, status: FileStatus, user: StaffUser, **changes: Any
) -> StatementFile:
    changes |= {
        "status": status, "content": None, "handled_by": user, "handled_at": timezone.now()
    }  # fmt: skip
    rows = StatementFile.objects.filter(pk=file.pk, status=FileStatus.UPLOADED)
    if rows.update(**changes) != 1:
        raise StateConflict(f"The file is no longer {FileStatus.UPLOADED}")
    file.refresh_from_db()
    return file
