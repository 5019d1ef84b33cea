"""Where a withdrawal stands, as the admin says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from exchange.admin import display
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.review_flags import FlagLevel, ReviewFlag

RETURNED = "Returned by bank"


def get_payout(withdrawal: Withdrawal) -> Payout | None:
    """The payout, where there is one: a payout begins with the approval."""
    return getattr(withdrawal, "payout", None)


def is_returned(withdrawal: Withdrawal) -> bool:
    """Whether the bank sent the money back and nobody has reversed the payout yet."""
    payout = get_payout(withdrawal)
    return (
        withdrawal.status == WithdrawalStatus.COMPLETED and payout is not None and payout.returned
    )


def status_label(withdrawal: Withdrawal) -> str:
    """The status; of a Completed one whose money came back, that."""
    return RETURNED if is_returned(withdrawal) else withdrawal.status


def withdrawal_badge(withdrawal: Withdrawal) -> SafeString:
    """The same as a coloured label."""
    return display.status_badge(status_label(withdrawal), "bad" if is_returned(withdrawal) else "")


def risk_badges(flags: Iterable[ReviewFlag] | None) -> SafeString | str:
    """How many flags of each level, the gravest first; a dash where they are not known."""
    if flags is None:
        return "-"
    counted = Counter(flag.level for flag in flags)
    if not counted:
        return "none"
    tones = {FlagLevel.CRITICAL: "bad", FlagLevel.REVIEW: "waiting"}
    labels = (
        (display.status_badge(f"{level.label} {counted[level]}", tones[level]),)
        for level in FlagLevel
        if counted[level]
    )
    return format_html_join(" ", "{}", labels)
