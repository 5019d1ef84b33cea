"""Threads that meet in a `Batcher`: who is waited for, who goes together, and what each gets.

Where a test must not depend on the clock, the patience is an hour: who waits for nobody in vain
then hangs, and fails by `SOON`.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

import pytest

from exchange.core.batching import Batcher
from tests.environment.processes import wait_until

HOUR = 3600.0
SOON = 30.0


class Work:
    """Doubles numbers, and keeps what was carried out together.

    `wrong` is raised instead, once. While the gate is shut, carrying out stops at it.
    """

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.wrong: BaseException | None = None
        self.begun = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        self._alone = threading.Lock()

    def __call__(self, items: list[int]) -> list[int]:
        assert self._alone.acquire(blocking=False), "two groups at once"
        try:
            self.groups.append(items)
            self.begun.set()
            assert self.gate.wait(SOON)
            if self.wrong is not None:
                error, self.wrong = self.wrong, None
                raise error
            return [2 * item for item in items]
        finally:
            self._alone.release()


def begin(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """`function` in a thread of its own, which does not hold up the end of the tests."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # noqa: BLE001 - the test says which are right
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def waiting(batcher: Batcher[int, int], count: int) -> None:
    """Until that many wait to be carried out."""
    wait_until(lambda: len(batcher._waiting) == count, f"{count} wait", SOON)


def nobody_is_waited_for(batcher: Batcher[int, int]) -> None:
    """Whoever comes alone now is carried out alone and at once, though patience is long."""
    assert begin(batcher.submit, 1).result(SOON) == 2


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def batcher(work: Work) -> Batcher[int, int]:
    return Batcher(work, wait_seconds=HOUR)


def together(batcher: Batcher[int, int], items: range) -> list[Future[Any]]:
    """Submits each of `items` in a thread, when all have said that they are coming."""
    all_said = threading.Barrier(len(items))

    def come(item: int) -> int:
        with batcher.expect():
            all_said.wait(SOON)
            return batcher.submit(item)

    return [begin(come, item) for item in items]


def test_a_lone_call_runs_immediately(work, batcher):
    for item in range(3):
        assert begin(batcher.submit, item).result(SOON) == 2 * item
    assert work.groups == [[0], [1], [2]]


def test_a_lone_announced_call_does_not_wait_for_itself(work, batcher):
    [call] = together(batcher, range(1))
    assert call.result(SOON) == 0
    assert work.groups == [[0]]


def test_calls_during_a_lone_call_form_one_batch(work, batcher):
    work.gate.clear()
    first = begin(batcher.submit, 1)
    work.begun.wait(SOON)
    later = [begin(batcher.submit, item) for item in (2, 3)]
    waiting(batcher, 2)
    work.gate.set()
    assert [call.result(SOON) for call in (first, *later)] == [2, 4, 6]
    assert [sorted(group) for group in work.groups] == [[1], [2, 3]]
    nobody_is_waited_for(batcher)


@pytest.mark.parametrize("many", [2, 16])
def test_announced_calls_form_one_batch_and_each_gets_its_result(
    work, batcher, many
):
    calls = together(batcher, range(many))
    assert [call.result(SOON) for call in calls] == [2 * item for item in range(many)]
    assert [sorted(group) for group in work.groups] == [list(range(many))]
    nobody_is_waited_for(batcher)


def test_an_unannounced_call_waits_for_announced_ones(work, batcher):
    with batcher.expect():
        calls = [begin(batcher.submit, item) for item in range(3)]
        waiting(batcher, 3)
        assert batcher.submit(3) == 6
    assert [call.result(SOON) for call in calls] == [0, 2, 4]
    assert [sorted(group) for group in work.groups] == [[0, 1, 2, 3]]


