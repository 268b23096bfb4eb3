"""An explanation as text for a terminal: bars for the words, and links between them."""

from collections.abc import Iterator

import click
import numpy as np

from sfbow.cli.columns import fit, printable, width
from sfbow.explanation import Amounts, ExplainedText, Explanation

# Blue and orange: apart for every kind of colour vision, on dark and on light ground.
_COLORS = {"A": 32, "B": 172}
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MATCHED, _LEFT = "█", "░"
_WIDEST = 100  # columns, beyond which rows are hard to follow
_NARROWEST = 24
_SHORTEST_BAR = 6
_LONGEST_WORD = 24
_LISTED = 12  # unknown words


def draw(explanation: Explanation, *, columns: int = 80, color: bool = False, top: int = 10) -> str:
    """Draw what each word has and matches, and the ``top`` pairs of words that match best."""
    drawing = _Drawing(explanation, max(_NARROWEST, min(columns, _WIDEST)), color)
    lines = [drawing.title(), *drawing.words(), *drawing.pairs(top), *drawing.notes()]
    return "".join(line.rstrip() + "\n" for line in lines)


class _Drawing:
    def __init__(self, explanation: Explanation, columns: int, color: bool) -> None:
        self._explanation = explanation
        self._columns = columns
        self._color = color

    def _paint(self, text: str, side: str = "", *, bold: bool = False, dim: bool = False) -> str:
        if not self._color:
            return text
        return click.style(text, fg=_COLORS.get(side), bold=bold or None, dim=dim or None)

    def title(self) -> str:
        score = f"{self._explanation.similarity:.4f}"
        title = f"{self._paint(score, bold=True)}  {self._explanation.measure} similarity"
        room = self._columns - len(score) - len(self._explanation.measure) - len("   similarity")
        key = f"{_MATCHED} matched  {_LEFT} not"
        return title + (self._paint(key.rjust(room), dim=True) if len(key) < room else "")

    def words(self) -> Iterator[str]:
        """Give a row a word: its mass as a bar, filled where the other text has the same."""
        explanation = self._explanation
        sides = {"A": (explanation.a, 1), "B": (explanation.b, 0)}
        names = [*explanation.a.words, *explanation.b.words]
        room = _room(names, (self._columns - 2) // 2)
        bar = self._columns - room - 13
        largest = max((text.masses.max(initial=0) for text, _ in sides.values()), default=0)
        for side, (text, axis) in sides.items():
            yield ""
            if not text.words:
                yield self._paint(side, side, bold=True) + self._paint("  no known word", dim=True)
            masses = self._bars(text, explanation.matrix.sum(axis=axis), largest, bar)
            scores = explanation.scores.sum(axis=axis)
            for row, word in enumerate(text.words):
                head = self._paint(" " if row else side, side, bold=True)
                name = self._paint(fit(word, room), side)
                yield f"{head}  {name}  {self._two(masses[row], side, bar)}{scores[row]:.4f}"

    def _bars(
        self, text: ExplainedText, shared: Amounts, largest: float, bar: int
    ) -> list[tuple[int, int]]:
        scale = bar / largest if largest else 0.0
        filled = np.rint(shared * scale).astype(int)
        whole = np.rint(text.masses * scale).astype(int)
        return list(zip(filled.tolist(), np.maximum(whole, filled).tolist(), strict=True))

    def _two(self, lengths: tuple[int, int], side: str, bar: int) -> str:
        if bar < _SHORTEST_BAR:
            return ""
        filled, whole = lengths
        matched = self._paint(_MATCHED * filled, side)
        return matched + self._paint(_LEFT * (whole - filled), dim=True) + " " * (bar - whole + 2)

    def pairs(self, top: int) -> Iterator[str]:
        """Give a row a pair: its words, and the part of the score that is theirs between them."""
        pairs = self._explanation.best_pairs()
        shown, rest = pairs[:top], pairs[top:]
        if not shown:
            return
        yield ""
        half = (self._columns - 15) // 2
        left = _room([pair.a for pair in shown], half)
        right = _room([pair.b for pair in shown], half)
        bar = self._columns - left - right - 15
        for pair in shown:
            a = self._paint(fit(pair.a, left, right=True), "A")
            b = self._paint(fit(pair.b, right), "B")
            link = f"{_bar(pair.score / shown[0].score, bar)}  " if bar >= _SHORTEST_BAR else ""
            yield f"   {a}  {link}{b}  {pair.score:.4f}"
        if rest:
            score = sum(pair.score for pair in rest)
            text = f"{len(rest):,} more pair" + "s" * (len(rest) > 1)
            yield self._paint(f"{text.rjust(self._columns - 8)}  {score:.4f}", dim=True)

    def notes(self) -> Iterator[str]:
        """Name the words that were left out or guessed."""
        explanation = self._explanation
        notes = [
            (f"{what} in {self._paint(side, side, bold=True)}: ", words)
            for side, text in (("A", explanation.a), ("B", explanation.b))
            for what, words in (("unknown", text.unknown), ("from subwords", text.composed))
            if words
        ]
        if notes:
            yield ""
        for head, words in notes:
            more = len(words) - _LISTED
            rest = f" and {more:,} more" if more > 0 else ""
            yield head + ", ".join(map(printable, words[:_LISTED])) + rest


def _room(words: list[str], most: int) -> int:
    widest = max((width(printable(word)) for word in words), default=0)
    return max(1, min(widest, most, _LONGEST_WORD))


def _bar(share: float, columns: int) -> str:
    eighths = max(1, round(share * columns * 8))
    full, rest = divmod(eighths, 8)
    return (_MATCHED * full + _EIGHTHS[rest] * (rest > 0)).ljust(columns)
