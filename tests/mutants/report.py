"""Reports of the outcomes of mutants: as text, Markdown and JSON."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.mutants.faults import (
    INVALID,
    KILLED,
    NOT_COVERED,
    SURVIVED,
    TIMED_OUT,
    UNDECIDED,
    Mutant,
    Outcome,
)

EQUIVALENT = "equivalent"
_COLUMNS = (KILLED, TIMED_OUT, SURVIVED, NOT_COVERED, EQUIVALENT)


@dataclass
class Report:
    """Every mutant of a run with its outcome."""

    title: str
    facts: dict[str, str]
    outcomes: Sequence[tuple[Mutant, Outcome]]
    equivalent: dict[str, str] = field(default_factory=dict)

    def result(self, mutant: Mutant, outcome: Outcome) -> str:
        """Return the result that a mutant counts as."""
        spared = outcome.result in (SURVIVED, NOT_COVERED) and mutant.key in self.equivalent
        return EQUIVALENT if spared else outcome.result

    @property
    def counted(self) -> Counter[str]:
        """The number of mutants of each result."""
        return Counter(self.result(mutant, outcome) for mutant, outcome in self.outcomes)

    @property
    def score(self) -> float:
        """The killed share of all relevant mutants, in percent."""
        return _score(self.counted)

    @property
    def survivors(self) -> list[tuple[Mutant, Outcome]]:
        """Mutants that no test killed and that are not listed as equivalent."""
        return [
            (mutant, outcome)
            for mutant, outcome in self.outcomes
            if self.result(mutant, outcome) in (SURVIVED, NOT_COVERED)
        ]

    def markdown(self) -> str:
        """Return the whole report."""
        modules: dict[str, Counter[str]] = defaultdict(Counter)
        for mutant, outcome in self.outcomes:
            modules[mutant.module][self.result(mutant, outcome)] += 1
        lines = [f"# {self.title}", "", *(f"- {name}: {text}" for name, text in self.facts.items())]
        for result in (INVALID, UNDECIDED):
            if self.counted[result]:
                lines.append(f"- Not counted, {result}: {self.counted[result]}")
        lines += ["", f"| Module | Mutants | {' | '.join(_COLUMNS).capitalize()} | Score |"]
        lines.append("|---|" + "---:|" * (len(_COLUMNS) + 2))
        lines += [_row(name, counts) for name, counts in sorted(modules.items())]
        lines += [_row("**All**", self.counted), "", f"## Survivors ({len(self.survivors)})", ""]
        for mutant, outcome in self.survivors:
            lines += _described(mutant, outcome)
        spared = [
            mutant for mutant, outcome in self.outcomes
            if self.result(mutant, outcome) == EQUIVALENT
        ]  # fmt: skip
        if spared:
            lines += ["## Justified as equivalent", ""]
            lines += [f"- `{mutant.key}`: {self.equivalent[mutant.key]}" for mutant in spared]
        return "\n".join(lines) + "\n"

    def document(self) -> str:
        """Return the report as JSON, with the test that killed each mutant."""
        rows = [
            {**mutant.document(), **asdict(outcome), "result": self.result(mutant, outcome)}
            for mutant, outcome in self.outcomes
        ]
        totals = {"score": round(self.score, 1), **self.counted}
        return json.dumps(
            {"title": self.title, "facts": self.facts, "totals": totals, "mutants": rows}, indent=1
        )

    def write(self, folder: Path, name: str) -> Path:
        """Write both files and return the path of the Markdown one."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(self.document())
        path = folder / f"{name}.md"
        path.write_text(self.markdown())
        return path


def _row(name: str, counts: Counter[str]) -> str:
    total = sum(counts[each] for each in _COLUMNS)
    cells = " | ".join(str(counts[each]) for each in _COLUMNS)
    shown = f"{_score(counts):.0f} %" if total > counts[EQUIVALENT] else ""
    return f"| {name} | {total} | {cells} | {shown} |"


def _score(counts: Counter[str]) -> float:
    killed = counts[KILLED] + counts[TIMED_OUT]
    total = killed + counts[SURVIVED] + counts[NOT_COVERED]
    return 100 * killed / total if total else 100.0


def _described(mutant: Mutant, outcome: Outcome) -> list[str]:
    tests = f"{outcome.tests} tests" if outcome.result == SURVIVED else NOT_COVERED
    left_out = f", {outcome.left_out} left out" if outcome.left_out else ""
    return [
        f"{mutant.module}:{mutant.line} {mutant.operator} ({tests}{left_out})",
        "",
        "```diff",
        *(f"-{line}" for line in mutant.before.splitlines()),
        *(f"+{line}" for line in mutant.after.splitlines()),
        "```",
        "",
    ]
