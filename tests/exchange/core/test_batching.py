"""Threads that share a `Batcher`: waits, batches and results.

Tests that must not depend on the clock wait for an hour: a needless wait hangs and fails after
`SOON`.
"""

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
    """Doubles numbers and records the batches.

    `wrong` is raised once instead. Execution waits while the gate is closed.
    """

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.wrong: BaseException | None = None
        self.started = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        self._exclusive = threading.Lock()

    def __call__(self, items: list[int]) -> list[int]:
        assert self._exclusive.acquire(blocking=False), "two batches at once"
        try:
            self.batches.append(items)
            self.started.set()
            assert self.gate.wait(SOON)
            if self.wrong is not None:
                error, self.wrong = self.wrong, None
                raise error
            return [2 * item for item in items]
        finally:
            self._exclusive.release()


def run_in_thread(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Run `function` in a daemon thread."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # noqa: BLE001 - the test says which are right
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def wait_for_calls(batcher: Batcher[int, int], count: int) -> None:
    """Wait until `count` calls are waiting."""
    wait_until(lambda: len(batcher._waiting) == count, f"{count} calls wait", SOON)


def assert_no_wait(batcher: Batcher[int, int]) -> None:
    """Assert that a lone call runs immediately, despite the long wait."""
    assert run_in_thread(batcher.submit, 1).result(SOON) == 2


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def batcher(work: Work) -> Batcher[int, int]:
    return Batcher(work, wait_seconds=HOUR)


def submit_all(batcher: Batcher[int, int], items: range) -> list[Future[Any]]:
    """Submit each of `items` in a thread, after all have announced themselves."""
    all_announced = threading.Barrier(len(items))

    def submit(item: int) -> int:
        with batcher.expect():
            all_announced.wait(SOON)
            return batcher.submit(item)

    return [run_in_thread(submit, item) for item in items]


def test_a_lone_call_runs_immediately(work, batcher):
    for item in range(3):
        assert run_in_thread(batcher.submit, item).result(SOON) == 2 * item
    assert work.batches == [[0], [1], [2]]


def test_a_lone_announced_call_does_not_wait_for_itself(work, batcher):
    [call] = submit_all(batcher, range(1))
    assert call.result(SOON) == 0
    assert work.batches == [[0]]


def test_calls_during_a_lone_call_form_one_batch(work, batcher):
    work.gate.clear()
    first = run_in_thread(batcher.submit, 1)
    work.started.wait(SOON)
    later = [run_in_thread(batcher.submit, item) for item in (2, 3)]
    wait_for_calls(batcher, 2)
    work.gate.set()
    assert [call.result(SOON) for call in (first, *later)] == [2, 4, 6]
    assert [sorted(batch) for batch in work.batches] == [[1], [2, 3]]
    assert_no_wait(batcher)


@pytest.mark.parametrize("many", [2, 16])
def test_announced_calls_form_one_batch_and_each_gets_its_result(work, batcher, many):
    calls = submit_all(batcher, range(many))
    assert [call.result(SOON) for call in calls] == [2 * item for item in range(many)]
    assert [sorted(batch) for batch in work.batches] == [list(range(many))]
    assert_no_wait(batcher)


def test_an_unannounced_call_waits_for_announced_ones(work, batcher):
    with batcher.expect():
        calls = [run_in_thread(batcher.submit, item) for item in range(3)]
        wait_for_calls(batcher, 3)
        assert batcher.submit(3) == 6
    assert [call.result(SOON) for call in calls] == [0, 2, 4]
    assert [sorted(batch) for batch in work.batches] == [[0, 1, 2, 3]]


@pytest.mark.parametrize("way", ["withdraws", "leaves", "fails"])
def test_a_caller_that_does_not_submit_releases_the_others(work, batcher, way):
    def submit() -> None:
        with batcher.expect():
            wait_for_calls(batcher, 3)
            if way == "withdraws":
                batcher.withdraw()
                # Still in the block, but no longer waited for.
                wait_until(lambda: bool(work.batches), "the others are done", SOON)
            if way == "fails":
                raise KeyError(way)

    with batcher.expect():
        absent = run_in_thread(submit)
        wait_until(lambda: batcher._expected == 2, "both are announced", SOON)
        calls = [run_in_thread(batcher.submit, item) for item in range(3)]
        wait_for_calls(batcher, 3)
        batcher.withdraw()
        assert isinstance(absent.exception(SOON), KeyError) == (way == "fails")
    assert [call.result(SOON) for call in calls] == [0, 2, 4]
    assert [sorted(batch) for batch in work.batches] == [[0, 1, 2]]
    assert_no_wait(batcher)


def test_the_wait_for_an_announced_call_is_limited(work):
    batcher = Batcher(work, wait_seconds=0.01)
    with batcher.expect():
        calls = [run_in_thread(batcher.submit, item) for item in range(4)]
        assert [call.result(SOON) for call in calls] == [0, 2, 4, 6]
        assert sorted(item for batch in work.batches for item in batch) == [0, 1, 2, 3]
        # A late call is executed too.
        assert batcher.submit(4) == 8
    assert work.batches[-1] == [4]


def test_the_default_wait_is_ten_milliseconds(work):
    assert Batcher(work)._wait_seconds == 0.01


def test_a_timed_out_call_does_not_interrupt_a_running_batch(work):
    batcher = Batcher(work, wait_seconds=0.001)
    work.gate.clear()
    first = run_in_thread(batcher.submit, 0)
    assert work.started.wait(SOON)
    with batcher.expect():
        others = [run_in_thread(batcher.submit, item) for item in (1, 2)]
        wait_for_calls(batcher, 2)
        work.gate.set()
        assert [call.result(SOON) for call in (first, *others)] == [0, 2, 4]
    # `Work` asserts that batches never run concurrently.
    assert work.batches[0] == [0]
    assert sorted(item for batch in work.batches[1:] for item in batch) == [1, 2]


def test_calls_during_a_batch_form_the_next_one(work, batcher):
    work.gate.clear()
    first = run_in_thread(batcher.submit, 0)
    assert work.started.wait(SOON)
    others = [run_in_thread(batcher.submit, item) for item in (1, 2, 3)]
    wait_for_calls(batcher, 3)
    assert not any(call.done() for call in (first, *others))
    work.gate.set()
    assert [call.result(SOON) for call in (first, *others)] == [0, 2, 4, 6]
    assert [sorted(batch) for batch in work.batches] == [[0], [1, 2, 3]]


def test_the_next_batch_also_waits_for_announced_calls(work, batcher):
    work.gate.clear()
    first = run_in_thread(batcher.submit, 0)
    assert work.started.wait(SOON)
    with batcher.expect():
        others = [run_in_thread(batcher.submit, item) for item in (1, 2)]
        wait_for_calls(batcher, 2)
        work.gate.set()
        assert first.result(SOON) == 0
        assert batcher.submit(3) == 6
    assert [call.result(SOON) for call in others] == [2, 4]
    assert [sorted(batch) for batch in work.batches] == [[0], [1, 2, 3]]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit()])
