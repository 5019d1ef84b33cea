"""Commands executed by one SQL function: their responses, and which must run singly."""

from dataclasses import dataclass, field
from typing import ClassVar
from uuid import UUID

import pytest
from django.db import DatabaseError, transaction

from exchange.core.batching import BatchedFunction
from exchange.core.commands import Command
from exchange.core.idempotency import StoredResponse
from exchange.core.ids import uuid7
from tests.environment.owner import as_owner

# Executes a command and returns its parameters. Its columns have an order of their own.
FUNCTION = """
CREATE FUNCTION try_commands(
    p_commands jsonb, p_wait_ms integer, p_retention interval, p_status_code integer, p_message text
) RETURNS TABLE (data text, replayed boolean, id uuid, message text, status_code integer)
LANGUAGE sql AS $$
    SELECT concat_ws(' ', c ->> 'what', p_wait_ms, p_retention), c ->> 'what' = 'seen',
           (c ->> 'id')::uuid, p_message,
           p_status_code / CASE c ->> 'what' WHEN 'fail' THEN 0 ELSE 1 END
    FROM jsonb_array_elements(p_commands) c WHERE c ->> 'what' <> 'leave'
$$
"""
MAKE = BatchedFunction("try_commands", 201, "Made")


@dataclass(frozen=True, kw_only=True)
class SampleCommand(Command):
    """A command that succeeds, is skipped (`leave`) or fails (`fail`)."""

    sql_type: ClassVar[str] = "try_command"
    what: str
    id: UUID = field(default_factory=uuid7)


@pytest.fixture(autouse=True)
def function(db, settings):
    settings.IDEMPOTENCY_RETENTION_HOURS = 13
    with as_owner() as cursor:
        cursor.execute(FUNCTION)
    yield
    # Committed by the owner's connection, which no test rolls back.
    with as_owner() as cursor:
        cursor.execute("DROP FUNCTION IF EXISTS try_commands")


def commands(*whats: str) -> list[SampleCommand]:
    return [
        SampleCommand(organisation=uuid7(), member=None, actor="tests", what=what) for what in whats
    ]


def response(what: str, wait_ms: int) -> StoredResponse:
    return StoredResponse(201, "Made", f"{what} {wait_ms} 13:00:00", replayed=what == "seen")


def run_none(command: SampleCommand) -> StoredResponse:
    raise AssertionError(f"{command} was run alone")


def test_a_function_gets_its_parameters_and_returns_responses_by_id():
    one, left, seen = asked = commands("do", "leave", "seen")
    assert MAKE.run(asked, 1234) == {
        one.created_id: response("do", 1234),
        seen.created_id: response("seen", 1234),
    }
    assert MAKE.run([left], 1) == {}
    assert MAKE.run([], 1) == {}


def test_each_command_of_a_batch_gets_its_response_and_a_skipped_one_none(
    django_capture_on_commit_callbacks,
):
    for whats in (("a", "b"), ("leave", "b", "seen"), ("leave", "leave")):
        with django_capture_on_commit_callbacks() as hinted:
            found = MAKE.run_batch(commands(*whats), run_none)
        # The wait of a batch for another request's key.
        assert found == [None if what == "leave" else response(what, 50) for what in whats]
        # The delivery task is notified.
        assert len(hinted) == 1


def test_a_single_command_runs_singly_and_its_error_is_raised():
    [command] = commands("do")
    asked: list[SampleCommand] = []

    def run_single(command: SampleCommand) -> StoredResponse:
        asked.append(command)
        return response("run_single", 1)

    # The function is not called.
    unknown = BatchedFunction("no_such_function", 0, "")
    assert unknown.run_batch([command], run_single) == [response("run_single", 1)]
    assert asked == [command]
    with pytest.raises(AssertionError, match="was run alone"):
        MAKE.run_batch([command], run_none)


def test_after_a_failed_batch_every_command_runs_singly(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as hinted, transaction.atomic():
        assert MAKE.run_batch(commands("do", "fail", "do"), run_none) == [None] * 3
        # The surrounding transaction continues.
        assert MAKE.run(commands("leave"), 1) == {}
    assert len(hinted) == 1


def test_a_lost_connection_leaves_the_outcome_unknown():
    unsent = BatchedFunction("try_commands", 201, "a\0b")
    with pytest.raises(DatabaseError):
        unsent.run_batch(commands("do", "do"), run_none)
