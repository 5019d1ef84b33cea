"""The peer's loan service: the same locks, rules and rows as ours.

It has no ledger guards, documents, idempotency or access lists, and its accounts exist beforehand,
so it does less.
"""

from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from credit.loans.dates import add_months
from tests.benchmarks.peers.orm_loans.models import (
    Account,
    Collateral,
    Entry,
    Event,
    Limit,
    Loan,
    Member,
    Offer,
    Token,
    Transfer,
)

CENT = Decimal("0.01")
OPEN = ["ACTIVE", "OVERDUE", "DEFAULTED"]
QUOTES_HOLD = timedelta(days=30)
Key = tuple[UUID | None, str, str]


class Rejected(Exception):
    """The loan violates a rule."""


def lend(
    *,
    organisation_id: UUID,
    member_id: UUID,
    offer_id: UUID,
    currency: str,
    amount: Decimal,
    repayment: Decimal,
    rate: Decimal,
    months: int,
    pledges: list[tuple[UUID, Decimal]],
) -> Loan:
    """Make the loan, with units liened and money disbursed."""
    with transaction.atomic():
        wanted = [token_id for token_id, _ in pledges]
        locked = Token.objects.select_for_update().filter(id__in=wanted).order_by("id")
        tokens = {token.id: token for token in locked}
        offer = Offer.objects.select_for_update(of=("self",)).select_related("creditor")
        offer = offer.get(id=offer_id)
        member = Member.objects.select_related("organisation").get(
            id=member_id, organisation=organisation_id
        )
        _check_terms(offer, organisation_id, currency, amount, repayment, rate, months)
        value = _check_tokens(offer, tokens, currency, pledges)
        if value * offer.collateral_ratio < amount:
            raise Rejected("insufficient_collateral")
        accounts = _locked_accounts(member, offer.creditor_id, currency, pledges)
        for token_id, quantity in pledges:
            if accounts[member.id, str(token_id), "available"].balance < quantity:
                raise Rejected("insufficient_units")
        if accounts[offer.creditor_id, currency, "available"].balance < amount:
            raise Rejected("creditor_insufficient_balance")
        now = timezone.now()
        loan: Loan = Loan.objects.create(
            borrower=member,
            organisation=member.organisation,
            creditor=offer.creditor,
            offer=offer,
            currency=currency,
            amount=amount,
            repayment_amount=repayment,
            repayment_date=add_months(now, months),
            interest_rate=offer.interest_rate,
            collateral_ratio=offer.collateral_ratio,
            duration=months,
            grace_period=offer.grace_period,
            requested_by="benchmark",
            created_at=now,
        )
        collaterals = Collateral.objects.bulk_create(
            [
                Collateral(
                    loan=loan,
                    token=tokens[token_id],
                    position=position,
                    quantity=quantity,
                    pledged_price=tokens[token_id].price_sell,
                )
                for position, (token_id, quantity) in enumerate(pledges, start=1)
            ]
        )
        _post(loan, accounts, pledges)
        _emit(loan, collaterals)
    return loan


def _check_terms(
    offer: Offer,
    organisation_id: UUID,
    currency: str,
    amount: Decimal,
    repayment: Decimal,
    rate: Decimal,
    months: int,
) -> None:
    own = offer.creditor_id == organisation_id
    if offer.status != "Approved" or not (own or offer.access == "public"):
        raise Rejected("loan_configuration_not_found")
    limit = Limit.objects.get(offer=offer, currency=currency)
    if amount > limit.max_amount:
        raise Rejected("amount_above_maximum")
    if limit.max_outstanding is not None:
        owed = Loan.objects.filter(offer=offer, currency=currency, status__in=OPEN)
        out = owed.aggregate(total=Sum(F("amount") - F("principal_repaid")))["total"]
        if (out or 0) + amount > limit.max_outstanding:
            raise Rejected("outstanding_above_maximum")
    if not 1 <= months <= offer.duration:
        raise Rejected("duration_not_offered")
    if rate != offer.interest_rate:
        raise Rejected("interest_rate_differs")
    most = (amount * (1 + offer.interest_rate * months)).quantize(CENT, ROUND_HALF_EVEN)
    if not amount <= repayment <= most or (not own and repayment != most):
        raise Rejected("repayment_differs")


