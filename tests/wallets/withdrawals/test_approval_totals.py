"""Second approvals by 24-hour totals: splitting an amount does not avoid them.

KES: two people from 500,000 on.
"""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests.factories.api_clients import make_member, make_organisation
from tests.factories.configuration import set_setting
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    make_approved_withdrawal,
    make_staff,
    make_wallet,
    status_of,
    store_bank_list,
)
from tests.wallets.withdrawals.approval_requests import (
    DAILY,
    PART,
    SOLE,
    account_number,
    approve,
    hours_ago,
    request_every_25_hours,
    request_in_parts,
    rewrite,
)
from wallets.fees.models import Configuration
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.selectors.approvals import approval_requirement, sole_approvals
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def banks() -> None:
    store_bank_list()


def test_the_first_limits_are_ten_and_twenty_times_the_threshold():
    figures = dict(Configuration.objects.values_list("key", "value"))
    for currency in ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS"):
        threshold = figures[f"SECOND_APPROVAL_ABOVE_{currency}"]
        assert figures[f"SECOND_APPROVAL_DAILY_ABOVE_{currency}"] == 20 * threshold
        assert figures[f"SOLE_APPROVALS_DAILY_{currency}"] == 10 * threshold


def test_one_owner_splitting_over_accounts_needs_two_for_each_part():
    wallet = make_wallet(3 * PART)
    parts = [wallet.request(PART, account=account_number(n)) for n in range(3)]
    first, second = make_staff(), make_staff()
    for part in parts:
        assert part.approvals_needed == 1
        kept = approve(part, first)
        assert (kept.status, kept.approvals_needed, kept.first_approver_id) == (
            "Pending", 2, first.pk,
        )  # fmt: skip
        assert not Payout.objects.filter(withdrawal_id=part.id).exists()
    assert wallet.kes == (Decimal(0), Decimal(3 * PART))
    for part in parts:
        done = approve(part, second)
        assert (done.status, done.second_approver_id) == ("Approved", second.pk)
    assert_books_hold()


def test_the_first_approver_cannot_be_the_second():
    wallet = make_wallet(3 * PART)
    parts = [wallet.request(PART, account=account_number(n)) for n in range(3)]
    person = make_staff()
    approve(parts[0], person)
    with pytest.raises(Exception, match="A second person must approve") as refusal:
        approve(parts[0], person)
    assert getattr(refusal.value, "code", "") == "approver_not_independent"
    assert status_of(parts[0]) == "Pending"


def test_many_owners_paying_into_one_account_need_two_for_each_part():
    parts = [make_wallet(PART).request(PART) for _ in range(3)]
    requirement = approval_requirement(parts[0].id)
    assert (requirement.owner_total, requirement.account_total) == (PART, 3 * PART)
    for part in parts:
        assert approve(part).status == "Pending"
    assert_books_hold()


def test_an_organisation_splitting_over_members_and_accounts_needs_two_for_each_part():
    set_setting(DAILY, 3 * PART)
    organisation = make_organisation()
    wallets = [Wallet(organisation), *(Wallet(organisation, make_member(organisation))
                                       for _ in range(2))]  # fmt: skip
    parts = [
        wallet.fund(PART).request(PART, account=account_number(n))
        for n, wallet in enumerate(wallets)
    ]
    for part in parts:
        requirement = approval_requirement(part.id)
        assert (requirement.owner_total, requirement.organisation_total) == (PART, 3 * PART)
        assert approve(part).status == "Pending"


def test_a_request_counts_earlier_approved_ones():
    wallet = make_wallet(3 * PART)
    assert make_approved_withdrawal(wallet, PART).status == "Approved"
    assert make_approved_withdrawal(wallet, PART).status == "Approved"
    last = wallet.request(PART)
    assert last.approvals_needed == 1
    assert approve(last).status == "Pending"


def test_the_second_approval_starts_exactly_at_the_threshold():
    wallet = make_wallet(500_000)
    assert make_approved_withdrawal(wallet, 300_000).status == "Approved"
    below = wallet.request("199999.99")
    assert approval_requirement(below.id).needed == 1
    decisions.reject(
        withdrawal_id=below.id, version=1, approver=make_staff(), reason="another amount"
    )
    assert approve(wallet.request(200_000)).status == "Pending"


@pytest.mark.parametrize("end", ["Rejected", "Cancelled", "Failed"])
def test_released_and_reversed_withdrawals_do_not_count(owner_connection, end):
    wallet = make_wallet(3 * PART)
    for n in range(2):
        other = wallet.request(PART, account=account_number(n))
        rewrite(owner_connection, other, status=end)
    assert approval_requirement(wallet.request(PART, account=account_number(2)).id).needed == 1


@pytest.mark.parametrize("state", ["Pending", "Approved", "Processing", "Unknown", "Completed"])
def test_open_and_paid_withdrawals_count(owner_connection, state):
    wallet = make_wallet(3 * PART)
    for n in range(2):
        rewrite(owner_connection, wallet.request(PART, account=account_number(n)), status=state)
    requirement = approval_requirement(wallet.request(PART, account=account_number(2)).id)
    assert (requirement.needed, requirement.owner_total) == (2, 3 * PART)


