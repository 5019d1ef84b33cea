"""Status checks of payments against the sandbox: of due ones only, repeated, ended after five."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
import requests
from django.utils import timezone

from config.local.sandbox import SandboxServer
from config.local.sandbox.collection_rules import BANK_TRANSFER, AccountOrder
from config.local.sandbox.collection_store import SandboxPayment as Paid
from config.local.sandbox.faults import Fault
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.owner import without_guards
from tests.factories.api_clients import make_organisation
from tests.factories.deposits import (
    ACTOR,
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import assert_books_hold
from wallets.alerts.models import Alert
from wallets.deposits import tasks
from wallets.deposits.models import Payment
from wallets.deposits.services.payments import look_up, report_payment
from wallets.deposits.tasks import find_payments, sweep_deposits
from wallets.ledger.models import Transfer
from wallets.providers.collection import (
    ChargeHint,
    Payer,
    TransactionStatus,
    VirtualAccountRequest,
)
from wallets.providers.registry import payment_provider

pytestmark = pytest.mark.django_db

UNKNOWN = 4_000_000
VERIFY = f"/v3/transactions/{UNKNOWN}/verify"


def reported(transaction_id: int = UNKNOWN, **values: Any) -> Payment:
    """Return a reported payment, due now, of which the sandbox knows nothing."""
    assert report_payment(ChargeHint(str(transaction_id), "nobody's"))
    payment = Payment.objects.get(transaction_id=transaction_id)
    Payment.objects.filter(pk=payment.pk).update(**values)
    return payment


def checks(sandbox: SandboxServer, path: str = VERIFY) -> int:
    return sum(each["path"] == path for each in sandbox.requests.entries())


def pause_after(payment: Payment, lookups: int) -> tuple[timedelta, timedelta]:
    """Look a payment up that was looked up before; return bounds of the pause until the next."""
    Payment.objects.filter(pk=payment.pk).update(lookups=lookups, next_lookup_at=timezone.now())
    before = timezone.now()
    look_up(payment.pk, ACTOR)
    after = timezone.now()
    payment.refresh_from_db()
    assert payment.next_lookup_at is not None
    return payment.next_lookup_at - after, payment.next_lookup_at - before


@pytest.mark.parametrize("hint", [ChargeHint(None, "a"), ChargeHint("1", None)])
def test_a_hint_without_id_or_reference_reports_nothing(hint):
    assert report_payment(hint) is False
    assert not Payment.objects.exists()


def test_only_a_due_payment_is_looked_up(sandbox):
    payment = reported(next_lookup_at=timezone.now() + timedelta(minutes=1))
    look_up(payment.pk, ACTOR)
    assert checks(sandbox) == 0
    Payment.objects.update(next_lookup_at=timezone.now())
    look_up(payment.pk, ACTOR)
    assert checks(sandbox) == 1


def test_a_claimed_payment_is_not_due_for_two_minutes(sandbox):
    """Whatever becomes of its worker, which fails here."""
    payment, other = reported(), reported(UNKNOWN + 1)
    with without_guards() as cursor:
        # A number that no request may have.
        cursor.execute("UPDATE wallets_payment SET transaction_id = -1 WHERE id = %s", [payment.pk])
    due = other.next_lookup_at
    before = timezone.now()
    with pytest.raises(ValueError, match="1 to 18 digits"):
        look_up(payment.pk, ACTOR)
    after = timezone.now()
    payment.refresh_from_db()
    other.refresh_from_db()
    assert payment.next_lookup_at is not None
    lease = timedelta(minutes=2)
    assert payment.next_lookup_at - after <= lease <= payment.next_lookup_at - before
    assert (other.next_lookup_at, checks(sandbox)) == (due, 0)


@pytest.mark.parametrize(
    ("lookups", "seconds"),
    [(0, 10), (1, 20), (2, 40), (3, 80), (8, 2560), (9, 3600), (10, 3600), (30, 3600)],
)
@pytest.mark.one_in(3)
def test_the_pause_doubles_up_to_an_hour_while_the_provider_is_away(sandbox, lookups, seconds):
    sandbox.faults.add(Fault("error_5xx", times=3))
    payment = reported()
    shortest, longest = pause_after(payment, lookups)
    assert shortest <= timedelta(seconds=seconds) <= longest
    assert (payment.status, payment.lookups, payment.last_error) == (
        "Reported", lookups + 1, "the provider failed (503)",
    )  # fmt: skip
    assert not Transfer.objects.exists()


def test_a_payment_that_the_provider_does_not_know_is_given_up_after_five_checks(sandbox):
    payment, other = reported(), reported(UNKNOWN + 1)
    for lookups in range(4):
        shortest, longest = pause_after(payment, lookups)
        assert shortest <= timedelta(seconds=10 * 2**lookups) <= longest
        assert (payment.status, payment.lookups, payment.last_error) == (
            "Reported", lookups + 1, "The provider does not know it yet",
        )  # fmt: skip
    assert not Alert.objects.exists()
    Payment.objects.filter(pk=payment.pk).update(next_lookup_at=timezone.now())
    look_up(payment.pk, ACTOR)
    payment.refresh_from_db()
    assert (payment.status, payment.next_lookup_at, payment.last_error) == (
        "Disproved", None, "The provider does not know it",
    )  # fmt: skip
    alert = Alert.objects.get()
    assert (alert.kind, alert.subject, alert.message) == (
        "payment_disproved", str(UNKNOWN),
        f"Payment {UNKNOWN} was reported but not credited: the provider does not know it",
    )  # fmt: skip
    other.refresh_from_db()
    assert (other.status, other.lookups) == ("Reported", 0)
    assert checks(sandbox) == 5
    # Another webhook starts again.
    assert report_payment(ChargeHint(str(UNKNOWN), "nobody's"))
    payment.refresh_from_db()
    assert (payment.status, payment.lookups) == ("Reported", 0)


def test_a_closed_payment_is_asked_about_until_there_is_an_answer(sandbox):
    owner = Owner(make_organisation())
    payment = arrive(transaction_record(make_virtual_account(owner).reference))
    before = {key: value for key, value in table_fingerprints().items() if "payment" not in key}
    # The provider is away, and then does not know it, longer than an open payment is asked about.
    sandbox.faults.add(Fault("error_5xx", times=3))
    for lookups, pause in ((4, 160), (5, 320), (9, 3600)):
        shortest, longest = pause_after(payment, lookups)
        assert shortest <= timedelta(seconds=pause) <= longest
        assert (payment.status, payment.lookups, payment.last_error) == (
            "Credited", lookups + 1, "",
        )  # fmt: skip
    after = {key: value for key, value in table_fingerprints().items() if "payment" not in key}
    assert after == before
    assert_books_hold()


def test_a_pending_payment_is_looked_up_again_after_a_growing_pause():
    checkout = make_checkout(Owner(make_organisation()))
    before = timezone.now()
    record = transaction_record(checkout.reference, status=TransactionStatus.PENDING)
    payment = arrive(record)
    after = timezone.now()
    assert (payment.status, payment.lookups) == ("Pending", 1)
    assert payment.next_lookup_at is not None
    pause = timedelta(seconds=20)
    assert payment.next_lookup_at - after <= pause <= payment.next_lookup_at - before


def test_what_the_provider_says_of_a_payment_is_kept_as_far_as_columns_go():
    record = transaction_record(
        "nobody's",
        app_fee=Decimal("14.5"),
        merchant_fee=Decimal("1.25"),
        payer=None,
        customer_name="x" * 250,
        payment_type="y" * 60,
        currency="Z" * 30,
    )
    payment = arrive(record)
    assert (payment.provider_fee, payment.charged_amount, payment.settled_amount) == (
        Decimal("15.75"), record.charged_amount, record.amount_settled,
    )  # fmt: skip
    assert (payment.payer_name, payment.payment_type, payment.currency_code) == (
        "x" * 200, "y" * 40, "Z" * 10,
    )  # fmt: skip
    assert (payment.provider_reference, payment.paid_at) == (record.flw_ref, record.created_at)
    assert payment.lookups == 1
    named = arrive(transaction_record("nobody's", payer=Payer("p" * 250, "", "")))
    assert named.payer_name == "p" * 200


def test_one_failing_payment_stops_no_other(sandbox):
    broken, sound = reported(), reported(UNKNOWN + 1)
    with without_guards() as cursor:
        cursor.execute("UPDATE wallets_payment SET transaction_id = -1 WHERE id = %s", [broken.pk])
    assert sweep_deposits() == 2
    sound.refresh_from_db()
    assert sound.last_error == "The provider does not know it yet"


def test_the_search_for_lost_webhooks_covers_two_days_back_and_the_provider_s_tomorrow(
    sandbox, monkeypatch
):
    """The provider's clock may be ahead of UTC, so its transactions may carry the next day."""
    now = datetime(2026, 11, 27, 23, 30, tzinfo=UTC)
    monkeypatch.setattr(tasks, "timezone", SimpleNamespace(now=lambda: now))
    account = payment_provider().create_virtual_account(
        VirtualAccountRequest(
            tx_ref="va_a",
            currency="GHS",
            email="ada@example.com",
            first_name="Ada",
            last_name="Obi",
        )
    )
    days = {
        datetime(2026, 11, 24, 23, 59, 59, tzinfo=UTC): False,
        datetime(2026, 11, 25, tzinfo=UTC): True,
        datetime(2026, 11, 28, 23, 59, 59, tzinfo=UTC): True,
        datetime(2026, 11, 29, tzinfo=UTC): False,
    }
    made = {}
    for paid_at in days:
        pay = {"account_number": account.account_number, "amount": 5, "webhook": "no_webhook"}
        answer = requests.post(f"{sandbox.url}/sandbox/pay", json=pay, timeout=10).json()
        made[paid_at] = answer["id"]
        with sandbox.store.transaction():
            sandbox.store.run(
                "UPDATE transactions SET created_at = ? WHERE id = ?",
                paid_at.timestamp(),
                answer["id"],
            )
    assert find_payments() == 2
    reported_ids = set(Payment.objects.values_list("transaction_id", flat=True))
    assert reported_ids == {made[paid_at] for paid_at, found in days.items() if found}


