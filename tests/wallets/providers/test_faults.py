"""What the client makes of every scripted fault, and what reached the sandbox meanwhile."""

import json
import time
from decimal import Decimal

import pytest

from tests.wallets.providers.harness import SECRET_KEY, client_of, record_of, request_of
from wallets.providers.base import OutcomeUnknown, ProviderUnavailable, TransferStatus

ORDER = {"method": "POST", "path_prefix": "/v3/transfers"}
BANKS = {"method": "GET", "path_prefix": "/v3/banks"}
NO_SUCCESS = '{"status": "error", "message": "Hm"}'
READ_FAULTS = [
    ("timeout_before", {}),
    ("timeout_after", {}),
    ("error_5xx", {}),
    ("error_5xx", {"status": 500}),
    ("malformed", {}),
    ("malformed", {"body": ""}),
    ("malformed", {"body": "[]"}),
    ("malformed", {"body": '{"status": null}'}),
    ("malformed", {"body": '{"status": "success", "data": ' + "[" * 100_000}),
    ("reset", {}),
    ("rate_limit", {"retry_after": 0.1}),
    ("rate_limit", {"retry_after": None}),
]


@pytest.mark.parametrize(("kind", "options"), READ_FAULTS)
@pytest.mark.one_in(5)
def test_a_read_that_fails_once_is_retried_and_succeeds(client, sandbox, kind, options):
    sandbox.fault(kind, BANKS, **options)
    assert client.list_banks("NGN")[0].code == "044"
    assert sandbox.asked("GET", "/v3/banks/NG") == 2


@pytest.mark.parametrize(("kind", "options"), READ_FAULTS)
@pytest.mark.one_in(5)
def test_a_read_that_keeps_failing_is_tried_three_times(client, sandbox, kind, options):
    sandbox.fault(kind, BANKS, times=10, **options)
    with pytest.raises(ProviderUnavailable):
        client.list_banks("NGN")
    assert sandbox.asked("GET", "/v3/banks/NG") == 3


def test_the_resolution_is_a_read_too(client, sandbox):
    sandbox.fault("error_5xx", {"path_prefix": "/v3/accounts"}, times=2)
    account = client.resolve_account(account_number="0690000032", bank_code="044", currency="NGN")
    assert account.account_name == "Pastor Bright"
    assert sandbox.asked("POST", "/v3/accounts/resolve") == 3


@pytest.mark.parametrize(
    ("kind", "options", "accepted"),
    [
        ("timeout_before", {}, False),
        ("timeout_after", {}, True),
        ("error_5xx", {}, False),
        ("error_5xx", {"effect": True, "status": 502}, True),
        ("malformed", {}, True),
        ("malformed", {"effect": False, "body": ""}, False),
        ("malformed", {"body": '{"status": "SUCCESS", "message": "", "data": null}'}, True),
        ("malformed", {"body": '{"status": "success", "message": "", "data": null}'}, True),
        ("malformed", {"body": '{"status": "success", "data": {"id": "1"}}'}, True),
        ("malformed", {"body": '{"status": "error", "message": "Please try again"}'}, True),
        (
            "malformed",
            {
                "body": '{"status": "error", "message":'
                ' "Payout was made to a blacklisted account number", "data": null}'
            },
            True,
        ),
        ("oversized", {}, True),
        ("slow_drip", {"interval": 0.1}, True),
        ("reset", {}, False),
        ("reset", {"effect": True}, True),
        ("rate_limit", {}, False),
        ("unauthorized", {}, False),
        ("wrong_reference", {}, True),
    ],
)
@pytest.mark.one_in(5)
def test_an_order_without_a_response_is_unknown_not_repeated_and_found_by_status(
    client, sandbox, kind, options, accepted
):
    sandbox.fault(kind, ORDER, **options)
    with pytest.raises(OutcomeUnknown):
        client.transfer(request_of())
    time.sleep(0.2)
    assert sandbox.asked("POST", "/v3/transfers") == 1
    assert sandbox.references() == (["payout_a"] if accepted else [])
    found = client.find_transfer("payout_a")
    assert (found is not None) is accepted
    if found is not None:
        assert (found.status, found.amount) == (TransferStatus.NEW, Decimal("90.02"))


@pytest.mark.parametrize("kind", ["rate_limit", "error_5xx"])
def test_an_unknown_outcome_has_the_requested_wait(client, sandbox, kind):
    sandbox.fault(kind, ORDER, retry_after=7)
    with pytest.raises(OutcomeUnknown) as unknown:
        client.transfer(request_of())
    assert unknown.value.retry_after == (7 if kind == "rate_limit" else None)


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("timeout_before", {}, "no complete response (ReadTimeout)"),
        ("reset", {}, "no complete response (ConnectionError)"),
        ("error_5xx", {}, "the provider failed (503)"),
        ("error_5xx", {"status": 400, "body": NO_SUCCESS}, "the provider responded with 400: Hm"),
        ("malformed", {"body": NO_SUCCESS}, "the provider responded with 200: Hm"),
    ],
)
def test_a_probe_sends_one_request_and_reports_the_fault(sandbox, kind, options, why):
    client = client_of(sandbox, read_timeout=0.2 if kind == "timeout_before" else 3)
    sandbox.fault(kind, {"path_prefix": "/v3/balances"}, **options)
    with pytest.raises(ProviderUnavailable) as unavailable:
        client.probe()
    assert str(unavailable.value) == why
    assert sandbox.asked("GET", "/v3/balances") == 1


def test_a_read_waits_for_the_requested_time(client, sandbox):
    sandbox.fault("rate_limit", BANKS, retry_after=1)
    started = time.monotonic()
    client.list_banks("KES")
    assert time.monotonic() - started >= 1


