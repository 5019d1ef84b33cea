"""Create a loan: liens and disbursement in one transaction.

Two SQL calls: `loan_facts` locks and reads the input of the rules, `make_loan` writes the accepted
loan. Lock order: borrower and creditor, tokens of the collateral, the configuration, then all
accounts by id.
"""

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from django.db import DEFAULT_DB_ALIAS, DatabaseError, transaction

from credit.loans.errors import LoanNotFound
from credit.loans.models import Collateral, Loan, LoanStatus
from credit.loans.payloads import collateral_text
from credit.loans.services.assessing import (
    Assessment,
    LoanRequest,
    assess,
    reference_taken,
    validate_amounts,
)
from credit.loans.services.valuation import Pledge
from exchange.core.actors import Actor
from exchange.core.database import fetch_one, violated_constraint
from exchange.core.errors import Conflict
from exchange.core.ids import uuid7
from exchange.core.numbers import format_plain
from exchange.core.querysets import get_or_raise
from exchange.core.task_notifier import DELIVER_EVENTS, notify_after_commit
from exchange.participants.models import Member
from exchange.tokens.models import Token
from wallets.ledger.errors import closed_error
from wallets.ledger.models import AccountKind
from wallets.ledger.posting import Leg, open_account

_COLUMNS = tuple(field.attname for field in Loan._meta.concrete_fields)
_MAKE_LOAN = "SELECT make_loan(%s::jsonb, %s::uuid[], %s::numeric[], %s::numeric[], %s::uuid[])"


def create_loan(
    *,
    organisation_id: UUID,
    request: LoanRequest,
    actor: Actor,
    made_at: dt.datetime | None = None,
) -> Loan:
    """Create a loan to the member against the pledged units.

    `made_at` is the disbursement time of an imported loan; by default now. Raises the first error
    of `assess`, or `InvalidRequest`; then nothing moves.
    """
    validate_amounts(request)
    try:
        return _create_loan(organisation_id, request, actor, made_at)
    except DatabaseError as error:
        # Another loan with the reference committed after the assessment.
        if violated_constraint(error) == "loan_client_reference_once":
            raise reference_taken(request.references.client_reference) from error
        if (closed := closed_error(error)) is not None:
            raise closed from error
        raise


def _create_loan(
    organisation_id: UUID, request: LoanRequest, actor: Actor, made_at: dt.datetime | None
) -> Loan:
    with transaction.atomic():
        # The lock serialises loans of a configuration, so that its limit holds.
        found = assess(request, organisation_id=organisation_id, at=made_at, lock=True)
        if found.errors:
            raise found.errors[0]
        loan = _write_loan(found, request, organisation_id, actor)
        if loan is None:
            # Money or units were moved since the assessment: find out which.
            found = assess(request, organisation_id=organisation_id, at=made_at)
            if found.errors:
                raise found.errors[0]
            raise Conflict(
                "The balances changed while the loan was created. Try again", code="moved_meanwhile"
            )
        notify_after_commit(DELIVER_EVENTS)
        return loan


def lock_tokens(pledges: tuple[Pledge, ...]) -> dict[UUID, Token]:
    """Lock the tokens of `pledges` in id order, so that their prices cannot change."""
    ids = [pledge.token_id for pledge in pledges]
    locked = Token.objects.select_for_update(no_key=True).filter(id__in=ids).order_by("id")
    return {token.id: token for token in locked}


def lock_collateral(loan_id: UUID) -> None:
    """Lock the tokens pledged for a loan, before the loan itself."""
    held = Collateral.objects.filter(loan_id=loan_id).values_list("token_id", "quantity")
    lock_tokens(tuple(Pledge(token_id, quantity) for token_id, quantity in held))


def lock_loan(**conditions: Any) -> Loan:
    """Return the matching loan, locked. Raises `LoanNotFound`."""
    rows = Loan.objects.select_for_update(of=("self",), no_key=True).select_related("borrower")
    return get_or_raise(rows.filter(**conditions), LoanNotFound)


