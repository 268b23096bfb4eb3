"""Write src/sfbow/data/english.txt.xz and english.NOTICE from the installed GNU Aspell.

    apt-get install aspell aspell-en && python tools/make_word_list.py

The list is all that Aspell's English dictionary accepts: its words as dumped from the master and
expanded, from `en` (without accents) and `en-w_accents`. Two things are done to it. Words are put
in lower case, as the look-up ignores case, and sorted by code point. Possessives stay: Aspell
accepts them, and a rule that dropped "'s" would drop "it's" and "let's" too.
"""

import lzma
import subprocess  # runs Aspell
from pathlib import Path

DATA = Path(__file__).parents[1] / "src" / "sfbow" / "data"
COPYRIGHT = Path("/usr/share/doc/aspell-en/copyright")
MASTERS = ("en.multi", "en-w_accents.multi")

PREAMBLE = """\
english.txt.xz holds the words that GNU Aspell's English dictionary accepts (Debian package
aspell-en {version}; SCOWL up to level 60). They were modified: put in lower case, united over
the accented and unaccented forms, sorted. tools/make_word_list.py in the source does it.
The notices of the package follow as they stand.

"""


def accepted_words(master: str) -> set[str]:
    """Return all words of one of Aspell's dictionaries."""
    dump = _run(["aspell", f"--master={master}", "--encoding=utf-8", "dump", "master"], "")
    expanded = _run(["aspell", "--lang=en", "--encoding=utf-8", "expand"], dump)
    return set(expanded.split())


def pack(words: set[str]) -> bytes:
    """Return the words in lower case, sorted, one a line, compressed alike on every run."""
    lines = "".join(f"{word}\n" for word in sorted({word.lower() for word in words}))
    return lzma.compress(lines.encode(), preset=9 | lzma.PRESET_EXTREME)


def main() -> None:
    """Write both files."""
    words = set[str]().union(*map(accepted_words, MASTERS))
    version = _run(["dpkg-query", "--show", "--showformat=${Version}", "aspell-en"], "")
    notice = PREAMBLE.format(version=version) + COPYRIGHT.read_text(encoding="utf-8")
    (DATA / "english.txt.xz").write_bytes(pack(words))
    (DATA / "english.NOTICE").write_text(notice, encoding="utf-8")


def _run(command: list[str], text: str) -> str:
    result = subprocess.run(  # noqa: S603 - fixed commands
        command, input=text, capture_output=True, check=True, encoding="utf-8"
    )
    return result.stdout


if __name__ == "__main__":
    main()
