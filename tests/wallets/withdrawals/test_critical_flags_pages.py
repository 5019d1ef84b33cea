"""Critical flags on pages: excluded from bulk decisions, a written override on the single page, all
flags on the confirmation, and the flags of a decision on its page.
"""

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
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    approve_withdrawal,
    current_flag_codes,
    fund,
    make_participants,
    make_withdrawal,
    page,
    shown_fields,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from wallets.withdrawals.models import Decision, Payout, Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

LIST = "admin:wallets_withdrawal_changelist"
STOP = "The account name at the bank is Forrest Green, the name provided Ada Obi: different."
WHY = "Ada called: Forrest Green is her landlord"


@pytest.fixture
def owners():
    organisation, member = make_participants()
    for currency in ("NGN", "KES"):
        fund(organisation, member, currency, "90000000")
    return organisation, member


def choose(client: Client, rows: list[Withdrawal]) -> Any:
    chosen = {
        "action": "approve_selected",
        "_selected_action": [str(row.pk) for row in rows],
    }
    return client.post(f"{reverse(LIST)}?status=all", chosen, follow=True)


def submit(client: Client, confirmation: Any) -> Any:
    """Submit the confirmation page with its own fields."""
    body = {**shown_fields(confirmation), "reason": ""}
    return client.post(reverse("admin:wallets_withdrawal_bulk"), body, follow=True)


def test_bulk_excludes_the_critical_one_by_name_and_approves_the_others(owners, finance):
    organisation, member = owners
    fine = [make_withdrawal(organisation, member, "KES", str(1000 + n)) for n in range(7)]
    flagged = make_withdrawal(organisation, member, "NGN", "2000")
    with assert_no_table_changes():
        confirmation = choose(finance, [*fine, flagged])
    seen = text_of(confirmation)
    assert "Review and confirm: 7 withdrawals" in seen
    assert "Excluded: 1 withdrawal" in seen
    assert f"Critical: needs a written reason. Open it to decide. Critical {STOP}" in seen
    assert f'value="{flagged.pk}:1"' not in confirmation.content.decode()

    done = submit(finance, confirmation)
    page_text = text_of(done)
    assert "7 decided, 0 not decided, 1 excluded." in page_text
    (row,) = [one for one in done.context["outcomes"] if one["word"] == "Excluded"]
    assert (row["reference"], row["url"]) == (flagged.reference, page(flagged))
    assert row["text"] == (f"Critical: needs a written reason. Open it to decide. Critical: {STOP}")
    statuses = dict(Withdrawal.objects.values_list("pk", "status"))
    assert {statuses[row.pk] for row in fine} == {"Approved"}
    assert statuses[flagged.pk] == "Pending"
    assert Payout.objects.count() == 7


def test_bulk_shows_every_flag_of_the_single_page(owners, finance):
    organisation, member = owners
    rows = [make_withdrawal(organisation, member, currency, "2000") for currency in ("NGN", "KES")]
    confirmation = choose(finance, rows)
    for chosen in confirmation.context["rows"]:
        single = finance.get(page(chosen.withdrawal)).context["flags"]
        assert len(single) >= 2
        assert list(chosen.flags) == single
        for flag in single:
            assert f"{flag.level.label} {flag.text}" in text_of(confirmation)


# What was tried is kept: the bulk approval with its outcomes, and its change log.
_TRIED = ("wallets_bulkapproval", "exchange_change")


def test_a_critical_row_posted_to_bulk_is_rejected(owners, finance):
    flagged = make_withdrawal(owners[0], owners[1], "NGN", "2000")
    body = {
        "decision": "approve",
        "row": [f"{flagged.pk}:1"],
        "seen": [f"{flagged.pk}:{code}" for code in current_flag_codes(flagged)],
        "override": WHY,
    }
    with assert_no_table_changes(*_TRIED):
        done = finance.post(reverse("admin:wallets_withdrawal_bulk"), body, follow=True)
        (row,) = done.context["outcomes"]
    assert (row["word"], STOP in row["text"]) == ("Not decided", True)


def test_a_flag_raised_after_the_confirmation_page_rejects_its_row(owners, finance):
    organisation, member = owners
    one = make_withdrawal(organisation, member, "KES", "1000")
    confirmation = choose(finance, [one])
    rival = Organisation.objects.create(name="Rival")
    fund(rival, None, "KES", "5000")
    make_withdrawal(rival, None, "KES", "1000")
    with assert_no_table_changes(*_TRIED):
        (row,) = submit(finance, confirmation).context["outcomes"]
    assert row["word"] == "Not decided"
    assert row["text"].startswith(
        "New flags since you opened the page: Critical: Account shared with 1 other"
        " organisation. Review them and try again. No changes were made."
    )


@pytest.mark.parametrize("override", [None, "", "   "])
@pytest.mark.one_in(3)
def test_the_single_page_requires_a_written_override(owners, override, finance):
    flagged = make_withdrawal(owners[0], owners[1], "NGN", "2000")
    label = "Reason for approving despite critical flags"
    assert label in text_of(finance.get(page(flagged, "approve")))
    typed = {"reason": "Called at noon"}
    if override is not None:
        typed["override"] = override
    with assert_no_table_changes():
        response = submit_confirmation(finance, page(flagged, "approve"), **typed)
        assert response.status_code == 200
        html = response.content.decode()
        assert "Flagged as critical. Enter a reason to approve it anyway." in text_of(response)
        assert re.search(r'<textarea name="override"[^>]*aria-invalid="true"', html)
        assert re.search(r'<textarea name="reason"[^>]*>\s*Called at noon<', html)


