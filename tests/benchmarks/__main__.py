"""`make bench`: runs the benchmarks, prints ratios, writes `build/bench/<name>.json`."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks import back_office, exports, loans, orders, portfolio, tokens, withdrawals
from tests.benchmarks.stage import prepared

BENCHMARKS: dict[str, Callable[..., dict[str, Any]]] = {
    "back_office": back_office.run,
    "exports": exports.run,
    "loans": loans.run,
    "orders": orders.run,
    "portfolio": portfolio.run,
    "tokens": tokens.run,
    "withdrawals": withdrawals.run,
}
_REPORTS = {"back_office": back_office.report, "exports": exports.report}
# What is larger with `--full`, which takes long.
FULL: dict[str, dict[str, Any]] = {
    "back_office": {"sizes": back_office.FULL_SIZES},
    "exports": {"rows": exports.FULL_ROWS},
    "tokens": {"sizes": tokens.FULL_SIZES},
    "portfolio": {"holdings": portfolio.HOLDINGS_FULL},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(BENCHMARKS), help="which to run")
    parser.add_argument("--seconds", type=float, default=4, help="length of one measurement")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each contender")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--full", action="store_true", help="tables at their full size")
    parser.add_argument("--tokens", type=int, nargs="+", help="numbers of tokens to list among")
    parser.add_argument("--rows", type=int, nargs="+", help="numbers of rows to export")
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        sizes = dict(FULL.get(name, {})) if options.full else {}
        if name == "tokens" and options.tokens:
            sizes["sizes"] = sorted(options.tokens)
        if name == "exports" and options.rows:
            sizes["rows"] = sorted(options.rows)
        with prepared() as stage:
            figures = BENCHMARKS[name](
                stage,
                seconds=options.seconds,
                rounds=options.rounds,
                connections=options.connections,
                **sizes,
            )
        result = {
            "benchmark": name,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "seconds": options.seconds,
            "rounds": options.rounds,
            "connections": options.connections,
            "figures": figures,
        }
        (options.out / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")
        _print(name, figures)


def _print(name: str, figures: dict[str, Any]) -> None:
    if name in _REPORTS:
        _REPORTS[name](figures)
        return
    for scenario, figure in figures.items():
        print(f"{name}, {scenario}")
        for contender, rate in figure["per_second"].items():
            times = figure["ours_times"].get(contender)
            ratio = f"   ours is {times:g} times this" if times else ""
            cost = figure.get("cpu_milliseconds", {}).get(contender, {})
            spent = "".join(f"   {part} {ms:.2f} ms" for part, ms in cost.items())
            print(f"  {contender:<18}{rate:>10,.0f} /s{spent}{ratio}")
        if "ours_growth" in figure:
            time, cpu = figure["ours_growth"]
            anew = figure["ours_after_a_change_milliseconds"]
            print(
                f"  ours takes {time:g} times as long as in the first table, {cpu:g} times the CPU;"
                f" the first request after a change {anew:g} ms"
            )


if __name__ == "__main__":
    main()
