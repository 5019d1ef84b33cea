"""Tax of income: withheld at the rates and residences of the instant payment starts."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction
from psycopg.errors import CheckViolation, RestrictViolation

from credit.distributions.models import Distribution, Income
from credit.distributions.selectors import read_distribution, read_income
from credit.distributions.services import paying
from exchange.events.models import Event
from tests.assertions.books import failing_checks
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.distributions import (
    Holding,
    held_for,
    interest_terms,
    make_distribution,
    make_holding,
    make_terms,
    redemption_terms,
)
from tests.factories.tax_rates import make_rate, set_tax_facts, today
from tests.factories.treasury import system_balance
from tests.factories.wallets import assert_books_hold, balance_of
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, post_transfer, system_account

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def make_taxed_holding(**token: str) -> Holding:
    """Make a holding of a token whose issuer is resident in Nigeria."""
    held = make_holding(**token)
    set_tax_facts(held.token.issuer, tax_residence="NG")
    return held


def taxes(made: Distribution) -> dict[str, list[Any]]:
    """Return rate, tax and net of each owner."""
    rows = Income.objects.filter(distribution=made)
    found = rows.values_list("owner_id", "tax_rate", "tax", "net")
    return {str(owner): values for owner, *values in found}


def pay_with(held: Holding, made: Distribution) -> dict[str, list[Any]]:
    """Pay, and return rate, tax and net of the member, the organisation and the issuer's member."""
    paying.pay(made.pk)
    made.refresh_from_db()
    found = taxes(made)
    wallets = {"member": held.member, "organisation": held.organisation, "own": held.own_member}
    return {name: found[str(wallet.owner_id)] for name, wallet in wallets.items()}


def test_residence_and_kind_decide_and_the_most_specific_rate_wins():
    held = make_taxed_holding()
    assert held.member.member is not None
    set_tax_facts(held.member.member, tax_residence="KE")
    set_tax_facts(held.organisation.organisation, tax_residence="GH")
    make_rate(10)
    make_rate(15, residence="KE")
    make_rate("7.5", holder_kind="company")
    make_rate(20, residence="GH", holder_kind="person")
    made = make_distribution(held.token, "Funded")
    # 15 % of 1,000. 7.5 % of 625 is 46.875, a tie. 10 % of 125.
    assert pay_with(held, made) == {
        "member": [15, 150, 850],
        "organisation": [Decimal("7.5"), Decimal("46.88"), Decimal("578.12")],
        "own": [10, Decimal("12.5"), Decimal("112.5")],
    }
    assert made.status == "Paid"
    assert [made.gross, made.tax, made.net] == [1_750, Decimal("209.38"), Decimal("1540.62")]
    assert balance_of(held.member.owner_id, "NGN") == 851
    assert balance_of(held.organisation.owner_id, "NGN") == Decimal("579.12")
    assert balance_of(held.own_member.owner_id, "NGN") == Decimal("112.5")
    assert [held_for(), system_balance("tax", "NGN")] == [0, Decimal("209.38")]
    assert_books_hold()


@pytest.mark.parametrize(
    ("rates", "wanted"),
    [
        ([{}], 10),
        ([{}, {"percent": 12, "holder_kind": "company"}], 12),
        ([{}, {"percent": 13, "residence": "GH"}], 13),
        ([{"percent": 12, "holder_kind": "company"}, {"percent": 13, "residence": "GH"}], 13),
        (
            [
                {"percent": 13, "residence": "GH"},
                {"percent": 14, "residence": "GH", "holder_kind": "company"},
            ],
            14,
        ),
        ([{"percent": 12, "holder_kind": "person"}], 0),
        ([{"percent": 13, "residence": "KE"}], 0),
        ([{"issuer_country": "KE"}], 0),
        ([{"type": "Interest"}], 0),
        ([{"valid_from": DAY}], 0),
        ([{}, {"percent": 11}], 11),
        ([{"percent": 11}, {"percent": 12, "valid_from": DAY}], 11),
        ([], 0),
    ],
)
def test_the_rate_that_holds(rates, wanted):
    for rate in rates:
        make_rate(**rate)
    assert rate_of("company", "GH") == wanted


