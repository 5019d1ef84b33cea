"""The alert rules: each fires for its fault alone, and has a page that says what to do."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.environment.debian import require_programs

ROOT = Path(settings.BASE_DIR)
RULES = ROOT / "docs" / "monitoring" / "alerts.yml"
PAGES = ROOT / "docs" / "operations" / "alerts"

REQUEST = 'exchange_requests_total{route="v1/orders",status="%d"}'
SECONDS = 'exchange_request_seconds_bucket{route="v1/orders",le="%s"}'
CALLS = 'exchange_provider_calls_total{operation="POST transfers",outcome="%s"}'
OLDEST = 'exchange_withdrawals_oldest_seconds{status="%s",currency="NGN"}'
AMOUNT = 'exchange_withdrawals_net_amount{status="%s",currency="%s"}'
AGE = 'exchange_schedule_age_seconds{task="%s"}'
CIRCUIT = 'exchange_payout_circuit{state="%s"}'
PROOF_AGE = 'exchange_books_age_seconds{kind="%s"}'
PASSED = 'exchange_books_passed{instance="%s"}'
SWEEP = AGE % "wallets.tasks.sweep_payouts"

IN_PROGRESS = 'exchange_requests_in_progress{job="exchange-%s"}'
THREADS = 'exchange_request_threads{job="exchange-%s"}'

# For each alert, a fault and a state that is still healthy; series by the minute.
CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "TargetDown": ({'up{job="exchange-beat"}': "0x60"}, {'up{job="node"}': "0x60"}),
    "RequestsFailing": (
        {REQUEST % 200: "0+98x60", REQUEST % 503: "0+2x60"},
        {REQUEST % 200: "0+998x60", REQUEST % 503: "0+2x60", REQUEST % 404: "0+500x60"},
    ),
    "RequestsSlow": (
        {SECONDS % "1": "0+98x60", SECONDS % "5": "0+100x60", SECONDS % "+Inf": "0+100x60"},
        {SECONDS % "1": "0+100x60", SECONDS % "5": "0+100x60", SECONDS % "+Inf": "0+100x60"},
    ),
    "RequestsWaiting": (
        {IN_PROGRESS % "web": "16x60", THREADS % "web": "16x60"},
        {
            IN_PROGRESS % "web": "15x60", THREADS % "web": "16x60",
            # Workers have these metrics too.
            IN_PROGRESS % "worker": "0x60", THREADS % "worker": "0x60",
        },
    ),
    "PoolExhausted": (
        {'exchange_pool_errors_total{job="exchange-worker"}': "0+1x60"},
        {'exchange_pool_errors_total{job="exchange-worker"}': "7x60"},
    ),
    "RequestLogDropped": (
        {"exchange_request_log_dropped_total": "0x30 1x30"},
        # What was dropped once, long ago.
        {"exchange_request_log_dropped_total": "7x60"},
    ),
    "StreamsNotRead": (
        {"exchange_stream_reading_failures_total": "0+1x60"},
        # What failed once, long ago.
        {"exchange_stream_reading_failures_total": "7x60"},
    ),
    "TasksFailing": (
        {'exchange_tasks_total{task="a",outcome="failed"}': "0+1x60"},
        {
            'exchange_tasks_total{task="a",outcome="failed"}': "2x60",
            'exchange_tasks_total{task="a",outcome="succeeded"}': "0+9x60",
        },
    ),
    "ScheduleStopped": (
        {SWEEP: "61+60x60"},
        {SWEEP: "59x60", AGE % "config.tasks.prove_books": "80000x60"},
    ),
    "LeasesExpired": (
        {'exchange_leases_expired{kind="payout"}': "1x60"},
        {'exchange_leases_expired{kind="payout"}': "0 1 1 0 1 0 1 1 0 0x50"},
    ),
    "PayoutsOnHold": (
        {CIRCUIT % "Open": "1x60"},
        {CIRCUIT % "Open": "0x60", CIRCUIT % "Closed": "1x60"},
    ),
    "ProviderFailing": (
        {CALLS % "failed": "0+3x60", CALLS % "accepted": "0+10x60"},
        {CALLS % "failed": "0+1x60", CALLS % "rejected": "0+10x60"},
    ),
    "PayoutsNotSent": ({OLDEST % "Approved": "901x60"}, {OLDEST % "Approved": "899x60"}),
    "PayoutsUnresolved": ({OLDEST % "Unknown": "14401x60"}, {OLDEST % "Processing": "14399x60"}),
    "ApprovalsWaiting": ({OLDEST % "Pending": "86401x60"}, {OLDEST % "Pending": "86399x60"}),
    "FloatLow": (
        {
            AMOUNT % ("Pending", "NGN"): "60x60",
            AMOUNT % ("Approved", "NGN"): "60x60",
            'exchange_float{currency="NGN"}': "100x60",
        },
        {
            AMOUNT % ("Approved", "NGN"): "99x60",
            AMOUNT % ("Unknown", "NGN"): "99x60",
            AMOUNT % ("Approved", "KES"): "99x60",
            'exchange_float{currency="NGN"}': "100x60",
        },
    ),
    "StaffAlertOpen": (
        {'exchange_alerts_open{kind="bank_list"}': "1x60"},
        {'exchange_alerts_open{kind="bank_list"}': "1 1 0x58"},
    ),
    "BooksFailed": (
        {PASSED % "web1": "1x60", PASSED % "web2": "0x60"},
        {PASSED % "web1": "1x60", PASSED % "web2": "1x60"},
    ),
    "BooksNotProven": (
        {PROOF_AGE % "full": "93601x60", PROOF_AGE % "incremental": "60x60"},
        {PROOF_AGE % "full": "90000x60"},
    ),
    # An hour's proof may be the full one; then the last incremental one is older.
    "BooksProofLate": (
        {PROOF_AGE % "full": "10801x60", PROOF_AGE % "incremental": "14000x60"},
        {PROOF_AGE % "incremental": "10700x60"},
    ),
    "ReconciliationLate": (
        {"exchange_reconciliation_age_seconds": "93601x60"},
        {"exchange_reconciliation_age_seconds": "90000x60"},
    ),
    "EventsDelayed": (
        {"exchange_outbox_lag_seconds": "121x60"},
        {"exchange_outbox_lag_seconds": "119x60", "exchange_outbox_oldest_seconds": "90000x60"},
    ),
    "EventsUndelivered": (
        {'exchange_events_undelivered{status="Exhausted"}': "4x20 5x40"},
        {'exchange_events_undelivered{status="Exhausted"}': "5x60"},
    ),
    "DatabaseUnreadable": (
        {'exchange_reading_succeeded{reading="books",instance="web1"}': "0x60"},
        {'exchange_reading_succeeded{reading="books",instance="web1"}': "1x60"},
    ),
    "LockWaits": (
        {"exchange_lock_wait_oldest_seconds": "11x60"},
        {"exchange_lock_wait_oldest_seconds": "9x60", "exchange_lock_waits": "9x60"},
    ),
    "ConnectionsNearLimit": (
        {"exchange_database_connections": "81x60", "exchange_database_connections_limit": "100x60"},
        {"exchange_database_connections": "79x60", "exchange_database_connections_limit": "100x60"},
    ),
    "StandbyMissing": (
        {"exchange_database_standbys": "2x20 1x40"},
        {"exchange_database_standbys": "0x60"},
    ),
    "ReplicaBehind": (
        {"exchange_replica_lag_seconds": "0x60", "exchange_replica_connected": "0x60"},
        {"exchange_replica_lag_seconds": "59x60", "exchange_replica_connected": "1x60"},
    ),
}  # fmt: skip
# Other faults of the same alerts.
MORE_FAULTS = (
    ("ReplicaBehind", {"exchange_replica_lag_seconds": "61x60"}),
    # It does not respond: there are no values of it.
    ("ReplicaBehind", {'exchange_reading_succeeded{reading="replica",instance="web1"}': "0x60"}),
)


def rules() -> dict[str, str]:
    """Return the text of each rule by its name."""
    _, *parts = re.split(r"- alert: ", RULES.read_text())
    return {part.split()[0]: part for part in parts}


def page_name(alert: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", alert).lower() + ".md"


def test_each_rule_has_a_page_and_each_page_a_rule() -> None:
    found = {page.name: page.read_text().splitlines()[0] for page in PAGES.glob("*.md")}
    assert found == {page_name(alert): f"# {alert}" for alert in rules()}
    for alert, text in rules().items():
        assert f"runbook: docs/operations/alerts/{page_name(alert)}\n" in text
        assert re.search(r"labels: \{severity: (page|ticket)\}", text)


def test_the_watch_page_lists_each_alert_with_its_severity() -> None:
    page = (ROOT / "docs" / "operations" / "watch.md").read_text()
    listed = dict(re.findall(r"^\| \[(\w+)\]\(alerts/[\w-]+\.md\) \| (\w+) \|", page, re.MULTILINE))
    assert listed == {
        alert: re.findall(r"severity: (\w+)", text)[0] for alert, text in rules().items()
    }


def test_each_kind_of_alert_of_the_back_office_is_explained() -> None:
    raised = set()
    for app in ("credit", "orders", "wallets"):
        for path in (ROOT / app).rglob("*.py"):
            text = path.read_text()
            raised |= set(re.findall(r'raise_alert\(\s*"(\w+)"', text))
            raised |= set(re.findall(r'^ALERT\w* = "(\w+)"', text, re.MULTILINE))
    page = (PAGES / "staff-alert-open.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == raised
    assert len(raised) > 10


@pytest.mark.slow
def test_each_rule_fires_for_its_fault_and_for_nothing_less(tmp_path: Path) -> None:
    require_programs({"promtool": "prometheus"})
    subprocess.run(["promtool", "check", "rules", str(RULES)], check=True, capture_output=True)
    assert list(CASES) == list(rules())
    faults = [(alert, fault) for alert, (fault, _) in CASES.items()]
    tests = [_test_group(fault, alert) for alert, fault in (*faults, *MORE_FAULTS)]
    healthy = [series for _, series in CASES.values()]
    together = {name: row for series in healthy for name, row in series.items()}
    assert len(together) == sum(map(len, healthy)), "a series has two values"
    tests.append(_test_group(together, None))
    file = tmp_path / "test.yml"
    file.write_text(
        json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "2m", "tests": tests})
    )
    done = subprocess.run(
        ["promtool", "test", "rules", str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _test_group(series: dict[str, str], fires: str | None) -> dict[str, Any]:
    """Return promtool's test that of all alerts exactly `fires` is firing after 45 minutes."""
    expected = [{"labels": f'{{alertname="{fires}"}}', "value": 1}] if fires else []
    query = {
        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": "45m",
        "exp_samples": expected,
    }
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": row} for name, row in series.items()],
        "promql_expr_test": [query],
    }
