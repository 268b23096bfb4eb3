"""All steps from a teacher and texts to a model."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.distill.bags import Bags
from sfbow.distill.batches import Batches
from sfbow.distill.caches import cached_rows, key_of
from sfbow.distill.devices import find_device
from sfbow.distill.held_out import HeldOut, split
from sfbow.distill.neighbours import NeighbourSearch
from sfbow.distill.progress import Progress, Watch
from sfbow.distill.result import make_model
from sfbow.distill.settings import Settings
from sfbow.distill.start import GivenStart, given_table, open_start, start_table
from sfbow.distill.teacher import Teacher
from sfbow.distill.training import train
from sfbow.distill.words import FrequentWords, frequent_words, ranked_words
from sfbow.errors import InputError
from sfbow.model import SFBoW

_BLOCK = 1 << 13  # texts that the teacher reads between two writes
_LEAST = 100  # sentences that can be learned from


class Distillation:
    """A teacher, sentences, and the folder for what takes long."""

    def __init__(
        self,
        teacher: str | Path,
        sentences: Sequence[str],
        *,
        folder: Path,
        cache: Path,
        settings: Settings,
        watch: Watch,
        show_progress_bar: bool,
    ) -> None:
        if settings.steps and len(sentences) < _LEAST:
            raise InputError(
                f"texts: expected at least {_LEAST} different sentences of at most "
                f"{settings.longest} words, found {len(sentences)}; give more, allow longer ones, "
                "or do not train"
            )
        self._settings = settings
        self._device = find_device(settings.device)
        self._teacher = Teacher(teacher, self._device)
        learned, measured = split(len(sentences), settings.held_out)
        self._learned = [sentences[place] for place in learned]
        self._measured = [sentences[place] for place in measured]
        self._folder = folder
        self._cache = cache
        self._watch = watch
        self._show = show_progress_bar

    def run(self, word_list: Iterable[str] | None, start: Path | None) -> SFBoW:
        """Do it all."""
        given = None if start is None else open_start(start)
        words = self._words(word_list, given)
        table = self._start(words, given)
        if self._learned:
            table = self._trained(table, words, start)
        return make_model(words.words, table, self._settings.measure)

    def _words(self, word_list: Iterable[str] | None, given: GivenStart | None) -> FrequentWords:
        most = self._settings.words
        if self._learned:
            return frequent_words(self._learned, word_list or (), most)
        known = self._teacher.vocabulary() if given is None else given.words
        return ranked_words(word_list or known, most)

    def _start(self, words: FrequentWords, given: GivenStart | None) -> NDArray[np.float32]:
        dim, sif = self._settings.dim, self._settings.sif
        if given is not None:
            return given_table(given, words, dim=dim, sif=sif)
        key = self._key(words.words)
        vectors = np.asarray(self._embeddings(words.words, "words", key), np.float32)
        return start_table(vectors, words, dim=dim, sif=sif)

    def _trained(
        self, table: NDArray[np.float32], words: FrequentWords, start: Path | None
    ) -> NDArray[np.float32]:
        if not self._measured:
            return table
        settings = self._settings
        measured = self._teacher.encode(self._measured)
        bags = Bags.of(self._measured, words.words)
        held_out = HeldOut(bags, measured, settings.measure)
        self._watch(Progress(None, 0, settings.steps, held_out.correlation(table)))
        if not settings.steps:
            return table
        batches = self._batches(words)
        tables = [
            train(
                table,
                batches,
                held_out,
                single,
                self._device,
                folder=self._folder / f"seed-{single.seed}",
                run=self._identity(single, words, start),
                watch=self._watch,
            )
            for single in settings.single_runs()
        ]
        mean: NDArray[np.float32] = np.mean(tables, axis=0)
        if len(tables) > 1:
            self._watch(Progress(None, settings.steps, settings.steps, held_out.correlation(mean)))
        return mean

    def _batches(self, words: FrequentWords) -> Batches:
        embeddings = self._embeddings(self._learned, "sentences", self._learned_key)
        return Batches(
            Bags.of(self._learned, words.words),
            embeddings,
            self._neighbours(embeddings),
            self._settings.batch,
            self._device,
        )

    def _key(self, texts: Sequence[str]) -> str:
        return key_of([self._teacher.digest, *texts])

    @cached_property
    def _learned_key(self) -> str:
        return self._key(self._learned)

    def _embeddings(self, texts: Sequence[str], name: str, key: str) -> NDArray[np.float16]:
        return cached_rows(
            self._cache / f"{name}-{key}.f16",
            (len(texts), self._teacher.dim),
            np.float16,
            lambda rows: self._teacher.encode(texts[rows]),
            block=_BLOCK,
            title=f"teacher, {name}",
            show_progress_bar=self._show,
        )

    def _neighbours(self, embeddings: NDArray[np.float16]) -> NDArray[np.int32]:
        search = NeighbourSearch(embeddings, self._settings.neighbours, self._device)
        return cached_rows(
            self._cache / f"neighbours{search.count}-{self._learned_key}.i32",
            (len(embeddings), search.count),
            np.int32,
            search.nearest,
            block=search.block,
            title="neighbours",
            show_progress_bar=self._show,
        )

    def _identity(
        self, single: Settings, words: FrequentWords, start: Path | None
    ) -> dict[str, Any]:
        """Name all that decides about a run's result."""
        return {
            **single.as_dict(),
            "device": self._device.type,
            "teacher": self._teacher.digest[:16],
            "texts": self._learned_key,
            "vocabulary": key_of(words.words),
            "start": None if start is None else str(start),
        }
