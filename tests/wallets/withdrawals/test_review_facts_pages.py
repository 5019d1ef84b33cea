"""Facts and flags of the review page."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import FINANCE_APPROVER
from exchange.core.actors import Actor
from exchange.participants.models import Member, Organisation
from exchange.participants.services.api_keys import issue_api_key, revoke_api_key
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    SYSTEM,
    current_flag_codes,
    fund,
    make_participants,
    make_withdrawal,
    page,
    signed_in_client,
    text_of,
)
from tests.factories.conversions import convert, set_rates
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, make_staff
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.review_facts import (
    AccountUse,
    RequestTotals,
    ReviewFacts,
    find_owners_sharing_account,
    load_review_facts,
    recent_deposits,
    request_velocity,
)
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


@pytest.fixture
def owners():
    organisation, member = make_participants()
    fund(organisation, member, "KES", "1000000")
    fund(organisation, None, "KES", "1000000")
    return organisation, member


def rewrite(withdrawal: Withdrawal, *, ago: timedelta, status: str = "Pending") -> None:
    """Set the age and the status of the withdrawal, past the guards."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET created_at = %s, status = %s WHERE id = %s",
            [timezone.now() - ago, status, withdrawal.pk],
        )


def facts_of(withdrawal: Withdrawal) -> ReviewFacts:
    """Return the facts of one withdrawal, loaded with all others as lists do."""
    return load_review_facts(list(Withdrawal.objects.values_list("pk", flat=True)))[withdrawal.pk]


def account_use(withdrawal: Withdrawal) -> AccountUse:
    return facts_of(withdrawal).use


HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def test_account_use_counts_the_owners_requests_and_names_other_owners(owners):
    organisation, member = owners
    for status, ago in (("Completed", 9), ("Completed", 8), ("Failed", 7), ("Rejected", 6)):
        rewrite(make_withdrawal(organisation, member, "KES", "1000"), ago=ago * DAY, status=status)
    # The owner's other account, and the same number at another bank.
    other_account = make_withdrawal(
        organisation, member, "KES", "1000", account_number="0690000032"
    )
    other_bank = make_withdrawal(organisation, member, "KES", "1000")
    for elsewhere in (other_account, other_bank):
        rewrite(elsewhere, ago=5 * DAY, status="Completed")
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_bankaccount SET code = 'elsewhere' WHERE id = %s", [other_bank.bank_id]
        )
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    # A later request does not count as an earlier use.
    make_withdrawal(organisation, member, "KES", "1000")

    use = account_use(withdrawal)
    assert (use.earlier, use.paid, use.bounced) == (4, 2, 1)
    assert (use.other_owners, use.other_organisations) == (0, 0)
    assert find_owners_sharing_account(withdrawal) == []

    make_withdrawal(organisation, None, "KES", "1000")
    use = account_use(withdrawal)
    assert (use.other_owners, use.other_organisations) == (1, 0)
    assert find_owners_sharing_account(withdrawal) == [("Acme", "")]

    rival = Organisation.objects.create(name="Rival")
    bo = Member.objects.create(organisation=rival, name="Bo", email="bo@rival.example")
    fund(rival, bo, "KES", "5000")
    make_withdrawal(rival, bo, "KES", "1000")
    make_withdrawal(rival, bo, "KES", "1000")
    use = account_use(withdrawal)
    assert (use.other_owners, use.other_organisations) == (2, 1)
    assert find_owners_sharing_account(withdrawal) == [("Acme", ""), ("Rival", "Bo")]