@pytest.mark.parametrize("way", ["says so", "leaves", "fails"])
def test_a_caller_that_does_not_submit_releases_the_others(work, batcher, way):
    def come() -> None:
        with batcher.expect():
            waiting(batcher, 3)
            if way == "says so":
                batcher.withdraw()
                # Still inside, and nobody waits for it any more.
                wait_until(lambda: bool(work.groups), "the others went", SOON)
            if way == "fails":
                raise KeyError(way)

    with batcher.expect():
        stray = begin(come)
        wait_until(lambda: batcher._expected == 2, "both are coming", SOON)
        calls = [begin(batcher.submit, item) for item in range(3)]
        waiting(batcher, 3)
        batcher.withdraw()
        assert isinstance(stray.exception(SOON), KeyError) == (way == "fails")
    assert [call.result(SOON) for call in calls] == [0, 2, 4]
    assert [sorted(group) for group in work.groups] == [[0, 1, 2]]
    nobody_is_waited_for(batcher)


def test_the_wait_for_an_announced_call_is_limited(work):
    batcher = Batcher(work, wait_seconds=0.01)
    with batcher.expect():
        calls = [begin(batcher.submit, item) for item in range(4)]
        assert [call.result(SOON) for call in calls] == [0, 2, 4, 6]
        assert sorted(item for group in work.groups for item in group) == [0, 1, 2, 3]
        # It comes late, and is welcome all the same.
        assert batcher.submit(4) == 8
    assert work.groups[-1] == [4]


def test_the_default_wait_is_ten_milliseconds(work):
    assert Batcher(work)._wait_seconds == 0.01


def test_a_timed_out_call_does_not_interrupt_a_running_batch(work):
    batcher = Batcher(work, wait_seconds=0.001)
    work.gate.clear()
    first = begin(batcher.submit, 0)
    assert work.begun.wait(SOON)
    with batcher.expect():
        others = [begin(batcher.submit, item) for item in (1, 2)]
        waiting(batcher, 2)
        work.gate.set()
        assert [call.result(SOON) for call in (first, *others)] == [0, 2, 4]
    # `Work` has seen to it that there were never two at once.
    assert work.groups[0] == [0]
    assert sorted(item for group in work.groups[1:] for item in group) == [1, 2]


def test_calls_during_a_batch_form_the_next_one(work, batcher):
    work.gate.clear()
    first = begin(batcher.submit, 0)
    assert work.begun.wait(SOON)
    others = [begin(batcher.submit, item) for item in (1, 2, 3)]
    waiting(batcher, 3)
    assert not any(call.done() for call in (first, *others))
    work.gate.set()
    assert [call.result(SOON) for call in (first, *others)] == [0, 2, 4, 6]
    assert [sorted(group) for group in work.groups] == [[0], [1, 2, 3]]


def test_the_next_batch_also_waits_for_announced_calls(work, batcher):
    work.gate.clear()
    first = begin(batcher.submit, 0)
    assert work.begun.wait(SOON)
    with batcher.expect():
        others = [begin(batcher.submit, item) for item in (1, 2)]
        waiting(batcher, 2)
        work.gate.set()
        assert first.result(SOON) == 0
        assert batcher.submit(3) == 6
    assert [call.result(SOON) for call in others] == [2, 4]
    assert [sorted(group) for group in work.groups] == [[0], [1, 2, 3]]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit()])
def test_an_error_is_raised_in_every_caller_of_its_batch_only(work, batcher, error):
    work.gate.clear()
    work.wrong = error
    failing = together(batcher, range(4))
    assert work.begun.wait(SOON)
    next_ones = [begin(batcher.submit, item) for item in (4, 5)]
    waiting(batcher, 2)
    work.gate.set()
    assert [call.exception(SOON) for call in failing] == [error] * 4
    assert [call.result(SOON) for call in next_ones] == [8, 10]
    nobody_is_waited_for(batcher)


@pytest.mark.parametrize("off", [-1, 1])
def test_a_wrong_number_of_results_is_an_error(off):
    batcher: Batcher[int, int] = Batcher(lambda items: [0] * (len(items) + off), wait_seconds=HOUR)
    for call in together(batcher, range(3)):
        assert isinstance(call.exception(SOON), ValueError)


