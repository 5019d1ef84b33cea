"""Add collateral to an open loan, and release collateral it no longer needs."""

from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import F

from credit.loans.models import ClosureAction, ClosureStatus, Collateral, Loan
from credit.loans.payloads import collateral_text
from credit.loans.services.assessing import (
    MAX_COLLATERALS,
    check_collateral,
    check_frozen,
    pledges_error,
)
from credit.loans.services.facts import read_facts
from credit.loans.services.lending import (
    borrower_account,
    lien_legs,
    lock_collateral,
    lock_tokens,
)
from credit.loans.services.loan_events import (
    COLLATERAL_ADDED,
    COLLATERAL_RELEASED,
    emit_loan_event,
)
from credit.loans.services.repaying import lock_open_loan, require_cash
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import (
    Pledge,
    cash_value,
    lending_value,
    open_collateral,
    principal_owed,
    value_collateral,
)
from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from exchange.core.ids import uuid7
from exchange.core.numbers import decimals_error, format_plain, round_half_even
from exchange.tokens.selectors.tokens import require_recorded
from wallets.freezes.services import lock_owners
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import InsufficientFunds, Leg, post_transfer


def add_collateral(
    *, loan_id: UUID, organisation_id: UUID, pledges: tuple[Pledge, ...], actor: Actor
) -> Loan:
    """Pledge more units of the borrower. Raises the collateral errors of loan creation, and
    `AccountFrozen`.
    """
    with transaction.atomic():
        found = Loan.objects.filter(pk=loan_id, organisation_id=organisation_id)
        lock_owners(*found.values_list("borrower_id", flat=True))
        lock_tokens(pledges)
        loan = lock_open_loan(loan_id, organisation_id)
        facts = read_facts(
            organisation_id=organisation_id,
            member_id=loan.borrower_id,
            configuration_id=None,
            currency=loan.currency_id,
            token_ids=[pledge.token_id for pledge in pledges],
        )
        tokens = facts.tokens_by_id()
        errors = check_collateral(
            pledges,
            tokens,
            member_known=facts.member,
            currency=loan.currency_id,
            categories=loan.version.investment_categories,
        )
        for error in (*errors, *check_frozen(facts)):
            raise error
        rows = {row.token_id: row for row in Collateral.objects.filter(loan=loan)}
        if len(rows.keys() | {pledge.token_id for pledge in pledges}) > MAX_COLLATERALS:
            raise InvalidRequest(f"A loan can have at most {MAX_COLLATERALS} collaterals")
        position = max((row.position for row in rows.values()), default=0)
        for pledge in pledges:
            row = rows.get(pledge.token_id)
            if row is None:
                position += 1
                row = Collateral(
                    loan=loan,
                    token_id=pledge.token_id,
                    position=position,
                    quantity=0,
                    pledged_price=tokens[pledge.token_id].price_sell,
                )
            row.quantity += pledge.quantity
            row.save()
        return _move_units(loan, pledges, actor, TransferKind.LOAN_PLEDGE)


