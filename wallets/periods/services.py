"""Closing a month: one person proposes its figures, another confirms them, and they are frozen."""

from collections.abc import Callable
from datetime import date
from hashlib import sha256
from uuid import UUID

from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from exchange.core.database import LOCK_NOT_AVAILABLE, fetch_one, sqlstate, violated_constraint
from exchange.core.errors import InvalidRequest, StateConflict
from exchange.pdf.printer import take_printer
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.ledger.models import BooksProof, PeriodClose
from wallets.ledger.periods import Period
from wallets.ledger.selectors.proof import last_full_proof
from wallets.periods.files import to_csv, to_printout
from wallets.periods.selectors import MonthFigures, count_unexplained, read_month

CLOSE = "wallets.close_period"
CLOSES = TwoPersonApproval(
    model=PeriodClose, noun="close", permission=CLOSE, unique_constraint="period_close_once"
)
_NOT_ALLOWED = "You may not close months"
# By what `period_problem` returns.
_PROBLEMS: dict[str, Callable[[Period], str]] = {
    "not_over": lambda period: f"{period} can be closed from one hour after its end",
    "in_use": lambda period: (
        f"A transaction from before the end of {period} is still running. Try again when it has"
        " ended"
    ),
    "gap": lambda period: f"Close {period.previous} first: the ledger has entries from before",
    "proof": lambda period: (
        f"The ledger integrity check failed, or no full one has passed since {period} ended. Run"
        " manage.py prove_books"
    ),
}
_CHANGED = "The figures have changed since they were proposed. Reject this close and propose again"


def propose_close(*, month: date, user: StaffUser) -> PeriodClose:
    """Propose to close the month that begins on `month`, with its figures.

    Raises `Forbidden`, `InvalidRequest`, and `StateConflict` for a month that cannot be closed yet,
    or is closed or proposed already.
    """
    authorize_staff(user, CLOSE, _NOT_ALLOWED)
    if month.day != 1:
        raise InvalidRequest.for_field("month", "Choose the first day of the month")
    period, proof = Period.month_of(month), last_full_proof()
    _require_closable(period, proof)
    csv = to_csv(_read(period, proof, user))
    return CLOSES.propose(
        StateConflict(f"{period} is already closed, or proposed to be"),
        month=month,
        proof=proof,
        csv=csv,
        csv_sha256=sha256(csv).hexdigest(),
        proposed_by=user,
    )


def confirm_close(*, close_id: UUID, user: StaffUser) -> PeriodClose:
    """Close a month as the second person: no transfer is dated into it from now on.

    Raises `Forbidden`, `NotFound`, `Rejected` (`approver_not_independent`), `PrinterBusy`, and
    `StateConflict` where it cannot be closed now, or its figures are no longer those proposed.
    """
    authorize_staff(user, CLOSE, _NOT_ALLOWED)
    close = CLOSES.get_approvable(close_id, user, lock=False)
    period = Period.month_of(close.month)
    _require_closable(period, close.proof)
    with take_printer() as printer:
        figures = _read(period, close.proof, close.proposed_by)
        if to_csv(figures) != bytes(close.csv):
            raise StateConflict(_CHANGED)
        pdf = printer.print(
            to_printout(
                figures,
                confirmed_by=str(user),
                csv_sha256=close.csv_sha256,
                made_at=timezone.now(),
            )
        )
    try:
        with transaction.atomic():
            close = CLOSES.get_approvable(close_id, user)
            files = {"pdf": pdf, "pdf_sha256": sha256(pdf).hexdigest()}
            return CLOSES.close(close, ApprovalStatus.APPROVED, user, **files)
    except DatabaseError as error:
        if sqlstate(error) == LOCK_NOT_AVAILABLE:
            raise StateConflict("Transfers are being posted. Try again in some seconds") from error
        if isinstance(error, IntegrityError) and violated_constraint(error) in _GUARDS:
            raise StateConflict(f"{period} cannot be closed any more. Open it again") from error
        raise


# What may have become untrue since it was checked.
_GUARDS = ("period_closable", "period_breaks_explained")


def reject_close(*, close_id: UUID, reason: str, user: StaffUser) -> PeriodClose:
    """Reject a close; the month stays open. Open to the proposer too. Raises as `confirm`."""
    authorize_staff(user, CLOSE, _NOT_ALLOWED)
    return CLOSES.reject(close_id, user, reason)


def describe_problem(period: Period, proof: BooksProof | None) -> str:
    """Return why the month cannot be closed now; empty if it can."""
    row = fetch_one("SELECT period_problem(%s, %s)", [period.first, proof and proof.pk])
    problem = row[0] if row else None
    if problem is not None:
        return _PROBLEMS[problem](period)
    if count := count_unexplained(period):
        noun = "break" if count == 1 else "breaks"
        return f"Not explained and closed up to the end of {period}: {count} {noun}"
    return ""


def find_changed_files(close: PeriodClose) -> list[str]:
    """Return a warning for each file that is not the one of its hash."""
    files = (("CSV", close.csv, close.csv_sha256), ("PDF", close.pdf, close.pdf_sha256))
    return [
        f"The stored {name} is not the one that was frozen: its SHA-256 is"
        f" {sha256(data or b'').hexdigest()}, not {known or 'known'}"
        for name, data, known in files
        if (data or known) and sha256(data or b"").hexdigest() != known
    ]


def _require_closable(period: Period, proof: BooksProof | None) -> None:
    if problem := describe_problem(period, proof):
        raise StateConflict(problem)


def _read(period: Period, proof: BooksProof | None, proposed_by: StaffUser) -> MonthFigures:
    if proof is None:
        raise StateConflict(_PROBLEMS["proof"](period))
    return read_month(period, proof, str(proposed_by))
