"""Tax rates by two people: what is refused, what PostgreSQL enforces, and their pages."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from psycopg import errors

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from credit.tax_rates.models import TaxRate
from credit.tax_rates.services import approve_rate, propose_rate, reject_rate
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from tests.assertions.unchanged import assert_no_table_changes, assert_nothing_changes
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.back_office import (
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.tax_rates import (
    make_rate,
    rate_decider,
    rate_proposer,
    rate_terms,
    today,
)
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
OWN: dict[str, Any] = {"valid_until": DAY}


def test_a_rate_is_proposed_by_one_and_approved_by_another():
    proposer = rate_proposer()
    proposed = propose_rate(terms=rate_terms("7.5", residence="KE"), user=proposer)
    assert (proposed.status, proposed.scope) == ("Pending", "Anyone resident in KE")
    rate = approve_rate(rate_id=proposed.pk, user=rate_decider())
    rate.refresh_from_db()
    assert (rate.status, rate.percent) == ("Approved", Decimal("7.5"))
    assert (rate.proposed_by, rate.decided_by_id is not None) == (proposer, True)


def test_the_rate_of_a_member_names_its_organisation():
    member = make_member(make_organisation())
    rate = make_rate(1, owner=member, **OWN)
    assert (rate.member, rate.organisation) == (member, member.organisation)
    assert rate.scope == member.name


def test_a_rate_is_not_approved_by_its_proposer():
    person = make_staff("propose_taxrate", "decide_taxrate")
    proposed = propose_rate(terms=rate_terms(), user=person)
    with assert_no_table_changes(), pytest.raises(Rejected, match="Someone other"):
        approve_rate(rate_id=proposed.pk, user=person)
    own = propose_rate(terms=rate_terms(owner=make_organisation(), **OWN), user=person)
    with assert_no_table_changes(), pytest.raises(Rejected, match="Someone other"):
        approve_rate(rate_id=own.pk, user=person)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"percent": "-0.0001"}, "percent must be from 0 to 100"),
        ({"percent": "100.0001"}, "percent must be from 0 to 100"),
        ({"percent": "NaN"}, "percent must be from 0 to 100"),
        ({"percent": "1.00001"}, "percent must not have more than 4 decimals"),
        ({"type": "Principal"}, "type must be one of Dividend, Interest, Redemption, Exit"),
        ({"issuer_country": "XX"}, "issuer_country must be the ISO code of a country, such as NG"),
        ({"issuer_country": ""}, "issuer_country must be the ISO code of a country, such as NG"),
        ({"residence": "uk"}, "residence must be the ISO code of a country, such as NG"),
        ({"holder_kind": "firm"}, "holder_kind must be person or company"),
        ({"valid_from": -DAY}, "valid_from must not be in the past (UTC)"),
        (OWN, "Only the rate of one owner has a last day: another replaces this"),
        ({"note": " "}, "Enter a note"),
    ],
)
def test_a_wrong_rate_is_refused(changes, message):
    person = rate_proposer()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as found:
        propose_rate(terms=rate_terms(**{"percent": 10, **changes}), user=person)
    assert found.value.message == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"valid_until": None}, "The rate of one owner needs a last day"),
        ({"valid_from": 2 * DAY}, "valid_until must not be before valid_from"),
        ({"residence": "KE"}, "The rate of one owner names neither holder_kind nor residence"),
        ({"holder_kind": "person"}, "The rate of one owner names neither"),
    ],
)
def test_a_wrong_rate_of_one_owner_is_refused(changes, message):
    person, owner = rate_proposer(), make_organisation()
    with assert_no_table_changes(), pytest.raises(InvalidRequest, match=message):
        propose_rate(terms=rate_terms(owner=owner, **{**OWN, **changes}), user=person)


def test_one_rate_for_the_same_owners_is_pending_at_a_time():
    person = rate_proposer()
    propose_rate(terms=rate_terms(), user=person)
    with assert_no_table_changes(), pytest.raises(Conflict):
        propose_rate(terms=rate_terms(12), user=person)
    propose_rate(terms=rate_terms(residence="KE"), user=person)
    make_rate(5, holder_kind="person")


def test_who_may_and_what_is_decided_once():
    proposed = propose_rate(terms=rate_terms(), user=rate_proposer())
    stranger = make_staff("decide_distribution")
    with assert_no_table_changes():
        with pytest.raises(Forbidden):
            propose_rate(terms=rate_terms(), user=stranger)
        with pytest.raises(Forbidden):
            approve_rate(rate_id=proposed.pk, user=stranger)
        with pytest.raises(Forbidden):
            reject_rate(rate_id=proposed.pk, reason="Not the law of the day", user=stranger)
    decider = rate_decider()
    reject_rate(rate_id=proposed.pk, reason="Not the law of the day", user=decider)
    with assert_no_table_changes(), pytest.raises(StateConflict):
        approve_rate(rate_id=proposed.pk, user=decider)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE credit_taxrate SET status = 'Approved', decided_by_id = proposed_by_id,"
        " decided_at = now() WHERE id = %(id)s",
        "UPDATE credit_taxrate SET percent = 0 WHERE id = %(id)s",
        "UPDATE credit_taxrate SET valid_from = '2020-01-01' WHERE id = %(id)s",
        "DELETE FROM credit_taxrate WHERE id = %(id)s",
        "INSERT INTO credit_taxrate (id, status, proposed_by_id, created_at, decided_by_id,"
        " decided_at, reason, type, issuer_country, holder_kind, residence, percent, valid_from,"
        " note) SELECT gen_random_uuid(), 'Approved', proposed_by_id, now(), proposed_by_id, now(),"
        " '', type, issuer_country, holder_kind, residence, 0, valid_from, note"
        " FROM credit_taxrate WHERE id = %(id)s",
    ],
)
@pytest.mark.parametrize("owned", [False, True])
def test_the_service_alone_changes_no_rate(runtime, attack, owned):
    more: dict[str, Any] = {"owner": make_organisation(), **OWN} if owned else {}
    proposed = propose_rate(terms=rate_terms(**more), user=rate_proposer())
    refusals = (errors.CheckViolation, errors.RestrictViolation, errors.InsufficientPrivilege)
    with assert_nothing_changes(), pytest.raises(refusals):
        runtime.execute(attack, {"id": proposed.pk})


@pytest.mark.parametrize("percent", ["-0.01", "100.01"])
def test_the_table_holds_no_rate_below_0_or_above_100(percent):
    values = propose_rate(terms=rate_terms(), user=rate_proposer())
    values.pk, values.residence, values.percent = None, "KE", Decimal(percent)
    with pytest.raises(IntegrityError, match="tax_rate_percent"):
        TaxRate.objects.create(
            **{
                field.attname: getattr(values, field.attname)
                for field in TaxRate._meta.concrete_fields
                if field.name not in {"id", "owner_id"}
            }
        )


FORM = {
    "type": "Dividend",
    "issuer_country": "NG",
    "percent": "12.5",
    "holder_kind": "",
    "residence": "KE",
    "note": "Article 10 of the treaty of 1998",
}


def add(client: Client, **changes: Any) -> Any:
    return client.post(
        reverse("admin:credit_taxrate_add"), {**FORM, "valid_from": str(today()), **changes}
    )


def test_the_pages_of_two_people():
    assert messages_of(add(signed_in_client(BACK_OFFICE))) == [
        "Rate proposed. A second person must approve it."
    ]
    proposed = TaxRate.objects.get()
    assert (proposed.percent, proposed.residence) == (Decimal("12.5"), "KE")
    client = signed_in_client(FINANCE_APPROVER)
    page = client.get(reverse("admin:credit_taxrate_change", args=[proposed.pk]))
    assert "Anyone resident in KE" in text_of(page)
    done = submit_confirmation(client, reverse("admin:credit_taxrate_approve", args=[proposed.pk]))
    assert messages_of(done) == [f"Approved. The rate holds from {today()} on."]
    proposed.refresh_from_db()
    assert proposed.status == "Approved"


def test_a_rate_of_one_member_is_proposed_on_the_page():
    member = make_member(make_organisation())
    client = signed_in_client(BACK_OFFICE)
    both = {"organisation": str(member.organisation_id), "member": str(member.pk), "residence": ""}
    with assert_no_table_changes():
        assert "not both" in text_of(add(client, **both))
        assert "needs a last day" in text_of(add(client, **both | {"organisation": ""}))
        assert "From 0 to 100" in text_of(add(client, percent="101"))
    add(client, **both | {"organisation": "", "valid_until": str(today())})
    assert TaxRate.objects.get().member == member
