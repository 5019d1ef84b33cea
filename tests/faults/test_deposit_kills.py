"""`kill -9` between every two steps of money in: each payment is credited once, nothing is lost.

A step runs in a process of its own, which is killed before its first SQL statement, then before the
second and so on, before each COMMIT and before each part of a request to the provider; then another
process does it again. Lost webhooks are found by the provider's list. RACE_KILL_STRIDE is the
distance of the points; `make races` takes each.
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.ids import new_reference
from exchange.events.models import Event
from exchange.participants.models import Member
from exchange.staff.models import StaffUser
from tests.environment.concurrency import race_size
from tests.environment.killed_steps import StepServer
from tests.environment.processes import Program, wait_until
from tests.environment.services import PROVIDER_WEBHOOK_HASH, Sandbox, Service, ServiceStack
from tests.environment.write_pause import WritePause
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.deposits import Owner, make_checkout, make_due, make_virtual_account
from tests.factories.payouts import call_sandbox
from tests.factories.wallets import assert_books_hold, balance_of, make_staff
from wallets.alerts.models import Alert
from wallets.deposits.models import Deposit, Payment, PaymentAction, VirtualAccount
from wallets.deposits.services.payments import report_payment
from wallets.deposits.services.reversals import propose_reversal
from wallets.deposits.services.unmatched import propose_resolution
from wallets.ledger.models import Transfer
from wallets.providers.collection import ChargeHint, CheckoutRequest, VirtualAccountRequest
from wallets.providers.registry import payment_provider

pytestmark = pytest.mark.slow

ORIGIN = "https://example.com"
BVN = "12345678901"
STRIDE = race_size("KILL_STRIDE", 3)
CHECKOUTS = "/v1/api/wallet/deposits/checkout"


@pytest.fixture(scope="module")
def step_server(
    service_stack: ServiceStack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StepServer]:
    output = tmp_path_factory.mktemp("steps") / "steps.log"
    server = StepServer(service_stack.environment, output)
    yield server
    server.stop()


@pytest.fixture
def steps(step_server: StepServer, sandbox: Sandbox) -> StepServer:
    return step_server


@pytest.fixture
def caller(sandbox: Sandbox) -> ApiCaller:
    made = make_caller()
    made.organisation.email = "money@example.com"
    made.organisation.redirect_origins = [ORIGIN]
    made.organisation.save()
    return made


@pytest.fixture
def member(caller: ApiCaller) -> Member:
    return make_member(caller.organisation, "Ada Obi")


def pay(sandbox: Sandbox, webhook: str = "no_webhook", **payment: Any) -> dict[str, Any]:
    """Pay without a webhook, unless one is wanted, and return the provider's record."""
    record: dict[str, Any] = call_sandbox(sandbox, "POST", "pay", webhook=webhook, **payment)
    return record


def account_at_provider(reference: str) -> str:
    """Make a virtual account at the provider and return its number."""
    request = VirtualAccountRequest(
        tx_ref=reference, currency="NGN", email="ada@example.com", first_name="Ada", bvn=BVN
    )
    return payment_provider().create_virtual_account(request).account_number


def open_account(member: Member) -> VirtualAccount:
    """Make a virtual account here and at the provider, with one number."""
    reference = new_reference("account_")
    return make_virtual_account(
        Owner(member.organisation, member),
        reference=reference,
        account_number=account_at_provider(reference),
    )


def report(record: dict[str, Any]) -> Payment:
    assert report_payment(ChargeHint(str(record["id"]), record["tx_ref"]))
    return Payment.objects.get(transaction_id=record["id"])


def expire_lease(payment: Payment) -> None:
    Payment.objects.filter(pk=payment.pk, next_lookup_at__isnull=False).update(
        next_lookup_at=timezone.now()
    )


def look_up(steps: StepServer, record: dict[str, Any]) -> None:
    """Look a payment up in another process, after the lease of a killed one has expired."""
    payment = Payment.objects.get(transaction_id=record["id"])
    expire_lease(payment)
    steps.run("look_up", payment=str(payment.pk))


