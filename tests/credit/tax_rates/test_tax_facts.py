"""What owners are for tax: staff change it by two people, and payments follow it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from psycopg import errors

from config.back_office.roles import ADMINISTRATOR, BACK_OFFICE, FINANCE_APPROVER
from credit.tax_rates.models import TaxFactsProposal
from credit.tax_rates.services import approve_tax_facts, propose_tax_facts, reject_tax_facts
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.participants.models import Member, Organisation
from tests.assertions.unchanged import assert_no_table_changes, assert_nothing_changes
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.back_office import (
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.tax_rates import rate_decider, rate_proposer, tax_facts
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db


def propose(owner: Organisation | Member, **changes: Any) -> TaxFactsProposal:
    user = changes.pop("user", None) or rate_proposer()
    return propose_tax_facts(owner=owner, **tax_facts(**changes), user=user)


def facts_of(owner: Organisation | Member) -> tuple[str, str, str]:
    owner.refresh_from_db()
    return owner.holder_kind, owner.tax_residence, owner.tax_id


@pytest.mark.parametrize("make", [make_organisation, lambda: make_member(make_organisation())])
def test_another_person_approves_what_an_owner_is_for_tax(make):
    owner = make()
    name, before = owner.name, facts_of(owner)
    proposed = propose(owner, holder_kind="person")
    assert facts_of(owner) == before
    approve_tax_facts(proposal_id=proposed.pk, user=rate_decider())
    assert facts_of(owner) == ("person", "GH", "C-0017")
    assert owner.name == name
    proposed.refresh_from_db()
    assert (proposed.status, proposed.owner) == ("Approved", owner)


def test_it_is_not_approved_by_its_proposer_and_decided_once():
    owner = make_organisation()
    member = make_member(owner)
    person, stranger = make_staff("propose_taxrate", "decide_taxrate"), make_staff("add_comment")
    proposed = propose(owner, user=person)
    with assert_no_table_changes():
        with pytest.raises(Rejected, match="Someone other"):
            approve_tax_facts(proposal_id=proposed.pk, user=person)
        with pytest.raises(Forbidden):
            approve_tax_facts(proposal_id=proposed.pk, user=stranger)
        with pytest.raises(Forbidden):
            reject_tax_facts(proposal_id=proposed.pk, reason="No certificate came", user=stranger)
        with pytest.raises(Forbidden):
            propose(member, user=stranger)
        with pytest.raises(Conflict):
            propose(owner, tax_residence="KE", user=person)
    reject_tax_facts(proposal_id=proposed.pk, reason="No certificate came", user=person)
    decider = rate_decider()
    with assert_no_table_changes(), pytest.raises(StateConflict):
        approve_tax_facts(proposal_id=proposed.pk, user=decider)
    propose(owner, tax_residence="KE")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"holder_kind": "firm"}, "holder_kind must be person or company"),
        ({"tax_residence": "UK"}, "tax_residence must be the ISO code of a country, such as NG"),
        (
            {"tax_id": "A\u200b1"},
            "tax_id must not contain invisible or direction-changing characters",
        ),
        ({"note": " "}, "Enter a note"),
        ({"tax_residence": "", "tax_id": ""}, "These are the tax details of the owner"),
    ],
)
def test_wrong_details_are_refused(changes, message):
    owner, person = make_organisation(), rate_proposer()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as found:
        propose(owner, **changes, user=person)
    assert found.value.message == message


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE credit_taxfactsproposal SET status = 'Approved', decided_by_id = proposed_by_id,"
        " decided_at = now() WHERE id = %(id)s",
        "UPDATE credit_taxfactsproposal SET tax_residence = 'KE' WHERE id = %(id)s",
        "DELETE FROM credit_taxfactsproposal WHERE id = %(id)s",
    ],
)
def test_the_service_alone_changes_no_proposal(runtime, attack):
    proposed = propose(make_organisation())
    refusals = (errors.CheckViolation, errors.RestrictViolation, errors.InsufficientPrivilege)
    with assert_nothing_changes(), pytest.raises(refusals):
        runtime.execute(attack, {"id": proposed.pk})


def post_details(client: Client, owner: Organisation | Member, **changes: str) -> Any:
    name = f"admin:exchange_{owner._meta.model_name}_tax_details"
    return client.post(reverse(name, args=[owner.pk]), {**tax_facts(), **changes})


def test_the_pages_of_two_people():
    owner = make_organisation()
    office = signed_in_client(BACK_OFFICE)
    page = office.get(reverse("admin:exchange_organisation_change", args=[owner.pk]))
    assert "Propose tax details" in text_of(page)
    assert messages_of(post_details(office, owner)) == [
        "Proposed. A second person must approve it."
    ]
    proposed = TaxFactsProposal.objects.get()
    client = signed_in_client(FINANCE_APPROVER)
    address = reverse("admin:credit_taxfactsproposal_approve", args=[proposed.pk])
    asked = text_of(client.get(address))
    assert "not known → GH" in asked
    assert "Company, unchanged" in asked
    done = submit_confirmation(client, address)
    assert messages_of(done) == [f"Approved. The tax details of {owner} are changed."]
    assert facts_of(owner) == ("company", "GH", "C-0017")


def test_an_approval_of_details_that_changed_meanwhile_is_asked_again():
    member = make_member(make_organisation())
    proposed = propose(member)
    client = signed_in_client(FINANCE_APPROVER)
    address = reverse("admin:credit_taxfactsproposal_approve", args=[proposed.pk])
    asked = client.get(address)
    Member.objects.filter(pk=member.pk).update(tax_residence="KE")
    with assert_no_table_changes():
        submit_confirmation(client, address, at=asked)


def test_one_person_of_staff_changes_no_tax_details():
    member = make_member(make_organisation())
    client = signed_in_client(ADMINISTRATOR)
    facts = {"holder_kind": "company", "tax_residence": "GH", "tax_id": "C-0017"}
    for owner in (member, member.organisation):
        edit = reverse(f"admin:exchange_{owner._meta.model_name}_edit", args=[owner.pk])
        body = {"name": owner.name, "email": owner.email, **facts}
        assert messages_of(client.post(edit, body)) == ["Saved."]
        assert facts_of(owner)[1:] == ("", "")
        assert post_details(client, owner).status_code == 403
