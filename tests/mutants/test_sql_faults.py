"""Faults of SQL: exactly which are made of a function."""

import pytest

from tests.mutants.sql_faults import changes, mutants_of

_FUNCTION = """CREATE OR REPLACE FUNCTION public.f(a numeric)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
    -- a < 1 AND nothing is changed here
    IF a < 1 THEN
        RAISE EXCEPTION 'less than 1' USING ERRCODE = '23514';
    END IF;
    PERFORM 1 FROM accounts x WHERE x.organisation_id = a AND x.live FOR NO KEY UPDATE OF x;
    UPDATE accounts SET total = round(a - 2, 2) WHERE currency IS NOT NULL;
END $function$
"""


def test_the_faults_of_a_function_are_exactly_these() -> None:
    made = [
        (mutant.line, mutant.operator, " ".join(mutant.after.split()))
        for mutant in mutants_of("f(numeric)", _FUNCTION)
    ]

    perform = "PERFORM 1 FROM accounts x WHERE x.organisation_id = a AND x.live"
    locked = "FOR NO KEY UPDATE OF x;"
    update = "UPDATE accounts SET total = round(a - 2, 2) WHERE currency IS NOT NULL;"
    assert sorted(made) == sorted([
        (4, "comparison turned", "IF a <= 1 THEN"),
        (4, "comparison turned", "IF a > 1 THEN"),
        (4, "constant moved", "IF a < 2 THEN"),
        (5, "RAISE left out", "NULL;"),
        # The server refuses it, so that it does not count.
        (5, "comparison turned", "RAISE EXCEPTION 'less than 1' USING ERRCODE <> '23514';"),
        (7, "call left out", "NULL;"),
        (7, "constant moved", f"{perform.replace('1', '2')} {locked}"),
        (7, "organisation term dropped", f"PERFORM 1 FROM accounts x WHERE x.live {locked}"),
        (7, "comparison turned", f"{perform.replace('=', '<>')} {locked}"),
        (7, "AND term dropped", f"{perform.removesuffix(' AND x.live')} {locked}"),
        (7, "lock dropped", f"{perform} ;"),
        (8, "comparison turned", update.replace("total =", "total <>")),
        (8, "rounding changed", update.replace("round", "trunc")),
        (8, "sign turned", update.replace("-", "+")),
        (8, "constant moved", update.replace("a - 2", "a - 3")),
        (8, "constant moved", update.replace(", 2)", ", 3)")),
        (8, "only term dropped", update.replace("currency IS NOT NULL", "true")),
        (8, "comparison turned", update.replace("IS NOT", "IS")),
    ])  # fmt: skip


def test_text_that_the_server_has_already_read_is_changed_too() -> None:
    definition = """CREATE OR REPLACE FUNCTION public.round_down(v numeric, m numeric)
 RETURNS numeric
 LANGUAGE sql
RETURN (v - (v % m))
"""

    [only] = mutants_of("round_down(numeric,numeric)", definition)

    assert only.text == definition.replace("v -", "v +")
    assert only.key == ("round_down(numeric,numeric): RETURN (v - (v % m)) -> RETURN (v + (v % m))")


@pytest.mark.parametrize(
    ("body", "operators"),
    [
        ("x BETWEEN 1 AND 2", ["comparison turned", "constant moved", "constant moved"]),
        ("count(*)", []),
        ("'a = b'", []),
        ("v := w", []),
        ("FOR n IN 1..c LOOP", ["constant moved"]),
        ("a -> 'b' ->> 'c'", []),
        ("(- a)", ["sign turned"]),
        ("a IS DISTINCT FROM b", ["comparison turned"]),
        ("JOIN t USING (id, currency)", ["join term dropped", "join term dropped"]),
        ("EXISTS (SELECT FROM t)", ["comparison turned"]),
        ("LOCK TABLE t;", ["lock dropped"]),
        ("BEGIN PERFORM pg_advisory_xact_lock(k); END", ["lock dropped"]),
        ("BEGIN RAISE NOTICE 'x'; END", []),
    ],
)
def test_a_word_is_changed_by_what_it_means(body: str, operators: list[str]) -> None:
    assert [operator for operator, *_ in changes(body)] == operators


def test_a_named_argument_keeps_its_name_when_a_term_is_dropped() -> None:
    body = "RETURN seen(who => a.old OR b.old);"
    dropped = {
        body[:start] + text + body[end:]
        for operator, start, end, text in changes(body)
        if operator == "OR term dropped"
    }
    assert dropped == {"RETURN seen(who => a.old );", "RETURN seen(who =>  b.old);"}
