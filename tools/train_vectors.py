"""Train word vectors on a text: the experiment on vectors of known origin.

usage: python tools/train_vectors.py word2vec|fasttext|tokens TEXT OUT [--dim D] [--epochs N]

TEXT has a sentence a line, packed with xz or not; it is cut into lower-case words and punctuation.
word2vec is gensim's, OUT a file in its text format; fasttext is the program's own package, OUT a
.bin with subwords. tokens only writes the cut text, for programs such as sent2vec. They need
`pip install gensim` and `pip install fasttext`. Two threads make no two runs alike.
"""

import argparse
import lzma
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

TOKEN = re.compile(r"\w+|[^\w\s]")
RAREST = 5  # times that a word has to occur
THREADS = 2


class Sentences:
    """The sentences of a file as words, as often as they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[list[str]]:
        unpacked = lzma.open if self._path.suffix == ".xz" else open
        with unpacked(self._path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield TOKEN.findall(line.lower())


def word2vec(sentences: Sentences, out: Path, dim: int, epochs: int) -> None:
    """Train skip-gram with gensim."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        sentences,
        vector_size=dim,
        epochs=epochs,
        sg=1,
        min_count=RAREST,
        workers=THREADS,
        seed=1,
    )
    model.wv.save_word2vec_format(str(out))


def fasttext(sentences: Sentences, out: Path, dim: int, epochs: int) -> None:
    """Train skip-gram with subwords of 3 to 6 characters."""
    import fasttext as program

    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "tokens.txt"
        tokens(sentences, text)
        model = program.train_unsupervised(
            str(text),
            model="skipgram",
            dim=dim,
            epoch=epochs,
            minCount=RAREST,
            bucket=200_000,
            thread=THREADS,
        )
    model.save_model(str(out))


def tokens(sentences: Sentences, out: Path, *_: int) -> None:
    """Write the words with spaces between."""
    with out.open("w", encoding="utf-8") as file:
        file.writelines(f"{' '.join(words)}\n" for words in sentences)


KINDS = {"word2vec": word2vec, "fasttext": fasttext, "tokens": tokens}


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("text", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    KINDS[options.kind](Sentences(options.text), options.out, options.dim, options.epochs)


if __name__ == "__main__":
    main()
