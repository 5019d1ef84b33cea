"""Columns of numbers in the lists of the back office are aligned to the right."""

import re
from html import unescape

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from tests.factories.every_record import make_every_record
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

# Numbers that name something: they are not compared or added.
NAMES = {"account_number", "transaction_id", "reference", "provider_id", "about", "record_display"}
NUMBER = re.compile(r"[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?( ([A-Z]+\d*|units?|%|ms|months))?")


@pytest.mark.slow
def test_every_column_of_numbers_is_aligned_to_the_right():
    make_every_record()
    client = Client()
    sign_in(client, create_superuser("reader", password="x"))
    styles = (settings.BASE_DIR / "exchange/static/exchange/admin.css").read_text()
    numbers: set[str] = set()
    unaligned: set[str] = set()
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        page = client.get(reverse(f"admin:{name}_changelist")).content.decode()
        for column, cell in re.findall(
            r'<t[dh] class="field-(\w+)[^"]*">(.*?)</t[dh]>', page, re.S
        ):
            text = unescape(re.sub(r"<[^>]+>", "", cell)).strip()
            if column not in NAMES and NUMBER.fullmatch(text):
                numbers.add(column)
                if f'[class*="-{column}"]' not in styles:
                    unaligned.add(f"{model.__name__}.{column}: {text}")
    assert unaligned == set()
    assert numbers >= {"amount_display", "owed_display", "difference_display", "attempts"}
