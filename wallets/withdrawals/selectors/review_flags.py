"""Review flags of a withdrawal: facts that call for caution before approval.

Critical: the owner is frozen; the bank's account name does not match the name provided; another
organisation uses the account; the latest payouts to it failed or were returned; the requesting key
or the organisation was deactivated since. Review: the owner owes an amount; the payee is not the
wallet owner; the bank returned no name where the currency supports it, or another one than before;
nothing was ever paid to the account; a name has letters that look like Latin ones; another member
of the organisation uses it; the amount exceeds three times the largest one paid; five or more
requests in 24 hours. Apps above add flags through `flag_sources`.

`services.decisions` requires a written reason to approve a withdrawal with a critical flag. The
number of statements does not grow with the number of withdrawals.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import TextChoices

from exchange.core.currencies import format_money, resolves_names
from exchange.core.ids import parse_id
from exchange.core.text import find_lookalikes
from exchange.participants.models import ApiKey
from wallets.banks.name_matching import NameMatch, compare_names, names_agree
from wallets.freezes.errors import AccountFrozen, ReceivableDue
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.review_facts import AccountUse, ReviewFacts, load_review_facts

_MANY_PER_DAY = 5
_UNUSUAL_MULTIPLE = 3


class FlagLevel(TextChoices):
    """Severity of a flag. Stored with decisions and shown."""

    CRITICAL = "Critical"
    REVIEW = "Review"


@dataclass(frozen=True, slots=True)
class ReviewFlag:
    """Flag of a withdrawal. `code` is stable; `text` contains counts and amounts."""

    code: str
    level: FlagLevel
    text: str

    @property
    def tone(self) -> str:
        """CSS class of the level."""
        return "bad" if self.level is FlagLevel.CRITICAL else "waiting"

    def __str__(self) -> str:
        return f"{self.level.label}: {self.text}"


# Functions of other apps that return flags by withdrawal id.
flag_sources: list[Callable[[Collection[Withdrawal]], Mapping[UUID, Sequence[ReviewFlag]]]] = []


def name_match(withdrawal: Withdrawal) -> NameMatch | None:
    """Return the match of name provided and bank's name; None if the bank returned no name."""
    bank = withdrawal.bank
    return compare_names(bank.provided_name, bank.account_name) if bank.name_resolved else None