def test_an_error_is_raised_in_every_caller_of_its_batch_only(work, batcher, error):
    work.gate.clear()
    work.wrong = error
    failing = submit_all(batcher, range(4))
    assert work.started.wait(SOON)
    next_ones = [run_in_thread(batcher.submit, item) for item in (4, 5)]
    wait_for_calls(batcher, 2)
    work.gate.set()
    assert [call.exception(SOON) for call in failing] == [error] * 4
    assert [call.result(SOON) for call in next_ones] == [8, 10]
    assert_no_wait(batcher)


@pytest.mark.parametrize("off", [-1, 1])
def test_a_wrong_number_of_results_is_an_error(off):
    batcher: Batcher[int, int] = Batcher(lambda items: [0] * (len(items) + off), wait_seconds=HOUR)
    for call in submit_all(batcher, range(3)):
        assert isinstance(call.exception(SOON), ValueError)


def test_a_second_call_in_the_block_is_unannounced(work, batcher):
    with batcher.expect():
        assert batcher.submit(1) == 2
        # Announced and submitted once: no longer waited for.
        assert_no_wait(batcher)
        assert batcher.submit(3) == 6
    assert_no_wait(batcher)
    assert work.batches == [[1], [1], [3], [1]]


def test_an_announcement_without_a_call_leaves_nothing_behind(work, batcher):
    with batcher.expect():
        pass
    with batcher.expect():
        batcher.withdraw()
        batcher.withdraw()
    batcher.withdraw()
    assert work.batches == []
    assert_no_wait(batcher)


