"""Write `docs/benchmark-results.md` from the result files of `make bench` (`make results`)."""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_PAGE = Path("docs") / "benchmark-results.md"
_INTRODUCTION = """# Benchmark results

`make results` writes this page from the last `make bench`. [Performance](performance.md) has more.
Ratios count, not absolute values: client, application and PostgreSQL share the machine.
"""
# Rates of contenders a second, by name in the result files. Results without peers are tables of
# their own.
_RATES = "per_second"


def render(results: Sequence[dict[str, Any]]) -> str:
    """Return the page for the contents of result files, in their order."""
    return "\n".join([_INTRODUCTION, *(line for result in results for line in _section(result))])


def _section(result: dict[str, Any]) -> Iterator[str]:
    yield f"## {result['benchmark'].replace('_', ' ').capitalize()}\n"
    yield (
        f"{result['at'][:10]}, Python {result['python']}, {result['cores']} cores,"
        f" {result['rounds']} rounds of {result['seconds']:g} s,"
        f" {result['connections']} connections.\n"
    )
    rows = result["figures"]
    compared = all("ours_times" in row for row in rows.values())
    yield from _rates(rows) if compared else _values(rows)
    yield ""


def _rates(rows: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield a line per scenario and contender: rate, and how many times as fast ours is."""
    yield "| Scenario | Contender | Per second | Ours is |"
    yield "|---|---|---|---|"
    for scenario, row in rows.items():
        for contender, rate in row[_RATES].items():
            times = row["ours_times"].get(contender)
            yield f"| {scenario} | {contender} | {rate:,.0f} | {f'{times:g}x' if times else ''} |"


def _values(rows: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield a line per scenario with its numbers."""
    numbers = {scenario: dict(_numbers(row)) for scenario, row in rows.items()}
    columns = list(next(iter(numbers.values())))
    yield f"| Scenario | {' | '.join(name.replace('_', ' ') for name in columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for scenario, row in numbers.items():
        yield f"| {scenario} | {' | '.join(f'{row[name]:,g}' for name in columns)} |"


def _numbers(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield name and value of each number, also of those by contender; rounds are lists."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{prefix}{name}, ")
        elif isinstance(value, int | float):
            yield f"{prefix}{name}", value


def main() -> None:
    """Read every result file of a folder and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("build/bench"))
    parser.add_argument("--page", type=Path, default=_PAGE)
    options = parser.parse_args()
    results = [json.loads(file.read_text()) for file in sorted(options.results.glob("*.json"))]
    # Comparisons with an earlier version say nothing about this one alone.
    results = [result for result in results if not result["beside"]]
    if not results:
        parser.error(f"no results in {options.results}: run `make bench` first")
    options.page.write_text(render(results))
    print(f"{options.page}: {len(results)} benchmarks")


if __name__ == "__main__":
    main()