def rate_of(kind: str, residence: str, owner: UUID | None = None) -> Decimal:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tax_rate('Dividend', %s, %s, %s, %s, %s)",
            ["NG", owner, kind, residence, today()],
        )
        return Decimal(cursor.fetchone()[0])


def test_a_rate_of_ones_own_comes_first_until_it_ends():
    held = make_taxed_holding()
    member = held.member.member
    make_rate(14, residence="", holder_kind="person")
    own = make_rate("2.5", owner=member, valid_until=today())
    assert rate_of("person", "", held.member.owner_id) == Decimal("2.5")
    assert rate_of("person", "", held.own_member.owner_id) == 14
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_taxrate SET valid_from = %s, valid_until = %s WHERE id = %s",
            [today() - 9 * DAY, today() - DAY, own.pk],
        )
    assert rate_of("person", "", held.member.owner_id) == 14
    # The one that started last replaces the others of its owner, also after its end.
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_taxrate SET valid_until = %s WHERE id = %s", [today() + DAY, own.pk]
        )
    assert rate_of("person", "", held.member.owner_id) == Decimal("2.5")
    later = make_rate(3, owner=member, valid_until=today())
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_taxrate SET valid_from = %s, valid_until = %s WHERE id = %s",
            [today() - 2 * DAY, today() - DAY, later.pk],
        )
    assert rate_of("person", "", held.member.owner_id) == 14


def test_an_own_rate_of_an_organisation_is_not_its_members():
    held = make_taxed_holding()
    make_rate(10)
    make_rate(1, owner=held.token.issuer, valid_until=today())
    made = make_distribution(held.token, "Funded")
    assert pay_with(held, made)["own"] == [10, Decimal("12.5"), Decimal("112.5")]


@pytest.mark.parametrize(
    ("percent", "wanted"),
    # Of 40, 25 and 5 shillings. Ties: 2.5 and 0.5, then 7.5 and 1.5.
    [(10, [4, 2, 0]), (30, [12, 8, 2])],
)
def test_a_currency_without_decimals_rounds_ties_to_the_even_shilling(percent, wanted):
    held = make_taxed_holding(currency="UGX")
    make_rate(percent)
    terms = make_terms(held.token, amount=Decimal("0.1"))
    made = make_distribution(held.token, "Funded", terms)
    found = pay_with(held, made)
    assert [tax for _, tax, _ in found.values()] == wanted
    assert [net for _, _, net in found.values()] == [
        gross - tax for gross, tax in zip([40, 25, 5], wanted, strict=True)
    ]
    assert system_balance("tax", "UGX") == made.tax == sum(wanted)
    assert_books_hold()


def test_interest_has_a_rate_of_its_own():
    held = make_taxed_holding()
    make_rate(10)
    make_rate(5, type="Interest")
    made = make_distribution(held.token, "Funded", interest_terms(held.token))
    # 5 % of 1,865.20, 1,165.75 and 233.15: 93.26, 58.2875 and 11.6575.
    assert [tax for _, tax, _ in pay_with(held, made).values()] == [
        Decimal("93.26"), Decimal("58.29"), Decimal("11.66"),
    ]  # fmt: skip


def test_principal_is_not_taxed():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT income_tax('Principal', 100, 0, 50, 2), income_tax('Exit', 100, 0, 50, 2),"
            " income_tax('Redemption', 110, 100, 50, 2), income_tax('Redemption', 99, 100, 50, 2)"
        )
        assert cursor.fetchone() == (0, 50, 5, 0)


def test_of_a_redemption_only_what_exceeds_the_principal_is_taxed():
    held = make_taxed_holding()
    make_rate(10, type="Redemption")
    terms = redemption_terms(held.token, amount=Decimal("102.50"))
    made = make_distribution(held.token, "Funded", terms)
    # 10 % of 2.50 on 400, 250 and 50 units.
    assert pay_with(held, made) == {
        "member": [10, 100, 40_900],
        "organisation": [10, Decimal("62.5"), Decimal("25562.5")],
        "own": [10, Decimal("12.5"), Decimal("5112.5")],
    }
    assert_books_hold()


