"""The choice of mutants of SQL by a part of their name."""

from pathlib import Path

from tests.mutants.covering_tests import CoveringTests

_ROOT = Path(__file__).resolve().parent.parent.parent


def test_a_function_is_chosen_by_its_name_or_the_folder_of_its_file(tmp_path: Path) -> None:
    covering = CoveringTests(_ROOT, tmp_path)
    signature = "entitled_units(uuid)"
    assert covering.is_about(signature, "entitled")
    assert covering.is_about(signature, "credit/distributions")
    assert not covering.is_about(signature, "credit/loans")
    assert not covering.is_about("no_such_function()", "credit/distributions")
