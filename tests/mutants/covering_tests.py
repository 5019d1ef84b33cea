"""The tests that cover a line or a function, in the order to run them.

Read from the files of `recording`. A line that runs at import (a constant, a decorator, a field of
a class) is covered by the tests that run code which mentions its name.
"""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, cached_property
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import coverage

from tests.mutants.faults import Mutant
from tests.mutants.python_faults import APPS, Span, statements

# How many declarations a name is followed through: a filter, its filter set, a view.
_MOST_STEPS = 3
_QUICK_SECONDS = 3.0
_CREATED = re.compile(r"FUNCTION (\w+)\(")


class CoveringTests:
    """The tests of a recording, without those that failed."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._data = coverage.CoverageData(basename=str(folder / "coverage"), no_disk=True)
        self.tests: dict[str, dict[str, Any]] = {}
        for path in sorted(folder.glob("tests-*.json")):
            self.tests.update(json.loads(path.read_text()))
        for path in sorted(folder.glob("coverage-*")):
            part = coverage.CoverageData(basename=str(path))
            part.read()
            self._data.update(part, map_path=self._relative)
        # A recording of an earlier state may name deleted files.
        self.tests = {
            name: test
            for name, test in self.tests.items()
            if test["passed"] and (root / name.partition("::")[0]).exists()
        }
        self._functions: dict[str, set[str]] = defaultdict(set)
        for name, test in self.tests.items():
            for function in test["functions"]:
                self._functions[function].add(name)

    def of_python(self, mutant: Mutant) -> set[str]:
        """Return the tests that run the statement of a mutant."""
        span = (mutant.first, mutant.last)
        found = self._of_lines(mutant.module, span)
        # Code that runs at import affects all tests but is not recorded for any of them.
        if self.is_imported(mutant):
            found |= self._of_names(mutant.module, mutant.line)
        return found

    def is_imported(self, mutant: Mutant) -> bool:
        """Return whether the mutant's statement runs while its module is imported."""
        lines = self._lines(mutant.module)
        return any("" in lines.get(n, ()) for n in range(mutant.first, mutant.last + 1))

    def of_function(self, name: str, definitions: dict[str, str]) -> set[str]:
        """The tests in which the server counted a call of a function, or of one that mentions it:
        a short function of SQL becomes part of the statement around it, and is not counted. A call
        that ends in an error is not counted either: all tests of a file are taken if one is.
        """
        wanted, found = {name}, self._with_file(self._functions[name])
        if not definitions[name].lower().count("language sql"):
            return found
        waiting = [name]
        while waiting:
            bare = re.compile(rf"\b{re.escape(waiting.pop().partition('(')[0])}\b")
            for other, definition in definitions.items():
                if other not in wanted and bare.search(definition.partition("\n")[2]):
                    wanted.add(other)
                    found |= self._functions[other]
                    if "language sql" in definition.lower():
                        waiting.append(other)
        return found

    def _with_file(self, names: set[str]) -> set[str]:
        """Return the tests with all others of their files."""
        files = {name.partition("::")[0] for name in names}
        return {name for name in self.tests if name.partition("::")[0] in files}

    def ordered(self, names: Iterable[str], module: str) -> list[str]:
        """The likeliest and quickest first: the file that is called after the module; files that
        are about it, of the app's own tests before all others; then files of the app, and the rest.
        Of the files of one kind each gives its quickest, then each its next.
        """
        files: dict[str, list[str]] = defaultdict(list)
        for name in names:
            files[name.partition("::")[0]].append(name)
        # Tests of `withdrawal_guard(…)` and `services/withdrawals.py` are named after them, and lie
        # where a function's file does.
        bare = module.partition("(")[0]
        place = module if bare == module else self._files_of_functions.get(bare, "")
        words = {word.removesuffix("s") for word in Path(bare).stem.lower().split("_")}
        words = {word for word in words if len(word) > 3}
        # Names that a test imports or calls.
        mention = bare.removesuffix(".py").replace("/", ".")
        app, subject = (*place.split("/"), "")[:2]
        own = f"test_{Path(bare).stem}.py"
        if bare != module:
            words = {subject.removesuffix("s")} - {""} or words

        def likelihood(file: str) -> int:
            if file.startswith(f"tests/{app}/") and file.endswith(f"/{own}"):
                return -1
            near = mention in self._text(file) or any(word in file for word in words)
            home = file.startswith(f"tests/{app}/") and "/admin/" not in file
            return (0 if near else 2) + (0 if home else 1)

        kinds: dict[int, list[list[str]]] = defaultdict(list)
        for file, tests in files.items():
            kinds[likelihood(file)].append(sorted(tests, key=self.seconds))
        found = []
        for _, rows in sorted(kinds.items()):
            rows.sort(key=lambda row: self.seconds(row[0]))
            found += [name for name in chain.from_iterable(zip_longest(*rows)) if name is not None]
        # A slow test would use the time of many quick ones.
        return sorted(found, key=lambda name: self.seconds(name) > _QUICK_SECONDS)

    def is_about(self, function: str, text: str) -> bool:
        """Return whether the name of an SQL function, or the path of its file, contains a text."""
        return text in function or text in self._files_of_functions.get(function.split("(")[0], "")

    @cached_property
    def _files_of_functions(self) -> dict[str, str]:
        """Return the SQL file that defines each function, relative to the checkout, by its name."""
        found: dict[str, str] = {}
        for path in (path for app in APPS for path in self._root.glob(f"{app}/**/sql/*.sql")):
            for name in _CREATED.findall(path.read_text()):
                found.setdefault(name, str(path.relative_to(self._root)))
        return found

    def seconds(self, name: str, otherwise: float = 0.0) -> float:
        """Return the recorded duration of a test, or `otherwise`."""
        return float(self.tests[name]["seconds"]) if name in self.tests else otherwise

    def _relative(self, path: str) -> str:
        """Return a path relative to the checkout, which may be another than the recorded one."""
        parts = Path(path).parts
        start = max(index for index, part in enumerate(parts) if part in APPS)
        for index, part in enumerate(parts):
            if part in APPS and (self._root / Path(*parts[index:])).exists():
                start = index
                break
        return str(Path(*parts[start:]))

    @cache  # noqa: B019 - one for the whole run
    def _lines(self, module: str) -> dict[int, set[str]]:
        return {n: set(c) for n, c in self._data.contexts_by_lineno(module).items()}

    def _of_lines(self, module: str, span: Span) -> set[str]:
        lines = self._lines(module)
        return {
            name
            for number in range(span[0], span[1] + 1)
            for name in lines.get(number, ())
            if name in self.tests
        }

    def _of_names(self, module: str, line: int) -> set[str]:
        found: set[str] = set()
        names = self._declared(module)[line]
        asked: set[str] = set()
        head = _body_of(self._tree(module), line)
        if head is not None:  # a decorator or default value: the tests that call the function
            found |= self._of_lines(module, head)
        for _ in range(_MOST_STEPS):
            following = set()
            places = {place for name in names - asked for place in self._mentions.get(name, ())}
            for other, number in places:
                run = self._of_lines(other, self._statements(other).get(number, (number, number)))
                found |= run
                if not run:
                    following |= self._declared(other)[number]
            asked |= names
            names = following
        return found

    @cache  # noqa: B019 - one for the whole run
    def _text(self, file: str) -> str:
        return (self._root / file).read_text()

    @cache  # noqa: B019 - one for the whole run
    def _tree(self, module: str) -> ast.Module:
        return ast.parse((self._root / module).read_text())

    @cache  # noqa: B019 - one for the whole run
    def _statements(self, module: str) -> dict[int, Span]:
        return statements((self._root / module).read_text())

    @cache  # noqa: B019 - one for the whole run
    def _declared(self, module: str) -> dict[int, set[str]]:
        return _declared(self._tree(module))

    @cached_property
    def _mentions(self) -> dict[str, set[tuple[str, int]]]:
        """Return the places of each word in our code, without imports."""
        found: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for path in chain.from_iterable((self._root / app).rglob("*.py") for app in APPS):
            module = str(path.relative_to(self._root))
            if "migrations" in path.parts:
                continue
            for node in ast.walk(self._tree(module)):
                if isinstance(node, ast.Name):
                    found[node.id].add((module, node.lineno))
                elif isinstance(node, ast.Attribute):
                    found[node.attr].add((module, node.end_lineno or node.lineno))
                elif isinstance(node, ast.keyword) and node.arg:
                    found[node.arg].add((module, node.lineno))
        return found


def _declared(tree: ast.Module) -> dict[int, set[str]]:
    """Return the names declared at each line: a constant, a field and its class."""
    found: dict[int, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names = {node.name}
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        elif isinstance(node, ast.Assign):
            targets = [each for target in node.targets for each in ast.walk(target)]
            names = {each.id for each in targets if isinstance(each, ast.Name)}
            first = node.lineno
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names, first = {node.target.id}, node.lineno
        else:
            continue
        for line in range(first, (node.end_lineno or first) + 1):
            found[line] |= names
    return found


def _body_of(tree: ast.Module, line: int) -> Span | None:
    """Return the lines of the function whose head is at a line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= line < node.body[0].lineno:
                return node.body[0].lineno, node.end_lineno or node.lineno
    return None
