"""Orthogonal axes of word vectors: principal (PCA) and independent (ICA).

Both read the matrix in blocks of rows and keep only d × d numbers, so a memory map of any length
will do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from sfbow.errors import InputError
from sfbow.matrices import Matrix
from sfbow.slices import row_slices

Square = NDArray[np.float64]


@dataclass(frozen=True)
class IndependentAxes:
    """The axes, as rows, and how the search for them ended."""

    axes: Square
    iterations: int
    converged: bool


def gram(points: Matrix, *, show_progress_bar: bool = False) -> Square:
    """Return WᵀW, summed in double precision."""
    total: Square = np.zeros((points.shape[1], points.shape[1]))
    for rows in tqdm(row_slices(*points.shape), unit="block", disable=not show_progress_bar):
        block = points[rows].astype(np.float64)
        total += block.T @ block
    return total


def principal_axes(products: Square) -> Square:
    """Return the eigenvectors of `products` (WᵀW) as rows, by falling eigenvalue.

    An eigenvector has no sign of its own: its largest entry in absolute value is made positive.
    """
    axes: Square = np.linalg.eigh(products)[1].T[::-1]
    largest = np.abs(axes).argmax(axis=1)
    axes *= np.sign(axes[np.arange(len(axes)), largest])[:, None]
    return axes


def independent_axes(
    points: Matrix,
    products: Square,
    *,
    iterations: int,
    tolerance: float,
    seed: int,
    show_progress_bar: bool,
) -> IndependentAxes:
    """Rotate the axes so that the words' coordinates are as independent as a rotation can make.

    FastICA (Hyvärinen 1999; parallel, logcosh) finds the unmixing matrix of the centred points;
    its orthogonal factor, the nearest rotation, gives the axes. They come by falling Σ (u·w)² over
    the words, each pointing to where the words have their long tail (positive skewness).
    """
    mean = points.mean(axis=0, dtype=np.float64)
    whitening = _whitening(products / len(points) - np.outer(mean, mean))
    start = np.random.default_rng(seed).standard_normal(whitening.shape)
    rotation = _orthogonal_factor(start)
    change, done = np.inf, 0
    with tqdm(total=iterations, unit="round", disable=not show_progress_bar) as bar:
        while done < iterations and change >= tolerance:
            step = _fast_ica_step(points, mean, rotation, whitening)
            change = float(np.abs(np.abs(np.einsum("ij,ij->i", step, rotation)) - 1).max())
            rotation = step
            done += 1
            bar.update()
    axes = _orthogonal_factor(rotation @ whitening)
    squares = np.einsum("ij,jk,ik->i", axes, products, axes, optimize=True)
    axes = axes[np.argsort(-squares, kind="stable")]
    signs = np.where(_third_moments(points, mean, axes) < 0, -1.0, 1.0)
    return IndependentAxes(axes * signs[:, None], done, change < tolerance)


def _whitening(covariance: Square) -> Square:
    """Return K with K · covariance · Kᵀ = I."""
    variances, directions = np.linalg.eigh(covariance)
    rank = int((variances > variances[-1] * len(variances) * np.finfo(np.float32).eps).sum())
    if rank < len(variances):
        raise InputError(
            f"ICA: expected word vectors that vary in all {len(variances)} dimensions, "
            f"found {rank}; use Universe.pca, or more words"
        )
    whitening: Square = (directions / np.sqrt(variances)).T
    return whitening


def _orthogonal_factor(matrix: Square) -> Square:
    """Return Q of the polar decomposition, matrix = Q · H with H symmetric."""
    left, _, right = np.linalg.svd(matrix)
    factor: Square = left @ right
    return factor


def _fast_ica_step(points: Matrix, mean: Square, rotation: Square, whitening: Square) -> Square:
    """One fixed-point step: E[tanh(s) zᵀ] − E[1 − tanh²(s)] · rotation, made orthogonal."""
    unmixing = (rotation @ whitening).astype(np.float32)
    products = np.zeros_like(rotation)
    slopes = np.zeros(len(rotation))
    for rows in row_slices(*points.shape):
        centred = points[rows] - mean.astype(np.float32)
        curve = centred @ unmixing.T
        np.tanh(curve, out=curve)
        products += curve.T @ centred
        slopes += len(curve) - np.einsum("ij,ij->j", curve, curve)
    step = products @ whitening.T - slopes[:, None] * rotation
    return _orthogonal_factor(step / len(points))


def _third_moments(points: Matrix, mean: Square, axes: Square) -> Square:
    moments = np.zeros(len(axes))
    for rows in row_slices(*points.shape):
        moments += (((points[rows] - mean) @ axes.T) ** 3).sum(axis=0)
    return moments
