"""Edge cases of the guards of terms: loans, versions, configurations and outstanding principal.

Each guard runs on a copy of its table (`tests.environment.guarded_copy`). That the tables have them
is tested in `test_configuration_guards` and `test_loan_attacks`.
"""

import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from credit.configurations.models import (
    ConfigurationStatus,
    ConfigurationVersion,
    LoanConfiguration,
    LoanLimit,
    VersionStatus,
)
from credit.loans.models import Outstanding
from exchange.core.ids import uuid7
from tests.assertions.statement_results import ACCEPTED
from tests.environment.database import session
from tests.environment.guarded_copy import GuardedCopy
from tests.environment.owner import without_guards
from tests.environment.processes import wait_until
from tests.factories.bare_rows import NOON, columns_of, insert_row, loan_columns

pytestmark = pytest.mark.django_db

NAMED = ConfigurationVersion.organisations.through
VERSION = "credit_configurationversion"
CONFIGURATION = "credit_loanconfiguration"


@pytest.fixture
def cursor() -> Iterator[Any]:
    with without_guards() as found:
        yield found


class Offers:
    """Configurations with versions, and loans on them."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def version(self, configuration: UUID, number: int = 1, **given: Any) -> UUID:
        """Insert a version: up to a year, rate 0.3, ratio 0.8, a week of grace."""
        facts = {"configuration_id": configuration, "number": number, **given}
        facts = {"status": "Approved", "access": "public", **facts}
        made: UUID = insert_row(self._cursor, ConfigurationVersion, **facts)["id"]
        return made

    def limit(self, version: UUID, currency: str, least: Any, most: Any, out: Any = None) -> None:
        insert_row(
            self._cursor, LoanLimit, version_id=version, currency_id=currency, min_amount=least,
            max_amount=most, max_outstanding=out,
        )  # fmt: skip

    def make(
        self, status: str = "Approved", of_version: str = "Approved", **given: Any
    ) -> dict[str, Any]:
        """Insert a loan of 100 NGN on a new offer of 50 to 200 NGN and 5 to 20 KES."""
        configuration = insert_row(self._cursor, LoanConfiguration, status=status)
        version = self.version(configuration["id"], status=of_version, **given)
        self.limit(version, "NGN", 50, 200)
        self.limit(version, "KES", 5, 20)
        self.limit(version, "UGX", 5, 20)
        return loan_columns(
            creditor_id=configuration["creditor_id"], configuration_id=configuration["id"],
            version_id=version,
        )  # fmt: skip


@pytest.fixture
def offers(cursor: Any) -> Offers:
    return Offers(cursor)


@pytest.fixture
def loans(cursor: Any) -> GuardedCopy:
    return GuardedCopy(cursor, "credit_loan", "loan_terms", "BEFORE INSERT")


def test_a_loan_matches_every_effective_term(cursor, offers, loans):
    made, other = offers.make(), offers.make()
    old = offers.version(made["configuration_id"], 2, status="Superseded")
    offers.limit(old, "NGN", 1, 1000)
    one_month = {"duration": 1, "repayment_amount": 130}
    for change in (
        {},
        {"amount": 50, "repayment_amount": 80},
        {"amount": 200, "repayment_amount": 320},
        one_month,
        {"duration": 12, "repayment_amount": 460},
        {"currency_id": "KES", "amount": 20, "repayment_amount": 32},
    ):
        assert loans.insert({**made, **change}) == ACCEPTED, change
    for wrong in (
        {"amount": "49.99", "repayment_amount": "79.98"},
        {"amount": "200.01", "repayment_amount": "320.02"},
        {"currency_id": "KES"},
        {"currency_id": "USD"},
        {"currency_id": "KES", "amount": "20.01", "repayment_amount": "32.02"},
        {"duration": 0, "repayment_amount": 100},
        {"duration": 13, "repayment_amount": 490},
        {"interest_rate": "0.2", "repayment_amount": 140},
        {"collateral_ratio": "0.9"},
        {"grace_period": 8},
        {"grace_period_unit": "WEEK"},
        {"creditor_id": other["creditor_id"]},
        {"configuration_id": other["configuration_id"]},
        {"configuration_id": other["configuration_id"], "creditor_id": other["creditor_id"]},
        {"version_id": other["version_id"]},
        {"version_id": old},
        {"version_id": uuid7()},
    ):
        assert loans.insert({**made, **wrong}) == "loan_by_terms", wrong
    for status in set(ConfigurationStatus.values) - {"Approved"}:
        assert loans.insert(offers.make(status)) == "loan_by_terms", status
    for status in set(VersionStatus.values) - {"Approved"}:
        assert loans.insert(offers.make(of_version=status)) == "loan_by_terms", status


def test_a_loan_is_made_to_organisations_named_by_its_version(
    cursor: Any, offers: Offers, loans: GuardedCopy
) -> None:
    named, elsewhere, stranger = uuid7(), uuid7(), uuid7()

    def found(access: str, organisation: UUID | None) -> str:
        made, other = offers.make(access=access), offers.make(access=access)
        for of, who in ((made, named), (other, elsewhere)):
            insert_row(cursor, NAMED, configurationversion_id=of["version_id"], organisation_id=who)
        return loans.insert({**made, "organisation_id": organisation or made["creditor_id"]})

    refused = "loan_by_terms"
    assert [found(access, None) for access in ("own", "organisations", "public")] == [ACCEPTED] * 3
    assert [found("own", who) for who in (named, stranger)] == [refused] * 2
    assert [found("public", who) for who in (named, stranger)] == [ACCEPTED] * 2
    assert [found("organisations", who) for who in (named, elsewhere, stranger)] == [
        ACCEPTED, refused, refused
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("currency", "amount", "most", "below", "above"),
    [
        ("NGN", 100, "160", "159.99", "160.01"),
        ("NGN", "50.00", "80.00", "79.99", "80.01"),
        # 1.6 times 50.003125 is 80.005: half-even 80.00, and half away from zero 80.01.
        ("NGN", "50.003125", "80.00", "79.99", "80.01"),
        # In a currency without decimals 8.125 ends at 13 and 7.8125, which makes 12.5, at 12.
        ("UGX", "8.125", "13", "12", "14"),
        ("UGX", "7.8125", "12", "11", "13"),
    ],
)
def test_only_the_creditors_members_repay_less_than_the_maximum(
    offers, loans, currency, amount, most, below, above
):
    made = {**offers.make(), "currency_id": currency, "amount": amount}
    own = {**made, "organisation_id": made["creditor_id"]}
    refused = "loan_by_terms"
    assert loans.insert({**made, "repayment_amount": most}) == ACCEPTED
    assert loans.insert({**made, "repayment_amount": below}) == refused
    assert loans.insert({**made, "repayment_amount": above}) == refused
    assert loans.insert({**made, "repayment_amount": amount}) == refused
    assert loans.insert({**own, "repayment_amount": most}) == ACCEPTED
    assert loans.insert({**own, "repayment_amount": below}) == ACCEPTED
    assert loans.insert({**own, "repayment_amount": amount}) == ACCEPTED
    assert loans.insert({**own, "repayment_amount": above}) == refused
    less = float(amount) - 0.00000001
    assert loans.insert({**own, "repayment_amount": f"{less:.8f}"}) == refused


def test_outstanding_principal_follows_every_loan(cursor):
    offers = Offers(cursor)
    loans = GuardedCopy(cursor, "credit_loan", "loan_outstanding", "AFTER INSERT OR UPDATE")
    made, other = offers.make(), offers.make()

    def outstanding() -> dict[tuple[UUID, str], Any]:
        found = Outstanding.objects.values_list("configuration_id", "currency_id", "principal")
        return {(configuration, currency): amount for configuration, currency, amount in found}

    def key(loan: dict[str, Any], currency: str = "NGN") -> tuple[UUID, str]:
        return loan["configuration_id"], currency

    # Nothing is out by a loan that was over when it was written.
    assert loans.insert({**made, "closed_at": NOON}) == ACCEPTED
    assert outstanding() == {}
    assert loans.insert({**made, "principal_repaid": 10}) == ACCEPTED
    assert outstanding() == {key(made): 90}
    assert loans.insert({**made, "currency_id": "KES"}) == ACCEPTED
    assert loans.insert({**other, "amount": 7}) == ACCEPTED
    assert loans.insert(made) == ACCEPTED
    sibling = {key(made, "KES"): 100, key(other): 7}
    assert outstanding() == {key(made): 190, **sibling}

    def after(row: dict[str, Any], **changes: Any) -> int:
        """Return the outstanding principal after the change, which is then undone."""
        cursor.execute("SAVEPOINT change")
        assert loans.update(row, **changes) == ACCEPTED
        found = outstanding()
        cursor.execute("ROLLBACK TO SAVEPOINT change")
        assert {name: found[name] for name in sibling} == sibling
        return int(found[key(made)])

    part = {**made, "principal_repaid": 30}
    over = {**part, "closed_at": NOON}
    assert after(made, principal_repaid=1) == 189
    assert after(part, principal_repaid=31) == 189
    assert after(part, principal_repaid=100) == 120
    assert after(part, principal_repaid=20) == 200
    assert after(part, closed_at=NOON) == 120
    assert after(part, closed_at=NOON, principal_repaid=100) == 120
    assert after(part, document="x") == 190
    assert after(over, closed_at="2026-03-02T12:00Z") == 190
    assert after(over, closed_at=None) == 260


def test_no_loan_exceeds_the_maximum_outstanding(cursor):
    offers = Offers(cursor)
    loans = GuardedCopy(cursor, "credit_loan", "loan_outstanding", "AFTER INSERT OR UPDATE")
    configuration = uuid7()
    version, later, bounded = (offers.version(configuration, number, status="Superseded")
                               for number in (1, 2, 3))  # fmt: skip
    offers.limit(version, "NGN", 1, 150, 250)
    offers.limit(version, "KES", 1, 5, 10)
    offers.limit(later, "NGN", 1, 50, None)
    offers.limit(later, "KES", 1, 5, 10)
    offers.limit(bounded, "NGN", 1, 5, 20)
    made = loan_columns(configuration_id=configuration, version_id=version)
    refused = "loan_within_outstanding"
    assert loans.insert(made) == ACCEPTED
    assert loans.insert({**made, "amount": "150.00000001"}) == refused
    assert loans.insert({**made, "amount": 150}) == ACCEPTED
    assert loans.insert({**made, "amount": "0.00000001"}) == refused
    assert Outstanding.objects.get().principal == 250
    # The bound of its own version and currency: none, or a lower one.
    assert loans.insert({**made, "version_id": later}) == ACCEPTED
    assert loans.insert({**made, "version_id": bounded, "amount": 1}) == refused
    assert loans.insert({**made, "currency_id": "KES", "amount": 11}) == refused
    assert loans.insert({**made, "currency_id": "KES", "amount": 10}) == ACCEPTED
    # What was lent is not made undone by a change, whatever is out by now.
    assert loans.update({**made, "principal_repaid": 10}, principal_repaid=0) == ACCEPTED
    assert loans.update({**made, "principal_repaid": 10}, principal_repaid=20) == ACCEPTED


@pytest.mark.django_db(transaction=True)
def test_the_first_two_loans_at_once_are_both_outstanding():
    """The second waits for a row of the first that did not exist when it looked."""
    made = loan_columns()
    with session("owner") as first, session("owner") as second, session("owner") as watch:
        copies = []
        for each in (first, second):
            each.execute("SET session_replication_role = replica")
            copies.append(
                GuardedCopy(each.cursor(), "credit_loan", "loan_outstanding", "AFTER INSERT")
            )
        assert copies[0].insert(made) == ACCEPTED
        waits = threading.Thread(target=copies[1].insert, args=[{**made, "amount": 7}])
        waits.start()
        pid = second.info.backend_pid
        wait_until(
            lambda: (
                watch.execute(
                    "SELECT count(*) FROM pg_locks WHERE pid = %s AND NOT granted", [pid]
                ).fetchall()
                == [(1,)]
            ),
            "the second waits",
            10,
        )
        first.commit()
        waits.join()
        second.commit()
    assert Outstanding.objects.get().principal == 107


def test_a_configuration_keeps_its_creditor_and_allowed_transitions(cursor):
    rows = GuardedCopy(cursor, CONFIGURATION, "", declared=("guard_moves", "keep_columns"))
    allowed = {
        ("Pending", "Approved"), ("Pending", "Rejected"), ("Rejected", "Pending"),
        ("Approved", "Retired"),
    }  # fmt: skip
    for old in ConfigurationStatus.values:
        made = columns_of(LoanConfiguration, status=old)
        for new in ConfigurationStatus.values:
            found = rows.update(made, status=new, updated_at="2026-03-02T12:00Z")
            right = old == new or (old, new) in allowed
            expected = ACCEPTED if right else "credit_loanconfiguration_move"
            assert (old, new, found) == (old, new, expected)
        for name, value in (("id", uuid7()), ("creditor_id", uuid7()),
                            ("created_at", "2026-03-02T12:00Z")):  # fmt: skip
            assert rows.update(made, **{name: value}) == "RestrictViolation"


def test_a_version_is_decided_with_a_time_and_rejected_with_a_reason(cursor):
    rows = GuardedCopy(
        cursor, VERSION, "version_decision", "BEFORE UPDATE", declared=("guard_moves",)
    )
    allowed = {("Pending", "Approved"), ("Pending", "Rejected"), ("Approved", "Superseded")}
    wrong = {("Pending", "x"), ("Rejected", "")}
    for old in VersionStatus.values:
        for new in VersionStatus.values:
            for at in (None, NOON):
                for reason in ("", "x"):
                    made = columns_of(ConfigurationVersion, status=old)
                    found = rows.update(made, status=new, decided_at=at, reason=reason)
                    expected = ACCEPTED
                    if old != new and (old, new) not in allowed:
                        expected = "credit_configurationversion_move"
                    elif (at is None) != (new == "Pending") or (new, reason) in wrong:
                        expected = "version_decision"
                    assert (old, new, at, reason, found) == (old, new, at, reason, expected)


def test_the_creator_cannot_approve_the_first_version(cursor):
    creator, changer, stranger = (uuid7() for _ in range(3))

    def configuration(status: str, *proposers: UUID) -> dict[str, Any]:
        made = insert_row(cursor, LoanConfiguration, status=status)
        for number, proposer in enumerate(proposers, 1):
            Offers(cursor).version(
                made["id"], number, status="Rejected", proposed_by=f"staff:{proposer}"
            )
        return made

    waiting = configuration("Pending", creator, changer)
    effective = configuration("Approved", creator, changer)
    # Of another configuration: what its creator may not decide, and that it waits, is nothing here.
    configuration("Pending", stranger)
    rows = GuardedCopy(cursor, VERSION, "version_decision", "BEFORE UPDATE")

    def found(of: dict[str, Any], who: UUID, old: str = "Pending", new: str = "Approved") -> str:
        version = columns_of(ConfigurationVersion, configuration_id=of["id"], status=old, number=3)
        return rows.update(
            version, status=new, decided_by_id=who, decided_at=NOON,
            reason="x" if new == "Rejected" else "",
        )  # fmt: skip

    assert found(waiting, creator) == "version_approved_by_another"
    for who in (changer, stranger):
        assert found(waiting, who) == ACCEPTED
    for who in (creator, changer, stranger):
        assert found(effective, who) == ACCEPTED
    assert found(waiting, creator, new="Rejected") == ACCEPTED
    assert found(waiting, creator, old="Approved", new="Approved") == ACCEPTED


def test_limits_and_organisations_are_immutable_after_insertion(cursor):
    versions = {
        status: Offers(cursor).version(uuid7(), status=status) for status in VersionStatus.values
    }
    for model, name in ((LoanLimit, "version_id"), (NAMED, "configurationversion_id")):
        rows = GuardedCopy(cursor, model._meta.db_table, "version_part_guard")
        for status, version in versions.items():
            row = columns_of(model, **{name: version})
            expected = ACCEPTED if status == "Pending" else "RestrictViolation"
            assert (status, rows.insert(row)) == (status, expected)
            assert rows.update(row, **{name: version}) == "RestrictViolation"
            assert rows.delete(row) == "RestrictViolation"
        assert rows.insert(columns_of(model, **{name: uuid7()})) == "RestrictViolation"


# Allowed statuses, by whether a version is effective and whether one is pending.
STATES = {
    (False, False): {"Rejected"},
    (False, True): {"Pending"},
    (True, False): {"Approved", "Retired"},
    (True, True): {"Approved"},
}


@pytest.mark.parametrize("table", [CONFIGURATION, VERSION])
def test_a_configuration_matches_its_versions(cursor, table):
    offers = Offers(cursor)
    # Others, of which each is wrong and none is asked about.
    for status, wrong in (("Pending", "Approved"), ("Approved", "Pending")):
        other = insert_row(cursor, LoanConfiguration, status=status)
        offers.version(other["id"], status=wrong)
    cases = [
        (effective, waits, status, insert_row(cursor, LoanConfiguration, status=status)["id"])
        for effective, waits in STATES
        for status in ConfigurationStatus.values
    ]
    for effective, waits, _, configuration in cases:
        offers.version(configuration, 1, status="Rejected")
        if effective:
            offers.version(configuration, 2, status="Approved")
        if waits:
            offers.version(configuration, 3, status="Pending")
    rows = GuardedCopy(cursor, table, "configuration_matches", "AFTER INSERT OR UPDATE")
    for effective, waits, status, configuration in cases:
        row = (
            columns_of(LoanConfiguration, id=configuration)
            if table == CONFIGURATION
            else columns_of(ConfigurationVersion, configuration_id=configuration)
        )
        right = status in STATES[effective, waits]
        expected = ACCEPTED if right else "configuration_matches"
        assert (effective, waits, status, rows.insert(row)) == (effective, waits, status, expected)
