"""Bulk decisions from the list: one confirmation, separate decisions and results."""

import re
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import FINANCE_APPROVER
from exchange.core.ids import parse_id
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    balances,
    current_flag_codes,
    make_withdrawal,
    messages_of,
    signed_in_client,
    text_of,
    user_of,
)
from wallets.withdrawals.models import Decision, Payout, Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

# The sandbox's name of the account that all withdrawals here go to.
AT_THE_BANK = "Forrest Green"
# What keeps that a bulk approval was tried.
ATTEMPTS = ("wallets_bulkapproval", "exchange_change")
LIST = "admin:wallets_withdrawal_changelist"


def choose(client: Client, rows: list[Withdrawal], action: str = "approve_selected"):
    """Run the list's action on the rows and return the confirmation page."""
    chosen = {"action": action, "_selected_action": [str(row.pk) for row in rows]}
    return client.post(reverse(LIST) + "?status=all", chosen, follow=True)


def decide(client: Client, rows: list[str], decision: str = "approve", reason: str = ""):
    """Submit the confirmation page with the current flags."""
    known = Withdrawal.objects.in_bulk([pk for row in rows if (pk := parse_id(row[:36]))])
    seen = [f"{pk}:{code}" for pk, row in known.items() for code in current_flag_codes(row)]
    body = {"decision": decision, "row": rows, "reason": reason, "seen": seen}
    return client.post(reverse("admin:wallets_withdrawal_bulk"), body, follow=True)


def outcomes(response) -> list[tuple[str, str]]:
    return [(row["word"], row["text"]) for row in response.context["outcomes"]]


def test_the_confirmation_shows_amounts_payees_and_totals_and_changes_nothing(owners, finance):
    organisation, member = owners
    small = make_withdrawal(organisation, member, "KES", "1000")
    same = make_withdrawal(organisation, member, "KES", "234.5")
    large = make_withdrawal(organisation, member, "NGN", "6000000", account_name=AT_THE_BANK)
    lacking = make_withdrawal(organisation, member, "GHS", "100")
    with assert_no_table_changes():
        asked = choose(finance, [small, same, large, lacking])
    assert asked.status_code == 200
    seen = text_of(asked)
    for part in (
        "Approve 3 withdrawals?",
        "Review and confirm: 3 withdrawals",
        "1,000.00 KES 970.00 KES Ada Obi",
        f"6,000,000.00 NGN 5,999,950.00 NGN {large.bank.account_name}",
        "Review First withdrawal of this owner to this account. First of two approvals.",
        "Total of 2 1,234.50 KES",
        "Total of 1 6,000,000.00 NGN",
        "Net payout of 2 1,174.50 KES",
        "Net payout of 1 5,999,950.00 NGN",
        "Confirm approval of 3: 1,234.50 KES, 6,000,000.00 NGN",
        # Below the button, apart from what is decided.
        "Go back Excluded: 1 withdrawal Withdrawal Owner Amount Payee Excluded because"
        f" {lacking.reference} Ada 100.00 GHS {lacking.bank.account_name}"
        " Payout details required: branch code.",
    ):
        assert part in seen, part
    html = asked.content.decode()
    for row in (small, same, large):
        assert f'value="{row.pk}:1"' in html
    assert f"{lacking.pk}:" not in html


