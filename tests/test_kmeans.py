import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from sfbow.builders.kmeans import kmeans
from sfbow.errors import OptionError

PLAIN = {"spherical": False, "iterations": 100, "seed": 0, "show_progress_bar": False}


def clustered(seed, count=600, dim=8, topics=12):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(topics, dim)) * 2
    points = centres[rng.integers(topics, size=count)] + rng.normal(size=(count, dim))
    return points.astype(np.float32)


def lloyd(points, start, rounds, *, spherical=False):
    """Lloyd's algorithm as in the textbook, in double precision."""
    points, centroids = points.astype(np.float64), start.astype(np.float64)
    for _ in range(rounds):
        gaps = points[:, None] - centroids
        labels = np.square(gaps).sum(axis=2).argmin(axis=1)
        centroids = np.array([points[labels == j].mean(axis=0) for j in range(len(start))])
        if spherical:
            centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    return centroids, labels


def drawn(points, k, seed):
    return points[np.sort(np.random.default_rng(seed).choice(len(points), k, replace=False))]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 25), rounds=st.integers(1, 12))
def test_every_round_is_that_of_lloyd(seed, k, rounds):
    points = clustered(seed)
    found = kmeans(points, k, **PLAIN | {"iterations": rounds})
    centroids, labels = lloyd(points, drawn(points, k, 0), found.iterations)
    np.testing.assert_array_equal(found.labels, labels)
    np.testing.assert_allclose(found.centroids, centroids, atol=1e-5)


@pytest.mark.parametrize("rounds", [1, 3, 50])
def test_spherical_rounds_keep_centroids_at_length_one(rounds):
    points = clustered(1)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    found = kmeans(points, 15, **PLAIN | {"spherical": True, "iterations": rounds})
    start = drawn(points, 15, 0)
    centroids, labels = lloyd(points, start, found.iterations, spherical=True)
    np.testing.assert_array_equal(found.labels, labels)
    np.testing.assert_allclose(found.centroids, centroids, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found.centroids, axis=1), 1, atol=1e-6)


def test_it_ends_where_scikit_learn_ends():
    points = clustered(2)
    found = kmeans(points, 12, **PLAIN)
    theirs = KMeans(12, init=drawn(points, 12, 0), n_init=1, max_iter=100, tol=0).fit(points)
    assert found.converged
    np.testing.assert_array_equal(found.labels, theirs.labels_)
    np.testing.assert_allclose(found.centroids, theirs.cluster_centers_, atol=1e-5)


def test_it_stops_after_the_last_round_without_claiming_to_have_converged():
    found = kmeans(clustered(3), 20, **PLAIN | {"iterations": 2})
    assert found.iterations == 2
    assert not found.converged


def test_small_blocks_change_nothing(monkeypatch):
    points = clustered(4)
    whole = kmeans(points, 20, **PLAIN)
    monkeypatch.setattr("sfbow.builders.kmeans.SCORE_CELLS", 64)
    np.testing.assert_array_equal(kmeans(points, 20, **PLAIN).labels, whole.labels)


def test_empty_clusters_take_the_farthest_points():
    points = np.repeat(np.array([[0.0], [0.1], [50.0], [100.0]], np.float32), [40, 2, 1, 1], axis=0)
    found = kmeans(points, 4, **PLAIN)
    np.testing.assert_allclose(np.sort(found.centroids, axis=0), [[0], [0.1], [50], [100]])
    assert set(found.labels) == {0, 1, 2, 3}


def test_as_many_clusters_as_points():
    points = clustered(5, count=40)
    found = kmeans(points, 40, **PLAIN)
    np.testing.assert_array_equal(found.centroids, points)


def test_fewer_different_points_than_clusters():
    points = np.repeat(np.eye(3, dtype=np.float32), 5, axis=0)
    with pytest.raises(OptionError, match=r"k: expected at most .* different .*, 3, found 4"):
        kmeans(points, 4, **PLAIN)


def test_opposite_points_leave_a_spherical_centroid_where_it_was():
    points = np.array([[1, 0], [-1, 0]], dtype=np.float32)
    found = kmeans(points, 1, **PLAIN | {"spherical": True})
    assert found.converged
    assert abs(found.centroids[0, 0]) == 1


def test_the_progress_bar_is_on_standard_error(capsys):
    kmeans(clustered(6), 3, **PLAIN | {"show_progress_bar": True})
    shown = capsys.readouterr()
    assert "round" in shown.err
    assert shown.out == ""
