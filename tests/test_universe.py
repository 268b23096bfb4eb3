import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow.errors import InputError, OptionError
from sfbow.universe import Universe
from sfbow.universe_report import UniverseReport

BUILDERS = {
    "pca": Universe.pca,
    "ica": Universe.ica,
    "kmeans": lambda words, **options: Universe.kmeans(words, 20, **options),
    "spherical_kmeans": lambda words, **options: Universe.spherical_kmeans(words, 20, **options),
    "dbscan": lambda words, **options: Universe.dbscan(words, 3.0, **options),
}


def words_of(matrix):
    return SimpleNamespace(matrix=np.asarray(matrix, dtype=np.float32))


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    centres = 3 * rng.normal(size=(20, 10))
    # Exponential, not normal: ICA needs something to find.
    matrix = centres[rng.integers(20, size=2000)] + rng.exponential(size=(2000, 10)) - 1
    return words_of(matrix)


def test_a_matrix_of_ones_own():
    own = np.arange(6.0).reshape(2, 3)
    universe = Universe(own)
    assert (universe.size, universe.dim) == (2, 3)
    assert universe.matrix.dtype == np.float32
    assert universe.matrix.flags.c_contiguous
    assert universe.report == UniverseReport(kind="matrix")
    own[:] = 0
    np.testing.assert_array_equal(universe.matrix, [[0, 1, 2], [3, 4, 5]])
    with pytest.raises(ValueError, match="read-only"):
        universe.matrix[0, 0] = 1


def test_a_read_only_matrix_is_not_copied():
    own = np.ones((2, 3), dtype=np.float32)
    own.flags.writeable = False
    assert Universe(own).matrix is own


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones(3), r"universe matrix: expected a table .* found the shape \(3,\)"),
        (np.ones((0, 3)), r"universe matrix: expected a table .* found the shape \(0, 3\)"),
        (np.ones((2, 3), complex), "universe matrix: expected real numbers, found complex128"),
        (np.array([["a"]]), "universe matrix: expected real numbers, found <U1"),
        ([[1, 2], [3]], "universe matrix: expected rows of one length"),
        (np.array([[1.0], [np.nan]]), "universe matrix, row 1: expected finite float32 numbers"),
        (np.array([[1.0], [-np.inf]]), "universe matrix, row 1: expected finite float32 numbers"),
        (np.array([[1e300]]), "universe matrix, row 0: expected finite float32 .* one too large"),
    ],
)
def test_a_matrix_that_cannot_be_a_universe(matrix, message):
    with pytest.raises(InputError, match=message):
        Universe(matrix)


def test_identity():
    universe = Universe.identity(4)
    np.testing.assert_array_equal(universe.matrix, np.eye(4))
    assert universe.is_identity
    assert universe.signed().is_identity
    assert Universe(np.eye(4)).is_identity
    for other in (np.eye(4, 5), -np.eye(4), np.eye(4)[::-1], np.ones((4, 4))):
        assert not Universe(other).is_identity


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 9), columns=st.integers(1, 9))
def test_signed_universes_add_the_opposite_of_each_set(seed, rows, columns):
    matrix = np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)
    signed = Universe(matrix).signed()
    assert signed.is_signed
    assert signed.size == 2 * rows == len(signed.matrix)
    np.testing.assert_array_equal(signed.axes, matrix)
    np.testing.assert_array_equal(signed.matrix, np.concatenate([matrix, -matrix]))
    assert signed.signed() is signed


def test_pca(words):
    universe = Universe.pca(words)
    np.testing.assert_allclose(universe.matrix @ universe.matrix.T, np.eye(10), atol=1e-6)
    variances = universe.report.explained_variance
    squares = np.square(words.matrix.astype(np.float64) @ universe.matrix.T).mean(axis=0)
    np.testing.assert_allclose(variances, squares, rtol=1e-5)
    assert list(variances) == sorted(variances, reverse=True)
    np.testing.assert_allclose(sum(universe.report.explained_variance_share), 1)


def test_ica_explains_as_much_as_pca_but_otherwise(words):
    pca, ica = Universe.pca(words), Universe.ica(words)
    assert ica.report.converged
    assert ica.report.iterations < 200
    np.testing.assert_allclose(
        sum(ica.report.explained_variance), sum(pca.report.explained_variance)
    )
    assert ica.report.explained_variance[0] < pca.report.explained_variance[0]


def test_kmeans_reports_the_sums_of_squares(words):
    universe = Universe.kmeans(words, 20, seed=3)
    report = universe.report
    assert (universe.size, report.clusters, report.words, report.seed) == (20, 20, 2000, 3)
    points = words.matrix.astype(np.float64)
    nearest = np.square(points[:, None] - universe.matrix).sum(axis=2).min(axis=1)
    np.testing.assert_allclose(report.wcsos, nearest.sum(), rtol=1e-5)
    total = np.square(points - points.mean(axis=0)).sum()
    np.testing.assert_allclose(report.wcsos + report.bcsos, total, rtol=1e-9)


