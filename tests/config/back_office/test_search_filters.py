"""The search by what records have, by a payee's bank, and by the beginning of a reference."""

from decimal import Decimal

import pytest
from django.urls import reverse

from exchange.admin.site_search import UNREAD_FILTER, SearchFilters, SearchTerm, parse_search
from tests.factories.back_office import text_of
from tests.factories.customers import Customer, make_customer
from wallets.banks.models import BankList

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Customer:
    return make_customer()


def test_records_are_found_by_amount_status_and_currency_together(ada, auditor):
    def found_by(text: str) -> dict[str, int]:
        shown = auditor.get(reverse("admin:search"), {"q": text}).context["found"]
        return {section.title: len(section.rows) for section in shown.sections}

    withdrawal = ada.withdrawal
    amount, currency = withdrawal.amount, withdrawal.currency_id
    for text in (
        f"amount>={amount} status:pending currency:{currency}",
        f"currency:{currency.lower()} amount={amount} status:Pending",
        f"amount>{amount - 1} amount<{amount + 1} status:pending",
    ):
        assert found_by(text)["Withdrawals"] >= 1, text
    for text in (
        f"amount>{amount} amount<={amount}",
        f"amount={amount} status:failed",
        "amount>900bn",
        "currency:XXX",
        "status:unheard-of",
    ):
        assert found_by(text) == {}, text


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("amount>1m", SearchFilters([("gt", Decimal(1_000_000))])),
        ("AMOUNT<=2.5k", SearchFilters([("lte", Decimal(2500))])),
        (
            "status:Margin_Call currency:ngn amount:1,250.50",
            SearchFilters([("exact", Decimal("1250.50"))], "margin call", "NGN"),
        ),
        ("amount>0", SearchFilters([("gt", Decimal(0))])),
        ("status:failed status:pending", None),
        ("currency:NGN currency:KES", None),
        ("amount>1m Ada", None),
        ("amount>x", None),
        ("status failed", None),
        ("", None),
    ],
)
def test_filters_are_parsed(text, filters):
    assert parse_search(text).filters == filters


@pytest.mark.slow
def test_a_filter_that_cannot_be_read_does_not_look_like_nothing_found(ada, auditor):
    def shown(text: str) -> str:
        return text_of(auditor.get(reverse("admin:search"), {"q": text}))

    for text in ("amount>", "amount>1,00", "amount>1e3 status:failed", "status:failed status:x"):
        assert UNREAD_FILTER in shown(text), text
        assert "Nothing found" not in shown(text), text
    for text in ("amount>900bn", "no such name"):
        assert "Nothing found that you may view." in shown(text), text


def test_a_reference_is_found_by_its_beginning_without_the_prefix(ada, auditor):
    letters = ada.withdrawal.reference.removeprefix("payout_")
    end = next(at for at, letter in enumerate(letters) if letter.isdigit()) + 1
    beginning = letters[: max(end, 5)]
    shown = auditor.get(reverse("admin:search"), {"q": beginning}).context["found"]
    assert [section.title for section in shown.sections] == ["Withdrawals"]
    assert SearchTerm("abcde").reference_of("payout_") == ""
    assert SearchTerm("abc1").reference_of("payout_") == ""


@pytest.mark.slow
def test_withdrawals_are_found_by_the_bank_of_their_payee(ada, auditor):
    def found_by(text: str) -> list[str]:
        shown = auditor.get(reverse("admin:search"), {"q": text}).context["found"]
        return [
            row[0] for each in shown.sections if each.title == "Withdrawals" for row in each.rows
        ]

    banks = BankList.objects.get(pk="KES")
    banks.banks = [{"id": 1, "name": "Crédit O'Foncier (Kenya)", "code": "01"}]
    banks.save()
    older = [ada.wallet.request(amount, bank=banks.banks[0]["name"]) for amount in range(100, 107)]
    newest = [f"{each.amount:.2f} KES to Ada Obi" for each in reversed(older)]
    for text in ("Crédit O'Foncier (Kenya)", "credit ofoncier", "O'FONCIER KEN", "kenya"):
        assert [row.split(">")[1].split("<")[0] for row in found_by(text)] == newest[:5], text
    # A part of a word, another order, and what is no word.
    for text in ("redit ofoncier", "kenya credit", "foncierx", "\u064a\u0627"):
        assert found_by(text) == [], text
