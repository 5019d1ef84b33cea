"""The few facts about a withdrawal that should make whoever decides stop, or look twice.

Stop: the bank's name for the account speaks against the name given; the account is also used by
another organisation; the last payouts to it came back; the key that asked, or the organisation,
was switched off since. Look: the name could not be checked although it can be for the currency;
nothing was paid to the account before; another member of the same organisation uses it; the
amount is more than three times the largest paid before; five or more requests within 24 hours.
Apps above add what they know of an owner through `more_concerns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from exchange.models import ApiKey
from wallets.admin.show import money
from wallets.models import Withdrawal
from wallets.names import Degree, NameMatch, compare_names
from wallets.selectors.scrutiny import AccountUse, Velocity
from wallets.services.banks import needs_name

_MANY_A_DAY = 5
_MUCH_LARGER = 3


class Level(StrEnum):
    """How much a concern weighs; the word stands before its text."""

    STOP = "Stop"
    LOOK = "Look"


@dataclass(frozen=True, slots=True)
class Concern:
    """One line at the top of the review page."""

    level: Level
    text: str

    @property
    def tone(self) -> str:
        """The class of `exchange/admin.css`."""
        return "bad" if self.level is Level.STOP else "waiting"


# What apps above know of the owner of a withdrawal.
more_concerns: list[Callable[[Withdrawal], Iterable[Concern]]] = []


def name_match(withdrawal: Withdrawal) -> NameMatch | None:
    """How well the name given matches the bank's; None when the bank told no name."""
    bank = withdrawal.bank
    return compare_names(bank.given_name, bank.account_name) if bank.name_resolved else None


def match_tone(match: NameMatch | None) -> str:
    """The class of `exchange/admin.css` for a match; its words always stand there too."""
    if match is None:
        return "waiting"
    if match.degree is Degree.DIFFERENT:
        return "bad"
    return "good" if match.agrees else "waiting"


def match_in_words(match: NameMatch | None) -> str:
    """What stands on one side only, and what is nearly alike; "" when nothing does."""
    if match is None:
        return "the bank told no name"
    parts = []
    if match.only_first:
        parts.append(f"only in the name given: {' '.join(match.only_first)}")
    if match.only_second:
        parts.append(f"only at the bank: {' '.join(match.only_second)}")
    parts += [f"{ours} and {theirs} are nearly alike" for ours, theirs in match.nearly]
    return "; ".join(parts)


def concerns(
    withdrawal: Withdrawal,
    *,
    key: ApiKey | None,
    use: AccountUse,
    recent: Velocity,
    largest: Decimal | None,
) -> list[Concern]:
    """What to stop at first, then what to look at."""
    found = [
        *_of_requester(withdrawal, key),
        *_of_name(withdrawal),
        *_of_account(withdrawal, use),
        *_of_amount(withdrawal, recent, largest),
        *(concern for known in more_concerns for concern in known(withdrawal)),
    ]
    return sorted(found, key=lambda concern: list(Level).index(concern.level))


def _of_requester(withdrawal: Withdrawal, key: ApiKey | None) -> Iterator[Concern]:
    if not withdrawal.organisation.active:
        yield Concern(Level.STOP, "The organisation is not active.")
    if key is not None and key.revoked_at is not None:
        yield Concern(Level.STOP, f"The API key that asked, {key.name}, is revoked.")


def _of_name(withdrawal: Withdrawal) -> Iterator[Concern]:
    match = name_match(withdrawal)
    if match is None:
        if needs_name(withdrawal.currency_id):
            yield Concern(Level.LOOK, "The bank did not tell the name of the account.")
    elif not match.agrees:
        yield Concern(
            Level.STOP,
            f"The bank knows the account as {withdrawal.bank.account_name}, the name given is"
            f" {withdrawal.bank.given_name}: {match.label}.",
        )


def _of_account(withdrawal: Withdrawal, use: AccountUse) -> Iterator[Concern]:
    if use.other_organisations:
        yield Concern(
            Level.STOP,
            f"Withdrawals of {_counted(use.other_organisations, 'other organisation')} go to the"
            " same account.",
        )
    elif use.other_owners:
        yield Concern(
            Level.LOOK,
            f"{_counted(use.other_owners, 'other owner')} of {withdrawal.organisation}"
            f" {'withdraws' if use.other_owners == 1 else 'withdraw'} to the same account.",
        )
    if use.bounced and use.bounced >= use.paid:
        yield Concern(
            Level.STOP,
            f"{_counted(use.bounced, 'earlier payout')} to this account failed or came back.",
        )
    if not use.earlier:
        yield Concern(Level.LOOK, "This owner uses this account for the first time.")
    elif not use.paid:
        yield Concern(
            Level.LOOK,
            f"Nothing was ever paid to this account for this owner, out of"
            f" {_counted(use.earlier, 'earlier request')}.",
        )


def _of_amount(
    withdrawal: Withdrawal, recent: Velocity, largest: Decimal | None
) -> Iterator[Concern]:
    if largest is not None and withdrawal.amount > largest * _MUCH_LARGER:
        yield Concern(
            Level.LOOK,
            f"More than {_MUCH_LARGER} times the largest amount paid from this wallet before,"
            f" {money(largest, withdrawal.currency_id)}.",
        )
    day = recent.owner_day
    if day.count >= _MANY_A_DAY:
        yield Concern(
            Level.LOOK,
            f"{day.count} requests of this owner within 24 hours, together"
            f" {money(day.amount, withdrawal.currency_id)}.",
        )


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
