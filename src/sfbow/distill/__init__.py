"""Word memberships that a transformer teaches.

>>> from sfbow.distill import Settings, distill
>>> model = distill("sentence-transformers/all-MiniLM-L6-v2", sentences)      # doctest: +SKIP

Nothing but `distill` needs more than sfbow itself.
"""

import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from sfbow.distill.progress import Progress
from sfbow.distill.settings import Settings
from sfbow.distill.texts import short_sentences
from sfbow.errors import MissingExtraError
from sfbow.inputs import counted
from sfbow.model import SFBoW

__all__ = ["Progress", "Settings", "distill"]

_NEEDED = ("torch", "sentence_transformers")


def _ignore(_: Progress) -> None:
    pass


def distill(
    teacher: str | Path,
    sentences: Iterable[str] = (),
    *,
    settings: Settings | None = None,
    word_list: Iterable[str] | None = None,
    start: str | Path | None = None,
    folder: str | Path | None = None,
    cache: str | Path | None = None,
    watch: Callable[[Progress], None] = _ignore,
    show_progress_bar: bool = False,
) -> SFBoW:
    """Make a model whose similarities follow those of a transformer.

    Parameters
    ----------
    teacher
        A model of sentence-transformers: a folder, or an id of the hub.
    sentences
        What to learn from. None will do if there is nothing to learn: ``Settings(steps=0)``.
    settings
        How; see `Settings`.
    word_list
        Words to know in any case, whether the sentences have them or not. Where there are no
        sentences, these are all, the most frequent first; not given: those of the start, or of
        the teacher's tokenizer.
    start
        Vectors to begin with, rather than the teacher's of each word: a model of sfbow, a folder
        of model2vec or StaticEmbedding, or a file of word vectors.
    folder
        Where to keep the state of the training each minute. A run that was stopped goes on from
        there when it is called again with the same arguments. Not given: nowhere.
    cache
        Where to keep the teacher's vectors and the neighbours, which runs of other settings share.
        Not given: in ``folder``.
    watch
        Called with the held-out correlation from time to time.
    show_progress_bar
        Whether to show progress bars on standard error.
    """
    if any(find_spec(name) is None for name in _NEEDED):
        raise MissingExtraError("distillation", "distill")
    from sfbow.distill.distillation import Distillation

    settings = settings or Settings()
    with ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sfbow-distill-"))
        distillation = Distillation(
            teacher,
            short_sentences(counted(sentences), settings.longest),
            folder=Path(folder),
            cache=Path(folder if cache is None else cache),
            settings=settings,
            watch=watch,
            show_progress_bar=show_progress_bar,
        )
        return distillation.run(word_list, None if start is None else Path(start))
