"""Returned payouts on pages: status, filter, queue, dashboard and exports; links of alerts."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from exchange.core.actors import Actor
from tests.assertions.unchanged import table_fingerprints
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    page,
    shown_fields,
    submit_confirmation,
    text_of,
)
from tests.factories.deposits import Owner, arrive, make_checkout, transaction_record
from tests.factories.exports import file_bytes, read_csv, request_export
from tests.factories.payouts import return_at_bank, settle_at_bank
from tests.factories.wallets import OVERRIDE, make_staff
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.payouts.models import Proposal
from wallets.payouts.services import execution as payouts
from wallets.reconciliation.models import Reconciliation
from wallets.withdrawals.admin.saved_views import returned_by_bank
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.review_flags import review_flags
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

LIST = "admin:wallets_withdrawal_changelist"


@pytest.fixture
def owners(provider_sandbox):
    organisation, member = make_participants()
    fund(organisation, member, "KES", "10000")
    return organisation, member


def paid(sandbox: Any, owners: Any, *, returned: bool) -> Withdrawal:
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "400")
    decisions.approve(
        withdrawal_id=withdrawal.pk, version=1, approver=make_staff(), override=OVERRIDE
    )
    payouts.send_payout(withdrawal.pk)
    settle_at_bank(sandbox, withdrawal)
    payouts.check_status(withdrawal.pk)
    if returned:
        return_at_bank(sandbox, withdrawal)
        payouts.check_status(withdrawal.pk)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Completed"
    return withdrawal


def test_a_returned_payout_is_marked_until_two_people_reverse_it(
    provider_sandbox, owners, maker, checker
):
    fine = paid(provider_sandbox, owners, returned=False)
    back = paid(provider_sandbox, owners, returned=True)

    def rows(**query: str) -> dict[Any, str]:
        listed = maker.get(reverse(LIST), query).context["cl"]
        shown = listed.model_admin.state_display
        return {row.pk: re.sub("<[^>]+>", "", shown(row)) for row in listed.result_list}

    both = {fine.pk: "Completed", back.pk: "Returned by bank"}
    assert rows(status="Completed") == rows(status="all") == both
    assert rows(status="Returned") == rows(view="returned") == {back.pk: "Returned by bank"}
    seen = text_of(maker.get(reverse(LIST), {"status": "Returned"}))
    assert re.search(r"Returned by bank Reversal ", seen)
    assert "Returned by bank 1" in seen

    front = text_of(maker.get("/admin/"))
    assert "Withdrawals: returned by bank 1" in front
    assert "Reversal requires dual approval." in front
    paying = text_of(maker.get(reverse("admin:wallets_payout_changelist")))
    assert paying.count("Returned by bank") == 1
    review = text_of(maker.get(page(back)))
    assert "Returned by bank" in review
    assert f"Completed {back.reference}" not in review
    # On the page of the other withdrawal.
    assert "Returned by bank 400.00 KES" in text_of(maker.get(page(fine)))

    exported, _ = read_csv(file_bytes(request_export(maker, "wallets_withdrawal", "status=all")))
    assert {row["Withdrawal ID"]: row["Status"] for row in exported} == {
        str(pk): word for pk, word in both.items()
    }
    assert {row["Withdrawal ID"]: row["Paid out"] for row in exported} == {
        str(fine.pk): "370",
        str(back.pk): "",
    }
    of_payouts, _ = read_csv(file_bytes(request_export(maker, "wallets_payout")))
    assert {(row["Withdrawal ID"], row["Status"], row["Paid out"]) for row in of_payouts} == {
        (str(fine.pk), "Completed", "370"),
        (str(back.pk), "Returned by bank", ""),
    }
    exported, _ = read_csv(
        file_bytes(request_export(maker, "wallets_withdrawal", "status=Returned"))
    )
    assert [row["Withdrawal ID"] for row in exported] == [str(back.pk)]

    maker.post(page(back, "propose"), {"action": "Reverse", "reason": "The account is closed"})
    assert rows(view="returned") == {back.pk: "Returned by bank"}
    proposal = Proposal.objects.get()
    own = text_of(checker.get(reverse("admin:wallets_proposal_change", args=[proposal.pk])))
    assert " Reverse 400.00 KES to Ada Obi | Payout proposals | " in own
    asked = text_of(checker.get(page(back, "confirm", proposal.pk)))
    assert re.search(
        r"Provider status FAILED Provider message \S.* Paid \(UTC\) \d{4}-\d\d-\d\d \S+"
        r" Return reported \(UTC\) \d{4}-\d\d-\d\d \S+ Proposed by maker",
        asked,
    )
    submit_confirmation(checker, page(back, "confirm", proposal.pk))
    assert rows(view="returned") == rows(status="Returned") == {}
    assert rows(status="all") == {fine.pk: "Completed", back.pk: "Reversed"}
    assert "Withdrawals: returned by bank" not in text_of(maker.get("/admin/"))


def test_returned_payouts_are_proposed_for_reversal_together(provider_sandbox, owners, finance):
    back = [paid(provider_sandbox, owners, returned=True) for _ in range(2)]
    fine = paid(provider_sandbox, owners, returned=False)
    chosen = {
        "action": "reverse_selected",
        "_selected_action": [str(row.pk) for row in (*back, fine)],
    }
    before = table_fingerprints()
    asked = finance.post(f"{reverse(LIST)}?status=all", chosen, follow=True)
    seen = text_of(asked)
    for part in (
        "Propose reversal of 2 withdrawals?",
        "Total of 2 800.00 KES Net payout of 2 740.00 KES",
        "Reason (required; visible to the organisations)",
        "Confirm proposal of 2: 800.00 KES",
        "Not returned by the bank: Completed.",
    ):
        assert part in seen, part
    body = shown_fields(asked)
    bulk = reverse("admin:wallets_withdrawal_bulk")
    again = finance.post(bulk, {**body, "reason": " "})
    assert "Enter a reason for the reversal" in text_of(again)
    assert {k: v for k, v in table_fingerprints().items() if k in before and "wallets_" in k} == {
        k: v for k, v in before.items() if "wallets_" in k
    }
    done = finance.post(bulk, {**body, "reason": "The account is closed"}, follow=True)
    assert "2 decided, 0 not decided, 1 excluded. Proposed: 2, total 800.00 KES." in text_of(done)
    assert [(row["word"], row["text"]) for row in done.context["outcomes"]] == [
        ("Proposed", "A second person must confirm it."),
        ("Proposed", "A second person must confirm it."),
        ("Excluded", "Not returned by the bank: Completed."),
    ]
    assert set(Proposal.objects.values_list("withdrawal", "action", "reason")) == {
        (row.pk, "Reverse", "The account is closed") for row in back
    }
    assert set(Withdrawal.objects.values_list("status", flat=True)) == {"Completed"}
    late = finance.post(bulk, {**body, "reason": "The account is closed"}, follow=True)
    assert [row["word"] for row in late.context["outcomes"][:2]] == ["Not decided"] * 2
    assert Proposal.objects.count() == 2


def test_the_status_of_a_returned_payout_stays_completed_for_the_client(provider_sandbox, owners):
    back = paid(provider_sandbox, owners, returned=True)
    assert '"status":"Completed"' in back.document.replace(" ", "")


def test_a_returned_payout_does_not_count_as_paid_to_the_account(provider_sandbox, owners):
    former = paid(provider_sandbox, owners, returned=True)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET created_at = created_at - interval '1 hour'"
            " WHERE id = %s",
            [former.pk],
        )
    again = make_withdrawal(owners[0], owners[1], "KES", "100")
    found = {one.code: one.text for one in review_flags([again])[again.pk]}
    assert found["earlier_payouts_failed"] == "1 earlier payout to this account failed or returned."
    assert "account_never_paid" in found


def test_returned_payouts_use_an_index(provider_sandbox, owners):
    paid(provider_sandbox, owners, returned=True)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = Withdrawal.objects.filter(returned_by_bank()).order_by().explain()
    assert "payout_returned" in plan, plan


@pytest.mark.slow
def test_every_alert_links_to_its_subject(provider_sandbox, owners, auditor):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "400")
    day = timezone.now().date()
    report = Reconciliation.objects.create(
        day=day, requested_by=str(Actor.system("tests")), requested_by_label="tests",
        created_at=timezone.now(),
    )  # fmt: skip
    about_payouts = (
        "payout_unknown", "payout_differs", "payout_returned", "payout_vanished",
        "paid_after_failure",
    )  # fmt: skip
    wanted = {kind: (withdrawal.reference, page(withdrawal)) for kind in about_payouts}
    its_page = reverse("admin:wallets_reconciliation_change", args=[report.pk])
    # The payment raises the alert itself.
    payment = arrive(transaction_record("nobody's"))
    subject = str(payment.transaction_id)
    of_payment = reverse("admin:wallets_payment_change", args=[payment.pk])
    for kind in ("payment_unmatched", "payment_disproved", "refund_unconfirmed"):
        wanted[kind] = (subject, of_payment)
    deposit = make_checkout(Owner(owners[0]))
    of_deposit = reverse("admin:wallets_deposit_change", args=[deposit.pk])
    wanted["deposit_differs"] = (deposit.reference, of_deposit)
    wanted["reconciliation"] = wanted["reconciliation_incomplete"] = (str(day), its_page)
    approved = f"{reverse(LIST)}?status=Approved"
    wanted["float"] = ("NGN", f"{approved}&currency__code__exact=NGN")
    wanted["bank_list"] = ("NGN", reverse("admin:wallets_banklist_changelist"))
    wanted["provider_outage"] = ("", approved)
    wanted["books"] = ("", f"{reverse('admin:wallets_booksproof_changelist')}?passed__exact=0")
    wanted["collateral_prices"] = ("", reverse("admin:credit_loan_changelist"))
    for kind, (subject, _) in wanted.items():
        raise_alert(kind, subject=subject, message=f"About {kind}")
    listed = auditor.get(reverse("admin:wallets_alert_changelist"))
    assert listed.context["cl"].result_count == len(wanted)
    for alert in listed.context["cl"].result_list:
        link = re.search('href="([^"]+)"', listed.context["cl"].model_admin.about(alert))
        assert link is not None, alert.kind
        assert unescape(link[1]) == wanted[alert.kind][1]
        assert auditor.get(unescape(link[1])).status_code == 200, alert.kind
        own = auditor.get(reverse("admin:wallets_alert_change", args=[alert.pk]))
        assert link[0] in own.content.decode()


@pytest.mark.parametrize("kind", ["payout_unknown", "payment_unmatched"])
@pytest.mark.parametrize("subject", ["", "payout_gone", "2026-13-45", "<b>", "7", "9" * 19])
@pytest.mark.one_in(5)
def test_an_alert_without_an_existing_subject_has_no_link(kind, subject, auditor):
    raise_alert(kind, subject=subject, message="Look")
    alert = Alert.objects.get()
    for address in (
        reverse("admin:wallets_alert_changelist"),
        reverse("admin:wallets_alert_change", args=[alert.pk]),
    ):
        shown = auditor.get(address)
        assert shown.status_code == 200
        assert "<b>" not in shown.content.decode()
    listed = auditor.get(reverse("admin:wallets_alert_changelist")).context["cl"]
    assert str(listed.model_admin.about(listed.result_list[0])) == (subject or "-")
