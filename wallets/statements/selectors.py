"""The statement of one owner's money in one currency, read from the ledger in one query.

A movement is one transfer: the sum of its entries on the owner's accounts of the currency. Money
that only changes its purpose (set aside for an order, say) changes what is available and not the
balance. So the opening balance plus all movements is the closing balance, for every part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.core.database import read_cursor
from exchange.core.errors import NotFound, Rejected
from exchange.core.ids import first_id_at
from exchange.core.querysets import get_or_raise
from exchange.participants.errors import UserNotFound
from exchange.participants.models import Member, Organisation
from wallets.ledger.models import AccountKind
from wallets.ledger.selectors.wallets import WALLET_KINDS
from wallets.statements.period import Period

MAX_MOVEMENTS = 10_000

# An id is made within an hour of its transaction (docs/ledger.md, Time order of ids).
_MARGIN = timedelta(hours=1)


class TooManyMovements(Rejected):
    """The statement would be too long to answer in one response."""

    code = "too_many_movements"
    message = (
        f"There are more than {MAX_MOVEMENTS} movements between from and to: choose a shorter "
        "period"
    )


@dataclass(frozen=True, slots=True)
class StatementOwner:
    """Who owns the account; `organisation` is the firm that acts for a member."""

    id: UUID
    model: str
    name: str
    organisation: str | None


@dataclass(frozen=True, slots=True)
class Balance:
    """The parts of a balance, by account kind."""

    parts: Mapping[str, Decimal]

    @property
    def available(self) -> Decimal:
        """What can be spent."""
        return self.parts[AccountKind.AVAILABLE]

    @property
    def total(self) -> Decimal:
        """All of it."""
        return sum(self.parts.values(), Decimal(0))

    def __add__(self, other: Balance) -> Balance:
        return Balance({kind: amount + other.parts[kind] for kind, amount in self.parts.items()})


@dataclass(frozen=True, slots=True)
class Movement:
    """One transfer as the owner sees it; `after` is the balance after it.

    `client_reference` is the organisation's own reference of the withdrawal, deposit or transfer
    that moved it, `units` the units that the owner received in the same transfer, `fee` what went
    to the fees of the exchange, `bank` the account that a withdrawal is paid to.
    """

    id: UUID
    kind: str
    created_at: datetime
    reference: str
    client_reference: str | None
    subject_id: UUID | None
    memo: str
    units: Decimal
    fee: Decimal
    bank: str
    change: Balance
    after: Balance


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with all its movements, oldest first."""

    owner: StatementOwner
    currency: str
    period: Period
    made_at: datetime
    opening: Balance
    movements: Sequence[Movement] = field(default_factory=list)

    @property
    def closing(self) -> Balance:
        """The balance at the end."""
        return self.movements[-1].after if self.movements else self.opening

    @property
    def money_in(self) -> Decimal:
        """The sum of movements that increased the balance."""
        return sum((m.change.total for m in self.movements if m.change.total > 0), Decimal(0))

    @property
    def money_out(self) -> Decimal:
        """The sum of movements that decreased the balance, as a positive number."""
        return -sum((m.change.total for m in self.movements if m.change.total < 0), Decimal(0))

    @property
    def file_name(self) -> str:
        """The name of its file, without a suffix."""
        return f"statement-{self.currency}-{self.period.file_part}"


def get_statement_owner(organisation_id: UUID, member_id: UUID | None) -> StatementOwner:
    """Return the organisation, or its member, as an owner. Raises `UserNotFound`."""
    if member_id is None:
        names = Organisation.objects.filter(id=organisation_id).values_list("name", flat=True)
        return StatementOwner(organisation_id, "organisation", get_or_raise(names, NotFound), None)
    rows = Member.objects.filter(id=member_id, organisation_id=organisation_id)
    name, firm = get_or_raise(rows.values_list("name", "organisation__name"), UserNotFound)
    return StatementOwner(member_id, "user", name, firm)


def read_statement(
    owner: StatementOwner, currency: str, period: Period, now: datetime
) -> Statement:
    """Return the statement of `period`. Raises `InvalidRequest`, `TooManyMovements`.

    Entries belong to a period by the time of their transfer, and are in the order of their ids,
    which is that of the balances.
    """
    period.check(now)
    parameters: dict[str, Any] = {
        "owner": owner.id,
        "currency": currency,
        "kinds": [str(kind) for kind in WALLET_KINDS],
        "from": period.begins,
        "to": period.ends,
        "earliest": first_id_at(period.begins - _MARGIN),
        "after_from": first_id_at(period.begins + _MARGIN),
        "latest": first_id_at(period.ends + _MARGIN),
        "limit": MAX_MOVEMENTS + 1,
    }
    with read_cursor() as cursor:
        cursor.execute(_STATEMENT, parameters)
        opening, *rows = cursor.fetchall()
    if len(rows) > MAX_MOVEMENTS:
        raise TooManyMovements
    balance = first = _balance(opening)
    movements = []
    for row in rows:
        change = _balance(row)
        balance += change
        facts = dict(zip(_FACTS, row[len(WALLET_KINDS) :], strict=True))
        movements.append(Movement(**facts, change=change, after=balance))
    return Statement(owner, currency, period, now, first, movements)


