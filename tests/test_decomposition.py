import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import polar
from sklearn.decomposition import FastICA, TruncatedSVD

from sfbow.builders.decomposition import gram, independent_axes, principal_axes
from sfbow.errors import InputError

OPTIONS = {"iterations": 200, "tolerance": 1e-5, "seed": 0, "show_progress_bar": False}


def normal(seed, count, dim):
    rng = np.random.default_rng(seed)
    return (rng.normal(1, 2, (count, dim)) * (1 + np.arange(dim))).astype(np.float32)


def mixed_sources(count=20_000, dim=5):
    rng = np.random.default_rng(0)
    sources = rng.exponential(size=(count, dim))
    mixing = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    return (sources @ mixing.T).astype(np.float32), mixing


@given(seed=st.integers(0, 10**6), count=st.integers(1, 60), dim=st.integers(1, 12))
def test_principal_axes_are_orthonormal_eigenvectors(seed, count, dim):
    products = gram(normal(seed, count, dim))
    axes = principal_axes(products)
    np.testing.assert_allclose(axes @ axes.T, np.eye(dim), atol=1e-10)
    values = np.einsum("ij,jk,ik->i", axes, products, axes)
    scale = max(values.max(), 1e-30)
    np.testing.assert_allclose(axes @ products, values[:, None] * axes, atol=1e-9 * scale)
    assert (np.diff(values) <= 1e-9 * scale).all()
    assert (axes[np.arange(dim), np.abs(axes).argmax(axis=1)] > 0).all()


def test_principal_axes_are_the_right_singular_vectors():
    points = normal(0, 500, 6)
    theirs = TruncatedSVD(5, algorithm="arpack", random_state=0).fit(points).components_
    axes = principal_axes(gram(points))[:5]
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", axes, theirs)), 1, atol=1e-5)


def test_the_products_are_exact_whatever_the_blocks(monkeypatch):
    points = normal(1, 1000, 4)
    expected = points.astype(np.float64).T @ points.astype(np.float64)
    monkeypatch.setattr(
        "sfbow.builders.decomposition.row_slices",
        lambda n, _: [slice(i, i + 7) for i in range(0, n, 7)],
    )
    np.testing.assert_allclose(gram(points), expected, rtol=1e-12)


def test_independent_axes_find_the_sources_and_their_long_tails():
    points, mixing = mixed_sources()
    found = independent_axes(points, gram(points), **OPTIONS)
    assert found.converged
    alignment = found.axes @ mixing
    np.testing.assert_allclose(alignment.max(axis=1), 1, atol=0.01)
    assert sorted(alignment.argmax(axis=1)) == [0, 1, 2, 3, 4]


def test_independent_axes_are_the_orthogonal_factor_of_scikit_learns_unmixing():
    points, _ = mixed_sources()
    points = points * np.array([1, 2, 3, 4, 5], dtype=np.float32)
    found = independent_axes(points, gram(points), **OPTIONS)
    search = FastICA(whiten="unit-variance", random_state=0, tol=1e-9)
    unmixing = search.fit(points.astype(np.float64)).components_
    # The order and signs of independent components are arbitrary, their polar factor follows them.
    theirs = polar(unmixing)[0]
    np.testing.assert_allclose(np.abs(found.axes @ theirs.T).max(axis=1), 1, atol=1e-3)


@given(seed=st.integers(0, 10**6), dim=st.integers(1, 8))
def test_independent_axes_are_orthonormal_and_ordered(seed, dim):
    points = normal(seed, 100, dim)
    products = gram(points)
    axes = independent_axes(points, products, **OPTIONS | {"iterations": 5}).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(dim), atol=1e-10)
    values = np.einsum("ij,jk,ik->i", axes, products, axes)
    assert (np.diff(values) <= 0).all()


def test_ica_stops_after_the_last_round():
    points, _ = mixed_sources(count=500)
    found = independent_axes(points, gram(points), **OPTIONS | {"iterations": 1})
    assert found.iterations == 1
    assert not found.converged


def test_ica_needs_words_that_vary_in_all_dimensions():
    points = normal(0, 50, 4)
    points[:, 2] = points[:, 1]
    with pytest.raises(InputError, match=r"vary in all 4 dimensions, found 3; use Universe\.pca"):
        independent_axes(points, gram(points), **OPTIONS)
