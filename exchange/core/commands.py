"""Commands: the input of a SQL function, declared once for Python and PostgreSQL.

The fields of a command are the columns of a composite type, installed from the declaration
(`SqlAppConfig.commands`). Commands are sent as JSON and read by name.

A command with a `function` also declares what surrounds its execution: idempotency keys, one or
several commands in one transaction, stored responses. Its SQL files have only rules and effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args, get_type_hints
from uuid import UUID

import msgspec

if TYPE_CHECKING:
    from exchange.core.idempotency import IdempotencyClaim

_SQL_TYPES = {
    UUID: "uuid",
    Decimal: "numeric",
    str: "text",
    bool: "boolean",
    int: "bigint",
    datetime: "timestamp with time zone",
}


def column(sql_type: str, **more: Any) -> Any:
    """Declare a field with an SQL type of its own: `varchar(40)`."""
    return field(metadata={"sql": sql_type}, **more)


@dataclass(frozen=True, kw_only=True)
class Command:
    """The requester, on whose behalf it acts, and its idempotency key, if any."""

    # The composite type, and the field that holds the id of the record to create.
    sql_type: ClassVar[str]
    id_field: ClassVar[str] = "id"
    # The function to install, if any: see `function_sql`.
    function: ClassVar[str] = ""
    # Whether it skips what it cannot execute, so that `<function>_reject` gives the reason.
    skips_rejected: ClassVar[bool] = False

    organisation: UUID
    member: UUID | None
    actor: str
    method: str | None = None
    path: str | None = None
    key: str | None = None
    body_hash: str | None = None

    @classmethod
    def type_sql(cls) -> str:
        """Return the statement that creates the composite type."""
        hints = get_type_hints(cls)
        columns = (
            f"{each.name} {each.metadata.get('sql') or _sql_type(hints[each.name])}"
            for each in fields(cls)
        )
        return f"CREATE TYPE {cls.sql_type} AS ({', '.join(columns)});"

    @classmethod
    def function_sql(cls) -> str:
        """Return the statements that create `function`, which executes each command once.

        A file of the subject defines `<function>_execute(<sql_type>[])`, which returns the id and
        the response of each command that it executed. Of several commands it may skip some. What
        it cannot execute at all it rejects by an error, or skips when `skips_rejected`: then
        `<function>_reject(<sql_type>)` raises the reason. If there is none, it creates what was
        missing, such as an account, and the command is executed again.
        """
        names = {"function": cls.function, "type": cls.sql_type, "id": cls.id_field}
        rejection = _REJECTION.format(**names) if cls.skips_rejected else ""
        return _FUNCTION.format(**names, rejection=rejection)

    def with_key(self, claim: IdempotencyClaim | None) -> Self:
        """Return the command with the idempotency key of `claim`, if any."""
        return self if claim is None else replace(self, **claim.key_fields())  # type: ignore[arg-type]

    @property
    def created_id(self) -> str:
        """The id of the record to create, as text."""
        return str(getattr(self, self.id_field))


def as_json(commands: Sequence[Command]) -> str:
    """Return `commands` as the JSON array that SQL functions take."""
    return msgspec.json.encode(commands).decode()


def _sql_type(hint: Any) -> str:
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not type(None)]
    [kind] = kinds
    return _SQL_TYPES[kind]


# In a batch, commands that cannot be executed are skipped without a trace and must be sent again
# alone.
_FUNCTION = """
CREATE FUNCTION {function}(
    p_commands jsonb, p_wait_ms integer, p_retention interval, p_status_code integer, p_message text
) RETURNS TABLE (id uuid, status_code integer, message text, data text, replayed boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_alone boolean := jsonb_array_length(p_commands) = 1;
    v_wait text := current_setting('lock_timeout');
    v_new {type}[] := '{{}}';
    v_before {type};
    v_done uuid[];
    v_answers text[];
    o {type};
BEGIN
    -- Claim keys in a fixed order to avoid deadlocks.
    FOREACH o IN ARRAY ARRAY(
        SELECT c FROM jsonb_populate_recordset(NULL::{type}, p_commands) c
        ORDER BY c.organisation, c.method, c.path, c.key, c.{id}
    ) LOOP
        IF o.key IS NOT NULL THEN
            IF (o.organisation, o.method, o.path, o.key)
                = (v_before.organisation, v_before.method, v_before.path, v_before.key)
            THEN
                CONTINUE;
            END IF;
            v_before := o;
            SELECT o.{id}, c.status_code, c.message, c.data, true
                INTO id, status_code, message, data, replayed
                FROM claim_idempotency_key(
                    o.organisation, o.method, o.path, o.key, o.body_hash, p_wait_ms, p_retention) c;
            IF status_code IS NOT NULL THEN
                RETURN NEXT;
                CONTINUE;
            END IF;
        END IF;
        v_new := v_new || o;
    END LOOP;
    IF cardinality(v_new) = 0 THEN
        RETURN;
    END IF;

    IF NOT v_alone THEN
        -- A row locked for long must not block the batch: after a second all run separately.
        PERFORM set_config('lock_timeout', '1s', true);
    END IF;
    SELECT coalesce(array_agg(e.done), '{{}}'), coalesce(array_agg(e.answer), '{{}}')
        INTO v_done, v_answers FROM {function}_execute(v_new) e;{rejection}
    IF NOT v_alone THEN
        PERFORM set_config('lock_timeout', v_wait, true);
    END IF;

    FOREACH o IN ARRAY v_new LOOP
        IF o.{id} = ANY (v_done) THEN
            id := o.{id};
            status_code := p_status_code;
            message := p_message;
            data := v_answers[array_position(v_done, o.{id})];
            replayed := false;
            IF o.key IS NOT NULL THEN
                PERFORM store_idempotent_response(
                    o.organisation, o.method, o.path, o.key, status_code, message, data);
            END IF;
            RETURN NEXT;
        ELSIF o.key IS NOT NULL THEN
            PERFORM release_idempotency_key(o.organisation, o.method, o.path, o.key);
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION {function} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {function} TO exchange_runtime;
"""

_REJECTION = """
    IF cardinality(v_done) = 0 AND v_alone THEN
        o := v_new[1];
        PERFORM {function}_reject(o);
        -- Not rejected: what was missing exists now.
        SELECT array_agg(e.done), array_agg(e.answer) INTO v_done, v_answers
            FROM {function}_execute(v_new) e;
        IF v_done IS NULL THEN
            -- Rejected meanwhile.
            PERFORM {function}_reject(o);
            RAISE EXCEPTION '{function}: % was not executed', o.{id};
        END IF;
    END IF;"""