def _check_tokens(
    offer: Offer,
    tokens: dict[UUID, Token],
    currency: str,
    pledges: list[tuple[UUID, Decimal]],
) -> Decimal:
    value = Decimal(0)
    for token_id, quantity in pledges:
        token = tokens[token_id]
        if token.deal_access != "Public" or token.cancelled or token.exited:
            raise Rejected("token_not_found")
        if token.category not in offer.categories or token.currency != currency:
            raise Rejected("category_not_allowed")
        if timezone.now() - token.quoted_at > QUOTES_HOLD:
            raise Rejected("price_unavailable")
        value += token.price_sell * quantity
    return value


def _locked_accounts(
    member: Member, creditor_id: UUID, currency: str, pledges: list[tuple[UUID, Decimal]]
) -> dict[Key, Account]:
    assets = [currency, *(str(token_id) for token_id, _ in pledges)]
    wanted = Account.objects.filter(owner__in=[member.id, creditor_id], asset__in=assets)
    found = {(a.owner, a.asset, a.kind): a for a in wanted.select_for_update().order_by("id")}
    loans = Account.objects.get(owner=None, asset=currency, kind="loans")
    return {**found, (None, currency, "loans"): loans}


def _post(loan: Loan, accounts: dict[Key, Account], pledges: list[tuple[UUID, Decimal]]) -> None:
    creditor, borrower, money = loan.creditor_id, loan.borrower_id, loan.currency
    legs: dict[Key, Decimal] = {
        (creditor, money, "available"): -loan.amount,
        (borrower, money, "available"): loan.amount,
        (creditor, money, "principal"): loan.amount,
        (None, money, "loans"): -loan.amount,
    }
    for token_id, quantity in pledges:
        legs[borrower, str(token_id), "available"] = -quantity
        legs[borrower, str(token_id), "lien"] = quantity
    transfer = Transfer.objects.create(
        kind="loan_disburse",
        reference=f"loan:{loan.id}:disburse",
        subject=loan.id,
        actor="benchmark",
    )
    Entry.objects.bulk_create(
        [Entry(transfer=transfer, account=accounts[key], amount=n) for key, n in legs.items()]
    )
    for key, amount in legs.items():
        account = accounts[key]
        if account.owner is not None:
            account.balance += amount
            account.save(update_fields=["balance"])


def _emit(loan: Loan, collaterals: list[Collateral]) -> None:
    member = loan.borrower
    user = {"_id": str(member.id), "name": member.name, "email": member.email}
    for organisation, shown in ((loan.organisation, user), (loan.creditor, None)):
        data = {"loan": _as_json(loan, collaterals), "user": shown}
        body = {"type": "loan.created", "data": data}
        Event.objects.create(type="loan.created", organisation=organisation, body=body)


def _as_json(loan: Loan, collaterals: list[Collateral]) -> dict[str, Any]:
    return {
        "id": str(loan.id),
        "borrower": str(loan.borrower_id),
        "creditor": str(loan.creditor_id),
        "amount": float(loan.amount),
        "currency": loan.currency,
        "repayment_amount": float(loan.repayment_amount),
        "repayment_date": loan.repayment_date.isoformat(),
        "interest_rate": float(loan.interest_rate),
        "duration": loan.duration,
        "status": loan.status,
        "grace_period": loan.grace_period,
        "created_at": loan.created_at.isoformat(),
        "updated_at": loan.updated_at.isoformat(),
        "collaterals": [
            {
                "name": row.token.name,
                "token_id": str(row.token_id),
                "quantity": float(row.quantity),
            }
            for row in collaterals
        ],
    }
