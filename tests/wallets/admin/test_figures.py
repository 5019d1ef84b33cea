"""Figures of the configuration: four eyes, an instant from which they hold, withdrawing them."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, CREDIT_OFFICER, FINANCE_APPROVER
from exchange.errors import Conflict
from exchange.models import StaffUser
from tests.support.back_office import (
    everything,
    fund,
    participants,
    said,
    signed_in,
    text_of,
    user_of,
    withdraw,
)
from tests.support.figures import set_figure
from tests.support.signin import sign_in
from tests.support.world import know_banks
from wallets.models import Configuration, ConfigurationFigure, FigureStatus, Withdrawal
from wallets.selectors.configuration import figure_in_force, keys_with_figures, withdrawal_fee
from wallets.services import configuration as figures

pytestmark = pytest.mark.django_db

FEE = "NGN_WITHDRAWAL_FEE"


@pytest.fixture
def office() -> Client:
    return signed_in(BACK_OFFICE)


@pytest.fixture
def finance() -> Client:
    return signed_in(FINANCE_APPROVER)


def propose(client: Client, value: str = "75.5", *, key: str = FEE, after: timedelta | None = None):
    when = timezone.now() + after if after else None
    return client.post(
        reverse("admin:wallets_configuration_propose", args=[key]),
        {
            "value": value,
            "reason": "Bank raised its price",
            "effective_from_0": f"{when:%Y-%m-%d}" if when else "",
            "effective_from_1": f"{when:%H:%M:%S}" if when else "",
        },
    )


def page(figure: ConfigurationFigure, name: str) -> str:
    return reverse(f"admin:wallets_configurationfigure_{name}", args=[figure.pk])


def approve(client: Client, figure: ConfigurationFigure, seen: str = "50"):
    return client.post(page(figure, "approve"), {"seen": seen})


def labels(client: Client, figure: ConfigurationFigure) -> list[str]:
    return [tool.label for tool in client.get(page(figure, "change")).context["tools"]]


def coming(office: Client, finance: Client, value: str = "80") -> ConfigurationFigure:
    """An approved figure that takes effect in three hours."""
    propose(office, value, after=timedelta(hours=3))
    figure = ConfigurationFigure.objects.get(status="Pending")
    approve(finance, figure)
    figure.refresh_from_db()
    assert figure.status == FigureStatus.APPROVED
    return figure


def test_one_person_proposes_and_another_one_puts_it_in_force(office, finance):
    response = propose(office)
    figure = ConfigurationFigure.objects.get()
    assert said(response) == ["Proposed. Nothing has changed yet: somebody else must approve it."]
    assert withdrawal_fee("NGN") == 50
    assert labels(office, figure) == ["Take back"]
    assert labels(finance, figure) == ["Approve", "Reject"]
    asked = text_of(finance.get(page(figure, "approve")))
    assert "50 75.5 +51.0 % as soon as it is approved" in asked
    assert "Bank raised its price" in asked
    approve(finance, figure)
    figure.refresh_from_db()
    assert (figure.status, figure.decided_by) == ("Approved", user_of(finance))
    assert withdrawal_fee("NGN") == Decimal("75.5")
    before = everything()
    again = approve(finance, figure, seen="75.5")
    assert "The figure is Approved by finance-approver, no longer Pending" in text_of(again)
    assert everything() == before


def test_a_figure_takes_effect_at_its_instant_and_not_before(office, finance):
    figure = coming(office, finance)
    assert figure.in_force_from == figure.effective_from
    assert withdrawal_fee("NGN") == 50
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT figure_in_force(%s, at - interval '1 microsecond'), figure_in_force(%s, at)"
            " FROM (SELECT %s::timestamptz AS at) instant",
            [FEE, FEE, figure.in_force_from],
        )
        assert cursor.fetchone() == (50, 80)


def test_one_that_is_approved_after_its_instant_holds_from_its_approval(office, finance):
    figure = ConfigurationFigure.objects.create(
        configuration_id=FEE,
        value=Decimal("75.5"),
        reason="Announced",
        effective_from=timezone.now() - timedelta(hours=1),
        proposed_by=user_of(office),
        created_at=timezone.now() - timedelta(hours=2),
    )
    approve(finance, figure)
    figure.refresh_from_db()
    assert figure.effective_from is not None
    assert figure.in_force_from is not None
    assert figure.in_force_from > figure.effective_from
    assert withdrawal_fee("NGN") == Decimal("75.5")


def test_withdrawals_that_exist_keep_the_fee_they_were_created_under(office, finance):
    know_banks()
    organisation, member = participants()
    fund(organisation, member, "KES", "100000")
    first = withdraw(organisation, member, "KES", "1000")
    for key, value, seen in (
        ("KES_WITHDRAWAL_FEE", "45.5", "30"),
        ("SECOND_APPROVAL_ABOVE_KES", "900", "500000"),
    ):
        propose(office, value, key=key)
        approve(finance, ConfigurationFigure.objects.get(status="Pending"), seen)
    second = withdraw(organisation, member, "KES", "1000")
    kept = Withdrawal.objects.get(pk=first.pk)
    assert (kept.fee, kept.approvals_needed) == (Decimal(30), 1)
    assert (second.fee, second.approvals_needed) == (Decimal("45.5"), 2)


def test_nobody_approves_what_they_proposed_whatever_they_may():
    client = Client()
    sign_in(client, StaffUser.objects.create_superuser("owner", password="x"))
    propose(client)
    figure = ConfigurationFigure.objects.get()
    before = everything()
    assert "Somebody else must approve what you proposed" in text_of(approve(client, figure))
    assert everything() == before


@pytest.mark.parametrize("role", [AUDITOR, ADMINISTRATOR, CREDIT_OFFICER, FINANCE_APPROVER])
def test_only_the_back_office_proposes(role):
    client = signed_in(role)
    before = everything()
    assert propose(client).status_code == 403
    assert everything() == before


@pytest.mark.parametrize("role", [AUDITOR, ADMINISTRATOR, CREDIT_OFFICER, BACK_OFFICE])
def test_only_finance_decides(role):
    propose(signed_in(BACK_OFFICE, "somebody"))
    figure = ConfigurationFigure.objects.get()
    client = signed_in(role)
    before = everything()
    assert approve(client, figure).status_code == 403
    assert client.post(page(figure, "reject"), {"reason": "no"}).status_code == 403
    assert client.post(page(figure, "agree")).status_code == 403
    assert everything() == before


def test_a_figure_that_changed_since_the_page_was_shown_is_told(office, finance):
    propose(office)
    figure = ConfigurationFigure.objects.get()
    before = everything()
    refused = approve(finance, figure, seen="40")
    assert f"{FEE} is 50 by now. Please look at it again" in text_of(refused)
    assert everything() == before


def test_one_figure_of_a_key_waits_at_a_time(office):
    propose(office)
    before = everything()
    told = text_of(propose(office, "60"))
    assert f"Another figure of {FEE} waits for a decision" in told
    assert everything() == before


def test_two_figures_do_not_take_effect_at_one_instant(office, finance):
    first = coming(office, finance)
    other = figures.propose(
        key=FEE,
        value=Decimal(90),
        reason="again",
        effective_from=first.effective_from,
        user=user_of(office),
    )
    before = everything()
    with pytest.raises(Conflict, match="at the same instant"):
        figures.approve(figure_id=other.pk, seen=Decimal(50), user=user_of(finance))
    assert everything() == before


def test_rejecting_needs_a_reason_and_taking_back_is_the_proposers(office, finance):
    propose(office)
    figure = ConfigurationFigure.objects.get()
    assert "This field is required." in text_of(
        finance.post(page(figure, "reject"), {"reason": " "})
    )
    finance.post(page(figure, "reject"), {"reason": "Not agreed"})
    figure.refresh_from_db()
    assert (figure.status, figure.decision_note) == ("Rejected", "Not agreed")
    propose(office, "60")
    other = ConfigurationFigure.objects.get(status="Pending")
    stranger = signed_in(BACK_OFFICE, "stranger")
    before = everything()
    told = said(stranger.post(page(other, "take_back")))
    assert told == ["Only the person who proposed a figure takes it back"]
    assert everything() == before
    office.post(page(other, "take_back"))
    other.refresh_from_db()
    assert other.status == FigureStatus.TAKEN_BACK
    assert withdrawal_fee("NGN") == 50


def test_what_is_coming_is_withdrawn_by_two(office, finance):
    figure = coming(office, finance)
    assert labels(office, figure) == ["Ask to withdraw it"]
    asked = office.post(page(figure, "withdraw"), {"reason": "The bank took it back"})
    assert said(asked)[-1].startswith("Asked. It takes effect all the same")
    assert labels(office, figure) == ["Keep it"]
    assert labels(finance, figure) == ["Agree to withdraw it", "Keep it"]
    assert "The bank took it back" in text_of(finance.get(page(figure, "agree")))
    finance.post(page(figure, "agree"))
    figure.refresh_from_db()
    assert (figure.status, figure.withdrawn_by) == ("Withdrawn", user_of(finance))
    with connection.cursor() as cursor:
        cursor.execute("SELECT figure_in_force(%s, now() + interval '1 day')", [FEE])
        assert cursor.fetchone() == (50,)


def test_nobody_agrees_to_what_they_asked_for_and_keeping_ends_the_asking(office, finance):
    figure = coming(office, finance)
    finance.post(page(figure, "withdraw"), {"reason": "Changed my mind"})
    before = everything()
    refused = finance.post(page(figure, "agree"))
    assert "Somebody else must agree to what you asked for" in text_of(refused)
    assert everything() == before
    finance.post(page(figure, "keep"))
    figure.refresh_from_db()
    assert (figure.status, figure.withdrawal_asked_by) == ("Approved", None)


def test_what_is_in_force_is_not_withdrawn(office, finance):
    propose(office)
    figure = ConfigurationFigure.objects.get()
    approve(finance, figure)
    before = everything()
    told = text_of(office.post(page(figure, "withdraw"), {"reason": "no"}))
    assert "The figure is in force already. Please propose another one" in told
    assert everything() == before


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        (FEE, "-1", "The value must be at least 0"),
        (FEE, "1.005", "The value may have at most 2 decimals"),
        ("UGX_WITHDRAWAL_FEE", "1.5", "The value may have no decimals"),
        (FEE, "Infinity", "Enter a number."),
        (FEE, "1000000000000001", "not above 1000000000000000"),
        ("NGN_USD_RATE", "0", "The value must be at least 0.00000001"),
        ("MINIMUM_WITHDRAWAL_NGN", "0.5", "The value must be at least 1"),
        ("SECOND_APPROVAL_ABOVE_NGN", "0", "The value must be at least 0.01"),
    ],
)
def test_a_figure_that_cannot_be_is_not_proposed(office, key, value, told):
    before = everything()
    response = propose(office, value, key=key)
    assert response.status_code == 200
    assert told in text_of(response)
    assert everything() == before


@pytest.mark.parametrize("after", [timedelta(hours=-1), timedelta(days=400)])
def test_a_figure_holds_from_an_instant_ahead_within_a_year(office, after):
    before = everything()
    told = text_of(propose(office, after=after))
    assert "It can take effect at an instant ahead, within a year" in told
    assert everything() == before


def test_every_key_that_the_service_reads_is_there():
    assert set(Configuration.objects.values_list("key", flat=True)) == set(figures.known_keys())


def test_the_page_of_a_key_tells_now_what_comes_and_what_was(office, finance):
    propose(office, "60")
    approve(finance, ConfigurationFigure.objects.get())
    propose(office, "70")
    finance.post(
        page(ConfigurationFigure.objects.get(status="Pending"), "reject"), {"reason": "Too much"}
    )
    propose(office, "80", after=timedelta(hours=2))
    approve(finance, ConfigurationFigure.objects.get(status="Pending"), seen="60")
    propose(office, "65")
    response = office.get(reverse("admin:wallets_configuration_change", args=[FEE]))
    ahead, history = response.context["sections"][:2]
    assert [(text(row[0]), text(row[1])) for row in ahead.rows] == [
        ("60 → 65", "Pending"),
        ("60 → 80", "Approved"),
    ]
    assert [[text(cell) for cell in row[1:6]] for row in history.rows] == [
        ["-", "70", "Rejected", "back-office", "finance-approver"],
        ["50", "60", "In force", "back-office", "finance-approver"],
        ["-", "50", "First figure", "-", "-"],
    ]
    (row,) = keys_with_figures().filter(key=FEE)
    assert (row.in_force, row.coming, row.waiting) == (60, 80, 65)  # type: ignore[attr-defined]


def text(cell: object) -> str:
    return re.sub("<[^>]+>", "", str(cell))


def test_the_figures_that_requests_and_people_see_are_the_same():
    for row in Configuration.objects.all():
        set_figure(row.key, row.value + 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM withdrawal_figures('KES')")
        assert cursor.fetchone() == (101, 31, 130, 500_001, 1)
    assert {row.key: row.in_force for row in keys_with_figures()} == {  # type: ignore[attr-defined]
        row.key: figure_in_force(row.key) for row in Configuration.objects.all()
    }


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE wallets_configurationfigure SET value = 1",
        "UPDATE wallets_configurationfigure SET reason = 'x'",
        "UPDATE wallets_configurationfigure SET proposed_by_id = decided_by_id",
        "UPDATE wallets_configurationfigure SET in_force_from = now() - interval '1 day'",
        "UPDATE wallets_configurationfigure SET status = 'Pending'",
        "UPDATE wallets_configurationfigure SET status = 'Withdrawn'",
        "UPDATE wallets_configurationfigure SET status = 'Withdrawn', withdrawn_at = now(),"
        " withdrawal_asked_by_id = proposed_by_id, withdrawn_by_id = decided_by_id",
        "UPDATE wallets_configurationfigure SET withdrawal_asked_by_id = proposed_by_id,"
        " value = value + 1",
        "DELETE FROM wallets_configurationfigure",
        "TRUNCATE wallets_configurationfigure",
        "UPDATE wallets_configuration SET value = 1",
        "INSERT INTO wallets_configurationfigure SELECT gen_random_uuid(), value, reason, NULL,"
        " 'Approved' FROM wallets_configurationfigure",
    ],
)
def test_the_database_lets_nobody_rewrite_an_approved_figure(office, finance, attack):
    coming(office, finance)
    before = everything()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(attack)
    assert everything() == before


@pytest.mark.parametrize(
    "attack",
    [
        "status = 'Approved', decided_by_id = proposed_by_id, decided_at = now(),"
        " in_force_from = now()",
        "status = 'Approved', decided_by_id = {other}, decided_at = now()",
        "status = 'Approved', decided_by_id = {other}, decided_at = now(),"
        " in_force_from = now() - interval '1 second'",
        "status = 'Approved', decided_at = now(), in_force_from = now()",
        "status = 'Rejected', decided_by_id = {other}, decided_at = now()",
        "status = 'Taken back', decided_by_id = {other}, decided_at = now()",
        "value = 1",
    ],
)
def test_the_database_asks_for_another_person_and_no_instant_of_the_past(office, finance, attack):
    propose(office)
    before = everything()
    change = attack.format(other=f"'{user_of(finance).pk}'")
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE wallets_configurationfigure SET {change}")
    assert everything() == before


def test_the_lists_take_the_same_few_queries_whatever_they_hold(office):
    addresses = [
        reverse(f"admin:wallets_{name}_changelist")
        for name in ("configuration", "configurationfigure")
    ]
    counts = []
    for key in ("KES_WITHDRAWAL_FEE", FEE, "GHS_WITHDRAWAL_FEE"):
        propose(office, "20", key=key)
        for address in addresses:
            with CaptureQueriesContext(connection) as made:
                office.get(address)
            counts.append(len(made))
    assert counts[2:4] == counts[4:6]
    assert max(counts[2:]) <= 10
