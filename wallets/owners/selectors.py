"""Members of an organisation and balances of an owner, with what blocks them."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL

from exchange.core.querysets import get_or_raise
from exchange.participants.errors import UserNotFound
from exchange.participants.selectors import members_of
from wallets.freezes.models import Freeze
from wallets.ledger.selectors.wallets import CurrencyBalance, wallet_balances
from wallets.owners.payloads import DEBTS, FREEZES


class WalletBalance(CurrencyBalance):
    """Balances of one currency, and whether the owner is frozen in it."""

    frozen: bool


def member_records(organisation_id: UUID) -> QuerySet[Any]:
    """Return the members of an organisation; `record` is the JSON text of each."""
    return members_of(organisation_id).annotate(record=_RECORD)


def member_record(organisation_id: UUID, member_id: UUID) -> str:
    """Return the record of a member, JSON text. Raises `UserNotFound`."""
    found = member_records(organisation_id).filter(id=member_id)
    record: str = get_or_raise(found.values_list("record", flat=True), UserNotFound)
    return record


def wallet_of(owner_id: UUID) -> list[WalletBalance]:
    """Return the owner's balances in all currencies, in the order of the API."""
    frozen = set(
        Freeze.objects.filter(owner_id=owner_id, lifted_at=None).values_list("currency", flat=True)
    )
    return [
        {**row, "frozen": not frozen.isdisjoint({None, row["currency"]})}
        for row in wallet_balances(owner_id)
    ]


# The stored document of the member, and what other tables say of it.
_ROW = "exchange_member"
_RECORD = RawSQL(  # noqa: S611 - built from declarations
    f"left({_ROW}.document, -1) || "
    + " || ".join(
        f"""',"{field.name}":' || {field.sql.replace("{r}", _ROW)}""" for field in (FREEZES, DEBTS)
    )
    + " || '}'",
    (),
    output_field=TextField(),
)
