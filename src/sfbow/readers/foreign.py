"""Files that are often given for word vectors and are none, known by their first bytes."""

from sfbow.errors import VectorFileError
from sfbow.readers.window import Window

_PICKLE_CURE = (
    "load it in the program that wrote it, if you trust it, and save it as word2vec text or "
    "binary (gensim: save_word2vec_format)"
)
_WRONG_FILE = "give a file of word vectors"
_PICKLE = "a pickle, which could run any code (gensim .kv or .model, PyTorch)"

_FOREIGN = (
    (b"\x80\x02", _PICKLE, _PICKLE_CURE),
    (b"\x80\x03", _PICKLE, _PICKLE_CURE),
    (b"\x80\x04", _PICKLE, _PICKLE_CURE),
    (b"\x80\x05", _PICKLE, _PICKLE_CURE),
    (b"\x93NUMPY", "a NumPy array", "give a file that has the words as well"),
    (b"\x89PNG\r\n", "a PNG picture", _WRONG_FILE),
    (b"\x89HDF\r\n", "an HDF5 file", "save it as word2vec text"),
    (b"PAR1", "a Parquet file", "save it as word2vec text"),
    (b"GGUF", "a GGUF model", _WRONG_FILE),
    (b"%PDF-", "a PDF document", _WRONG_FILE),
    (b"\x7fELF", "a program", _WRONG_FILE),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first"),
    (b"\xff\xfe", "text in UTF-16", "convert it to UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "convert it to UTF-8"),
    (b"<!DOCTYPE", "a web page", "download the file itself"),
    (b"<html", "a web page", "download the file itself"),
    (b"version https://git-lfs", "a Git LFS pointer", "get the file itself with 'git lfs pull'"),
)


def refuse_foreign(window: Window) -> None:
    """Raise an error that names what the file is, if it is known to be something else."""
    head = window.peek(512)
    found = next((entry[1:] for entry in _FOREIGN if head.startswith(entry[0])), None)
    if head[257:262] == b"ustar":
        found = "a tar archive", "unpack it first"
    if head[8:10] == b'{"':
        found = "a safetensors file alone", "give the folder that it lies in"
    if not head:
        found = "an empty file", "copy or download it again"
    if found:
        raise VectorFileError(
            window.source.path, expected="word vectors", found=found[0], cure=found[1]
        )
