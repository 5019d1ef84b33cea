"""Proposals to reverse returned payouts, many at once from the list of withdrawals."""

from typing import Any

from wallets.payouts.models import ProposalAction
from wallets.payouts.services import resolutions
from wallets.withdrawals.admin.bulk_rows import ChosenRow
from wallets.withdrawals.admin.show import is_returned
from wallets.withdrawals.models import Withdrawal


def exclude_from_reversal(withdrawal: Any, *_: object) -> str:
    """Return why no reversal can be proposed, or ""; the list has read `open_proposals`."""
    if not is_returned(withdrawal):
        return f"Not returned by the bank: {withdrawal.status}."
    if withdrawal.open_proposals:
        return "Proposed already."
    return ""


def propose_reversal(row: ChosenRow) -> Withdrawal:
    """Propose to reverse one."""
    return resolutions.propose(
        withdrawal_id=row.withdrawal_id,
        action=ProposalAction.REVERSE,
        reason=row.reason,
        proposer=row.user,
    ).withdrawal
