"""The rows that services lock, and the strength of the locks.

Each call is rolled back, so all tests share the records.
"""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from config.back_office.exports import SOURCES
from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from exchange.core.models import Currency
from exchange.exports import services as exports
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.participants.services import api_keys as access
from exchange.participants.services import members
from exchange.staff.models import StaffUser
from exchange.tokens.models import Quote, Token
from exchange.tokens.services import quotes, tokens
from exchange.tokens.services.quotes import QUOTES, Prices
from tests.environment.row_locks import locked_rows
from tests.exchange.exports.export_factories import NAME, SOURCE, start
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.logins import create_login_user
from tests.factories.tokens import make_token

TABLES = (ApiKey, Currency, Member, Organisation, Quote, StaffUser, Token)


class Records:
    """Two records of each kind: one used by the call, one not."""

    def __init__(self) -> None:
        self.office, self.finance = (
            create_login_user(BACK_OFFICE, "office"),
            create_login_user(FINANCE_APPROVER),
        )
        owner = make_organisation()
        self.member, _ = make_member(owner), make_member(owner)
        self.key, _ = (
            access.issue_api_key(
                organisation=owner, name=name, scopes=["tokens:read"], actor=TESTER
            )[0]
            for name in ("One", "Two")
        )
        self.token, other = make_token(owner), make_token(owner)
        self.prices = Prices(Decimal(101), Decimal(100))
        self.quote, _ = (
            quotes.propose(token_id=token.pk, prices=self.prices, user=self.office, note="New")
            for token in (self.token, other)
        )


@pytest.fixture(scope="module")
def sample(module_rows: None) -> Records:
    return Records()


def locked(act: Callable[[], object]) -> tuple[set[Any], set[Any]]:
    return locked_rows(act, TABLES)


def test_a_call_locks_only_its_own_rows_and_they_can_still_be_referenced(sample: Records):
    token, quote = sample.token.pk, sample.quote.pk
    change = partial(
        members.change_member, member_id=sample.member.pk, name="Eve", email="eve@example.com"
    )
    set_terms = partial(
        tokens.change_terms,
        token_id=token,
        expected_version=tokens.get_version(sample.token),
        user=sample.office,
    )
    decided: dict[str, Any] = {"quote_id": quote}
    for what, act, rows in (
        ("member", partial(change, actor=TESTER), {sample.member.pk}),
        ("terms", partial(set_terms, terms={"name": "New"}), {token}),
        ("no terms", partial(set_terms, terms={}), {token}),
        ("approval", partial(quotes.approve, **decided, user=sample.finance), {token, quote}),
        (
            "rejection",
            partial(quotes.reject, **decided, user=sample.finance, reason="No"),
            {quote},
        ),
        ("a look at a proposal", partial(QUOTES.get_pending, quote), {quote}),
        ("a look without a lock", partial(QUOTES.get_pending, quote, lock=False), set()),
        (
            "a look by who approves",
            partial(QUOTES.get_approvable, quote, sample.finance, lock=False),
            set(),
        ),
    ):
        assert locked(act) == (rows, set()), what


def test_a_key_that_is_rotated_is_locked_without_its_organisation(sample: Records):
    rotate = partial(access.rotate_api_key, key_id=sample.key.pk, actor=TESTER)
    for overlap in (timedelta(0), timedelta(hours=1)):
        rows, _ = locked(partial(rotate, overlap=overlap))
        assert rows == {sample.key.pk}


def test_one_person_requests_one_export_at_a_time(sample: Records, monkeypatch):
    monkeypatch.setitem(SOURCES, NAME, SOURCE)
    monkeypatch.setattr(exports, "DIRECT_ROWS", 0)
    rows, _ = locked(partial(start, sample.finance))
    assert rows == {sample.finance.pk}
