"""Mutants of what is declared in SQL: triggers with their arguments, and rows of transfer rules.

A guard may be right and hold nothing, because a trigger gives it another state than its table has.
"""

import json
from typing import Any

import psycopg

from tests.mutants.faults import Mutant, numbered

# Signature of the function, table, name, definition up to the arguments, and these.
_TRIGGERS = """
SELECT p.oid::regprocedure::text, t.tgrelid::regclass::text, t.tgname,
       split_part(pg_get_triggerdef(t.oid), ' EXECUTE FUNCTION ', 1) || ' EXECUTE FUNCTION '
           || p.oid::regproc, encode(t.tgargs, 'escape')
FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND p.pronamespace = 'public'::regnamespace
ORDER BY 2, 3
"""
_RULES = "SELECT to_jsonb(r) FROM wallets_transferrule r ORDER BY kind"
# Every transfer calls the function that reads the rules.
_READER = "transfer_justified()"


def read_declarations(connection: psycopg.Connection[Any]) -> dict[str, Any]:
    """Return the database's triggers and transfer rules, as JSON."""
    triggers = [
        (*about, arguments.split("\\000")[:-1])
        for *about, arguments in connection.execute(_TRIGGERS).fetchall()
    ]
    return {"triggers": triggers, "rules": [row for (row,) in connection.execute(_RULES)]}


def mutants_of(declarations: dict[str, Any]) -> list[Mutant]:
    """Return every mutant, as statements that the owner of the tables executes."""
    made = [each for trigger in declarations["triggers"] for each in _of_trigger(*trigger)]
    return numbered([*made, *(each for rule in declarations["rules"] for each in _of_rule(rule))])


def variants(text: str) -> list[str]:
    """Return slips of an argument: a list or object without one of its parts, another word."""
    if text.startswith("{") and ":" in text:
        parts = json.loads(text)
        return [json.dumps({k: v for k, v in parts.items() if k != left}) for left in parts]
    braces = text.startswith("{")
    parts = [part.strip() for part in text.strip("{}").split(",")]
    if not braces and len(parts) == 1:
        return [f"{text}x"] if text else []
    shorter = [",".join(parts[:n] + parts[n + 1 :]) for n in range(len(parts)) if parts[n]]
    return [f"{{{each}}}" if braces else each for each in shorter]


def _of_trigger(
    function: str, table: str, name: str, definition: str, arguments: list[str]
) -> list[Mutant]:
    dropped = f"DROP TRIGGER {name} ON {table}"
    before = f"{name} on {table}: {', '.join(arguments)}"
    made = [_mutant(function, "trigger left out", before, "", dropped)]
    for place, argument in enumerate(arguments):
        for text in variants(argument):
            changed = [*arguments[:place], text, *arguments[place + 1 :]]
            call = f"{definition}({', '.join(_quoted(each) for each in changed)})"
            after = f"{name} on {table}: {', '.join(changed)}"
            made.append(_mutant(function, "argument changed", before, after, f"{dropped}; {call}"))
    return made


def _of_rule(rule: dict[str, Any]) -> list[Mutant]:
    made = []
    for column in ("leaves", "enters", "states", "reference", "record", "by_service"):
        value = rule[column]
        changed: list[Any]
        if isinstance(value, list):
            changed = [value[:n] + value[n + 1 :] for n in range(len(value))]
        else:
            changed = [not value] if isinstance(value, bool) else [f"{value}x"]
        for each in changed:
            # The tests restore tables from their copies.
            text = "; ".join(_update(f"{schema}.wallets_transferrule", rule["kind"], column, each)
                             for schema in ("public", "seed"))  # fmt: skip
            shown = f"rule {rule['kind']}: {column} = {{}}"
            made.append(
                _mutant(_READER, "rule changed", shown.format(value), shown.format(each), text)
            )
    return made


def _update(table: str, kind: str, column: str, value: Any) -> str:
    text = _quoted(json.dumps({column: value}))
    return (
        f"UPDATE {table} r SET {column} = n.{column}"
        f" FROM jsonb_populate_record(NULL::{table}, {text}) n WHERE r.kind = {_quoted(kind)}"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _mutant(function: str, operator: str, before: str, after: str, text: str) -> Mutant:
    return Mutant(
        module=function, line=1, operator=operator, before=before, after=after, first=1, last=1,
        text=text,
    )  # fmt: skip