def assert_credited_once(record: dict[str, Any]) -> None:
    payment = Payment.objects.get(transaction_id=record["id"])
    assert payment.status == "Credited", payment.last_error
    assert payment.deposit is not None
    assert payment.deposit.amount == Decimal(str(record["amount"]))
    booked = Transfer.objects.filter(kind="deposit", subject_id=payment.deposit.pk)
    assert booked.count() == 1
    events = Event.objects.filter(subject_id=payment.deposit.pk, type="deposit.completed")
    assert events.count() == 1


def test_one_account_is_kept_when_its_opening_is_killed_and_all_its_numbers_are_credited(
    sandbox: Sandbox, steps: StepServer, caller: ApiCaller
):
    members = []
    for run in steps.killed_runs("request"):
        member = make_member(caller.organisation, "Ada Obi")
        order = {
            "path": f"/v1/api/members/{member.id}/virtual-accounts",
            "body": json.dumps({"currency": "NGN", "bvn": BVN}),
            "headers": caller.headers,
        }
        if run.start(**order):
            steps.run("request", **order)
        members.append(member)
        assert VirtualAccount.objects.filter(member=member).count() == 1
    references = dict(VirtualAccount.objects.values_list("reference", "member_id"))
    accounts = [
        each for each in call_sandbox(sandbox, "GET", "accounts") if each["tx_ref"] in references
    ]
    # Killed after the provider answered: it has made two numbers.
    twice = len(accounts) - len(members)
    assert 0 < twice < len(members)
    for each in accounts[: 2 * twice]:
        record = pay(sandbox, account_number=each["account_number"], amount=700)
        report(record)
        look_up(steps, record)
        assert_credited_once(record)
        deposit = Payment.objects.get(transaction_id=record["id"]).deposit
        assert deposit is not None
        assert deposit.member_id == references[each["tx_ref"]]
    assert_books_hold()


def test_a_checkout_is_one_deposit_when_its_opening_is_killed(
    sandbox: Sandbox, steps: StepServer, caller: ApiCaller
):
    before = {each["tx_ref"] for each in call_sandbox(sandbox, "GET", "checkouts")}
    for run in steps.killed_runs("request"):
        reference = f"invoice-{run.point}"
        body = {"amount": 250.5, "currency": "NGN", "redirect_url": ORIGIN}
        order = {
            "path": CHECKOUTS,
            "body": json.dumps({**body, "client_reference": reference}),
            "headers": {**caller.headers, "Idempotency-Key": reference},
        }
        if run.start(**order):
            # The answer is committed with the deposit.
            assert not Deposit.objects.filter(client_reference=reference).exists()
        # The last one was not killed, but its answer may be lost, too.
        steps.run("request", **order)
        assert Deposit.objects.get(client_reference=reference).status == "Pending"
    known = set(Deposit.objects.values_list("reference", flat=True))
    opened = {each["tx_ref"] for each in call_sandbox(sandbox, "GET", "checkouts")} - before
    lost = opened - known
    assert lost
    # No payer has the address of a lost page. A payment on it waits for two people.
    for tx_ref, status in ((min(known), "Credited"), (min(lost), "Unmatched")):
        record = pay(sandbox, tx_ref=tx_ref)
        report(record)
        look_up(steps, record)
        assert Payment.objects.get(transaction_id=record["id"]).status == status
    assert balance_of(caller.organisation.id, "NGN") == Decimal("250.50")
    assert_books_hold()


def test_a_payment_is_credited_once_when_the_storing_of_its_webhook_is_killed(
    sandbox: Sandbox, steps: StepServer, member: Member
):
    account, records = open_account(member), []
    for run in steps.killed_runs("request", STRIDE):
        record = pay(sandbox, account_number=account.account_number, amount=run.point)
        data = {
            key: value for key, value in record.items() if key not in {"amount_settled", "meta"}
        }
        order = {
            "path": "/hooks/flutterwave",
            "body": json.dumps({"event": "charge.completed", "data": data}),
            "headers": {"verif-hash": PROVIDER_WEBHOOK_HASH},
        }
        # Without a 200 the provider sends it again, half of the time.
        if run.start(**order) and run.point % 2:
            steps.run("request", **order)
        records.append(record)
    # The others are in the provider's list.
    missing = [r for r in records if not Payment.objects.filter(transaction_id=r["id"]).exists()]
    assert missing
    steps.run("find")
    for record in records:
        look_up(steps, record)
        assert_credited_once(record)
    assert balance_of(member.id, "NGN") == sum(record["amount"] for record in records)
    assert_books_hold()


