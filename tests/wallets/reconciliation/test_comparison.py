"""Comparison of our payouts with the provider's, over HTTP against a sandbox."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from config.local.sandbox.faults import Fault
from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain
from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import text_of
from tests.factories.payouts import advance_time, open_alerts, propose_and_confirm
from tests.factories.wallets import (
    BANKS,
    DECLINED_ACCOUNT,
    FAILING_ACCOUNT,
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_member_wallet,
    status_of,
)
from tests.wallets.reconciliation.harness import (
    breaks,
    close,
    compare,
    differences_of,
    fault_of,
    order_without_record,
    pay,
    settle_at_bank,
    today,
    total_line,
    unexplained,
    update_provider,
)
from wallets.alerts.models import Alert
from wallets.ledger.models import Entry, TransferKind
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import sweeps
from wallets.providers.base import Listed, ProviderBalance, ProviderUnavailable
from wallets.providers.flutterwave import FlutterwaveClient
from wallets.providers.registry import payment_provider
from wallets.reconciliation.models import ReconciliationBreak
from wallets.reconciliation.selectors.movements import unsettled_payouts
from wallets.reconciliation.selectors.overview import FloatPosition, float_positions
from wallets.reconciliation.services.balances import read_balances
from wallets.withdrawals.models import Payout

pytestmark = pytest.mark.django_db


def test_matching_sides_agree_with_totals_by_currency(sandbox, wallet):
    paid, failed = pay(wallet), pay(wallet, 600, account=FAILING_ACCOUNT)
    settle_at_bank(sandbox, paid, failed)
    pay(wallet, 700)
    refused = make_approved_withdrawal(wallet, 800, account=DECLINED_ACCOUNT)
    payouts.send_payout(refused.id)
    assert status_of(refused) == "Failed"
    report = compare()
    assert (report.status, report.reason, differences_of(report)) == ("Matched", "", [])
    assert (report.compared, report.differences) == (4, 0)
    fee = paid.fee
    assert total_line(report, "Completed") == (1, 500 - fee, 1, 500 - fee)
    assert total_line(report, "In flight") == (1, 700 - fee, 1, 700 - fee)
    # What is refused at once leaves no trace there.
    assert total_line(report, "Failed") == (2, 1400 - 2 * fee, 1, 600 - fee)
    assert total_line(report, "Charges") == (None, 100, None, 100)
    assert total_line(report, "Opening clearing balance") == (None, 0, None, None)
    assert total_line(report, "Deposits") == (None, 20_000, None, None)
    assert total_line(report, "Payouts") == (None, -(500 - fee), None, None)
    assert total_line(report, "Provider charges") == (None, -100, None, None)
    held = 20_000 - (500 - fee) - 100
    assert total_line(report, "Closing clearing balance") == (None, held, None, None)
    float_ = 20_000 - (500 - fee) - 100 - (700 - fee) - 100
    assert total_line(report, "Provider balance") == (None, held, None, float_)
    assert total_line(report, "In transit") == (None, None, None, -(700 - fee) - 100)
    assert total_line(report, "Variance") == (None, 0, None, 0)
    zero = Decimal(0)
    wanted = FloatPosition("KES", provider=float_, clearing=held, in_transit=float_ - held,
                           variance=zero, expected=zero)  # fmt: skip
    shown = {found.currency: found for found in float_positions(report)}
    assert (shown["KES"], wanted.unexplained) == (wanted, zero)
    assert [*shown] == [*currencies()]
    assert open_alerts() == set()
    assert_books_hold()


def test_an_order_that_is_just_being_sent_is_no_difference_until_its_lease_is_over(wallet):
    withdrawal = make_approved_withdrawal(wallet)
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    assert payouts._mark_posting(withdrawal, claim.token)
    report = compare()
    assert (report.status, report.compared, differences_of(report)) == ("Matched", 1, [])
    Payout.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert differences_of(compare()) == [
        ("Missing at provider", withdrawal.reference, "Processing", "")
    ]


def test_a_leased_order_with_other_details_at_the_provider_differs(sandbox, wallet):
    withdrawal = pay(wallet)
    Payout.objects.update(leased_until=timezone.now() + timedelta(hours=1))
    update_provider(
        sandbox, "UPDATE transfers SET amount = '999' WHERE reference = ?", withdrawal.reference
    )
    assert ("Amount", withdrawal.reference, "470", "999") in differences_of(compare())


def test_only_payouts_under_way_and_those_that_ended_differently_are_disputed(sandbox, wallet):
    """The status of each is checked on its own, whatever its day."""
    paid, returned = pay(wallet), pay(wallet)
    failed, taken = (pay(wallet, account=FAILING_ACCOUNT) for _ in range(2))
    settle_at_bank(sandbox, paid, returned, failed, taken)
    sandbox.store.return_money(returned.reference)
    payouts.check_status(returned.id)
    Payout.objects.filter(withdrawal=taken).update(provider_status="PENDING")
    payouts.send_payout(make_approved_withdrawal(wallet, account=DECLINED_ACCOUNT).id)
    claimed, posted = make_approved_withdrawal(wallet), pay(wallet)
    assert payouts._claim(claimed.id) is not None
    assert {*unsettled_payouts()} == {returned.reference, taken.reference, posted.reference}


@pytest.mark.parametrize(("days", "status_checks"), [(1, 0), (2, 1)])
def test_payouts_under_way_since_the_day_before_are_listed_and_older_ones_looked_up(
    sandbox, wallet, days, status_checks
):
    pay(wallet)
    earlier = timezone.now().replace(hour=12) - timedelta(days=days)
    Payout.objects.update(posted_at=earlier)
    update_provider(sandbox, "UPDATE transfers SET created_at = ?", earlier.timestamp())
    asked = len(sandbox.requests.entries())
    report = compare()
    assert (report.status, report.compared) == ("Matched", 0)
    # The balances, and one page of each list; of failed payments for each of four months.
    assert len(sandbox.requests.entries()) == asked + 8 + status_checks


class BusyDay(FlutterwaveClient):
    """Money arrives during the next so many reads of the balances."""

    wallet: Wallet
    arrivals = 0

    def balances(self) -> Listed[ProviderBalance]:
        if self.arrivals:
            self.arrivals -= 1
            self.wallet.fund(1)
        return super().balances()


def test_balances_are_read_three_times_until_nothing_moves_meanwhile(sandbox, wallet):
    provider = BusyDay(
        base_url=sandbox.base_url,
        secret_key=sandbox.options.secret_key,
        connect_timeout=5,
        read_timeout=35,
        total_timeout=45,
    )
    provider.wallet, provider.arrivals = wallet, 2
    ours, theirs = read_balances(provider)
    assert ours.clearing["KES"] == 20_002
    assert theirs["KES"].available == 20_000
    provider.arrivals = 3
    with pytest.raises(ProviderUnavailable, match="payouts moved during every"):
        read_balances(provider)
    assert provider.arrivals == 0


def test_each_kind_of_difference_is_found_and_leads_to_its_withdrawal(sandbox, wallet, auditor):
    names = ("missing", "amount", "currency", "account", "status", "fee")
    ours = {name: pay(wallet, 500 + place) for place, name in enumerate(names)}
    settle_at_bank(sandbox, *ours.values())
    change = "UPDATE transfers SET {} WHERE reference = ?"
    by = {name: withdrawal.reference for name, withdrawal in ours.items()}
    update_provider(sandbox, "DELETE FROM transfers WHERE reference = ?", by["missing"])
    update_provider(sandbox, change.format("amount = '999'"), by["amount"])
    update_provider(sandbox, change.format("currency = 'NGN'"), by["currency"])
    update_provider(sandbox, change.format("account_number = '0690000040'"), by["account"])
    update_provider(sandbox, change.format("status = 'FAILED'"), by["status"])
    update_provider(sandbox, change.format("fee = '101.5'"), by["fee"])
    order_without_record("payout_stranger")
    before = table_fingerprints()
    report = compare()
    assert (report.status, report.differences) == ("Differs", 8)
    code = ours["account"].bank.code
    assert set(differences_of(report)) == {
        ("Missing at provider", by["missing"], "Completed", ""),
        ("Amount", by["amount"], f"{ours['amount'].disburse_amount:f}".rstrip("0").rstrip("."),
         "999"),
        ("Currency", by["currency"], "KES", "NGN"),
        ("Account", by["account"], f"{code} 0690000031", f"{code} 0690000040"),
        ("Status", by["status"], "Completed", "FAILED"),
        ("Provider charge", by["fee"], "100", "101.5"),
        ("Not in our records", "payout_stranger", "", "NEW KES to 01 0690000031"),
        ("Unexplained variance", "", "", "Unexplained: -150.00 KES"),
    }  # fmt: skip
    assert open_alerts() == {"reconciliation"}
    touched = {table for table, seen in table_fingerprints().items() if seen != before[table]}
    assert touched == {
        "exchange_change",
        "wallets_reconciliation",
        "wallets_reconciliationline",
        "wallets_reconciliationbreak",
        "wallets_alert",
    }
    page = auditor.get(reverse("admin:wallets_reconciliation_change", args=[report.pk]))
    for name in names:
        link = reverse("admin:wallets_withdrawal_change", args=[ours[name].pk])
        assert f'href="{link}"' in page.content.decode(), name
    assert " Differs " in text_of(page)


def test_what_we_have_not_noticed_yet_differs_and_stays_open_once_we_have(sandbox, wallet):
    withdrawal = pay(wallet)
    sandbox.store.settle(withdrawal.reference)
    report = compare()
    assert differences_of(report) == [("Status", withdrawal.reference, "Processing", "SUCCESSFUL")]
    assert open_alerts() == {"reconciliation"}
    payouts.check_status(withdrawal.id)
    assert compare().status == "Matched"
    assert breaks() == [("Status", "", "Open", False)]
    assert open_alerts() == {"reconciliation"}
    close(ReconciliationBreak.objects.get())
    assert open_alerts() == set()


def test_a_returned_payout_differs_until_two_people_reversed_it(sandbox, wallet):
    withdrawal = pay(wallet)
    settle_at_bank(sandbox, withdrawal)
    assert compare().status == "Matched"
    sandbox.store.return_money(withdrawal.reference)
    payouts.check_status(withdrawal.id)
    assert differences_of(compare()) == [("Status", withdrawal.reference, "Completed", "FAILED")]
    propose_and_confirm(withdrawal, ProposalAction.REVERSE)
    report = compare()
    assert (report.status, differences_of(report)) == ("Matched", [])
    assert_books_hold()


def test_a_payout_belongs_to_the_day_we_sent_it_whatever_their_clock_says(sandbox, wallet):
    edge = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    early, late = pay(wallet), pay(wallet, 600)
    settle_at_bank(sandbox, early, late)
    just_before = edge - timedelta(seconds=1)
    Payout.objects.filter(withdrawal=early).update(posted_at=just_before)
    # Theirs says today of what we sent a second before midnight.
    yesterday, day = compare(today() - timedelta(days=1)), compare()
    assert (yesterday.status, yesterday.compared) == ("Matched", 1)
    assert (day.status, day.compared) == ("Matched", 1)
    assert total_line(day, "Completed")[:2] == (1, late.disburse_amount)


def more_than_a_page(wallet: Wallet) -> None:
    pay(wallet)
    for number in range(21):
        order_without_record(f"payout_other_{number}")


LIES: list[tuple[str, dict[str, Any], str]] = [
    ("short_page", {}, "the list states 22 transfers and has 21"),
    ("repeated_row", {}, "the list repeats 1 of its transfers"),
    ("malformed", {"times": 3}, "malformed response: body is not JSON"),
    ("malformed", {"times": 3, "body": '{"status":"success","data":[]}'}, "malformed response"),
    ("hidden", {}, "changed|omits payout_"),
    ("error_5xx", {"times": 3}, "the provider failed (503)"),
    ("timeout_before", {"times": 3}, "no complete response"),
    ("reset", {"times": 3}, "no complete response"),
    ("rate_limit", {"times": 3, "retry_after": None}, "limits the request rate (429)"),
    ("unauthorized", {}, "rejected the API key (401)"),
    ("wrong_reference", {}, "does not find it|omits payout_"),
]


@pytest.mark.parametrize(
    ("fault", "options", "why"), LIES, ids=[f"{n}-{w[:12]}" for n, _, w in LIES]
)
@pytest.mark.one_in(5)
def test_a_provider_that_fails_or_lies_never_makes_a_report_green(
    sandbox, wallet, fault, options, why
):
    more_than_a_page(wallet)
    now = timezone.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    Payout.objects.update(posted_at=max(now - timedelta(minutes=5), midnight))
    sandbox.faults.add(fault_of(fault, **options))
    report = compare()
    assert (report.status, report.differences) == ("Incomplete", 0)
    assert any(part in report.reason for part in why.split("|")), report.reason
    assert differences_of(report) == []
    assert open_alerts() == {"reconciliation_incomplete"}
    sandbox.faults.clear()
    assert compare().status == "Differs"  # 21 transfers are unknown to us
    assert open_alerts() == {"reconciliation"}


def test_a_transfer_that_cannot_be_read_is_reported_and_the_day_is_compared(sandbox, wallet):
    pay(wallet)
    order_without_record("payout_other")
    sandbox.faults.add(fault_of("broken_row"))
    report = compare()
    assert (report.status, report.compared, report.reason) == ("Differs", 1, "")
    # The balance has the transfer and its charge of 100.
    assert differences_of(report) == [unexplained("-150", "KES")]
    assert open_alerts() == {"provider_records", "reconciliation"}
    message = Alert.objects.get(kind="provider_records").message
    assert re.fullmatch(
        r"1 could not be read and were skipped: \d+ \(status is not a text\)", message
    ), message
    kind, reference, *_ = differences_of(compare())[0]
    assert (kind, reference) == ("Not in our records", "payout_other")
    assert open_alerts() == {"reconciliation"}


@pytest.mark.parametrize("kind", ["malformed", "error_5xx", "unauthorized"])
@pytest.mark.one_in(3)
def test_without_balances_a_report_is_incomplete(sandbox, wallet, kind):
    sandbox.faults.add(fault_of(kind, "/v3/balances", times=3))
    report = compare()
    assert report.status == "Incomplete"
    sandbox.faults.clear()
    assert compare().status == "Matched"


def test_an_unreachable_provider_leaves_an_incomplete_report_with_ledger_totals(sandbox, wallet):
    sandbox.stop()
    report = compare()
    assert (report.status, report.reason) == ("Incomplete", "no connection could be made")
    assert total_line(report, "Deposits") == (None, 20_000, None, None)


def test_a_list_of_other_days_is_not_believed(sandbox, wallet):
    pay(wallet)
    client = payment_provider()
    assert isinstance(client, FlutterwaveClient)
    update_provider(sandbox, "UPDATE transfers SET created_at = created_at - 86400 * 3")
    listed = client.list_transfers(first=today() - timedelta(days=3), last=today())
    assert len(listed) == 1
    assert client.list_transfers(first=today(), last=today()) == []


@pytest.mark.parametrize(
    ("moved", "variance", "status"),
    [
        ("0", "0.005", "Matched"),
        ("-0.01", "-0.005", "Matched"),
        ("0.001", "0.006", "Differs"),
        ("-0.011", "-0.006", "Differs"),
    ],
)
@pytest.mark.django_db(transaction=True)
@pytest.mark.one_in(3)
def test_the_rounding_of_a_charge_does_not_change_the_variance(sandbox, moved, variance, status):
    wallet = make_member_wallet(50_000, currency="NGN")
    sandbox.store.set_float("NGN", Decimal(50_000))
    assert compare().status == "Matched"
    withdrawal = pay(wallet, 20_000, currency="NGN", bank=BANKS["NGN"])
    settle_at_bank(sandbox, withdrawal)
    assert status_of(withdrawal) == "Completed"
    sandbox.store.set_float("NGN", sandbox.store.floats()["NGN"] + Decimal(moved))
    found = Decimal(variance)
    # Rounding by half a unit counts as explained.
    expected = found if status == "Matched" else Decimal(0)
    unexplained = (
        []
        if status == "Matched"
        else [("Unexplained variance", "", "", f"Unexplained: {variance} NGN")]
    )
    for _ in range(2):
        report = compare()
        assert (report.status, differences_of(report)) == (status, unexplained)
        assert total_line(report, "Variance", "NGN") == (None, expected, None, found)


@pytest.mark.parametrize(
    ("fee", "booked"), [("0", []), ("0.004", []), ("0.01", ["0.01"]), ("1", ["1"])]
)
@pytest.mark.one_in(3)
def test_a_charge_is_booked_unless_it_is_rounded_to_nothing(sandbox, wallet, fee, booked):
    withdrawal = pay(wallet)
    update_provider(
        sandbox, "UPDATE transfers SET fee = ? WHERE reference = ?", fee, withdrawal.reference
    )
    settle_at_bank(sandbox, withdrawal)
    assert status_of(withdrawal) == "Completed"
    charges = [Decimal(amount) for amount in booked]
    assert Payout.objects.get(withdrawal=withdrawal).provider_fee == sum(charges)
    entries = Entry.objects.filter(transfer__kind=TransferKind.PROVIDER_CHARGE, amount__gt=0)
    assert [*entries.values_list("amount", flat=True)] == charges
    assert_books_hold()


@pytest.mark.slow
def test_a_lost_payout_that_is_sent_again_is_no_longer_missing(sandbox, wallet):
    withdrawal = make_approved_withdrawal(wallet)
    sandbox.faults.add(
        Fault(fault="timeout_before", method="POST", path_prefix="/v3/transfers", seconds=2)
    )
    payouts.send_payout(withdrawal.id)
    assert status_of(withdrawal) == "Unknown"
    assert differences_of(compare()) == [
        ("Missing at provider", withdrawal.reference, "Unknown", "")
    ]
    for _ in range(2):
        advance_time(withdrawal, 3600)
        sweeps.process_payout(withdrawal.id)
    propose_and_confirm(withdrawal, ProposalAction.SEND_AGAIN)
    sweeps.process_payout(withdrawal.id)
    assert status_of(withdrawal) == "Processing"
    assert compare().status == "Matched"
    assert breaks() == [
        ("Missing at provider", format_plain(-withdrawal.disburse_amount), "Open", False)
    ]
    assert_books_hold()