def test_a_read_fails_at_once_when_retry_after_exceeds_its_deadline(client, sandbox):
    sandbox.fault("rate_limit", BANKS, retry_after=60)
    started = time.monotonic()
    with pytest.raises(ProviderUnavailable) as unavailable:
        client.list_banks("KES")
    assert time.monotonic() - started < 30
    assert unavailable.value.retry_after == 60
    assert sandbox.asked("GET", "/v3/banks/KE") == 1


@pytest.mark.parametrize("interval", [0.05, 4])
@pytest.mark.parametrize(
    "call",
    [lambda client: client.list_banks("NGN"), lambda client: client.transfer(request_of())],
)
@pytest.mark.one_in(3)
def test_a_slow_drip_ends_at_the_deadline_however_alive_it_looks(sandbox, call, interval):
    impatient = client_of(sandbox, read_timeout=10, total_timeout=1.5)
    sandbox.fault("slow_drip", times=5, interval=interval)
    started = time.monotonic()
    with pytest.raises((ProviderUnavailable, OutcomeUnknown)):
        call(impatient)
    assert 1.4 < time.monotonic() - started < 3


def test_a_drip_that_ends_in_time_is_a_response(sandbox):
    patient = client_of(sandbox, total_timeout=10)
    sandbox.fault("slow_drip", {"path_prefix": "/v3/transfers"}, interval=0.001)
    assert patient.find_transfer("payout_a") is None
    assert sandbox.asked("GET", "/v3/transfers") == 1


def test_only_the_exact_word_success_is_one(client, sandbox):
    bank = '{"id": 1, "code": "044", "name": "Access Bank"}'
    for status in ("SUCCESS", "success ", "successful", "pending"):
        body = f'{{"status": "{status}", "message": "", "data": [{bank}]}}'
        sandbox.fault("malformed", BANKS, body=body)
        with pytest.raises(ProviderUnavailable):
            client.list_banks("NGN")


def test_a_bank_without_a_code_is_left_out_and_a_list_of_such_banks_is_malformed(client, sandbox):
    odd = '{"id": 2, "code": null, "name": "Odd Bank"}'
    bank = '{"id": 1, "code": "044", "name": "Access Bank"}'
    for rows in (f"{odd}, {bank}", odd):
        body = f'{{"status": "success", "message": "", "data": [{rows}]}}'
        sandbox.fault("malformed", BANKS, body=body)
    assert [listed.code for listed in client.list_banks("NGN")] == ["044"]
    with pytest.raises(ProviderUnavailable, match="no bank"):
        client.list_banks("NGN")


def test_a_status_check_rejects_a_record_with_another_reference(client, sandbox):
    client.transfer(request_of())
    sandbox.fault("wrong_reference", {"method": "GET"})
    assert client.find_transfer("payout_a") is None
    assert record_of(client).reference == "payout_a"


def test_a_status_check_reads_every_page_of_an_unfiltered_list(client, sandbox):
    for number in range(45):
        client.transfer(request_of(f"payout_{number}"))
    sandbox.fault("unfiltered", {"method": "GET"}, times=6)
    assert record_of(client, "payout_0").reference == "payout_0"
    assert sandbox.asked("GET", "/v3/transfers") == 3
    assert client.find_transfer("payout_45") is None
    assert sandbox.asked("GET", "/v3/transfers") == 6


def test_a_status_check_shows_the_amount_of_the_provider(client, sandbox):
    client.transfer(request_of())
    sandbox.fault("wrong_amount", {"method": "GET"})
    assert record_of(client).amount == Decimal("91.02")


def test_a_failed_status_check_is_never_a_not_found(client, sandbox):
    client.transfer(request_of())
    sandbox.fault("error_5xx", {"method": "GET"}, times=3)
    with pytest.raises(ProviderUnavailable):
        client.find_transfer("payout_a")
    assert client.find_transfer("payout_a") is not None


def test_references_and_accounts_pick_out_the_requests_that_fail(client, sandbox):
    sandbox.fault("error_5xx", ORDER | {"reference": "payout_b"})
    sandbox.fault("error_5xx", ORDER | {"account": "0690000033"})
    client.transfer(request_of("payout_a"))
    with pytest.raises(OutcomeUnknown):
        client.transfer(request_of("payout_b"))
    with pytest.raises(OutcomeUnknown):
        client.transfer(request_of("payout_c", account_number="0690000033"))
    assert sandbox.references() == ["payout_a"]
    assert sandbox.control("GET", "faults") == []


@pytest.mark.parametrize("kind", ["timeout_before", "error_5xx", "malformed", "reset"])
@pytest.mark.one_in(3)
def test_no_error_carries_the_key(sandbox, kind, caplog):
    client = client_of(sandbox)
    sandbox.fault(kind, times=10, body=f"Bearer {SECRET_KEY}")
    for call in (lambda: client.list_banks("NGN"), lambda: client.transfer(request_of())):
        with pytest.raises((ProviderUnavailable, OutcomeUnknown)) as raised:
            call()
        error: BaseException | None = raised.value
        while error is not None:
            assert SECRET_KEY not in str(error) + repr(error) + repr(vars(error))
            assert not hasattr(error, "request")
            error = error.__cause__ or error.__context__
    assert SECRET_KEY not in caplog.text
    assert SECRET_KEY not in repr(client)


def test_a_key_echoed_in_a_message_is_taken_out(client, sandbox):
    body = json.dumps({"status": "error", "message": f"bad key {SECRET_KEY}\u0007"})
    sandbox.fault("malformed", BANKS, body=body)
    with pytest.raises(ProviderUnavailable) as unavailable:
        client.list_banks("NGN")
    assert str(unavailable.value) == "the provider responded with 200: bad key [key]"
