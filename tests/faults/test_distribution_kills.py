"""`kill -9` between every two steps of a payment: each holder is paid once, none is left out."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from credit.distributions.models import Income
from credit.distributions.services import funding
from exchange.events.models import Event
from tests.environment.concurrency import race_size
from tests.environment.killed_steps import StepServer
from tests.environment.services import ServiceStack
from tests.factories.distributions import (
    correct,
    held_for,
    make_distribution,
    make_holding,
    redemption_terms,
)
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.tokens import give_units
from tests.factories.treasury import system_balance
from tests.factories.wallets import assert_books_hold, balance_of, make_member_wallet
from wallets.ledger.models import Transfer

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

STRIDE = race_size("KILL_STRIDE", 3)


@pytest.fixture(scope="module")
def steps(
    service_stack: ServiceStack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StepServer]:
    output = tmp_path_factory.mktemp("steps") / "steps.log"
    server = StepServer(service_stack.environment, output)
    yield server
    server.stop()


def test_a_payment_killed_anywhere_pays_each_holder_once(steps: StepServer):
    make_rate(10)
    withheld = Decimal(0)
    for run in steps.killed_runs("pay_distribution", STRIDE):
        held = make_holding()
        set_tax_facts(held.token.issuer, tax_residence="NG")
        for _ in range(2):
            give_units(held.token, make_member_wallet(1, currency="NGN"), 10)
        made = make_distribution(held.token, "Funded")
        before = {
            owner: balance_of(owner, "NGN")
            for owner in Income.objects.filter(distribution=made).values_list("owner_id", flat=True)
        }
        run.start(distribution=str(made.pk))
        steps.run("pay_distribution", distribution=str(made.pk))
        made.refresh_from_db()
        assert made.status == "Paid", run.point
        rows = Income.objects.filter(distribution=made)
        assert set(rows.values_list("status", flat=True)) == {"Paid"}
        for owner, net in rows.values_list("owner_id", "net"):
            assert balance_of(owner, "NGN") == before[owner] + net, run.point
        paid = Transfer.objects.filter(kind="distribution_pay", subject_id__in=rows.values("pk"))
        assert paid.count() == rows.count() == 5
        issuer = Event.objects.filter(
            type="distribution.paid", subject_id=made.pk, organisation=held.token.issuer
        )
        assert issuer.count() == 1
        assert held_for() == 0
        assert made.tax == Decimal("180")
        withheld += Decimal("180")
        assert system_balance("tax", "NGN") == withheld, run.point
    assert_books_hold()


def test_a_recovery_killed_anywhere_takes_from_each_holder_once(steps: StepServer):
    for run in steps.killed_runs("pay_distribution", 2 * STRIDE):
        held = make_holding()
        made = correct(make_distribution(held.token, "Paid"), amount=Decimal(2))
        funding.fund_due()
        before = Decimal(balance_of(held.token.issuer_id, "NGN"))
        run.start(distribution=str(made.pk))
        steps.run("pay_distribution", distribution=str(made.pk))
        made.refresh_from_db()
        assert made.status == "Paid", run.point
        rows = Income.objects.filter(distribution=made)
        assert set(rows.values_list("status", flat=True)) == {"Paid"}, run.point
        assert balance_of(held.member.owner_id, "NGN") == 801, run.point
        assert balance_of(held.token.issuer_id, "NGN") == before + 350, run.point
    assert_books_hold()


def test_a_redemption_killed_anywhere_pays_for_each_unit_once(steps: StepServer):
    for run in steps.killed_runs("pay_distribution", 2 * STRIDE):
        held = make_holding()
        made = make_distribution(held.token, "Funded", redemption_terms(held.token))
        run.start(distribution=str(made.pk))
        steps.run("pay_distribution", distribution=str(made.pk))
        made.refresh_from_db()
        held.token.refresh_from_db()
        assert (made.status, held.token.exited) == ("Paid", True), run.point
        assert balance_of(held.member.owner_id, "NGN") == 1 + 40_000, run.point
        assert balance_of(held.member.owner_id, held.token) == 0, run.point
        taken = Transfer.objects.filter(
            kind="distribution_pay", subject_id__in=made.incomes.values("pk")
        )
        assert taken.count() == 3, run.point
        redeemed = Event.objects.filter(
            type="token.redeemed", subject_id=made.pk, organisation=held.token.issuer
        )
        assert redeemed.count() == 1, run.point
    assert_books_hold()
