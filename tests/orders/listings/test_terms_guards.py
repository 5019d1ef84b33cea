"""Terms of tokens, whoever writes: the service's login by plain SQL, and two people at once."""

from functools import partial

import psycopg
import pytest
from django.utils import timezone

from exchange.core.errors import DomainError, StateConflict
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from orders.listings.models import TermsProposal
from orders.listings.services.terms import approve_terms
from tests.assertions.login_refusals import assert_login_refused
from tests.assertions.unchanged import table_fingerprints
from tests.environment.database import session
from tests.factories.terms import note, propose, sold_out
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import make_staff
from tests.races.test_hold_races import run_together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def office() -> StaffUser:
    return make_staff("change_token")


@pytest.fixture
def finance() -> StaffUser:
    return make_staff("decide_terms")


@pytest.fixture
def issuer() -> Trader:
    return make_trader()


def test_the_services_login_changes_no_terms_without_two_people(issuer, office):
    open_raise, complete, untouched = note(issuer), sold_out(issuer), note(issuer)
    make_trader(100).place(open_raise, "Buy", 100, 1)
    # The login may write how many units investors hold, which hides no purchase.
    Token.objects.filter(pk=open_raise.pk).update(supply=0)
    pending = propose(complete, office)
    update = "UPDATE exchange_token SET {} WHERE id = %(id)s"
    fixed, by_two = "token_terms_fixed", "token_terms_by_two"
    attacks: dict[tuple[str, Token], str | None] = {
        (update.format("issue_price = 90"), complete): fixed,
        (update.format("issue_price = NULL"), complete): fixed,
        (update.format("interest = 9"), complete): fixed,
        (update.format("tenor = 9"), complete): fixed,
        (update.format("payout_frequency = 'Monthly'"), complete): fixed,
        (update.format("completed_at = now()"), complete): fixed,
        (update.format("interest = 9"), open_raise): fixed,
        (update.format("completed_at = now()"), untouched): "token_completed_with_its_raise",
        (update.format("terms_version = 3"), complete): fixed,
        (update.format("terms_version = 0"), complete): fixed,
        # With the next version, without an approval.
        (update.format("terms_version = 2"), complete): by_two,
        (update.format("terms_version = 2, interest = 10"), complete): by_two,
        (update.format("terms_version = 2"), untouched): by_two,
        (update.format("price_buy = 101"), open_raise): "token_price_in_raise",
        (
            "UPDATE orders_termsproposal SET status = 'Approved', decided_by_id = proposed_by_id,"
            " decided_at = now() WHERE token_id = %(id)s",
            complete,
        ): "terms_proposal_approved_by_another",
        ("UPDATE orders_termsproposal SET interest = 1 WHERE token_id = %(id)s", complete): None,
    }
    assert_login_refused(attacks, "orders_termsproposal")
    assert pending.status == "Pending"


@pytest.mark.parametrize(
    "change",
    [
        "interest = 11",
        "tenor = 1",
        "issue_price = 99",
        "completed_at = now()",
        "payout_frequency = ''",
    ],
)
def test_approved_terms_are_written_as_they_were_approved(issuer, office, finance, change):
    token = sold_out(issuer)
    approved = propose(token, office)
    TermsProposal.objects.filter(pk=approved.pk).update(
        status="Approved", decided_by=finance, decided_at=timezone.now()
    )
    before = table_fingerprints()
    values = {"interest": "interest = 10"} | {change.split(" ")[0]: change}
    statement = f"UPDATE exchange_token SET terms_version = 2, {', '.join(values.values())}"
    with session("runtime") as connection, pytest.raises(psycopg.Error) as refused:
        connection.execute(statement + " WHERE id = %s", [token.id])
    assert refused.value.diag.constraint_name == "token_terms_by_two"
    assert table_fingerprints() == before


def test_two_people_who_approve_at_once_make_one_version(issuer, office):
    token = sold_out(issuer)
    proposal = propose(token, office)
    results = run_together(
        *[
            partial(approve_terms, proposal_id=proposal.pk, user=make_staff("decide_terms"))
            for _ in range(3)
        ]
    )
    refused = [each for each in results if isinstance(each, DomainError)]
    assert [type(each) for each in refused] == [StateConflict] * 2
    token.refresh_from_db()
    assert token.terms_version == 2
    assert Event.objects.filter(type="token.terms_changed").count() == 1
