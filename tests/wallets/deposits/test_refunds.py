"""Refunds of payments without a known owner: booked, ordered at the provider once, confirmed."""

from decimal import Decimal
from typing import Any

import pytest
import requests

from config.local.sandbox import SandboxServer
from config.local.sandbox.faults import Fault
from exchange.core.errors import InvalidRequest, ProviderFailed, Rejected, StateConflict
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import table_fingerprints
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.deposits import arrive, transaction_record
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.alerts.models import Alert
from wallets.deposits.models import Payment, PaymentAction
from wallets.deposits.services.unmatched import confirm_resolution, propose_resolution
from wallets.ledger.models import Entry, Transfer
from wallets.providers.collection import VirtualAccountRequest
from wallets.providers.registry import payment_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def maker() -> StaffUser:
    return make_staff("resolve_payment")


@pytest.fixture
def checker() -> StaffUser:
    return make_staff("resolve_payment")


def unmatched_payment(sandbox: SandboxServer) -> Payment:
    """Return a payment of 500 NGN into an account that is not ours."""
    sandbox.store.set_float("NGN", Decimal(1000))
    request = VirtualAccountRequest("not-ours", "NGN", "ada@example.com", bvn="12345678901")
    account = payment_provider().create_virtual_account(request)
    body = {"account_number": account.account_number, "amount": 500}
    paid = requests.post(f"{sandbox.url}/sandbox/pay", json=body, timeout=20).json()
    record = payment_provider().verify_transaction(str(paid["id"]))
    assert record is not None
    payment = arrive(record)
    assert (payment.status, payment.booked_fee) == ("Unmatched", Decimal(7))
    return payment


def propose(payment: Payment, user: StaffUser, **changes: Any) -> Any:
    values = {"action": PaymentAction.REFUND, "owner": None, "explanation": "Sent by mistake"}
    return propose_resolution(payment_id=payment.pk, user=user, **{**values, **changes})


def refunds(sandbox: SandboxServer, payment: Payment) -> int:
    path = f"/v3/transactions/{payment.transaction_id}/refund"
    return sum(each["path"] == path for each in sandbox.requests.entries())


def open_alerts() -> set[str]:
    return set(Alert.objects.filter(resolved_at=None).values_list("kind", flat=True))


def test_a_refund_leaves_the_ledger_and_is_ordered_once(sandbox, maker, checker):
    payment = unmatched_payment(sandbox)
    confirm_resolution(resolution_id=propose(payment, maker).pk, user=checker)
    payment.refresh_from_db()
    assert (payment.status, payment.deposit) == ("Refunded", None)
    found = Entry.objects.filter(transfer__kind="payment_refund").order_by("account__kind")
    assert list(found.values_list("account__kind", "amount")) == [
        ("clearing", Decimal(500)), ("unmatched", Decimal(-500)),
    ]  # fmt: skip
    assert refunds(sandbox, payment) == 1
    assert open_alerts() == set()
    assert_books_hold()


@pytest.mark.parametrize(
    ("fault", "message", "sent", "status", "alerts"),
    [
        (
            "error_5xx",
            "The provider did not confirm the refund. Find its result on the provider's own pages,"
            " and record it",
            1,
            "Refunding",
            {"refund_unconfirmed"},
        ),
        (
            "stopped",
            "No refund was made: no connection could be made. The payment is unmatched again",
            0,
            "Unmatched",
            {"payment_unmatched"},
        ),
    ],
)
def test_a_refund_that_is_not_confirmed_is_not_repeated_and_an_alert_says_so(
    sandbox, maker, checker, fault, message, sent, status, alerts
):
    payment = unmatched_payment(sandbox)
    proposal = propose(payment, maker)
    if fault == "stopped":
        sandbox.stop()
    else:
        sandbox.faults.add(Fault(fault))
    with pytest.raises(ProviderFailed) as caught:
        confirm_resolution(resolution_id=proposal.pk, user=checker)
    assert caught.value.message == message
    assert (refunds(sandbox, payment), open_alerts()) == (sent, alerts)
    payment.refresh_from_db()
    assert payment.status == status
    with pytest.raises(StateConflict):
        confirm_resolution(resolution_id=proposal.pk, user=checker)
    assert refunds(sandbox, payment) == sent
    assert_books_hold()


