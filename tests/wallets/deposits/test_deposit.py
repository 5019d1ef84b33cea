"""`manage.py deposit`: books money in at once, or says in one line why not."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.factories.api_clients import make_member, make_organisation
from tests.factories.wallets import Wallet, assert_books_hold
from wallets.deposits.models import Deposit
from wallets.ledger.models import Entry

pytestmark = pytest.mark.django_db


def deposit(*arguments: str) -> str:
    output = StringIO()
    call_command("deposit", *arguments, stdout=output)
    return output.getvalue()


def test_money_for_an_organisation_is_booked_and_the_balance_printed():
    owner = make_organisation("Acme")
    deposit(str(owner.id), "KES", "1000", "--reference", "bank-1", "--note", "first")
    said = deposit(str(owner.id), "kes", "90.02", "--reference", "bank-2")
    assert said == "Deposited 90.02 KES for Acme (bank-2). Available: 1090.02 KES\n"
    assert list(Deposit.objects.order_by("id").values_list("reference", "note", "status")) == [
        ("bank-1", "first", "Completed"),
        ("bank-2", "", "Completed"),
    ]
    assert_books_hold()


def test_money_for_a_member_goes_to_the_member():
    member = make_member(make_organisation(), "Ada Obi")
    said = deposit(str(member.id), "UGX", "5000")
    assert said.startswith("Deposited 5000 UGX for Ada Obi (deposit_")
    assert said.endswith("). Available: 5000 UGX\n")
    assert Wallet(member.organisation, member).balance("available", "UGX") == 5000
    assert Wallet(member.organisation).balance("available", "UGX") == 0
    assert_books_hold()


@pytest.mark.parametrize(
    ("currency", "amount", "more", "message"),
    [
        (
            "EUR",
            "5",
            [],
            "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]",
        ),
        ("KES", "0", [], "Enter an amount above 0"),
        ("KES", "1000000000000000.01", [], "'1000000000000000.01' is not an amount such as"),
        ("KES", "1e3", [], "'1e3' is not an amount such as 1000 or 90.02"),
        ("KES", "NaN", [], "'NaN' is not an amount such as 1000 or 90.02"),
        ("UGX", "10.5", [], "No decimals"),
        ("KES", "5", ["--reference", "taken"], "The manual deposit taken of"),
        ("KES", "5", ["--reference", "x" * 101], "--reference must be at most 100 printable"),
        ("KES", "5", ["--reference", "  "], "Enter the bank's reference"),
        ("KES", "5", ["--note", "a\nb"], "--note must be at most 300 printable characters"),
    ],
)
def test_what_cannot_be_booked_is_one_line_and_nothing_moves(currency, amount, more, message):
    owner = make_organisation()
    deposit(str(owner.id), "KES", "1", "--reference", "taken")
    before = Entry.objects.count()
    with pytest.raises(CommandError) as error:
        deposit(str(owner.id), currency, amount, *more)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
    assert Entry.objects.count() == before
    assert Deposit.objects.count() == 1


@pytest.mark.parametrize("owner", ["nobody", "", "0190a1b2-0000-7000-8000-000000000000"])
def test_an_unknown_owner_is_one_line(owner):
    with pytest.raises(CommandError) as error:
        deposit(owner, "KES", "5")
    assert str(error.value) == f"No organisation and no member has the id {owner!r}"
