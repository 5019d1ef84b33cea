"""A bulk approval waits before it starts, can be undone until then, and is carried out once."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import AUDITOR, FINANCE_APPROVER
from exchange.core.errors import Forbidden, StateConflict
from exchange.staff.models import StaffUser
from tests.environment.concurrency import Callers
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    current_flag_codes,
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    signed_in_client,
    text_of,
    user_of,
)
from wallets.payouts.tasks import sweep_payouts
from wallets.withdrawals.models import BulkApproval, BulkStatus, Decision, Withdrawal
from wallets.withdrawals.services import bulk, decisions
from wallets.withdrawals.services.bulk import ShownRow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


@pytest.fixture(autouse=True)
def _time_to_undo(settings: Any) -> None:
    settings.BULK_APPROVAL_UNDO_SECONDS = 10


@pytest.fixture
def withdrawals() -> list[Withdrawal]:
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    return [make_withdrawal(organisation, member, "KES", str(500 + n)) for n in range(3)]


def confirm(client: Client, rows: list[Withdrawal]) -> Any:
    """Submit the confirmation page of the rows and return the page that follows."""
    body = {
        "decision": "approve",
        "row": [f"{row.pk}:{row.version}" for row in rows],
        "seen": [f"{row.pk}:{code}" for row in rows for code in current_flag_codes(row)],
    }
    return client.post(reverse("admin:wallets_withdrawal_bulk"), body, follow=True)


def let_time_pass() -> None:
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_bulkapproval SET starts_at = now() - interval '1 second'")


def undo(client: Client, page: Any = None) -> Any:
    """Press *Undo* on a page that waits, or on the latest one."""
    shown = page or client.get(reverse("admin:wallets_withdrawal_decided"))
    body = {"bulk": str(shown.context["bulk"].pk)}
    return client.post(reverse("admin:wallets_withdrawal_undo"), body)


def statuses() -> list[str]:
    return list(Withdrawal.objects.order_by("pk").values_list("status", flat=True))


def queue(rows: list[Withdrawal], user: StaffUser) -> BulkApproval:
    shown = [ShownRow(row.pk, row.version, current_flag_codes(row)) for row in rows]
    return bulk.queue_approvals(rows=shown, reason="", user=user)


def test_nothing_is_approved_before_its_time_and_all_after_it(withdrawals, finance):
    page = confirm(finance, withdrawals)
    seen = text_of(page)
    assert "3 approvals queued" in seen
    assert "3 of 1,503.00 KES. Nothing is approved before they start" in seen
    [queued] = BulkApproval.objects.all()
    assert timedelta(seconds=9) < queued.starts_at - timezone.now() <= timedelta(seconds=10)
    sweep_payouts()
    assert statuses() == ["Pending"] * 3
    let_time_pass()
    bulk.run_due_approvals()
    assert statuses() == ["Approved"] * 3
    done = text_of(finance.get(reverse("admin:wallets_withdrawal_decided")))
    assert "3 of 3 decided" in done
    assert "Approved: 3, total 1,503.00 KES." in done
    assert "470.00 KES queued for payout." in done
    assert {row.actor_label for row in Decision.objects.all()} == {str(user_of(finance))}
    # A second run does nothing again.
    bulk.run_due_approvals()
    assert Decision.objects.count() == 3


def test_an_undone_bulk_approves_nothing(withdrawals, finance):
    confirm(finance, withdrawals)
    undone = undo(finance)
    assert messages_of(undone) == ["Undone. Nothing was approved."]
    let_time_pass()
    bulk.run_due_approvals()
    assert statuses() == ["Pending"] * 3
    assert BulkApproval.objects.get().status == BulkStatus.UNDONE
    # The rows can be approved again at once.
    confirm(finance, withdrawals)
    assert BulkApproval.objects.count() == 2


def test_undo_is_of_the_bulk_that_the_page_shows(withdrawals, finance):
    first, *others = withdrawals
    shown = confirm(finance, [first])
    confirm(finance, others)
    assert messages_of(undo(finance, shown)) == ["Undone. Nothing was approved."]
    assert "2 approvals queued" in text_of(finance.get(reverse("admin:wallets_withdrawal_decided")))
    let_time_pass()
    bulk.run_due_approvals()
    assert statuses() == ["Pending", "Approved", "Approved"]


def test_it_is_too_late_to_undo_once_the_time_has_come(withdrawals, finance):
    confirm(finance, withdrawals)
    let_time_pass()
    late = undo(finance)
    assert messages_of(late) == ["It is too late to undo: the approvals have started"]
    bulk.run_due_approvals()
    assert statuses() == ["Approved"] * 3


def test_only_the_own_bulk_is_undone_and_only_by_who_decides(withdrawals, finance):
    queued = queue(withdrawals, user_of(finance))
    other = signed_in_client(FINANCE_APPROVER, "other")
    with pytest.raises(StateConflict):
        bulk.undo_approvals(bulk_id=queued.pk, user=user_of(other))
    assert BulkApproval.objects.get().status == BulkStatus.WAITING
    auditor = signed_in_client(AUDITOR)
    assert auditor.post(reverse("admin:wallets_withdrawal_undo")).status_code == 403
    with pytest.raises(Forbidden):
        queue(withdrawals, user_of(auditor))


def test_what_changed_meanwhile_is_skipped_and_reported(withdrawals, finance):
    confirm(finance, withdrawals)
    other = user_of(signed_in_client(FINANCE_APPROVER, "kofi"))
    decisions.reject(
        withdrawal_id=withdrawals[1].pk, version=1, approver=other, reason="Asked twice by phone"
    )
    let_time_pass()
    bulk.run_due_approvals()
    assert statuses() == ["Approved", "Rejected", "Approved"]
    done = text_of(finance.get(reverse("admin:wallets_withdrawal_decided")))
    assert "2 decided, 1 not decided." in done
    assert "kofi rejected it at" in done


def test_who_lost_the_role_meanwhile_approves_nothing(withdrawals, finance):
    confirm(finance, withdrawals)
    user_of(finance).groups.clear()
    let_time_pass()
    bulk.run_due_approvals()
    assert statuses() == ["Pending"] * 3
    results = BulkApproval.objects.get().results
    assert {each["error"] for each in results} == {
        "You do not have permission to approve withdrawals"
    }


def test_a_worker_that_died_is_followed_by_another_after_its_last_result(withdrawals, finance):
    queued = queue(withdrawals, user_of(finance))
    let_time_pass()
    bulk.run_approvals(queued.pk)
    results = BulkApproval.objects.get().results
    # As after a crash behind the first result: the lease has run out.
    for row in withdrawals[1:]:
        assert row.status == "Pending"
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_bulkapproval SET status = 'Waiting', finished_at = NULL,"
            " results = jsonb_build_array(results -> 0), leased_until = now() - interval '1 s'"
        )
    bulk.run_approvals(queued.pk)
    again = BulkApproval.objects.get()
    assert again.status == BulkStatus.DONE
    assert again.results[0] == results[0]
    # The others were approved by the first run: the second one says so and decides nothing twice.
    assert [each.get("outdated") for each in again.results[1:]] == [True, True]
    assert Decision.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_two_workers_carry_it_out_once(withdrawals, finance):
    queued = queue(withdrawals, user_of(finance))
    let_time_pass()
    with Callers(2) as callers:
        assert callers.at_once([lambda: bulk.run_approvals(queued.pk)] * 2) == [None, None]
    assert statuses() == ["Approved"] * 3
    assert Decision.objects.count() == 3
    assert len(BulkApproval.objects.get().results) == 3


def test_the_script_reads_the_progress(withdrawals, finance):
    address = reverse("admin:wallets_withdrawal_bulk_progress")
    assert finance.get(address).json() == {"finished": True}
    confirm(finance, withdrawals)
    progress = finance.get(address).json()
    assert progress["text"].startswith("Starts in ")
    assert (progress["done"], progress["total"]) == (0, 3)
    let_time_pass()
    assert finance.get(address).json()["text"] == "Approving"
    bulk.run_due_approvals()
    assert finance.get(address).json() == {"finished": True}