def lien_legs(member: Member, pledges: tuple[Pledge, ...], *, release: bool = False) -> list[Leg]:
    """Return legs that move units from a member's available account into lien, or back."""
    legs = []
    for pledge in pledges:
        available, lien = (
            open_account(
                str(pledge.token_id),
                kind,
                organisation_id=member.organisation_id,
                member_id=member.id,
            )
            for kind in (AccountKind.AVAILABLE, AccountKind.LIEN)
        )
        quantity = -pledge.quantity if release else pledge.quantity
        legs += [Leg(available, -quantity), Leg(lien, quantity)]
    return legs


def borrower_account(loan: Loan, kind: AccountKind) -> UUID:
    """Return the borrower's account of a kind in the currency of the loan."""
    return open_account(
        loan.currency_id, kind, organisation_id=loan.organisation_id, member_id=loan.borrower_id
    )


def creditor_account(loan: Loan, kind: AccountKind) -> UUID:
    """Return the creditor's account of a kind in the currency of the loan."""
    return open_account(loan.currency_id, kind, organisation_id=loan.creditor_id)


def _write_loan(
    found: Assessment, request: LoanRequest, organisation_id: UUID, actor: Actor
) -> Loan | None:
    """Write the loan; None if a balance was insufficient."""
    loan = _build_loan(found, request, organisation_id, actor)
    tokens = found.tokens or {}
    pledges = request.collaterals
    row = fetch_one(
        _MAKE_LOAN,
        [
            msgspec.json.encode(_columns(loan)).decode(),
            [pledge.token_id for pledge in pledges],
            [pledge.quantity for pledge in pledges],
            [tokens[pledge.token_id].price_sell for pledge in pledges],
            # For the transfer and two events.
            [uuid7() for _ in range(3)],
        ],
    )
    if row is None or row[0] is None:
        return None
    loan.document = row[0]
    loan._state.adding = False
    loan._state.db = DEFAULT_DB_ALIAS
    return loan


def _build_loan(
    found: Assessment, request: LoanRequest, organisation_id: UUID, actor: Actor
) -> Loan:
    offer, version = found.offer, found.version
    member_id, configuration_id = request.user_id, request.configuration_id
    if (
        member_id is None
        or configuration_id is None
        or offer is None
        or version is None
        or found.repayment_date is None
    ):
        raise RuntimeError("an assessment without errors is complete")
    tokens = found.tokens or {}
    return Loan(
        id=uuid7(),
        borrower_id=member_id,
        organisation_id=organisation_id,
        creditor_id=offer.creditor_id,
        configuration_id=configuration_id,
        version_id=version.id,
        currency_id=request.currency,
        amount=request.amount,
        repayment_amount=request.repayment_amount,
        repayment_date=found.repayment_date,
        interest_rate=version.interest_rate,
        collateral_ratio=version.collateral_ratio,
        duration=int(request.duration),
        grace_period=version.grace_period,
        grace_period_unit=version.grace_period_unit,
        status=LoanStatus.ACTIVE,
        interest_repaid=Decimal(0),
        principal_repaid=Decimal(0),
        reason=request.reason,
        bank_name=request.bank_name,
        bank_code=request.bank_code,
        account_number=request.account_number,
        client_reference=request.references.client_reference,
        metadata=request.references.metadata,
        requested_by=str(actor),
        created_at=found.at,
        updated_at=found.at,
        collateral_text=collateral_text(
            (tokens[pledge.token_id], pledge.quantity) for pledge in request.collaterals
        ),
        document="",
    )


def _columns(loan: Loan) -> dict[str, Any]:
    """Return the record by column, decimals in plain notation."""
    found = {name: getattr(loan, name) for name in _COLUMNS}
    return {
        name: format_plain(value) if isinstance(value, Decimal) else value
        for name, value in found.items()
    }
