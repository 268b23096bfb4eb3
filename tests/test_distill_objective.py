"""What PyTorch differentiates, against definitions in NumPy and numeric gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfbow
from sfbow import kernels

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from sfbow.distill.bags import Bags  # noqa: E402
from sfbow.distill.batches import Batches  # noqa: E402
from sfbow.distill.fuzzy_pooling import pool  # noqa: E402
from sfbow.distill.neighbours import NeighbourSearch  # noqa: E402
from sfbow.distill.objective import loss, similarities  # noqa: E402
from sfbow.distill.shared_mass import shared_mass  # noqa: E402

DEVICES = [
    "cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
    ),
]
on_devices = pytest.mark.parametrize("device", DEVICES)
sizes = st.integers(1, 70)


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other take long where other programs run."""
    torch.set_num_threads(1)


def sets_of(rows: int, size: int, seed: int) -> np.ndarray:
    """Small whole numbers, many of them equal, and zeros."""
    rng = np.random.default_rng(seed)
    return np.maximum(rng.integers(-2, 4, (rows, size)), 0).astype(np.float32)


@on_devices
@given(sizes, sizes, sizes, st.integers(0, 99))
def test_shared_mass_and_its_gradient(device, rows, others, size, seed):
    a, b = sets_of(rows, size, seed), sets_of(others, size, seed + 1)
    weights = np.random.default_rng(seed).standard_normal((rows, others)).astype(np.float32)
    left, right = (torch.tensor(side, device=device, requires_grad=True) for side in (a, b))
    shared = shared_mass(left, right)
    (shared * torch.tensor(weights, device=device)).sum().backward()
    np.testing.assert_allclose(shared.detach().cpu(), np.minimum(a[:, None], b).sum(2), rtol=1e-6)
    smaller = a[:, None] <= b  # a tie is the left one's
    expected = (
        np.einsum("ik,ikj->ij", weights, smaller),
        np.einsum("ik,ikj->kj", weights, ~smaller),
    )
    for side, gradient in zip((left, right), expected, strict=True):
        np.testing.assert_allclose(side.grad.cpu(), gradient, rtol=1e-4, atol=1e-4)


@given(sizes, sizes, sizes, st.booleans(), st.integers(0, 99))
def test_the_kernel_of_the_gradient(rows, others, size, ties, seed):
    a, b = sets_of(rows, size, seed), sets_of(others, size, seed + 1)
    weights = np.random.default_rng(seed).standard_normal((rows, others)).astype(np.float32)
    out = np.full_like(a, np.nan)
    kernels.shared_gradient(a, b, weights, ties, out)
    smaller = a[:, None] <= b if ties else a[:, None] < b
    np.testing.assert_allclose(out, np.einsum("ik,ikj->ij", weights, smaller), rtol=1e-4, atol=1e-4)


