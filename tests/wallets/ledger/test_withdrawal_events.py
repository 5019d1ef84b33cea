"""Content of withdrawal events."""

from typing import Any
from uuid import UUID

from exchange.core.ids import uuid7
from tests.assertions.statement_results import rolled_back
from tests.factories.plain_sql import Books, make_organisation


def withdrawal(books: Books, name: str, **given: Any) -> UUID:
    """A withdrawal and its bank record, past all guards, whose documents are their names."""
    bank = books.insert("wallets_bankaccount", currency_id="KES", document=f'{{"bank":"{name}"}}')
    return books.insert(
        "wallets_withdrawal",
        organisation_id=books.organisation,
        bank_id=bank,
        document=f'{{"_id":"{name}","n":1}}',
        **given,
    )


def decide(books: Books, withdrawal_id: UUID, verdict: str, by: str, version: int) -> None:
    """A decision of a member of staff, of whom nothing but the name is known."""
    books.insert(
        "wallets_decision",
        withdrawal_id=withdrawal_id,
        verdict=verdict,
        actor=f"staff:{uuid7()}",
        actor_label=by,
        version=version,
        created_at=f"2026-01-01 12:{version:02}:00+00",
    )


def message(books: Books, withdrawal_id: UUID, *, named: bool | None = None) -> Any:
    """Return the payload of the only event of the withdrawal."""
    event = uuid7()
    arguments = [event, withdrawal_id, "withdrawal.test", *([] if named is None else [named])]
    with rolled_back(books.owner):
        places = ", ".join(["%s"] * len(arguments))
        books.owner.execute(f"SELECT emit_withdrawal_event({places})", arguments)
        [(*row, data)] = books.rows(
            "SELECT id, organisation_id, type, subject_id, body::json -> 'data'"
            " FROM exchange_event WHERE created_at >= now()"
        )
    assert row == [event, books.organisation, "withdrawal.test", withdrawal_id]
    return data


def test_an_event_has_the_withdrawal_its_bank_record_and_the_first_approver(books):
    one, other = withdrawal(books, "one"), withdrawal(books, "other")
    decide(books, other, "Reject", "Eve", 1)

    def event(by: dict[str, Any] | None) -> dict[str, Any]:
        return {
            "withdrawal": {"_id": "one", "n": 1, "actioned_by": by},
            "bank": {"bank": "one"},
            "user": None,
        }

    assert message(books, one) == event(None)
    for verdict in ("Add details", "Propose", "Confirm", "Decline"):
        decide(books, one, verdict, "Ben", 1)
    assert message(books, one) == event(None)
    for verdict in ("Cancel", "Reject", "Approve"):
        with rolled_back(books.owner):
            decide(books, one, verdict, "Cem", 2)
            decided = {"role": "staff", "id": None, "name": "Cem"}
            assert message(books, one, named=True) == event(decided)
    decide(books, one, "Approve", "Ada", 3)
    decide(books, one, "Approve", "Ben", 4)
    assert message(books, one, named=True) == event({"role": "staff", "id": None, "name": "Ada"})
    assert message(books, one, named=False) == event({"role": "staff", "id": None})
    assert message(books, one) == event({"role": "staff", "id": None})


def test_an_event_about_a_member_names_the_member(books):
    ada, _ben = (
        books.insert(
            "exchange_member", organisation_id=books.organisation, name=name, email=f"{name}@x"
        )
        for name in ("ada", "ben")
    )
    member = {"_id": str(ada), "name": "ada", "email": "ada@x"}
    one = withdrawal(books, "one", member_id=ada)
    assert message(books, one)["user"] == member
    ask = "SELECT member_json(%s, %s)::json"
    assert books.value(ask, [ada, books.organisation]) == member
    assert books.value(ask, [ada, make_organisation(books.owner)]) is None
    assert books.value(ask, [None, books.organisation]) is None


def test_the_data_of_an_event_has_null_for_missing_documents(books):
    ask = "SELECT withdrawal_event_data('{\"_id\":1}', %s, '{\"_id\":2}', %s)"
    assert books.value(ask, ['{"id":3}', '{"_id":4}']) == (
        '{"withdrawal":{"_id":1,"actioned_by":{"id":3}},"bank":{"_id":2},"user":{"_id":4}}'
    )
    assert books.value(ask, [None, None]) == (
        '{"withdrawal":{"_id":1,"actioned_by":null},"bank":{"_id":2},"user":null}'
    )