def test_velocity_counts_owner_and_organisation_within_a_day_and_thirty(owners):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    rewrite(make_withdrawal(organisation, member, "KES", "200"), ago=23 * HOUR, status="Completed")
    rewrite(make_withdrawal(organisation, member, "KES", "300"), ago=25 * HOUR, status="Completed")
    rewrite(make_withdrawal(organisation, member, "KES", "400"), ago=31 * DAY, status="Completed")
    for status in ("Rejected", "Cancelled", "Failed", "Reversed"):
        rewrite(make_withdrawal(organisation, member, "KES", "5000"), ago=HOUR, status=status)
    rewrite(make_withdrawal(organisation, None, "KES", "700"), ago=2 * HOUR)
    fund(organisation, member, "GHS", "5000")
    make_withdrawal(organisation, member, "GHS", "4000")

    found = request_velocity(withdrawal)
    assert found.owner_day == RequestTotals(2, Decimal(1200))
    assert facts_of(withdrawal).owner_day == found.owner_day
    assert found.owner_month == RequestTotals(3, Decimal(1500))
    assert found.organisation_day == RequestTotals(3, Decimal(1900))
    assert found.organisation_month == RequestTotals(4, Decimal(2200))


def test_velocity_counts_transfers_out_and_conversions(owners):
    organisation, member = owners
    set_rates()
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    mine, ours = Wallet(organisation, member), Wallet(organisation)
    ours.fund(500)
    moved = transfer(mine, ours, 30)
    transfer(ours, mine, 500)
    converted = convert(mine, 258, "KES", "USD")
    convert(mine, 1, "USD", "KES")
    convert(ours, "12.9", "KES", "USD")
    found = request_velocity(withdrawal)
    assert found.owner_day == found.owner_month == RequestTotals(3, Decimal(1288))
    assert facts_of(withdrawal).owner_day == found.owner_day
    assert found.organisation_day == RequestTotals(3, Decimal("1270.9"))
    assert found.organisation_month == found.organisation_day

    with without_guards() as cursor:
        for table, record in (("wallettransfer", moved), ("conversion", converted)):
            cursor.execute(
                f"UPDATE wallets_{table} SET created_at = created_at - interval '25 hours'"
                " WHERE id = %s",
                [record.pk],
            )
    found = request_velocity(withdrawal)
    assert found.owner_day == RequestTotals(1, Decimal(1000))
    assert facts_of(withdrawal).owner_day == found.owner_day
    assert found.owner_month == RequestTotals(3, Decimal(1288))


def test_velocity_of_a_decided_withdrawal_is_that_of_the_decision(owners):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    decisions.reject(
        withdrawal_id=withdrawal.pk, version=1, approver=make_staff(), reason="Not today"
    )
    rewrite(make_withdrawal(organisation, member, "KES", "2000"), ago=-HOUR)
    withdrawal.refresh_from_db()
    found = request_velocity(withdrawal)
    assert found.until == withdrawal.actioned_on
    assert found.owner_day == RequestTotals(1, Decimal(1000))


def test_the_largest_earlier_payout_is_of_the_same_wallet_and_currency(owners):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    assert facts_of(withdrawal).largest_paid is None
    rewrite(make_withdrawal(organisation, member, "KES", "300"), ago=DAY, status="Completed")
    rewrite(make_withdrawal(organisation, member, "KES", "200"), ago=2 * DAY, status="Completed")
    rewrite(make_withdrawal(organisation, member, "KES", "9000"), ago=DAY, status="Failed")
    rewrite(make_withdrawal(organisation, None, "KES", "8000"), ago=DAY, status="Completed")
    assert facts_of(withdrawal).largest_paid == Decimal(300)


def test_deposits_of_thirty_days_are_those_confirmed_for_the_wallet(owners):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    fund(organisation, member, "GHS", "50")
    old = Deposit.objects.get(member=member, currency="KES")
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_deposit SET decided_at = decided_at - interval '31 days' WHERE id = %s",
            [old.pk],
        )
    for number, amount in enumerate(("250", "350")):
        payment = deposits.IncomingPayment(
            organisation_id=organisation.pk,
            member_id=member.pk,
            currency="KES",
            amount=Decimal(amount),
            reference=f"wire {number}",
        )
        deposits.book_deposit(payment=payment, actor=SYSTEM)
    found = recent_deposits(withdrawal, shown=10)
    assert (found.count, found.amount) == (2, Decimal(600))
    assert [deposit.reference for deposit in found.deposits] == ["wire 1", "wire 0"]
    assert [deposit.reference for deposit in recent_deposits(withdrawal, shown=1).deposits] == [
        "wire 1"
    ]