def test_a_withdrawal_is_for_its_own_thread_only(work, batcher):
    with batcher.expect():
        run_in_thread(batcher.withdraw).result(SOON)
        call = run_in_thread(batcher.submit, 1)
        wait_for_calls(batcher, 1)
        assert batcher.submit(2) == 4
    assert call.result(SOON) == 2
    assert [sorted(batch) for batch in work.batches] == [[1, 2]]


def test_a_withdrawal_without_an_announcement_has_no_effect(work, batcher):
    run_in_thread(batcher.withdraw).result(SOON)
    assert batcher._expected == 0
    assert_no_wait(batcher)


def test_a_call_after_a_withdrawal_is_executed(work, batcher):
    with batcher.expect():
        batcher.withdraw()
        assert batcher.submit(1) == 2
    assert_no_wait(batcher)


@pytest.mark.parametrize("where", ["inner", "outer", "both", "nowhere"])
def test_nested_announcements_count_once(work, where):
    """A view may call another one; afterwards no call waits for the finished thread."""
    # Short, since the inner call waits for its own thread.
    batcher = Batcher(work, wait_seconds=0.01)

    def submit() -> None:
        with batcher.expect():
            with batcher.expect():
                if where in {"inner", "both"}:
                    batcher.submit(1)
            if where in {"outer", "both"}:
                batcher.submit(2)

    run_in_thread(submit).result(SOON)
    assert batcher._expected == 0


WAYS = ("unannounced", "announced", "withdrawn", "announced again in vain")


def _call(batcher: Batcher[int, int], way: str, call: Callable[[], None]) -> None:
    if way == "unannounced":
        call()
        return
    with batcher.expect():
        if way == "withdrawn":
            batcher.withdraw()
        call()
    if way == "announced again in vain":
        with batcher.expect():
            pass


@pytest.fixture
def fast_switches() -> Iterator[None]:
    """Switch threads after nearly every step."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("fast_switches")
@pytest.mark.parametrize("wait_seconds", [HOUR, 0.0005])
def test_each_of_thousands_of_calls_is_executed_once_and_gets_its_result(wait_seconds):
    threads, each = 16, 400
    executed: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    alone = threading.Lock()
    batcher: Batcher[int, int]

    def execute(items: list[int]) -> list[int]:
        assert alone.acquire(blocking=False)
        if not executed and len(items) == 1:
            # Otherwise the threads may happen to call one after the other. A first batch may have
            # the calls of all threads: then no call would come.
            wait_until(lambda: len(batcher._waiting) > 1, "two calls wait", SOON)
        executed.update(items)
        sizes[len(items)] += 1
        alone.release()
        if any(item % 97 == 0 for item in items):
            raise LookupError(items)
        return [-item for item in items]

    batcher = Batcher(execute, wait_seconds=wait_seconds)
    start = threading.Barrier(threads)

    def call(item: int) -> None:
        with suppress(LookupError):
            assert batcher.submit(item) == -item

    def load(number: int) -> None:
        random = Random(number)
        start.wait(SOON)
        for item in range(number * each + 1, (number + 1) * each + 1):
            _call(batcher, random.choice(WAYS), partial(call, item))

    for future in [run_in_thread(load, number) for number in range(threads)]:
        future.result(120)
    assert executed == Counter(range(1, threads * each + 1))
    assert max(sizes) > 1, "there was no batch"
    assert batcher._expected == 0
    assert batcher._waiting == []
    assert run_in_thread(batcher.submit, 1).result(SOON) == -1
