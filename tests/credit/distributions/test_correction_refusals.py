"""Corrections that are refused: by their terms, and by the database."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from credit.distributions.models import Distribution, Income
from credit.distributions.schedule import Basis
from credit.distributions.services import proposals
from credit.distributions.services.correcting import check_correction
from credit.distributions.services.proposals import PROPOSALS
from exchange.core.database import violated_constraint
from exchange.core.errors import DomainError, Rejected
from exchange.staff.models import ApprovalStatus
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.distributions import (
    DAY,
    approve,
    complete_on,
    correct,
    decider,
    interest_terms,
    issuer_of,
    make_distribution,
    make_holding,
    pending,
    principal_terms,
    propose,
    redemption_terms,
    right_terms,
)
from tests.factories.wallets import Wallet
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, post_transfer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("days", "code"), [(2, "notice_too_short"), (3, None), (366, None), (367, "too_far_ahead")]
)
@pytest.mark.one_in(3)
def test_a_correction_is_paid_three_days_to_a_leap_year_ahead(days, code):
    paid = make_distribution(make_holding().token, "Paid")
    day = timezone.now().date() + days * DAY
    terms = right_terms(paid, amount=Decimal(3), payment_date=day)
    if code is None:
        assert check_correction(paid.token, paid.pk, terms) == paid
        return
    with pytest.raises(Rejected) as found:
        check_correction(paid.token, paid.pk, terms)
    assert found.value.code == code


def test_nothing_is_corrected_twice_or_while_it_is_not_paid():
    held = make_holding()
    announced = make_distribution(held.token)
    paid = None

    def refused(original: Distribution, code: str, says: str = "", **changes: Any) -> None:
        with pytest.raises(DomainError) as error, transaction.atomic(), assert_nothing_changes():
            proposals.propose_distribution(
                token_id=original.token_id,
                terms=right_terms(original, **changes),
                actor=issuer_of(original.token),
                corrects=original.pk,
            )
        assert error.value.code == code
        assert says in str(error.value)

    refused(announced, "not_paid", amount=Decimal(3))
    other = make_holding()
    paid = make_distribution(other.token, "Paid")
    refused(paid, "corrects_nothing")
    refused(paid, "correction_differs", amount=Decimal(3), record_at=timezone.now())
    refused(paid, "notice_too_short", amount=Decimal(3), payment_date=timezone.now().date())
    refused(paid, "invalid_request", amount=Decimal("-0.5"))
    refused(paid, "amount_too_large", amount=Decimal(10) ** 14)
    refused(
        paid, "too_far_ahead", amount=Decimal(3), payment_date=timezone.now().date() + 400 * DAY
    )
    with pytest.raises(DomainError) as missing:
        proposals.propose_distribution(
            token_id=held.token.pk,
            terms=right_terms(paid, amount=Decimal(3)),
            actor=issuer_of(held.token),
            corrects=paid.pk,
        )
    assert missing.value.code == "distribution_not_found"
    late = propose(other.token, right_terms(paid, amount=Decimal(3)), corrects=paid.pk)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET payment_date = %s WHERE id = %s",
            [timezone.now().date(), late.pk],
        )
    with pytest.raises(DomainError) as expired, transaction.atomic():
        approve(late)
    assert expired.value.code == "notice_too_short"
    proposals.reject(proposal_id=pending(late).pk, reason="Too late", user=decider())
    made = correct(paid, amount=Decimal(3))
    refused(paid, "correction_pending", amount=Decimal(4))
    refused(made, "not_correctable", amount=Decimal(4), says="not a correction of it")


def test_a_repayment_of_principal_is_not_corrected():
    token = make_holding().token
    complete_on(token, (timezone.now() + 5 * DAY).date() - relativedelta(months=1))
    repaid = make_distribution(token, "Announced", principal_terms(token))
    with pytest.raises(Rejected, match="repay the difference with the next") as error:
        check_correction(token, repaid.pk, right_terms(repaid, amount=Decimal(30)))
    assert error.value.code == "not_correctable"


@pytest.mark.parametrize(
    ("factory", "changes", "code"),
    [
        (redemption_terms, {"amount": Decimal("99.99")}, "below_principal"),
        (
            interest_terms,
            {"basis": Basis(Decimal("100.01"), Decimal(12), 30)},
            "principal_exceeded",
        ),
    ],
)
def test_right_terms_keep_to_the_principal_that_is_outstanding(factory, changes, code):
    held = make_holding()
    complete_on(held.token, timezone.now().date())
    paid = make_distribution(held.token, "Paid", factory(held.token))
    issuer = issuer_of(held.token)
    with assert_nothing_changes(), pytest.raises(Rejected) as error:
        proposals.propose_distribution(
            token_id=held.token.pk,
            terms=right_terms(paid, **changes),
            actor=issuer,
            corrects=paid.pk,
        )
    assert error.value.code == code


def test_principal_is_not_corrected():
    held = make_holding()
    complete_on(held.token, (timezone.now() + 5 * DAY).date() - relativedelta(months=1))
    paid = make_distribution(held.token, "Paid", principal_terms(held.token))
    with pytest.raises(DomainError) as error:
        correct(paid, amount=Decimal(30))
    assert error.value.code == "not_correctable"


def test_the_database_wants_the_same_token_and_what_is_paid():
    """Also of the service's login: the second person sees only what it is called."""
    held, other = make_holding(), make_holding()
    paid = make_distribution(other.token, "Paid")
    draft = propose(held.token)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET corrects_id = %s WHERE id = %s", [paid.pk, draft.pk]
        )
    PROPOSALS.close(pending(draft), ApprovalStatus.APPROVED, decider())
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        Distribution.objects.filter(pk=draft.pk).update(status="Announced")
    assert violated_constraint(error.value) == "distribution_corrects_paid"


