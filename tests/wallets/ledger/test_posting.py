"""The services' way into the ledger: accounts opened together, and what a refusal names."""

from decimal import Decimal
from uuid import UUID

import pytest

from exchange.core.ids import uuid7
from tests.assertions.ledger import account_id_of, system_account_id
from tests.factories.wallets import SYSTEM, Wallet, make_wallet, store_bank_list
from wallets.ledger.models import Account, AccountKind, Transfer, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    Posting,
    TransferAlreadyPosted,
    open_account,
    open_accounts,
    post_transfers,
    system_account,
)

pytestmark = pytest.mark.django_db

AVAILABLE, ESCROW, CLEARING = AccountKind.AVAILABLE, AccountKind.ESCROW, AccountKind.CLEARING


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_wallet(1000)


def test_accounts_are_opened_in_the_order_of_owner_asset_and_kind_and_found_again():
    first, second = (make_wallet().organisation.id for _ in range(2))
    in_order: list[tuple[str, AccountKind, UUID | None]] = [
        ("KES", AVAILABLE, first),
        ("KES", ESCROW, first),
        ("NGN", AVAILABLE, first),
        ("NGN", ESCROW, first),
        ("GHS", ESCROW, second),
        ("KES", AVAILABLE, second),
        ("KES", CLEARING, None),
    ]
    existing = system_account("KES", CLEARING)
    opened = open_accounts([*reversed(in_order)])
    assert [*opened] == in_order
    made = [*opened.values()]
    assert (made[:-1], made[-1]) == (sorted(made[:-1]), existing)
    for (asset, kind, organisation), account_id in opened.items():
        account = Account.objects.get(pk=account_id)
        assert (account.asset_id, account.kind, account.organisation_id, account.member_id) == (
            asset, kind, organisation, None,
        )  # fmt: skip
    assert open_accounts(in_order) == opened
    assert open_account("KES", ESCROW, organisation_id=first) == opened["KES", ESCROW, first]


def postings(wallet: Wallet, amount: int, references: list[str]) -> list[Posting]:
    legs = [Leg(account_id_of(wallet), Decimal(amount)), Leg(system_account_id(), Decimal(-amount))]
    return [
        Posting(
            kind=TransferKind.DEPOSIT, reference=each, subject_id=uuid7(), actor=SYSTEM, legs=legs
        )
        for each in references
    ]


@pytest.mark.parametrize(
    ("references", "named"),
    [(["a"], "a"), (["a", "b", "c"], "a, b, c"), (["a", "b", "c", "d"], "a, b, c")],
    ids=["one", "three", "more"],
)
def test_a_refused_set_of_transfers_is_named_by_its_first_three_and_posts_nothing(
    wallet, references, named
):
    before = Transfer.objects.count()
    with pytest.raises(InsufficientFunds) as refused:
        post_transfers(postings(wallet, -1001, references))
    assert str(refused.value) == named
    taken = Transfer.objects.get(kind=TransferKind.DEPOSIT).reference
    with pytest.raises(TransferAlreadyPosted) as refused_again:
        post_transfers(postings(wallet, 5, [*references, taken]))
    assert str(refused_again.value) == ", ".join([*references, taken][:3])
    assert (Transfer.objects.count(), wallet.balance()) == (before, 1000)


def test_no_transfers_are_posted_without_asking_the_database(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert post_transfers([]) == []
