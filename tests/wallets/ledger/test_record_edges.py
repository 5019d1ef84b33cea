"""The edges of what the records behind money are held to, each guard asked alone."""

from decimal import Decimal
from itertools import product
from uuid import UUID

import pytest
from psycopg import errors

from exchange.core.ids import uuid7
from tests.assertions.statement_results import ACCEPTED, create_guarded_table, try_statement
from tests.environment.database import session
from tests.factories.plain_sql import Books

CHANGED = "RestrictViolation"


_DEPOSIT = (
    "id uuid, channel text, status text, entered_by_id int, decided_by_id int, amount int,"
    " available_at timestamptz, cleared_at timestamptz, fee int DEFAULT 0, disputed_at int,"
    " disputed_amount int, reversed_amount int DEFAULT 0"
)


def test_a_manual_deposit_is_entered_pending_and_confirmed_by_another_person(books):
    create_guarded_table(books.owner, _DEPOSIT, "deposit_guard()")
    starts, by_another = "deposit_starts_pending", "deposit_confirmed_by_another"
    insert = "INSERT INTO given VALUES (gen_random_uuid(), 'manual', %s, %s, %s)"
    entered = {
        ("Pending", None, None): ACCEPTED,
        ("Pending", 1, None): ACCEPTED,
        ("Pending", None, 2): starts,
        ("Pending", 1, 2): starts,
        ("Completed", None, None): starts,
        ("Completed", 1, 2): starts,
        ("Failed", None, None): starts,
    }
    assert {row: try_statement(books.owner, insert, row) for row in entered} == entered
    decided = {
        (1, "Completed", 2): ACCEPTED,
        (None, "Completed", None): ACCEPTED,
        (1, "Completed", None): by_another,
        (None, "Completed", 2): by_another,
        (1, "Failed", None): ACCEPTED,
        (None, "Failed", 2): ACCEPTED,
        (1, "Failed", 2): ACCEPTED,
        (1, "Pending", 2): ACCEPTED,
        (1, "Reversed", 2): CHANGED,
    }
    found = {}
    for entered_by, status, decided_by in decided:
        books.owner.execute("TRUNCATE given")
        books.owner.execute(insert, ["Pending", entered_by, None])
        found[entered_by, status, decided_by] = try_statement(
            books.owner, "UPDATE given SET status = %s, decided_by_id = %s", [status, decided_by]
        )
    assert found == decided


def test_a_deposit_by_a_payment_goes_one_way_and_keeps_its_amount(books):
    create_guarded_table(books.owner, _DEPOSIT, "deposit_guard()")
    insert = (
        "INSERT INTO given (id, channel, status, amount, available_at)"
        " VALUES (gen_random_uuid(), %s, %s, 5, '2026-01-07')"
    )
    verdicts = {
        # The channel, the status before and after, the amount after.
        ("checkout", "Pending", "Completed", 5): ACCEPTED,
        ("checkout", "Pending", "Completed", 6): ACCEPTED,
        ("checkout", "Pending", "Failed", 5): ACCEPTED,
        ("checkout", "Pending", "Failed", 6): CHANGED,
        ("checkout", "Pending", "Pending", 6): CHANGED,
        ("checkout", "Pending", "Reversed", 5): CHANGED,
        ("checkout", "Completed", "Pending", 5): CHANGED,
        ("checkout", "Completed", "Failed", 5): CHANGED,
        ("checkout", "Completed", "Completed", 6): CHANGED,
        ("checkout", "Completed", "Reversed", 5): "deposit_reversed_by_two",
        ("virtual_account", "Completed", "Completed", 6): CHANGED,
        ("virtual_account", "Completed", "Failed", 5): CHANGED,
    }
    found = {}
    for channel, before, after, amount in verdicts:
        books.owner.execute("TRUNCATE given")
        books.owner.execute(insert, [channel, before])
        found[channel, before, after, amount] = try_statement(
            books.owner, "UPDATE given SET status = %s, amount = %s", [after, amount]
        )
    assert found == verdicts
    clear = "UPDATE given SET cleared_at = '2026-01-08'"
    assert try_statement(books.owner, clear) == ACCEPTED
    books.owner.execute(clear)
    assert try_statement(books.owner, "UPDATE given SET cleared_at = '2026-01-09'") == CHANGED


def test_the_payout_circuit_changes_state_by_its_trials_only(books):
    create_guarded_table(
        books.owner,
        "id int, state text, trial_id int, updated_at timestamptz",
        "payout_circuit_guard()",
        events="UPDATE",
    )
    states, trials = ("Closed", "Half-open", "Open"), (None, 1, 2)
    found = {}
    for state, trial in product(states, trials):
        books.owner.execute("TRUNCATE given")
        books.owner.execute("INSERT INTO given VALUES (1, %s, %s)", [state, trial])
        for new, next_trial in product(states, trials):
            change = f"UPDATE given SET state = '{new}', trial_id = %s"
            if try_statement(books.owner, change, [next_trial]) != ACCEPTED:
                found[state, trial, new, next_trial] = try_statement(
                    books.owner, change, [next_trial]
                )
        assert try_statement(books.owner, "UPDATE given SET id = 2") == "payout_circuit_transition"
    forbidden = [("Closed", "Half-open"), ("Open", "Closed")]
    expected = {
        (state, trial, new, next_trial): "payout_circuit_transition"
        for state, trial, new, next_trial in product(states, trials, states, trials)
        if (state, new) in forbidden
        or ((state, new) == ("Half-open", "Closed") and trial is None)
        or (trial and next_trial and trial != next_trial)
    }
    assert found == expected
    books.owner.execute("UPDATE given SET state = state")
    assert books.value("SELECT updated_at BETWEEN now() AND clock_timestamp() FROM given")


