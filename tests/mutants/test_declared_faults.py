"""Faults of declarations: exactly which are made, and that PostgreSQL takes them all."""

import pytest

from tests.environment.database import Connection
from tests.mutants.declared_faults import mutants_of, read_declarations, variants

_TRIGGER = (
    "f()", "t", "guard",
    "CREATE TRIGGER guard BEFORE INSERT ON public.t FOR EACH ROW EXECUTE FUNCTION f",
    ["paper", "", '{"a": null, "b": 1}', "x,y", "{p>q}"],
)  # fmt: skip
_RULE = {
    "kind": "gift", "leaves": ["fees"], "enters": ["available", "escrow"], "states": [],
    "reference": "gift:{id}", "record": "gifts", "by_service": False,
}  # fmt: skip


def test_the_faults_of_declarations_are_exactly_these() -> None:
    made = mutants_of({"triggers": [_TRIGGER], "rules": [_RULE]})

    guard = "guard on t: "
    assert [(each.module, each.operator, each.after) for each in made] == [
        ("f()", "trigger left out", ""),
        ("f()", "argument changed", guard + 'paperx, , {"a": null, "b": 1}, x,y, {p>q}'),
        ("f()", "argument changed", guard + 'paper, , {"b": 1}, x,y, {p>q}'),
        ("f()", "argument changed", guard + 'paper, , {"a": null}, x,y, {p>q}'),
        ("f()", "argument changed", guard + 'paper, , {"a": null, "b": 1}, y, {p>q}'),
        ("f()", "argument changed", guard + 'paper, , {"a": null, "b": 1}, x, {p>q}'),
        ("f()", "argument changed", guard + 'paper, , {"a": null, "b": 1}, x,y, {}'),
        ("transfer_justified()", "rule changed", "rule gift: leaves = []"),
        ("transfer_justified()", "rule changed", "rule gift: enters = ['escrow']"),
        ("transfer_justified()", "rule changed", "rule gift: enters = ['available']"),
        ("transfer_justified()", "rule changed", "rule gift: reference = gift:{id}x"),
        ("transfer_justified()", "rule changed", "rule gift: record = giftsx"),
        ("transfer_justified()", "rule changed", "rule gift: by_service = True"),
    ]
    assert made[0].text == "DROP TRIGGER guard ON t"
    assert made[1].text.endswith("""f('paperx', '', '{"a": null, "b": 1}', 'x,y', '{p>q}')""")


def test_a_word_is_another_and_a_list_shorter() -> None:
    assert variants("") == []
    assert variants("Approved") == ["Approvedx"]
    assert variants("status,decided_at") == ["decided_at", "status"]
    assert variants("{}") == []
    assert variants("{a, b}") == ["{b}", "{a}"]


@pytest.mark.django_db
def test_every_fault_of_the_installed_declarations_can_be_planted(owner_connection: Connection):
    made = mutants_of(read_declarations(owner_connection))
    operators = [each.operator for each in made]
    assert min(map(operators.count, ("trigger left out", "argument changed", "rule changed"))) > 90
    treasury = "treasury_movement, proposed_by_id, Pending, Approvedx, reason,approval_reason"
    assert [each for each in made if each.after.endswith(treasury)]
    for each in made:
        with owner_connection.transaction(force_rollback=True):
            owner_connection.execute(each.text.encode())
