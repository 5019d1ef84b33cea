"""Making a loan: liens and disbursement in one transaction, under the locks of decisions.

Lock order: tokens of the collateral, the configuration, then all accounts by id.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from uuid import UUID

from django.db import transaction

from credit.models import Collateral, Loan, LoanConfiguration
from credit.payloads import collateral_text
from credit.services.assessing import Assessment, LoanRequest, assess, check_form
from credit.services.loan_events import CREATED, tell
from credit.services.valuation import Pledge
from exchange.actors import Actor
from exchange.ids import uuid7
from exchange.models import Member, Token
from wallets.ledger import InsufficientFunds, Leg, open_account, post_transfer, system_account
from wallets.models import AccountKind, TransferKind


def create_loan(
    *,
    organisation_id: UUID,
    request: LoanRequest,
    actor: Actor,
    made_at: dt.datetime | None = None,
) -> Loan:
    """Lends `request.amount` to the member against the pledged units.

    `made_at`: when it was made, for a loan that is taken over from elsewhere; now by default.

    Raises the first refusal of `assess`, or `InvalidRequest`. Nothing moves on a refusal.
    """
    check_form(request)
    with transaction.atomic():
        tokens = lock_tokens(request.collaterals)
        # One loan of a configuration after the other: its limit holds.
        if request.configuration_id is not None:
            offers = LoanConfiguration.objects.select_for_update(no_key=True)
            offers.filter(id=request.configuration_id).first()
        found = assess(request, organisation_id=organisation_id, tokens=tokens, at=made_at)
        if found.refusals:
            raise found.refusals[0]
        try:
            # Undone when it fails: the loan must not count against itself below.
            with transaction.atomic():
                return _make(found, request, actor)
        except InsufficientFunds:
            # Money or units went elsewhere since they were looked at: say which.
            found = assess(request, organisation_id=organisation_id, tokens=tokens, at=made_at)
            if found.refusals:
                raise found.refusals[0] from None
            raise


def lock_tokens(pledges: tuple[Pledge, ...]) -> dict[UUID, Token]:
    """The tokens of `pledges`, locked in the order of their ids: their prices stand still."""
    ids = [pledge.token_id for pledge in pledges]
    locked = Token.objects.select_for_update(no_key=True).filter(id__in=ids).order_by("id")
    return {token.id: token for token in locked}


def lien_legs(member: Member, pledges: tuple[Pledge, ...], *, release: bool = False) -> list[Leg]:
    """Legs that take units from a member's available into lien, or back."""
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


def _make(found: Assessment, request: LoanRequest, actor: Actor) -> Loan:
    loan = _row(found, request, actor)
    loan.save(force_insert=True)
    member, tokens = loan.borrower, found.tokens or {}
    Collateral.objects.bulk_create(
        Collateral(
            loan=loan,
            token_id=pledge.token_id,
            position=position,
            quantity=pledge.quantity,
            pledged_price=tokens[pledge.token_id].price_sell,
        )
        for position, pledge in enumerate(request.collaterals, start=1)
    )
    money = loan.currency_id
    creditor = {"organisation_id": loan.creditor_id}
    post_transfer(
        kind=TransferKind.LOAN_DISBURSE,
        reference=f"loan:{loan.id}:disburse",
        subject_id=loan.id,
        actor=actor,
        memo=request.reason[:300],
        legs=[
            *lien_legs(member, request.collaterals),
            Leg(open_account(money, AccountKind.AVAILABLE, **creditor), -loan.amount),
            Leg(
                open_account(
                    money,
                    AccountKind.AVAILABLE,
                    organisation_id=member.organisation_id,
                    member_id=member.id,
                ),
                loan.amount,
            ),
            Leg(open_account(money, AccountKind.PRINCIPAL, **creditor), loan.amount),
            Leg(system_account(money, AccountKind.LOANS), -loan.amount),
        ],
    )
    loan.refresh_from_db()
    tell(loan, CREATED)
    return loan


def _row(found: Assessment, request: LoanRequest, actor: Actor) -> Loan:
    member, configuration, version = found.member, found.configuration, found.version
    if member is None or configuration is None or version is None or found.repayment_date is None:
        raise RuntimeError("an assessment without refusals is complete")
    return Loan(
        id=uuid7(),
        borrower=member,
        organisation_id=member.organisation_id,
        creditor_id=configuration.creditor_id,
        configuration=configuration,
        version=version,
        currency_id=request.currency,
        amount=request.amount,
        repayment_amount=request.repayment_amount,
        repayment_date=found.repayment_date,
        interest_rate=version.interest_rate,
        collateral_ratio=version.collateral_ratio,
        duration=int(request.duration),
        grace_period=version.grace_period,
        grace_period_unit=version.grace_period_unit,
        interest_repaid=Decimal(0),
        principal_repaid=Decimal(0),
        reason=request.reason,
        bank_name=request.bank_name,
        bank_code=request.bank_code,
        account_number=request.account_number,
        requested_by=str(actor),
        created_at=found.at,
        updated_at=found.at,
        collateral_text=collateral_text(
            ((found.tokens or {})[pledge.token_id], pledge.quantity)
            for pledge in request.collaterals
        ),
    )
