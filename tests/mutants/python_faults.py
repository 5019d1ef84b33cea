"""Mutants of our Python code, by the operators of cosmic-ray and three of ours.

Left out: type annotations, log lines, assertions (which only inform the type checker), `__all__`,
class `Meta`, options of dataclasses, and fields of models. Of cosmic-ray's operator replacements
only plausible mistakes are made; names of variables are never changed.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

from tests.mutants.faults import Mutant, numbered
from tests.mutants.operators import CatchNothing, RemoveCall, RemoveTerm

APPS = ("exchange", "wallets", "orders", "credit", "config")
# What `--app` selects: an app, or the framework of the API, whose name views have elsewhere.
PARTS = (*APPS, "exchange/api")
# Without rules: views and tasks that call them, generated code, the provider's sandbox, and what
# starts an installation.
_NO_RULES = (
    "admin",
    "admin.py",
    "api",
    "api.py",
    "authentication.py",
    "event_schema.py",
    "hooks.py",
    "management",
    "migrations",
    "examples.py",
    "apps.py",
    "oauth.py",
    "oauth_schema.py",
    "pagination.py",
    "serializers.py",
    "shapes.py",
    "tax_api.py",
    "urls.py",
    "sandbox",
    "demo",
    "local",
    "settings",
    "__main__.py",
)
_COMPARISONS = (
    "Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt",
    "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt", "Is_IsNot", "IsNot_Is",
)  # fmt: skip
_ARITHMETIC = (
    "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul",
    "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitAnd", "RShift_LShift", "LShift_RShift",
)  # fmt: skip
_NAMES = (
    *(f"core/ReplaceComparisonOperator_{name}" for name in _COMPARISONS),
    *(f"core/ReplaceBinaryOperator_{name}" for name in _ARITHMETIC),
    *(f"core/ReplaceUnaryOperator_Delete_{name}" for name in ("Not", "USub", "Invert")),
    *(
        f"core/{name}"
        for name in (
            "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr",
            "ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak",
            "NumberReplacer", "RemoveDecorator", "ZeroIterationForLoop",
        )
    ),
)  # fmt: skip
_LOG_METHODS = {"debug", "info", "warning", "error", "exception", "critical", "log"}

# Nodes where an asterisk is not a multiplication.
_STARRED = {"parameters", "param", "arglist", "argument", "trailer", "star_expr", "lambdef"}

Span = tuple[int, int]
Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Place:
    """A place where an operator can change a file."""

    path: str
    operator: str
    occurrence: int
    line: int


def operators() -> dict[str, Any]:
    """Return every operator by its name in the report."""
    found = {name.partition("/")[2]: get_operator(name)() for name in _NAMES}
    return found | {
        "CatchNothing": CatchNothing(),
        "RemoveCall": RemoveCall(),
        "RemoveTerm": RemoveTerm(),
    }


def rule_modules(root: Path, app: str) -> list[Path]:
    """Return the files of a part that contain rules, relative to the checkout."""
    files = sorted((root / app).rglob("*.py"))
    return [
        path.relative_to(root)
        for path in files
        if not set(path.relative_to(root / app).parts).intersection(_NO_RULES)
    ]


def places(root: Path, files: list[Path]) -> list[Place]:
    """Return every place of the files, in a fixed order."""
    return [place for path in files for place in _places(str(path), (root / path).read_text())]


def sample(every: list[Drawn], size: int, seed: str) -> list[Drawn]:
    """Draw `size` of them by the seed, or all for 0."""
    if not size or size >= len(every):
        return every
    chosen = random.Random(seed).sample(range(len(every)), size)
    return [every[index] for index in sorted(chosen)]


def mutants(root: Path, chosen: list[Place]) -> list[Mutant]:
    """Return the mutants of the chosen places.

    A change without effect on the text is none, nor is one that is no Python (`{*a, "b": 1}`).
    """
    known = operators()
    found = []
    for place in chosen:
        source = (root / place.path).read_text()
        text = mutate_code(source, known[place.operator], place.occurrence)
        if text is not None and text != source and _compiles(text):
            first, last = statements(source).get(place.line, (place.line, place.line))
            before, after = changed_lines(source, text)
            found.append(
                Mutant(place.path, place.line, place.operator, before, after, first, last, text)
            )
    return numbered(found)


def _compiles(text: str) -> bool:
    try:
        compile(text, "<mutant>", "exec")
    except SyntaxError:
        return False
    return True


def changed_lines(source: str, text: str) -> tuple[str, str]:
    """Return the lines that differ."""
    old, new = source.splitlines(), text.splitlines()
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return (
        "\n".join(old[start : len(old) - end]).strip(),
        "\n".join(new[start : len(new) - end]).strip(),
    )


def statements(source: str) -> dict[int, Span]:
    """Return the first and last line of the statement around each line; of a block, its head."""
    found: dict[int, Span] = {}
    # Statements inside a block come after it and replace its range.
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            first, last = node.lineno, node.end_lineno or node.lineno
            body = getattr(node, "body", None)
            if body:
                decorators = getattr(node, "decorator_list", [])
                first = min([first, *(each.lineno for each in decorators)])
                last = max(first, body[0].lineno - 1)
            found |= dict.fromkeys(range(first, last + 1), (first, last))
    return found


def _places(path: str, source: str) -> Iterator[Place]:
    spared = _spared(path, ast.parse(source))
    counted: Counter[str] = Counter()
    known = operators()
    for node in ast_nodes(get_ast(source)):
        for name, operator in known.items():
            for (line, column), _ in operator.mutation_positions(node):
                occurrence = counted[name]
                counted[name] += 1
                if "BinaryOperator" in name and node.parent.type in _STARRED:
                    continue
                if not any(start <= (line, column) < end for start, end in spared):
                    yield Place(path, name, occurrence, line)


def _spared(path: str, tree: ast.Module) -> list[tuple[Span, Span]]:
    """Return the parts of a file where a change has no meaning."""
    found: list[Any] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            found.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
            found.append(node.returns)
        if isinstance(node, ast.Assert) or _is_log_line(node) or _is_naming(node):
            found.append(node)
        if isinstance(node, ast.ClassDef):
            found.extend(each for each in node.decorator_list if _is_dataclass(each))
        if isinstance(node, ast.ClassDef) and (
            node.name == "Meta" or Path(path).name == "models.py"
        ):
            found.extend(part for part in node.body if not isinstance(part, ast.FunctionDef))
    # The @ of a decorator precedes its name.
    return [
        ((node.lineno, 0) if _is_dataclass(node) else _start(node), _end(node)) for node in found
    ]


def _is_dataclass(node: Any) -> bool:
    return isinstance(node, ast.Name | ast.Call) and ast.unparse(node).startswith("dataclass")


def _is_log_line(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in _LOG_METHODS
        and "log" in ast.unparse(node.value.func.value).lower()
    )


def _is_naming(node: ast.AST) -> bool:
    """Return whether it is `__all__`, a type alias, or read by type checkers only."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name = node.targets[0].id
    return name == "__all__" or (
        isinstance(node.value, ast.BinOp)
        and name[:1].isupper()
        and not name.isupper()
        and "|" in ast.unparse(node.value)
    )


def _start(node: Any) -> Span:
    return node.lineno, node.col_offset


def _end(node: Any) -> Span:
    return node.end_lineno, node.end_col_offset
