"""Status labels and flag badges of withdrawals."""

from collections import Counter
from collections.abc import Iterable

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from exchange.admin import display
from wallets.withdrawals.models import Payout, Withdrawal, WithdrawalStatus
from wallets.withdrawals.selectors.review_flags import FlagLevel, ReviewFlag

RETURNED = "Returned by bank"


def get_payout(withdrawal: Withdrawal) -> Payout | None:
    """Return the payout, if the withdrawal was approved."""
    return getattr(withdrawal, "payout", None)


def is_returned(withdrawal: Withdrawal) -> bool:
    """Return whether the bank returned the payout and it is not reversed yet."""
    payout = get_payout(withdrawal)
    return (
        withdrawal.status == WithdrawalStatus.COMPLETED and payout is not None and payout.returned
    )


def status_label(withdrawal: Withdrawal) -> str:
    """Return the status, or "Returned by bank" for a returned payout."""
    return RETURNED if is_returned(withdrawal) else withdrawal.status


def withdrawal_badge(withdrawal: Withdrawal) -> SafeString:
    """Return the status label as a coloured badge."""
    return display.status_badge(status_label(withdrawal), "bad" if is_returned(withdrawal) else "")


def risk_badges(flags: Iterable[ReviewFlag] | None) -> SafeString | str:
    """Return the number of flags by level, most severe first; "-" if unknown."""
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
