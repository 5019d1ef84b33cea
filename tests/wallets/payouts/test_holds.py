"""Holds on payouts, their release by two people, and the recovery of lost withdrawals."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from config.local.sandbox import SandboxServer
from config.local.sandbox.faults import Fault
from exchange.core.errors import Rejected
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.factories.back_office import page, signed_in_client, text_of
from tests.factories.configuration_pages import approve, propose
from tests.factories.wallets import (
    FAILING_ACCOUNT,
    OVERRIDE,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    status_of,
)
from tests.wallets.payouts.payout_rows import claim_payout, read_payout, update_payout
from tests.wallets.reconciliation.harness import compare, today
from wallets.fees import services as fees
from wallets.fees.models import SettingChange
from wallets.payouts.services import execution as payouts
from wallets.payouts.services.holds import hold_payouts
from wallets.payouts.tasks import sweep_payouts
from wallets.providers.registry import payment_provider
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.transfer_requests import transfer_request

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def orders(sandbox: SandboxServer) -> list[str]:
    """Return the references of the transfers that were posted."""
    return [each["reference"] for each in sandbox.requests.entries() if each["method"] == "POST"]


def before_the_test() -> datetime:
    """Return a second before the test's transaction, at whose time the database decides."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        now: datetime = cursor.fetchone()[0]
    return now - timedelta(seconds=1)


def release() -> SettingChange:
    """Propose to end the hold and approve it as another person."""
    change = fees.propose(
        key="PAYOUTS_ON_HOLD",
        value=Decimal(0),
        reason="Reconciled",
        user=make_staff("propose_configuration"),
    )
    return fees.approve(
        change_id=change.pk, expected_value=Decimal(1), user=make_staff("decide_configuration")
    )


