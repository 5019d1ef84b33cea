"""How a proof of books is run and kept: its findings, its alert, its totals, its snapshot."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from config.books import WALLET_CHECKS
from exchange.core.ids import first_id_at
from tests.factories.wallets import make_wallet
from wallets.alerts.models import Alert
from wallets.ledger import proof as books
from wallets.ledger.models import BooksProof
from wallets.ledger.proof import Finding, sql_check

pytestmark = pytest.mark.django_db

HOLDS = sql_check("holds", "SELECT 1, 2, 3 WHERE false")
OFF = sql_check("off", "SELECT 'KES', 1.50::numeric, NULL UNION ALL SELECT 'NGN', 2, 3.10")
FALSE = sql_check("false", "SELECT 'x', 'a', 'b'")


def test_a_check_reports_at_most_a_hundred_findings_in_plain_words():
    assert OFF.run() == [Finding("off", "KES", "1.5", "None"), Finding("off", "NGN", "2", "3.1")]
    many = sql_check("many", "SELECT n, 0, 1 FROM generate_series(1, 150) n").run()
    assert [found.subject for found in many] == [str(number) for number in range(1, 101)]


def test_a_proof_runs_all_checks_in_order_and_says_how_long_it_took():
    began = time.monotonic()
    proof = books.prove([FALSE, HOLDS, OFF])
    assert proof.titles == ("false", "holds", "off")
    assert [found.check for found in proof.findings] == ["false", "off", "off"]
    assert (proof.passed, books.prove([HOLDS]).passed) == (False, True)
    whole = books.prove(WALLET_CHECKS)
    assert whole.titles == tuple(check.title for check in WALLET_CHECKS)
    assert 1 <= whole.milliseconds <= round((time.monotonic() - began) * 1000) + 1


def test_a_proof_that_fails_alerts_with_its_first_finding_until_one_holds():
    for checks, findings, times in (([FALSE], 1, 1), ([OFF, FALSE], 3, 2)):
        kept = books.prove_and_store(checks)
        kept.refresh_from_db()
        assert (kept.passed, len(kept.findings)) == (False, findings)
        assert Alert.objects.get(kind="books", resolved_at=None).occurrences == times
    assert kept.findings[0] == {
        "check": "off", "subject": "KES", "expected": "1.5", "found": "None",
    }  # fmt: skip
    assert Alert.objects.get().message == (
        "Ledger integrity failed: 3 findings, first: off (KES: expected 1.5, found None)"
    )
    held = books.prove_and_store([HOLDS])
    held.refresh_from_db()
    assert (held.passed, held.findings, BooksProof.objects.count()) == (True, [], 3)
    assert Alert.objects.get().resolved_at is not None


def test_the_totals_of_system_accounts_are_stored_as_of_an_hour_before():
    make_wallet(1000)
    hour = timedelta(hours=1)
    before = first_id_at(timezone.now() - hour)
    limit, totals = books._system_totals(None)
    after = first_id_at(timezone.now() - hour)
    assert (before <= limit <= after, totals) == (True, {})


@pytest.mark.django_db(transaction=True)
def test_all_checks_of_a_proof_read_one_snapshot_and_write_nothing():
    settings = sql_check(
        "settings",
        "SELECT '', current_setting('transaction_isolation'),"
        " current_setting('transaction_read_only')",
    )
    (found,) = books.prove([settings]).findings
    assert (found.expected, found.found) == ("repeatable read", "on")