def test_the_service_cannot_recover_more_or_for_itself():
    held = make_holding()
    made = correct(make_distribution(held.token, "Paid"), amount=Decimal(2))
    income = Income.objects.get(distribution=made, owner_id=held.member.owner_id)
    with pytest.raises(DatabaseError, match="was not recovered"), transaction.atomic():
        Income.objects.filter(pk=income.pk).update(recovered=5)
    with pytest.raises(DatabaseError, match="was not recovered"), transaction.atomic():
        Income.objects.filter(pk=income.pk).update(status="Paid", paid_to="wallet")
    with pytest.raises(DatabaseError, match="not corrected"), transaction.atomic():
        Income.objects.filter(distribution=made.corrects_id).update(status="Corrected")


@pytest.mark.parametrize(
    "forge",
    [
        pytest.param(lambda i, iss: {i: -201, iss: 201}, id="more than the record says"),
        pytest.param(lambda i, iss: {i: -100, iss: 100}, id="not stored"),
        pytest.param(lambda i, iss: {i: 100, iss: -100}, id="the other way"),
        pytest.param(lambda i, _: {i: -100, "other": 100}, id="to another"),
    ],
)
@pytest.mark.one_in(3)
def test_a_forged_recovery_is_refused(forge):
    """Nor does it help to store it, for another wallet than the issuer's."""
    held = make_holding()
    made = correct(make_distribution(held.token, "Paid"), amount=Decimal(2))
    with without_guards() as cursor:
        cursor.execute("UPDATE credit_distribution SET status = 'Paid' WHERE id = %s", [made.pk])
    income = Income.objects.get(distribution=made, owner_id=held.member.owner_id)
    own, issuer = (
        open_account("NGN", AccountKind.AVAILABLE, **owner)
        for owner in (
            {"organisation_id": income.organisation_id, "member_id": income.member_id},
            {"organisation_id": held.token.issuer_id},
        )
    )
    other = open_account(
        "NGN", AccountKind.AVAILABLE, organisation_id=held.organisation.organisation.pk
    )
    legs = [
        Leg(other if account == "other" else account, Decimal(amount))
        for account, amount in forge(own, issuer).items()
    ]
    Wallet(held.token.issuer).fund(1_000, "NGN")

    def post() -> None:
        post_transfer(
            kind=TransferKind.DISTRIBUTION_RECOVER,
            reference=f"income:{income.pk}:recover:0",
            subject_id=income.pk,
            actor=TESTER,
            legs=legs,
        )
        if legs[-1].account_id == other:
            Income.objects.filter(pk=income.pk).update(recovered=100)
        connection.check_constraints()

    with pytest.raises(IntegrityError) as error, transaction.atomic():
        post()
    assert violated_constraint(error.value) == "transfer_justified"