def release_collateral(
    *,
    loan_id: UUID,
    organisation_id: UUID,
    actor: Actor,
    pledges: tuple[Pledge, ...] = (),
    cash: Decimal = Decimal(0),
) -> Loan:
    """Release units and cash that are not needed to cover the outstanding principal.

    Raises `Rejected` (`insufficient_collateral`, `price_unavailable`, `not_pledged`,
    `insufficient_cash_collateral`), `StateConflict` while a liquidation is pending, and as above.
    """
    if (pledges or not cash) and (problem := pledges_error(pledges)):
        raise problem
    with transaction.atomic():
        # Prices must not change while the rest is valued.
        lock_collateral(loan_id)
        loan = lock_open_loan(loan_id, organisation_id)
        _require_no_pending_liquidation(loan)
        require_recorded(pledge.token_id for pledge in pledges)
        rows = {row.token_id: row for row, _token in open_collateral(loan)}
        for pledge in pledges:
            row = rows.get(pledge.token_id)
            if row is None:
                raise Rejected("A token in collaterals is not pledged", code="not_pledged")
            if row.quantity < pledge.quantity:
                raise Rejected(
                    f"{format_plain(row.quantity)} units of {row.token.symbol} are pledged,"
                    f" requested: {format_plain(pledge.quantity)}",
                    code="not_pledged",
                )
            row.quantity -= pledge.quantity
        decimals = currencies()[loan.currency_id].decimals
        wrong = decimals_error(cash, decimals) if cash >= 0 else "must not be below 0"
        if wrong:
            raise InvalidRequest(f"cash_collateral {wrong}")
        require_cash(loan, cash)
        loan.cash_collateral -= cash
        rest = value_collateral((row.token, row.quantity) for row in rows.values() if row.quantity)
        if rest.value is None:
            raise Rejected(rest.problem, code="price_unavailable")
        left = rest.value + cash_value(loan)
        if lending_value(left, loan.collateral_ratio) < principal_owed(loan):
            value = round_half_even(left, decimals)
            raise Rejected(
                f"The remaining collateral would be worth {format_plain(value)} {loan.currency_id},"
                f" too little for the {format_plain(principal_owed(loan))} owed"
                f" at a collateral ratio of {format_plain(loan.collateral_ratio)}",
                code="insufficient_collateral",
            )
        for pledge in pledges:
            rows[pledge.token_id].save(update_fields=["quantity"])
        return _move_units(loan, pledges, actor, TransferKind.LOAN_RELEASE, cash)


def receive_income(loan_id: UUID, cash: Decimal, *, token_id: UUID, units: Decimal) -> None:
    """Add what units paid to the cash collateral; `units` of the token were taken back for it.

    The caller has locked the loan, and moves money and units in the same transaction.
    """
    loan = Loan.objects.get(pk=loan_id)
    loan.cash_collateral += cash
    if units:
        rows = Collateral.objects.filter(loan=loan, token_id=token_id)
        rows.update(quantity=F("quantity") - units)
        loan.collateral_text = _collateral_text(loan)
    loan.save(update_fields=["cash_collateral", "collateral_text"])


def _collateral_text(loan: Loan) -> str:
    return collateral_text((token, row.quantity) for row, token in open_collateral(loan))


def _require_no_pending_liquidation(loan: Loan) -> None:
    """Keep the collateral of a pending liquidation in place until it is decided."""
    if loan.closure_proposals.filter(
        status=ClosureStatus.PENDING, action=ClosureAction.LIQUIDATE
    ).exists():
        raise StateConflict(
            "A liquidation of this loan is pending:"
            " collateral cannot be released until it is decided"
        )


def _move_units(
    loan: Loan,
    pledges: tuple[Pledge, ...],
    actor: Actor,
    kind: TransferKind,
    cash: Decimal = Decimal(0),
) -> Loan:
    legs = lien_legs(loan.borrower, pledges, release=kind == TransferKind.LOAN_RELEASE)
    if cash:
        legs += [
            Leg(borrower_account(loan, AccountKind.LIEN), -cash),
            Leg(borrower_account(loan, AccountKind.AVAILABLE), cash),
        ]
    try:
        post_transfer(
            kind=kind,
            reference=f"loan:{loan.id}:{kind}:{uuid7()}",
            subject_id=loan.id,
            actor=actor,
            legs=legs,
        )
    except InsufficientFunds as error:
        raise Rejected(
            "The units are no longer available. Check the holding and try again",
            code="insufficient_units",
        ) from error
    loan.collateral_text = _collateral_text(loan)
    loan.save(update_fields=["collateral_text", "cash_collateral"])
    loan.refresh_from_db()
    revalue_collateral(loan)
    released = kind == TransferKind.LOAN_RELEASE
    moved = ",".join(
        f'{{"token_id":"{pledge.token_id}","quantity":{format_plain(pledge.quantity)}}}'
        for pledge in pledges
    )
    emit_loan_event(
        loan,
        COLLATERAL_RELEASED if released else COLLATERAL_ADDED,
        f',"{"released" if released else "added"}":{{"collaterals":[{moved}],'
        f'"cash_collateral":{format_plain(cash)}}}',
    )
    return loan
