"""The reviewed list of equivalent mutants names mutants that exist."""

from tests.environment.database import Connection
from tests.mutants.equivalent import find_stale_keys, read_equivalent
from tests.mutants.sql_faults import read_definitions


def test_every_listed_mutant_can_still_be_made(owner_connection: Connection) -> None:
    assert find_stale_keys(read_equivalent(), read_definitions(owner_connection)) == []


def test_changes_that_cannot_be_made_are_stale() -> None:
    existing = "tests/mutants/sample.py: LOWEST = 10 -> LOWEST = 11"
    stale = [
        f"{existing} #2",
        "tests/mutants/sample.py: LOWEST = 1 -> LOWEST = 2",
        "exchange/no_such_file.py: LOWEST = 10 -> LOWEST = 11",
        "f(numeric): RETURN a < 1; -> RETURN a > 2;",
        "no_such_function(): RETURN a < 1; -> RETURN a > 1;",
    ]
    function = (
        "CREATE OR REPLACE FUNCTION public.f(a numeric)\n RETURNS boolean\n LANGUAGE plpgsql\n"
        "AS $function$\nBEGIN\n    RETURN a < 1;\nEND $function$\n"
    )
    made = [existing, "f(numeric): RETURN a < 1; -> RETURN a > 1;"]
    assert find_stale_keys([*made, *stale], {"f(numeric)": function}) == stale
