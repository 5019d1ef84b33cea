"""Run the benchmarks (`make bench`), print ratios, write `build/bench/<name>.json`.

With `--beside` the exchange is compared with an earlier version of itself. Exits with 1 when the
whole interval of a ratio lies below the minimum, or a required ratio to a peer is missed.
"""

import argparse
import contextlib
import json
import os
import platform
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks import (
    back_office,
    customers,
    deposits,
    distributions,
    exports,
    growth,
    loans,
    market,
    orders,
    pooler,
    portfolio,
    printing,
    replica,
    requests,
    streams,
    tokens,
    transfers,
    webhooks,
    withdrawals,
)
from tests.benchmarks.comparison import add_comparisons, failures
from tests.benchmarks.earlier_version import RELEASE, checked_out, commit_of
from tests.benchmarks.installation import Version, prepared

BENCHMARKS: dict[str, Callable[..., dict[str, Any]]] = {
    "back_office": back_office.run,
    "customers": customers.run,
    "deposits": deposits.run,
    "distributions": distributions.run,
    "exports": exports.run,
    "growth": growth.run,
    "loans": loans.run,
    "market": market.run,
    "orders": orders.run,
    "pooler": pooler.run,
    "portfolio": portfolio.run,
    "printing": printing.run,
    "replica": replica.run,
    "requests": requests.run,
    "streams": streams.run,
    "tokens": tokens.run,
    "transfers": transfers.run,
    "webhooks": webhooks.run,
    "withdrawals": withdrawals.run,
}
_REPORTS = {
    "back_office": back_office.report,
    "customers": customers.report,
    "deposits": deposits.report,
    "distributions": distributions.report,
    "exports": exports.report,
    "growth": growth.report,
    "market": market.report,
    "pooler": pooler.report,
    "printing": printing.report,
    "replica": replica.report,
    "streams": streams.report,
    "webhooks": webhooks.report,
}
# Sizes with `--full`, which takes long.
FULL: dict[str, dict[str, Any]] = {
    "back_office": {"sizes": back_office.FULL_SIZES},
    "customers": {"sizes": customers.FULL_SIZES},
    "distributions": {"holders": distributions.FULL_HOLDERS},
    "exports": {"rows": exports.FULL_ROWS},
    "growth": {"sizes": growth.FULL_SIZES},
    "market": {"trades": market.FULL_TRADES},
    "tokens": {"sizes": tokens.FULL_SIZES},
    "portfolio": {"holdings": portfolio.HOLDINGS_FULL},
}
# Benchmarks that can measure an earlier version.
COMPARABLE = ("withdrawals", "transfers", "tokens", "orders", "loans")


