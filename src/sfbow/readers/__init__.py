"""Word-vector files: which format a file has is found from its content, never from its name.

    open_vectors
      a folder                  static_folder    model2vec, StaticEmbedding
      a packed file             source           gzip, xz, bzip2, zip: goes on with what is inside
      fastText's magic number   fasttext_binary or sent2vec_binary
      another format's          foreign          an error that names it
      two whole numbers         word2vec_binary or text, by what follows
      anything else             text             as GloVe writes it

docs/file-formats.md says what a file must look like and what happens if it does not.
"""

from pathlib import Path

from sfbow.options import check_count
from sfbow.readers.fasttext_binary import open_fasttext
from sfbow.readers.fasttext_layout import MAGIC, SENT2VEC, read_layout
from sfbow.readers.foreign import refuse_foreign
from sfbow.readers.header import find_header, rows_are_text
from sfbow.readers.sent2vec_binary import open_sent2vec
from sfbow.readers.source import Source
from sfbow.readers.static_folder import open_static_folder
from sfbow.readers.stream import VectorStream, WordBlock
from sfbow.readers.text import open_text_with_header, open_text_without_header
from sfbow.readers.window import Window
from sfbow.readers.word2vec_binary import open_word2vec_binary

__all__ = ["VectorStream", "WordBlock", "open_vectors"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def open_vectors(path: str | Path, *, limit: int | None = None) -> VectorStream:
    """Open a file or folder of word vectors.

    Parameters
    ----------
    path
        A file or folder in one of the formats of docs/file-formats.md, but for sfbow's own.
    limit
        Read only the first so many rows, and only that much of the file.

    Raises
    ------
    VectorFileError
        The file is not what it claims to be; raised here or when the blocks are read.
    """
    if limit is not None:
        check_count("limit", limit, least=1)
    path = Path(path)
    if path.is_dir():
        return open_static_folder(path, limit)
    window = Window(Source(path))
    window.fill()
    if window.peek(4) == MAGIC:
        layout = read_layout(window)
        open_model = open_sent2vec if layout.model == SENT2VEC else open_fasttext
        return open_model(window, layout, limit)
    refuse_foreign(window)
    if window.peek(3) == _BYTE_ORDER_MARK:
        window.use(window.start + 3)
    header = find_header(window)
    if header is None:
        return open_text_without_header(window, limit)
    open_rows = open_text_with_header if rows_are_text(window, header) else open_word2vec_binary
    return open_rows(window, header, limit)
