"""Outcomes by API: every address, who may call it, what it refuses, and where it is absent."""

import json
import re

import pytest
from django.conf import settings as installed
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

from config.local.demo import loader
from config.local.demo.data import ORGANISATIONS, DemoParticipant
from config.local.outcomes.people import FIRST, PREPARER, SECOND, create_identities
from config.local.outcomes.samples import sample_data
from config.local.outcomes.settings import is_sandbox
from exchange.core.errors import InvalidRequest
from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.participants.services.api_keys import get_live_keys, issue_api_key
from exchange.staff.models import SecondFactor, StaffUser
from tests.environment.owner import as_owner, owner_alias
from tests.factories.api_clients import TESTER, assert_error, make_caller, make_organisation
from tests.factories.distributions import make_holding, propose
from tests.factories.lending import make_lending
from tests.factories.outcomes import Client
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db]

ADDRESSES = (
    *(
        f"withdrawals/{{id}}/{outcome}"
        for outcome in ("approve", "reject", "complete", "fail", "return")
    ),
    *("deposits", "deposits/{id}/dispute"),
    *(f"loans/{{id}}/{outcome}" for outcome in ("fall-due", "default", "shortfall")),
    *("distributions/{id}/record", "distributions/{id}/pay", "events"),
)


def test_no_address_or_scope_exists_without_the_sandbox():
    caller = make_caller()
    for address in ADDRESSES:
        answer = caller.post(f"/v1/sandbox/{address.format(id=uuid7())}")
        assert_error(answer, 404, "not_found")
    assert "sandbox" not in installed.SCOPES
    with pytest.raises(InvalidRequest, match="Unknown scopes: sandbox"):
        make_caller(["sandbox"])


@pytest.mark.parametrize(
    ("url", "key", "expected"),
    [
        ("http://127.0.0.1:8001/v3", "FLWSECK_TEST-1-X", True),
        ("http://[::1]:8001/v3", "FLWSECK_TEST-1-X", True),
        ("http://127.0.0.1:8001/v3", "FLWSECK-1-X", False),
        ("https://api.flutterwave.com/v3", "FLWSECK_TEST-1-X", False),
        ("https://127.0.0.1.example.com/v3", "FLWSECK_TEST-1-X", False),
        ("https://sandbox.example.com/v3", "", False),
    ],
)
def test_a_real_provider_is_no_sandbox(url, key, expected):
    assert is_sandbox({"base_url": url, "secret_key": key}) is expected


def test_the_document_describes_every_address_once_it_exists(sandbox_urls, settings):
    hooks = settings.SPECTACULAR_SETTINGS["POSTPROCESSING_HOOKS"]
    with patched_settings({"POSTPROCESSING_HOOKS": hooks}):
        document = SchemaGenerator().get_schema(public=True)
    described = {
        path.removeprefix("/v1/sandbox/"): operations
        for path, operations in document["paths"].items()
        if path.startswith("/v1/sandbox/")
    }
    assert {re.sub(r"\{\w+\}", "{id}", path) for path in described} == set(ADDRESSES)
    assert all(list(operations) == ["post"] for operations in described.values())
    assert document["tags"][-1]["name"] == "Sandbox"
    assert document["x-tagGroups"][0]["tags"][-1] == "Sandbox"


def test_a_key_without_the_scope_is_refused_everywhere(sandbox_urls):
    caller = make_caller([scope for scope in installed.SCOPES if scope != "sandbox"])
    for address in ADDRESSES:
        answer = caller.post(f"/v1/sandbox/{address.format(id=uuid7())}", {})
        assert_error(answer, 403, "insufficient_scope")


def test_records_of_others_do_not_exist(sandbox):
    mine = Client()
    withdrawal = mine.withdraw()
    loan = make_lending().lend()
    holding = make_holding()
    distribution = propose(holding.token)
    other = Client()
    for address in ADDRESSES:
        if "{id}" not in address:
            continue
        record = {"w": withdrawal, "d": distribution.pk, "l": loan.pk}[address[0]]
        kind = address.split("/")[0].removesuffix("s")
        for name in (record, uuid7(), "x"):
            answer = other.set(address.format(id=name))
            assert_error(answer, 404, f"{kind}_not_found")
    answer = other.set("deposits", {"deposit": str(uuid7())})
    assert_error(answer, 404, "deposit_not_found")
    answer = other.set("deposits", {"account_number": "9900000000", "amount": 5})
    assert_error(answer, 404, "virtual_account_not_found")
    assert Withdrawal.objects.get(pk=withdrawal).status == "Pending"
    loan.refresh_from_db()
    distribution.refresh_from_db()
    assert (loan.status, distribution.status) == ("ACTIVE", "Draft")


def test_the_identities_cannot_sign_in(sandbox):
    for name in (PREPARER, FIRST, SECOND):
        person = StaffUser.objects.get(username=name)
        assert not person.has_usable_password()
        assert not person.check_password("")
        assert not SecondFactor.objects.filter(user=person).exists()
    with as_owner():
        create_identities(owner_alias())
    assert StaffUser.objects.filter(username__startswith="sandbox.").count() == 3


def test_the_demo_replaces_a_key_without_the_scope_once(sandbox_urls):
    firm = make_organisation()
    party = DemoParticipant(ORGANISATIONS[0], firm, ())
    scopes = [scope for scope in installed.SCOPES if scope != "sandbox"]
    earlier, _ = issue_api_key(
        organisation=firm, name=loader._KEY_NAME, scopes=scopes, actor=TESTER
    )
    entry = {"id": str(firm.pk), "client_id": earlier.client_id}
    made = loader._credentials(party, {"organisations": [entry]})
    earlier.refresh_from_db()
    assert earlier.revoked_at is not None
    assert loader._credentials(party, {"organisations": [made]}) == made
    [key] = get_live_keys(firm)
    assert (key.client_id, set(key.scopes)) == (made["client_id"], set(installed.SCOPES))


def test_without_identities_nothing_is_decided(sandbox_urls, provider_sandbox):
    client = Client()
    withdrawal = client.withdraw()
    for outcome in ("approve", "reject"):
        assert_error(client.decide(withdrawal, outcome), 409, "sandbox_not_prepared")
    assert (Withdrawal.objects.get(pk=withdrawal).status, client.available) == ("Pending", 95_000)


def test_every_type_has_a_sample_and_is_an_event_like_any_other(sandbox_urls):
    make_organisation()
    client = Client()
    assert set(sample_data()) == set(installed.EVENT_TYPES)
    for event_type in installed.EVENT_TYPES:
        made = client.set("events", {"type": event_type})
        assert made.status_code == 201, made.content
        event = Event.objects.get(pk=made.json()["data"]["id"])
        assert event.organisation_id == client.wallet.organisation.pk
        assert json.loads(event.body)["data"] == sample_data()[event_type]
    for body in ({}, {"type": None}, {"type": "loan.vanished"}, {"type": 5}, {"type": ["x"]}):
        assert_error(client.set("events", body), 400, "invalid_request")
    assert client.set("events", {"type": "LOAN.created"}).json()["data"]["type"] == "loan.created"
