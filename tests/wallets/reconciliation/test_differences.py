"""What differs between a payout as we hold it and as the provider has it, fact by fact."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.ids import uuid7
from tests.factories.wallets import make_approved_withdrawal
from tests.wallets.reconciliation.harness import pay, settle_at_bank
from wallets.providers.base import (
    ListedTransfer,
    ProviderBalance,
    ProviderUnavailable,
    TransferRecord,
    TransferStatus,
)
from wallets.providers.registry import payment_provider
from wallets.reconciliation.models import LineKind
from wallets.reconciliation.selectors.movements import (
    ClearingSnapshot,
    OurPayout,
    movements,
    payouts_by_reference,
)
from wallets.reconciliation.services import comparison
from wallets.reconciliation.services.balances import _in_transit_amount, balance_lines
from wallets.reconciliation.services.differences import (
    ProviderDataUnreliable,
    ReportLine,
    find_differences,
    provider_charge,
)
from wallets.reconciliation.services.totals import movement_lines, payout_totals
from wallets.withdrawals.models import WithdrawalStatus as Status

pytestmark = pytest.mark.django_db

DAY = date(2026, 3, 10)
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
WITHDRAWAL = uuid7()


def held_as(status: Status = Status.COMPLETED, **changes: Any) -> OurPayout:
    """A payout as we hold it."""
    return OurPayout(
        **{
            "withdrawal_id": WITHDRAWAL,
            "reference": "payout_a",
            "status": status,
            "currency": "KES",
            "amount": Decimal(470),
            "account_number": "0690000031",
            "bank_code": "01",
            "charge": Decimal(100),
            "posted_at": NOON,
            "leased_until": None,
            **changes,
        }
    )


def theirs(status: TransferStatus = TransferStatus.SUCCESSFUL, **changes: Any) -> TransferRecord:
    """The provider's record of the same payout."""
    return TransferRecord(
        **{
            "provider_id": "7",
            "reference": "payout_a",
            "status": status,
            "amount": Decimal(470),
            "fee": Decimal(100),
            "currency": "KES",
            "account_number": "0690000031",
            "bank_code": "1",
            "complete_message": "",
            "raw": {},
            **changes,
        }
    )


def found(held: OurPayout | None, record: TransferRecord | None) -> list[tuple[str, str, str]]:
    return [(line.kind, line.our_text, line.their_text) for line in find_differences(held, record)]


def test_each_of_our_states_agrees_with_its_own_of_the_provider_only():
    agree = {
        (Status.PROCESSING, TransferStatus.NEW),
        (Status.PROCESSING, TransferStatus.PENDING),
        (Status.UNKNOWN, TransferStatus.NEW),
        (Status.UNKNOWN, TransferStatus.PENDING),
        (Status.COMPLETED, TransferStatus.SUCCESSFUL),
        (Status.FAILED, TransferStatus.FAILED),
        (Status.REVERSED, TransferStatus.FAILED),
    }
    for ours in Status:
        for state in TransferStatus:
            wanted = [] if (ours, state) in agree else [("Status", ours, state)]
            assert found(held_as(ours), theirs(state)) == wanted, (ours, state)


@pytest.mark.parametrize(
    ("ours", "record", "wanted"),
    [
        ({}, {"amount": Decimal("470.5")}, ("Amount", "470", "470.5")),
        ({}, {"currency": "NGN"}, ("Currency", "KES", "NGN")),
        ({}, {"account_number": "12"}, ("Account", "01 0690000031", "1 12")),
        ({}, {"bank_code": "10"}, ("Account", "01 0690000031", "10 0690000031")),
        ({}, {"fee": Decimal("99.99")}, ("Provider charge", "100", "99.99")),
        ({"charge": None}, {}, ("Provider charge", "0", "100")),
        ({}, {"fee": Decimal(0)}, ("Provider charge", "100", "0")),
        (
            {"account_number": "8" * 250},
            {"account_number": "9" * 250},
            ("Account", f"01 {'8' * 197}", f"1 {'9' * 198}"),
        ),
    ],
)
def test_each_fact_that_differs_is_a_line_of_its_own(ours, record, wanted):
    held, other = held_as(**ours), theirs(**record, provider_id="7" * 50)
    (line,) = find_differences(held, other)
    assert (line.kind, line.our_text, line.their_text) == wanted
    assert (line.is_difference, line.currency_id, line.reference) == (True, "KES", "payout_a")
    assert (line.provider_id, line.withdrawal_id) == ("7" * 40, WITHDRAWAL)
    amounts = {"Amount": (held.amount, other.amount),
               "Provider charge": (held.charge or Decimal(0), other.fee)}  # fmt: skip
    assert (line.our_amount, line.their_amount) == amounts.get(wanted[0], (None, None))


