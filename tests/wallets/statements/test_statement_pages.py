"""The statement page of organisations and members in the back office."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from pypdf import PdfReader

from config.back_office.roles import AUDITOR
from exchange.participants.models import Member
from tests.factories.back_office import fund, make_participants, signed_in_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in_client(AUDITOR)


def address(record: Any) -> str:
    return reverse(f"admin:exchange_{record._meta.model_name}_account_statement", args=[record.pk])


def days(**changes: Any) -> dict[str, Any]:
    today = timezone.now().date().isoformat()
    return {"currency": "NGN", "first": today, "last": today, "form": "pdf", **changes}


def test_a_statement_is_made_for_an_organisation_and_for_a_member(client: Client):
    organisation, member = make_participants()
    fund(organisation, None, "NGN", "70.25")
    fund(organisation, member, "NGN", "12.5")
    for record, shown, hidden in (
        (organisation, "70.25", "12.50"),
        (member, "12.50", "70.25"),
    ):
        page = client.get(
            reverse(f"admin:exchange_{record._meta.model_name}_change", args=[record.pk])
        )
        assert address(record) in page.content.decode()
        response = client.post(address(record), days())
        assert response["Content-Type"] == "application/pdf"
        [printed] = PdfReader(io.BytesIO(response.content)).pages
        text = printed.extract_text()
        assert record.name in text
        assert shown in text
        assert hidden not in text
    table = client.post(address(member), days(form="csv"))
    assert b"Deposit received" in table.content
    assert f'filename="{slugify(member.name)}-statement-' in table["Content-Disposition"]
    assert table["Content-Disposition"].endswith('.csv"')


def test_a_wrong_period_is_explained_on_the_form(client: Client):
    _, member = make_participants()
    earlier = (timezone.now() - timedelta(days=3)).date().isoformat()
    page = client.post(address(member), days(last=earlier))
    assert page.status_code == 200
    assert "&quot;To&quot; cannot be before &quot;From&quot;" in page.content.decode()
    missing = client.post(address(Member(pk=member.organisation_id)), days())
    assert missing.status_code == 404
