"""Pages of bank lists: state, search, refresh and failures."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.factories.back_office import messages_of, text_of
from tests.factories.wallets import store_bank_list
from wallets.banks.models import BankList
from wallets.banks.services import clear_bank_cache

BANKS = [
    {"id": 1, "name": "KCB Bank Kenya", "code": "01"},
    {"id": 2, "name": "Côp Bank", "code": "11"},
]

pytestmark = pytest.mark.django_db


def page(name: str, *args: str) -> str:
    return reverse(f"admin:wallets_banklist_{name}", args=args)


def test_a_list_shows_its_age_and_is_searched(auditor):
    store_bank_list()
    BankList.objects.filter(pk="KES").update(banks=BANKS)
    shown = auditor.get(page("change", "KES"))
    assert "Fresh" in text_of(shown)
    assert len(shown.context["sections"][0].rows) == len(BANKS)
    for term in ("KCB bank", "c'ôp", "01"):
        found = auditor.get(page("change", "KES"), {"q": term})
        (row,) = found.context["sections"][0].rows
        assert row == (("Côp Bank", "11") if term == "c'ôp" else ("KCB Bank Kenya", "01"))
        assert "1 of 2 banks" in text_of(found)
    assert "No banks found." in text_of(auditor.get(page("change", "KES"), {"q": "zzz"}))
    BankList.objects.filter(pk="KES").update(fetched_at=timezone.now() - timedelta(days=2))
    assert "Stale" in text_of(auditor.get(page("change", "KES")))
    assert "Stale" in text_of(auditor.get(page("changelist")))


def test_a_provider_failure_is_reported_and_the_stored_list_stays(office):
    store_bank_list()
    before = BankList.objects.get(pk="KES")
    message = messages_of(office.post(page("refresh", "KES")))
    assert message == [
        "Could not fetch the bank list from the payment provider. Please try again later"
    ]
    after = BankList.objects.get(pk="KES")
    assert (after.banks, after.fetched_at) == (before.banks, before.fetched_at)
    clear_bank_cache()


def test_looking_fetches_nothing(office):
    store_bank_list()
    assert office.get(page("refresh", "KES")).status_code == 405