def test_the_deposits_panel_shows_its_own_currency(owners, finance):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    fund(organisation, member, "GHS", "4321.5")
    shown = finance.get(page(withdrawal))
    (panel,) = [one for one in shown.context["tabs"]["Money"] if one.title.startswith("Deposits")]
    assert panel.title == "Deposits to this wallet within 30 days: 1 in KES, 1,000,000.00 KES"
    assert [row[2] for row in panel.rows] == ["1,000,000.00 KES"]
    assert "4,321.50 GHS" not in text_of(shown)
    (listed,) = finance.get(panel.more.url).context["cl"].result_list
    assert (listed.owner_id, listed.currency_id) == (member.pk, "KES")


def test_a_request_without_flags_says_so(owners):
    organisation, member = owners
    paid = make_withdrawal(organisation, member, "KES", "900", account_name="Ada")
    rewrite(paid, ago=3 * DAY, status="Completed")
    withdrawal = make_withdrawal(organisation, member, "KES", "1000", account_name="Ada")
    seen = text_of(signed_in_client(FINANCE_APPROVER).get(page(withdrawal)))
    for part in (
        "No flags",
        "Decision No flags Net payout 970.00 KES",
        "Name match not checked Bank returned no account name",
        "Payee history 1 earlier, 1 paid",
        "Used by other owners None",
        "24 hours 1 1,000.00 KES 1 1,000.00 KES",
        "30 days 2 1,900.00 KES 2 1,900.00 KES",
        "Largest previous payout 900.00 KES",
        "Deposits, 30 days 1,000,000.00 KES in 1 deposit",
        "Deposits to this wallet within 30 days: 1 in KES, 1,000,000.00 KES",
    ):
        assert part in seen, part


def test_critical_flags_come_first(owners):
    organisation, member = owners
    fund(organisation, member, "NGN", "100000")
    key, _ = issue_api_key(
        organisation=organisation, name="Backend", scopes=["wallets:withdraw"], actor=SYSTEM
    )
    rival = Organisation.objects.create(name="Rival")
    fund(rival, None, "NGN", "5000")
    make_withdrawal(rival, None, "NGN", "1000")
    rewrite(make_withdrawal(organisation, member, "NGN", "1000"), ago=3 * DAY, status="Failed")
    rewrite(
        make_withdrawal(organisation, member, "NGN", "1000", account_number="0690000032"),
        ago=3 * DAY,
        status="Completed",
    )
    for _ in range(4):
        make_withdrawal(organisation, member, "NGN", "1000", account_number="0690000032")
    withdrawal = make_withdrawal(organisation, member, "NGN", "3500")
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET requested_by = %s WHERE id = %s",
            [f"api_key:{key.pk}", withdrawal.pk],
        )
    revoke_api_key(key_id=key.pk, actor=Actor.system("tests"))
    Organisation.objects.filter(pk=organisation.pk).update(active=False)

    response = signed_in_client(FINANCE_APPROVER).get(page(withdrawal))
    bank = withdrawal.bank
    shown = [(one.level.label, one.text) for one in response.context["flags"]]
    assert shown == [
        ("Critical", "The organisation is not active."),
        ("Critical", "The requesting API key, Backend, is revoked."),
        (
            "Critical",
            f"The account name at the bank is {bank.account_name}, the name provided Ada Obi:"
            " different.",
        ),
        ("Critical", "Account shared with 1 other organisation."),
        ("Critical", "1 earlier payout to this account failed or returned."),
        (
            "Review",
            f"Payee is not the wallet owner. Owner: Ada; payee: {bank.account_name}; match:"
            " different.",
        ),
        (
            "Review",
            "One earlier request of this owner to this account was not paid.",
        ),
        (
            "Review",
            "More than 3 times the largest previous payout from this wallet, 1,000.00 NGN.",
        ),
        ("Review", "5 requests of this owner within 24 hours, total 7,500.00 NGN."),
    ]
    seen = text_of(response)
    assert "Critical The organisation is not active." in seen
    assert f"Account name at the bank {bank.account_name} Name match different" in seen
    assert "Used by other owners 1: Rival" in seen
    assert "Requested via API key Backend" in seen