def test_the_override_text_stays_when_a_new_flag_is_raised(owners, finance):
    flagged = make_withdrawal(owners[0], owners[1], "NGN", "2000")
    asked = finance.get(page(flagged, "approve"))
    rival = Organisation.objects.create(name="Rival")
    fund(rival, None, "NGN", "5000")
    make_withdrawal(rival, None, "NGN", "2000")
    typed = {"override": WHY, "reason": "Called at noon"}
    with assert_no_table_changes():
        response = submit_confirmation(finance, page(flagged, "approve"), at=asked, **typed)
        html = response.content.decode()
        assert "New flags since you opened the page: Critical: Account" in text_of(response)
        assert re.search(rf'<textarea name="override"[^>]*>\s*{WHY}<', html)
        assert re.search(r'<textarea name="reason"[^>]*>\s*Called at noon<', html)
        # The new flag is shown now, so the next submission counts as having seen it.
        assert set(shown_fields(response)["flag"]) == set(current_flag_codes(flagged))


def test_a_page_without_critical_flags_has_no_override_field(owners):
    seen = signed_in_client(FINANCE_APPROVER).get(
        page(make_withdrawal(owners[0], owners[1], "KES", "2000"))
    )
    assert "Review Payee is not the wallet owner" in text_of(seen)
    assert "flagged Critical" not in text_of(seen)


def test_approvers_see_each_others_override_and_clients_see_none(owners, maker, checker):
    flagged = make_withdrawal(owners[0], owners[1], "NGN", "5000000")
    seen = text_of(maker.get(page(flagged, "approve")))
    assert f"Critical {STOP}" in seen
    assert (
        "Internal: not visible to the organisation. Stored with your approval and shown on this"
        " withdrawal's page. Each approver enters their own" in seen
    )
    approve_withdrawal(maker, flagged, override=WHY)
    flagged.refresh_from_db()
    assert (flagged.status, flagged.version) == ("Pending", 2)

    with assert_no_table_changes():
        assert "Flagged as critical" in text_of(approve_withdrawal(checker, flagged, override=" "))
    for name in ("change", "approve"):
        shown = text_of(checker.get(page(flagged, name)))
        assert "Flags at decision Approved by maker," in shown
        assert f"Reason for override {WHY}" in shown
    approve_withdrawal(checker, flagged, override="I called the bank too")
    flagged.refresh_from_db()
    assert flagged.status == "Approved"

    # The flags of the decision stay, whatever is flagged now.
    Organisation.objects.update(active=False)
    seen = text_of(signed_in_client(AUDITOR).get(page(flagged)))
    for part in (f"Critical {STOP}", f"Reason for override {WHY}", "I called the bank too"):
        assert part in seen, part
    assert "The organisation is not active." not in seen
    sent = " ".join(Event.objects.values_list("body", flat=True))
    assert flagged.reference in sent
    assert WHY not in sent
    assert WHY not in flagged.document
    assert WHY not in flagged.reason


def test_a_decision_older_than_stored_flags_shows_none(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "2000")
    approve_withdrawal(finance, withdrawal)
    assert "Flags at decision" in text_of(finance.get(page(withdrawal)))
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_decision SET flags = NULL")
    assert Decision.objects.get().flags is None
    assert "Flags at decision" not in text_of(finance.get(page(withdrawal)))
    (row,) = finance.get(reverse(LIST), {"status": "all"}).context["cl"].result_list
    assert row.flags is None


def test_the_list_shows_current_flags_and_those_of_the_decision(owners, finance):
    organisation, member = owners
    flagged = make_withdrawal(organisation, member, "NGN", "2000")
    look = make_withdrawal(organisation, member, "KES", "2000")
    clear = make_withdrawal(organisation, member, "KES", "1000", account_name="Ada")
    decided = make_withdrawal(organisation, member, "KES", "3000", account_number="0690000045")
    approve_withdrawal(finance, decided)
    # The flags of the decision stay, although more apply now.
    Organisation.objects.filter(pk=organisation.pk).update(active=False)
    shown = finance.get(reverse(LIST), {"status": "all"})
    admin = shown.context["cl"].model_admin
    risks = {
        row.pk: re.sub(r"<[^>]+>", "", str(admin.risk_display(row)))
        for row in shown.context["cl"].result_list
    }
    assert risks == {
        flagged.pk: "Critical 2 Review 2",
        look.pk: "Critical 1 Review 2",
        clear.pk: "Critical 1 Review 1",
        decided.pk: "Review 2",
    }
    Organisation.objects.filter(pk=organisation.pk).update(active=True)
    text = text_of(finance.get(reverse(LIST)))
    assert "Critical 1 Review 2" in text
    assert "Flags" in text


def test_the_confirmation_takes_the_same_number_of_queries_for_many_rows(owners, finance):
    organisation, member = owners

    def queries(count: int) -> int:
        rows = [make_withdrawal(organisation, member, "KES", "1000") for _ in range(count)]
        with CaptureQueriesContext(connection) as captured:
            assert choose(finance, rows).status_code == 200
        return len(captured)

    assert queries(2) == queries(20)
