"""`/v1/api/credit/loan-configuration`: exact answers, and who sees what."""

import json
import re
from decimal import Decimal

import pytest

from credit.configurations.models import ConfigurationVersion, LoanConfiguration
from credit.configurations.services import configurations
from tests.assertions.openapi import data_properties, document
from tests.factories.api_clients import (
    TESTER,
    ApiCaller,
    assert_error,
    make_caller,
    make_organisation,
)
from tests.factories.loan_configurations import (
    approve_pending,
    make_configuration,
    make_terms,
    pending_version,
)
from tests.factories.loan_proposals import PATH, body_of, body_with_field, put_configuration
from tests.factories.wallets import make_staff
from tests.factories.withdrawals import exact_json

pytestmark = pytest.mark.django_db

NOT_FOUND = "Loan configuration not found"
ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
SHOWN_TO_ALL = [
    "id", "name", "creditor", "access", "investment_categories", "min_amount", "max_amount",
    "max_outstanding",
    "collateral_ratio", "interest_rate", "duration", "grace_period", "grace_period_unit", "status",
]  # fmt: skip
SHOWN_TO_CREDITOR = [*SHOWN_TO_ALL, "organisation_ids", "reason", "pending"]
CURRENCIES = "NGN, KES, GHS, ZAR, UGX, TZS, USD"


def listed(caller: ApiCaller, **query: str) -> list[str]:
    answer = caller.get(PATH, query)
    assert answer.status_code == 200, answer.content
    return [row["id"] for row in answer.json()["data"]]