def test_a_charge_counts_only_where_the_payout_was_paid_and_as_it_is_booked():
    assert found(held_as(Status.FAILED, charge=None), theirs(TransferStatus.FAILED)) == []
    assert found(held_as(Status.REVERSED, charge=None), theirs(TransferStatus.FAILED)) == [
        ("Provider charge", "0", "100")
    ]
    assert found(held_as(charge=None), theirs(fee=Decimal(0))) == []
    assert found(held_as(), theirs(fee=Decimal("100.004"))) == []
    for currency in ("KES", "ZZZ"):
        assert provider_charge(theirs(fee=Decimal("1.006")), currency) == Decimal("1.01")


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("posted", [True, False])
def test_a_sent_payout_that_was_not_released_must_not_be_missing(status, posted):
    held = held_as(status, posted_at=NOON if posted else None)
    kept = {Status.PROCESSING, Status.UNKNOWN, Status.COMPLETED, Status.REVERSED}
    missing = ReportLine(
        LineKind.MISSING,
        "KES",
        is_difference=True,
        our_amount=Decimal(470),
        our_text=status,
        reference="payout_a",
        withdrawal_id=WITHDRAWAL,
    )
    assert find_differences(held, None) == ([missing] if posted and status in kept else [])
    assert find_differences(None, None) == []


@pytest.mark.parametrize(("currency", "known"), [("KES", "KES"), ("ZZZ", None)])
def test_texts_of_an_unknown_transfer_are_truncated(currency, known):
    record = theirs(
        currency=currency, reference="r" * 130, provider_id="7" * 50, account_number="9" * 250
    )
    text = f"SUCCESSFUL {currency} to 1 {'9' * 250}"[:200]
    assert find_differences(None, record) == [
        ReportLine(
            LineKind.UNKNOWN,
            known,
            is_difference=True,
            their_amount=Decimal(470),
            their_text=text,
            reference="r" * 120,
            provider_id="7" * 40,
        )
    ]


def test_the_provider_is_ahead_of_our_books_by_what_it_took_and_we_have_not_booked():
    ahead = {
        (status, state): _in_transit_amount(held_as(status), theirs(state))
        for status in Status
        for state in TransferStatus
    }
    took, gave = Decimal(-570), Decimal(470)
    assert {pair: amount for pair, amount in ahead.items() if amount} == {
        (Status.COMPLETED, TransferStatus.FAILED): gave,
        **{
            (status, state): took
            for status in (Status.PROCESSING, Status.UNKNOWN, Status.FAILED)
            for state in (TransferStatus.NEW, TransferStatus.PENDING, TransferStatus.SUCCESSFUL)
        },
    }
    assert _in_transit_amount(held_as(Status.UNKNOWN), None) == 0


def test_a_gap_is_what_neither_our_books_nor_payouts_under_way_explain():
    booked = {"NGN": Decimal(10), "KES": Decimal(20), "UGX": Decimal(0)}
    named = {
        code: ProviderBalance(code, Decimal(available), Decimal(in_books))
        for code, available, in_books in (("KES", 17, 18), ("ZAR", 5, 5))
    }
    in_transit = {
        name: held_as(Status.PROCESSING, reference=name, currency=code)
        for name, code in (("a", "KES"), ("b", "KES"), ("c", "ZAR"), ("d", "KES"))
    }
    records = {
        name: theirs(TransferStatus.NEW, reference=name, amount=Decimal(amount), fee=Decimal(fee))
        for name, amount, fee in (("a", 1, 2), ("b", 4, 8), ("c", 16, 32))
    }
    lines = balance_lines(
        ClearingSnapshot(booked, frozenset(), frozenset()), named, in_transit, records, {}
    )
    assert lines == [
        ReportLine(
            LineKind.NO_BALANCE,
            "NGN",
            is_difference=True,
            our_amount=Decimal(10),
            their_text="The provider returned no balance",
        ),
        *balance_of("KES", ours=20, theirs=17, in_books="18", expected=-15, variance=12),
        *balance_of("ZAR", ours=0, theirs=5, in_books="5", expected=-48, variance=53),
    ]