def main() -> int:
    """Run the requested benchmarks; return 1 on a loss of speed or a missed requirement."""
    # A signal to this process also ends its servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended."))
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    commit = options.compared_with
    missed: list[str] = []
    with contextlib.ExitStack() as resources:
        earlier = resources.enter_context(checked_out(commit, options.out)) if commit else None
        for name in options.names:
            figures = _measure(name, options, earlier)
            if commit:
                add_comparisons(figures)
            result = {
                "benchmark": name,
                "beside": commit,
                "at": datetime.now(UTC).isoformat(timespec="seconds"),
                "python": platform.python_version(),
                "cores": os.cpu_count(),
                "seconds": options.seconds,
                "rounds": options.rounds,
                "connections": options.connections,
                "figures": figures,
            }
            file = options.out / f"{name}{'-beside' if commit else ''}.json"
            file.write_text(json.dumps(result, indent=2) + "\n")
            _print(name, figures)
            missed += [f"{name}, {failure}" for failure in failures(figures)]
    for line in missed:
        print(f"MISSED: {line}")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmarks to run; default: all that apply")
    parser.add_argument(
        "--beside",
        dest="compared_with",
        metavar="REV",
        help=f"{', '.join(COMPARABLE)} compared with an earlier version: a git revision or"
        f" {RELEASE} for the last release; most peers are left out",
    )
    parser.add_argument(
        "--seconds", type=float, help="length of one measurement (default: 4, with --beside 2)"
    )
    parser.add_argument(
        "--rounds", type=int, help="measurements of each contender (default: 5, with --beside 20)"
    )
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--full", action="store_true", help="use tables of full size")
    parser.add_argument("--tokens", type=int, nargs="+", help="sizes of the token table")
    parser.add_argument("--entries", type=int, nargs=2, help="numbers of entries to compare")
    parser.add_argument("--trades", type=int, help="number of trades of market data")
    parser.add_argument("--members", type=int, nargs=2, help="numbers of members to compare")
    parser.add_argument("--rows", type=int, nargs="+", help="numbers of rows to export")
    parser.add_argument("--holders", type=int, help="number of holders to pay")
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    if options.compared_with:
        try:
            options.compared_with = commit_of(options.compared_with)
        except RuntimeError as error:
            parser.error(str(error))
    possible = COMPARABLE if options.compared_with else tuple(BENCHMARKS)
    options.names = options.names or list(possible)
    if unknown := [name for name in options.names if name not in possible]:
        parser.error(f"{', '.join(unknown)}: not among {', '.join(possible)}")
    options.seconds = options.seconds or (2 if options.compared_with else 4)
    options.rounds = options.rounds or (20 if options.compared_with else 5)
    return options


def _measure(name: str, options: argparse.Namespace, version: Version | None) -> dict[str, Any]:
    given: dict[str, Any] = dict(FULL.get(name, {})) if options.full else {}
    if name == "tokens" and options.tokens:
        given["sizes"] = sorted(options.tokens)
    if name == "exports" and options.rows:
        given["rows"] = sorted(options.rows)
    if name == "customers" and options.members:
        given["sizes"] = sorted(options.members)
    if name == "distributions" and options.holders:
        given["holders"] = options.holders
    if name == "market" and options.trades:
        given["trades"] = options.trades
    if name == "growth" and options.entries:
        given["sizes"] = sorted(options.entries)
    with prepared() as installation:
        if version:
            given["earlier"] = installation.install_version(version)
        return BENCHMARKS[name](
            installation,
            seconds=options.seconds,
            rounds=options.rounds,
            connections=options.connections,
            **given,
        )


def _print(name: str, figures: dict[str, Any]) -> None:
    if name in _REPORTS:
        _REPORTS[name](figures)
        return
    for scenario, figure in figures.items():
        print(f"{name}, {scenario}")
        for contender, rate in figure["per_second"].items():
            times = figure["ours_times"].get(contender)
            ratio = f"   ours: {times:g} times as fast" if times else ""
            cost = figure.get("cpu_milliseconds", {}).get(contender, {})
            spent = "".join(f"   {part} {ms:.2f} ms" for part, ms in cost.items())
            print(f"  {contender:<18}{rate:>10,.0f} /s{spent}{ratio}")
        if comparison := figure.get("beside"):
            rounds = " ".join(f"{ratio:.3f}" for ratio in comparison["ratios"])
            print(
                f"  ratios to the earlier version, by round: {rounds}\n"
                f"  median ratio {comparison['median']:.3f}, confidence interval"
                f" {comparison['low']:.3f} to {comparison['high']:.3f}"
                f" ({comparison['confidence']:.1%})"
            )
        for contender, least in figure.get("bars", {}).items():
            print(f"  at least {least:g} times {contender} is required")
        if "ours_growth" in figure and not comparison:
            time, cpu = figure["ours_growth"]
            anew = figure["ours_after_a_change_milliseconds"]
            print(
                f"  ours takes {time:g} times as long as in the first table, {cpu:g} times the CPU;"
                f" the first request after a change {anew:g} ms"
            )


if __name__ == "__main__":
    sys.exit(main())
