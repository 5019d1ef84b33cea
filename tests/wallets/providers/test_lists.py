"""Lists of transfers as the client reads them: pages, counts, days, and two of one reference."""

import json
from datetime import date, timedelta
from itertools import combinations, permutations
from typing import Any

import pytest

from tests.wallets.providers.harness import Sandbox, record_of
from wallets.providers.base import ProviderUnavailable, TransferStatus
from wallets.providers.flutterwave import FlutterwaveClient

LIST = {"method": "GET", "path_prefix": "/v3/transfers"}
DAY = date(2026, 3, 10)


def row(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "reference": "payout_a",
        "status": "NEW",
        "amount": 90.02,
        "fee": 10.75,
        "currency": "NGN",
        "account_number": "0690000031",
        "bank_code": "044",
        "created_at": f"{DAY}T12:00:00.000Z",
        **changes,
    }


def add_response(sandbox: Sandbox, *rows: Any, times: int = 1, **info: Any) -> None:
    """The next answer of the provider is a page of these transfers."""
    page = {"total": len(rows), "current_page": 1, "total_pages": 1, **info}
    body = {"status": "success", "message": "", "data": rows, "meta": {"page_info": page}}
    sandbox.fault("malformed", LIST, body=json.dumps(body), times=times)


def listed(client: FlutterwaveClient) -> list[str]:
    """The ids of the transfers of the day."""
    return [found.record.provider_id for found in client.list_transfers(first=DAY, last=DAY)]


def test_of_two_records_under_one_reference_the_one_in_which_money_moved_counts(client, sandbox):
    strength = ("FAILED", "NEW", "PENDING", "SUCCESSFUL")
    for pair in combinations(strength, 2):
        for statuses in permutations(pair):
            add_response(sandbox, *(row(n, status=status) for n, status in enumerate(statuses)))
            assert record_of(client).status is TransferStatus(pair[1]), statuses


@pytest.mark.parametrize(("pages", "asked"), [(20, 20), (21, 20)])
def test_a_status_check_reads_twenty_pages_at_most(client, sandbox, pages, asked):
    add_response(sandbox, times=21, total_pages=pages)
    if pages == asked:
        assert client.find_transfer("payout_a") is None
    else:
        with pytest.raises(ProviderUnavailable, match="does not end: it is not filtered"):
            client.find_transfer("payout_a")
    assert sandbox.asked("GET", "/v3/transfers") == asked
    queries = [entry["query"] for entry in sandbox.control("GET", "requests")]
    pages = [{"page": str(page)} if page > 1 else {} for page in range(1, asked + 1)]
    assert queries == [{"reference": "payout_a"} | page for page in pages]


def test_a_transfer_among_too_many_is_found(client, sandbox):
    add_response(sandbox, row(7), times=20, total_pages=21)
    assert record_of(client).provider_id == "7"


def test_an_error_that_looks_like_an_empty_list_is_none(client, sandbox):
    page = {"total": 0, "current_page": 1, "total_pages": 1}
    body = {"status": "error", "message": "Hm", "data": [], "meta": {"page_info": page}}
    sandbox.fault("error_5xx", LIST, status=400, body=json.dumps(body), times=2)
    for read in (lambda: client.find_transfer("payout_a"), lambda: listed(client)):
        with pytest.raises(ProviderUnavailable, match=r"^the provider responded with 400: Hm$"):
            read()


def test_a_list_has_five_thousand_pages_at_most(client, sandbox):
    add_response(sandbox, total=1, total_pages=5001)
    with pytest.raises(ProviderUnavailable, match="the list of transfers does not end"):
        listed(client)
    assert sandbox.asked("GET", "/v3/transfers") == 1
    # The second page says that there are fewer: the list is read anew.
    add_response(sandbox, total=1, total_pages=5000)
    assert listed(client) == []
    assert sandbox.asked("GET", "/v3/transfers") == 4


