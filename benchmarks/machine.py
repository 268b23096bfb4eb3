"""What the benchmarks share: the machine's name, and medians of several runs."""

import datetime
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def describe() -> str:
    """Name the machine and the day."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text().splitlines() if names.exists() else []
    model = next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), ""
    )
    return f"{model or platform.processor()}, {os.cpu_count()} cores, {datetime.date.today()}"


def median_seconds(function: Callable[[], object], repeats: int) -> float:
    """Give the median time of a function, which runs once before."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
