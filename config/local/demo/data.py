"""The demo organisations, members, staff, funds, payments and withdrawals, read from tables.

All names are invented.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
    SUPPORT,
)
from config.local.demo.tables import read_amounts, read_rows
from exchange.participants.models import Member, Organisation

Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class DemoMember:
    """A person of a demo organisation."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class DemoOrganisation:
    """A demo organisation, identified by `email`; references contain the `slug`."""

    slug: str
    name: str
    email: str
    members: tuple[DemoMember, ...]

    @property
    def origin(self) -> str:
        """Its website, to which checkouts return payers."""
        return f"https://{self.slug}.example"


@dataclass(frozen=True, slots=True)
class DemoStaff:
    """A back-office login and its role."""

    username: str
    role: str


@dataclass(frozen=True, slots=True)
class DemoWithdrawal:
    """A demo withdrawal, identified by its account number.

    `member` is an index into the organisation's members; None: its own withdrawal.
    """

    organisation: str
    member: int | None
    currency: str
    amount: Decimal
    bank_name: str
    account_name: str
    account_number: str
    branch_code: str
    becomes: str
    reason: str
    override: str


@dataclass(frozen=True, slots=True)
class DemoPayment:
    """A demo payment, identified by its amount.

    `way` is `account`, `card`, or `unmatched` for one without an owner.
    """

    way: str
    organisation: str
    member: int | None
    currency: str
    amount: Decimal
    payer: str


@dataclass(frozen=True, slots=True)
class DemoParticipant:
    """A demo organisation in the database; `members` in the order of the demo data."""

    about: DemoOrganisation
    organisation: Organisation
    members: tuple[Member, ...]

    def member(self, shown: DemoWithdrawal | DemoPayment) -> Member | None:
        """Return the member of a withdrawal or payment; None for the organisation's own."""
        return None if shown.member is None else self.members[shown.member]


def _organisations(kind: str) -> tuple[DemoOrganisation, ...]:
    members = read_rows("members")
    return tuple(
        DemoOrganisation(
            slug=row["slug"],
            name=row["name"],
            email=row["email"],
            members=tuple(
                DemoMember(each["name"], each["email"])
                for each in members
                if each["organisation"] == row["slug"]
            ),
        )
        for row in read_rows("organisations")
        if row["kind"] == kind
    )


def _records(kind: Callable[..., Shown], table: str, use: str) -> tuple[Shown, ...]:
    """Return the records of a table for one `use`; an empty `member` is none."""
    return tuple(
        kind(
            **{
                **{name: text for name, text in row.items() if name != "use"},
                "member": int(row["member"]) if row["member"] else None,
                "amount": Decimal(row["amount"]),
            }
        )
        for row in read_rows(table)
        if row["use"] == use
    )


ORGANISATIONS = _organisations("client")
# Firms without logins: other issuers, and the market makers.
INSTITUTIONS = _organisations("institution")
# Whose members come to owe and are frozen.
(CASES,) = _organisations("case")
MARKET_MAKERS = ("mtaji", "umoja", "zambezi")

# Opening balances of each organisation and each member. The same amount again is for investments.
ORGANISATION_FUNDS = read_amounts("organisation_funds")
MEMBER_FUNDS = read_amounts("member_funds")
# Opening balances of each market maker.
MARKET_MAKER_FUNDS = read_amounts("market_maker_funds")


def total_deposits() -> dict[str, Decimal]:
    """Return all demo deposits per currency: the opening balances of the sandbox provider."""
    total = dict.fromkeys(MEMBER_FUNDS, Decimal(0))
    for currency in total:
        for organisation in ORGANISATIONS:
            members = len(organisation.members)
            own = ORGANISATION_FUNDS[currency] + members * MEMBER_FUNDS[currency]
            total[currency] += 2 * own  # including the funds to invest
        total[currency] += len(MARKET_MAKERS) * MARKET_MAKER_FUNDS[currency]
    return total


STAFF = (
    DemoStaff("amina.finance", FINANCE_APPROVER),
    DemoStaff("kwesi.finance", FINANCE_APPROVER),
    DemoStaff("lindiwe.office", BACK_OFFICE),
    DemoStaff("samuel.admin", ADMINISTRATOR),
    DemoStaff("zawadi.audit", AUDITOR),
    DemoStaff("neema.support", SUPPORT),
    DemoStaff("imani.credit", CREDIT_OFFICER),
    DemoStaff("sefu.credit", CREDIT_OFFICER),
)
# Approves withdrawals, quotes and what becomes of tokens; proposes the latter; proposes quotes.
APPROVER = "amina.finance"
SECOND_APPROVER = "kwesi.finance"
PROPOSER = "lindiwe.office"
ADMIN = "samuel.admin"
# Approve loan configurations and close loans; lends to members of any organisation.
CREDIT_OFFICERS = ("imani.credit", "sefu.credit")
LENDER = "mtaji"

WITHDRAWALS = _records(DemoWithdrawal, "withdrawals", "shown")
# The sandbox returns payouts to this account after a few seconds: the provider's balance is then
# above the books until two people reverse the payout.
(RETURNED_WITHDRAWAL,) = _records(DemoWithdrawal, "withdrawals", "returned")
# Of an owner who is frozen before it is sent; two people may return it.
(CASE_WITHDRAWAL,) = _records(DemoWithdrawal, "withdrawals", "case")
# A card's money is available after its clearing days. The last two await a decision.
PAYMENTS = _records(DemoPayment, "payments", "shown")
# The first is charged back after a part was passed on.
CASE_PAYMENTS = _records(DemoPayment, "payments", "case")
CASE_DEPOSIT = CASE_PAYMENTS[0]