def _balance(row: Sequence[Any]) -> Balance:
    return Balance(dict(zip(WALLET_KINDS, row, strict=False)))


# Columns of a movement after its parts.
_FACTS = (
    *("id", "kind", "created_at", "reference", "client_reference", "subject_id"),
    *("memo", "units", "fee", "bank"),
)
_SUMS = ", ".join(
    f"coalesce(sum(amount) FILTER (WHERE kind = '{kind}'), 0) AS {kind}" for kind in WALLET_KINDS
)

# One statement, so that opening and movements are of one moment. The first row is the opening
# balance. Each account is read from its own index, whatever the other accounts have.
_STATEMENT = f"""
    WITH account AS MATERIALIZED (
        SELECT id, kind FROM wallets_account
        WHERE owner_id = %(owner)s AND asset_id = %(currency)s AND kind = ANY(%(kinds)s)
    ), opening AS (
        SELECT a.kind, coalesce(earlier.balance_after, 0) + coalesce(near.amount, 0) AS amount
        FROM account a
        LEFT JOIN LATERAL (
            SELECT e.balance_after FROM wallets_entry e
            WHERE e.account_id = a.id AND e.id < %(earliest)s
            ORDER BY e.id DESC LIMIT 1
        ) earlier ON true
        CROSS JOIN LATERAL (
            SELECT sum(e.amount) AS amount
            FROM wallets_entry e JOIN wallets_transfer t ON t.id = e.transfer_id
            WHERE e.account_id = a.id AND e.id >= %(earliest)s AND e.id < %(after_from)s
                AND t.created_at < %(from)s
        ) near
    ), leg AS (
        SELECT a.kind, x.*
        FROM account a
        CROSS JOIN LATERAL (
            SELECT e.id, e.transfer_id, e.amount
            FROM wallets_entry e JOIN wallets_transfer t ON t.id = e.transfer_id
            WHERE e.account_id = a.id AND e.id >= %(earliest)s AND e.id < %(latest)s
                AND t.created_at >= %(from)s AND t.created_at < %(to)s
            ORDER BY e.id LIMIT %(limit)s
        ) x
    ), movement AS (
        SELECT transfer_id, min(id::text) AS place, {_SUMS}
        FROM leg GROUP BY transfer_id ORDER BY place LIMIT %(limit)s
    )
    SELECT {", ".join((*WALLET_KINDS, *_FACTS))}
    FROM (
        SELECT '' AS place, {_SUMS}, NULL::uuid AS id, NULL AS kind,
               NULL::timestamptz AS created_at, NULL AS reference,
               NULL AS client_reference, NULL::uuid AS subject_id, NULL AS memo,
               NULL::numeric AS units, NULL::numeric AS fee, NULL AS bank
        FROM opening
        UNION ALL
        SELECT m.place, {", ".join(f"m.{kind}" for kind in WALLET_KINDS)},
               t.id, t.kind, t.created_at,
               coalesce(w.reference, d.reference, t.reference),
               coalesce(w.client_reference, d.client_reference, i.client_reference),
               t.subject_id, t.memo,
               coalesce(other.units, 0), coalesce(other.fee, 0),
               coalesce(b.name || ', ' || b.account_number, '')
        FROM movement m
        JOIN wallets_transfer t ON t.id = m.transfer_id
        LEFT JOIN wallets_withdrawal w ON w.id = t.subject_id
        LEFT JOIN wallets_bankaccount b ON b.id = w.bank_id
        LEFT JOIN wallets_deposit d ON d.id = t.subject_id
        LEFT JOIN wallets_wallettransfer i ON i.id = t.subject_id
        LEFT JOIN LATERAL (
            SELECT sum(e.amount) FILTER (
                       WHERE a.owner_id = %(owner)s AND a.asset_id <> %(currency)s) AS units,
                   sum(e.amount) FILTER (WHERE a.kind = 'fees') AS fee
            FROM wallets_entry e JOIN wallets_account a ON a.id = e.account_id
            WHERE e.transfer_id = t.id
        ) other ON t.kind IN ('trade', 'raise_sale', 'withdrawal_settle')
    ) r
    ORDER BY place
"""  # noqa: S608 - of the kinds of accounts above
