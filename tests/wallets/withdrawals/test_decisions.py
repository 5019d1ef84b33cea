"""Decision services: who may decide, preconditions, and records."""

from collections.abc import Callable
from dataclasses import asdict
from decimal import Decimal
from functools import partial

import pytest
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.errors import DomainError, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.processes import wait_until
from tests.factories.api_clients import TESTER
from tests.factories.configuration import set_setting
from tests.factories.wallets import (
    OVERRIDE,
    assert_books_hold,
    make_staff,
    make_wallet,
    store_bank_list,
)
from wallets.banks.models import BankList
from wallets.banks.payout_details import PayoutDetails
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Decision, Payout, Withdrawal
from wallets.withdrawals.services import decisions, requests

pytestmark = pytest.mark.django_db

RECIPIENT = PayoutDetails(
    recipient_first_name="Ada",
    recipient_last_name="Obi",
    recipient_email="ada@example.com",
    recipient_phone="+27 (82) 123-4567",
    recipient_address="1 Long Street, Cape Town",
)


@pytest.fixture(autouse=True)
def _banks() -> None:
    store_bank_list()
    for currency in ("ZAR", "GHS"):
        BankList.objects.create(
            currency_id=currency,
            banks=[{"id": 7, "name": "Absa", "code": "07"}],
            fetched_at=timezone.now(),
        )


def approve(withdrawal: Withdrawal, person: StaffUser, override: str = "") -> Withdrawal:
    version = Withdrawal.objects.values_list("version", flat=True).get(pk=withdrawal.pk)
    return decisions.approve(
        withdrawal_id=withdrawal.pk, version=version, approver=person, override=override
    )


def assert_rejected(
    act: Callable[[], object], kind: type[DomainError], message: str
) -> DomainError:
    """Assert that the act is rejected and changes nothing."""
    with assert_no_table_changes(), pytest.raises(kind) as rejection:
        act()
    assert rejection.value.message == message
    return rejection.value


def test_a_person_cannot_approve_a_request_they_entered_or_approved():
    message = "A second person must approve this withdrawal: you already requested or approved it"
    person, other = make_staff(), make_staff()
    wallet = make_wallet(600_000)
    requests.request_withdrawal(
        RequestWithdrawal(
            organisation=wallet.organisation.id,
            member=None,
            actor=str(Actor.staff(person.pk, str(person))),
            amount=Decimal(500),
            currency="KES",
            bank_name="KCB Bank Kenya",
            account_name="Ada Obi",
            account_number="0690000031",
        )
    )
    entered = Withdrawal.objects.get()
    error = assert_rejected(partial(approve, entered, person), Rejected, message)
    assert error.code == "approver_not_independent"
    assert approve(entered, other).status == "Approved"
    large = make_wallet(500_000).request(500_000, account="0611111111")
    assert approve(large, other).status == "Pending"
    assert_rejected(partial(approve, large, other), Rejected, message)
    assert approve(large, person).second_approver == person
    assert_books_hold()


def test_a_critical_withdrawal_is_approved_with_an_override():
    withdrawal = make_wallet(1000).request(500)
    make_wallet(1000).request(500)
    person = make_staff()
    with assert_no_table_changes(), pytest.raises(Rejected) as error:
        approve(withdrawal, person)
    assert error.value.code == "critical_flag_not_overridden"
    assert approve(withdrawal, person, OVERRIDE).status == "Approved"
    stored = Decision.objects.get(withdrawal=withdrawal)
    assert (stored.verdict, stored.override, stored.version) == ("Approve", OVERRIDE, 1)


def test_payouts_are_swept_as_soon_as_the_last_needed_approval_is_given(
    task_notifications, django_capture_on_commit_callbacks
):
    large = make_wallet(500_000).request(500_000)
    with django_capture_on_commit_callbacks(execute=True) as first:
        approve(large, make_staff())
    assert first == []
    assert not Payout.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        approve(large, make_staff())
    wait_until(lambda: "wallets.tasks.sweep_payouts" in task_notifications, "payouts are swept")
    assert Payout.objects.get().withdrawal_id == large.pk