@pytest.mark.parametrize("channel", ["virtual_account", "checkout"])
def test_a_payment_is_credited_once_when_its_status_check_or_crediting_is_killed(
    sandbox: Sandbox, steps: StepServer, member: Member, channel: str
):
    account, total, credited = open_account(member), Decimal(0), 0
    for run in steps.killed_runs("look_up", STRIDE):
        if channel == "checkout":
            made = make_checkout(Owner(member.organisation, member), "500")
            open_page(made)
            record = pay(sandbox, tx_ref=made.reference, payment_type="card")
        else:
            record = pay(sandbox, account_number=account.account_number, amount=500)
        payment = report(record)
        if run.start(payment=str(payment.pk)):
            payment.refresh_from_db()
            credited += payment.status == "Credited"
            # All or nothing.
            held = balance_of(
                member.id, "NGN", "uncleared" if channel == "checkout" else "available"
            )
            assert held == total + (500 if payment.status == "Credited" else 0)
            look_up(steps, record)
        total += 500
        assert_credited_once(record)
    assert credited == 0  # nothing follows the commit
    assert_books_hold()


def open_page(checkout: Deposit) -> None:
    """Open the checkout at the provider."""
    payment_provider().create_checkout(
        CheckoutRequest(
            tx_ref=checkout.reference,
            amount=checkout.amount,
            currency=checkout.currency_id,
            redirect_url=ORIGIN,
            customer_email="ada@example.com",
        )
    )


def credited_deposit(sandbox: Sandbox, steps: StepServer, member: Member, way: str) -> Deposit:
    """Return a completed checkout of 500, paid in a way."""
    checkout = make_checkout(Owner(member.organisation, member), "500")
    open_page(checkout)
    record = pay(sandbox, tx_ref=checkout.reference, payment_type=way)
    report(record)
    look_up(steps, record)
    checkout.refresh_from_db()
    assert checkout.status == "Completed"
    return checkout


def test_uncleared_money_becomes_available_once_when_its_clearing_is_killed(
    sandbox: Sandbox, steps: StepServer, member: Member
):
    for number, run in enumerate(steps.killed_runs("clear", STRIDE), start=1):
        deposit = credited_deposit(sandbox, steps, member, "card")
        make_due(deposit)
        if run.start(deposit=str(deposit.pk)):
            assert balance_of(member.id, "NGN", "uncleared") == 500
            steps.run("clear", deposit=str(deposit.pk))
        assert (balance_of(member.id, "NGN"), balance_of(member.id, "NGN", "uncleared")) == (
            500 * number, 0,
        )  # fmt: skip
    assert_books_hold()


@pytest.fixture
def reversers(sandbox: Sandbox) -> list[StaffUser]:
    return [make_staff("reverse_deposit") for _ in range(2)]


def test_a_chargeback_is_taken_back_once_when_it_is_killed(
    sandbox: Sandbox, steps: StepServer, member: Member, reversers: list[StaffUser]
):
    maker, checker = reversers
    for run in steps.killed_runs("reverse", STRIDE):
        deposit = credited_deposit(sandbox, steps, member, "bank_transfer")
        proposal = propose_reversal(deposit_id=deposit.pk, explanation="Chargeback", user=maker)
        order = {"reversal": str(proposal.pk), "user": str(checker.pk)}
        if run.start(**order):
            assert balance_of(member.id, "NGN") == 500
            steps.run("reverse", **order)
        deposit.refresh_from_db()
        assert (deposit.status, balance_of(member.id, "NGN")) == ("Reversed", 0)
        kinds = Transfer.objects.filter(subject_id=deposit.pk).order_by("id")
        assert list(kinds.values_list("kind", flat=True)) == [
            "deposit", "deposit_charge", "deposit_reverse",
        ]  # fmt: skip
    assert_books_hold()


