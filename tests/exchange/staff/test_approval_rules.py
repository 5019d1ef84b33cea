"""Approval rules: permission, messages, and closing exactly one proposal."""

from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError
from django.utils import timezone

from config.back_office.roles import AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.core.actors import Actor, ActorKind
from exchange.core.errors import Conflict, Forbidden, NotFound, Rejected, StateConflict
from exchange.core.ids import uuid7
from exchange.staff.approvals import (
    TwoPersonApproval,
    authorize_actor,
    authorize_staff,
    first_error_message,
)
from exchange.staff.models import StaffUser
from exchange.tokens.models import Quote
from exchange.tokens.services import quotes
from exchange.tokens.services.quotes import QUOTES, Prices
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.logins import create_login_user
from tests.factories.staff import backdate_access, backdate_installation, create_staff
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db

DECIDE = "exchange.decide_quote"
NO = "You may not decide"


@pytest.fixture
def office() -> StaffUser:
    return create_login_user(BACK_OFFICE, "office")


@pytest.fixture
def finance() -> StaffUser:
    return create_login_user(FINANCE_APPROVER, "finance")


def with_tenured(people: Collection[UUID | str | None]) -> TwoPersonApproval[Quote]:
    """Quotes of which these count as the first of the two who approve."""
    return replace(QUOTES, tenured_people=lambda _record: people)


def make_quote(office: StaffUser) -> Quote:
    prices = Prices(Decimal(101), Decimal(100))
    return quotes.propose(token_id=make_token().pk, prices=prices, user=office, note="New")


def test_staff_need_the_permission_and_keys_and_the_system_do_not(finance):
    reader = create_login_user(AUDITOR, "aaron")
    actor = authorize_staff(finance, DECIDE, NO)
    assert actor == Actor.staff(finance.pk, "finance")
    for passes in (actor, Actor(ActorKind.API_KEY, str(reader.pk), "key"), Actor.system("demo")):
        authorize_actor(passes, DECIDE, NO)
    for refused in (Actor.staff(reader.pk, "aaron"), Actor.staff(uuid7(), "nobody")):
        with pytest.raises(Forbidden, match=NO):
            authorize_actor(refused, DECIDE, NO)
    new = create_staff("new", "x", FINANCE_APPROVER, skip_cooling_off=False)
    with pytest.raises(Forbidden) as expected:
        authorize_staff(new, DECIDE, NO)
    assert expected.value.code == "cooling_off"


def test_the_first_error_is_returned_and_later_checks_do_not_run():
    asked: list[str] = []

    def passes() -> None:
        asked.append("passes")

    def refuses() -> None:
        asked.append("refuses")
        raise Conflict("Not now")

    assert first_error_message() == ""
    assert first_error_message(passes, passes) == ""
    assert first_error_message(passes, refuses, passes) == "Not now"
    assert asked == ["passes"] * 3 + ["refuses"]


def test_the_blocker_of_each_person_is_described(office, finance):
    quote = make_quote(office)
    new = create_staff("new", "x", FINANCE_APPROVER, skip_cooling_off=False)
    cooling = "Your access was granted or reset recently. You can view everything"
    for user, expected in (
        (finance, ""),
        (office, "Someone other than the proposer must approve this"),
        (new, cooling),
    ):
        assert QUOTES.describe_blocker(quote, user).partition(", and approve from ")[0] == expected
    quotes.reject(quote_id=quote.pk, user=finance, reason="No")
    quote.refresh_from_db()
    over = "Already rejected by finance"
    assert QUOTES.describe_blocker(quote, office) == over
    assert QUOTES.describe_closed(Quote(status="Approved")) == ("Already approved")
    assert QUOTES.describe_closed(Quote(status="Pending")) == ""
    with_words = replace(QUOTES, closed_message=lambda record: f"It is {record.status}")
    assert with_words.describe_closed(quote) == "It is Rejected"
    assert with_words.describe_closed(Quote(status="Pending")) == ""


def test_one_proposal_is_closed_and_no_other(office, finance):
    first, second = make_quote(office), make_quote(office)
    assert set(QUOTES.pending_records()) == {first, second}
    before = timezone.now()
    closed = QUOTES.close(first, "Rejected", finance, reason="No")
    assert closed is first
    stored = Quote.objects.get(pk=first.pk)
    for quote in (first, stored):
        assert (quote.status, quote.decided_by, quote.reason) == ("Rejected", finance, "No")
        assert quote.decided_at is not None
        assert before <= quote.decided_at <= timezone.now()
    assert set(QUOTES.pending_records()) == {second}
    with assert_no_table_changes():
        for record in (stored, Quote(pk=uuid7())):
            with pytest.raises(StateConflict) as refused:
                QUOTES.close(record, "Approved", finance)
            assert refused.value.message == "The quote is no longer Pending"
        with pytest.raises(StateConflict, match=r"^Already rejected by finance$"):
            QUOTES.get_pending(first.pk)
        with pytest.raises(Rejected):
            QUOTES.get_approvable(second.pk, office)
        with pytest.raises(NotFound):
            QUOTES.get(uuid7())
    assert QUOTES.get(first.pk) == first
    assert QUOTES.get_approvable(second.pk, finance) == second
    assert set(Quote.objects.filter(QUOTES.proposed_by(office))) == {first, second}
    assert set(Quote.objects.filter(QUOTES.proposed_by(finance))) == set()


def test_other_integrity_errors_are_not_conflicts(office):
    quote = make_quote(office)
    otherwise = Conflict("Another one waits")
    values: dict[str, Any] = {"buy": 2, "sell": 1, "exchange": 0, "proposed_by": office}
    with pytest.raises(Conflict, match="Another one waits"):
        QUOTES.propose(otherwise, token=quote.token, **values)
    with pytest.raises(IntegrityError, match="quote_"):
        QUOTES.propose(otherwise, token=make_token(), **values | {"buy": -1})


def test_one_of_two_approvers_must_be_tenured(office, finance):
    quote = make_quote(office)
    backdate_installation(days=30)
    for user in (office, finance):
        backdate_access(user, days=2)
    people: tuple[tuple[Collection[UUID | str | None], bool], ...] = (
        ((office.pk,), False),
        ((f"staff:{office.pk}",), False),
        # A command or an API key has proposed it: there is no first person.
        ((None,), True),
        (("system:demo", "api_key:1"), True),
    )
    for first, may in people:
        blocker = with_tenured(first).describe_blocker(quote, finance)
        assert blocker == ("" if may else QUOTES.describe_blocker(quote, finance)), first
    assert QUOTES.describe_blocker(quote, finance).startswith("One of the two approvers must")
    backdate_access(office, days=8)
    assert QUOTES.describe_blocker(quote, finance) == ""
    assert QUOTES.get_approvable(quote.pk, finance) == quote
