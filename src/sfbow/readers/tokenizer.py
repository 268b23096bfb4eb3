"""The vocabulary of a Hugging Face tokenizer.json, as words."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from sfbow.errors import VectorFileError
from sfbow.readers.binary import read_bytes
from sfbow.readers.source import Source

_LARGEST = 512 << 20
_METASPACE_MARK = "▁"
_BYTE_LEVEL_MARK = b" "


def read_tokens(path: Path) -> dict[int, bytes]:
    """Give the words of a vocabulary by token id, in the order of the ids.

    Special tokens are no words. Where tokens that begin a word are marked ('▁' or 'Ġ'), the mark
    is taken off; a piece from inside of words that then looks the same is left out.
    """
    content = _load(path)
    try:
        tokens = dict(_vocabulary(content["model"]["vocab"]))
        for added in content.get("added_tokens") or ():
            tokens[added["id"]] = added["content"]
            if added["special"]:
                del tokens[added["id"]]
        if any(type(i) is not int or i < 0 for i in tokens):
            raise ValueError("token ids that are no natural numbers")
        words = _without_marks(tokens, set(_types(content)))
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise _bad_tokenizer(path, f"a tokenizer that lacks its parts: {error}") from None
    return dict(sorted(words.items()))


def _load(path: Path) -> Any:  # noqa: ANN401 - JSON
    with closing(Source(path)) as source:
        if source.size is None or source.size > _LARGEST:
            raise _bad_tokenizer(path, "a packed or very large one")
        text = np.empty(source.size, np.uint8)
        read_bytes(source, text)
    try:
        return json.loads(text.tobytes())
    except (ValueError, RecursionError) as error:
        raise _bad_tokenizer(path, f"damaged JSON ({error})") from None


def _vocabulary(vocabulary: Any) -> Iterator[tuple[int, str]]:  # noqa: ANN401 - JSON
    # Unigram lists [token, score] in the order of the ids; the others map tokens to ids.
    if isinstance(vocabulary, list):
        yield from ((i, token) for i, (token, _) in enumerate(vocabulary))
    else:
        yield from ((i, token) for token, i in vocabulary.items())


def _types(content: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """Name the kinds of the tokenizer's parts, however they are nested."""
    parts = [content.get("pre_tokenizer"), content.get("decoder")]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            yield str(part.get("type"))
            parts += part.get("pretokenizers") or part.get("decoders") or ()


def _without_marks(tokens: dict[int, str], types: set[str]) -> dict[int, bytes]:
    if "ByteLevel" in types:
        characters = _byte_characters()
        encoded = {i: bytes(characters[c] for c in token) for i, token in tokens.items()}
        mark = _BYTE_LEVEL_MARK
    else:
        encoded = {i: token.encode("utf-8", "surrogatepass") for i, token in tokens.items()}
        mark = _METASPACE_MARK.encode()
        if "Metaspace" not in types:
            return encoded
    beginnings = {
        i: word.removeprefix(mark) for i, word in encoded.items() if word.startswith(mark)
    }
    known = set(beginnings.values())
    pieces = {i: word for i, word in encoded.items() if i not in beginnings and word not in known}
    return {i: word for i, word in (beginnings | pieces).items() if word}


def _byte_characters() -> dict[str, int]:
    """Give the byte for each character of a byte-level vocabulary.

    Printable bytes stand for themselves in Latin-1; the others follow from U+0100 on.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = sorted(set(range(256)) - set(printable))
    return {chr(i): i for i in printable} | {chr(256 + n): i for n, i in enumerate(others)}


def _bad_tokenizer(path: Path, found: str) -> VectorFileError:
    return VectorFileError(
        path,
        expected="a tokenizer.json of Hugging Face's tokenizers",
        found=found,
        cure="get the folder again",
    )
