"""Review flags of a withdrawal: facts that call for caution before approval.

Critical: the bank's account name does not match the name provided; another organisation uses the
account; the latest payouts to it failed or were returned; the requesting key or the organisation
was deactivated since. Review: the payee is not the wallet owner; the bank returned no name where
the currency supports it; nothing was ever paid to the account; another member of the organisation
uses it; the amount exceeds three times the largest one paid; five or more requests in 24 hours.
Apps above add flags through `flag_sources`.

`services.decisions` requires a written reason to approve a withdrawal with a critical flag. The
number of statements does not grow with the number of withdrawals.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import TextChoices

from exchange.core.currencies import format_money, resolves_names
from exchange.core.ids import parse_id
from exchange.participants.models import ApiKey
from wallets.banks.name_matching import NameMatch, compare_names
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.review_facts import AccountUse, ReviewFacts, load_review_facts

_MANY_PER_DAY = 5
_UNUSUAL_MULTIPLE = 3


class FlagLevel(TextChoices):
    """Severity of a flag. The value is stored with decisions, the label is shown."""

    CRITICAL = "Stop", "Critical"
    REVIEW = "Look", "Review"


@dataclass(frozen=True, slots=True)
class ReviewFlag:
    """One flag. `code` stays the same while the words, with their counts and amounts, change."""

    code: str
    level: FlagLevel
    text: str

    @property
    def tone(self) -> str:
        """The class of `exchange/admin.css`."""
        return "bad" if self.level is FlagLevel.CRITICAL else "waiting"

    def __str__(self) -> str:
        return f"{self.level.label}: {self.text}"


# What apps above know of the owners of withdrawals, by the withdrawal's id.
flag_sources: list[Callable[[Collection[Withdrawal]], Mapping[UUID, Sequence[ReviewFlag]]]] = []


def name_match(withdrawal: Withdrawal) -> NameMatch | None:
    """How well the name given matches the bank's; None when the bank told no name."""
    bank = withdrawal.bank
    return compare_names(bank.given_name, bank.account_name) if bank.name_resolved else None


def review_flags(
    withdrawals: Collection[Withdrawal], facts: Mapping[UUID, ReviewFacts] | None = None
) -> dict[UUID, list[ReviewFlag]]:
    """The flags of each withdrawal, now: what to stop at first, then what to look at.

    `facts` are those of `scrutinise`, where the caller has them.
    """
    if not withdrawals:
        return {}
    if facts is None:
        facts = load_review_facts([withdrawal.pk for withdrawal in withdrawals])
    keys = requesting_keys(withdrawals)
    more = [known(withdrawals) for known in flag_sources]
    found = {}
    for withdrawal in withdrawals:
        own = [
            *_requester_flags(withdrawal, keys.get(withdrawal.requested_by)),
            *_name_flags(withdrawal),
            *_account_flags(withdrawal, facts[withdrawal.pk].use),
            *_amount_flags(withdrawal, facts[withdrawal.pk]),
            *(flag for known in more for flag in known.get(withdrawal.pk, ())),
        ]
        found[withdrawal.pk] = sorted(own, key=lambda one: list(FlagLevel).index(one.level))
    return found


def critical_flags(flags: Iterable[ReviewFlag]) -> list[ReviewFlag]:
    """Those that need a written reason to be overridden."""
    return [flag for flag in flags if flag.level is FlagLevel.CRITICAL]


def serialize_flags(flags: Iterable[ReviewFlag]) -> list[dict[str, str]]:
    """What a decision keeps of its flags."""
    return [{"code": one.code, "level": one.level.value, "text": one.text} for one in flags]


def deserialize_flags(flags: Iterable[Mapping[str, str]] | None) -> list[ReviewFlag]:
    """The flags that a decision kept; none of one that kept none."""
    return [
        ReviewFlag(flag["code"], FlagLevel(flag["level"]), flag["text"]) for flag in flags or ()
    ]


