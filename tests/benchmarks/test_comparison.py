"""Ratios to an earlier version: their interval, and the definition of slower."""

from itertools import product
from typing import Any

import pytest

from tests.benchmarks.comparison import (
    add_comparisons,
    alternate,
    compare,
    failures,
    median_interval,
)


@pytest.mark.parametrize(
    ("count", "lower", "upper", "confidence"),
    [
        (6, 1, 6, 0.96875),
        (10, 2, 9, 0.978515625),
        (20, 6, 15, 0.9586105346679688),
        (25, 8, 18, 0.9567147493362427),
        (40, 14, 27, 0.9615226917325345),
    ],
)
def test_the_interval_has_the_ranks_of_the_sign_test(
    count: int, lower: int, upper: int, confidence: float
) -> None:
    values = [float(value) for value in range(count, 0, -1)]
    assert median_interval(values) == pytest.approx((lower, upper, confidence))


@pytest.mark.parametrize("count", range(1, 11))
def test_the_interval_holds_the_median_as_often_as_it_says(count: int) -> None:
    """Every value is as likely below the median, 0, as above it; all cases are covered."""
    held = total = 0
    for signs in product((-1, 1), repeat=count):
        low, high, confidence = median_interval(
            [sign * size for size, sign in enumerate(signs, start=1)]
        )
        held += low < 0 < high
        total += 1
    assert held / total == pytest.approx(confidence)


def test_fewer_than_six_rounds_give_their_whole_range_and_its_confidence() -> None:
    assert median_interval([1.2, 0.8, 1.0]) == (0.8, 1.2, 0.75)


def test_no_rounds_have_no_median() -> None:
    with pytest.raises(ValueError, match="no median"):
        median_interval([])


def test_each_round_of_one_version_is_compared_with_the_same_round_of_the_other() -> None:
    comparison = compare([100, 240, 90], [100, 200, 100])
    assert comparison.ratios == [1.0, 1.2, 0.9]
    assert (comparison.median, comparison.low, comparison.high) == (1.0, 0.9, 1.2)


def test_versions_with_different_numbers_of_rounds_are_not_compared() -> None:
    with pytest.raises(ValueError, match="shorter"):
        compare([100, 100], [100])


@pytest.mark.parametrize(
    ("rates", "slower"),
    [
        ([94, 93, 92, 91, 90, 94.9], True),
        ([94, 93, 92, 91, 90, 95], False),  # the interval reaches the least ratio
        ([50, 50, 50, 50, 50, 100], False),  # a low median alone proves nothing
        ([110, 120, 105, 99, 130, 101], False),
    ],
)
def test_only_an_interval_wholly_below_the_least_ratio_is_slower(
    rates: list[float], slower: bool
) -> None:
    assert compare(rates, [100] * len(rates)).slower is slower


def figure(ours: list[float], before: list[float], **others: Any) -> dict[str, Any]:
    return {"rounds": {"ours": ours, "before": before}, **others}


def test_a_slower_scenario_is_named_and_an_equal_one_is_not() -> None:
    figures = {
        "spread": figure([80] * 6, [100] * 6),
        "hot": figure([100] * 6, [100] * 6),
    }
    add_comparisons(figures)
    assert figures["spread"]["beside"]["slower"]
    assert failures(figures) == [
        "spread: 0.800 to 0.800 times the earlier version (96.9% confidence), wholly below 0.95"
    ]


@pytest.mark.parametrize(
    ("times", "found"),
    [(7.0, []), (6.99, ["one connection: 6.99 times ORM loop, required 7"])],
)
def test_a_missed_bar_is_named_with_or_without_an_earlier_version(
    times: float, found: list[str]
) -> None:
    figures = {"one connection": {"bars": {"ORM loop": 7}, "ours_times": {"ORM loop": times}}}
    assert failures(figures) == found
    figures["one connection"] |= figure([100] * 6, [100] * 6)
    add_comparisons(figures)
    assert failures(figures) == found


@pytest.mark.parametrize(("queries", "found"), [(30, []), (31, ["a page: queries 31, at most 30"])])
def test_a_figure_above_its_limit_is_named(queries: int, found: list[str]) -> None:
    figures = {
        "a page": {"queries": queries, "growth": 1.5, "limits": {"queries": 30, "growth": 1.5}}
    }
    assert failures(figures) == found


def test_contenders_take_turns_and_go_in_the_opposite_order_every_other_round() -> None:
    assert [name for name, _ in alternate({"ours": 1, "before": 2}, 3)] == [
        *("ours", "before"),
        *("before", "ours"),
        *("ours", "before"),
    ]
