"""A stretch of a file in memory that moves on as its bytes are used up."""

import numpy as np

from sfbow.errors import VectorFileError
from sfbow.readers.source import Source

_SIZE = 4 << 20
LARGEST_RECORD = 1 << 20  # bytes of a line, or of a word with its vector


class Window:
    """The unused bytes are ``bytes[start:end]``; ``position`` is where they begin in the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.position = 0
        self.start = self.end = 0
        # One byte more leaves room for a newline that the file's last line lacks.
        self._store = bytearray(_SIZE + 1)
        self.bytes = np.frombuffer(self._store, np.uint8)
        self._has_ended = False

    def __len__(self) -> int:
        return self.end - self.start

    def use(self, end: int) -> None:
        """Go on behind ``bytes[:end]``."""
        self.position += end - self.start
        self.start = end

    def peek(self, count: int) -> bytes:
        """Copy up to ``count`` bytes of those that come next."""
        return bytes(self._store[self.start : min(self.start + count, self.end)])

    def peek_line(self) -> bytes:
        """Copy the bytes up to the next newline."""
        end = self._store.find(b"\n", self.start, self.end)
        return bytes(self._store[self.start : end if end >= 0 else self.end])

    def fill(self) -> bool:
        """Read on behind the unused bytes, a part of a record; False if the file has ended."""
        if self._has_ended:
            return False
        rest = self.bytes[self.start : self.end]
        if len(rest) > LARGEST_RECORD:
            raise VectorFileError(
                self.source.path,
                f"byte {self.position}",
                expected=f"lines or vectors of at most {LARGEST_RECORD >> 20} MiB",
                found="a longer one",
                cure="check that this is a file of word vectors",
            )
        self.bytes[: len(rest)] = rest
        self.start, self.end = 0, len(rest)
        room = memoryview(self._store)[self.end : -1]
        while room and (count := self.source.readinto(room)):
            self.end += count
            room = room[count:]
        self._has_ended = bool(room)
        return self.end > len(rest)

    def fill_lines(self) -> int:
        """Read on until there is a whole line; give the end of the last one there is.

        The file's last line gets the newline that it may lack.
        """
        while (last := self._store.rfind(b"\n", self.start, self.end)) < 0:
            if not self.fill():
                if self.start < self.end:
                    self._store[self.end] = ord("\n")
                    self.end += 1
                return self.end
        return last + 1

    def is_blank(self) -> bool:
        """Use up the rest of the file, and say whether it is nothing but line ends."""
        while not self._store[self.start : self.end].strip(b"\r\n"):
            self.use(self.end)
            if not self.fill():
                return True
        return False
