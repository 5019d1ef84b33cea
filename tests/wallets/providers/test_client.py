"""Every documented call, between the client and the sandbox over HTTP."""

import json
from decimal import Decimal

import pytest

from config.local.sandbox.banks import bank_by_code
from config.local.sandbox.rules import COUNTRY_OF_CURRENCY
from tests.wallets.providers.harness import Sandbox, client_of, request_of
from wallets.providers.base import (
    AccountNotResolved,
    BankEntry,
    DuplicateReference,
    InsufficientFloat,
    NeverSent,
    OutcomeUnknown,
    ProviderUnavailable,
    RecipientDeclined,
    RecipientIdentity,
    ResolutionUnsupported,
    ResolvedAccount,
    TransferStatus,
    UnsupportedCurrency,
)

ORDER = {"method": "POST", "path_prefix": "/v3/transfers"}
IDENTITY = RecipientIdentity(
    first_name="Thandi",
    last_name="Nkosi",
    email="thandi@example.com",
    mobile_number="+27820000000",
    address="1 Long Street, Cape Town",
)


@pytest.mark.parametrize("currency", ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS"])
@pytest.mark.one_in(3)
def test_each_currency_lists_ten_banks_or_more_with_distinct_codes_and_names(client, currency):
    banks = client.list_banks(currency)
    assert len(banks) >= 10
    assert len({bank.code for bank in banks}) == len(banks)
    assert len({bank.name for bank in banks}) == len(banks)
    assert len({bank.id for bank in banks}) == len(banks)


def test_nigerian_banks_have_their_published_codes(client):
    codes = {bank.name: bank.code for bank in client.list_banks("NGN")}
    assert codes["Access Bank"] == "044"
    assert codes["Guaranty Trust Bank"] == "058"
    assert codes["Zenith Bank"] == "057"
    assert BankEntry(id=101, name="Access Bank", code="044") in client.list_banks("NGN")


def test_the_bank_list_of_a_currency_without_one_is_not_requested(client, sandbox):
    with pytest.raises(UnsupportedCurrency):
        client.list_banks("USD")
    assert sandbox.control("GET", "requests") == []


def test_a_published_test_account_resolves_to_its_name(client):
    assert client.resolve_account(
        account_number="0690000036", bank_code="044", currency="NGN"
    ) == ResolvedAccount(account_number="0690000036", account_name="Bode George")


def test_all_published_test_accounts_resolve_always_to_the_same_names(client):
    def names():
        return [
            client.resolve_account(
                account_number=str(690000031 + n).zfill(10), bank_code="044", currency="NGN"
            ).account_name
            for n in range(11)
        ]

    first = names()
    assert all(" " in name for name in first)
    assert names() == first


@pytest.mark.parametrize(
    ("account_number", "bank_code"),
    [("0000000000", "044"), ("069000003", "044"), ("06900000311", "044"), ("0690000031", "999")],
)
def test_an_unknown_account_does_not_resolve(client, account_number, bank_code):
    with pytest.raises(AccountNotResolved, match="could not be validated"):
        client.resolve_account(account_number=account_number, bank_code=bank_code, currency="NGN")


def test_the_name_of_another_account_is_not_believed(client, sandbox):
    other = {"account_number": "0690000036", "account_name": "Bode George"}
    body = json.dumps({"status": "success", "message": "", "data": other})
    sandbox.fault("malformed", {"path_prefix": "/v3/accounts"}, body=body)
    with pytest.raises(ProviderUnavailable, match="another account than requested"):
        client.resolve_account(account_number="0690000031", bank_code="044", currency="NGN")


@pytest.mark.parametrize("currency", ["KES", "GHS", "ZAR", "UGX", "TZS"])
def test_only_the_names_of_naira_accounts_are_requested(client, sandbox, currency):
    with pytest.raises(ResolutionUnsupported):
        client.resolve_account(account_number="0690000031", bank_code="01", currency=currency)
    assert sandbox.control("GET", "requests") == []


def test_a_transfer_is_accepted_as_new_with_exact_amounts(client):
    record = client.transfer(request_of(amount=Decimal("123456789012.34")))
    assert record.reference == "payout_a"
    assert record.status is TransferStatus.NEW
    assert record.amount == Decimal("123456789012.34")
    assert record.fee == Decimal("53.75")
    assert record.currency == "NGN"
    assert (record.bank_code, record.account_number) == ("044", "0690000031")
    assert record.complete_message == ""
    assert record.raw["full_name"] == "Forrest Green"
    assert record.raw["bank_name"] == "Access Bank"


def test_a_transfer_is_found_by_reference(client):
    sent = client.transfer(request_of())
    client.transfer(request_of("payout_b"))
    assert client.find_transfer("payout_a") == sent


def test_a_transfer_that_the_provider_does_not_have_is_none(client):
    assert client.find_transfer("payout_a") is None


def test_the_same_reference_again_is_a_duplicate_and_moves_nothing(client, sandbox):
    client.transfer(request_of())
    floats = sandbox.control("GET", "float")
    with pytest.raises(DuplicateReference):
        client.transfer(request_of(amount=Decimal(7)))
    assert sandbox.references() == ["payout_a"]
    assert sandbox.control("GET", "float") == floats


def test_a_blacklisted_account_is_refused_for_good(client, sandbox):
    with pytest.raises(RecipientDeclined, match="blacklisted"):
        client.transfer(request_of(account_number="0690000036"))
    assert sandbox.references() == []


def test_insufficient_float_is_recognised_and_a_covered_transfer_is_accepted(client, sandbox):
    sandbox.control("POST", "float", currency="NGN", amount="100.77")
    with pytest.raises(InsufficientFloat):
        client.transfer(request_of(amount=Decimal("90.03")))
    assert sandbox.references() == []
    client.transfer(request_of(amount=Decimal("90.02")))
    assert sandbox.control("GET", "float")["NGN"] == 0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bank_code": "no-such-bank"}, "valid bank code"),
        ({"currency": "USD"}, "not supported"),
        ({"currency": "GHS", "bank_code": "GH280100"}, "destination_branch_code"),
        ({"currency": "UGX", "bank_code": "SBICUGKX"}, "destination_branch_code"),
        ({"currency": "TZS", "bank_code": "NMIBTZTZ"}, "destination_branch_code"),
        ({"currency": "ZAR", "bank_code": "632005"}, "first_name"),
    ],
)
def test_a_refusal_that_is_not_listed_leaves_the_outcome_unknown(client, sandbox, changes, reason):
    with pytest.raises(OutcomeUnknown, match=reason):
        client.transfer(request_of(**changes))
    assert sandbox.references() == []


