"""Train word vectors on a text, with gensim: the experiment on vectors of known origin.

usage: python tools/train_vectors.py word2vec|fasttext TEXT OUT [--dim D] [--epochs N]

TEXT has a sentence a line, packed with xz or not; it is cut into lower-case words and punctuation.
OUT is written in word2vec's text format.
"""

import argparse
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

from gensim.models import FastText, Word2Vec

TOKEN = re.compile(r"\w+|[^\w\s]")
MODELS = {"word2vec": Word2Vec, "fasttext": FastText}


class Sentences:
    """The sentences of a file, as often as they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[list[str]]:
        unpacked = lzma.open if self._path.suffix == ".xz" else open
        with unpacked(self._path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield TOKEN.findall(line.lower())


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=MODELS)
    parser.add_argument("text", type=Path)
    parser.add_argument("out")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    model = MODELS[options.kind](
        Sentences(options.text),
        vector_size=options.dim,
        epochs=options.epochs,
        sg=1,
        min_count=5,
        workers=2,
        seed=1,
    )
    model.wv.save_word2vec_format(options.out)


if __name__ == "__main__":
    main()