def test_a_payout_is_posted_only_while_the_circuit_allows_it_and_delays_its_opening(
    books,
):
    create_guarded_table(books.owner, "withdrawal_id uuid", "payout_post_guard()")
    mine, other = uuid7(), uuid7()
    hour, past = "1 hour", "-1 second"
    refused = "payout_circuit_open"
    expected = {
        ("Closed", None, None): ACCEPTED,
        ("Half-open", mine, hour): ACCEPTED,
        ("Half-open", mine, past): refused,
        ("Half-open", None, None): refused,
        ("Half-open", other, hour): refused,
        ("Open", None, None): refused,
    }
    post = "INSERT INTO given VALUES (%s)"
    found = {}
    for state, trial, until in expected:
        with books.unguarded():
            books.owner.execute(
                "UPDATE wallets_payoutcircuit SET state = %s, trial_id = %s, next_probe_at = now(),"
                " opened_at = now(), trial_until = clock_timestamp() + %s::interval",
                [state, trial, until],
            )
        found[state, trial, until] = try_statement(books.owner, post, [mine])
    assert found == expected


def test_whoever_marks_a_payout_shares_the_circuit_with_others_and_keeps_it_from_changing(books):
    create_guarded_table(books.owner, "withdrawal_id uuid", "payout_post_guard()")
    books.owner.execute("INSERT INTO given VALUES (%s)", [uuid7()])
    with session("owner") as other:
        look = "SELECT count(*) FROM (SELECT FROM wallets_payoutcircuit {} SKIP LOCKED) c"
        assert other.execute(look.format("FOR SHARE")).fetchone() == (1,)
        assert other.execute(look.format("FOR NO KEY UPDATE")).fetchone() == (0,)


def test_a_break_is_as_far_as_its_own_explanations(books):
    create_guarded_table(
        books.owner,
        "id uuid, status text, owner_id int, shown boolean",
        "break_guard()",
        events="INSERT OR UPDATE",
    )
    explained = {name: uuid7() for name in ("none", "pending", "approved", "both", "rejected")}
    for name, status in (
        ("pending", "Pending"),
        ("approved", "Approved"),
        ("both", "Pending"),
        ("both", "Approved"),
        ("rejected", "Rejected"),
    ):
        books.insert("wallets_breakexplanation", subject_id=explained[name], status=status)
    wanted = {
        "none": "Open",
        "pending": "Explained",
        "approved": "Closed",
        "both": "Closed",
        "rejected": "Open",
    }
    wrong, states = "break_status_by_explanations", ("Open", "Explained", "Closed")
    for name, subject in explained.items():
        for state in states:
            insert = "INSERT INTO given VALUES (%s, %s, 1)"
            assert try_statement(books.owner, insert, [subject, state]) == (
                ACCEPTED if state == "Open" else wrong
            )
        books.owner.execute("TRUNCATE given")
        books.owner.execute("INSERT INTO given VALUES (%s, 'Open', 1)", [subject])
        found = {
            state: try_statement(books.owner, "UPDATE given SET status = %s", [state])
            for state in states
        }
        assert (name, found) == (
            name,
            {state: ACCEPTED if state == wanted[name] else wrong for state in states},
        )


def test_a_closed_break_stays_closed_with_its_assignee(books):
    create_guarded_table(
        books.owner,
        "id uuid, status text, owner_id int, shown boolean",
        "break_guard()",
        events="UPDATE",
    )
    subject = uuid7()
    books.insert("wallets_breakexplanation", subject_id=subject, status="Approved")
    books.owner.execute("INSERT INTO given VALUES (%s, 'Closed', 1)", [subject])
    expected = {
        "shown = true": ACCEPTED,
        "owner_id = owner_id, status = status": ACCEPTED,
        "status = 'Open'": CHANGED,
        "status = 'Explained'": CHANGED,
        "owner_id = 2": CHANGED,
        "owner_id = NULL": CHANGED,
    }
    assert {
        each: try_statement(books.owner, f"UPDATE given SET {each}") for each in expected
    } == expected
    books.owner.execute("TRUNCATE given")
    books.owner.execute("INSERT INTO given VALUES (%s, 'Explained', 1)", [subject])
    assert (
        try_statement(books.owner, "UPDATE given SET owner_id = 2, status = 'Closed'") == ACCEPTED
    )


