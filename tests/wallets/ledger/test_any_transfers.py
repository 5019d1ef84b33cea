"""Random sequences of transfers: balances equal a Python model and are never negative."""

from contextlib import suppress
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Sum
from hypothesis import given
from hypothesis import strategies as st

from exchange.core.database import violated_constraint
from exchange.core.ids import uuid7
from tests.assertions.ledger import account_id_of, system_account_id
from tests.environment.property_tests import examples
from tests.factories.api_clients import TESTER
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import make_wallet
from wallets.ledger.models import Account, Entry
from wallets.ledger.posting import Leg

pytestmark = pytest.mark.django_db

FUNDS = Decimal(500)
amounts = st.decimals("0.01", "600", places=2) | st.sampled_from([FUNDS, Decimal("500.01")])
# The first one is the exchange's, the only one that may fall below zero.
places = st.integers(0, 3)
transfers = st.lists(
    st.tuples(places, places, places, amounts, st.decimals("0", "1", places=2)).filter(
        lambda legs: len(set(legs[:3])) == 3
    ),
    min_size=1,
    max_size=20,
)


class _Undo(Exception):
    """Takes back what a sequence did."""


@pytest.mark.standalone
@examples("LEDGER", 15)
@given(transfers)
def test_transfers_move_their_amounts_or_nothing(sequence):
    """Each is from one account to two others, of which the second gets a part."""
    with suppress(_Undo), transaction.atomic():
        accounts = [system_account_id(), *(account_id_of(make_wallet(FUNDS)) for _ in range(3))]
        # What the exchange's own accounts hold is summed up from their entries, not kept.
        model = dict.fromkeys(accounts[1:], FUNDS)
        for payer, first, second, amount, share in sequence:
            part = (amount * share).quantize(Decimal("0.01"))
            moves = zip((payer, first, second), (-amount, amount - part, part), strict=True)
            legs = {accounts[place]: moved for place, moved in moves}
            if payer == 0 or model[accounts[payer]] >= amount:
                made = post(legs)
                model = {account: model[account] + legs.get(account, 0) for account in model}
                rows = Entry.objects.filter(transfer_id=made)
                assert rows.aggregate(sum=Sum("amount"))["sum"] == 0
            else:
                with pytest.raises(IntegrityError) as refused, transaction.atomic():
                    post(legs)
                assert violated_constraint(refused.value) == "account_balance_not_negative"
            found = Account.objects.filter(id__in=model)
            assert dict(found.values_list("id", "balance")) == model
        for account, balance in model.items():
            moved = Entry.objects.filter(account_id=account).aggregate(sum=Sum("amount"))["sum"]
            assert moved == balance
        raise _Undo


def post(legs: dict[UUID, Decimal]) -> UUID:
    return post_unjustified(
        kind="deposit",
        reference=f"any:{uuid7()}",
        subject_id=None,
        actor=TESTER,
        legs=[Leg(account, moved) for account, moved in legs.items() if moved],
    )
