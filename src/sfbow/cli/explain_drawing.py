"""An explanation as text for a terminal: bars for the words, and links between them."""

from collections.abc import Iterator

import click

from sfbow.cli.columns import fit, shortened, width
from sfbow.explanation import Explanation

# Blue and vermilion: apart for every kind of colour vision, on dark and on light ground.
_COLORS = {"A": 32, "B": 166}
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MATCHED, _LEFT = "█", "░"
_WIDEST = 100  # columns, beyond which rows are hard to follow
_NARROWEST = 26
_SHORTEST_BAR = 6
_SHORT_WORD, _LONGEST_WORD = 8, 24
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
        rest = f"  {self._explanation.measure} similarity"
        room = self._columns - len(score) - len(rest)
        if room < 0:
            rest = rest.removesuffix(" similarity")
        key = f"{_MATCHED} matched  {_LEFT} not"
        title = self._paint(score, bold=True) + rest
        return title + (self._paint(key.rjust(room), dim=True) if len(key) < room else "")

    def words(self) -> Iterator[str]:
        """Give a row a word: its mass as a bar, filled where the other text has the same."""
        a, b = self._explanation.a, self._explanation.b
        room = _room([*a.words, *b.words], self._columns - 13 - _SHORTEST_BAR)
        bar = self._columns - room - 13
        largest = max([*a.masses, *b.masses, 0.0]) or 1.0
        for place, (side, text) in enumerate((("A", a), ("B", b))):
            head = self._paint(side, side, bold=True)
            yield ""
            if not text.words:
                yield head + self._paint("  no known word", dim=True)
            scores = self._explanation.scores.sum(axis=1 - place)
            matched = self._explanation.matched[place]
            for row, word in enumerate(text.words):
                filled = round(bar * matched[row] / largest)
                whole = round(bar * text.masses[row] / largest)
                name = self._paint(fit(word, room), side)
                full = self._paint(_MATCHED * filled, side)
                rest = self._paint(_LEFT * (whole - filled), dim=True)
                yield f"{head}  {name}  {full}{rest}{' ' * (bar - whole)}  {scores[row]:.4f}"
                head = " "

    def pairs(self, top: int) -> Iterator[str]:
        """Give a row a pair: its words, and the part of the score that is theirs between them."""
        pairs = self._explanation.best_pairs()
        shown, rest = pairs[:top], pairs[top:]
        if not shown:
            return
        yield ""
        # Where there is no room for links, words come first.
        half = (self._columns - 15 - _SHORTEST_BAR) // 2
        half = min(max(half, _SHORT_WORD), (self._columns - 13) // 2)
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
            yield (
                head + ", ".join(shortened(word, _LONGEST_WORD) for word in words[:_LISTED]) + rest
            )


def _room(words: list[str], most: int) -> int:
    most = min(most, _LONGEST_WORD)
    return max((width(shortened(word, most)) for word in words), default=0)


def _bar(share: float, columns: int) -> str:
    eighths = max(1, round(share * columns * 8))
    full, rest = divmod(eighths, 8)
    return (_MATCHED * full + _EIGHTHS[rest] * (rest > 0)).ljust(columns)