def balance_of(
    currency: str, *, ours: int, theirs: int, in_books: str, expected: int, variance: int
) -> list[ReportLine]:
    """The three lines of a balance."""
    return [
        ReportLine(
            LineKind.BALANCE,
            currency,
            our_amount=Decimal(ours),
            their_amount=Decimal(theirs),
            their_text=f"Ledger balance: {in_books}",
        ),
        ReportLine(LineKind.IN_TRANSIT, currency, their_amount=Decimal(expected)),
        ReportLine(LineKind.VARIANCE, currency, their_amount=Decimal(variance)),
    ]


def test_totals_are_by_currency_and_state_of_what_is_compared():
    held = {
        "a": held_as(),
        "b": held_as(Status.PROCESSING, amount=Decimal(1), charge=None),
        "c": held_as(Status.UNKNOWN, amount=Decimal(2), charge=None),
        "d": held_as(Status.FAILED, amount=Decimal(4), charge=None),
        "e": held_as(Status.REVERSED, amount=Decimal(8), charge=Decimal(5)),
        "f": held_as(amount=Decimal(16), currency="NGN"),
        "other": held_as(amount=Decimal(1000)),
    }
    records = {
        "a": theirs(),
        "b": theirs(TransferStatus.NEW, amount=Decimal(1)),
        "c": theirs(TransferStatus.PENDING, amount=Decimal(2)),
        "d": theirs(TransferStatus.FAILED, amount=Decimal(4)),
        "x": theirs(amount=Decimal(32), fee=Decimal(7)),
        "other": theirs(amount=Decimal(1000)),
    }
    lines = payout_totals({*held, *records} - {"other"}, held, records)
    kes: list[tuple[Any, ...]] = [
        (line.kind, line.our_count, line.our_amount, line.their_count, line.their_amount)
        for line in lines
        if line.currency_id == "KES"
    ]
    assert kes == [
        ("In flight", 2, 3, 2, 3),
        ("Completed", 1, 470, 2, 502),
        ("Failed", 2, 12, 1, 4),
        ("Charges", None, 105, None, 107),
    ]
    assert {line.currency_id for line in lines if line.our_amount} == {"KES", "NGN"}
    assert not any(line.is_difference for line in lines)


def test_of_nothing_all_movements_are_zero():
    assert movements(DAY) == {}
    assert {line.our_amount for line in movement_lines({})} == {Decimal(0)}


def test_a_reference_that_the_provider_lists_twice_makes_its_list_unreliable():
    listed = ListedTransfer(theirs(), NOON)
    assert comparison._by_reference([listed]) == {"payout_a": listed}
    with pytest.raises(ProviderDataUnreliable, match=r"^the provider lists payout_a twice$"):
        comparison._by_reference([listed, listed])


@pytest.mark.parametrize(
    ("held", "ours"),
    [
        (None, True),
        (held_as(posted_at=None), True),
        (held_as(), True),
        (held_as(posted_at=NOON - timedelta(hours=12, seconds=1)), False),
        (held_as(posted_at=NOON + timedelta(hours=12)), False),
    ],
)
def test_a_payout_belongs_to_day_it_was_sent_on(held, ours):
    assert comparison._belongs_to_day(held, DAY) is ours


@pytest.mark.parametrize(
    ("count", "error", "unlisted", "differing"),
    [
        (
            200,
            ProviderUnavailable,
            "^no connection could be made$",
            "^no connection could be made$",
        ),
        (
            201,
            ProviderDataUnreliable,
            "^201 payouts in transit, limit 200$",
            "^201 payouts differ or are not in the provider's list, limit 200$",
        ),
    ],
)
def test_two_hundred_status_checks_are_made_at_most(sandbox, count, error, unlisted, differing):
    """The provider is unreachable, so the first status check fails."""
    sandbox.stop()
    held = {
        name: held_as(Status.UNKNOWN, reference=name)
        for name in (f"payout_{number}" for number in range(count))
    }
    sides = comparison._Sides(DAY, NOON, held, {}, frozenset())
    with pytest.raises(error, match=unlisted):
        comparison._provider_records(held, {})
    with pytest.raises(error, match=differing):
        comparison._recheck_differences(set(held), sides)