@pytest.mark.parametrize(
    ("currency", "bank_code"),
    [("GHS", "GH280100"), ("UGX", "SBICUGKX"), ("TZS", "NMIBTZTZ")],
)
def test_branch_corridors_pay_with_a_branch(client, currency, bank_code):
    bank = bank_by_code(COUNTRY_OF_CURRENCY[currency], bank_code)
    assert bank is not None
    branch = bank.branches[0]
    record = client.transfer(
        request_of(currency=currency, bank_code=bank_code, branch_code=branch.code)
    )
    assert (record.status, record.currency) == (TransferStatus.NEW, currency)


def test_a_rand_transfer_pays_with_the_recipients_identity(client):
    record = client.transfer(request_of(currency="ZAR", bank_code="632005", recipient=IDENTITY))
    assert record.status is TransferStatus.NEW
    assert record.raw["meta"] == [
        {
            "first_name": "Thandi",
            "last_name": "Nkosi",
            "email": "thandi@example.com",
            "mobile_number": "+27820000000",
            "recipient_address": "1 Long Street, Cape Town",
        }
    ]


def test_a_shilling_transfer_needs_neither(client):
    assert client.transfer(request_of(currency="KES", bank_code="68")).fee == Decimal(100)


@pytest.mark.parametrize(
    ("amount", "fee"),
    [
        ("1", "10.75"),
        ("5000", "10.75"),
        ("5000.01", "26.875"),
        ("50000", "26.875"),
        ("50000.01", "53.75"),
    ],
)
def test_naira_fees_are_the_documented_ones(client, amount, fee):
    assert client.transfer(request_of(amount=Decimal(amount))).fee == Decimal(fee)


