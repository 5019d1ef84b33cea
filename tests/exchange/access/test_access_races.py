"""Concurrent decisions on access: each takes effect once."""

from functools import partial
from typing import Any

import pytest
from django.db import connection

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER, get_role
from exchange.access.services import decisions
from exchange.core.errors import Conflict, StateConflict
from exchange.participants.models import ApiKey
from exchange.participants.services import proposals as participant_proposals
from exchange.staff.models import AccessProposal, StaffUser
from exchange.staff.services import accounts
from tests.environment.concurrency import Callers
from tests.environment.database import session
from tests.factories.api_clients import make_organisation
from tests.factories.staff import create_staff

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse battery"
MONEY = ["wallets:withdraw"]
TRY_LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('access_proposal', 0))"


def test_a_proposal_is_decided_once_and_its_secret_is_made_once():
    admin = create_staff("admin", PASSWORD, ADMINISTRATOR)
    first, second = (create_staff(name, PASSWORD, FINANCE_APPROVER) for name in ("ada", "bo"))
    proposal = participant_proposals.propose_key(
        organisation=make_organisation(), name="Payouts", scopes=MONEY, by=admin
    )
    this = {"proposal_id": proposal.pk}
    with Callers(4) as callers:
        results = callers.at_once(
            [
                partial(decisions.confirm, **this, by=first),
                partial(decisions.confirm, **this, by=second),
                partial(decisions.confirm, **this, by=first),
                partial(decisions.confirm, **this, by=second),
            ]
        )
        assert sum(isinstance(result, AccessProposal) for result in results) == 1
        assert sum(isinstance(result, StateConflict) for result in results) == 3
        results = callers.at_once([partial(decisions.collect, **this, by=admin)] * 4)
    assert sum(isinstance(result, decisions.CollectedSecret) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 3
    assert ApiKey.objects.count() == 1


def test_a_key_is_proposed_once():
    admin = create_staff("admin", PASSWORD, ADMINISTRATOR)
    propose = partial(
        participant_proposals.propose_key,
        organisation=make_organisation(),
        name="Payouts",
        scopes=MONEY,
        by=admin,
    )
    with Callers(4) as callers:
        results = callers.at_once([propose] * 4)
    assert sum(isinstance(result, AccessProposal) for result in results) == 1
    codes = [result.code for result in results if isinstance(result, Conflict)]
    assert codes == ["access_pending"] * 3


def test_the_check_for_duplicates_waits_for_a_concurrent_proposal():
    admin = create_staff("admin", PASSWORD, ADMINISTRATOR)
    free = []

    def look(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith('INSERT INTO "exchange_accessproposal"'):
            free.append(other.execute(TRY_LOCK).fetchone())
        return execute(sql, *rest)

    with session("owner") as other:
        with connection.execute_wrapper(look):
            participant_proposals.propose_key(
                organisation=make_organisation(), name="Payouts", scopes=MONEY, by=admin
            )
        free.append(other.execute(TRY_LOCK).fetchone())
    assert free == [(False,), (True,)]


def test_a_name_is_given_to_one_person():
    admin = create_staff("admin", PASSWORD, ADMINISTRATOR)
    add = partial(accounts.add_person, username="ada", role=get_role(AUDITOR), by=admin)
    with Callers(4) as callers:
        results = callers.at_once([add] * 4)
    assert sum(isinstance(result, StaffUser) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 3, results
