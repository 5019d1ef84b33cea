"""The function that changes a status, its lock, and stored decisions."""

import pytest
from django.db import transaction

from exchange.core.actors import Actor
from exchange.core.errors import StateConflict
from exchange.core.ids import uuid7
from exchange.events.models import Event
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.processes import wait_until
from tests.factories.api_clients import make_organisation
from tests.factories.wallets import (
    SYSTEM,
    Wallet,
    make_approved_withdrawal,
    make_wallet,
    store_bank_list,
)
from wallets.withdrawals.errors import WithdrawalNotFound
from wallets.withdrawals.models import Decision, Verdict, Withdrawal
from wallets.withdrawals.models import WithdrawalStatus as Status
from wallets.withdrawals.selectors.review_flags import FlagLevel, ReviewFlag
from wallets.withdrawals.services.transitions import change_status, lock_withdrawal, record_decision

pytestmark = pytest.mark.django_db


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_wallet(5_000)


def emitted_types(withdrawal: Withdrawal) -> list[str]:
    return [*Event.objects.filter(subject_id=withdrawal.id).values_list("type", flat=True)]


def test_a_change_affects_one_withdrawal_raises_the_version_and_emits(wallet):
    one, other = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    moved = change_status(
        one, from_statuses=(Status.APPROVED,), to=Status.PROCESSING, reason="sent"
    )
    assert (moved.pk, moved.status, moved.version, moved.reason) == (
        one.pk, "Processing", one.version + 1, "sent",
    )  # fmt: skip
    assert sorted(emitted_types(one)) == [
        "withdrawal.approved",
        "withdrawal.created",
        "withdrawal.processing",
    ]
    other.refresh_from_db()
    assert (other.status, len(emitted_types(other))) == ("Approved", 2)
    # A change with `emit=False` emits no event.
    unknown = change_status(moved, from_statuses=(Status.PROCESSING,), to=Status.UNKNOWN)
    back = change_status(unknown, from_statuses=(Status.UNKNOWN,), to=Status.APPROVED, emit=False)
    assert (back.version, len(emitted_types(one))) == (one.version + 3, 4)


def test_a_change_from_another_status_or_version_is_rejected_with_a_reason(wallet):
    withdrawal = make_approved_withdrawal(wallet)
    stale = Withdrawal.objects.get(pk=withdrawal.pk)
    stale.version -= 1
    pending, approver = wallet.request(), withdrawal.actioned_by
    assert approver
    changed = "The withdrawal has changed. Review it and try again"
    with assert_no_table_changes():
        for row, states, message in (
            (stale, (Status.APPROVED,), changed),
            (
                withdrawal,
                (Status.PROCESSING, Status.UNKNOWN),
                f"Already approved by {approver}",
            ),
            (pending, (Status.APPROVED,), "The withdrawal is Pending, not Approved"),
        ):
            with pytest.raises(StateConflict) as error:
                change_status(row, from_statuses=states, to=Status.PROCESSING)
            assert error.value.message == message


def test_a_decision_is_stored_with_its_details(wallet):
    withdrawal = wallet.request()
    flag = ReviewFlag("key_revoked", FlagLevel.CRITICAL, "The API key is revoked.")
    record_decision(withdrawal, verdict=Verdict.ADD_DETAILS, actor=SYSTEM)
    record_decision(
        withdrawal,
        verdict=Verdict.REJECT,
        actor=SYSTEM,
        reason="why",
        details={"a": 1},
        flags=[flag],
        override="seen",
    )
    plain, full = Decision.objects.filter(withdrawal=withdrawal).order_by("pk")
    assert (plain.verdict, plain.actor, plain.actor_label, plain.version) == (
        "Add details", str(SYSTEM), SYSTEM.label, withdrawal.version,
    )  # fmt: skip
    assert (plain.reason, plain.details, plain.flags, plain.override) == ("", {}, None, "")
    kept = [{"code": "key_revoked", "level": "Critical", "text": "The API key is revoked."}]
    assert (full.reason, full.details, full.flags, full.override) == ("why", {"a": 1}, kept, "seen")


@pytest.mark.django_db(transaction=True)
def test_the_lock_covers_the_withdrawal_but_not_its_bank_or_key(wallet, owner_connection):
    one, other = wallet.request(), wallet.request()
    rows = "SELECT id FROM wallets_withdrawal FOR {} SKIP LOCKED"
    banks = "SELECT id FROM wallets_bankaccount FOR UPDATE SKIP LOCKED"
    with transaction.atomic():
        assert lock_withdrawal(one.id).pk == one.pk
        assert owner_connection.execute(rows.format("SHARE")).fetchall() == [(other.id,)]
        # Inserting a decision or a payout does not wait for the lock.
        assert len(owner_connection.execute(rows.format("KEY SHARE")).fetchall()) == 2
        assert len(owner_connection.execute(banks).fetchall()) == 2


def test_a_withdrawal_is_found_only_within_its_organisation(wallet):
    withdrawal = wallet.request()
    assert lock_withdrawal(withdrawal.id, wallet.organisation.id).pk == withdrawal.pk
    for withdrawal_id, organisation_id in (
        (withdrawal.id, make_organisation().id),
        (wallet.organisation.id, None),
    ):
        with pytest.raises(WithdrawalNotFound):
            lock_withdrawal(withdrawal_id, organisation_id)


def test_an_emitted_event_notifies_the_workers(
    wallet, task_notifications, django_capture_on_commit_callbacks
):
    withdrawal = make_approved_withdrawal(wallet)
    with django_capture_on_commit_callbacks(execute=True):
        change_status(withdrawal, from_statuses=(Status.APPROVED,), to=Status.PROCESSING)
    wait_until(
        lambda: task_notifications == ["exchange.tasks.deliver_events"], "events are delivered"
    )


def test_a_decision_stores_the_beginning_of_a_long_name(wallet):
    label = "n" * 200 + "x"
    withdrawal = wallet.request()
    record_decision(withdrawal, verdict=Verdict.ADD_DETAILS, actor=Actor.staff(uuid7(), label))
    assert Decision.objects.get(withdrawal=withdrawal).actor_label == label[:200]