def review_flags(
    withdrawals: Collection[Withdrawal], facts: Mapping[UUID, ReviewFacts] | None = None
) -> dict[UUID, list[ReviewFlag]]:
    """Return the current flags of each withdrawal, critical ones first.

    `facts` are those of `load_review_facts`, where the caller has them.
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
            *_block_flags(withdrawal, facts[withdrawal.pk]),
            *_requester_flags(withdrawal, keys.get(withdrawal.requested_by)),
            *_name_flags(withdrawal),
            *_account_flags(withdrawal, facts[withdrawal.pk].use),
            *_amount_flags(withdrawal, facts[withdrawal.pk]),
            *(flag for known in more for flag in known.get(withdrawal.pk, ())),
        ]
        found[withdrawal.pk] = sorted(own, key=lambda one: list(FlagLevel).index(one.level))
    return found


def critical_flags(flags: Iterable[ReviewFlag]) -> list[ReviewFlag]:
    """Return the flags that require a reason to override."""
    return [flag for flag in flags if flag.level is FlagLevel.CRITICAL]


def is_frozen(flags: Iterable[ReviewFlag]) -> bool:
    """Return whether the owner is frozen, so that no reason overrides the flag."""
    return any(flag.code == AccountFrozen.code for flag in flags)


def serialize_flags(flags: Iterable[ReviewFlag]) -> list[dict[str, str]]:
    """Return the flags as stored with a decision."""
    return [{"code": one.code, "level": one.level.value, "text": one.text} for one in flags]


def deserialize_flags(flags: Iterable[Mapping[str, str]] | None) -> list[ReviewFlag]:
    """Return the flags stored with a decision."""
    return [
        ReviewFlag(flag["code"], FlagLevel(flag["level"]), flag["text"]) for flag in flags or ()
    ]


def requesting_keys(withdrawals: Iterable[Withdrawal]) -> dict[str, ApiKey]:
    """Return the API keys that requested `withdrawals`, by `requested_by`."""
    asked = {withdrawal.requested_by.partition(":") for withdrawal in withdrawals}
    ids = {parse_id(key_id) for kind, _, key_id in asked if kind == "api_key"} - {None}
    keys = ApiKey.objects.filter(pk__in=ids) if ids else ()
    return {f"api_key:{key.pk}": key for key in keys}


def _block_flags(withdrawal: Withdrawal, facts: ReviewFacts) -> Iterator[ReviewFlag]:
    if facts.freeze_reason is not None:
        yield ReviewFlag(
            AccountFrozen.code,
            FlagLevel.CRITICAL,
            f"The account is frozen: {facts.freeze_reason.rstrip('.')}.",
        )
    if facts.owed:
        owed = format_money(facts.owed, withdrawal.currency_id)
        yield ReviewFlag(
            ReceivableDue.code,
            FlagLevel.REVIEW,
            f"The owner owes {owed} after a chargeback. The payout waits until it is repaid.",
        )


def _requester_flags(withdrawal: Withdrawal, key: ApiKey | None) -> Iterator[ReviewFlag]:
    if not withdrawal.organisation.active:
        yield ReviewFlag(
            "organisation_inactive", FlagLevel.CRITICAL, "The organisation is not active."
        )
    if key is not None and key.revoked_at is not None:
        yield ReviewFlag(
            "key_revoked", FlagLevel.CRITICAL, f"The requesting API key, {key.name}, is revoked."
        )


def _name_flags(withdrawal: Withdrawal) -> Iterator[ReviewFlag]:
    match = name_match(withdrawal)
    if match is None:
        if resolves_names(withdrawal.currency_id):
            yield ReviewFlag(
                "name_not_returned", FlagLevel.REVIEW, "Bank returned no account name."
            )
    elif not match.agrees:
        yield ReviewFlag(
            "name_mismatch",
            FlagLevel.CRITICAL,
            f"The account name at the bank is {withdrawal.bank.account_name}, the name provided"
            f" {withdrawal.bank.provided_name}: {match.label}.",
        )
    owner, payee = str(withdrawal.member or withdrawal.organisation), withdrawal.bank.account_name
    names = dict.fromkeys((owner, payee, withdrawal.bank.provided_name))
    if found := {name: letters for name in names if (letters := find_lookalikes(name))}:
        mixed = "; ".join(f"{name} ({letters})" for name, letters in found.items())
        yield ReviewFlag(
            "lookalike_letters",
            FlagLevel.REVIEW,
            f"Letters of another script look like Latin ones: {mixed}.",
        )
    if not names_agree(owner, payee):
        match = compare_names(owner, payee)
        yield ReviewFlag(
            "payee_not_owner",
            FlagLevel.REVIEW,
            f"Payee is not the wallet owner. Owner: {owner}; payee: {payee}; match: {match.label}.",
        )


def _account_flags(withdrawal: Withdrawal, use: AccountUse) -> Iterator[ReviewFlag]:
    if use.other_organisations:
        yield ReviewFlag(
            "account_shared_across_organisations",
            FlagLevel.CRITICAL,
            f"Account shared with {_count_noun(use.other_organisations, 'other organisation')}.",
        )
    elif use.other_owners:
        yield ReviewFlag(
            "account_shared_within_organisation",
            FlagLevel.REVIEW,
            f"Account shared with {_count_noun(use.other_owners, 'other owner')} of"
            f" {withdrawal.organisation}.",
        )
    now, before = withdrawal.bank.account_name, use.earlier_name
    if withdrawal.bank.name_resolved and before and not names_agree(before, now):
        yield ReviewFlag(
            "account_name_changed",
            FlagLevel.REVIEW,
            f"The bank now calls this account {now}; before it was {before}.",
        )
    if use.bounced and use.bounced >= use.paid:
        yield ReviewFlag(
            "earlier_payouts_failed",
            FlagLevel.CRITICAL,
            f"{_count_noun(use.bounced, 'earlier payout')} to this account failed or returned.",
        )
    if not use.earlier:
        yield ReviewFlag(
            "account_first_use",
            FlagLevel.REVIEW,
            "First withdrawal of this owner to this account.",
        )
    elif not use.paid:
        yield ReviewFlag(
            "account_never_paid",
            FlagLevel.REVIEW,
            "One earlier request of this owner to this account was not paid."
            if use.earlier == 1
            else f"{use.earlier} earlier requests of this owner to this account were not paid.",
        )


def _amount_flags(withdrawal: Withdrawal, facts: ReviewFacts) -> Iterator[ReviewFlag]:
    if (
        facts.largest_paid is not None
        and withdrawal.amount > facts.largest_paid * _UNUSUAL_MULTIPLE
    ):
        yield ReviewFlag(
            "unusual_amount",
            FlagLevel.REVIEW,
            f"More than {_UNUSUAL_MULTIPLE} times the largest previous payout from this wallet,"
            f" {format_money(facts.largest_paid, withdrawal.currency_id)}.",
        )
    day = facts.owner_day
    if day.count >= _MANY_PER_DAY:
        yield ReviewFlag(
            "daily_count",
            FlagLevel.REVIEW,
            f"{day.count} requests of this owner within 24 hours, total"
            f" {format_money(day.amount, withdrawal.currency_id)}.",
        )


def _count_noun(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