def test_a_proposal_is_answered_with_exactly_this_text(lender: ApiCaller):
    text = json.dumps(body_of()).replace("0.8", "0.800000000").replace("12,", "12.0,")
    response = lender.post(PATH, text)
    assert response.status_code == 201, response.content
    expected = (
        r'\{"status":"success","message":"Loan configuration proposed","data":'
        rf'\{{"id":"{ID}","name":"Secured","creditor":\{{"id":"{lender.organisation.id}",'
        rf'"name":"{lender.organisation.name}"\}},"access":"public",'
        r'"investment_categories":\["Bond","Fund"\],'
        r'"min_amount":\{"NGN":0\.2,"UGX":20\},'
        r'"max_amount":\{"NGN":2000000\.5,"UGX":70000000\},"max_outstanding":\{"NGN":50000000\},'
        r'"collateral_ratio":0\.8,"interest_rate":0\.05,"duration":12,"grace_period":7,'
        r'"grace_period_unit":"DAYS","status":"Pending","organisation_ids":\[\],"reason":null,'
        r'"pending":null\}\}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()


def test_what_is_left_out_takes_its_default(lender: ApiCaller):
    body = body_of()
    for name in ("access", "max_outstanding", "grace_period", "grace_period_unit"):
        del body[name]
    data = lender.post(PATH, body).json()["data"]
    assert (data["access"], data["organisation_ids"]) == ("own", [])
    assert (data["max_outstanding"], data["grace_period"]) == ({}, 0)
    assert data["grace_period_unit"] == "DAYS"


def test_rates_and_amounts_keep_every_digit(lender: ApiCaller):
    body = body_with_field("max_amount", '{"NGN": 999999999999999.99, "UGX": 1e15}').replace(
        "0.05", "0.12345678"
    )
    response = lender.post(PATH, body.replace('"max_outstanding": {"NGN": 50000000}, ', ""))
    data = exact_json(response)["data"]
    assert data["max_amount"] == {"NGN": Decimal("999999999999999.99"), "UGX": Decimal(10) ** 15}
    assert data["interest_rate"] == Decimal("0.12345678")
    assert b'"UGX":1000000000000000}' in response.content


def test_words_may_be_written_in_any_case(lender: ApiCaller):
    body = body_of(access="PUBLIC", investment_categories=["etf", "REAL estate"])
    data = lender.post(PATH, body).json()["data"]
    assert (data["access"], data["investment_categories"]) == ("public", ["ETF", "Real Estate"])


def test_fields_the_server_owns_and_unknown_ones_have_no_effect(lender: ApiCaller):
    other = make_organisation()
    owned = {
        "id": str(other.id),
        "status": "Approved",
        "creditor": {"id": str(other.id)},
        "creditor_id": str(other.id),
        "number": 9,
        "proposed_by": "staff:1",
        "pending": {"name": "x"},
        "reason": "x",
        "nonsense": [1],
    }
    data = lender.post(PATH, body_of(**owned)).json()["data"]
    assert data["status"] == "Pending"
    assert data["creditor"]["id"] == str(lender.organisation.id)
    assert data["id"] != owned["id"]
    version = ConfigurationVersion.objects.get(configuration_id=data["id"])
    assert version.proposed_by == f"api_key:{lender.key.id}"


def test_the_same_idempotency_key_proposes_once(lender: ApiCaller):
    first = lender.post(PATH, body_of(), Idempotency_Key="one")
    second = lender.post(PATH, body_of(), Idempotency_Key="one")
    assert first.json() == second.json()
    assert second["Idempotent-Replayed"] == "true"
    assert_error(
        lender.post(PATH, body_of(name="Other"), Idempotency_Key="one"),
        422,
        "idempotency_key_reused",
    )
    assert LoanConfiguration.objects.count() == 1


def test_only_those_it_is_open_to_see_a_configuration_and_only_while_approved(lender: ApiCaller):
    named, stranger = make_caller(), make_caller()
    own = make_configuration(lender.organisation)
    shared = make_configuration(
        lender.organisation, access="organisations", organisation_ids=[named.organisation.id]
    )
    public = make_configuration(lender.organisation, access="public")
    unapproved = make_configuration(lender.organisation, access="public", approved=False)
    retired = make_configuration(lender.organisation, access="public")
    configurations.retire(configuration_id=retired.id, user=make_staff("decide_configuration"))
    assert listed(lender) == [str(c.id) for c in (retired, unapproved, public, shared, own)]
    assert listed(named) == [str(public.id), str(shared.id)]
    assert listed(stranger) == [str(public.id)]
    for configuration in (own, unapproved, retired):
        for caller in (named, stranger):
            assert_error(
                caller.get(f"{PATH}/{configuration.id}"),
                404,
                "loan_configuration_not_found",
                NOT_FOUND,
            )
    assert_error(
        stranger.get(f"{PATH}/{shared.id}"),
        404,
        "loan_configuration_not_found",
        NOT_FOUND,
    )
    seen = named.get(f"{PATH}/{shared.id}").json()["data"]
    assert list(seen) == SHOWN_TO_ALL
    assert seen["status"] == "Approved"
    assert list(lender.get(f"{PATH}/{shared.id}").json()["data"]) == SHOWN_TO_CREDITOR


def test_the_list_is_an_array_and_filters_by_state_and_currency(lender: ApiCaller):
    naira = make_configuration(lender.organisation)
    shillings = make_configuration(
        lender.organisation, max_amount={"KES": Decimal(5)}, approved=False
    )
    answer = lender.get(PATH)
    assert answer.json()["message"] == "Loan configurations retrieved"
    assert isinstance(answer.json()["data"], list)
    assert "meta" not in answer.json()
    assert listed(lender, status="approved") == [str(naira.id)]
    assert listed(lender, status="PENDING", currency="kes") == [str(shillings.id)]
    assert listed(lender, currency="GHS") == []
    assert listed(lender) == [str(shillings.id), str(naira.id)]
    assert_error(
        lender.get(PATH, {"status": "Active"}),
        400,
        "invalid_request",
        "status must be one of [Pending, Approved, Rejected, Retired]",
    )
    assert_error(
        lender.get(PATH, {"currency": "EUR"}),
        400,
        "invalid_currency",
        f"Currency must be one of [{CURRENCIES}]",
    )


def test_the_currency_filter_goes_by_the_terms_in_force_not_by_those_that_wait(lender: ApiCaller):
    configuration = make_configuration(lender.organisation)
    configurations.propose_change(
        configuration_id=configuration.id,
        terms=make_terms(max_amount={"KES": Decimal(5)}),
        actor=TESTER,
    )
    assert listed(lender, currency="KES") == []
    assert listed(lender, currency="NGN") == [str(configuration.id)]
    approve_pending(configuration)
    assert listed(lender, currency="KES") == [str(configuration.id)]
    assert listed(lender, currency="NGN") == []


def test_a_change_waits_beside_the_terms_in_force_and_only_the_creditor_sees_it(lender: ApiCaller):
    configuration = make_configuration(lender.organisation, access="public", name="Old")
    response = put_configuration(lender, configuration, body_of(name="New", collateral_ratio=0.5))
    assert response.status_code == 200, response.content
    assert response.json()["message"] == "Loan configuration change proposed"
    data = response.json()["data"]
    assert (data["name"], data["status"], data["collateral_ratio"]) == ("Old", "Approved", 0.8)
    proposed = data["pending"]
    assert (proposed["name"], proposed["collateral_ratio"]) == ("New", 0.5)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", proposed["proposed_at"])
    seen = make_caller().get(f"{PATH}/{configuration.id}").json()["data"]
    assert seen["name"] == "Old"
    assert "pending" not in seen
    assert_error(
        put_configuration(lender, configuration, body_of(name="Newer")),
        409,
        "change_pending",
        "Another change of this loan configuration waits for a decision",
    )
    approve_pending(configuration)
    after = lender.get(f"{PATH}/{configuration.id}").json()["data"]
    assert (after["name"], after["pending"], after["id"]) == ("New", None, data["id"])


def test_a_configuration_put_back_as_it_was_read_is_well_formed(lender: ApiCaller):
    borrower = make_organisation()
    made = lender.post(
        PATH, body_of(access="organisations", organisation_ids=[str(borrower.id)])
    ).json()["data"]
    again = put_configuration(lender, made["id"], made)
    assert again.status_code == 200, again.content
    assert again.json()["data"] == made


def test_terms_that_wait_for_the_first_approval_are_replaced(lender: ApiCaller):
    configuration = make_configuration(lender.organisation, approved=False)
    data = put_configuration(lender, configuration, body_of(name="Better")).json()["data"]
    assert (data["name"], data["status"], data["pending"]) == ("Better", "Pending", None)
    assert data["reason"] is None


def test_a_rejected_configuration_tells_why_and_may_be_proposed_anew(lender: ApiCaller):
    configuration = make_configuration(lender.organisation, approved=False)
    configurations.reject(
        version_id=pending_version(configuration).id,
        user=make_staff("decide_configuration"),
        reason='Too "generous"',
    )
    data = lender.get(f"{PATH}/{configuration.id}").json()["data"]
    assert (data["status"], data["reason"]) == ("Rejected", 'Too "generous"')
    data = put_configuration(lender, configuration, body_of()).json()["data"]
    assert (data["status"], data["reason"]) == ("Pending", None)


def test_a_retired_configuration_is_changed_no_more(lender: ApiCaller):
    configuration = make_configuration(lender.organisation)
    configurations.retire(
        configuration_id=configuration.id, user=make_staff("decide_configuration")
    )
    assert_error(
        put_configuration(lender, configuration, body_of()),
        409,
        "state_conflict",
        "The loan configuration is Retired: that is final",
    )
    assert lender.get(f"{PATH}/{configuration.id}").json()["data"]["status"] == "Retired"


def test_only_the_creditor_proposes_a_change(lender: ApiCaller):
    configuration = make_configuration(lender.organisation, access="public")
    assert_error(
        put_configuration(make_caller(), configuration, body_of()),
        404,
        "loan_configuration_not_found",
        NOT_FOUND,
    )
    assert configuration.versions.count() == 1


@pytest.mark.parametrize(
    "unknown",
    ["nonsense", "0197f0c2-7b1e-7c3a-9d55-0d2f6a1b9c10", "0197F0C27B1E7C3A9D550D2F6A1B9C10", "1"],
)
def test_an_id_of_nothing_is_not_found(lender: ApiCaller, unknown):
    assert_error(lender.get(f"{PATH}/{unknown}"), 404, "loan_configuration_not_found", NOT_FOUND)
    assert_error(
        put_configuration(lender, unknown, body_of()),
        404,
        "loan_configuration_not_found",
        NOT_FOUND,
    )


def test_reading_and_proposing_each_need_their_scope():
    reader, writer = make_caller(["credit:read"]), make_caller(["credit:write"])
    mine = make_configuration(reader.organisation)
    assert_error(reader.post(PATH, body_of()), 403, "insufficient_scope")
    assert_error(put_configuration(reader, mine, body_of()), 403, "insufficient_scope")
    assert_error(writer.get(PATH), 403, "insufficient_scope")
    assert_error(writer.get(f"{PATH}/{mine.id}"), 403, "insufficient_scope")
    assert writer.post(PATH, body_of()).status_code == 201


def test_the_schema_declares_what_each_view_shows():
    schema = document()
    declared = schema["components"]["schemas"]["LoanConfiguration"]
    assert list(declared["properties"]) == SHOWN_TO_CREDITOR
    assert declared["required"] == SHOWN_TO_ALL
    listing = schema["paths"][PATH]["get"]
    assert {p["name"] for p in listing["parameters"]} == {"status", "currency"}
    assert data_properties("get", PATH)["data"]["type"] == "array"
