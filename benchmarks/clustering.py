"""Which k-means, DBSCAN and FastICA? Time, peak memory and the sum of squares reached.

    python benchmarks/clustering.py                     # clustered vectors made up from a seed
    python benchmarks/clustering.py --vectors w.npy     # or a matrix of one's own

Every measurement runs in a process of its own. The table goes to docs/universes.md by hand.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

RUNS = [
    "kmeans 100 25: sfbow faiss sklearn-lloyd sklearn-elkan sklearn-minibatch",
    "kmeans 1000 25: sfbow faiss sklearn-lloyd sklearn-elkan sklearn-minibatch",
    "kmeans 25000 2: sfbow faiss sklearn-lloyd",
    "kmeans 25000 25: sfbow",
    "spherical 1000 25: sfbow faiss",
    "dbscan narrow 5: sfbow sklearn",
    "dbscan wide 5: sfbow",
    "ica 0 200: sfbow sklearn",
]


def made_up_words(count: int, dim: int) -> Matrix:
    """Return clustered vectors whose lengths fall with the rank, as those of words do."""
    rng = np.random.default_rng(0)
    topics = rng.standard_normal((count // 50, dim))
    noise = rng.standard_normal((count, dim))
    lengths = 2 + 6 / np.sqrt(1 + np.arange(count) / 1000)
    words = topics[rng.integers(len(topics), size=count)] + 0.8 * noise
    words *= (lengths / np.linalg.norm(words, axis=1))[:, None]
    return words.astype(np.float32)


def _sfbow_kmeans(points: Matrix, k: int, iterations: int, spherical: bool) -> str:
    from sfbow.universe import Universe

    build = Universe.spherical_kmeans if spherical else Universe.kmeans
    report = build(SimpleNamespace(matrix=points), k, iterations=iterations).report
    return f"WCSoS {report.wcsos:.5g}, {report.iterations} rounds"


def _faiss_kmeans(points: Matrix, k: int, iterations: int, spherical: bool) -> str:
    import faiss

    from sfbow.builders.partition import cluster_means, sums_of_squares

    if spherical:
        points = points / np.linalg.norm(points, axis=1, keepdims=True)
    every_point = {"min_points_per_centroid": 1, "max_points_per_centroid": len(points)}
    search = faiss.Kmeans(
        points.shape[1], k, niter=iterations, seed=0, spherical=spherical, **every_point
    )
    search.train(points)
    # FAISS has no sum of squares for spherical k-means, and that of the last round but one else.
    nearest = search.index.search(points, 1)[1].ravel()
    kept, labels = np.unique(nearest, return_inverse=True)
    sums = sums_of_squares(points, labels, cluster_means(points, labels, len(kept)))
    return f"WCSoS {sums.within:.5g}, {iterations} rounds"


def _sklearn_kmeans(points: Matrix, k: int, iterations: int, algorithm: str) -> str:
    from sklearn.cluster import KMeans, MiniBatchKMeans

    common = {"init": "random", "n_init": 1, "max_iter": iterations, "random_state": 0}
    if algorithm == "minibatch":
        model = MiniBatchKMeans(k, batch_size=4096, **common)
    else:
        model = KMeans(k, algorithm=algorithm, tol=0, **common)
    model.fit(points)
    return f"WCSoS {model.inertia_:.5g}, {model.n_iter_} rounds"


def _radius(points: Matrix, width: str) -> float:
    """Return a radius within which a word has some (narrow) or half (wide) of the others."""
    sample = points[:: len(points) // 1000].astype(np.float64)
    squares = np.square(sample).sum(axis=1)
    distances = squares[:, None] + squares - 2 * sample @ sample.T
    share = {"narrow": 0.002, "wide": 0.5}[width]
    return float(np.sqrt(np.quantile(distances[np.triu_indices(len(sample), 1)], share)))


def _dbscan(points: Matrix, library: str, width: str, min_samples: int) -> str:
    points = points[: len(points) // 2]
    eps = _radius(points, width)
    if library == "sfbow":
        from sfbow.builders.dbscan import dbscan

        labels = dbscan(points, eps * eps, min_samples, show_progress_bar=False)
    else:
        from sklearn.cluster import DBSCAN

        labels = DBSCAN(eps=eps, min_samples=min_samples).fit_predict(points)
    return f"ε {eps:.3g}, {labels.max() + 1} clusters, noise {np.mean(labels < 0):.3f}"


def _ica(points: Matrix, library: str, iterations: int) -> str:
    points = points[: len(points) // 2]
    if library == "sfbow":
        from sfbow.universe import Universe

        done = Universe.ica(SimpleNamespace(matrix=points), iterations=iterations).report.iterations
    else:
        from sklearn.decomposition import FastICA

        search = FastICA(whiten="unit-variance", random_state=0, max_iter=iterations, tol=1e-4)
        done = search.fit(points).n_iter_
    return f"{done} rounds"


def measure(points: Matrix, task: str, size: str, extent: int, library: str) -> str:
    """Do one task with one library; return what came out."""
    if task == "dbscan":
        return _dbscan(points, library, size, extent)
    if task == "ica":
        return _ica(points, library, extent)
    spherical = task == "spherical"
    if library.startswith("sklearn"):
        return _sklearn_kmeans(points, int(size), extent, library.removeprefix("sklearn-"))
    cluster: Callable[..., str] = _sfbow_kmeans if library == "sfbow" else _faiss_kmeans
    return cluster(points, int(size), extent, spherical)


def _peak_mebibytes() -> float:
    """Return this process's peak; getrusage would give its parent's if that was higher."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _measure_here(path: str, task: str, size: str, extent: str, library: str) -> None:
    warnings.simplefilter("ignore")
    points = np.load(path)
    before = _peak_mebibytes()
    started = perf_counter()
    outcome = measure(points, task, size, int(extent), library)
    seconds = perf_counter() - started
    added = _peak_mebibytes() - before
    print(f"| {task} {size} | {library} | {seconds:.1f} | {added:.0f} | {outcome} |", flush=True)


def main() -> None:
    """Measure all runs, or the one that a child process was started for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, help="a float32 matrix in a .npy file")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--only", default="", help="the task to measure")
    parser.add_argument("--run", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        _measure_here(*options.run)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.vectors or Path(folder) / "words.npy"
        if not options.vectors:
            np.save(path, made_up_words(options.count, options.dim))
        print(f"{np.load(path, mmap_mode='r').shape}, {os.cpu_count()} cores")
        print(
            "| task | library | seconds | MiB added | outcome |\n|---|---|---|---|---|", flush=True
        )
        for run in RUNS:
            task, libraries = run.split(": ")
            for library in libraries.split() if task.startswith(options.only) else []:
                arguments = [str(path), *task.split(), library]
                subprocess.run([sys.executable, __file__, "--run", *arguments], check=False)


if __name__ == "__main__":
    main()