def test_a_rate_and_a_residence_changed_after_funding_hold_and_after_the_start_do_not():
    held = make_taxed_holding()
    member = held.member.member
    assert member is not None
    make_rate(10)
    made = make_distribution(held.token, "Funded")
    assert made.tax == 0
    assert {rate for rate, _, _ in taxes(made).values()} == {0}
    make_rate(20, residence="KE")
    set_tax_facts(member, tax_residence="KE")
    start_paying(made)
    make_rate(30, residence="KE")
    make_rate(40)
    set_tax_facts(member, tax_residence="GH")
    assert pay_with(held, made) == {
        "member": [20, 200, 800],
        "organisation": [10, Decimal("62.5"), Decimal("562.5")],
        "own": [10, Decimal("12.5"), Decimal("112.5")],
    }
    assert_books_hold()


def start_paying(made: Distribution) -> None:
    """Start the payment as a worker that is killed before its first batch."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT start_paying(%s, 'system:test')", [made.pk])
        assert cursor.fetchone() == (True,)
        cursor.execute("SELECT start_paying(%s, 'system:test')", [made.pk])
        assert cursor.fetchone() == (False,)


def test_killed_between_batches_it_withholds_once():
    held = make_taxed_holding()
    make_rate(10)
    made = make_distribution(held.token, "Funded")
    start_paying(made)
    assert_books_hold()
    distribution = Distribution.objects.select_related("token").get(pk=made.pk)
    assert paying._pay_batch(distribution, 2) == 2
    assert_books_hold()
    withheld = system_balance("tax", "NGN")
    assert 0 < withheld < 175
    assert paying.pay(made.pk) == 1
    assert [system_balance("tax", "NGN"), held_for()] == [175, 0]
    assert_books_hold()


def test_without_rates_or_without_the_issuers_country_nothing_is_withheld():
    held = make_holding()
    make_rate(10)
    made = make_distribution(held.token, "Paid")
    assert [made.tax, made.net] == [0, 1_750]
    assert system_balance("tax", "NGN") == 0
    assert_books_hold()


def test_all_of_an_income_may_be_tax():
    held = make_taxed_holding()
    make_rate(100)
    made = make_distribution(held.token, "Paid")
    assert [made.tax, made.net, held_for()] == [1_750, 0, 0]
    assert balance_of(held.member.owner_id, "NGN") == 1
    assert system_balance("tax", "NGN") == 1_750
    assert_books_hold()


def test_documents_and_events_tell_what_was_withheld():
    held = make_taxed_holding()
    make_rate(10)
    made = make_distribution(held.token, "Paid")
    issuer = held.token.issuer_id
    document = json.loads(read_distribution(issuer, made.pk))
    assert (document["gross"], document["tax"], document["net"]) == (1_750, 175, 1_575)
    organisation = held.member.organisation.pk
    income = Income.objects.get(distribution=made, organisation_id=organisation)
    [text] = read_income(organisation, [income.pk])
    row = json.loads(text)
    assert (row["gross"], row["tax_rate"], row["tax"], row["net"]) == (1_000, 10, 100, 900)
    received = {
        event.organisation_id: json.loads(event.body)["data"]
        for event in Event.objects.filter(type="distribution.paid", subject_id=made.pk)
    }
    keys = ("holders", "gross", "tax", "net")
    assert [received[organisation][key] for key in keys] == [1, 1_000, 100, 900]
    assert [received[issuer][key] for key in keys] == [1, 125, 12.5, 112.5]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE credit_income SET tax = 0, net = gross WHERE distribution_id = %(id)s",
        "UPDATE credit_income SET tax_rate = 1 WHERE distribution_id = %(id)s",
        "UPDATE credit_distribution SET tax = 0, net = gross WHERE id = %(id)s",
    ],
)
@pytest.mark.parametrize("status", ["Funded", "Paying", "Paid"])
@pytest.mark.one_in(5)
def test_the_service_does_not_write_tax(runtime, attack, status):
    held = make_taxed_holding()
    make_rate(10)
    made = make_distribution(held.token, "Paid" if status == "Paid" else "Funded")
    if status == "Paying":
        start_paying(made)
    if status == "Funded":
        attack = attack.replace("tax = 0, net = gross", "tax = 1, net = gross - 1")
    with assert_nothing_changes(), pytest.raises((RestrictViolation, CheckViolation)):
        runtime.execute(attack, {"id": made.pk})


@pytest.mark.django_db(transaction=True)
def test_rows_are_final_once_payment_started_for_the_owner_of_the_tables_too(owner_connection):
    held = make_taxed_holding()
    make_rate(10)
    made = make_distribution(held.token, "Funded")
    start_paying(made)
    with assert_nothing_changes(), pytest.raises(Exception, match="set when its payment starts"):
        owner_connection.execute(
            "UPDATE credit_income SET tax = 0, net = gross WHERE distribution_id = %s", [made.pk]
        )


@pytest.mark.django_db(transaction=True)
def test_paying_starts_by_the_function_alone(runtime):
    made = make_distribution(make_taxed_holding().token, "Funded")
    with assert_nothing_changes(), pytest.raises(Exception, match="cannot go from Funded"):
        runtime.execute("UPDATE credit_distribution SET status = 'Paying' WHERE id = %s", [made.pk])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("owner", "tax", "thief"),
    [
        (1_000, 0, 0),  # without tax
        (901, 99, 0),  # too little tax
        (899, 101, 0),  # too much
        (0, 1_000, 0),  # nothing to the owner
        (0, 100, 900),  # to another
        (900, 0, 100),  # the tax to another
        (800, 100, 100),
        (899, 100, 0),  # not all of it
    ],
)
@pytest.mark.one_in(4)
def test_a_forged_payment_is_refused(owner, tax, thief):
    income, account_of = make_forgeable()
    amounts = {"owner": owner, "tax": tax, "thief": thief}
    with assert_nothing_changes(), pytest.raises(IntegrityError, match="justifies"):
        forge(income, {account_of[name]: amount for name, amount in amounts.items()})


@pytest.mark.django_db(transaction=True)
def test_the_payment_of_net_and_tax_is_no_forgery():
    income, account_of = make_forgeable()
    forge(income, {account_of["owner"]: 900, account_of["tax"]: 100})
    assert_books_hold()


def make_forgeable() -> tuple[Income, dict[str, UUID]]:
    """Start to pay 1,000 of which 100 is tax; return the income and accounts."""
    held = make_taxed_holding()
    make_rate(10)
    made = make_distribution(held.token, "Funded")
    start_paying(made)
    income = Income.objects.get(distribution=made, owner_id=held.member.owner_id)
    member, other = held.member, held.organisation
    return income, {
        "owner": open_account(
            "NGN",
            AccountKind.AVAILABLE,
            organisation_id=member.organisation.pk,
            member_id=member.member_id,
        ),
        "tax": system_account("NGN", AccountKind.TAX),
        "thief": open_account("NGN", AccountKind.AVAILABLE, organisation_id=other.organisation.pk),
    }


def forge(income: Income, amounts: dict[UUID, int]) -> None:
    """Pay an income as the service's login may: with its transfer, and marked Paid."""
    legs = [Leg(account, Decimal(amount)) for account, amount in amounts.items() if amount]
    total = sum((leg.amount for leg in legs), Decimal(0))
    legs.append(Leg(system_account("NGN", AccountKind.DISTRIBUTION), -total))
    with transaction.atomic():
        post_transfer(
            kind=TransferKind.DISTRIBUTION_PAY,
            reference=f"income:{income.pk}",
            subject_id=income.pk,
            actor=TESTER,
            legs=legs,
        )
        Income.objects.filter(pk=income.pk).update(status="Paid", paid_to="wallet")


@pytest.mark.django_db(transaction=True)
def test_the_proof_finds_tax_that_is_not_its_rates():
    held = make_taxed_holding()
    make_rate(10)
    made = make_distribution(held.token, "Paid")
    assert failing_checks(compare_incremental=False) == set()
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_income SET tax = tax - 1, net = net + 1 WHERE distribution_id = %s"
            " AND gross = 1000",
            [made.pk],
        )
    assert failing_checks(compare_incremental=False) == {
        "every recorded distribution has the sums of its holders' income",
        "every income that is paid moved its amount once to its owner, and nothing else did",
        "every income that is taxed has the tax of its rate",
        "tax accounts hold what was withheld of paid income and not yet remitted",
    }
