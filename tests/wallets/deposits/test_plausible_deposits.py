"""Deposits by hand: one bank reference in every spelling, repeated and unusually large amounts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from config.back_office.roles import FINANCE_APPROVER
from exchange.core.database import violated_constraint
from exchange.core.errors import Conflict, InvalidRequest
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.concurrency import Callers
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.back_office import (
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.deposits.services.manual import IncomingPayment
from wallets.reconciliation.models import LineKind, Reconciliation, ReconciliationLine
from wallets.treasury.models import TreasuryMovement

pytestmark = pytest.mark.django_db

REFERENCE = "FT26325QK7N1"
FULL_WIDTH = "".join(chr(ord(character) + 0xFEE0) for character in REFERENCE)
SPELLINGS = [
    "ft26325qk7n1",
    "Ft26325Qk7n1",
    f"{REFERENCE}\u200b",
    f"\ufeff{REFERENCE}",
    "FT26325\u00adQK7N1",
    "FT26325 QK7N1",
    "FT 26325\u00a0QK7N1",
    FULL_WIDTH,
    f"{FULL_WIDTH.lower()}\u2060",
]
WHY = "A second invoice of the same amount"


def make_payment(amount: str = "1250000.50", reference: str = REFERENCE) -> IncomingPayment:
    member = make_member(make_organisation("Acme"), "Ada Obi")
    return IncomingPayment(
        member.organisation_id, member.id, "NGN", Decimal(amount), reference, WHY
    )


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_reference_is_taken_in_every_spelling(spelling):
    payment = make_payment()
    first = deposits.enter(payment=payment, user=make_staff("add_deposit"))
    again = replace(payment, reference=spelling, amount=Decimal(7))
    before = table_fingerprints()
    for act in (
        partial(deposits.enter, payment=again, user=make_staff("add_deposit")),
        partial(deposits.book_deposit, payment=again, actor=TESTER),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "duplicate_reference"
        assert refused.value.message == (
            f"The manual deposit {REFERENCE} of {first.created_at:%Y-%m-%d %H:%M} UTC (Pending)"
            " has this reference"
        )
        assert list(refused.value.fields) == ["reference"]
    assert Deposit.objects.count() == 1
    assert {t: c for t, c in table_fingerprints().items() if "deposit" in t} == {
        t: c for t, c in before.items() if "deposit" in t
    }


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_database_refuses_it_by_itself(spelling):
    payment = make_payment()
    deposits.book_deposit(payment=payment, actor=TESTER)
    copied = (
        "INSERT INTO wallets_deposit (id, organisation_id, member_id, currency_id, channel, amount,"
        " reference, note, status, reason, created_at, client_reference, metadata)"
        " SELECT gen_random_uuid(), organisation_id, member_id, currency_id, channel, amount, %s,"
        " note, 'Pending', '', now(), NULL, metadata FROM wallets_deposit"
    )
    with (
        pytest.raises(IntegrityError) as refused,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(copied, [spelling])
    assert violated_constraint(refused.value) == "deposit_reference_key_once"


def test_a_failed_deposit_frees_its_reference_and_another_reference_is_another():
    payment, maker = make_payment(), make_staff("add_deposit")
    first = deposits.enter(payment=payment, user=maker)
    deposits.cancel(deposit_id=first.pk, user=maker)
    deposits.enter(payment=replace(payment, reference="ft26325qk7n1"), user=maker)
    deposits.enter(payment=replace(payment, reference="FT26325QK7N2"), user=maker)
    with pytest.raises(InvalidRequest, match="Enter the bank's reference"):
        deposits.enter(payment=replace(payment, reference="\u200b\u2060 "), user=maker)
    assert Deposit.objects.filter(status="Pending").count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_spellings_at_once_one_is_entered():
    payment, maker = make_payment(), make_staff("add_deposit")
    with Callers(4) as callers:
        results = callers.at_once(
            [
                partial(deposits.enter, payment=replace(payment, reference=each), user=maker)
                for each in (REFERENCE, *SPELLINGS[:3])
            ]
        )
    assert sum(isinstance(result, Conflict) for result in results) == 3
    assert Deposit.objects.count() == 1


def test_the_same_amount_within_some_days_needs_a_reason_of_both(settings):
    settings.REPEATED_AMOUNT_DAYS = 7
    payment = replace(make_payment(), note="")
    deposits.book_deposit(payment=payment, actor=TESTER)
    second = replace(payment, reference="FT2")
    maker, checker = make_staff("add_deposit"), make_staff("decide_deposit")
    with pytest.raises(InvalidRequest) as refused:
        deposits.enter(payment=second, user=maker)
    assert (refused.value.code, list(refused.value.fields)) == ("reason_required", ["note"])
    assert "The same amount as the deposit FT26325QK7N1" in deposits.find_payment_notices(second)[0]
    entered = deposits.enter(payment=replace(second, note=WHY), user=maker)
    for reason, code in (("", "reason_required"), ("x", "invalid_request")):
        with pytest.raises(InvalidRequest) as refused:
            deposits.confirm(deposit_id=entered.pk, user=checker, reason=reason)
        assert refused.value.code == code
    assert Deposit.objects.get(pk=entered.pk).status == "Pending"
    why = "Both lines are on the statement"
    done = deposits.confirm(deposit_id=entered.pk, user=checker, reason=why)
    assert (done.status, done.approval_reason) == ("Completed", why)
    assert_books_hold()
    # Nothing arrived with a deposit that was rejected.
    small = replace(payment, amount=Decimal(70), reference="FT5", note="")
    rejected = deposits.enter(payment=small, user=maker)
    deposits.reject(deposit_id=rejected.pk, reason="Another bank", user=checker)
    assert deposits.find_payment_notices(replace(small, reference="FT6")) == []
    # Another owner's amount, and another amount, are not the same.
    other = make_payment("1250000.50", "FT4")
    assert deposits.find_payment_notices(other) == []
    settings.REPEATED_AMOUNT_DAYS = 0
    third = replace(payment, reference="FT3")
    assert not any("same amount" in each for each in deposits.find_payment_notices(third))


def test_an_amount_far_above_the_largest_so_far_is_remarkable():
    payment = make_payment("1000")
    for number, amount in enumerate(("1000", "900")):
        found = replace(payment, amount=Decimal(amount), reference=f"old-{number}")
        deposits.book_deposit(payment=found, actor=TESTER)
    rich = make_payment("1000000")
    deposits.book_deposit(payment=rich, actor=TESTER)
    largest = replace(payment, reference="new", amount=Decimal(3000))
    assert deposits.find_payment_notices(largest) == []
    assert deposits.find_payment_notices(replace(largest, amount=Decimal("3000.01"))) == [
        "3,000.01 NGN is more than 200 % above the largest deposit of this owner so far,"
        " 1,000.00 NGN. Check for a misplaced decimal point"
    ]
    everything = deposits.find_payment_notices(replace(largest, amount=Decimal("1001900.01")))
    assert everything[1] == (
        "1,001,900.01 NGN is more than all wallets in NGN hold together, 1,001,900.00 NGN."
        " Check that the provider holds it"
    )


def store_provider_balance(read_at: datetime, **balances: str) -> None:
    """Store a report that read `balances`, by currency, at that time."""
    with without_guards():
        report = Reconciliation.objects.create(
            day=read_at.date() - timedelta(days=1),
            status="Matched",
            requested_by=str(TESTER),
            requested_by_label=TESTER.label,
            created_at=read_at,
            balances_at=read_at,
        )
    ReconciliationLine.objects.bulk_create(
        ReconciliationLine(
            report=report,
            position=position,
            is_difference=False,
            kind=LineKind.BALANCE,
            currency_id=currency,
            our_amount=Decimal(7),
            their_amount=Decimal(balance),
        )
        for position, (currency, balance) in enumerate(balances.items())
    )


def test_an_amount_above_the_providers_balance_is_remarkable():
    payment = make_payment("300.01")
    assert deposits.find_payment_notices(payment) == []
    read_at = datetime(2026, 3, 11, 4, 30, tzinfo=UTC)
    store_provider_balance(read_at, NGN="300", KES="9000")
    store_provider_balance(read_at - timedelta(minutes=1), NGN="400", USD="10")
    assert deposits.find_payment_notices(replace(payment, amount=Decimal(300))) == []
    notice = (
        "300.01 NGN is more than the provider held at 2026-03-11 04:30 UTC, 300.00 NGN."
        " Check that the provider holds it"
    )
    assert deposits.find_payment_notices(payment) == [notice]
    entered = deposits.enter(payment=payment, user=make_staff("add_deposit"))
    assert deposits.notices_of(entered) == [notice]
    # The latest reading does not know of any in USD, so the wallets count; none holds some.
    assert deposits.find_payment_notices(replace(payment, currency="USD", reference="FT2")) == []
    store_provider_balance(read_at + timedelta(days=1), NGN="0")
    assert deposits.notices_of(entered) == [
        "300.01 NGN is more than the provider held at 2026-03-12 04:30 UTC, 0.00 NGN."
        " Check that the provider holds it"
    ]


def test_both_pages_show_it_in_red(office, finance):
    payment = make_payment("100")
    deposits.book_deposit(payment=payment, actor=TESTER)
    address = reverse("admin:wallets_deposit_add")
    body = {
        "member": str(payment.member_id),
        "currency": "NGN",
        "amount": "99,999,999,999",
        "reference": "FT9",
        "note": "One customer, one payment",
    }
    with assert_no_table_changes():
        asked = office.post(address, body)
        warned = asked.context["warned"]
        for words in ("more than 200 % above", "more than all wallets in NGN"):
            assert words in text_of(asked)
        assert asked.content.decode().count('class="errornote" role="alert"') == 2
        refused = office.post(address, {**body, "warned": warned, "note": "x"})
        assert "A reason has at least 15 letters and two words" in text_of(refused)
        assert office.post(address, {**body, "warned": "[]"}).status_code == 200
    done = office.post(address, {**body, "warned": warned})
    assert messages_of(done) == ["Deposit entered. A second person must confirm it."]
    deposit = Deposit.objects.get(status="Pending")
    confirm = reverse("admin:wallets_deposit_confirm", args=[deposit.pk])
    for shown in (
        finance.get(reverse("admin:wallets_deposit_change", args=[deposit.pk])),
        finance.get(confirm),
    ):
        assert "more than all wallets in NGN hold together, 100.00 NGN" in text_of(shown)
    with assert_no_table_changes():
        submit_confirmation(finance, confirm)
        submit_confirmation(finance, confirm, reason="yes")
    submit_confirmation(finance, confirm, reason="Seen on the statement of today")
    deposit.refresh_from_db()
    assert deposit.status == "Completed"


def test_a_treasury_movement_has_the_same_checks(finance):
    address = reverse("admin:wallets_treasurymovement_add")
    body = {
        "kind": "top_up",
        "currency": "NGN",
        "amount": "1000",
        "reference": REFERENCE,
        "note": "Payouts of the long weekend",
    }
    finance.post(address, body)
    movement = TreasuryMovement.objects.get()
    checker = signed_in_client(FINANCE_APPROVER, "zoe")
    submit_confirmation(
        checker, reverse("admin:wallets_treasurymovement_confirm", args=[movement.pk])
    )
    refused = finance.post(
        address, {**body, "amount": "5", "reference": f"{FULL_WIDTH}", "note": f"{WHY} today"}
    )
    assert f"The treasury movement {REFERENCE} of" in text_of(refused)
    again = {**body, "reference": "FT2", "note": f"{WHY} once more"}
    asked = finance.post(address, again)
    assert f"The same amount as the treasury movement {REFERENCE}" in text_of(asked)
    assert TreasuryMovement.objects.count() == 1
    finance.post(address, {**again, "warned": asked.context["warned"]})
    second = TreasuryMovement.objects.get(status="Pending")
    confirm = reverse("admin:wallets_treasurymovement_confirm", args=[second.pk])
    assert "Cancel proposal" in text_of(
        finance.get(reverse("admin:wallets_treasurymovement_change", args=[second.pk]))
    )
    with assert_no_table_changes():
        submit_confirmation(checker, confirm)
    submit_confirmation(checker, confirm, reason="Two lines on the statement")
    second.refresh_from_db()
    assert (second.status, second.approval_reason) == ("Approved", "Two lines on the statement")
    far = {**body, "reference": "FT3", "amount": "3000.01", "note": "Payouts of December"}
    assert "more than 200 % above the largest movement of this kind" in text_of(
        finance.post(address, far)
    )
