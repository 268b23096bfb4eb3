"""The static fuzzy bag-of-words model: sentences as fuzzy sets."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.explanation import Explanation, explain
from sfbow.hub import find_model, lasting_name
from sfbow.inputs import batches, counted, pack, short_parts
from sfbow.measures import Measure, check_measure, similarity, similarity_pairwise
from sfbow.memberships import Floats, Memberships, quantized, word_memberships
from sfbow.model_folder import ModelParts, open_model, save_model
from sfbow.options import check_count, check_flag
from sfbow.parallel import map_ordered, thread_count
from sfbow.pooling import pool
from sfbow.progress import shown
from sfbow.text import Casing, Split, Tokenizer
from sfbow.universe import Universe
from sfbow.unknown import UnknownWords
from sfbow.vectors import WordVectors
from sfbow.vocabulary import Vocabulary
from sfbow.weights import Weights, describe, word_weights

_BATCH = 8192  # texts in a batch at most, and
_BATCH_BYTES = 1 << 25  # bytes of their memberships


class SFBoW:
    """Sentences as fuzzy sets: μ[j] = max over the words w of f(c(w)) · g(w) · (U · w)[j], from 0.

    Parameters
    ----------
    words
        The word vectors W.
    universe
        The universe matrix U; `Universe.signed` adds its opposite.
    weights
        g(w): "sif", `Sif` with settings of its own, a mapping from words to numbers, or None for 1.
    counts
        Whether a word that occurs c times counts c-fold: f(c) = c, else f(c) = 1.
    measure
        The similarity: "jaccard", "otsuka", "dice" or "hellinger".
    casing, punctuation, split
        How texts become words: see `Tokenizer`. The casing "auto" is "both" where the vocabulary
        knows capitals, else "lower".
    memory_budget
        The bytes that memberships of all words may take; beyond, each batch makes its own.
    """

    def __init__(
        self,
        words: WordVectors,
        universe: Universe,
        *,
        weights: Weights = "sif",
        counts: bool = False,
        measure: Measure = "otsuka",
        casing: Casing | Literal["auto"] = "auto",
        punctuation: bool = False,
        split: Split = "words",
        memory_budget: int = 2 << 30,
    ) -> None:
        if universe.dim != words.dim:
            raise InputError(
                f"universe: expected {words.dim} dimensions, as the words have, "
                f"found {universe.dim}; make it from these words"
            )
        if casing == "auto":
            casing = "both" if words.vocabulary.is_cased else "lower"
        check_measure(measure)
        check_flag("counts", counts)
        check_count("memory_budget", memory_budget, least=0)
        factors = word_weights(words, weights)
        memberships = word_memberships(words.matrix, factors, universe, memory_budget)
        unknown = None
        if words.subwords is not None:
            weight = float(factors.max(initial=0))  # an unknown word is as rare as a word can be
            unknown = UnknownWords(words.subwords, universe, weight)
        self._parts = ModelParts(
            vocabulary=words.vocabulary,
            memberships=memberships,
            universe=universe,
            unknown=unknown,
            tokenizer=Tokenizer(casing, punctuation, split),
            counts=bool(counts),
            measure=measure,
            recipe={"weights": describe(weights), "words": words.format},
        )

    @classmethod
    def paper(
        cls,
        words: WordVectors,
        universe: Universe,
        *,
        casing: Casing | Literal["auto"] = "auto",
        punctuation: bool = True,
        split: Split = "words",
        memory_budget: int = 2 << 30,
    ) -> "SFBoW":
        """Make the model of the paper: counts, no weights, Jaccard, and punctuation as words."""
        return cls(
            words,
            universe,
            weights=None,
            counts=True,
            measure="jaccard",
            casing=casing,
            punctuation=punctuation,
            split=split,
            memory_budget=memory_budget,
        )

    #: What `from_pretrained` finds this model by, from any folder; None is the one in the package.
    name: str | None = None

    @classmethod
    def _of(cls, parts: ModelParts) -> "SFBoW":
        model = cls.__new__(cls)
        model._parts = parts
        return model

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path | None = None,
        *,
        revision: str | None = None,
        local_files_only: bool = False,
    ) -> "SFBoW":
        """Open the model inside the package; or of a folder, or of the hub as "owner/name".

        A folder's data is mapped, not read, and what exists as a path never asks the network.
        """
        folder = find_model(name, revision=revision, local_files_only=local_files_only)
        model = cls._of(open_model(folder))
        model.name = lasting_name(name)
        return model

    def save_pretrained(self, folder: str | Path) -> None:
        """Write a folder, or replace one in a single step."""
        save_model(Path(folder), self._parts)

    def quantized(self) -> "SFBoW":
        """Give the same model with word memberships of 8 bits: a quarter of the size."""
        unknown = self._parts.unknown
        return self._of(
            replace(
                self._parts,
                memberships=quantized(self.memberships),
                unknown=unknown and unknown.quantized(),
                fingerprint=None,
            )
        )

    def __repr__(self) -> str:
        words, sets = len(self.vocabulary), self.size
        return f"<SFBoW: {words:,} words, {sets:,} fuzzy sets, {self.measure}>"

    @property
    def vocabulary(self) -> Vocabulary:
        """The known words."""
        return self._parts.vocabulary

    @property
    def memberships(self) -> Memberships:
        """The memberships of the known words."""
        return self._parts.memberships

    @property
    def universe(self) -> Universe:
        """The universe U."""
        return self._parts.universe

    @property
    def tokenizer(self) -> Tokenizer:
        """How texts become words."""
        return self._parts.tokenizer

    @property
    def counts(self) -> bool:
        """Whether a word that occurs c times counts c-fold."""
        return self._parts.counts

    @property
    def measure(self) -> Measure:
        """The name of the similarity."""
        return self._parts.measure

    @property
    def size(self) -> int:
        """The length u of a sentence vector."""
        return self.universe.size

    @property
    def fingerprint(self) -> str | None:
        """What tells it from models that give other sets; None if it comes from no folder."""
        return self._parts.fingerprint

    def encode(
        self,
        sentences: Any,  # noqa: ANN401
        *,
        out: Floats | None = None,
        threads: int | None = None,
        show_progress_bar: bool = False,
    ) -> Floats:
        """Turn texts into fuzzy sets: a vector for a string, a row each for many texts.

        Parameters
        ----------
        sentences
            A string; or a list, an iterable, a NumPy or an Arrow array of strings; or a list of
            lists of words.
        out
            Where to write, as a matrix of float32: an iterable is then never held whole.
        threads
            How many threads to use: one for each core if not given.
        show_progress_bar
            Whether to show a progress bar on standard error.
        """
        if isinstance(sentences, str):
            row = out[None] if isinstance(out, np.ndarray) else out
            vector: Floats = self.encode([sentences], out=row, threads=1)[0]
            return vector
        if out is None:
            sentences = counted(sentences)
        sized = sentences if isinstance(sentences, Sized) else out
        total = len(sized) if isinstance(sized, Sized) else 0  # `_result` tells what is wrong
        result = self._result(total, out)

        def jobs() -> Iterator[tuple[Any, Floats, int]]:
            start = 0
            for batch in batches(sentences, self._batch_size):
                first = start
                start += len(batch)
                if start > total:
                    raise InputError(
                        f"sentences: expected {total}, as rows in out, found more; enlarge it"
                    )
                yield batch, result[first:start], first
            if start < total:
                raise InputError(
                    f"sentences: expected {total}, found {start}; give out as many rows"
                )

        def work(job: tuple[Any, Floats, int]) -> int:
            return self._encode_into(*job)

        workers = thread_count(threads)
        done = map_ordered(work, jobs(), workers)
        deque(shown(done, int, total=total, unit=" texts", show=show_progress_bar), maxlen=0)
        return result

    def encode_batches(
        self, sentences: Iterable[Any], *, threads: int | None = None
    ) -> Iterator[Floats]:
        """Yield matrices for consecutive texts of a stream that need not end."""

        def jobs() -> Iterator[tuple[Any, int]]:
            start = 0
            for batch in batches(sentences, self._batch_size):
                yield batch, start
                start += len(batch)

        def encode(job: tuple[Any, int]) -> Floats:
            batch, first = job
            result = np.empty((len(batch), self.size), np.float32)
            self._encode_into(batch, result, first)
            return result

        return map_ordered(encode, jobs(), thread_count(threads))

    @property
    def _batch_size(self) -> int:
        return max(1, min(_BATCH, _BATCH_BYTES // (4 * self.size)))

    def _result(self, total: int, out: Floats | None) -> Floats:
        if out is None:
            return np.empty((total, self.size), np.float32)
        if not (
            isinstance(out, np.ndarray)
            and out.dtype == np.float32
            and out.shape == (total, self.size)
            and out.flags.c_contiguous
            and out.flags.writeable
        ):
            raise InputError(
                f"out: expected a writable C-contiguous array of float32, {total} by {self.size}, "
                f"found {getattr(out, 'dtype', type(out).__name__)} {getattr(out, 'shape', '')}; "
                "make it with numpy.empty, or leave it out"
            )
        return out

    def _encode_into(self, batch: Any, result: Floats, first: int) -> int:  # noqa: ANN401
        for part, rows in short_parts(batch):
            pool(self._parts, pack(part, first + rows.start), result[rows])
        return len(result)

    def similarity(self, a: NDArray[Any], b: NDArray[Any], *, threads: int | None = None) -> Floats:
        """Compare each row of ``a`` with each row of ``b``."""
        return similarity(a, b, measure=self.measure, threads=threads)

    def similarity_pairwise(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Compare each row of ``a`` with the same row of ``b``."""
        return similarity_pairwise(a, b, measure=self.measure)

    def explain(
        self,
        a: str | Sequence[str],
        b: str | Sequence[str],
        *,
        measure: Measure | None = None,
    ) -> Explanation:
        """Tell which words make two texts similar: a string each, or a list of words.

        The measure is the model's own if none is given.
        """
        return explain(self._parts, a, b, self.measure if measure is None else measure)