@pytest.mark.parametrize("second", [{"total": 3}, {"total_pages": 3}])
def test_a_list_that_changes_while_it_is_read_is_read_three_times(client, sandbox, second):
    def change() -> None:
        add_response(sandbox, row(1), total=2, total_pages=2)
        add_response(sandbox, row(2), **{"total": 2, "total_pages": 2, "current_page": 2} | second)

    for _ in range(2):
        change()
    add_response(sandbox, row(1), total=2, total_pages=2)
    add_response(sandbox, row(2), total=2, total_pages=2, current_page=2)
    assert listed(client) == ["1", "2"]
    for _ in range(3):
        change()
    with pytest.raises(ProviderUnavailable, match="changed during every read"):
        listed(client)
    assert sandbox.asked("GET", "/v3/transfers") == 12


@pytest.mark.parametrize(
    ("rows", "info", "why"),
    [
        ([row(1)], {"current_page": 2}, "the list returned page 2 for page 1"),
        ([row(1)], {"current_page": 0}, "the list returned page 0 for page 1"),
        ([row(1), row(1), row(1)], {}, "the list repeats 2 of its transfers"),
        ([row(1)], {"total": 2}, "the list states 2 transfers and has 1"),
        ([row(1), row(2)], {"total": 1}, "the list states 1 transfers and has 2"),
    ],
)
def test_a_list_that_contradicts_itself_is_not_believed(client, sandbox, rows, info, why):
    add_response(sandbox, *rows, **info)
    with pytest.raises(ProviderUnavailable, match=why):
        listed(client)


@pytest.mark.parametrize(
    ("odd", "named", "why"),
    [
        (row(2, fee=-1), "2", "fee is negative"),
        (row(2, amount=2 * 10**15), "2", "amount is out of range"),
        (row(2, status="LOST"), "2", "transfer has an unknown status"),
        (row(2, id="t-2", reference=None), "t-2", "id is not an id or a count"),
        (row(2, created_at="never"), "2", "created_at is not a time"),
        (row(2, id=None), "row 2", "id is not an id or a count"),
        ("row", "row 2", "transfer is not an object"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_and_hides_no_other(client, sandbox, odd, named, why):
    add_response(sandbox, row(1), odd, row(3))
    found = client.list_transfers(first=DAY, last=DAY)
    assert [each.record.provider_id for each in found] == ["1", "3"]
    assert found.unreadable == {named: why}


def test_a_list_without_a_readable_row_is_malformed(client, sandbox):
    add_response(sandbox, row(1, fee=-1))
    assert client.list_transfers(first=DAY, last=DAY).unreadable == {"1": "fee is negative"}
    add_response(sandbox, row(1, fee=-1), row(2, fee=-1))
    with pytest.raises(ProviderUnavailable, match=r"^malformed response: fee is negative$"):
        listed(client)


def test_a_status_check_finds_its_transfer_next_to_a_row_that_cannot_be_read(client, sandbox):
    odd = row(1, reference=7), row(2, reference="payout_b", fee=-1), None
    add_response(sandbox, row(3), *odd)
    assert record_of(client).provider_id == "3"
    # Without a reference the row could be the transfer.
    add_response(sandbox, *odd)
    with pytest.raises(ProviderUnavailable, match="a transfer has no reference"):
        client.find_transfer("payout_a")
    add_response(sandbox, odd[1])
    assert client.find_transfer("payout_a") is None


@pytest.mark.parametrize("key", ["current_page", "total_pages", "total"])
def test_a_list_without_its_counts_is_malformed(client, sandbox, key):
    info: dict[str, Any] = {key: "1"}
    add_response(sandbox, row(1), **info)
    with pytest.raises(ProviderUnavailable, match=f"malformed response: {key} is not"):
        listed(client)


def test_an_empty_list_may_number_its_page_as_it_likes(client, sandbox):
    add_response(sandbox, current_page=0, total_pages=0)
    assert listed(client) == []


@pytest.mark.parametrize(("days", "believed"), [(-2, False), (-1, True), (1, True), (2, False)])
def test_a_list_holds_transfers_of_a_day_before_and_after_at_most(client, sandbox, days, believed):
    """The provider's clock, and what it calls a day, may be hours from ours."""
    stray = row(2, created_at=f"{DAY + timedelta(days=days)}T12:00:00.000Z")
    add_response(sandbox, row(1), stray)
    if believed:
        assert listed(client) == ["1", "2"]
    else:
        with pytest.raises(ProviderUnavailable, match="transfers of other days than requested"):
            listed(client)
