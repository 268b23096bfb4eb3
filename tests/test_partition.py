import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfbow.builders.partition import NOISE, cluster_means, sums_of_squares


@given(seed=st.integers(0, 2**32), count=st.integers(3, 200), clusters=st.integers(1, 6))
def test_within_and_between_add_up_to_the_total(seed, count, clusters):
    rng = np.random.default_rng(seed)
    points = rng.normal(5, 2, (count, 3)).astype(np.float32)
    labels = rng.integers(NOISE, clusters, count)
    labels[: min(count, clusters)] = np.arange(min(count, clusters))
    clusters = labels.max() + 1

    sums = sums_of_squares(points, labels, cluster_means(points, labels, clusters))

    kept = points[labels != NOISE].astype(np.float64)
    total = np.square(kept - kept.mean(axis=0)).sum()
    np.testing.assert_allclose(sums.within + sums.between, total, rtol=1e-6)


def test_means_are_those_of_the_members():
    points = np.array([[1], [2], [10], [3], [20], [99]], dtype=np.float32)
    labels = np.array([0, 0, 1, 0, 1, NOISE])

    np.testing.assert_array_equal(cluster_means(points, labels, 2), [[2], [15]])