def test_balances_show_the_float_after_amount_and_fee(client, sandbox):
    sandbox.control("POST", "float", currency="NGN", amount=1000)
    client.transfer(request_of(amount=Decimal("90.02")))
    balances = {balance.currency: balance for balance in client.balances()}
    assert set(balances) == {"NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"}
    assert balances["NGN"].available == Decimal("899.23")
    assert balances["NGN"].ledger == Decimal("899.23")


def test_a_wrong_key_is_unavailable_for_reads_without_a_retry_and_unknown_for_transfers(sandbox):
    stranger = client_of(sandbox, secret_key="FLWSECK-wrong")
    with pytest.raises(ProviderUnavailable, match="401"):
        stranger.list_banks("NGN")
    assert sandbox.asked("GET", "/v3/banks/NG") == 1
    with pytest.raises(OutcomeUnknown, match="401"):
        stranger.transfer(request_of())
    assert sandbox.references() == []


def test_a_provider_that_is_not_there_is_certain_to_have_seen_nothing(sandbox: Sandbox):
    gone = client_of(sandbox)
    sandbox.server.stop()
    with pytest.raises(NeverSent):
        gone.transfer(request_of())
    with pytest.raises(ProviderUnavailable):
        gone.find_transfer("payout_a")


def test_only_a_sentence_that_says_so_is_a_not_found(client, sandbox):
    def resolve() -> object:
        return client.resolve_account(account_number="1", bank_code="044", currency="NGN")

    sentence = "Account not found"
    for status, body in (
        (400, {"status": "error", "message": "Please try again"}),
        (403, {"status": "error", "message": sentence}),
        (200, {"status": "error", "message": sentence}),
        (200, {"status": "success", "message": sentence}),
    ):
        sandbox.fault("error_5xx", status=status, body=json.dumps(body))
        with pytest.raises(ProviderUnavailable):
            resolve()
    said = json.dumps({"status": "error", "message": f" {sentence} "})
    sandbox.fault("error_5xx", status=400, body=said, times=2)
    with pytest.raises(AccountNotResolved, match=f"^{sentence}$"):
        resolve()


@pytest.mark.parametrize(
    ("kind", "options", "why", "outage"),
    [
        ("timeout_before", {}, "no complete response (ReadTimeout)", True),
        ("reset", {}, "no complete response (ConnectionError)", True),
        ("error_5xx", {"status": 502}, "the provider failed (502)", True),
        ("rate_limit", {}, "the provider limits the request rate (429)", True),
        ("unauthorized", {}, "the provider rejected the API key (401)", True),
        ("malformed", {}, "malformed response: body is not JSON", True),
        (
            "malformed",
            {"body": '{"status": "success", "data": []}'},
            "malformed response: transfer is not an object",
            True,
        ),
        (
            "wrong_reference",
            {},
            "malformed response: another reference than sent",
            True,
        ),
        (
            "malformed",
            {"body": '{"status": "error", "message": "Please try again"}'},
            "the provider responded with 200: Please try again",
            False,
        ),
    ],
)
def test_an_unknown_outcome_distinguishes_an_outage_from_a_response(
    sandbox, kind, options, why, outage
):
    client = client_of(sandbox, read_timeout=0.2 if kind == "timeout_before" else 3)
    sandbox.fault(kind, ORDER, **options)
    with pytest.raises(OutcomeUnknown) as unknown:
        client.transfer(request_of())
    assert (str(unknown.value), unknown.value.outage) == (why, outage)