@on_devices
@given(st.integers(1, 9), st.integers(1, 6), st.integers(1, 5), st.integers(0, 99))
def test_pool_is_the_signed_maximum(device, sentences, words, size, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((7, size)).astype(np.float32)
    tokens = rng.integers(7, size=(sentences, words))
    parameters = torch.tensor(table, device=device, requires_grad=True)
    sets = pool(parameters, torch.tensor(tokens, device=device))
    found = table[tokens]
    expected = np.concatenate([found.max(1), -found.min(1)], 1).clip(0)
    np.testing.assert_array_equal(sets.detach().cpu(), expected)
    sets.sum().backward()
    # What is positive comes from one word each, with a gradient of its sign.
    gradient = parameters.grad.cpu().numpy()
    assert np.abs(gradient).sum() <= (expected > 0).sum()
    assert gradient.sum() == (expected[:, :size] > 0).sum() - (expected[:, size:] > 0).sum()


@pytest.mark.parametrize("measure", ["jaccard", "otsuka", "dice", "hellinger"])
@given(st.integers(0, 99))
def test_similarities_are_those_of_the_library(measure, seed):
    rng = np.random.default_rng(seed)
    a, b = np.maximum(rng.standard_normal((2, 6, 40)), 0).astype(np.float32)
    b[0] = 0
    found = similarities(torch.tensor(a), torch.tensor(b), measure)
    # The square root near 0 is one whose gradient is finite.
    near = 0.02 if measure == "hellinger" else 1e-5
    np.testing.assert_allclose(found, sfbow.similarity(a, b, measure=measure), atol=near)


@pytest.mark.parametrize("measure", ["jaccard", "otsuka", "dice", "hellinger"])
def test_gradients_are_finite_where_sets_are_empty(measure):
    sets = torch.zeros(4, 6)
    sets[0, 0] = 1
    sets.requires_grad_()
    ours = similarities(sets[:2], sets[2:], measure)
    loss(ours, torch.rand(2, 2), torch.tensor(3.0)).backward()
    assert torch.isfinite(sets.grad).all()


@given(st.integers(0, 99))
def test_loss(seed):
    rng = np.random.default_rng(seed)
    ours, teachers = rng.random((2, 5, 5))
    p, q = np.exp(20 * teachers), np.exp(7 * ours)
    p, q = p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)
    divergence = (p * np.log(p / q)).sum(1).mean()
    expected = 1 - np.corrcoef(ours.ravel(), teachers.ravel())[0, 1] + divergence
    found = loss(torch.tensor(ours), torch.tensor(teachers), torch.tensor(7.0).log().double())
    assert float(found) == pytest.approx(expected, abs=1e-6)
    perfect = loss(torch.tensor(teachers), torch.tensor(teachers), torch.tensor(20.0).log())
    assert float(perfect) == pytest.approx(0, abs=1e-6)


@on_devices
@given(st.integers(2, 60), st.integers(1, 20), st.integers(1, 64), st.integers(0, 99))
def test_neighbours(device, rows, count, tile, seed):
    points = np.random.default_rng(seed).standard_normal((rows, 5)).astype(np.float16)
    search = NeighbourSearch(points, count, torch.device(device))
    search._others = tile
    blocks = [search.nearest(slice(i, min(i + 7, rows))) for i in range(0, rows, 7)]
    found = np.concatenate(blocks)
    assert found.shape == (rows, min(count, rows - 1))
    products = points.astype(np.float32) @ points.astype(np.float32).T
    np.fill_diagonal(products, -np.inf)
    expected = np.sort(products, axis=1)[:, ::-1][:, : found.shape[1]]
    assert (found != np.arange(rows)[:, None]).all()
    near = 1e-5 if device == "cpu" else 0.02
    np.testing.assert_allclose(np.take_along_axis(products, found, 1), expected, atol=near)


@on_devices
@given(st.integers(2, 9), st.integers(0, 99))
def test_a_batch_is_sentences_and_a_neighbour_of_each(device, size, seed):
    """The teacher's vector of a sentence is its number here, and so are its words."""
    lengths = np.array([3, 0, 7, 1, 2, 5])
    bounds = np.concatenate([[0], lengths.cumsum()])
    rows = np.concatenate([np.arange(n) + 100 * i for i, n in enumerate(lengths)]).astype(np.int32)
    neighbours = np.array([[1, 2], [0, 2], [0, 3], [4, 5], [3, 5], [3, 4]], np.int32)
    numbers = np.arange(6, dtype=np.float16)[:, None]
    batches = Batches(Bags(rows, bounds), numbers, neighbours, size, torch.device(device))
    batch = batches.make(seed, 3)
    left, right = batch.teachers.cpu().numpy().astype(int).reshape(2, -1)
    assert len(set(left)) == len(left) == min(size, 5)
    for row, place in zip(batch.tokens.cpu().tolist(), [*left, *right], strict=True):
        known = [100 * place + i for i in range(lengths[place])]
        assert row == known + known[:1] * (len(row) - len(known))
    for one, other in zip(left, right, strict=True):
        assert other in [near if lengths[near] else one for near in neighbours[one]]
    again = batches.make(seed, 3)
    assert torch.equal(again.tokens, batch.tokens)
    assert len({str(batches.make(seed, step).teachers.tolist()) for step in range(20)}) > 1
    assert len({str(batches.make(one, 0).teachers.tolist()) for one in range(20)}) > 1
