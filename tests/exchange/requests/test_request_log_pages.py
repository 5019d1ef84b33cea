"""The request log in the back office: requests and counts of reads, their filters and readers."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from exchange.participants.models import ApiKey
from exchange.requests.models import LoggedRequest, ReadCount
from exchange.requests.recording import ReadKey, RequestLog
from tests.factories.api_clients import make_caller
from tests.factories.back_office import page, text_of
from tests.factories.logins import sign_in
from tests.factories.request_log import make_entry
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db

REQUESTS = "admin:exchange_loggedrequest_changelist"
READS = "admin:exchange_readcount_changelist"
TODAY = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
YESTERDAY = TODAY - timedelta(days=1)


def rows(client: Client, address: str, **query: str) -> list[list[str]]:
    """Return the texts of the rows of a list."""
    html = client.get(reverse(address), query).content.decode().partition('id="result_list"')[2]
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd] [^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)[1:]
    ]


def count_reads(key: ApiKey, path: str, hour: datetime, times: int) -> None:
    log = RequestLog()
    for _ in range(times):
        log.count_read(ReadKey(str(key.organisation_id), str(key.pk), path, hour))
    log.flush()


@pytest.fixture
def keys() -> tuple[ApiKey, ApiKey]:
    """Keys of two organisations with reads: of today and yesterday, and of today."""
    ours, theirs = make_caller().key, make_caller().key
    count_reads(ours, "/v1/api/tokens", YESTERDAY, 2)
    count_reads(ours, "/v1/orders/{order_id}", TODAY, 1_200)
    count_reads(theirs, "/v1/api/tokens", TODAY, 3)
    return ours, theirs


def test_reads_are_listed_by_hour_key_and_address_the_latest_first(office, keys):
    ours, theirs = keys
    assert rows(office, READS) == [
        [f"{hour:%Y-%m-%d %H:%M:%S}", str(key.organisation), key.name, path, count]
        for hour, key, path, count in (
            (TODAY, theirs, "/v1/api/tokens", "3"),
            (TODAY, ours, "/v1/orders/{order_id}", "1,200"),
            (YESTERDAY, ours, "/v1/api/tokens", "2"),
        )
    ]
    shown = text_of(office.get(page(ReadCount.objects.get(count=1_200))))
    assert "1,200" in shown
    assert "/v1/orders/{order_id}" in shown


def test_reads_are_filtered_by_organisation_key_and_day_and_searched_by_path(office, keys):
    ours, theirs = keys

    def counts(**query: Any) -> list[str]:
        return [row[4] for row in rows(office, READS, **query)]

    assert counts(organisation=str(theirs.organisation_id)) == ["3"]
    assert counts(key=str(ours.pk)) == ["1,200", "2"]
    assert counts(day_from=f"{TODAY:%Y-%m-%d}") == ["3", "1,200"]
    assert counts(day_to=f"{YESTERDAY:%Y-%m-%d}") == ["2"]
    assert counts(key=str(ours.pk), day_from=f"{TODAY:%Y-%m-%d}") == ["1,200"]
    assert counts(q="/v1/api/tokens") == ["3", "2"]
    assert counts(q=str(ours.organisation_id)) == ["1,200", "2"]
    assert counts(q="/v1/api") == []


def test_requests_are_listed_with_their_refusal_and_filtered(office):
    key = make_caller().key
    log = RequestLog()
    now = timezone.now()
    log.add_request(make_entry(key, created_at=now, milliseconds=7))
    accepted = {"status_code": 201, "code": "", "fields": [], "request_id": "order.18"}
    log.add_request(make_entry(key, method="PATCH", created_at=now, **accepted))
    log.flush()
    time, name = f"{now:%Y-%m-%d %H:%M:%S}", str(key.organisation)
    refused = [time, name, key.name, "POST", "/v1/api/members", "400 invalid_request", "email", "7"]
    assert rows(office, REQUESTS) == [
        [time, name, key.name, "PATCH", "/v1/api/members", "201 Created", "-", "1"], refused,
    ]  # fmt: skip
    for query in ({"result": "refused"}, {"method__exact": "POST"}, {"q": "order.17"}):
        assert rows(office, REQUESTS, **query) == [refused], query
    assert len(rows(office, REQUESTS, key=str(key.pk))) == 2
    assert rows(office, REQUESTS, key=str(make_caller().key.pk)) == []
    assert "order.17" in text_of(office.get(page(LoggedRequest.objects.get(code__gt=""))))


def test_who_may_view_requests_only_sees_no_reads(keys):
    client = Client()
    sign_in(client, make_staff("view_loggedrequest"))
    assert client.get(reverse(REQUESTS)).status_code == 200
    assert client.get(reverse(READS)).status_code == 403
    assert client.get(page(ReadCount.objects.latest("id"))).status_code == 403
