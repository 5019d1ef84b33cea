"""Who approved what: the decisions of a day, as a page and as CSV."""

import csv
import io
from datetime import timedelta
from decimal import Decimal

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.back_office import approvals
from config.back_office.roles import AUDITOR, CREDIT_OFFICER, FINANCE_APPROVER, SUPPORT
from exchange.staff.models import StaffUser
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    approve_withdrawal,
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
    text_of,
    user_of,
)
from tests.factories.configuration_pages import propose, upcoming_change
from tests.factories.distributions import make_distribution, make_holding
from tests.factories.every_record import make_every_record
from tests.factories.holds import freeze, lift, reverse
from tests.factories.logins import sign_in
from tests.factories.treasury import move, terms
from tests.factories.wallets import make_staff
from wallets.deposits.services import manual
from wallets.deposits.services.manual import IncomingPayment
from wallets.fees.models import SettingChange
from wallets.fees.services import confirm_cancellation, reject, request_cancellation
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

ADDRESS = "/admin/approvals/"


@pytest.fixture
def withdrawal() -> Withdrawal:
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    return make_withdrawal(organisation, member, "KES", "1500")


def rows_of(client: Client, days_ago: int = 0) -> list[list[str]]:
    """Return the rows of a day's CSV without their times."""
    day = timezone.now() - timedelta(days=days_ago)
    response = client.get(ADDRESS, {"form": "csv", "day": f"{day:%Y-%m-%d}"})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    heading, *lines = csv.reader(io.StringIO(response.content.decode("utf-8-sig")))
    assert heading == list(approvals._HEADINGS)
    return [line[1:] for line in lines if len(line) == len(heading)]


def test_decisions_are_listed_in_their_order_with_who_decided_and_who_proposed(withdrawal, finance):
    approve_withdrawal(finance, withdrawal)
    movement = move(terms("top_up", 1000))
    person = str(user_of(finance))
    assert rows_of(finance) == [
        ["Withdrawal", "1,500.00 KES to Ada Obi", "Approved", person, "", ""],
        [
            "Treasury movement",
            "Float top-up: 1,000.00 KES",
            "Approved",
            str(movement.decided_by),
            str(movement.proposed_by),
            "Compared with the statement",
        ],
    ]
    shown = text_of(finance.get(ADDRESS))
    assert "Decisions 2" in shown
    assert f"Treasury movement Float top-up: 1,000.00 KES Approved {movement.decided_by}" in shown


def test_a_day_has_its_own_decisions_only(withdrawal, finance):
    movement = move(terms("top_up", 1000))
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_treasurymovement SET decided_at = date_trunc('day', decided_at)"
            " - interval '1 second' WHERE id = %s",
            [movement.pk],
        )
    assert rows_of(finance) == []
    assert [row[0] for row in rows_of(finance, days_ago=1)] == ["Treasury movement"]
    assert "No decisions on this day." in text_of(finance.get(ADDRESS))


def test_every_kind_of_proposal_is_read():
    make_every_record()
    reads = dict(approvals._reads(user_of(signed_in_client(AUDITOR)), timezone.now().date()))
    kinds = [
        model
        for model in apps.get_models()
        if not model._meta.proxy and "decided_by" in {field.name for field in model._meta.fields}
    ]
    # Withdrawals and cancellations of settings changes have no such column.
    assert len(reads) == len(kinds) + 2
    found = {kind for kind, read in reads.items() if read()}
    assert found == {
        "Withdrawal", "Settings change", "Deposit reversal", "Configuration version",
        "Distribution proposal",
    }  # fmt: skip
    for role in (FINANCE_APPROVER, CREDIT_OFFICER, SUPPORT):
        assert signed_in_client(role).get(ADDRESS).status_code == 200


def test_a_distribution_is_listed_with_the_issuer_that_proposed_it(auditor):
    distribution = make_distribution(make_holding().token)
    announced = distribution.proposals.get()
    assert rows_of(auditor) == [
        [
            "Distribution proposal",
            str(distribution),
            "Approved",
            str(announced.decided_by),
            "issuer",
            "",
        ]
    ]


def test_what_became_of_a_proposal_later_is_no_decision_of_who_approved_it(office, finance):
    change = upcoming_change(office, finance)
    second = signed_in_client(FINANCE_APPROVER, "second")
    request_cancellation(change_id=change.pk, user=user_of(second), reason="Entered by mistake")
    (listed,) = rows_of(finance)
    confirm_cancellation(change_id=change.pk, user=user_of(finance))
    assert rows_of(finance) == [
        listed,
        [
            *listed[:2],
            "Cancelled",
            str(user_of(finance)),
            str(user_of(second)),
            "Entered by mistake",
        ],
    ]
    assert listed[2] == "Approved"


def test_a_deposit_that_was_reversed_later_was_confirmed_on_its_day(finance):
    organisation, member = make_participants()
    payment = IncomingPayment(
        organisation_id=organisation.pk,
        member_id=member.pk,
        currency="KES",
        amount=Decimal(1000),
        reference="FT-26-77",
    )
    entered = manual.enter(payment=payment, user=make_staff("add_deposit"))
    deposit = manual.confirm(deposit_id=entered.pk, user=make_staff("decide_deposit"))
    reverse(deposit)
    assert rows_of(finance)[0][2:4] == ["Completed", str(deposit.decided_by)]
    deposit.refresh_from_db()
    assert deposit.status == "Reversed"


def test_a_rejected_setting_has_the_reason_of_who_rejected_it(office, finance):
    propose(office, "80")
    change = SettingChange.objects.get(status="Pending")
    reject(change_id=change.pk, user=user_of(finance), reason="The bank's letter says 75")
    (listed,) = rows_of(finance)
    assert (listed[2], listed[5]) == ("Rejected", "The bank's letter says 75")


def test_who_may_view_no_decision_has_no_page():
    client = Client()
    sign_in(client, StaffUser.objects.create_user("newcomer", password="x", is_staff=True))
    assert client.get(ADDRESS).status_code == 403


def test_the_number_of_queries_does_not_follow_the_number_of_decisions(auditor):
    _, member = make_participants()

    def decide(reference: str) -> None:
        move(terms("top_up", 1000, reference=reference))
        lift(freeze(member))

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert auditor.get(ADDRESS).status_code == 200
        return len(queries)

    decide("BANK-1")
    count()
    once = count()
    decide("BANK-2")
    decide("BANK-3")
    assert count() == once
    assert len(rows_of(auditor)) == 6


def test_a_day_that_is_none_is_refused(finance):
    shown = finance.get(ADDRESS, {"day": "2026-13-01", "form": "csv"})
    assert "Enter a valid date." in text_of(shown)
    assert shown["Content-Type"].startswith("text/html")
    assert "sections" not in shown.context


def test_what_is_not_read_to_the_end_is_said_and_gives_no_file(withdrawal, finance, monkeypatch):
    approve_withdrawal(finance, withdrawal)
    monkeypatch.setattr(approvals, "ROWS", 0)
    shown = finance.get(ADDRESS, {"day": f"{timezone.now():%Y-%m-%d}", "form": "csv"})
    assert shown["Content-Type"].startswith("text/html")
    assert "Not read to the end: Withdrawal." in text_of(shown)
    assert "Download CSV" not in text_of(shown)
