"""Loans in the back office: page, list, queues, read-only access."""

import re
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.contrib import admin
from django.urls import reverse

from config.back_office.roles import AUDITOR
from credit.loans.models import Loan
from credit.loans.services import servicing
from credit.loans.services.repaying import repay
from exchange.core.references import OwnReferences
from exchange.participants.models import Member
from exchange.tokens.models import Token
from tests.factories.api_clients import TESTER
from tests.factories.back_office import page, signed_in_client, text_of
from tests.factories.lending import make_lending
from tests.factories.loan_pages import propose
from tests.factories.loans import backdate_loan, make_defaulted_loan, repay_loan
from tests.factories.wallets import Wallet

pytestmark = pytest.mark.django_db

LIST = "admin:credit_loan_changelist"


def test_the_page_shows_the_whole_loan(lending):
    sent = OwnReferences(client_reference="INV 17", metadata={"team": "a", "invoice": "17"})
    loan = lending.lend(bank_name="Zenith Bank", account_number="0690000031", references=sent)
    lending.set_price(9_999)
    servicing.revalue_loans(force=True)
    repay(
        loan_id=loan.pk, organisation_id=loan.organisation_id, amount=Decimal(800_000), actor=TESTER
    )
    backdate_loan(loan, days=3, minutes=1)
    servicing.age_loans()
    response = signed_in_client(AUDITOR).get(page(loan))
    text = text_of(response)
    symbol = lending.token.symbol
    for words in (
        "Overdue ID",
        "Client reference INV 17 Metadata team: a; invoice: 17",
        f"Configuration {loan.version}",
        "Total repayment 1,596,000.00 NGN",
        "Outstanding 796,000.00 NGN Outstanding principal 796,000.00 NGN",
        "Outstanding interest 0.00 NGN",
        "Principal repaid 44,000.00 NGN Interest repaid 756,000.00 NGN",
        "Days overdue 3",
        "Required value 995,000.00 NGN Market value 1,049,895.00 NGN",
        "LTV 75.82 %, maximum 80 %",
        "Bank Zenith Bank Bank code",
        "Account number 0690000031",
        f"{symbol} 105 units 10,000.00 NGN 1,050,000.00 NGN 9,999.00 NGN",
        "1,049,895.00 NGN 105.00 NGN",
        "800,000.00 NGN 756,000.00 NGN 44,000.00 NGN 796,000.00 NGN",
        f"105 {symbol}",
        "loan.shortfall",
    ):
        assert words in text, words
    for address in set(
        re.findall(r'href="(/admin/(?:wallets|credit|exchange)/[^"]*)"', html(response))
    ):
        assert response.client.get(unescape(address)).status_code == 200, address
    assert "/admin/wallets/transfer/" in html(response)


def test_a_loan_is_found_by_its_client_reference(lending, ada):
    reference = "0199d4e0-0000-7000-8000-000000000001"
    loan = lending.lend(amount=1000, references=OwnReferences(client_reference=reference))
    lending.lend(amount=1000)
    for term, expected in ((reference, [loan.pk]), (reference[:-1] + "2", [])):
        rows = ada.get(reverse(LIST), {"q": term}).context["cl"].result_list
        assert [row.pk for row in rows] == expected


def html(response: Any) -> str:
    return str(response.content.decode())


