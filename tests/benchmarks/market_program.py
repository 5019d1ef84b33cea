"""Market data in one process, ours and by the ORM from trades; prints milliseconds as JSON.

Run as a program under the benchmark's settings. Arguments are `write`, which writes the candles of
all hours, or `read`, the id of a token and the number of rounds. Both must give the same values.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from time import perf_counter
from typing import Any
from uuid import UUID

import django

django.setup()

from django.db.models import Count, F, Max, Min, Sum  # noqa: E402 - Django must be set up before
from django.db.models.functions import Trunc  # noqa: E402
from django.http import QueryDict  # noqa: E402
from django.utils import timezone  # noqa: E402

from orders.book.models import Trade  # noqa: E402
from orders.market.query import CandleQuery, read_query  # noqa: E402
from orders.market.selectors import read_candles, read_tickers  # noqa: E402
from orders.market.services import MAX_HOURS, write_candles  # noqa: E402

_UNITS = {"1m": "minute", "1h": "hour", "1d": "day"}
_SUMS = {
    "high": Max("price"),
    "low": Min("price"),
    "volume": Sum("tokens"),
    "value": Sum(F("price") * F("tokens")),
    "trades": Count("id"),
}


def write() -> dict[str, float]:
    started, steps = perf_counter(), 0
    while (done := write_candles()) == MAX_HOURS:
        steps += done
    return {"hours": steps + done - 1, "seconds": perf_counter() - started}


def read(token: UUID, rounds: int) -> dict[str, dict[str, list[float]]]:
    now = timezone.now()
    queries = {f"candles {name}": read_query(QueryDict(f"interval={name}"), now) for name in _UNITS}
    contenders: dict[str, dict[str, Callable[[], Any]]] = {
        name: {
            "ours": partial(read_candles, token, query, now),
            "orm": partial(orm_candles, token, query),
        }
        for name, query in queries.items()
    }
    contenders["ticker"] = {
        "ours": lambda: summary(read_tickers([token], now)[0]),
        "orm": lambda: orm_ticker(token, now),
    }
    times: dict[str, dict[str, list[float]]] = {}
    for name, pair in contenders.items():
        ours = pair["ours"]()
        if (without_prices(ours) if isinstance(ours, str) else ours) != pair["orm"]():
            raise RuntimeError(f"the contenders return different values: {name}")
        for _ in range(rounds):
            for contender, run in pair.items():
                started = perf_counter()
                run()
                took = 1000 * (perf_counter() - started)
                times.setdefault(name, {}).setdefault(contender, []).append(took)
    return times


def summary(record: Any) -> tuple[Any, ...]:
    return tuple(record[name] for name in _SUMS)


def without_prices(text: str) -> list[tuple[Any, ...]]:
    """Return candles without the first and last price, which the ORM has no aggregate for."""
    candles = json.loads(f"[{text}]", parse_float=Decimal, parse_int=Decimal)
    return [(datetime.fromisoformat(one["starts_at"]), *summary(one)) for one in candles]


def orm_candles(token: UUID, query: CandleQuery) -> list[tuple[Any, ...]]:
    trades = Trade.objects.filter(
        token_id=token,
        sell_order__isnull=False,
        created_at__gte=query.start,
        created_at__lt=query.end,
    )
    grouped = trades.order_by().annotate(starts_at=Trunc("created_at", _UNITS[query.interval]))
    rows = grouped.values("starts_at").annotate(**_SUMS).order_by("starts_at")
    return [(row["starts_at"], *summary(row)) for row in rows]


def orm_ticker(token: UUID, now: Any) -> tuple[Any, ...]:
    trades = Trade.objects.filter(
        token_id=token, sell_order__isnull=False, created_at__gte=now - timedelta(days=1)
    )
    found = trades.aggregate(**_SUMS)
    trades.order_by("seq").values_list("price").first()
    trades.order_by("-seq").values_list("price").first()
    return summary(found)


def main(task: str, *arguments: str) -> None:
    result = write() if task == "write" else read(UUID(arguments[0]), int(arguments[1]))
    print(json.dumps(result))


main(*sys.argv[1:])
