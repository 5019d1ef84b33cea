"""A real Prometheus reads the real programs: every query has values, and faults raise alerts."""

import contextlib
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
import requests
from celery import Celery
from django.db import transaction
from django.utils import timezone

from config.books import CHECKS
from exchange.core.models import ScheduledRun
from exchange.events.services.endpoints import set_endpoint
from tests.environment.owner import without_guards
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from tests.environment.prometheus import MONITORING, Prometheus
from tests.environment.services import HOST, Sandbox, ServiceStack, make_stack
from tests.environment.webhook_receiver import Receiver
from tests.factories.api_clients import TESTER, ApiCaller, make_caller
from tests.factories.events import emit_event, exhaust_attempts
from tests.factories.payouts import TRANSFERS
from tests.factories.tokens import make_token
from tests.factories.wallets import (
    BANK,
    OVERRIDE,
    PAID_ACCOUNT,
    Wallet,
    make_approved_withdrawal,
    make_staff,
    status_of,
    store_bank_list,
)
from wallets.alerts.models import Alert
from wallets.ledger.proof import prove_and_store
from wallets.payouts.models import PayoutCircuit
from wallets.reconciliation.models import Reconciliation
from wallets.reconciliation.services.reports import request_report
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = [pytest.mark.slow, pytest.mark.services]

# Only an installation with a replica has values.
WITHOUT_REPLICA = re.compile("exchange_replica_")
WINDOW = "30s"
# Slow requests count for five minutes.
DECIDED_BY_SPEED = {("RequestsSlow",)}


@dataclass(frozen=True)
class Monitored:
    """The running programs, and the Prometheus that reads them."""

    stack: ServiceStack
    worker: Program
    beat: Program
    streams_url: str
    prometheus: Prometheus
    broker: Celery


@pytest.fixture
def monitored(
    transactional_db: None, provider_sandbox: Sandbox, tmp_path: Path
) -> Iterator[Monitored]:
    port = claim_ports(4)
    prometheus = Prometheus(tmp_path / "prometheus", port)
    stack = make_stack(
        tmp_path,
        METRICS_LISTEN=f"{HOST}:{port}",
        FLUTTERWAVE_BASE_URL=provider_sandbox.base_url,
    )
    web, worker, beat = stack.web(), stack.worker(beat=False), stack.beat()
    streams, streams_url = stack.streams()
    programs = (web, worker, beat, streams)
    try:
        with ThreadPoolExecutor() as starter:
            list(starter.map(Program.start, programs))
        prometheus.program.start()
        with stack.celery() as broker:
            yield Monitored(stack, worker, beat, streams_url, prometheus, broker)
    finally:
        with ThreadPoolExecutor() as stopper:
            list(stopper.map(Program.stop, (prometheus.program, *programs)))


def queries() -> list[str]:
    """Return every query of the dashboard."""
    panels = json.loads((MONITORING / "dashboard.json").read_text())["panels"]
    found = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    assert len(found) > 40
    return [query.replace("$__rate_interval", WINDOW) for query in found]


def names_in_rules() -> set[str]:
    rules = (MONITORING / "alerts.yml").read_text()
    return set(
        re.findall(r"\b(?:exchange_\w+|up)\b", "".join(re.findall(r"expr: .*?for:", rules, re.S)))
    )


def call(monitored: Monitored, caller: ApiCaller, path: str, body: object = None) -> int:
    """Send a request to the web server and return its status."""
    url = f"{monitored.stack.base_url}{path}"
    headers = {**caller.headers, "Idempotency-Key": f"key-{timezone.now().timestamp()}"}
    send = requests.get if body is None else requests.post
    return send(url, json=body, headers=headers, timeout=30).status_code


def pay_out(monitored: Monitored, caller: ApiCaller) -> None:
    """Request a withdrawal over HTTP, approve it, and wait until the worker has paid it."""
    body = {
        "amount": 500,
        "currency": "KES",
        "bank_name": BANK,
        "account_name": "Ada Obi",
        "account_number": PAID_ACCOUNT,
    }
    assert call(monitored, caller, "/v1/api/wallet/withdraw", body) == 201
    withdrawal = Withdrawal.objects.get(status="Pending")
    decisions.approve(
        withdrawal_id=withdrawal.id, version=1, approver=make_staff(), override=OVERRIDE
    )
    monitored.broker.send_task("wallets.tasks.sweep_payouts")
    # The provider's webhook completes it if the web server of an earlier test runs.
    wait_until(lambda: status_of(withdrawal) in {"Processing", "Completed"}, "the payout is sent")