def test_only_differences_are_read_again_on_both_sides(sandbox, wallet):
    """Both sides had gone on when the list was read."""
    late, same = pay(wallet), pay(wallet)
    settle_at_bank(sandbox, late, same)
    before = payouts_by_reference({late.reference, same.reference})
    listed = payment_provider().list_transfers(
        first=late.created_at.date(), last=timezone.now().date()
    )
    records = {found.record.reference: found.record for found in listed}
    sides = comparison._Sides(
        timezone.now().date(),
        timezone.now(),
        before | {late.reference: replace(before[late.reference], status=Status.UNKNOWN)},
        records | {late.reference: theirs(TransferStatus.FAILED, reference=late.reference)},
        frozenset(records),
    )
    asked = len(sandbox.requests.entries())
    comparison._recheck_differences({late.reference, same.reference}, sides)
    assert (sides.held, sides.records) == (before, records)
    assert len(sandbox.requests.entries()) == asked + 1


def test_open_payouts_that_are_not_listed_get_a_status_check(sandbox, wallet):
    known, unlisted = pay(wallet), pay(wallet)
    in_transit = {
        name: held_as(Status.UNKNOWN, reference=name)
        for name in (known.reference, unlisted.reference, "payout_a")
    }
    records = {known.reference: theirs(reference=known.reference)}
    asked = len(sandbox.requests.entries())
    found = comparison._provider_records(in_transit, records)
    assert len(sandbox.requests.entries()) == asked + 2
    assert {*found} == {known.reference, unlisted.reference}
    assert found[known.reference] is records[known.reference]
    assert found[unlisted.reference].amount == unlisted.disburse_amount


@pytest.mark.parametrize(
    ("posted", "listed", "unreliable"),
    [
        (timedelta(0), False, True),
        (-timedelta(microseconds=1), False, False),
        (timedelta(hours=5, minutes=-1), False, False),
        (timedelta(hours=5, minutes=-1, microseconds=-1), False, True),
        (None, False, False),
        (None, True, True),
    ],
)
def test_a_list_without_a_known_payout_is_incomplete_except_at_the_edge_of_the_day(
    posted, listed, unreliable
):
    start = datetime(2026, 3, 10, tzinfo=UTC)
    held = held_as(posted_at=None if posted is None else start + posted)
    listed_at = start + timedelta(hours=5)
    names = frozenset({"payout_a"}) if listed else frozenset()
    sides = comparison._Sides(DAY, listed_at, {"payout_a": held}, {}, names)
    if unreliable:
        with pytest.raises(ProviderDataUnreliable, match="payout_a"):
            comparison._check_consistency("payout_a", sides)
    else:
        comparison._check_consistency("payout_a", sides)
    comparison._check_consistency("payout_b", sides)


def test_an_order_that_is_just_being_sent_is_judged_when_the_provider_has_it():
    live = held_as(Status.PROCESSING, leased_until=timezone.now() + timedelta(minutes=1))
    over = held_as(Status.PROCESSING, leased_until=timezone.now() - timedelta(minutes=1))
    assert comparison._confirmed_differences(live, None) == []
    assert [line.kind for line in comparison._confirmed_differences(over, None)] == [
        LineKind.MISSING
    ]
    (line,) = comparison._confirmed_differences(live, theirs(TransferStatus.NEW, amount=Decimal(1)))
    assert line.kind == LineKind.AMOUNT


def test_withdrawals_are_found_under_any_number_of_references(wallet):
    first, second, _ = (make_approved_withdrawal(wallet) for _ in range(3))
    wanted = {first.reference, second.reference}
    assert {*payouts_by_reference(wanted)} == wanted
    around = {f"{letter}{n}" for letter in "az" for n in range(999)}
    assert {*payouts_by_reference(wanted | around)} == wanted
    assert payouts_by_reference([]) == payouts_by_reference(around) == {}