def test_during_a_hold_nothing_is_claimed_or_sent_and_pages_show_it(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    hold_payouts(reason="Suspected fraud")
    assert sweep_payouts() == 0
    payouts.send_payout(withdrawal.id)
    assert (status_of(withdrawal), read_payout(withdrawal).attempts) == ("Approved", 0)
    assert orders(sandbox) == []
    office = signed_in_client("Finance approver")
    dashboard = text_of(office.get("/admin/"))
    assert "Payouts on hold: Suspected fraud" in dashboard
    assert "Payouts resume once two people release the hold" in dashboard
    shown = text_of(office.get(f"/admin/wallets/withdrawal/{withdrawal.pk}/change/"))
    assert "Suspected fraud, so no payouts are sent" in shown


def test_a_payout_claimed_before_the_hold_is_not_posted(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    token = claim_payout(withdrawal)
    hold_payouts(reason="Suspected fraud")
    payouts._post(withdrawal.id, token)
    payout = read_payout(withdrawal)
    assert (status_of(withdrawal), payout.posted_at) == ("Approved", None)
    assert payout.last_error == "payouts are on hold"
    assert orders(sandbox) == []


def test_one_person_or_an_unreconciled_day_does_not_release_a_restored_service(sandbox, wallet):
    make_approved_withdrawal(wallet)
    hold_payouts(reason="Restored", restored_to=timezone.now() - timedelta(days=1))
    before = table_fingerprints()
    person = make_staff("propose_configuration", "decide_configuration")
    change = fees.propose(key="PAYOUTS_ON_HOLD", value=Decimal(0), reason="Reconciled", user=person)
    with pytest.raises(Rejected, match="Someone other than the proposer"):
        fees.approve(change_id=change.pk, expected_value=Decimal(1), user=person)
    other = make_staff("decide_configuration")
    compare(today(), over=False)
    # Yesterday is missing.
    with pytest.raises(Rejected, match="until every day since the restored moment is reconciled"):
        fees.approve(change_id=change.pk, expected_value=Decimal(1), user=other)
    compare(today() - timedelta(days=1))
    assert sweep_payouts() == 0
    assert table_fingerprints()["wallets_entry"] == before["wallets_entry"]
    fees.approve(change_id=change.pk, expected_value=Decimal(1), user=other)
    assert sweep_payouts() == 1
    assert len(orders(sandbox)) == 1


def test_an_incomplete_reconciliation_does_not_count(sandbox, wallet):
    hold_payouts(reason="Restored", restored_to=before_the_test())
    sandbox.faults.add(Fault("error_5xx", times=50))
    assert compare(today(), over=False).status == "Incomplete"
    with pytest.raises(Rejected, match="reconciled"), transaction.atomic():
        release()


def test_the_database_itself_refuses_a_release_or_a_posting(wallet):
    withdrawal = make_approved_withdrawal(wallet)
    claim_payout(withdrawal)
    hold_payouts(reason="Restored", restored_to=before_the_test())
    with pytest.raises(IntegrityError, match="payouts are on hold"), transaction.atomic():
        update_payout(withdrawal, posted_at=timedelta(0))
    with pytest.raises(IntegrityError, match="starts as a proposal"), transaction.atomic():
        SettingChange.objects.create(
            configuration_id="PAYOUTS_ON_HOLD",
            value=0,
            reason="Released by a command",
            status="Approved",
            effective_at=timezone.now(),
            created_at=timezone.now(),
        )


def test_a_payout_sent_before_the_restored_moment_is_settled_and_not_sent_again(sandbox, wallet):
    paid, unpaid = make_approved_withdrawal(wallet), make_approved_withdrawal(wallet)
    send_as_before_the_restore(sandbox, paid)
    hold_payouts(reason="Restored", restored_to=before_the_test())
    compare(today(), over=False)
    release()
    assert sweep_payouts() == 2
    assert (status_of(paid), status_of(unpaid)) == ("Completed", "Processing")
    assert orders(sandbox) == [paid.reference, unpaid.reference]
    assert_books_hold()


def test_without_a_response_nothing_is_sent_after_a_release(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    send_as_before_the_restore(sandbox, withdrawal)
    hold_payouts(reason="Restored", restored_to=before_the_test())
    compare(today(), over=False)
    release()
    sandbox.faults.add(Fault("error_5xx", times=10))
    sweep_payouts()
    assert (status_of(withdrawal), read_payout(withdrawal).posted_at) == ("Approved", None)
    assert orders(sandbox) == [withdrawal.reference]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--reason", " "], "Enter a reason"),
        (["--reason", "x" * 301], "300"),
        (["--reason", "x", "--restored-to", "2090-01-01T00:00:00Z"], "in the future"),
        (["--reason", "x", "--restored-to", "yesterday"], "not a time with its zone"),
        (["--reason", "x", "--restored-to", "2026-11-25 10:00:03"], "not a time with its zone"),
        ([], "--reason"),
    ],
)
def test_a_wrong_hold_is_refused_and_changes_nothing(arguments: list[str], message: str) -> None:
    with assert_no_table_changes(), pytest.raises(CommandError, match=message):
        call_command("hold_payouts", *arguments)


def test_a_moment_before_the_last_release_is_refused(sandbox, wallet):
    hold_payouts(reason="Restored", restored_to=before_the_test())
    compare(today(), over=False)
    release()
    with (
        assert_no_table_changes(),
        pytest.raises(CommandError, match="Payouts were released after"),
    ):
        call_command("hold_payouts", "--reason", "x", "--restored-to", "2026-01-01T00:00:00Z")


def test_a_hold_is_released_on_the_pages_of_settings(sandbox, wallet, office, finance):
    hold_payouts(reason="Restored to 10:00", restored_to=before_the_test())
    propose(office, "0", key="PAYOUTS_ON_HOLD")
    change = SettingChange.objects.get(status="Pending")
    approve(finance, change)
    refused = text_of(finance.get(page(change, "change")))
    assert "Payouts stay on hold until every day since the restored moment" in refused
    compare(today(), over=False)
    assert approve(finance, change).status_code == 302
    history = text_of(office.get("/admin/wallets/configuration/PAYOUTS_ON_HOLD/change/"))
    assert re.search(r"Restored to 10:00", history)
    assert "Command" in history
    listed = text_of(office.get("/admin/wallets/settingchange/"))
    assert "Payouts on hold" in listed


def test_a_withdrawal_that_the_database_lost_is_recovered_without_a_second_payout(
    sandbox, wallet, capsys
):
    lost = "payout_lost-in-the-restore"
    book_transfer(sandbox, wallet, lost)
    hold_payouts(reason="Restored", restored_to=before_the_test())
    with pytest.raises(SystemExit, match="1"):
        call_command("reconcile", "--since", timezone.now().isoformat())
    listed = capsys.readouterr().out
    assert f"Not in our records: {lost}: provider SUCCESSFUL 470 KES to " in listed
    assert "; no withdrawal here" in listed
    owner = str(wallet.member.id)
    call_command("recover_withdrawal", lost, owner, "--account-name", "Forrest Green")
    assert "500" in capsys.readouterr().out
    recovered = Withdrawal.objects.get(reference=lost)
    assert (recovered.status, recovered.disburse_amount) == ("Pending", Decimal(470))
    with pytest.raises(CommandError, match="exists: approve it"):
        call_command("recover_withdrawal", lost, owner, "--account-name", "Forrest Green")
    decisions.approve(
        withdrawal_id=recovered.pk,
        version=recovered.version,
        approver=make_staff(),
        override=OVERRIDE,
    )
    release()
    sweep_payouts()
    assert status_of(recovered) == "Completed"
    assert orders(sandbox) == [lost]
    assert_books_hold()


@pytest.mark.parametrize(
    ("reference", "message"),
    [("payout_none", "The provider has no transfer"), ("payout_failed", "nothing to recover")],
)
def test_a_transfer_that_moved_no_money_is_not_recovered(sandbox, wallet, reference, message):
    book_transfer(sandbox, wallet, "payout_failed", account=FAILING_ACCOUNT)
    with assert_no_table_changes(), pytest.raises(CommandError, match=message):
        call_command(
            "recover_withdrawal", reference, str(wallet.member.id), "--account-name", "F Green"
        )


def send_as_before_the_restore(sandbox: SandboxServer, withdrawal: Withdrawal) -> None:
    """Pay a withdrawal at the provider; the database does not know."""
    payment_provider().transfer(transfer_request(withdrawal))
    sandbox.store.settle(withdrawal.reference)


def book_transfer(sandbox: SandboxServer, wallet: Wallet, reference: str, **more: Any) -> None:
    """Pay a withdrawal that the database does not have."""
    with transaction.atomic():
        withdrawal = make_approved_withdrawal(wallet, **more)
        request = transfer_request(withdrawal)
        transaction.set_rollback(True)
    payment_provider().transfer(replace(request, reference=reference))
    sandbox.store.settle(reference)
