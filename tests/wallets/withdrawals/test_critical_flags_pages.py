"""Critical on the pages: left out of bulk by name, a written reason on the single page, every flag
repeated before anything is done, and the flags of a decided withdrawal kept on its page.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.back_office.roles import AUDITOR, FINANCE_APPROVER
from exchange.events.models import Event
from exchange.participants.models import Organisation
from tests.assertions.unchanged import table_fingerprints
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    approval_form,
    current_flag_codes,
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
    text_of,
)
from wallets.withdrawals.models import Decision, Payout, Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

LIST = "admin:wallets_withdrawal_changelist"
STOP = "The account name at the bank is Forrest Green, the name provided Ada Obi: different."
WHY = "Ada called: Forrest Green is her landlord"


@pytest.fixture
def dataset():
    organisation, member = make_participants()
    for currency in ("NGN", "KES"):
        fund(organisation, member, currency, "90000000")
    return organisation, member


def page(withdrawal: Withdrawal, name: str = "change") -> str:
    return reverse(f"admin:wallets_withdrawal_{name}", args=[withdrawal.pk])


def choose(client: Client, rows: list[Withdrawal]) -> Any:
    chosen = {
        "action": "approve_selected",
        "_selected_action": [str(row.pk) for row in rows],
    }
    return client.post(f"{reverse(LIST)}?status=all", chosen)


def submit(client: Client, asked: Any) -> Any:
    """What the page that asked sends, field by field."""
    html = asked.content.decode()
    fields = re.findall(r'<input type="hidden" name="(row|seen|left_out)" value="([^"]+)"', html)
    body: dict[str, Any] = {"decision": "approve", "reason": ""}
    for name, value in fields:
        body.setdefault(name, []).append(value)
    return client.post(reverse("admin:wallets_withdrawal_bulk"), body)


def test_one_flagged_stop_among_eight_is_left_out_by_name_and_the_others_are_approved(dataset):
    organisation, member = dataset
    fine = [make_withdrawal(organisation, member, "KES", str(1000 + n)) for n in range(7)]
    flagged = make_withdrawal(organisation, member, "NGN", "2000")
    client = signed_in_client(FINANCE_APPROVER)
    before = table_fingerprints()
    asked = choose(client, [*fine, flagged])
    assert table_fingerprints() == before
    seen = text_of(asked)
    assert "Review and confirm: 7 withdrawals, 1 excluded" in seen
    assert (
        "Excluded Critical flags: approve it on its own page with a written reason."
        f" Critical {STOP}" in seen
    )
    assert f'value="{flagged.pk}:1"' not in asked.content.decode()

    done = submit(client, asked)
    reported = text_of(done)
    assert "7 decided, 0 not decided, 1 excluded." in reported
    (row,) = [one for one in done.context["outcomes"] if one.word == "Excluded"]
    assert flagged.reference in row.withdrawal
    assert row.text == (
        "Critical flags: approve it on its own page with a written reason."
        f" Critical: {STOP}"
    )  # fmt: skip
    statuses = dict(Withdrawal.objects.values_list("pk", "status"))
    assert {statuses[row.pk] for row in fine} == {"Approved"}
    assert statuses[flagged.pk] == "Pending"
    assert Payout.objects.count() == 7


def test_bulk_shows_every_flag_that_the_single_page_shows(dataset):
    organisation, member = dataset
    rows = [make_withdrawal(organisation, member, currency, "2000") for currency in ("NGN", "KES")]
    client = signed_in_client(FINANCE_APPROVER)
    asked = choose(client, rows)
    for chosen in asked.context["rows"]:
        single = client.get(page(chosen.withdrawal)).context["flags"]
        assert len(single) >= 2
        assert list(chosen.flags) == single
        for flag in single:
            assert f"{flag.level.label} {flag.text}" in text_of(asked)


def test_a_stop_sent_to_bulk_by_hand_is_refused(dataset):
    flagged = make_withdrawal(dataset[0], dataset[1], "NGN", "2000")
    client = signed_in_client(FINANCE_APPROVER)
    body = {
        "decision": "approve",
        "row": [f"{flagged.pk}:1"],
        "seen": [f"{flagged.pk}:{code}" for code in current_flag_codes(flagged)],
        "override": WHY,
    }
    before = table_fingerprints()
    done = client.post(reverse("admin:wallets_withdrawal_bulk"), body)
    (row,) = done.context["outcomes"]
    assert (row.word, STOP in row.text) == ("Not decided", True)
    assert table_fingerprints() == before


def test_a_flag_that_comes_between_the_question_and_bulk_refuses_that_row(dataset):
    organisation, member = dataset
    one = make_withdrawal(organisation, member, "KES", "1000")
    client = signed_in_client(FINANCE_APPROVER)
    asked = choose(client, [one])
    rival = Organisation.objects.create(name="Rival")
    fund(rival, None, "KES", "5000")
    make_withdrawal(rival, None, "KES", "1000")
    before = table_fingerprints()
    (row,) = submit(client, asked).context["outcomes"]
    assert row.word == "Not decided"
    assert row.text.startswith(
        "New flags since you opened the page: Critical: Account shared with 1 other"
        " organisation. Review them and try again. No changes were made."
    )
    assert table_fingerprints() == before


@pytest.mark.parametrize("override", [None, "", "   "])
@pytest.mark.parametrize("confirmed", ["", "yes"])
def test_the_single_page_wants_the_reason_in_writing(dataset, override, confirmed):
    flagged = make_withdrawal(dataset[0], dataset[1], "NGN", "2000")
    client = signed_in_client(FINANCE_APPROVER)
    shown = client.get(page(flagged))
    label = "Reason for approving despite critical flags (required; internal, not sent to the"
    assert f"{label} organisation" in text_of(shown)
    body = approval_form(flagged, confirmed=confirmed, reason="Called at noon")
    body.pop("override")
    if override is not None:
        body["override"] = override
    before = table_fingerprints()
    response = client.post(page(flagged, "approve"), body)
    assert response.status_code == 200
    html = response.content.decode()
    assert re.search(r'<p class="wrong" id="approve-override_error">Flagged as critical', html)
    assert re.search(r'<textarea name="override"[^>]*aria-invalid="true"', html)
    assert re.search(r'<textarea name="reason" id="approve-reason"[^>]*>Called at noon<', html)
    assert table_fingerprints() == before


def test_what_was_written_stays_when_a_flag_comes_meanwhile(dataset):
    flagged = make_withdrawal(dataset[0], dataset[1], "NGN", "2000")
    client = signed_in_client(FINANCE_APPROVER)
    body = approval_form(flagged, override=WHY, reason="Called at noon")
    rival = Organisation.objects.create(name="Rival")
    fund(rival, None, "NGN", "5000")
    make_withdrawal(rival, None, "NGN", "2000")
    before = table_fingerprints()
    response = client.post(page(flagged, "approve"), body)
    html = response.content.decode()
    assert re.search(
        r'id="approve-override_error">New flags since you opened the page: Critical: Account',
        html,
    )
    assert re.search(rf'<textarea name="override"[^>]*aria-invalid="true"[^>]*>{WHY}<', html)
    assert re.search(r'<textarea name="reason" id="approve-reason"[^>]*>Called at noon<', html)
    assert table_fingerprints() == before


def test_a_page_without_stop_asks_for_no_override(dataset):
    seen = signed_in_client(FINANCE_APPROVER).get(
        page(make_withdrawal(dataset[0], dataset[1], "KES", "2000"))
    )
    assert "Review Payee is not the wallet owner" in text_of(seen)
    assert "flagged Critical" not in text_of(seen)


def test_two_approvers_read_each_others_reason_and_the_client_reads_none(dataset):
    flagged = make_withdrawal(dataset[0], dataset[1], "NGN", "5000000")
    one, other = (
        signed_in_client(FINANCE_APPROVER, "one"),
        signed_in_client(FINANCE_APPROVER, "other"),
    )
    body = {"version": 1, "override": WHY}
    asked = one.post(page(flagged, "approve"), body)
    seen = text_of(asked)
    assert f"Critical {STOP}" in seen
    assert f"Reason for override (internal, not sent to the organisation) {WHY}" in seen
    one.post(page(flagged, "approve"), approval_form(flagged, override=WHY))
    flagged.refresh_from_db()
    assert (flagged.status, flagged.version) == ("Pending", 2)

    before = table_fingerprints()
    reported = other.post(page(flagged, "approve"), approval_form(flagged, override=" "))
    assert "Flagged as critical" in text_of(reported)
    assert table_fingerprints() == before
    for shown in (
        other.get(page(flagged)),
        other.post(page(flagged, "approve"), {"version": 2, "override": "I called too"}),
    ):
        assert "Flags at decision Approved by one," in text_of(shown)
        assert f"Reason for override {WHY}" in text_of(shown)
    other.post(page(flagged, "approve"), approval_form(flagged, override="I called too"))
    flagged.refresh_from_db()
    assert flagged.status == "Approved"

    # What was flagged then stays, whatever is flagged by now.
    Organisation.objects.update(active=False)
    seen = text_of(signed_in_client(AUDITOR).get(page(flagged)))
    for part in (f"Critical {STOP}", f"Reason for override {WHY}", "I called too"):
        assert part in seen, part
    assert "The organisation is not active." not in seen
    sent = " ".join(Event.objects.values_list("body", flat=True))
    assert flagged.reference in sent
    assert WHY not in sent
    assert WHY not in flagged.document
    assert WHY not in flagged.reason


def test_what_was_decided_before_flags_were_kept_says_nothing_of_them(dataset):
    withdrawal = make_withdrawal(dataset[0], dataset[1], "KES", "2000")
    client = signed_in_client(FINANCE_APPROVER)
    client.post(page(withdrawal, "approve"), approval_form(withdrawal))
    assert "Flags at decision" in text_of(client.get(page(withdrawal)))
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_decision SET flags = NULL")
    assert Decision.objects.get().flags is None
    assert "Flags at decision" not in text_of(client.get(page(withdrawal)))
    (row,) = client.get(reverse(LIST), {"status": "all"}).context["cl"].result_list
    assert row.flags is None


def test_the_list_shows_level_and_number_of_flags_of_now_and_of_the_decision(dataset):
    organisation, member = dataset
    flagged = make_withdrawal(organisation, member, "NGN", "2000")
    look = make_withdrawal(organisation, member, "KES", "2000")
    clear = make_withdrawal(organisation, member, "KES", "1000", account_name="Ada")
    decided = make_withdrawal(organisation, member, "KES", "3000", account_number="0690000045")
    client = signed_in_client(FINANCE_APPROVER)
    client.post(page(decided, "approve"), approval_form(decided))
    # Its flags of the decision stay, though it would have more by now.
    Organisation.objects.filter(pk=organisation.pk).update(active=False)
    shown = client.get(reverse(LIST), {"status": "all"})
    admin = shown.context["cl"].model_admin
    risks = {
        row.pk: re.sub(r"<[^>]+>", "", str(admin.shown_risk(row)))
        for row in shown.context["cl"].result_list
    }
    assert risks == {
        flagged.pk: "Critical 2 Review 2",
        look.pk: "Critical 1 Review 2",
        clear.pk: "Critical 1 Review 1",
        decided.pk: "Review 2",
    }
    Organisation.objects.filter(pk=organisation.pk).update(active=True)
    text = text_of(client.get(reverse(LIST)))
    assert "Critical 1 Review 2" in text
    assert "Risk" in text


def test_choosing_many_takes_as_many_queries_as_choosing_two(dataset):
    organisation, member = dataset
    client = signed_in_client(FINANCE_APPROVER)

    def queries(count: int) -> int:
        rows = [make_withdrawal(organisation, member, "KES", "1000") for _ in range(count)]
        with CaptureQueriesContext(connection) as captured:
            assert choose(client, rows).status_code == 200
        return len(captured)

    assert queries(2) == queries(20)