def requesting_keys(withdrawals: Iterable[Withdrawal]) -> dict[str, ApiKey]:
    """The API keys that asked for `withdrawals`, by `requested_by`."""
    asked = {withdrawal.requested_by.partition(":") for withdrawal in withdrawals}
    ids = {parse_id(key_id) for kind, _, key_id in asked if kind == "api_key"} - {None}
    keys = ApiKey.objects.filter(pk__in=ids) if ids else ()
    return {f"api_key:{key.pk}": key for key in keys}


def _requester_flags(withdrawal: Withdrawal, key: ApiKey | None) -> Iterator[ReviewFlag]:
    if not withdrawal.organisation.active:
        yield ReviewFlag(
            "organisation_inactive", FlagLevel.CRITICAL, "The organisation is not active."
        )
    if key is not None and key.revoked_at is not None:
        yield ReviewFlag(
            "key_revoked", FlagLevel.CRITICAL, f"The API key that asked, {key.name}, is revoked."
        )


def _name_flags(withdrawal: Withdrawal) -> Iterator[ReviewFlag]:
    match = name_match(withdrawal)
    if match is None:
        if resolves_names(withdrawal.currency_id):
            yield ReviewFlag(
                "name_not_told", FlagLevel.REVIEW, "The bank did not tell the name of the account."
            )
    elif not match.agrees:
        yield ReviewFlag(
            "names_differ",
            FlagLevel.CRITICAL,
            f"The bank knows the account as {withdrawal.bank.account_name}, the name given is"
            f" {withdrawal.bank.given_name}: {match.label}.",
        )
    owner, payee = str(withdrawal.member or withdrawal.organisation), withdrawal.bank.account_name
    match = compare_names(owner, payee)
    # Either may say more than the other: a middle name that only one of them has.
    if not (match.agrees or compare_names(payee, owner).agrees):
        yield ReviewFlag(
            "payee_not_owner",
            FlagLevel.REVIEW,
            f"Payee is not the owner: the wallet is of {owner}, the account of {payee}:"
            f" {match.label}.",
        )


def _account_flags(withdrawal: Withdrawal, use: AccountUse) -> Iterator[ReviewFlag]:
    if use.other_organisations:
        yield ReviewFlag(
            "account_of_other_organisations",
            FlagLevel.CRITICAL,
            f"Withdrawals of {_count_noun(use.other_organisations, 'other organisation')} go to the"
            " same account.",
        )
    elif use.other_owners:
        yield ReviewFlag(
            "account_of_other_owners",
            FlagLevel.REVIEW,
            f"{_count_noun(use.other_owners, 'other owner')} of {withdrawal.organisation}"
            f" {'withdraws' if use.other_owners == 1 else 'withdraw'} to the same account.",
        )
    if use.bounced and use.bounced >= use.paid:
        yield ReviewFlag(
            "payouts_came_back",
            FlagLevel.CRITICAL,
            f"{_count_noun(use.bounced, 'earlier payout')} to this account failed or came back.",
        )
    if not use.earlier:
        yield ReviewFlag(
            "account_first_used",
            FlagLevel.REVIEW,
            "This owner uses this account for the first time.",
        )
    elif not use.paid:
        yield ReviewFlag(
            "account_never_paid",
            FlagLevel.REVIEW,
            f"Nothing was ever paid to this account for this owner, out of"
            f" {_count_noun(use.earlier, 'earlier request')}.",
        )


def _amount_flags(withdrawal: Withdrawal, facts: ReviewFacts) -> Iterator[ReviewFlag]:
    if (
        facts.largest_paid is not None
        and withdrawal.amount > facts.largest_paid * _UNUSUAL_MULTIPLE
    ):
        yield ReviewFlag(
            "much_larger",
            FlagLevel.REVIEW,
            f"More than {_UNUSUAL_MULTIPLE} times the largest amount paid from this wallet before,"
            f" {format_money(facts.largest_paid, withdrawal.currency_id)}.",
        )
    day = facts.owner_day
    if day.count >= _MANY_PER_DAY:
        yield ReviewFlag(
            "many_a_day",
            FlagLevel.REVIEW,
            f"{day.count} requests of this owner within 24 hours, together"
            f" {format_money(day.amount, withdrawal.currency_id)}.",
        )


def _count_noun(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
