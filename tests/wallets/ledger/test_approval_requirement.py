"""What counts when it is asked how many people must approve a withdrawal, edge by edge."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.core.ids import uuid7
from tests.factories.plain_sql import Books

ASKED = "timestamptz '2026-01-10 12:00+00'"
MEMBER = uuid7()
STATES = ("Pending", "Approved", "Processing", "Unknown", "Completed", "Failed", "Rejected",
          "Cancelled", "Reversed")  # fmt: skip


def withdrawal(
    books: Books, amount: int, *, code: str = "68", number: str = "0123", asked: str = ASKED,
    settled: str = "", **given: Any,
) -> UUID:  # fmt: skip
    """A Pending withdrawal of the member in ZZZ, past all guards, unless `given` says otherwise."""
    bank = books.insert("wallets_bankaccount", currency_id="ZZZ", code=code, account_number=number)
    row = {
        "organisation_id": books.organisation, "member_id": MEMBER, "currency_id": "ZZZ",
        "status": "Pending", "created_at": books.value(f"SELECT {asked}"),
    }  # fmt: skip
    given = row | given | {"amount": amount, "disburse_amount": amount}
    made = books.insert("wallets_withdrawal", bank_id=bank, **given)
    if settled:
        books.insert(
            "wallets_payout", withdrawal_id=made, settled_at=books.value(f"SELECT {settled}")
        )
    return made


def requirement(books: Books, withdrawal_id: UUID) -> tuple[Any, ...]:
    """Needed; totals of the owner, the account and the organisation; and both figures."""
    [row] = books.rows("SELECT * FROM approval_requirement(%s)", [withdrawal_id])
    return tuple(row)


def totals_with(books: Books, **other: Any) -> tuple[Any, ...]:
    """The totals of a withdrawal of 100 when there is one of 7 like `other`."""
    with books.owner.transaction(force_rollback=True):
        one = withdrawal(books, 100)
        withdrawal(books, 7, **other)
        return requirement(books, one)[1:4]


def test_a_lone_withdrawal_counts_itself_and_needs_one_approver_without_settings(books):
    assert requirement(books, withdrawal(books, 100)) == (1, 100, 100, 100, None, None)


def test_others_count_by_owner_organisation_currency_and_account(books):
    for other, totals in (
        ({}, (107, 107, 107)),
        ({"member_id": uuid7()}, (100, 107, 107)),
        ({"member_id": None}, (100, 107, 107)),
        ({"organisation_id": uuid7(), "member_id": uuid7()}, (100, 107, 100)),
        ({"organisation_id": uuid7()}, (100, 107, 100)),
        ({"currency_id": "YYY"}, (100, 100, 100)),
        ({"code": "69"}, (107, 100, 107)),
        ({"number": "0124"}, (107, 100, 107)),
    ):
        assert (other, totals_with(books, **other)) == (other, totals)


def test_released_withdrawals_do_not_count(books):
    counted = ("Pending", "Approved", "Processing", "Unknown", "Completed")
    for status in STATES:
        total = 107 if status in counted else 100
        assert (status, totals_with(books, status=status)) == (status, (total, total, total))


def test_withdrawals_within_24_hours_before_and_after_count(books):
    day, edge = "interval '24 hours'", "interval '1 microsecond'"
    for asked, within in (
        (f"{ASKED} - {day}", False),
        (f"{ASKED} - {day} + {edge}", True),
        (f"{ASKED} + {day} - {edge}", True),
        (f"{ASKED} + {day}", False),
        (f"{ASKED} - 2 * {day}", False),
        (f"{ASKED} + 2 * {day}", False),
    ):
        total = 107 if within else 100
        # Withdrawals in transit to the account count whenever they were requested.
        found = totals_with(books, asked=asked)
        assert (asked, found) == (asked, (total, 107, total))
        found = totals_with(books, asked=asked, status="Completed")
        assert (asked, found) == (asked, (total, total, total))


def test_an_account_counts_withdrawals_in_transit_and_payouts_of_24_hours(books):
    long_ago = f"{ASKED} - interval '9 days'"
    on_its_way = ("Pending", "Approved", "Processing", "Unknown")
    for status in STATES:
        expected = {
            "": 107 if status in on_its_way else 100,
            "now() - interval '25 hours'": 107 if status in on_its_way else 100,
            "now() - interval '23 hours'": 107 if status in {*on_its_way, "Completed"} else 100,
        }
        found = {
            settled: totals_with(books, asked=long_ago, status=status, settled=settled)[1]
            for settled in expected
        }
        assert (status, found) == (status, expected)
    # The payout of another withdrawal says nothing of this one.
    for _ in range(2):
        books.insert(
            "wallets_payout", withdrawal_id=uuid7(), settled_at=books.value("SELECT now()")
        )
    assert totals_with(books, asked=long_ago, status="Completed") == (100, 100, 100)
    assert totals_with(books) == (107, 107, 107)


def test_two_approvers_are_required_from_either_threshold(books):
    of_owner: dict[str, Any] = {"code": "69"}
    of_account: dict[str, Any] = {"organisation_id": uuid7()}
    of_organisation: dict[str, Any] = {"member_id": uuid7(), "code": "69"}
    for other, above, daily, needed in (
        (of_owner, "107", "1000", 2),
        (of_owner, "107.00000001", "1000", 1),
        (of_account, "107", "1000", 2),
        (of_account, "107.00000001", "1000", 1),
        (of_organisation, "107", "1000", 1),
        (of_organisation, "1000", "107", 2),
        (of_organisation, "1000", "107.00000001", 1),
        (of_account, "1000", "107", 1),
        (of_owner, "1", "1", 2),
    ):
        with books.owner.transaction(force_rollback=True):
            for key, value in (("", above), ("DAILY_", daily)):
                books.insert(
                    "wallets_configuration", key=f"SECOND_APPROVAL_{key}ABOVE_ZZZ", value=value
                )
            one = withdrawal(books, 100)
            withdrawal(books, 7, **other)
            found = requirement(books, one)
        assert (other, above, daily, found[0]) == (other, above, daily, needed)
        assert found[4:] == (Decimal(above), Decimal(daily))
