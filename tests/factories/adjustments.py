"""Adjusting entries by two people, and breaks that two people explained."""

from decimal import Decimal
from typing import Any

from exchange.staff.models import StaffUser
from tests.factories.breaks import make_break
from tests.factories.wallets import make_staff
from wallets.adjustments.models import AdjustedAccount, AdjustingEntry, AdjustmentKind, Direction
from wallets.adjustments.services import AdjustmentTerms, confirm_adjustment, propose_adjustment
from wallets.reconciliation.models import ReconciliationBreak
from wallets.reconciliation.services import explanations

WHY = "The bank's statement of the day has it"


def bookkeeper() -> StaffUser:
    """Return a new person who may propose and confirm adjusting entries."""
    return make_staff("adjust_books")


def entry_terms(amount: str | int | Decimal = 100, **changes: Any) -> AdjustmentTerms:
    """Return terms of a bank charge in KES."""
    values: dict[str, Any] = {
        "kind": AdjustmentKind.BANK_CHARGE,
        "currency": "KES",
        "account": AdjustedAccount.EXPENSES,
        "direction": Direction.LESS,
        "note": WHY,
    }
    return AdjustmentTerms(amount=Decimal(amount), **values | changes)


def break_terms(
    found: ReconciliationBreak, amount: str | int | Decimal, **changes: Any
) -> AdjustmentTerms:
    """Return terms that book an amount of a break as expense, or as income."""
    less = (found.difference or 0) < 0
    values: dict[str, Any] = {
        "kind": AdjustmentKind.EXPLAINED_BREAK,
        "currency": found.currency_id,
        "account": AdjustedAccount.EXPENSES if less else AdjustedAccount.FEES,
        "direction": Direction.LESS if less else Direction.MORE,
        "settles": found,
    }
    return entry_terms(amount, **values | changes)


def adjust(terms: AdjustmentTerms) -> AdjustingEntry:
    """Propose an entry and confirm it as another person."""
    proposed = propose_adjustment(terms=terms, user=bookkeeper())
    return confirm_adjustment(entry_id=proposed.pk, user=bookkeeper(), reason=WHY)


def explain_and_close(found: ReconciliationBreak) -> ReconciliationBreak:
    """Explain a break and close it as another person."""
    explained = explanations.explain_break(
        break_id=found.pk, explanation=WHY, user=make_staff("decide_break")
    )
    explanations.close_break(explanation_id=explained.pk, user=make_staff("decide_break"))
    found.refresh_from_db()
    return found


def make_explained_break(difference: str = "-250000.55", **values: Any) -> ReconciliationBreak:
    """Make a break that two people explained."""
    return explain_and_close(make_break(difference, **values))