@contextlib.contextmanager
def following(monitored: Monitored, caller: ApiCaller) -> Iterator[None]:
    """Follow the book of a token while the block runs."""
    channels = {"channels": f"book:{make_token().id}"}
    with requests.get(
        monitored.streams_url, channels, headers=caller.headers, stream=True, timeout=30
    ) as response:
        assert response.status_code == 200, response.text
        yield


def claim_payout(wallet: Wallet) -> Withdrawal:
    """Make a withdrawal that stays Approved: a worker of this test has claimed its payout."""
    with transaction.atomic():
        withdrawal = make_approved_withdrawal(wallet)
        until = timezone.now() + timedelta(hours=1)
        Payout.objects.filter(withdrawal=withdrawal).update(leased_until=until, claimed_by="tests")
    return withdrawal


def test_every_query_has_values_and_faults_raise_their_alerts(
    monitored: Monitored, provider_sandbox: Sandbox
) -> None:
    prometheus = monitored.prometheus
    store_bank_list()
    with Receiver() as receiver:
        caller = make_caller()
        set_endpoint(organisation_id=caller.organisation.id, url=receiver.url, actor=TESTER)
        wallet = Wallet(caller.organisation).fund(1_000_000)
        with following(monitored, caller):
            _make_healthy_traffic(monitored, caller)
            claimed = claim_payout(wallet)
            _assert_queries_have_values(prometheus)
            _assert_values(prometheus)
        wait_until(lambda: prometheus.firing() <= DECIDED_BY_SPEED, "no alert fires")
        receiver.reply.status = 500  # type: ignore[union-attr]
        _make_faults(monitored, provider_sandbox, caller, wallet, claimed)
    expected = {
        ("TargetDown", "exchange-worker"),
        ("TargetDown", "exchange-beat"),
        ("RequestsFailing",),
        ("ScheduleStopped", "exchange.tasks.deliver_events"),
        ("ScheduleStopped", "wallets.tasks.sweep_payouts"),
        ("LeasesExpired", "payout"),
        ("PayoutsOnHold", "Open"),
        ("ProviderFailing", "GET banks"),
        ("ProviderFailing", "POST transfers"),
        ("PayoutsNotSent",),
        ("StaffAlertOpen", "bank_list"),
        ("StaffAlertOpen", "books"),
        ("StaffAlertOpen", "payout_unknown"),
        ("StaffAlertOpen", "provider_outage"),
        ("BooksFailed",),
        ("EventsDelayed",),
        ("EventsUndelivered", "Exhausted"),
    }

    def firing() -> set[tuple[str, ...]]:
        return prometheus.firing() - DECIDED_BY_SPEED

    # An alert of a reading or scrape that took too long ends by itself.
    with contextlib.suppress(AssertionError):  # the comparison says what is missing
        wait_until(lambda: firing() == expected, "all fire")
    assert firing() == expected


def _make_healthy_traffic(monitored: Monitored, caller: ApiCaller) -> None:
    prometheus = monitored.prometheus
    request_report(day=timezone.now().date() - timedelta(days=1), actor=TESTER)
    for task in ("config.tasks.prove_books", "wallets.tasks.reconcile"):
        monitored.broker.send_task(task)
    for number in (1, 2):
        pay_out(monitored, caller)
        assert call(monitored, caller, "/v1/api/wallet") == 200
        assert call(monitored, caller, "/v1/nowhere") == 404
        # A counter needs two scrapes for a rate.
        prometheus.wait_for(f"sum(exchange_batch_size_count) >= {number}")
        sent = f'exchange_provider_calls_total{{operation="POST transfers"}} >= {number}'
        prometheus.wait_for(sent)
        prometheus.wait_for(f"sum(exchange_webhook_posts_total) >= {3 * number}")
    wait_until(
        lambda: Reconciliation.objects.filter(status__in=["Matched", "Differs"]).exists(),
        "a reconciliation is complete",
    )
    # What it found is not a fault of this test.
    Alert.objects.filter(kind="reconciliation").update(resolved_at=timezone.now())
    prometheus.wait_for("exchange_books_passed == 1")
    prometheus.wait_for("exchange_float")


