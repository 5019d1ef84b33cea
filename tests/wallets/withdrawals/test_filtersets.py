"""Filters of withdrawals: formats of amounts, and the rows found."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from drf_spectacular.drainage import get_override

from exchange.api.filters import AmountFilter, AmountParameter, parse_amount
from exchange.participants.models import Organisation
from tests.factories.api_clients import make_member
from tests.factories.wallets import Wallet, make_wallet, store_bank_list
from wallets.withdrawals.filters import WithdrawalFilters
from wallets.withdrawals.models import Withdrawal


def test_an_amount_is_a_plain_number_up_to_ten_to_the_fifteenth():
    for text in ("0", "1", "90.02", "0.12345678", "1000000000000000", "0000000000000001"):
        assert parse_amount(text) == Decimal(text), text
    for text in (
        *("", "-1", "+1", "1e3", "NaN", "Infinity", " 1", "1.", ".5", "1,000", "\u0661"),
        *("1000000000000000.00000001", "1000000000000001", "00000000000000001", "0.123456789"),
    ):
        assert parse_amount(text) is None, text


def test_a_filter_amount_has_two_decimals_at_most():
    field = AmountParameter(required=False)
    assert field.clean("") is None
    assert field.clean(None) is None
    for text in ("0", "500", "90.0", "90.02", "90.020"):
        assert field.clean(text) == Decimal(text)
    for text, message in (
        ("1e3", "must be a number such as 1000 or 90.02"),
        ("90.025", "must not have more than 2 decimals"),
    ):
        with pytest.raises(ValidationError) as refused:
            field.clean(text)
        assert refused.value.messages == [message]


def test_the_schema_describes_the_amounts():
    assert get_override(AmountFilter, "field") == {
        "type": "number", "minimum": 0, "maximum": 10**15, "multipleOf": 0.01,
    }  # fmt: skip


def filter_withdrawals(**query: str) -> set[Withdrawal]:
    filters = WithdrawalFilters(query, queryset=Withdrawal.objects.all())
    assert filters.is_valid(), filters.errors
    return set(filters.qs)


@pytest.mark.django_db
def test_withdrawals_are_found_by_amount_and_owner():
    store_bank_list()
    wallet: Wallet = make_wallet(1000)
    organisation: Organisation = wallet.organisation
    members = Wallet(organisation, make_member(organisation)).fund(1000).request("200.5")
    own = wallet.request(500)
    for query, rows in (
        ({"owner_model": "organisation"}, {own}),
        ({"owner_model": "user"}, {members}),
        ({"amount_from": "200.5"}, {own, members}),
        ({"amount_from": "200.51"}, {own}),
        ({"amount_to": "500"}, {own, members}),
        ({"amount_to": "499.99"}, {members}),
        ({"owner": str(members.member_id)}, {members}),
        ({"user_id": str(organisation.id)}, set()),
        ({"reference": own.reference}, {own}),
        ({"reference": "x" * 40}, set()),
    ):
        assert filter_withdrawals(**query) == rows, query
    assert not WithdrawalFilters(
        {"reference": "x" * 41}, queryset=Withdrawal.objects.all()
    ).is_valid()