@pytest.mark.parametrize(("came_back", "flagged"), [(1, False), (2, True), (3, True)])
def test_an_account_is_flagged_when_returned_payouts_equal_paid_ones(owners, came_back, flagged):
    organisation, member = owners
    for status, times in (("Completed", 2), ("Failed", came_back)):
        for _ in range(times):
            rewrite(
                make_withdrawal(organisation, member, "KES", "1000"), ago=3 * DAY, status=status
            )
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    assert ("earlier_payouts_failed" in current_flag_codes(withdrawal)) == flagged


@pytest.mark.parametrize(("amount", "flagged"), [("3000", False), ("3000.01", True)])
def test_an_amount_is_flagged_above_three_times_the_largest_paid(owners, amount, flagged):
    organisation, member = owners
    rewrite(make_withdrawal(organisation, member, "KES", "1000"), ago=3 * DAY, status="Completed")
    withdrawal = make_withdrawal(organisation, member, "KES", amount)
    assert ("unusual_amount" in current_flag_codes(withdrawal)) == flagged


@pytest.mark.parametrize(("requests", "flagged"), [(4, False), (5, True)])
def test_the_fifth_request_within_a_day_is_flagged(owners, requests, flagged):
    organisation, member = owners
    for _ in range(requests):
        withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    assert ("daily_count" in current_flag_codes(withdrawal)) == flagged


def test_a_first_use_and_another_owner_in_the_organisation_are_flagged_review(owners):
    organisation, member = owners
    make_withdrawal(organisation, None, "KES", "1000")
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    response = signed_in_client(FINANCE_APPROVER).get(page(withdrawal))
    assert [(one.level.label, one.text) for one in response.context["flags"]] == [
        (
            "Review",
            "Payee is not the wallet owner. Owner: Ada; payee: Ada Obi; match:"
            " partly: 1 of 2 words.",
        ),
        ("Review", "Account shared with 1 other owner of Acme."),
        ("Review", "First withdrawal of this owner to this account."),
    ]


def test_the_page_takes_the_same_number_of_queries_with_more_records(owners, finance):
    organisation, member = owners
    make_withdrawal(organisation, None, "KES", "100")
    rewrite(make_withdrawal(organisation, member, "KES", "100"), ago=DAY, status="Completed")
    withdrawal = make_withdrawal(organisation, member, "KES", "100")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert finance.get(page(withdrawal)).status_code == 200
        return len(captured)

    few = queries()
    for number in range(15):
        make_withdrawal(organisation, member if number % 2 else None, "KES", "100")
    assert queries() == few
    assert few <= 30


def test_the_page_of_a_rejected_withdrawal_shows_its_stored_flags(owners, finance):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    decisions.reject(withdrawal_id=withdrawal.pk, version=1, approver=make_staff(), reason="No")
    [decision] = finance.get(page(withdrawal)).context["decision_flags"]
    assert decision.who.startswith("Rejected by ")
    assert [flag.code for flag in decision.flags] == ["payee_not_owner", "account_first_use"]
    listed = finance.get(reverse("admin:wallets_withdrawal_changelist"), {"status": "all"})
    [row] = listed.context["cl"].result_list
    assert [flag.code for flag in row.flags] == ["payee_not_owner", "account_first_use"]