def test_one_listed_payment_that_cannot_be_read_hides_no_other(sandbox):
    order = AccountOrder("nobody's", "NGN", "a@example.com", "Ada Obi", "", "", None)
    there = sandbox.collection.create_account(order)
    odd, lost = (
        sandbox.collection.pay_account(there, Paid(Decimal(100), BANK_TRANSFER)) for _ in range(2)
    )

    def set_fee(fee: str) -> None:
        with sandbox.store.transaction():
            sandbox.store.run("UPDATE transactions SET app_fee = ? WHERE id = ?", fee, odd["id"])

    set_fee("-1")
    assert find_payments() == 1
    assert Payment.objects.get().transaction_id == lost["id"]
    [alert] = Alert.objects.filter(kind="provider_records", resolved_at=None)
    assert (alert.subject, alert.message) == (
        "payments",
        f"1 could not be read and were skipped: {odd['id']} (app_fee is negative)",
    )
    set_fee("1.4")
    assert find_payments() == 2
    assert not Alert.objects.filter(resolved_at=None).exists()


def test_the_search_for_lost_webhooks_waits_while_the_provider_is_away(sandbox):
    sandbox.faults.add(Fault("error_5xx", times=3))
    with assert_no_table_changes():
        assert find_payments() == 0
    assert_books_hold()
