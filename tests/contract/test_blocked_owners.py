"""What blocks an owner, in the records of members and wallets: freezes, and debts with amounts."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from exchange.participants.models import Member, Organisation
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.holds import freeze, lift
from tests.factories.treasury import make_debt
from tests.factories.wallets import Wallet
from tests.factories.withdrawals import exact_json
from wallets.freezes.models import Freeze

pytestmark = pytest.mark.django_db

MEMBERS = "/v1/api/members"
BALANCES = "/v1/api/balances"


def blocks_of(caller: ApiCaller, member: Member) -> tuple[list[Any], list[Any]]:
    """Return the freezes and debts of a member, which its record and the list show alike."""
    record = exact_json(caller.get(f"{MEMBERS}/{member.id}"))["data"]
    listed = exact_json(caller.get(MEMBERS, {"email": member.email}))["data"]["members"]
    assert listed == [record]
    return record["freezes"], record["debts"]


def frozen_currencies(caller: ApiCaller, owner: Member | Organisation) -> list[str]:
    """Return the currencies in which a wallet is frozen; those with an account are listed alike."""
    own = isinstance(owner, Organisation)
    path = "/v1/api/wallet" if own else f"{MEMBERS}/{owner.pk}/wallet"
    shown = {row["currency"]: row["frozen"] for row in exact_json(caller.get(path))["data"]}
    for row in exact_json(caller.get(BALANCES, {"owner": str(owner.pk)}))["data"]["balances"]:
        assert row["frozen"] is shown[row["currency"]]
    return [currency for currency, frozen in shown.items() if frozen]


def shown(*freezes: Freeze) -> list[dict[str, Any]]:
    return [{"_id": str(each.pk), "currency": each.currency_id} for each in freezes]


def test_a_frozen_member_says_what_is_frozen_until_it_is_lifted():
    caller = make_caller()
    ada, other = make_member(caller.organisation), make_member(caller.organisation)
    for owner in (ada, other):
        Wallet(caller.organisation, owner).fund(100, "KES").fund(100, "UGX")
    in_ugx = freeze(ada, "UGX")
    assert blocks_of(caller, ada) == (shown(in_ugx), [])
    assert frozen_currencies(caller, ada) == ["UGX"]
    whole = freeze(ada)
    assert blocks_of(caller, ada) == (shown(in_ugx, whole), [])
    everything = ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"]
    assert frozen_currencies(caller, ada) == everything
    lift(in_ugx)
    assert blocks_of(caller, ada) == (shown(whole), [])
    assert frozen_currencies(caller, ada) == everything
    lift(whole)
    assert (blocks_of(caller, ada), frozen_currencies(caller, ada)) == (([], []), [])
    # Neither another member nor the organisation was ever frozen.
    assert (blocks_of(caller, other), frozen_currencies(caller, other)) == (([], []), [])
    assert frozen_currencies(caller, caller.organisation) == []


def test_the_wallet_of_a_frozen_organisation_says_so_and_its_members_do_not():
    caller = make_caller()
    ada = make_member(caller.organisation)
    for owner in (None, ada):
        Wallet(caller.organisation, owner).fund(100, "NGN").fund(100, "UGX")
    frozen = freeze(caller.organisation, "NGN")
    assert frozen_currencies(caller, caller.organisation) == ["NGN"]
    assert (blocks_of(caller, ada), frozen_currencies(caller, ada)) == (([], []), [])
    lift(frozen)
    assert frozen_currencies(caller, caller.organisation) == []


@pytest.mark.parametrize(
    ("currency", "amount", "repaid", "left"),
    [("KES", "30.05", "10.01", "20.04"), ("UGX", "30", "10", "20")],
)
def test_a_member_with_a_debt_says_how_much_until_it_is_repaid(currency, amount, repaid, left):
    debt = make_debt(amount, currency)
    caller = make_caller(organisation=debt.organisation)
    member = debt.member
    assert member is not None
    wallet = Wallet(caller.organisation, member)
    assert blocks_of(caller, member) == ([], [{"currency": currency, "owed": Decimal(amount)}])
    wallet.fund(repaid, currency)
    assert blocks_of(caller, member) == ([], [{"currency": currency, "owed": Decimal(left)}])
    # Money of another currency repays nothing.
    wallet.fund(100, "NGN")
    assert blocks_of(caller, member) == ([], [{"currency": currency, "owed": Decimal(left)}])
    wallet.fund(left, currency)
    assert blocks_of(caller, member) == ([], [])


def test_a_page_of_blocked_members_takes_as_many_queries_as_one_of_a_single_member():
    debt = make_debt(10)
    caller = make_caller(organisation=debt.organisation)
    member = debt.member
    assert member is not None
    freeze(member, "KES")

    def count_queries(**query: Any) -> int:
        with CaptureQueriesContext(connection) as queries:
            response = caller.get(MEMBERS, query)
        assert response.status_code == 200
        return len(queries)

    one = count_queries(limit=5)
    for _ in range(3):
        freeze(make_member(caller.organisation))
    assert count_queries(limit=5) == one
    assert count_queries(use_cursor="true", limit=5) == one
    # No total is read with a page that is not full.
    assert count_queries(limit=2) == one + 1
    members = exact_json(caller.get(MEMBERS, {"sort": "createdAt", "limit": 4}))["data"]["members"]
    assert [(len(row["freezes"]), len(row["debts"])) for row in members] == [
        (1, 1), (1, 0), (1, 0), (1, 0),
    ]  # fmt: skip
