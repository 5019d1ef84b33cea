"""Documents while the printer is busy: refused at once, and every other request is served."""

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import AUDITOR
from exchange.pdf.printer import PrinterBusy, take_printer
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.back_office import signed_in_client, text_of
from tests.factories.market import ORDERS, Market
from tests.factories.withdrawals import exact_json
from wallets.transfers.models import WalletTransfer

pytestmark = pytest.mark.django_db

STATEMENT = "/v1/api/wallet/statement"


def query(form: str) -> dict[str, str]:
    today = f"{timezone.now():%Y-%m-%d}"
    return {"currency": "NGN", "from": today, "to": today, "format": form}


def test_a_further_document_is_refused_at_once_while_other_requests_are_served():
    market = Market()
    caller = market.buyer.fund(1000).caller
    market.sell(price=100, tokens=4)
    order = market.buy(price=100, tokens=4)["_id"]
    [fill] = exact_json(caller.get(f"{ORDERS}/{order}/fills"))["data"]["fills"]
    note = f"{ORDERS}/{order}/fills/{fill['trade_id']}/note"
    with take_printer(), take_printer():
        for path, asked in ((STATEMENT, query("pdf")), (note, {})):
            refused = caller.get(path, asked)
            assert_error(refused, 503, "printer_busy", PrinterBusy.message)
            assert refused["Retry-After"] == "5"
        for form, media_type in (("csv", "text/csv; charset=utf-8"), ("json", "application/json")):
            served = caller.get(STATEMENT, query(form))
            assert (served.status_code, served["Content-Type"]) == (200, media_type)
        to = {"user_id": str(market.buyer.member.id)}
        sent = {"from": {"wallet": "organisation"}, "to": to, "amount": 10, "currency": "NGN"}
        moved = caller.post("/v1/api/transfers", sent)
        assert moved.status_code == 201, moved.content
    assert WalletTransfer.objects.count() == 1
    printed = caller.get(STATEMENT, query("pdf"))
    assert (printed.status_code, printed["Content-Type"]) == (200, "application/pdf")
    assert caller.get(note)["Content-Type"] == "application/pdf"


def test_the_back_office_says_that_the_printer_is_busy_and_keeps_the_form():
    market = Market()
    organisation = market.buyer.organisation
    client = signed_in_client(AUDITOR)
    address = reverse("admin:exchange_organisation_account_statement", args=[organisation.pk])
    form = {"currency": "NGN", "first": "2025-07-01", "last": "2025-07-02", "form": "pdf"}
    with take_printer(), take_printer():
        page = client.post(address, form)
        assert page.status_code == 200
        assert PrinterBusy.message in text_of(page)
        assert 'value="2025-07-01"' in page.content.decode()
        assert client.post(address, {**form, "form": "csv"})["Content-Type"].startswith("text/csv")
    assert client.post(address, form)["Content-Type"] == "application/pdf"


def test_a_document_counts_for_ten_requests_and_data_for_one(settings, still_minute):
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 25}
    cache.clear()
    caller = make_caller()
    with take_printer(), take_printer():  # a refused one counts the same
        refused = caller.get(STATEMENT, query("pdf"))
    assert_error(refused, 503, "printer_busy", PrinterBusy.message)
    assert refused["X-RateLimit-Remaining"] == "15"
    cache.clear()
    left = [
        int(caller.get(STATEMENT, query(form))["X-RateLimit-Remaining"])
        for form in ("json", "PDF", "csv", "pdf")
    ]
    assert left == [24, 14, 13, 3]
    refused = caller.get(STATEMENT, query("pdf"))
    assert_error(refused, 429, "rate_limited")
    assert refused["X-RateLimit-Remaining"] == "0"
    cache.clear()
    # A limit below its cost allows one document a minute.
    settings.RATE_LIMITS = {"requests": 5}
    assert caller.get(STATEMENT, query("pdf")).status_code == 200
    assert caller.get(STATEMENT, query("pdf")).status_code == 429
    cache.clear()