def test_a_second_call_in_the_block_is_unannounced(work, batcher):
    with batcher.expect():
        assert batcher.submit(1) == 2
        # Said once, submitted once: nobody waits for this thread now.
        nobody_is_waited_for(batcher)
        assert batcher.submit(3) == 6
    nobody_is_waited_for(batcher)
    assert work.groups == [[1], [1], [3], [1]]


def test_an_announcement_without_a_call_leaves_nothing_behind(work, batcher):
    with batcher.expect():
        pass
    with batcher.expect():
        batcher.withdraw()
        batcher.withdraw()
    batcher.withdraw()
    assert work.groups == []
    nobody_is_waited_for(batcher)


def test_a_withdrawal_is_for_its_own_thread_only(work, batcher):
    with batcher.expect():
        begin(batcher.withdraw).result(SOON)
        call = begin(batcher.submit, 1)
        waiting(batcher, 1)
        assert batcher.submit(2) == 4
    assert call.result(SOON) == 2
    assert [sorted(group) for group in work.groups] == [[1, 2]]


def test_a_withdrawal_without_an_announcement_has_no_effect(work, batcher):
    begin(batcher.withdraw).result(SOON)
    assert batcher._expected == 0
    nobody_is_waited_for(batcher)


def test_a_call_after_a_withdrawal_is_executed(work, batcher):
    with batcher.expect():
        batcher.withdraw()
        assert batcher.submit(1) == 2
    nobody_is_waited_for(batcher)


@pytest.mark.parametrize("where", ["inner", "outer", "both", "nowhere"])
def test_nested_announcements_count_once(work, where):
    """A view that calls another one: afterwards nobody waits for a thread that is gone."""
    # Short, for as long as who calls in there waits for itself.
    batcher = Batcher(work, wait_seconds=0.01)

    def come() -> None:
        with batcher.expect():
            with batcher.expect():
                if where in {"inner", "both"}:
                    batcher.submit(1)
            if where in {"outer", "both"}:
                batcher.submit(2)

    begin(come).result(SOON)
    assert batcher._expected == 0


WAYS = ("does not say it", "says it", "takes it back", "and comes once more for nothing")


def _come(batcher: Batcher[int, int], way: str, call: Callable[[], None]) -> None:
    if way == "does not say it":
        call()
        return
    with batcher.expect():
        if way == "takes it back":
            batcher.withdraw()
        call()
    if way == "and comes once more for nothing":
        with batcher.expect():
            pass


@pytest.fixture
def fast_switches() -> Iterator[None]:
    """Threads take turns after nearly every step."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("fast_switches")
@pytest.mark.parametrize("patience", [HOUR, 0.0005])
def test_each_of_thousands_of_calls_is_executed_once_and_gets_its_result(patience):
    threads, each = 16, 400
    carried: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    alone = threading.Lock()

    def carry_out(items: list[int]) -> list[int]:
        assert alone.acquire(blocking=False)
        carried.update(items)
        sizes[len(items)] += 1
        alone.release()
        if any(item % 97 == 0 for item in items):
            raise LookupError(items)
        return [-item for item in items]

    batcher = Batcher(carry_out, wait_seconds=patience)
    start = threading.Barrier(threads)

    def call(item: int) -> None:
        with suppress(LookupError):
            assert batcher.submit(item) == -item

    def hammer(number: int) -> None:
        random = Random(number)
        start.wait(SOON)
        for item in range(number * each + 1, (number + 1) * each + 1):
            _come(batcher, random.choice(WAYS), partial(call, item))

    for future in [begin(hammer, number) for number in range(threads)]:
        future.result(120)
    assert carried == Counter(range(1, threads * each + 1))
    assert max(sizes) > 1, "nobody ever met"
    assert batcher._expected == 0
    assert batcher._waiting == []
    assert begin(batcher.submit, 1).result(SOON) == -1
