"""What the benchmarks share: the machine's name, medians of several runs, a file of results."""

import datetime
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

RESULTS = Path(__file__).with_name("results.json")


def describe() -> str:
    """Name the machine and the day."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text().splitlines() if names.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.processor()
    return f"{model}, {os.cpu_count()} cores, {datetime.date.today()}"


def median_seconds(function: Callable[[], object], repeats: int) -> float:
    """Give the median time of a function, which runs once before."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def record(benchmark: str, figures: Mapping[str, float]) -> None:
    """Keep a benchmark's figures for benchmarks/figure.py."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    rounded = {name: float(f"{value:.4g}") for name, value in figures.items()}
    results[benchmark] = {"machine": describe(), **rounded}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
