"""The function that a command declares: what it executes, rejects and skips."""

from dataclasses import dataclass, field
from typing import ClassVar
from uuid import UUID

import pytest
from django.db import DatabaseError

from exchange.core.batching import BatchedFunction
from exchange.core.commands import Command
from exchange.core.database import read_rejection
from exchange.core.ids import uuid7
from tests.environment.owner import as_owner

pytestmark = pytest.mark.django_db

# `do` is executed, and everything of which `tried` has a row. `lack` has one after it was
# tried for rejection. `late` is rejected the second time, `never` is neither executed nor rejected.
PARTS = """
CREATE TABLE tried (what text);
CREATE FUNCTION try_commands_execute(p_commands try_command[])
RETURNS TABLE (done uuid, answer text) LANGUAGE sql AS $$
    SELECT c.id, c.what FROM unnest(p_commands) c
    WHERE c.what = 'do' OR c.what = 'lack' AND EXISTS (SELECT FROM tried t WHERE t.what = c.what)
$$;
"""
REJECT = """
CREATE FUNCTION try_commands_reject(c try_command) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF c.what = 'refuse' OR EXISTS (SELECT FROM tried t WHERE t.what = 'late' AND c.what = 'late')
    THEN
        RAISE EXCEPTION 'refused' USING ERRCODE = 'XW400';
    END IF;
    INSERT INTO tried VALUES (c.what);
END $$;
"""
REMOVE = "DROP TABLE IF EXISTS tried; DROP TYPE IF EXISTS try_command CASCADE;" + "".join(
    f"DROP FUNCTION IF EXISTS try_commands{part};" for part in ("", "_execute", "_reject")
)


@dataclass(frozen=True, kw_only=True)
class Try(Command):
    """A command that raises its rejections while it is executed."""

    sql_type: ClassVar[str] = "try_command"
    function: ClassVar[str] = "try_commands"

    what: str
    id: UUID = field(default_factory=uuid7)


class TrySkipped(Try):
    """One that is skipped instead."""

    skips_rejected: ClassVar[bool] = True


def install(command: type[Command], *parts: str) -> None:
    with as_owner() as cursor:
        # Without parameters, so that per cent signs are literal.
        for text in (REMOVE, command.type_sql(), command.function_sql(), *parts):
            cursor.execute(text)


@pytest.fixture
def removed_afterwards():
    yield
    # Committed by the owner's connection, which no test rolls back.
    with as_owner() as cursor:
        cursor.execute(REMOVE)


@pytest.fixture
def skipping(removed_afterwards):
    install(TrySkipped, PARTS, REJECT)


def run(*whats: str) -> list[str]:
    """Return the responses to the commands that were executed."""
    commands = [Try(organisation=uuid7(), member=None, actor="tests", what=each) for each in whats]
    responses = BatchedFunction(Try.function, 201, "Tried").run(commands, 50)
    for response in responses.values():
        assert (response.status_code, response.message, response.replayed) == (201, "Tried", False)
    return [responses[each.created_id].data for each in commands if each.created_id in responses]


def test_a_lone_command_is_executed_again_once_what_was_missing_exists(skipping):
    assert run("lack") == ["lack"]


@pytest.mark.parametrize("what", ["refuse", "late"])
def test_a_lone_command_is_rejected_at_once_or_after_it_was_tried_again(skipping, what):
    with pytest.raises(DatabaseError) as caught:
        run(what)
    assert read_rejection(caught.value, "XW400") == ("refused", {})


def test_a_lone_command_without_a_reason_is_an_error(skipping):
    with pytest.raises(DatabaseError, match=r"try_commands: [0-9a-f-]{36} was not executed"):
        run("never")


def test_of_several_commands_those_that_need_more_are_skipped(skipping):
    assert run("do", "lack", "refuse", "never", "do") == ["do", "do"]
    assert run("lack", "refuse") == []


def test_a_command_that_raises_its_rejections_needs_no_other_function(removed_afterwards):
    install(Try, PARTS)
    assert run("do") == ["do"]
    assert run("do", "never") == ["do"]
