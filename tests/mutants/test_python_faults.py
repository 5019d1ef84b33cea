"""Python faults: which are generated, and that they take effect in a running process."""

from pathlib import Path

import pytest
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator

from tests.mutants import python_faults, sample
from tests.mutants.code_replacement import NotReplaceable, replace_code
from tests.mutants.operators import CatchNothing, RemoveCall, RemoveTerm

_ROOT = Path(__file__).parent.parent.parent
_PATH = Path(sample.__file__).relative_to(_ROOT)
_SOURCE = """
from django.db.models import Q

def f(rows: list[int] | None, logger) -> bool | None:
    assert rows is not None
    logger.info("more than %s", 5)
    require(rows)
    return rows.filter(owner=1, currency="KES")
"""


def test_the_faults_of_a_module_are_exactly_these() -> None:
    made = python_faults.mutants(_ROOT, python_faults.places(_ROOT, [_PATH]))

    assert [(mutant.operator, mutant.line, mutant.after) for mutant in made] == [
        ("NumberReplacer", 3, "LOWEST = 11"),
        ("NumberReplacer", 3, "LOWEST = 9"),
        ("NumberReplacer", 6, "def is_enough(amount: int, fee: int = 1) -> bool:"),
        ("NumberReplacer", 6, "def is_enough(amount: int, fee: int = -1) -> bool:"),
        ("AddNot", 8, "if not amount < 0:"),
        ("ReplaceComparisonOperator_Lt_LtE", 8, "if amount <= 0:"),
        ("ReplaceComparisonOperator_Lt_GtE", 8, "if amount >= 0:"),
        ("NumberReplacer", 8, "if amount < 1:"),
        ("NumberReplacer", 8, "if amount < -1:"),
        ("ReplaceComparisonOperator_GtE_Gt", 10, "return amount - fee > LOWEST"),
        ("ReplaceComparisonOperator_GtE_Lt", 10, "return amount - fee < LOWEST"),
        ("ReplaceBinaryOperator_Sub_Add", 10, "return amount + fee >= LOWEST"),
    ]


def test_checks_and_conditions_are_left_out_but_no_assertion_log_line_or_annotation(
    tmp_path: Path,
) -> None:
    (tmp_path / "rule.py").write_text(_SOURCE)

    made = python_faults.mutants(tmp_path, python_faults.places(tmp_path, [Path("rule.py")]))

    assert [mutant.key for mutant in made] == [
        "rule.py: require(rows) -> pass",
        'rule.py: return rows.filter(owner=1, currency="KES")'
        ' -> return rows.filter(**{}, currency="KES")',
        'rule.py: return rows.filter(owner=1, currency="KES")'
        ' -> return rows.filter(owner= 2, currency="KES")',
        'rule.py: return rows.filter(owner=1, currency="KES")'
        ' -> return rows.filter(owner= 0, currency="KES")',
        'rule.py: return rows.filter(owner=1, currency="KES") -> return rows.filter(owner=1, **{})',
    ]


def test_a_change_that_is_no_python_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "rule.py").write_text('RULES = {**OTHERS, "a": f(**OTHERS)}\n')

    assert not python_faults.mutants(tmp_path, python_faults.places(tmp_path, [Path("rule.py")]))


@pytest.mark.parametrize("operator", [CatchNothing, RemoveCall, RemoveTerm])
def test_an_operator_of_ours_does_what_its_examples_say(operator: type[Operator]) -> None:
    for example in operator.examples():
        changed = mutate_code(example.pre_mutation_code, operator(), example.occurrence)
        assert changed == example.post_mutation_code


def test_a_sample_follows_from_its_seed() -> None:
    every = list(range(1000))

    assert python_faults.sample(every, 5, "a") == python_faults.sample(every, 5, "a")
    assert python_faults.sample(every, 5, "a") != python_faults.sample(every, 5, "b")
    assert python_faults.sample(every, 0, "a") == every


def test_a_fault_of_a_function_is_in_force_for_whoever_imported_it() -> None:
    source, imported = (_ROOT / _PATH).read_text(), sample.is_enough
    changed = source.replace(">= LOWEST", "> LOWEST")

    assert imported(10)
    replace_code(_PATH, source, changed)
    try:
        assert not imported(10)
    finally:
        replace_code(_PATH, changed, source)
    assert imported(10)


@pytest.mark.parametrize(
    ("before", "after"), [("LOWEST = 10", "LOWEST = 11"), ("fee: int = 0", "fee: int = 1")]
)
def test_what_runs_at_import_is_not_replaced(before: str, after: str) -> None:
    source = (_ROOT / _PATH).read_text()

    with pytest.raises(NotReplaceable):
        replace_code(_PATH, source, source.replace(before, after))


def test_rules_are_looked_for_in_every_part() -> None:
    config = {str(path) for path in python_faults.rule_modules(_ROOT, "config")}
    assert {"config/metrics/readings.py", "config/back_office/roles.py"} <= config
    assert not [
        name for name in config if name.startswith(("config/settings/", "config/local/demo/"))
    ]
    framework = {str(path) for path in python_faults.rule_modules(_ROOT, "exchange/api")}
    assert {"exchange/api/throttling.py", "exchange/api/fields.py"} <= framework
    views = {str(path) for path in python_faults.rule_modules(_ROOT, "wallets")}
    assert not [name for name in views if name.endswith("/api.py")]