def test_a_chargeback_is_held_once_when_its_status_check_is_killed(
    sandbox: Sandbox, steps: StepServer, member: Member
):
    for number, run in enumerate(steps.killed_runs("look_up", STRIDE), start=1):
        deposit = credited_deposit(sandbox, steps, member, "bank_transfer")
        payment = Payment.objects.get(deposit=deposit)
        call_sandbox(sandbox, "POST", "charge-back", id=payment.transaction_id)
        Payment.objects.filter(pk=payment.pk).update(next_lookup_at=timezone.now())
        if run.start(payment=str(payment.pk)):
            expire_lease(payment)
            steps.run("look_up", payment=str(payment.pk))
        deposit.refresh_from_db()
        assert (deposit.status, deposit.disputed_amount) == ("Completed", Decimal(500))
        assert (balance_of(member.id, "NGN"), balance_of(member.id, "NGN", "uncleared")) == (
            0, 500 * number,
        )  # fmt: skip
        held = Transfer.objects.filter(kind="deposit_hold", subject_id=deposit.pk)
        reported = Event.objects.filter(type="deposit.disputed", subject_id=deposit.pk)
        assert (held.count(), reported.count(), deposit.reversals.count()) == (1, 1, 1)
    assert_books_hold()


def test_a_refund_is_ordered_at_most_once_and_an_alert_says_if_it_is_not_confirmed(
    sandbox: Sandbox, steps: StepServer, member: Member
):
    maker, checker = (make_staff("resolve_payment") for _ in range(2))
    number = account_at_provider("not-ours")
    outcomes = set()
    for run in steps.killed_runs("resolve"):
        record = pay(sandbox, account_number=number, amount=500)
        payment = report(record)
        look_up(steps, record)
        proposal = propose_resolution(
            payment_id=payment.pk,
            action=PaymentAction.REFUND,
            owner=None,
            explanation="Sent by mistake",
            user=maker,
        )
        order = {"resolution": str(proposal.pk), "user": str(checker.pk)}
        killed = run.start(**order)
        payment.refresh_from_db()
        if killed and payment.status == "Unmatched":
            assert refunded(sandbox, record) == 0
            steps.run("resolve", **order)
            payment.refresh_from_db()
            killed = False
        # Killed before the answer was recorded, its money is still unmatched.
        assert payment.status == ("Refunding" if killed else "Refunded")
        alert = Alert.objects.filter(
            kind="refund_unconfirmed", subject=str(record["id"]), resolved_at=None
        )
        # A decided refund is never sent again on its own: people look at the provider's pages.
        assert alert.exists() == killed
        outcomes.add((killed, refunded(sandbox, record)))
    assert outcomes == {(False, 500), (True, 0), (True, 500)}
    assert_books_hold()


def refunded(sandbox: Sandbox, record: dict[str, Any]) -> int:
    listed = call_sandbox(sandbox, "GET", "transactions")
    [amount] = [each["refunded"] for each in listed if each["id"] == record["id"]]
    return int(amount)


def test_the_search_for_lost_webhooks_goes_on_after_it_is_killed(
    sandbox: Sandbox, steps: StepServer, member: Member
):
    account = open_account(member)
    records = [pay(sandbox, account_number=account.account_number, amount=500) for _ in range(4)]
    point = 0
    while Payment.objects.count() < 3:
        point += 1
        assert steps.order("find", {}, point)
    steps.run("find")
    for record in records:
        look_up(steps, record)
        assert_credited_once(record)
    assert balance_of(member.id, "NGN") == 2000
    assert_books_hold()


def test_a_web_process_killed_with_a_webhook_in_hand_loses_no_payment(
    sandbox: Sandbox, live_service: Service, live_worker: Program, service_stack: ServiceStack,
    member: Member,
):  # fmt: skip
    """The provider's own webhook; the worker that credits the payment is killed as well."""
    account = open_account(member)
    with WritePause("INSERT", "wallets_payment", "true") as pause:
        record = pay(sandbox, webhook="", account_number=account.account_number, amount=500)
        pause.wait()
        live_service.kill()
        pause.disconnect()
    assert not Payment.objects.exists()
    live_service.start()
    broker = service_stack.celery()
    with WritePause("INSERT", "wallets_deposit", "true") as pause:
        broker.send_task("wallets.tasks.find_payments")
        pause.wait()
        live_worker.kill()
        pause.disconnect()
    payment = Payment.objects.get(transaction_id=record["id"])
    assert (payment.status, balance_of(member.id, "NGN")) == ("Reported", 0)
    assert_books_hold()
    expire_lease(payment)
    live_worker.start()
    wait_until(lambda: balance_of(member.id, "NGN") == 500, "the payment is credited")
    assert_credited_once(record)
    assert_books_hold()
