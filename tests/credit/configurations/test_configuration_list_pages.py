"""Lists and links of loan configurations in the back office, and the amounts of one."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import AUDITOR
from credit.configurations.services.configurations import propose_change
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.back_office import page, signed_in_client, text_of
from tests.factories.lending import make_lending
from tests.factories.loan_configurations import approve_pending, make_configuration, make_terms
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser

pytestmark = pytest.mark.django_db

LIST = "admin:credit_loanconfiguration_changelist"


def test_the_list_filters_pending_and_searches_by_name_creditor_and_id(auditor):
    lender = make_organisation("Zambezi Lending")
    quiet = make_configuration(lender, name="Quiet offer")
    busy = make_configuration(name="Busy offer")
    propose_change(configuration_id=busy.pk, terms=make_terms(name="Loud offer"), actor=TESTER)

    def listed(**query: str) -> str:
        return text_of(auditor.get(reverse(LIST), query))

    assert "Quiet offer" in listed()
    assert "Busy offer" in listed()
    for query in ({"decision": "awaiting_others"}, {"q": "loud"}, {"q": str(busy.pk)}):
        assert "Busy offer" in listed(**query)
        assert "Quiet offer" not in listed(**query)
    for query in ({"q": "zambezi"}, {"creditor__id__exact": str(lender.pk)}):
        assert "Quiet offer" in listed(**query)
        assert "Busy offer" not in listed(**query)
    assert quiet.status == "Approved"


def test_the_list_uses_a_constant_number_of_queries(django_assert_max_num_queries, auditor):
    for _ in range(8):
        made = make_configuration()
        propose_change(configuration_id=made.pk, terms=make_terms(), actor=TESTER)
        approve_pending(made)
    with django_assert_max_num_queries(14):
        auditor.get(reverse(LIST))


def test_the_page_shows_outstanding_and_remaining_amounts():
    lending = make_lending(max_outstanding={"NGN": Decimal(3_000_000)})
    lending.lend()
    text = text_of(signed_in_client(AUDITOR).get(page(lending.offer)))
    assert "NGN 1 840,000.00 NGN 3,000,000.00 NGN 2,160,000.00 NGN" in text


def test_dashboard_and_creditor_link_to_configurations():
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    lender = make_organisation()
    configuration = make_configuration(lender)
    front = client.get(reverse("admin:index")).content.decode()
    assert f"{reverse(LIST)}?decision=awaiting_my_approval" not in front
    propose_change(configuration_id=configuration.pk, terms=make_terms(), actor=TESTER)
    front = client.get(reverse("admin:index")).content.decode()
    assert f"{reverse(LIST)}?decision=awaiting_my_approval" in front
    creditor = client.get(reverse("admin:exchange_organisation_change", args=[lender.pk]))
    assert f"{reverse(LIST)}?creditor__id__exact={lender.pk}" in creditor.content.decode()
