"""Requests carried out as a set: what each is answered, and which go by themselves after all."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from exchange.core.idempotency import StoredResponse
from exchange.core.sets import as_json, carry_out

pytestmark = pytest.mark.django_db

# Does those that say so, and answers what it was told.
STATEMENT = """
WITH told (forms, status, message) AS (VALUES (%s::jsonb, %s::integer, %s::text))
SELECT array_agg(f ->> 'order'), array_agg(concat_ws(' ', f ->> 'order', status, message))
FROM told, jsonb_array_elements(forms) f WHERE (f ->> 'do')::boolean
"""
# Takes the same and gives something else.
IGNORING = "SELECT {} FROM (VALUES (%s, %s, %s)) ignored"


def carried_out(
    forms: list[dict[str, Any]], statement: str = STATEMENT
) -> list[StoredResponse | None]:
    return carry_out(statement, forms, id_name="order", status_code=201, message="Made")


def form(order: str, *, do: bool = True) -> dict[str, Any]:
    return {"order": order, "do": do}


def answer(order: str) -> StoredResponse:
    return StoredResponse(201, "Made", f"{order} 201 Made", replayed=False)


def test_a_set_is_sent_as_json():
    assert as_json(form("é")) == '{"order":"é","do":true}'
    assert as_json([form("a"), form("b", do=False)]) == (
        '[{"order":"a","do":true},{"order":"b","do":false}]'
    )


def test_each_request_of_a_set_gets_its_own_answer_and_one_that_was_not_done_none(
    django_capture_on_commit_callbacks,
):
    for forms, answers, hints in (
        ([form("a"), form("b")], [answer("a"), answer("b")], 1),
        ([form("a", do=False), form("b"), form("c")], [None, answer("b"), answer("c")], 1),
        ([form("a", do=False), form("b", do=False)], [None, None], 0),
    ):
        with django_capture_on_commit_callbacks() as hinted:
            assert carried_out(forms) == answers
        # Whoever delivers events is woken where something happened.
        assert len(hinted) == hints, forms


def test_a_lone_request_goes_by_itself_and_asks_nothing_of_the_database():
    assert carried_out([form("a")], "no SQL") == [None]


@pytest.mark.parametrize(
    "statement",
    [
        IGNORING.format("1 / 0"),
        IGNORING.format("NULL::text[], '{{}}'::text[]"),
        f"{IGNORING.format(1)} WHERE false",
    ],
)
def test_where_a_set_is_refused_or_answers_nothing_every_one_goes_by_itself(statement):
    with transaction.atomic():
        assert carried_out([form("a"), form("b")], statement) == [None, None]
        transaction.set_rollback(True)


def test_answers_that_are_not_one_for_each_id_are_given_to_nobody():
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        carried_out([form("a"), form("b")], IGNORING.format("ARRAY['a', 'b'], ARRAY['1']"))


def test_an_error_that_is_not_of_the_database_leaves_open_what_became_of_the_set():
    with pytest.raises(DatabaseError), transaction.atomic():
        carry_out(
            STATEMENT, [form("a"), form("b")], id_name="order", status_code=201, message="a\0b"
        )
