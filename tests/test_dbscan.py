import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN

from sfbow.builders.dbscan import dbscan
from sfbow.kernels.neighbours import mark_neighbours


def labels_of(points, eps, min_samples=5):
    return dbscan(points, eps * eps, min_samples, show_progress_bar=False)


def textbook_labels(points, eps, min_samples):
    points = points.astype(np.float64)
    return DBSCAN(eps=eps, min_samples=min_samples, algorithm="brute").fit(points).labels_


@pytest.fixture(params=[3, 16, 2048])
def block(request, monkeypatch):
    monkeypatch.setattr("sfbow.builders.dbscan.BLOCK", request.param)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(1, 120),
    eps=st.floats(0.05, 3),
    min_samples=st.integers(1, 8),
    decimals=st.sampled_from([0, 1, 6]),
)
@pytest.mark.usefixtures("block")
def test_labels_are_those_of_scikit_learn(seed, count, eps, min_samples, decimals):
    rng = np.random.default_rng(seed)
    # Rounding makes duplicates, and many border points within reach of several clusters.
    points = rng.normal(size=(count, 2)).round(decimals).astype(np.float32)
    np.testing.assert_array_equal(
        labels_of(points, eps, min_samples), textbook_labels(points, eps, min_samples)
    )


@pytest.mark.usefixtures("block")
def test_a_chain_is_one_cluster_in_whatever_order_it_comes():
    order = np.random.default_rng(0).permutation(100)
    points = order[:, None].astype(np.float32)
    assert set(labels_of(points, 1.0, 2)) == {0}
    assert set(labels_of(points, 0.9, 2)) == {-1}


@pytest.mark.usefixtures("block")
def test_all_noise_and_all_one():
    points = np.arange(50, dtype=np.float32)[:, None]
    assert set(labels_of(points, 0.5)) == {-1}
    assert set(labels_of(points, 500)) == {0}
    assert set(labels_of(np.ones((50, 3), np.float32), 1e-6)) == {0}


def exact_neighbours(a, b, limit):
    return np.square(a[:, None].astype(np.float64) - b.astype(np.float64)).sum(axis=2) <= limit


@pytest.mark.parametrize("length", [1, 1e4, 1e20])
def test_neighbours_are_exact_at_the_radius(length):
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(60, 300)) * length for _ in range(2))
    a, b = a.astype(np.float32), b.astype(np.float32)
    # Many pairs within float32's rounding of the radius: neighbours all but equally far apart.
    b[:, 1:] = a[0, 1:]
    limit = float(np.square(a[0, 0].astype(np.float64) - b[30, 0].astype(np.float64)))
    mask = np.empty((60, 60), dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        a_squares, b_squares = (np.einsum("ij,ij->i", x, x) for x in (a, b))
        mark_neighbours(a @ b.T, a, b, a_squares, b_squares, limit, mask)
    np.testing.assert_array_equal(mask, exact_neighbours(a, b, limit))
    assert mask[0, 30]
