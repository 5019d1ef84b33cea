"""What was withheld: by issuer and month with what is remitted, and of a member in a year."""

import csv
import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import AUDITOR, SUPPORT
from credit.distributions.models import Distribution
from credit.distributions.withheld_tax import WithheldTax, read_withheld_tax
from exchange.participants.models import Organisation
from tests.environment.owner import without_guards
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.back_office import signed_in_client
from tests.factories.distributions import (
    Holding,
    interest_terms,
    make_distribution,
    make_holding,
)
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.treasury import move, terms

pytestmark = pytest.mark.django_db
YEAR = 2024
IN_YEAR = datetime(YEAR, 6, 30, tzinfo=UTC)


def make_paid(percent: int, held: Holding | None = None, **more: Any) -> tuple[Holding, Any]:
    """Pay a distribution of an issuer in Nigeria, of which a part is withheld."""
    held = held or make_holding()
    set_tax_facts(held.token.issuer, tax_residence="NG")
    make_rate(percent, **more)
    return held, make_distribution(held.token, "Paid")


def move_payment(made: Distribution, when: datetime) -> None:
    """Move the time at which the incomes of a distribution were paid."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_transfer SET created_at = %s WHERE subject_id IN"
            " (SELECT id FROM credit_income WHERE distribution_id = %s)",
            [when, made.pk],
        )


def facts(row: WithheldTax) -> list[Any]:
    return [row.month, row.issuer_id, row.gross, row.tax, row.remitted, row.outstanding]


def test_a_remittance_pays_what_was_withheld_first():
    first, early = make_paid(10)
    move_payment(early, datetime(YEAR - 1, 12, 31, 23, 59, 59, tzinfo=UTC))
    second, late = make_paid(20)
    move_payment(late, datetime(YEAR, 1, 1, tzinfo=UTC))
    december, january = date(YEAR - 1, 12, 1), date(YEAR, 1, 1)
    issuers = first.token.issuer_id, second.token.issuer_id

    def found() -> list[list[Any]]:
        return [facts(row) for year in (YEAR - 1, YEAR) for row in read_withheld_tax(year)]

    assert found() == [
        [december, issuers[0], 1_750, 175, 0, 175],
        [january, issuers[1], 1_750, 350, 0, 350],
    ]
    move(terms("tax_remittance", 200, currency="NGN"))
    assert found() == [
        [december, issuers[0], 1_750, 175, 175, 0],
        [january, issuers[1], 1_750, 350, 25, 325],
    ]
    move(terms("tax_remittance", 325, currency="NGN", reference="BANK-2"))
    assert [row[-1] for row in found()] == [0, 0]
    assert read_withheld_tax(YEAR + 1) == []


def test_months_issuers_and_currencies_are_rows_of_their_own():
    held, made = make_paid(10)
    moved = datetime(YEAR, 1, 31, 23, tzinfo=UTC)
    move_payment(made, moved)
    shillings = make_holding(currency="UGX")
    Organisation.objects.filter(pk=shillings.token.issuer_id).update(tax_residence="NG")
    other = make_distribution(shillings.token, "Paid")
    move_payment(other, moved)
    # The same issuer a second later in the month, and in the next one.
    make_rate(10, type="Interest")
    interest = make_distribution(held.token, "Paid", interest_terms(held.token))
    move_payment(interest, datetime(YEAR, 2, 1, tzinfo=UTC))
    found = read_withheld_tax(YEAR)
    assert {(row.month.month, row.currency): (row.gross, row.tax) for row in found} == {
        (1, "NGN"): (1_750, 175),
        # Of 62.5 and 12.5 the even shilling.
        (1, "UGX"): (1_750, 174),
        # 10 % of 1,865.20, 1,165.75 and 233.15.
        (2, "NGN"): (Decimal("3264.10"), Decimal("326.42")),
    }


def report(client: Client, **query: Any) -> Any:
    return client.get(reverse("admin:credit_taxrate_withheld"), query)


def test_the_page_and_its_csv():
    held, made = make_paid(10)
    move_payment(made, IN_YEAR)
    move(terms("tax_remittance", 75, currency="NGN"))
    client = signed_in_client(AUDITOR)
    page = report(client, year=YEAR)
    content = page.content.decode()
    for amount in ("1,750.00", "175.00", "75.00", "100.00"):
        assert f"{amount} NGN" in content
    text = report(client, year=YEAR, form="csv").content.decode("utf-8-sig")
    [row, last] = csv.DictReader(io.StringIO(text))
    assert row == {
        "Month (UTC)": "2024-06",
        "Issuer": held.token.issuer.name,
        "Country": "NG",
        "Currency": "NGN",
        "Taxed income": "1750",
        "Withheld": "175",
        "Remitted": "75",
        "Outstanding": "100",
        "Issuer ID": str(held.token.issuer_id),
    }
    assert last["Month (UTC)"].startswith("Complete: 1 row")
    assert "No tax was withheld." in report(client, year=YEAR - 1).content.decode()
    assert "No tax was withheld." in report(client, year="x").content.decode()
    assert report(signed_in_client(SUPPORT)).status_code == 403


def summary_of(caller: Any, member: Any, **query: Any) -> Any:
    return caller.get(f"/v1/api/members/{member}/tax-summary", {"year": YEAR, **query})


@pytest.mark.django_db(transaction=True)
def test_a_member_has_a_summary_of_a_year():
    held, made = make_paid(10)
    member = held.member.member
    assert member is not None
    set_tax_facts(member, tax_residence="KE", tax_id="A0017")
    make_rate(5, type="Interest")
    move_payment(made, IN_YEAR)
    move_payment(make_distribution(held.token, "Paid", interest_terms(held.token)), IN_YEAR)
    other, _ = make_paid(20)
    caller = make_caller(organisation=held.member.organisation)
    found = summary_of(caller, member.pk).json()["data"]
    issuer = {"_id": str(held.token.issuer_id), "name": held.token.issuer.name}
    assert found == {
        "owner": str(member.pk),
        "owner_name": member.name,
        "holder_kind": "person",
        "tax_residence": "KE",
        "tax_id": "A0017",
        "year": YEAR,
        "income": [
            {
                "currency": "NGN",
                "type": "Dividend",
                "gross": 1000,
                "tax": 100,
                "net": 900,
                "issuers": [issuer],
            },
            {
                "currency": "NGN",
                "type": "Interest",
                "gross": 1865.2,
                "tax": 93.26,
                "net": 1771.94,
                "issuers": [issuer],
            },
        ],
        "createdAt": found["createdAt"],
    }
    text = summary_of(caller, member.pk, format="csv").content.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert [row[5:11] for row in rows[1:3]] == [
        ["NGN", "Dividend", "1000", "100", "900", held.token.issuer.name],
        ["NGN", "Interest", "1865.2", "93.26", "1771.94", held.token.issuer.name],
    ]
    assert len(rows) == 3
    assert summary_of(caller, member.pk, year=YEAR - 1).json()["data"]["income"] == []
    # Not the members of others.
    stranger = other.member.member
    assert stranger is not None
    response = summary_of(caller, stranger.pk)
    assert_error(response, 404, "user_not_found")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"year": "25"}, "year must be a year from 2020 to 2100, such as 2025"),
        ({"year": "2101"}, "year must be a year from 2020 to 2100, such as 2025"),
        ({"format": "pdf"}, "format must be one of [json, csv]"),
        (
            {"year": "x", "format": "pdf"},
            "year must be a year from 2020 to 2100, such as 2025; format must be one of [json,"
            " csv]",
        ),
    ],
)
def test_a_summary_needs_a_year_and_a_known_format(query, message):
    held = make_holding()
    caller = make_caller(organisation=held.member.organisation)
    response = summary_of(caller, held.member.member_id, **query)
    assert_error(response, 400, "invalid_request", message)
