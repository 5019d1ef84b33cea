"""What is paid next, in schedules and holdings, and the words of what was paid."""

from __future__ import annotations

import csv
import io
from datetime import UTC
from typing import Any

import pytest
from django.utils import timezone
from pypdf import PdfReader

from credit.distributions.models import Distribution
from credit.distributions.services import drafting, funding, paying, recording
from exchange.core.timestamps import wire_time
from tests.factories.api_clients import make_caller
from tests.factories.distributions import (
    DAY,
    Holding,
    approve,
    at,
    interest_terms,
    issuer_of,
    make_distribution,
    make_due,
    make_holding,
    make_scheduled,
    make_terms,
)
from tests.factories.tokens import give_units
from tests.factories.wallets import Wallet, make_member_wallet
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db


class Reader:
    """The organisation of the member that holds 400 units."""

    def __init__(self, held: Holding) -> None:
        self.caller = make_caller(organisation=held.member.organisation)
        self.token, self.member = held.token.pk, held.member.member_id

    def read(self, path: str, **query: str) -> Any:
        response = self.caller.get(path, query)
        assert response.status_code == 200
        return response.json()["data"]

    def next_of_schedule(self) -> tuple[Any, Any]:
        return following(self.read(f"/v1/api/token/{self.token}/schedule"))

    def next_of_holding(self) -> tuple[Any, Any]:
        (held,) = self.read(f"/v1/api/members/{self.member}/tokens")["tokens"]
        return following(held)


def following(record: dict[str, Any]) -> tuple[Any, Any]:
    return record["next_record_at"], record["next_payment_date"]


def test_the_next_period_is_shown_before_it_is_announced_and_then_what_is_announced():
    held = make_scheduled(10)
    reader = Reader(held)
    ends = (timezone.now() + 10 * DAY).date()
    assert reader.next_of_schedule() == (f"{ends}T00:00:00.000Z", str(ends))
    assert reader.next_of_holding() == (None, None)
    # An earlier dividend comes first.
    made = make_distribution(held.token, terms=make_terms(held.token))
    announced = (wire_time(made.record_at), str(made.payment_date))
    assert reader.next_of_schedule() == reader.next_of_holding() == announced


def test_between_record_and_payment_the_next_payment_is_that_of_the_record():
    # Its only period ended today at 00:00 UTC.
    held = make_scheduled(0)
    reader = Reader(held)
    assert reader.next_of_schedule() == reader.next_of_holding() == (None, None)
    made = make_distribution(held.token, "Recorded")
    later = make_distribution(
        held.token, terms=make_terms(held.token, record_at=timezone.now() + 30 * DAY)
    )
    wanted = (wire_time(later.record_at), str(made.payment_date))
    assert reader.next_of_schedule() == reader.next_of_holding() == wanted
    Wallet(held.token.issuer).fund(2_000, "NGN")
    funding.fund(
        distribution_id=made.pk, organisation_id=held.token.issuer_id, actor=issuer_of(held.token)
    )
    assert reader.next_of_holding() == wanted
    paying.pay(made.pk)
    wanted = (wire_time(later.record_at), str(later.payment_date))
    assert reader.next_of_schedule() == reader.next_of_holding() == wanted


def test_the_next_distributions_are_listed_by_their_record():
    held = make_holding()
    days = (30, 10, 20)
    made = {
        day: make_distribution(
            held.token, terms=make_terms(held.token, record_at=timezone.now() + day * DAY)
        )
        for day in days
    }
    query = {"token": str(held.token.pk), "status": "Announced", "sort": "record_at"}
    found = Reader(held).read("/v1/api/distributions", **query)["distributions"]
    assert [each["_id"] for each in found] == [str(made[day].pk) for day in sorted(days)]


def spoken(day: Any) -> str:
    return f"{day.day} {day:%B %Y}"


def test_income_is_said_in_words_in_the_wallet_and_in_every_form_of_the_statement():
    held = make_holding(symbol="RVTN")
    make_distribution(held.token, "Paid", interest_terms(held.token))
    paid = Distribution.objects.get()
    day = paid.record_at.astimezone(UTC)
    words = f"Interest of RVTN, 92 days to {spoken(day)}, 400 units"
    reader = Reader(held)
    (income, *others) = reader.read(f"/v1/api/members/{reader.member}/wallet/transactions")[
        "transactions"
    ]
    assert (income["type"], income["description"]) == ("distribution_pay", words)
    assert {each["description"] for each in others} == {None}
    period = {"currency": "NGN", "from": wire_time(timezone.now() - DAY)}
    period["to"] = wire_time(timezone.now())
    path = f"/v1/api/members/{reader.member}/statement"
    assert reader.read(path, **period)["movements"][-1]["description"] == words
    table = reader.caller.get(path, {**period, "format": "csv"}).content.decode("utf-8-sig")
    assert words in [row["Details"] for row in csv.DictReader(io.StringIO(table))]
    printed = PdfReader(io.BytesIO(reader.caller.get(path, {**period, "format": "pdf"}).content))
    assert words in " ".join(printed.pages[0].extract_text().split())
    # The issuer reads what it paid for.
    issuer = make_caller(organisation=held.token.issuer)
    found = issuer.get("/v1/api/wallet/transactions").json()["data"]["transactions"]
    assert found[0]["description"] == f"Interest of RVTN, 92 days to {spoken(day)}"


def test_words_name_the_period_of_a_schedule_where_its_record_has_moved():
    held = make_scheduled(2, symbol="RVTN")
    drafting.draft_due()
    made = approve(Distribution.objects.get())
    ends = (timezone.now() + 2 * DAY).date()
    assert made.record_at > at(ends)
    assert str(made) == f"Interest of RVTN, 90 days to {spoken(ends)}"
    assert recording.record(make_due(made).pk)
    Wallet(held.token.issuer).fund(3_000, "NGN")
    funding.fund_due()
    paying.pay_due()
    memos = Transfer.objects.filter(kind="distribution_pay").values_list("memo", flat=True)
    assert set(memos) == {f"{made}, {units} units" for units in (400, 250, 50)}


def test_a_dividend_names_its_day_and_one_unit_is_a_unit():
    held = make_holding(symbol="RVTN")
    single = make_member_wallet(currency="NGN")
    give_units(held.token, single, 1)
    made = make_distribution(held.token, "Paid")
    assert str(made) == f"Dividend of RVTN, {spoken(made.record_at.astimezone(UTC))}"
    paid = Transfer.objects.get(kind="distribution_pay", entries__account__owner_id=single.owner_id)
    assert paid.memo == f"{made}, 1 unit"
