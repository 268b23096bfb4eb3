"""Work on threads comes back in order, a few items at a time, and ends when told to."""

import os
import threading

import pytest

from sfbow.errors import OptionError
from sfbow.parallel import map_ordered, thread_count

all_counts = pytest.mark.parametrize("threads", [1, 2, 5])


@all_counts
def test_order(threads):
    # The first items wait for the later ones where they can.
    later = threading.Event()

    def work(item: int) -> int:
        if item == 0 and threads > 1:
            assert later.wait(10)
        if item == 1:
            later.set()
        return item * item

    assert list(map_ordered(work, range(100), threads)) == [item * item for item in range(100)]


@all_counts
def test_few_items_are_taken_ahead(threads):
    taken = 0

    def items():
        nonlocal taken
        while True:
            taken += 1
            yield taken

    results = map_ordered(lambda item: item, items(), threads)
    assert [next(results) for _ in range(10)] == list(range(1, 11))
    assert taken <= 10 + 2 * threads
    results.close()


@all_counts
@pytest.mark.parametrize("failing", ["function", "items"])
def test_an_error_ends_it(threads, failing):
    before, done = threading.active_count(), []

    def work(item: int) -> int:
        if failing == "function" and item == 3:
            raise ZeroDivisionError
        done.append(item)
        return item

    def items():
        for item in range(1000):
            if failing == "items" and item == 3:
                raise ZeroDivisionError
            yield item

    with pytest.raises(ZeroDivisionError):
        list(map_ordered(work, items(), threads))
    assert len(done) < 3 + 3 * threads + 1
    assert threading.active_count() == before


def test_what_has_not_begun_when_an_error_comes_never_does():
    submitted, started = threading.Event(), []

    def work(item: int) -> None:
        started.append(item)
        if item == 0:
            submitted.wait(10)
            raise ZeroDivisionError
        threading.Event().wait(0.2)

    def items():
        yield from range(4)
        submitted.set()
        yield 4

    with pytest.raises(ZeroDivisionError):
        list(map_ordered(work, items(), 2))
    assert 0 < len(started) < 5


@all_counts
def test_no_thread_outlives_a_call_that_is_left(threads):
    before = threading.active_count()
    results = map_ordered(lambda item: item, range(100), threads)
    assert next(results) == 0
    results.close()
    assert threading.active_count() == before


def test_nothing_to_do():
    assert list(map_ordered(abs, [], 2)) == []


def test_a_thread_for_each_core(monkeypatch):
    assert thread_count(3) == 3
    assert thread_count(None) == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count(None) == 1
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    assert thread_count(None) == 12


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_numbers_of_threads_that_are_none(threads):
    with pytest.raises(OptionError, match=r"^threads: expected a whole number from 1, found"):
        thread_count(threads)
