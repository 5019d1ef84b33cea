"""Ids of a loan's entries, transfers and accounts are in the order of time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from exchange.core.ids import first_id_at
from tests.factories.lending import make_lending
from wallets.ledger.models import Account, Entry, Transfer

pytestmark = pytest.mark.django_db


def test_every_entry_of_a_loan_is_found_by_the_time_of_its_id():
    before = set(Account.objects.values_list("id", flat=True))
    began = first_id_at(timezone.now() - timedelta(seconds=5))
    make_lending().lend()
    ended = first_id_at(timezone.now() + timedelta(seconds=5))
    for model in (Account, Transfer, Entry):
        ids = set(model.objects.values_list("id", flat=True)) - before
        assert {made.version for made in ids} == {7}
        assert all(began < made < ended for made in ids)
    loan = Transfer.objects.get(kind="loan_disburse")
    assert loan.entries.count() == 6  # money, principal, the books of loans; units
