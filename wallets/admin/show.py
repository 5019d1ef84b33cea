"""How the admin writes amounts of an asset, and where a withdrawal stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from exchange.admin import show
from wallets.models import AccountKind, Payout, Withdrawal, WithdrawalStatus
from wallets.selectors.concerns import Concern, Level
from wallets.selectors.currencies import currencies

SIGN = "Amounts are positive for what an account normally holds, negative for the opposite."
# The ledger keeps these below zero, against what owners hold and the exchange has earned.
_KEPT_NEGATIVE = frozenset(
    {AccountKind.CLEARING, AccountKind.EXPENSES, AccountKind.ISSUANCE, AccountKind.LOANS}
)


def held(amount: Decimal | None, account_kind: str) -> Decimal | None:
    """An entry or a balance of the ledger as people read it: positive for what an account of this
    kind normally holds.
    """
    return -amount if amount and account_kind in _KEPT_NEGATIVE else amount


def money(amount: Decimal | None, asset: str) -> str:
    """`1,234.50 NGN`; a dash where there is no amount. Token units keep their own decimals."""
    if amount is None:
        return "-"
    facts = currencies().get(asset)
    return show.money(amount, facts.decimals if facts else 0, asset if facts else "units")


RETURNED = "Returned by bank"


def payout_of(withdrawal: Withdrawal) -> Payout | None:
    """The payout, where there is one: a payout begins with the approval."""
    return getattr(withdrawal, "payout", None)


def is_returned(withdrawal: Withdrawal) -> bool:
    """Whether the bank sent the money back and nobody has reversed the payout yet."""
    payout = payout_of(withdrawal)
    return (
        withdrawal.status == WithdrawalStatus.COMPLETED and payout is not None and payout.returned
    )


def state_in_words(withdrawal: Withdrawal) -> str:
    """The status; of a Completed one whose money came back, that."""
    return RETURNED if is_returned(withdrawal) else withdrawal.status


def withdrawal_state(withdrawal: Withdrawal) -> SafeString:
    """The same as a coloured label."""
    return show.state(state_in_words(withdrawal), "bad" if is_returned(withdrawal) else "")


def risk(concerns: Iterable[Concern] | None) -> SafeString | str:
    """How many flags of each level, the gravest first; a dash where they are not known."""
    if concerns is None:
        return "-"
    counted = Counter(concern.level for concern in concerns)
    if not counted:
        return "none"
    tones = {Level.STOP: "bad", Level.LOOK: "waiting"}
    labels = (
        (show.state(f"{level} {counted[level]}", tones[level]),)
        for level in Level
        if counted[level]
    )
    return format_html_join(" ", "{}", labels)
