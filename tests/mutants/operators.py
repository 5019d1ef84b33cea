"""Mutation operators in addition to those of cosmic-ray: a rule with a line missing."""

from collections.abc import Iterator
from typing import Any

from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Name, PythonNode
from parso.tree import NodeOrLeaf

_QUERIES = {"filter", "exclude", "get", "aget", "get_or_create", "select_for_update", "Q", "all"}
Position = tuple[tuple[int, int], tuple[int, int]]


class RemoveCall(Operator):
    """Removes a call whose result is unused, such as a check or an outbox entry."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Yield the calls that are statements."""
        if _is_call(node) and node.parent is not None and node.parent.type == "simple_stmt":
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Replace it with `pass`, which keeps the block valid."""
        return Name("pass", node.start_pos, node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("require_permission(actor)\n", "pass\n"),)


class RemoveTerm(Operator):
    """Removes one condition of a query, such as the organisation or the currency."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Yield the keyword arguments of `filter`, `get`, `Q` and similar calls."""
        if _is_keyword_argument(node) and _called_name(node) in _QUERIES:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Replace it with `**{}`, which keeps the commas."""
        return Name("**{}", node.start_pos, node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("rows.filter(a=1, b=2)", "rows.filter(**{}, b=2)"),)


class CatchNothing(Operator):
    """Lets an exception pass; cosmic-ray's own operator does not support dotted names."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Yield the exceptions that a clause catches."""
        if isinstance(node, PythonNode) and node.type == "except_clause":
            yield node.children[1].start_pos, node.children[1].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Replace it with an exception that our code never raises."""
        caught = node.children[1]
        prefix = caught.get_first_leaf().prefix
        node.children[1] = Name("GeneratorExit", caught.start_pos, prefix)
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("try: f()\nexcept OSError: g()", "try: f()\nexcept GeneratorExit: g()"),)


def _is_call(node: NodeOrLeaf) -> bool:
    """Return whether the node is a call such as `f(…)` or `a.b(…)`."""
    if not isinstance(node, PythonNode) or node.type not in ("atom_expr", "power"):
        return False
    last = node.children[-1]
    return bool(last.type == "trailer" and last.children[0].value == "(")


def _is_keyword_argument(node: NodeOrLeaf) -> bool:
    return (
        isinstance(node, PythonNode)
        and node.type == "argument"
        and len(node.children) == 3
        and getattr(node.children[1], "value", "") == "="
    )


def _called_name(argument: Any) -> str:
    """Return the last part of the called name."""
    trailer = argument.parent
    if trailer.type == "arglist":
        trailer = trailer.parent
    if trailer.type != "trailer":
        return ""
    siblings = trailer.parent.children
    before = siblings[siblings.index(trailer) - 1]
    return str(before.get_last_leaf().value)