def test_a_higher_threshold_does_not_lower_the_approvals_needed():
    withdrawal = make_wallet(500_000).request(500_000)
    assert withdrawal.approvals_needed == 2
    for key in ("SECOND_APPROVAL_ABOVE_KES", "SECOND_APPROVAL_DAILY_ABOVE_KES"):
        set_setting(key, 10_000_000)
    once = approve(withdrawal, make_staff())
    assert (once.status, once.approvals_needed) == ("Pending", 2)


def test_payout_details_are_required_before_approval():
    withdrawal = make_wallet(5000, currency="ZAR").request(500, currency="ZAR", bank="Absa")
    person = make_staff()
    message = (
        "ZAR payouts require: recipient's first name, recipient's last name,"
        " recipient's email, recipient's phone, recipient's address"
    )
    assert assert_rejected(partial(approve, withdrawal, person), Rejected, message).code == (
        "corridor_incomplete"
    )
    fill = partial(
        decisions.complete_payout_details, withdrawal_id=withdrawal.pk, version=1, approver=person
    )
    filled = fill(corridor=RECIPIENT)
    assert (filled.status, filled.version) == ("Pending", 2)
    filled.bank.refresh_from_db()
    assert {name: getattr(filled.bank, name) for name in asdict(RECIPIENT)} == {
        **asdict(RECIPIENT),
        "recipient_phone": "+27821234567",
    }
    stored = Decision.objects.get(withdrawal=withdrawal)
    assert (stored.verdict, stored.details) == ("Add details", {"branch_code": ""})
    message = "The withdrawal has changed. Review it and try again"
    assert_rejected(partial(fill, corridor=RECIPIENT), StateConflict, message)
    assert approve(withdrawal, person).status == "Approved"


WRONG_CORRIDORS: list[tuple[str, PayoutDetails, dict[str, str]]] = [
    (
        "GHS",
        PayoutDetails(branch_code="x" * 41),
        {"branch_code": "Ensure this value has at most 40 characters (it has 41)."},
    ),
    (
        "GHS",
        PayoutDetails(branch_code="GH010101", recipient_email="nobody"),
        {"recipient_email": "Enter a valid email address."},
    ),
    (
        "ZAR",
        PayoutDetails(recipient_phone="0821234567"),
        {
            "recipient_phone": "recipient_phone must be a phone number with its country code,"
            " such as +27821234567"
        },
    ),
]


def fill_in(currency: str, corridor: PayoutDetails) -> Callable[[], Withdrawal]:
    """Fill in the payout details of a new request."""
    wallet = make_wallet(5000, currency=currency)
    withdrawal = wallet.request(500, currency=currency, bank="Absa")
    return partial(
        decisions.complete_payout_details,
        withdrawal_id=withdrawal.pk,
        version=1,
        corridor=corridor,
        approver=make_staff(),
    )


def test_payout_details_have_the_format_and_length_of_their_columns():
    for currency, corridor, wrong in WRONG_CORRIDORS:
        [message] = wrong.values()
        act = fill_in(currency, corridor)
        assert assert_rejected(act, InvalidRequest, message).fields == wrong
    # A phone number that is not required is stored as entered.
    filled = fill_in("GHS", PayoutDetails(branch_code="GH1", recipient_phone="0"))()
    assert filled.bank.recipient_phone == "0"


def test_decisions_need_the_permission_and_the_current_version():
    withdrawal = make_wallet(1000).request(500)
    acts: list[Callable[..., Withdrawal]] = [
        decisions.approve,
        partial(decisions.reject, reason="no"),
        partial(decisions.complete_payout_details, corridor=PayoutDetails()),
    ]
    stranger, person = make_staff("resolve_payout"), make_staff()
    stale = "The withdrawal has changed. Review it and try again"
    calls = [partial(act, withdrawal_id=withdrawal.pk) for act in acts]
    for act in calls:
        message = "You do not have permission to approve withdrawals"
        assert_rejected(partial(act, version=1, approver=stranger), Forbidden, message)
        assert_rejected(partial(act, version=2, approver=person), StateConflict, stale)
    decisions.cancel(
        withdrawal_id=withdrawal.pk, organisation_id=withdrawal.organisation_id, actor=TESTER
    )
    gone = "Already cancelled by tests"
    for act in calls:
        assert_rejected(partial(act, version=2, approver=person), StateConflict, gone)
    assert_books_hold()