def test_each_row_is_decided_and_reported_separately(owners):
    organisation, member = owners
    fine, large, stale, gone, lacking, mine = (
        make_withdrawal(organisation, member, currency, amount, account_name=AT_THE_BANK)
        for currency, amount in (
            ("KES", "1000"),
            ("NGN", "6000000"),
            ("KES", "2000"),
            ("KES", "3000"),
            ("GHS", "100"),
            ("NGN", "2900000"),
        )
    )
    client = signed_in_client(FINANCE_APPROVER, "amina")
    other = user_of(signed_in_client(FINANCE_APPROVER, "kofi"))
    fine_too = make_withdrawal(organisation, member, "KES", "100000")
    decisions.approve(withdrawal_id=large.pk, version=1, approver=other)
    Withdrawal.objects.filter(pk=stale.pk).update(version=2)
    decisions.reject(withdrawal_id=gone.pk, version=1, approver=other, reason="Twice")
    unknown = "0192f3a4-0000-7000-8000-000000000000"
    reply = decide(
        client,
        [
            f"{fine.pk}:1",
            f"{large.pk}:2",
            f"{stale.pk}:1",
            f"{gone.pk}:1",
            f"{lacking.pk}:1",
            f"{unknown}:1",
            f"{fine_too.pk}:1",
        ],
        reason="Looked at",
    )
    found = outcomes(reply)
    assert [word for word, _ in found] == [
        "Approved", "Approved", "Not decided", "Not decided", "Not decided", "Not decided",
        "Approved",
    ]  # fmt: skip
    assert found[0][1] == "970.00 KES queued for payout."
    assert found[2][1].startswith("The withdrawal has changed. Review it and try again.")
    assert re.fullmatch(r"kofi rejected it at \d\d:\d\d:\d\d UTC\.", found[3][1])
    assert found[4][1] == "GHS payouts require: branch code"
    assert found[5][1] == "Withdrawal not found"
    seen = text_of(reply)
    assert "3 decided, 4 not decided." in seen
    assert "Approved: 2, total 101,000.00 KES." in seen
    assert "Approved: 1, total 6,000,000.00 NGN." in seen

    statuses = dict(Withdrawal.objects.values_list("pk", "status"))
    assert [statuses[row.pk] for row in (fine, large, stale, gone, lacking, mine, fine_too)] == [
        "Approved", "Approved", "Pending", "Rejected", "Pending", "Pending", "Approved",
    ]  # fmt: skip
    assert Payout.objects.count() == 3
    kept = Decision.objects.filter(actor_label="amina")
    assert {(row.withdrawal_id, row.verdict, row.reason) for row in kept} == {
        (row.pk, "Approve", "Looked at") for row in (fine, large, fine_too)
    }


def test_first_approvals_and_repeated_ones_have_their_own_messages(owners, finance):
    organisation, member = owners
    one = make_withdrawal(organisation, member, "NGN", "5000000", account_name=AT_THE_BANK)
    two = make_withdrawal(organisation, member, "KES", "6000")
    rows = [f"{one.pk}:1", f"{two.pk}:1"]
    reply = decide(finance, rows)
    assert outcomes(reply) == [
        ("First approval", "A second person must approve it."),
        ("Approved", "5,970.00 KES queued for payout."),
    ]
    # A withdrawal awaiting its second approval is not reported as approved.
    assert "2 decided, 0 not decided. Approved: 1, total 6,000.00 KES. Results" in text_of(reply)
    # The results are a page of their own, which Reload and Back show again.
    assert reply.redirect_chain == [(reverse("admin:wallets_withdrawal_decided"), 302)]
    assert outcomes(finance.get(reply.redirect_chain[0][0])) == outcomes(reply)
    # Submitting the page again does not approve twice.
    with assert_no_table_changes(*ATTEMPTS):
        repeated = outcomes(decide(finance, rows))
        newer = outcomes(decide(finance, [f"{one.pk}:2"]))
    assert [word for word, _ in repeated] == ["Not decided", "Not decided"]
    assert newer == [
        (
            "Not decided",
            "A second person must approve this withdrawal: you already requested or approved it",
        )
    ]
    asked = text_of(choose(finance, [one, two]))
    assert "No withdrawals to decide" in asked
    assert "You already approved this withdrawal." in asked
    assert "No longer Pending: Approved" in asked


def test_a_row_without_its_displayed_flags_is_rejected(owners, finance):
    organisation, member = owners
    flagged = make_withdrawal(organisation, member, "KES", "1000")
    body = {"decision": "approve", "row": [f"{flagged.pk}:1"], "reason": ""}
    address = reverse("admin:wallets_withdrawal_bulk")
    with assert_no_table_changes(*ATTEMPTS):
        [(word, text)] = outcomes(finance.post(address, body, follow=True))
    assert word == "Not decided"
    assert text.startswith("New flags since you opened the page: Review: ")