def test_spherical_kmeans_leaves_zero_vectors_out(words):
    with_zeros = words_of(np.concatenate([np.zeros((3, 10)), words.matrix]))
    universe = Universe.spherical_kmeans(with_zeros, 20)
    assert universe.report.words == 2000
    np.testing.assert_allclose(np.linalg.norm(universe.matrix, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(universe.matrix, Universe.spherical_kmeans(words, 20).matrix)


def test_dbscan_takes_the_means_of_the_clusters():
    words = words_of([[0, 0], [0, 1], [9, 9], [5, 0], [5, 1]])
    universe = Universe.dbscan(words, 1.0, min_samples=2)
    np.testing.assert_array_equal(universe.matrix, [[0, 0.5], [5, 0.5]])
    report = universe.report
    assert (report.clusters, report.noise_share, report.wcsos, report.bcsos) == (2, 0.2, 1.0, 25.0)


def test_dbscan_by_cosine_ignores_lengths_and_zero_vectors():
    words = words_of([[0, 0], [1, 0], [9, 1], [0, 2], [0.1, 1], [-1, -1]])
    universe = Universe.dbscan(words, 0.1, metric="cosine", min_samples=2)
    np.testing.assert_allclose(universe.matrix, [[5, 0.5], [0.05, 1.5]])
    assert universe.report.noise_share == pytest.approx(2 / 6)


def test_dbscan_without_clusters(words):
    with pytest.raises(OptionError, match=r"eps: expected a radius that gives .* 0\.001"):
        Universe.dbscan(words, 0.001)


@pytest.mark.parametrize("kind", BUILDERS)
def test_the_same_words_give_the_same_bits(kind, words):
    universe = BUILDERS[kind](words)
    assert universe.report.kind == kind
    assert universe.matrix.tobytes() == BUILDERS[kind](words).matrix.tobytes()


@pytest.mark.parametrize("kind", ["kmeans", "spherical_kmeans", "ica"])
def test_the_seed_counts(kind, words):
    universe = BUILDERS[kind](words, iterations=1)
    assert universe.report.iterations == 1
    assert not np.array_equal(universe.matrix, BUILDERS[kind](words, iterations=1, seed=1).matrix)


@pytest.mark.parametrize("kind", BUILDERS)
def test_a_memory_map_will_do(kind, words, tmp_path):
    np.save(tmp_path / "words.npy", words.matrix)
    mapped = SimpleNamespace(matrix=np.load(tmp_path / "words.npy", mmap_mode="r"))
    np.testing.assert_array_equal(BUILDERS[kind](mapped).matrix, BUILDERS[kind](words).matrix)


@pytest.mark.parametrize("kind", BUILDERS)
def test_progress_is_shown_when_asked_for(kind, words, capsys):
    BUILDERS[kind](words)
    assert capsys.readouterr().err == ""
    BUILDERS[kind](words, show_progress_bar=True)
    shown = capsys.readouterr()
    assert "100%" in shown.err or "round" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("kind", BUILDERS)
def test_words_that_are_not_finite(kind):
    with pytest.raises(InputError, match="word vectors, row 1: expected finite"):
        BUILDERS[kind](words_of([[1, 2], [np.nan, 0]]))


@pytest.mark.parametrize("kind", ["identity", *BUILDERS])
def test_reports_survive_json(kind, words):
    universe = Universe.identity(3) if kind == "identity" else BUILDERS[kind](words)
    written = json.dumps(universe.signed().report.as_dict(), allow_nan=False)
    assert UniverseReport.from_dict(json.loads(written)) == universe.report


@pytest.mark.parametrize("values", [{}, {"words": 1}, {"kind": "pca", "colour": "red"}])
def test_a_report_that_is_none(values):
    with pytest.raises(InputError, match="universe report: expected a kind and known fields"):
        UniverseReport.from_dict(values)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda _: Universe.identity(0), "dim: expected a whole number from 1, found 0"),
        (lambda w: Universe.kmeans(w, 0), "k: expected a whole number from 1, found 0"),
        (lambda w: Universe.kmeans(w, 2.5), "k: expected a whole number from 1, found 2.5"),
        (lambda w: Universe.kmeans(w, True), "k: expected a whole number from 1, found True"),
        (lambda w: Universe.kmeans(w, 2001), "k: expected at most the 2000 words, found 2001"),
        (lambda w: Universe.kmeans(w, 2, iterations=0), "iterations: .* from 1, found 0"),
        (lambda w: Universe.spherical_kmeans(w, 2, seed=-1), "seed: .* from 0, found -1"),
        (lambda w: Universe.ica(w, tolerance=0), "tolerance: .* above 0 up to 1, found 0"),
        (lambda w: Universe.ica(w, seed="x"), "seed: expected a whole number from 0, found 'x'"),
        (lambda w: Universe.dbscan(w, 0), "eps: expected a number above 0, found 0"),
        (lambda w: Universe.dbscan(w, np.nan), "eps: expected a number above 0, found nan"),
        (lambda w: Universe.dbscan(w, "1"), "eps: expected a number above 0, found '1'"),
        (lambda w: Universe.dbscan(w, 3, metric="cosine"), "eps: .* above 0 up to 2, found 3"),
        (lambda w: Universe.dbscan(w, 1, metric="l1"), "metric: .* or 'cosine', found 'l1'"),
        (lambda w: Universe.dbscan(w, 1, min_samples=0), "min_samples: .* from 1, found 0"),
        (lambda w: Universe(w.matrix[:3], signed="yes"), "signed: expected True or False"),
    ],
)
def test_options_out_of_range(build, message, words):
    with pytest.raises(OptionError, match=message):
        build(words)


def test_repr():
    assert repr(Universe.identity(3).signed()) == (
        "<Universe: identity, signed, 6 fuzzy sets, d = 3>"
    )


def test_importing_universes_loads_neither_numba_nor_an_extra():
    check = "import sys, sfbow.universe; print({'numba', 'faiss', 'sklearn'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
