"""The withdrawals' list and review page: who decides, what is refused, what moves nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from tests.support.back_office import (
    balances,
    everything,
    fund,
    participants,
    said,
    signed_in,
    text_of,
    user_of,
    withdraw,
)
from wallets.models import Decision, Payout, Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


@pytest.fixture
def world():
    organisation, member = participants()
    for currency, amount in (
        ("NGN", "9000000"),
        ("KES", "1000000"),
        ("GHS", "5000"),
        ("ZAR", "900"),
    ):
        fund(organisation, member, currency, amount)
        fund(organisation, None, currency, amount)
    return organisation, member


def page(withdrawal: Withdrawal, name: str = "change") -> str:
    return reverse(f"admin:wallets_withdrawal_{name}", args=[withdrawal.pk])


def test_an_approval_is_kept_and_hands_the_withdrawal_to_the_payout(world):
    withdrawal = withdraw(world[0], world[1], "KES", "1234.5")
    client = signed_in(FINANCE_APPROVER)
    response = client.post(page(withdrawal, "approve"), {"version": 1, "reason": ""})
    assert response.status_code == 302
    assert response["Location"] == page(withdrawal)
    assert said(response) == ["Approved: 1,204.50 KES is paid out."]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.version) == ("Approved", 2)
    assert withdrawal.first_approver == user_of(client)
    assert withdrawal.actioned_by == "finance-approver"
    assert Payout.objects.filter(withdrawal=withdrawal).count() == 1


def test_a_rejection_gives_the_money_back_and_keeps_the_reason(world):
    withdrawal = withdraw(world[0], world[1], "KES", "1000")
    client = signed_in(FINANCE_APPROVER)
    assert balances(world[1].pk, "KES") == (Decimal(999000), Decimal(1000))
    response = client.post(page(withdrawal, "reject"), {"version": 1, "reason": "Wrong name"})
    assert said(response) == ["Rejected: 1,000.00 KES went back to the wallet."]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.reason) == ("Rejected", "Wrong name")
    assert balances(world[1].pk, "KES") == (Decimal(1000000), Decimal(0))
    assert "Reason: Wrong name" in text_of(client.get(page(withdrawal)))


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_rejection_without_a_reason_moves_nothing(world, reason):
    withdrawal = withdraw(world[0], world[1], "KES", "1000")
    client = signed_in(FINANCE_APPROVER)
    before = everything()
    response = client.post(page(withdrawal, "reject"), {"version": 1, "reason": reason})
    assert said(response) == ["A rejection needs a reason"]
    assert everything() == before


def test_of_a_double_click_one_decides_and_the_other_is_told(world):
    withdrawal = withdraw(world[0], world[1], "KES", "1000")
    client = signed_in(FINANCE_APPROVER)
    client.post(page(withdrawal, "approve"), {"version": 1})
    response = client.post(page(withdrawal, "approve"), {"version": 1})
    (first, second) = said(response)
    assert first.startswith("Approved: ")
    assert second.startswith(
        "The withdrawal is Approved by finance-approver, no longer Pending. Nothing was done."
        " Since you opened the page: approved by finance-approver at "
    )
    assert Decision.objects.filter(withdrawal=withdrawal).count() == 1


def test_a_stale_page_decides_nothing_and_says_what_changed(world):
    withdrawal = withdraw(world[0], world[1], "GHS", "100")
    one = signed_in(FINANCE_APPROVER, "one")
    other = signed_in(FINANCE_APPROVER, "other")
    one.post(page(withdrawal, "details"), {"version": 1, "branch_code": "GH280100"})
    before = everything()
    response = other.post(page(withdrawal, "approve"), {"version": 1})
    (told,) = said(response)
    assert told.startswith(
        "The withdrawal changed meanwhile. Please look at it again. Nothing was done."
        " Since you opened the page: details filled in by one at "
    )
    assert everything() == before


@pytest.mark.parametrize("body", [{}, {"version": "x"}, {"version": "0"}, {"version": "-1"}])
def test_a_decision_that_names_no_version_does_nothing(world, body):
    withdrawal = withdraw(world[0], world[1], "KES", "1000")
    client = signed_in(FINANCE_APPROVER)
    before = everything()
    response = client.post(page(withdrawal, "approve"), body)
    assert said(response) == ["The form was not complete. Nothing was done."]
    assert everything() == before


def test_large_amounts_need_two_people_and_nobody_counts_twice(world):
    withdrawal = withdraw(world[0], world[1], "NGN", "5000000")
    one = signed_in(FINANCE_APPROVER, "one")
    other = signed_in(FINANCE_APPROVER, "other")
    response = one.post(page(withdrawal, "approve"), {"version": 1})
    assert said(response) == [
        "Your approval of 5,000,000.00 NGN is kept. Another person must approve it too."
    ]
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.version) == ("Pending", 2)

    seen = text_of(one.get(page(withdrawal)))
    assert "1 of 2 given, by one" in seen
    assert "You approved it already. Somebody else must approve it too, or reject it." in seen
    assert "Who may still decide: other." in seen
    before = everything()
    response = one.post(page(withdrawal, "approve"), {"version": 2})
    assert said(response)[-1] == (
        "Somebody else must approve this withdrawal: you entered or approved it already"
    )
    assert everything() == before

    other.post(page(withdrawal, "approve"), {"version": 2})
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"
    assert withdrawal.first_approver == user_of(one)
    assert withdrawal.second_approver == user_of(other)


def test_one_below_the_threshold_needs_one_person(world):
    withdrawal = withdraw(world[0], world[1], "NGN", "4999999.99")
    signed_in(FINANCE_APPROVER).post(page(withdrawal, "approve"), {"version": 1})
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"


def test_approval_waits_for_what_the_corridor_needs(world):
    withdrawal = withdraw(world[0], world[1], "ZAR", "100")
    client = signed_in(FINANCE_APPROVER)
    seen = client.get(page(withdrawal))
    assert "Before approval this payout needs: recipient's first name" in text_of(seen)
    assert b"disabled>Approve" in seen.content
    before = everything()
    response = client.post(page(withdrawal, "approve"), {"version": 1})
    assert said(response)[-1].startswith("Before approval, ZAR payouts need: recipient's first")
    assert everything() == before

    filled = {
        "version": 1,
        "recipient_first_name": "Ada",
        "recipient_last_name": "Obi",
        "recipient_email": "not an address",
        "recipient_phone": "+27110000000",
        "recipient_address": "1 Long Street",
    }
    refused = client.post(page(withdrawal, "details"), filled)
    assert refused.status_code == 200
    assert "Enter a valid email address." in text_of(refused)
    assert everything() == before

    filled["recipient_email"] = "ada@example.com"
    client.post(page(withdrawal, "details"), filled)
    seen = client.get(page(withdrawal))
    assert "Recipient first name Ada" in text_of(seen)
    assert b"disabled>Approve" not in seen.content
    client.post(page(withdrawal, "approve"), {"version": 2})
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Approved"


def test_the_page_shows_what_is_asked_and_what_will_be_sent(world):
    withdrawal = withdraw(world[0], world[1], "NGN", "2000")
    seen = text_of(signed_in(AUDITOR).get(page(withdrawal)))
    for part in (
        "Amount 2,000.00 NGN",
        "Fee 50.00 NGN",
        "Arrives 1,950.00 NGN",
        "In USD 1.33 USD",
        "Name given Ada Obi",
        "Account number 0690000031",
        "Available 9,000,000.00 NGN 8,998,000.00 NGN 8,998,000.00 NGN 9,000,000.00 NGN",
        "Escrow 0.00 NGN 2,000.00 NGN 0.00 NGN 0.00 NGN",
        f"Reference {withdrawal.reference}",
        "Amount 1950 Currency NGN",
        "withdrawal.created Pending",
        "Withdrawal Hold",
        "-2,000.00 NGN",
        "Nobody has decided yet.",
        "Your role may look at this, not decide.",
    ):
        assert part in seen, part
    assert "Approve: pay" not in seen


def test_a_name_at_the_bank_that_is_not_the_name_given_stands_out(world):
    withdrawal = withdraw(world[0], world[1], "NGN", "2000")
    bank = withdrawal.bank
    assert bank.name_resolved
    assert bank.account_name != bank.given_name
    seen = text_of(signed_in(AUDITOR).get(page(withdrawal)))
    assert f"Name at the bank {bank.account_name} not the name given" in seen
    unresolved = withdraw(world[0], world[1], "KES", "2000")
    assert "Name at the bank not checked" in text_of(signed_in(BACK_OFFICE).get(page(unresolved)))


@pytest.mark.parametrize("role", [AUDITOR, BACK_OFFICE, ADMINISTRATOR])
@pytest.mark.parametrize("action", ["approve", "reject", "propose"])
def test_only_finance_decides(world, role, action):
    withdrawal = withdraw(world[0], world[1], "KES", "1000")
    client = signed_in(role)
    before = everything()
    response = client.post(
        page(withdrawal, action), {"version": 1, "reason": "because", "action": "Fail"}
    )
    assert said(response) == [
        "You may not decide about lost and returned payouts"
        if action == "propose"
        else "You may not decide about withdrawals"
    ]
    assert everything() == before
    assert client.get(page(withdrawal, "details")).status_code == 403


def test_decisions_take_post_only_and_a_token_against_forgery(world):
    withdrawal = withdraw(world[0], world[1], "KES", "1000")
    client = signed_in(FINANCE_APPROVER)
    before = everything()
    for action in ("approve", "reject", "propose"):
        assert client.get(page(withdrawal, action)).status_code == 405
    assert client.post(page(withdrawal), {"status": "Approved"}).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user_of(client))
    assert strict.post(page(withdrawal, "approve"), {"version": 1}).status_code == 403
    assert Withdrawal.objects.get(pk=withdrawal.pk).status == "Pending"
    before.pop("exchange_staffuser")  # the second sign-in
    after = everything()
    after.pop("exchange_staffuser")
    assert after == before


def test_the_list_starts_with_the_pending_ones_that_wait_longest(world):
    first, second = (
        withdraw(world[0], world[1], "KES", "1000"),
        withdraw(world[0], None, "GHS", "77"),
    )
    done = withdraw(world[0], world[1], "KES", "333")
    client = signed_in(FINANCE_APPROVER)
    client.post(page(done, "reject"), {"version": 1, "reason": "no"})
    address = reverse("admin:wallets_withdrawal_changelist")

    def listed(**query: str) -> list[str]:
        response = client.get(address, query)
        assert response.status_code == 200
        return [row.reference for row in response.context["cl"].result_list]

    assert listed() == [first.reference, second.reference]
    assert listed(status="all") == [done.reference, second.reference, first.reference]
    assert listed(status="Rejected") == [done.reference]
    assert listed(owner_model="organisation") == [second.reference]
    assert listed(details="missing") == [second.reference]
    assert listed(details="complete") == [first.reference]
    assert listed(currency__code__exact="KES") == [first.reference]
    assert listed(approvals="two") == []
    assert listed(q=done.reference) == [done.reference]
    assert listed(organisation__id__exact=str(world[0].pk)) == [first.reference, second.reference]


def test_a_list_of_fifty_takes_as_many_queries_as_a_list_of_two(world):
    client = signed_in(FINANCE_APPROVER)
    address = reverse("admin:wallets_withdrawal_changelist")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    withdraw(world[0], world[1], "KES", "101")
    withdraw(world[0], None, "KES", "101")
    few = queries()
    for number in range(48):
        withdraw(world[0], world[1] if number % 2 else None, "KES", str(102 + number))
    assert queries() == few
    assert few <= 12
