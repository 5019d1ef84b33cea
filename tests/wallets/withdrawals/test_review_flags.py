"""Review flags, at the limits of each rule."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.participants.models import ApiKey, Member, Organisation
from tests.factories.api_clients import make_caller
from tests.factories.wallets import make_member_wallet, store_bank_list
from wallets.banks.models import BankAccount
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors import review_flags
from wallets.withdrawals.selectors.review_facts import AccountUse, RequestTotals, ReviewFacts
from wallets.withdrawals.selectors.review_flags import FlagLevel, ReviewFlag

pytestmark = pytest.mark.django_db

UNUSED: dict[str, Any] = {
    "earlier": 1,
    "paid": 1,
    "bounced": 0,
    "other_owners": 0,
    "other_organisations": 0,
}


def withdrawal_of(*, active: bool = True, currency: str = "KES", **bank: object) -> Withdrawal:
    """Build a withdrawal of 300 that Ada Obi requested, to her own account."""
    given = {"account_name": "Ada Obi", "provided_name": "Ada Obi", "name_resolved": True}
    return Withdrawal(
        organisation=Organisation(name="Acme", active=active),
        member=Member(name="Ada Obi"),
        currency_id=currency,
        amount=Decimal(300),
        bank=BankAccount(**given | bank),
    )


def texts_of(found: object) -> list[str]:
    return [str(one) for one in found]  # type: ignore[attr-defined]


def test_an_inactive_requester_is_flagged_critical():
    good, revoked = ApiKey(name="Backend"), ApiKey(name="Old", revoked_at=timezone.now())
    for key in (None, good):
        assert texts_of(review_flags._requester_flags(withdrawal_of(), key)) == []
    assert texts_of(review_flags._requester_flags(withdrawal_of(active=False), revoked)) == [
        "Critical: The organisation is not active.",
        "Critical: The requesting API key, Old, is revoked.",
    ]


def test_only_the_requesting_keys_are_returned():
    requesting, _ = make_caller().key, make_caller().key
    by = f"api_key:{requesting.pk}"
    withdrawals = [
        Withdrawal(requested_by=who) for who in (by, f"staff:{requesting.pk}", "api_key:x", "")
    ]
    assert review_flags.requesting_keys(withdrawals) == {by: requesting}
    assert review_flags.requesting_keys(withdrawals[1:]) == {}


@pytest.mark.parametrize(
    ("currency", "bank", "flags"),
    [
        ("KES", {}, []),
        ("KES", {"name_resolved": False}, []),
        ("NGN", {"name_resolved": False}, [
            "Review: Bank returned no account name.",
        ]),
        ("NGN", {"provided_name": "Ada Bello"}, [
            "Critical: The account name at the bank is Ada Obi, the name provided Ada Bello:"
            " partly: 1 of 2 words.",
        ]),
        ("KES", {"account_name": "Ada Chi Obi", "name_resolved": False}, []),
        ("KES", {"account_name": "Bola", "name_resolved": False}, [
            "Review: Payee is not the wallet owner. Owner: Ada Obi; payee: Bola; match:"
            " different.",
        ]),
    ],
)  # fmt: skip
def test_conflicting_names_are_flagged(currency, bank, flags):
    assert texts_of(review_flags._name_flags(withdrawal_of(currency=currency, **bank))) == flags


@pytest.mark.parametrize(
    ("use", "flags"),
    [
        ({}, []),
        ({"other_organisations": 1, "other_owners": 2}, [
            "Critical: Account shared with 1 other organisation.",
        ]),
        ({"other_organisations": 2}, [
            "Critical: Account shared with 2 other organisations.",
        ]),
        ({"other_owners": 1}, ["Review: Account shared with 1 other owner of Acme."]),
        ({"other_owners": 2}, ["Review: Account shared with 2 other owners of Acme."]),
        ({"bounced": 1, "paid": 2, "earlier": 3}, []),
        ({"bounced": 2, "paid": 2, "earlier": 4}, [
            "Critical: 2 earlier payouts to this account failed or returned.",
        ]),
        ({"earlier": 0, "paid": 0}, ["Review: First withdrawal of this owner to this account."]),
        ({"earlier": 2, "paid": 0}, [
            "Review: 2 earlier requests of this owner to this account were not paid.",
        ]),
    ],
)  # fmt: skip
def test_account_use_is_flagged(use, flags):
    assert (
        texts_of(review_flags._account_flags(withdrawal_of(), AccountUse(**UNUSED | use))) == flags
    )


@pytest.mark.parametrize(
    ("largest", "count", "flags"),
    [
        (None, 0, []),
        (Decimal(100), 4, []),
        (Decimal("99.99"), 4, [
            "Review: More than 3 times the largest previous payout from this wallet, 99.99 KES.",
        ]),
        (None, 5, ["Review: 5 requests of this owner within 24 hours, total 1,500.00 KES."]),
    ],
)  # fmt: skip
def test_a_large_amount_and_many_requests_are_flagged(largest, count, flags):
    day = RequestTotals(count, Decimal(300) * count)
    facts = ReviewFacts(AccountUse(**UNUSED), day, largest)
    assert texts_of(review_flags._amount_flags(withdrawal_of(), facts)) == flags


def test_flags_are_stored_and_restored_unchanged():
    stop, look = (
        ReviewFlag("a", FlagLevel.CRITICAL, "Halt."),
        ReviewFlag("b", FlagLevel.REVIEW, "See."),
    )
    assert (stop.tone, look.tone) == ("bad", "waiting")
    assert review_flags.critical_flags([look, stop]) == [stop]
    assert review_flags.deserialize_flags(review_flags.serialize_flags([look, stop])) == [
        look,
        stop,
    ]
    assert review_flags.deserialize_flags(None) == []
    assert review_flags.review_flags([]) == {}


def test_flags_follow_the_given_facts_and_critical_ones_come_first(monkeypatch):
    known = ReviewFlag("known", FlagLevel.CRITICAL, "Known above.")
    found = withdrawal_of(active=False, currency="NGN", name_resolved=False)
    monkeypatch.setattr(review_flags, "flag_sources", [lambda _: {found.pk: [known]}, lambda _: {}])
    facts = ReviewFacts(
        AccountUse(**UNUSED | {"earlier": 0}), RequestTotals(5, Decimal(1500)), Decimal(1)
    )
    codes = [flag.code for flag in review_flags.review_flags([found], {found.pk: facts})[found.pk]]
    assert codes == [
        "organisation_inactive", "known",
        "name_not_returned", "account_first_use", "unusual_amount", "daily_count",
    ]  # fmt: skip


def test_flags_follow_current_facts_when_none_are_given():
    store_bank_list()
    wallet = make_member_wallet(5000)
    first, second = wallet.request(500), wallet.request(500, account="0690000045")
    flags = review_flags.review_flags([first, second])
    assert {pk: [flag.code for flag in found] for pk, found in flags.items()} == {
        first.pk: ["account_first_use"],
        second.pk: ["account_first_use"],
    }
