"""Income of a closed member: two people assign it, or reopen the member; PostgreSQL agrees."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from psycopg import errors

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER
from credit.distributions.errors import DistributionNotFound
from credit.distributions.models import Distribution, Income
from credit.distributions.services import paying, proposals
from credit.distributions.services.assigning import unpaid_of_closed
from exchange.core.errors import DomainError, Forbidden, Rejected, StateConflict
from exchange.core.ids import uuid7
from exchange.participants.models import Member
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import make_member
from tests.factories.back_office import (
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.distributions import (
    Holding,
    approve,
    close_holder,
    decider,
    held_for,
    make_distribution,
    make_holding,
    make_terms,
    owe,
    pending,
    proposer,
)
from tests.factories.tokens import give_units
from tests.factories.wallets import Wallet, assert_books_hold, balance_of

pytestmark = pytest.mark.django_db(transaction=True)

WHY = "The member asked its bank in writing"


class Left:
    """A paid dividend of which 125 NGN are due to a closed member of the issuer."""

    def __init__(self) -> None:
        self.held: Holding = make_holding()
        self.member = self.held.own_member
        self.made: Distribution = make_distribution(self.held.token, "Funded")
        close_holder(self.member, self.held.token)
        assert paying.pay_due() == 2
        self.income = Income.objects.get(status="Due")
        assert held_for() == 125

    def propose(self, owner: UUID, **changes: Any) -> Distribution:
        user = changes.pop("user", None) or proposer()
        proposals.propose_assignment(
            **{
                "distribution_id": self.made.pk,
                "income_id": self.income.pk,
                "owner_id": owner,
                "explanation": WHY,
                "user": user,
                **changes,
            }
        )
        return self.made

    def refused(self, owner: UUID, **changes: Any) -> DomainError:
        user = changes.pop("user", None) or proposer()
        with assert_nothing_changes(), pytest.raises(DomainError) as found:
            self.propose(owner, user=user, **changes)
        return found.value


def test_income_of_another_distribution_is_not_found():
    left = Left()
    other = make_distribution(make_holding().token, "Paid")
    found = left.refused(left.member.owner_id, distribution_id=other.pk)
    assert isinstance(found, DistributionNotFound)


def test_less_than_a_unit_of_money_is_assigned():
    held = make_holding()
    made = make_distribution(held.token, "Funded", make_terms(held.token, amount=Decimal("0.01")))
    close_holder(held.own_member, held.token)
    paying.pay_due()
    [income] = unpaid_of_closed(made)
    assert income.gross == Decimal("0.5")
    organisation = Wallet(held.token.issuer)
    proposals.propose_assignment(
        distribution_id=made.pk,
        income_id=income.pk,
        owner_id=organisation.owner_id,
        explanation=WHY,
        user=proposer(),
    )
    approve(made)
    assert paying.pay_due() == 1
    assert balance_of(organisation.owner_id, "NGN") == Decimal("0.5")


def test_it_is_paid_to_another_member_of_the_organisation():
    left = Left()
    other = Wallet(left.member.organisation, make_member(left.member.organisation))
    left.propose(other.owner_id)
    assert paying.pay_due() == 0
    approve(left.made)
    assert paying.pay_due() == 1
    left.income.refresh_from_db()
    assert (left.income.status, left.income.owner_id) == ("Paid", other.owner_id)
    assert left.income.assigned_from_id == left.member.member_id
    assert (balance_of(other.owner_id, "NGN"), held_for()) == (125, 0)
    assert balance_of(left.member.owner_id, "NGN") == 0
    assert_books_hold()


def test_it_is_paid_to_the_organisation_itself():
    left = Left()
    organisation = left.member.organisation
    before = balance_of(organisation.pk, "NGN")
    approve(left.propose(organisation.pk))
    assert paying.pay_due() == 1
    assert balance_of(organisation.pk, "NGN") == before + 125
    assert_books_hold()


def test_two_incomes_of_one_owner_repay_its_debt_once():
    held = make_holding()
    issuer = held.token.issuer
    members = [held.own_member, Wallet(issuer, make_member(issuer))]
    give_units(held.token, members[1], 30)
    made = make_distribution(held.token, "Funded")
    for member in members:
        close_holder(member, held.token)
    assert paying.pay_due() == 2
    other = Wallet(issuer, make_member(issuer))
    for income in Income.objects.filter(status="Due"):
        proposals.propose_assignment(
            distribution_id=made.pk,
            income_id=income.pk,
            owner_id=other.owner_id,
            explanation=WHY,
            user=proposer(),
        )
        approve(made)
    other.fund(1, "NGN")
    owe(other, 150)
    # Due are 125 and 75.
    assert paying.pay_due() == 2
    assert balance_of(other.owner_id, "NGN") == 50
    assert balance_of(other.owner_id, "NGN", "receivable") == 0
    assert held_for() == 0


def test_the_member_itself_is_reopened_and_paid():
    left = Left()
    approve(left.propose(left.member.owner_id))
    assert Member.objects.get(pk=left.member.owner_id).closed_at is None
    assert paying.pay_due() == 1
    left.income.refresh_from_db()
    assert left.income.assigned_from_id is None
    assert balance_of(left.member.owner_id, "NGN") == 125
    assert_books_hold()


def test_owners_of_other_organisations_and_closed_ones_are_refused():
    left = Left()
    closed = Wallet(left.member.organisation, make_member(left.member.organisation))
    close_holder(closed, left.held.token)
    make_member(left.member.organisation)
    for owner in (left.held.member.owner_id, left.held.organisation.owner_id, closed.owner_id):
        error = left.refused(owner)
        assert isinstance(error, Rejected)
        assert error.code == "owner_differs"


def test_only_what_is_due_to_a_closed_member_is_assigned():
    left = Left()
    owner = left.member.organisation.pk
    paid = Income.objects.filter(status="Paid").first()
    assert paid is not None
    assert isinstance(left.refused(owner, income_id=paid.pk), StateConflict)
    assert left.refused(owner, income_id=uuid7()).code == "distribution_not_found"
    other = make_distribution(make_holding().token, "Funded")
    due = Income.objects.filter(distribution=other).first()
    assert due is not None
    assert isinstance(
        left.refused(owner, distribution_id=other.pk, income_id=due.pk), StateConflict
    )
    assert isinstance(left.refused(owner, user=decider()), Forbidden)


def test_it_is_not_approved_once_the_new_owner_is_closed():
    left = Left()
    other = Wallet(left.member.organisation, make_member(left.member.organisation))
    left.propose(other.owner_id)
    close_holder(other, left.held.token)
    person = decider()
    with assert_nothing_changes(), pytest.raises(Rejected):
        proposals.approve(proposal_id=pending(left.made).pk, user=person)


@pytest.mark.parametrize(
    "change",
    [
        "member_id = NULL, assigned_from_id = member_id",
        "member_id = %(approved)s",
        "member_id = %(other)s, assigned_from_id = member_id",
        "assigned_from_id = member_id",
        "member_id = %(approved)s, assigned_from_id = member_id, organisation_id = %(other)s",
        "member_id = %(approved)s, assigned_from_id = member_id, net = net - 1, tax = tax + 1",
    ],
)
@pytest.mark.one_in(3)
def test_the_service_assigns_only_as_two_people_approved(runtime, change):
    left = Left()
    organisation = left.member.organisation
    approved, other = make_member(organisation), make_member(organisation)
    left.propose(approved.pk)
    values = {"id": left.income.pk, "approved": approved.pk, "other": other.pk}
    right = "member_id = %(approved)s, assigned_from_id = member_id"
    for attack in (change, right):
        with (
            assert_nothing_changes(),
            pytest.raises((errors.CheckViolation, errors.RestrictViolation)),
        ):
            runtime.execute(f"UPDATE credit_income SET {attack} WHERE id = %(id)s", values)
    runtime.execute(
        "UPDATE credit_distributionproposal SET status = 'Approved', decided_by_id = %s,"
        " decided_at = now() WHERE distribution_id = %s AND status = 'Pending'",
        [decider().pk, left.made.pk],
    )
    with (
        assert_nothing_changes(),
        pytest.raises((errors.CheckViolation, errors.RestrictViolation)),
    ):
        runtime.execute(f"UPDATE credit_income SET {change} WHERE id = %(id)s", values)
    runtime.execute(f"UPDATE credit_income SET {right} WHERE id = %(id)s", values)


def test_two_people_assign_it_on_the_page_of_the_distribution():
    left = Left()
    ada: Client = signed_in_client(BACK_OFFICE, "ada")
    ben: Client = signed_in_client(FINANCE_APPROVER, "ben")
    assert "Propose assignment" in text_of(ada.get(page(left.made)))
    address = page(left.made, "propose_assignment")
    assert f"{left.income.member}: 125" in text_of(ada.get(address))
    ada.post(address, {"income": left.income.pk, "member": "", "explanation": WHY})
    proposal = pending(left.made)
    assert proposal.proposed_by_label == "ada"
    confirmation = text_of(ben.get(page(left.made, "approve", proposal.pk)))
    assert f"Paid to {left.member.organisation}" in " ".join(confirmation.split())
    done = submit_confirmation(ben, page(left.made, "approve", proposal.pk))
    assert messages_of(done) == ["Assigned. It is paid within a minute."]
    assert paying.pay_due() == 1
    assert "Propose assignment" not in text_of(ada.get(page(left.made)))
    assert_books_hold()