def _assert_queries_have_values(prometheus: Prometheus) -> None:
    # No alert is open in a healthy state.
    Alert.objects.create(kind="tests", message="for the query", raised_at=timezone.now())
    wait_until(lambda: prometheus.value("sum(exchange_alerts_open)") == 1, "the alert is read")
    empty = [query for query in queries() if not WITHOUT_REPLICA.search(query)]

    def all_have_values() -> bool:
        empty[:] = [query for query in empty if not prometheus.query(query)]
        return not empty

    # A reading that took too long on a busy machine is there at the next one.
    with contextlib.suppress(AssertionError):
        wait_until(all_have_values, "every query has a value")
    assert empty == []
    Alert.objects.update(resolved_at=timezone.now())
    wait_until(lambda: prometheus.value("sum(exchange_alerts_open)") is None, "none is open")
    known = {labels["__name__"] for labels, _ in prometheus.query('{__name__=~"exchange_.+|up"}')}
    absent = names_in_rules() - known - {"exchange_alerts_open"}
    assert {name for name in absent if not WITHOUT_REPLICA.match(name)} == set()


def _assert_values(prometheus: Prometheus) -> None:
    for sound in ("count(up == 1) == 4", "min(exchange_reading_succeeded) == 1"):
        prometheus.wait_for(sound)  # the last scrape may have taken too long
    for route, status, count in (
        ("v1/api/wallet/withdraw", 201, 2),
        ("v1/api/wallet", 200, 2),
        ("unmatched", 404, 2),
    ):
        series = f'exchange_requests_total{{route="{route}",status="{status}"}}'
        assert prometheus.value(f"sum({series})") == count, series
    routes = prometheus.query("count by (route) (exchange_requests_total)")
    assert {labels["route"] for labels, _ in routes} == {
        "health", "unmatched", "v1/api/wallet", "v1/api/wallet/withdraw", "v1/stream",
    }  # fmt: skip
    calls = 'exchange_provider_calls_total{operation="POST transfers",outcome="accepted"}'
    assert prometheus.value(calls) == 2
    assert prometheus.value('exchange_webhook_posts_total{outcome="delivered"}') >= 6  # type: ignore[operator]
    assert prometheus.value('exchange_payout_circuit{state="Closed"}') == 1
    assert prometheus.value('exchange_tasks_total{task="config.tasks.prove_books"}') == 1
    assert prometheus.value("sum(exchange_request_threads)") == 16
    assert prometheus.value("sum(exchange_stream_readers)") == 1
    assert prometheus.value("sum(exchange_stream_messages_total)") == 1


def _make_faults(
    monitored: Monitored,
    sandbox: Sandbox,
    caller: ApiCaller,
    wallet: Wallet,
    claimed: Withdrawal,
) -> None:
    # The provider fails: posts open the circuit, and requests for banks end with 502.
    sandbox.fault("error_5xx", times=1000, match=TRANSFERS)
    sandbox.fault("error_5xx", times=1000, match={"path_prefix": "/v3/banks"})
    failures = (
        'exchange_requests_total{status="502"}',
        'exchange_provider_calls_total{operation="GET banks",outcome="failed"}',
        'exchange_provider_calls_total{operation="POST transfers",outcome="failed"}',
    )
    for payouts in (1, 4):
        scraped = [monitored.prometheus.value(f"sum({series})") or 0 for series in failures]
        for _ in range(payouts):
            make_approved_withdrawal(wallet)
        monitored.broker.send_task("wallets.tasks.sweep_payouts")
        assert call(monitored, caller, "/v1/api/banks?currency=NGN") == 502
        # A rate needs two scrapes: of the first failure, and of a later one.
        for series, before in zip(failures, scraped, strict=True):
            monitored.prometheus.wait_for(f"sum({series}) > {before}")
    wait_until(lambda: PayoutCircuit.objects.get().state == "Open", "the circuit is open")
    # Worker and beat die; the claimed payout waits, and events.
    monitored.worker.stop()
    monitored.beat.stop()
    exhausted, due = emit_event(caller.organisation), emit_event(caller.organisation)
    past = timezone.now() - timedelta(minutes=20)
    Payout.objects.filter(withdrawal=claimed).update(leased_until=past)
    ScheduledRun.objects.update(published_at=past)
    exhaust_attempts(exhausted)
    due.deliveries.update(next_attempt_at=past, status="Pending")
    # The ledger is damaged, and the proof finds it.
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET updated_at = %s WHERE id = %s", [past, claimed.id]
        )
        cursor.execute(
            "UPDATE wallets_account SET balance = balance + 1"
            " WHERE owner_id = %s AND kind = 'available'",
            [wallet.owner_id],
        )
    assert not prove_and_store(CHECKS).passed