def test_a_payment_outside_the_ledger_is_refunded_without_a_transfer(sandbox, maker, checker):
    foreign = arrive(transaction_record("nobody's", currency="EUR"))
    assert (foreign.status, foreign.booked_fee) == ("Unmatched", None)
    before = Transfer.objects.count()
    with pytest.raises(ProviderFailed):  # the sandbox does not know it
        confirm_resolution(resolution_id=propose(foreign, maker).pk, user=checker)
    foreign.refresh_from_db()
    assert (foreign.status, refunds(sandbox, foreign)) == ("Unmatched", 1)
    sandbox.faults.add(Fault("error_5xx"))
    with pytest.raises(ProviderFailed):
        confirm_resolution(resolution_id=propose(foreign, maker).pk, user=checker)
    result = propose(foreign, maker, action=PaymentAction.REFUNDED, refund_reference="RF-7")
    confirm_resolution(resolution_id=result.pk, user=checker)
    foreign.refresh_from_db()
    assert (foreign.status, foreign.refund_reference) == ("Refunded", "RF-7")
    assert Transfer.objects.count() == before
    assert open_alerts() == set()
    assert_books_hold()


def test_an_assigned_payment_is_credited_in_full_since_its_charge_was_booked_before(
    sandbox, maker, checker
):
    payment = unmatched_payment(sandbox)
    member = make_member(make_organisation())
    proposal = propose(payment, maker, action=PaymentAction.ASSIGN, owner=member)
    deposit = confirm_resolution(resolution_id=proposal.pk, user=checker).deposit
    assert deposit is not None
    assert (deposit.amount, deposit.fee, deposit.provider_fee, deposit.net_amount) == (
        Decimal(500), Decimal(0), Decimal(0), Decimal(500),
    )  # fmt: skip
    assert (deposit.channel, deposit.available_at) == ("virtual_account", None)
    assert not Transfer.objects.filter(kind="deposit_charge").exists()
    assert refunds(sandbox, payment) == 0
    assert_books_hold()


def test_a_card_payment_that_is_assigned_rests_as_a_checkout(maker, checker):
    payment = arrive(transaction_record("nobody's", payment_type="card"))
    organisation = make_organisation()
    proposal = propose(payment, maker, action=PaymentAction.ASSIGN, owner=organisation)
    deposit = confirm_resolution(resolution_id=proposal.pk, user=checker).deposit
    assert deposit is not None
    assert (deposit.channel, deposit.organisation_id, deposit.member_id) == (
        "checkout", organisation.pk, None,
    )  # fmt: skip
    assert deposit.available_at is not None
    assert_books_hold()


@pytest.mark.parametrize("length", [500, 501])
def test_an_explanation_has_at_most_500_characters(maker, length):
    payment = arrive(transaction_record("nobody's"))
    before = table_fingerprints()
    if length == 500:
        assert propose(payment, maker, explanation="x" * 500).explanation == "x" * 500
        return
    with pytest.raises(InvalidRequest):
        propose(payment, maker, explanation="x" * 501)
    assert table_fingerprints() == before


def test_what_no_wallet_can_hold_is_not_assigned(maker):
    payment = arrive(transaction_record("nobody's", "5", app_fee=Decimal(14)))
    before = table_fingerprints()
    with pytest.raises(Rejected) as caught:
        propose(payment, maker, action=PaymentAction.ASSIGN, owner=make_organisation())
    assert caught.value.message == (
        "It cannot be assigned: the payment provider's fee leaves nothing of it"
    )
    after = table_fingerprints()
    assert after["wallets_paymentresolution"] == before["wallets_paymentresolution"]