def test_several_withdrawals_are_rejected_with_one_reason(owners, finance):
    organisation, member = owners
    rows = [make_withdrawal(organisation, member, "KES", amount) for amount in ("1000", "2000")]
    asked = choose(finance, rows, "reject_selected")
    assert "Reason (required; visible to the organisations)" in text_of(asked)
    versions = [f"{row.pk}:1" for row in rows]
    with assert_no_table_changes():
        again = decide(finance, versions, "reject", "  ")
    assert "Enter a reason for the rejection. No changes were made." in text_of(again)
    assert f'value="{rows[0].pk}:1"' in again.content.decode()

    with assert_no_table_changes():
        again = decide(finance, versions, "reject", "Ask your bank")
    assert "A reason has at least 15 letters and two words" in text_of(again)
    assert ">Ask your bank</textarea>" in again.content.decode()

    reply = decide(finance, versions, "reject", "Ask your bank for the name")
    assert [word for word, _ in outcomes(reply)] == ["Rejected", "Rejected"]
    assert "Rejected: 2, total 3,000.00 KES." in text_of(reply)
    assert set(Withdrawal.objects.values_list("status", "reason")) == {
        ("Rejected", "Ask your bank for the name")
    }
    assert balances(member.pk, "KES") == (Decimal(1000000), Decimal(0))

    third = make_withdrawal(organisation, member, "KES", "3000")
    with assert_no_table_changes():
        again = decide(finance, [f"{third.pk}:1"], "reject", "ask your  bank for the NAME")
    assert "This is your last reason again" in text_of(again)


def test_text_that_cannot_be_stored_changes_nothing(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    row = f"{withdrawal.pk}:1"
    for decision in ("approve", "reject"):
        with assert_no_table_changes():
            response = decide(finance, [row], decision, "Ask your bank for\0the name")
        assert "The form is incomplete. No changes were made." in text_of(response)
    seen = {"decision": "approve", "row": row, "seen": f"{withdrawal.pk}:a\0b"}
    with assert_no_table_changes(*ATTEMPTS):
        response = finance.post(reverse("admin:wallets_withdrawal_bulk"), seen, follow=True)
    assert outcomes(response)[0][0] == "Not decided"


@pytest.mark.parametrize(
    ("decision", "rows"),
    [
        ("approve", []),
        ("approve", ["x:1"]),
        ("approve", ["{pk}"]),
        ("approve", ["{pk}:one"]),
        ("approve", ["{pk}:1", "{pk}:-1"]),
        ("pay", ["{pk}:1"]),
        ("approve", [*(f"0192f3a4-0000-7000-8000-0000000001{n:02}:1" for n in range(100)), "{pk}:1"]),  # noqa: E501
    ],
)  # fmt: skip
@pytest.mark.one_in(3)
def test_an_invalid_form_changes_nothing(owners, decision, rows, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    with assert_no_table_changes():
        response = decide(finance, [row.format(pk=withdrawal.pk) for row in rows], decision)
    assert response.redirect_chain == [(reverse(LIST), 302)]
    assert "The form is incomplete. No changes were made." in text_of(response)


def test_an_empty_or_too_large_selection_is_reported(owners, monkeypatch, finance):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    with assert_no_table_changes():
        response = finance.post(reverse(LIST), {"action": "approve_selected", "index": "0"})
    assert "Items must be selected" in messages_of(response)[-1]
    monkeypatch.setattr("wallets.withdrawals.admin.bulk_pages.MAX_BULK", 1)
    response = choose(finance, [withdrawal, make_withdrawal(organisation, member, "KES", "1000")])
    assert "Select at most 1 withdrawals. No changes were made." in text_of(response)


def test_bulk_decisions_take_only_post(owners, finance):
    withdrawal = make_withdrawal(owners[0], owners[1], "KES", "1000")
    address = reverse("admin:wallets_withdrawal_bulk")
    with assert_no_table_changes():
        asked = finance.get(address, {"decision": "approve", "row": f"{withdrawal.pk}:1"})
        assert "No changes made yet." in text_of(asked)
        results = reverse("admin:wallets_withdrawal_decided")
        assert finance.get(results)["Location"] == reverse(LIST)
        finance.get(
            reverse(LIST), {"action": "approve_selected", "_selected_action": str(withdrawal.pk)}
        )