def test_other_currencies_and_other_accounts_do_not_count():
    for n in range(2):
        make_approved_withdrawal(make_wallet(PART), PART, account=account_number(n))
    requirement = approval_requirement(
        make_wallet(PART).request(PART, account=account_number(2)).id
    )
    assert (requirement.needed, requirement.account_total) == (1, PART)


def test_requests_more_than_a_day_apart_do_not_count(owner_connection):
    wallet = make_wallet(3 * PART)
    for n in range(2):
        other = wallet.request(PART, account=account_number(n))
        rewrite(owner_connection, other, created_at=hours_ago(25))
    assert approval_requirement(wallet.request(PART, account=account_number(2)).id).needed == 1


def test_a_burst_still_counts_together_when_decided_later(owner_connection):
    """Requested together, decided a week later."""
    wallet = make_wallet(3 * PART)
    parts = [wallet.request(PART, account=account_number(n)) for n in range(3)]
    for n, part in enumerate(parts):
        rewrite(owner_connection, part, created_at=hours_ago(168 + 20 * n))
    # The middle one is within a day of both others.
    assert approval_requirement(parts[1].id).needed == 2


def test_old_requests_to_one_account_need_two_for_each_part(owner_connection):
    parts = request_every_25_hours(owner_connection, 3)
    assert {approval_requirement(part.id).owner_total for part in parts} == {PART}
    assert [approve(part).status for part in parts] == ["Pending"] * 3


def test_payouts_to_an_account_count_for_a_day(owner_connection):
    paid = request_every_25_hours(owner_connection, 2)
    for part, hours in zip(paid, (23, 25), strict=True):
        approve(part)
        rewrite(owner_connection, part, status="Completed", actioned_on=hours_ago(30))
        owner_connection.execute(
            "UPDATE wallets_payout SET settled_at = %s WHERE withdrawal_id = %s",
            [hours_ago(hours), part.id],
        )
    assert approval_requirement(make_wallet(PART).request(PART).id).account_total == 2 * PART


def test_sole_approvals_of_one_person_stay_within_the_daily_limit():
    set_setting(SOLE, 2 * PART)
    parts = request_in_parts(4)
    person, other = make_staff(), make_staff()
    assert [approve(part, person).status for part in parts] == [
        "Approved", "Approved", "Pending", "Pending",
    ]  # fmt: skip
    assert sole_approvals(person.pk, parts[2].id).left == 0
    # A second person completes one, and approves alone up to their own limit.
    assert approve(parts[2], other).status == "Approved"
    assert (
        approve(make_wallet(PART).request(PART, account=account_number(9)), other).status
        == "Approved"
    )
    assert sole_approvals(other.pk, parts[3].id).total == PART
    assert_books_hold()


def test_sole_approvals_more_than_a_day_old_do_not_count(owner_connection):
    set_setting(SOLE, 2 * PART)
    person = make_staff()
    parts = request_in_parts(3)
    for part in parts[:2]:
        approve(part, person)
        rewrite(owner_connection, part, actioned_on=hours_ago(25))
    assert approve(parts[2], person).status == "Approved"


def test_the_database_rejects_one_approval_where_the_totals_need_two():
    wallet = make_wallet(3 * PART)
    parts = [wallet.request(PART) for _ in range(3)]
    with pytest.raises(IntegrityError, match="not approved by enough people"), transaction.atomic():
        Withdrawal.objects.filter(id=parts[0].id).update(
            status="Approved", version=2, first_approver=make_staff(), actioned_on=timezone.now()
        )
    assert status_of(parts[0]) == "Pending"


def test_the_database_rejects_sole_approvals_above_the_limit():
    set_setting(SOLE, 2 * PART)
    person = make_staff()
    parts = request_in_parts(3)
    for part in parts[:2]:
        approve(part, person)
    with pytest.raises(IntegrityError, match="may approve alone"), transaction.atomic():
        Withdrawal.objects.filter(id=parts[2].id).update(
            status="Approved", version=2, first_approver=person, actioned_on=timezone.now()
        )
    assert status_of(parts[2]) == "Pending"


def test_the_approvals_needed_are_never_lowered():
    wallet = make_wallet(500_000)
    withdrawal = wallet.request(500_000)
    assert withdrawal.approvals_needed == 2
    for changes in ({}, {"first_approver": make_staff()}):
        with pytest.raises(IntegrityError, match="raised by the first"), transaction.atomic():
            Withdrawal.objects.filter(id=withdrawal.id).update(
                approvals_needed=1, version=2, **changes
            )
    withdrawal.refresh_from_db()
    assert withdrawal.approvals_needed == 2


def test_a_lower_threshold_applies_to_existing_requests():
    withdrawal = make_wallet(PART).request(PART)
    set_setting("SECOND_APPROVAL_ABOVE_KES", PART)
    assert approve(withdrawal).status == "Pending"