@pytest.mark.slow
def test_the_list_finds_loans_by_their_state_dates_and_parties(lending, ada, auditor):
    quiet = lending.lend()
    bad = make_defaulted_loan(make_lending())
    brink = make_lending()
    short = brink.lend()
    Member.objects.filter(pk=short.borrower_id).update(name="Zuri Bello")
    backdate_loan(short, days=-5, minutes=1)
    brink.set_price(9_000)
    servicing.revalue_loans(force=True)
    everyone = {quiet.pk, bad.pk, short.pk}

    def listed(**query: str) -> set[Any]:
        return {row.pk for row in auditor.get(reverse(LIST), query).context["cl"].result_list}

    assert listed() == everyone
    for query, wanted in (
        ({"status__exact": "DEFAULTED"}, {bad.pk}),
        ({"currency__code__exact": "NGN"}, everyone),
        ({"currency__code__exact": "KES"}, set()),
        ({"creditor__id__exact": str(brink.creditor.organisation.pk)}, {short.pk}),
        ({"shortfall": "open"}, {short.pk}),
        ({"shortfall": "none"}, {quiet.pk, bad.pk}),
        ({"due": "late"}, {bad.pk}),
        ({"due": "week"}, {short.pk}),
        ({"due": "month"}, {short.pk}),
        ({"due": "later"}, {quiet.pk}),
        ({"closure": "none"}, {bad.pk}),
        ({"closure": "pending"}, set()),
        ({"q": str(bad.pk)}, {bad.pk}),
        ({"q": str(short.borrower_id)}, {short.pk}),
        ({"q": "zuri"}, {short.pk}),
        ({"q": short.borrower.email.upper()}, {short.pk}),
        ({"q": str(quiet.creditor_id)}, {quiet.pk}),
    ):
        assert listed(**query) == wanted, query
    propose(ada, bad)
    assert listed(closure="pending") == {bad.pk}
    assert listed(closure="none") == set()
    text = text_of(auditor.get(reverse(LIST), {"q": str(short.pk)}))
    assert "840,000.00 NGN 1,596,000.00 NGN" in text
    assert "88.89 %, maximum 80 %" in text
    assert "Open 105,000.00 NGN for" in text
    Token.objects.filter(pk=brink.token.pk).update(quoted_at=None)
    servicing.revalue_loans(force=True)
    assert listed(shortfall="unvalued") == {short.pk}
    Wallet(quiet.organisation, quiet.borrower).fund(2_000_000, "NGN")
    repay_loan(quiet, quiet.repayment_amount)
    assert listed(state="open") == {bad.pk, short.pk}
    assert listed(state="closed") == {quiet.pk}
    row = auditor.get(reverse(LIST), {"shortfall": "unvalued"})
    assert "not valued" in text_of(row)
    assert f'title="{brink.token.symbol} has no price"' in html(row)


def test_the_list_and_the_page_cost_the_same_for_one_as_for_many(
    lending, django_assert_max_num_queries, auditor
):
    for _ in range(5):
        loan = lending.lend(amount=80_000, units=10)
    lending.set_price(1_000)
    servicing.revalue_loans(force=True)
    with django_assert_max_num_queries(14):
        auditor.get(reverse(LIST))
    with django_assert_max_num_queries(34):
        auditor.get(page(loan))


def test_the_dashboard_counts_and_links_to_loan_queues(lending, ada):
    first, second = make_defaulted_loan(lending, units=300), make_defaulted_loan(lending)
    lending.set_price(9_999)
    servicing.revalue_loans(force=True)
    propose(ada, first)
    front = ada.get(reverse("admin:index"))
    text = text_of(front)
    for words, query, loans in (
        ("Loans with a margin call 1", "shortfall=open", {second.pk}),
        ("Defaulted loans without a proposal 1", "closure=none", {second.pk}),
        ("Loan closures to confirm 1", "decision=awaiting_others", {first.pk}),
    ):
        assert words in text
        address = f"{reverse(LIST)}?{query}"
        assert address in front.content.decode()
        rows = ada.get(address).context["cl"].result_list
        assert {row.pk for row in rows} == loans


def test_loans_near_margin_call_are_sorted_by_ltv(lending, ada):
    """Maximum LTV 80 %: near from 72 %, margin call above 80 %."""
    near, nearer = lending.lend(amount=72_000, units=10), lending.lend(amount=80_000, units=10)
    far = lending.lend(amount="71999.99", units=10)
    servicing.revalue_loans(force=True)
    address = f"{reverse(LIST)}?shortfall=near&o=-6"
    front = ada.get(reverse("admin:index"))
    assert "Loans near margin call 2" in text_of(front)
    assert address in unescape(front.content.decode())
    rows = ada.get(address).context["cl"].result_list
    assert [row.pk for row in rows] == [nearer.pk, near.pk]
    lending.set_price("9999.99")  # the first one made is so the nearest that is left
    servicing.revalue_loans(force=True)
    rows = ada.get(address).context["cl"].result_list
    assert [row.pk for row in rows] == [near.pk, far.pk]


def test_members_and_organisations_lead_to_their_loans(loan, ada):
    for name, pk in (
        ("exchange_member", loan.borrower_id),
        ("exchange_organisation", loan.creditor_id),
        ("exchange_organisation", loan.organisation_id),
    ):
        address = f"{reverse(LIST)}?q={pk}"
        assert address in html(ada.get(reverse(f"admin:{name}_change", args=[pk])))
        assert len(ada.get(address).context["cl"].result_list) == 1


def test_loans_are_read_only_in_the_admin(rf):
    loans = admin.site._registry[Loan]
    request = rf.get("/")
    assert not loans.has_add_permission(request)
    assert not loans.has_change_permission(request)
    assert not loans.has_delete_permission(request)