def test_a_bank_record_is_a_snapshot_and_its_corridor_is_filled_in_before_the_decision(books):
    owner = books.owner
    free, pending, decided = banks = [
        books.insert("wallets_bankaccount", currency_id="KES") for _ in range(3)
    ]
    create_guarded_table(
        owner, "LIKE wallets_bankaccount", "bank_account_guard()", events="UPDATE OR DELETE"
    )
    owner.execute(
        "INSERT INTO given SELECT * FROM wallets_bankaccount WHERE id = ANY (%s)", [banks]
    )
    for bank, status in ((pending, "Pending"), (decided, "Approved")):
        withdrawal(books, bank_id=bank, status=status)
    snapshot = ["name", "account_number", "account_name", "provided_name"]
    corridor = (
        "branch_code recipient_first_name recipient_last_name recipient_email recipient_phone"
        " recipient_address"
    )
    fixed = [f"{name} = 'other'" for name in snapshot]
    fixed += [f"{name} = '{uuid7()}'" for name in ("id", "organisation_id")]
    fixed += ["code = 'zz'", "provider_bank_id = 987", "currency_id = 'NGN'"]
    fixed += ["name_resolved = NOT name_resolved", "created_at = '2001-01-01'"]
    for bank, filled in ((free, ACCEPTED), (pending, ACCEPTED), (decided, CHANGED)):
        expected = dict.fromkeys(fixed, CHANGED)
        expected |= dict.fromkeys((f"{name} = 'other'" for name in corridor.split()), filled)
        expected |= {
            "branch_code = branch_code": ACCEPTED,
            "branch_code = 'x', name = 'x'": CHANGED,
        }
        assert {
            each: try_statement(owner, f"UPDATE given SET {each} WHERE id = %s", [bank])
            for each in expected
        } == expected
        with pytest.raises(errors.RestrictViolation, match="never removed"), owner.transaction():
            owner.execute("DELETE FROM given WHERE id = %s", [bank])


def withdrawal(books: Books, **given: object) -> UUID:
    """Insert an approved withdrawal of 1 KES without a fee, unless changed."""
    values = {"status": "Approved", "disburse_amount": given.get("amount", 1)} | given
    return books.insert("wallets_withdrawal", **values)


def test_what_one_person_approved_alone_today_counts_and_nothing_else_does(books):
    ada, ben = uuid7(), uuid7()
    today, before = (
        books.value(f"SELECT clock_timestamp() - interval '{age}'")
        for age in ("23 hours 59 minutes", "24 hours 1 second")
    )
    alone = {"first_approver_id": ada, "actioned_on": today}
    wanted = withdrawal(books, **alone, amount=1)
    counted = {
        "Approved": 2, "Processing": 4, "Unknown": 8, "Completed": 16, "Failed": 32, "Reversed": 64,
    }  # fmt: skip
    for status, amount in counted.items():
        withdrawal(books, **alone, status=status, amount=amount)
    for left_out in (
        {"first_approver_id": ben},
        {"second_approver_id": ben},
        {"actioned_on": before},
        {"currency_id": "NGN"},
        {"status": "Pending"},
        {"status": "Rejected"},
        {"status": "Cancelled"},
    ):
        withdrawal(books, **(alone | {"amount": 1000} | left_out))
    ask = "SELECT total, most FROM sole_approvals(%s, %s)"
    most = books.value("SELECT effective_setting('SOLE_APPROVALS_DAILY_KES')")
    assert most is not None
    assert books.rows(ask, [ada, wanted]) == [(Decimal(126), most)]
    naira = withdrawal(books, currency_id="NGN")
    most = books.value("SELECT effective_setting('SOLE_APPROVALS_DAILY_NGN')")
    assert books.rows(ask, [ada, naira]) == [(Decimal(1000), most)]
    assert books.rows(ask, [uuid7(), naira]) == [(Decimal(0), most)]
    with pytest.raises(errors.NoDataFound), books.owner.transaction():
        books.rows(ask, [ada, uuid7()])


def test_approvals_of_one_person_wait_for_each_other_only(books):
    ada, ben, wanted = uuid7(), uuid7(), withdrawal(books)
    books.rows("SELECT * FROM sole_approvals(%s, %s)", [ada, wanted])
    with session("owner") as other:
        free = {
            person: other.execute(
                "SELECT pg_try_advisory_xact_lock(hashtextextended('sole approvals ' || %s, 0))",
                [str(person)],
            ).fetchone()
            for person in (ada, ben)
        }
    assert free == {ada: (False,), ben: (True,)}


def test_a_setting_keeps_its_key_and_initial_value(books):
    create_guarded_table(
        books.owner, "key text, value numeric, note text", "configuration_key_guard()",
        events="UPDATE",
    )  # fmt: skip
    books.owner.execute("INSERT INTO given VALUES ('KES_FEE', 30, '')")
    expected = {
        "note = 'x'": ACCEPTED,
        "value = 31": CHANGED,
        "value = NULL": CHANGED,
        "key = 'NGN_FEE'": CHANGED,
    }
    assert {
        each: try_statement(books.owner, f"UPDATE given SET {each}") for each in expected
    } == expected
